//! The population: points, whitened coordinates and costs. Rows whose cost is known come first.

/// n points as a struct of arrays.
#[derive(Clone, Debug, PartialEq)]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize))]
pub(crate) struct Population {
    dimension: usize,
    /// Points as rows.
    points: Vec<f64>,
    /// Their whitened coordinates under the present distribution, as rows.
    whitened: Vec<f64>,
    /// Smaller is better, whatever the user's direction.
    costs: Vec<f64>,
    /// How many measurements a cost is the average of.
    measured: Vec<u32>,
    /// Where there are constraints: for each row the cost without them and the value of each. Else empty.
    answers: Vec<f64>,
    /// Numbers in a row of `answers`.
    width: usize,
    /// Rows 0..kept were evaluated for an earlier distribution, and importance mixing reuses them.
    kept: usize,
    /// Rows kept..kept + carried were evaluated for the present distribution and wait for others: a sample that was
    /// too small for an update.
    carried: usize,
    /// Of the rows that are neither, the first so many are no samples of the latest distributions: the surrogate's
    /// points, and what came late.
    apart: usize,
    /// Whitened coordinates under the present distribution, where `whitened` holds those of the distributions that
    /// rows were drawn from; else empty. Filled for one update.
    #[cfg_attr(feature = "serde", serde(skip))]
    present: Vec<f64>,
}

impl Population {
    /// A population of n rows, none of which has been evaluated.
    pub(crate) fn new(n: usize, d: usize) -> Self {
        Self {
            dimension: d,
            points: vec![0.0; n * d],
            whitened: vec![0.0; n * d],
            costs: vec![f64::NAN; n],
            measured: vec![0; n],
            answers: Vec::new(),
            width: 0,
            kept: 0,
            carried: 0,
            apart: 0,
            present: Vec::new(),
        }
    }

    pub(crate) fn len(&self) -> usize {
        self.costs.len()
    }

    pub(crate) fn dimension(&self) -> usize {
        self.dimension
    }

    /// Rows that importance mixing reuses.
    pub(crate) fn kept(&self) -> usize {
        self.kept
    }

    /// Rows that wait for others.
    pub(crate) fn carried(&self) -> usize {
        self.carried
    }

    /// Rows that are no samples of the latest distributions.
    pub(crate) fn apart(&self) -> usize {
        self.apart
    }

    /// So many of the first fresh rows are no samples of the latest distributions.
    pub(crate) fn set_apart(&mut self, rows: usize) {
        self.apart = rows;
    }

    /// The cost of this very point, of those that are no samples; `None` where it is not among them.
    pub(crate) fn cost_of(&self, point: &[f64]) -> Option<f64> {
        let first = self.known();
        (first..first + self.apart).find(|&row| self.point(row) == point).map(|row| self.costs[row])
    }

    /// Rows that have their cost already.
    pub(crate) fn known(&self) -> usize {
        self.kept + self.carried
    }

    /// Rows that have no cost yet.
    pub(crate) fn fresh(&self) -> usize {
        self.len() - self.known()
    }

    /// Points as rows.
    #[cfg(test)]
    pub(crate) fn points(&self) -> &[f64] {
        &self.points
    }

    /// One point.
    pub(crate) fn point(&self, row: usize) -> &[f64] {
        &self.points[row * self.dimension..(row + 1) * self.dimension]
    }

    /// Whitened coordinates as rows.
    pub(crate) fn whitened(&self) -> &[f64] {
        &self.whitened
    }

    /// Whitened coordinates under the present distribution, as rows, whichever distribution rows were drawn from.
    pub(crate) fn presently_whitened(&self) -> &[f64] {
        if self.present.is_empty() { &self.whitened } else { &self.present }
    }

    pub(crate) fn whitened_mut(&mut self) -> &mut [f64] {
        &mut self.whitened
    }

    pub(crate) fn costs(&self) -> &[f64] {
        &self.costs
    }

    /// How many measurements the cost of a row is the average of; one that waits for its first will have one.
    pub(crate) fn measurements(&self, row: usize) -> u32 {
        if row < self.known() { self.measured[row] } else { 1 }
    }

    /// How many measurements the cost of a row is the average of, once it is there.
    pub(crate) fn times_measured(&self, row: usize) -> u32 {
        self.measured[row]
    }

    /// The points that have no cost yet, as rows.
    pub(crate) fn fresh_points(&self) -> &[f64] {
        &self.points[self.known() * self.dimension..]
    }

    /// The costs of the latest evaluations.
    pub(crate) fn fresh_costs(&self) -> &[f64] {
        &self.costs[self.known()..]
    }

    pub(crate) fn fresh_whitened_mut(&mut self) -> &mut [f64] {
        let known = self.known();
        &mut self.whitened[known * self.dimension..]
    }

    /// Whitened coordinates and the points that belong to them, of the rows that have no cost yet.
    pub(crate) fn fresh_rows_mut(&mut self) -> (&[f64], &mut [f64]) {
        let from = self.known() * self.dimension;
        (&self.whitened[from..], &mut self.points[from..])
    }

    /// Whitened coordinates and point of one row.
    pub(crate) fn row_mut(&mut self, row: usize) -> (&mut [f64], &mut [f64]) {
        let range = row * self.dimension..(row + 1) * self.dimension;
        (&mut self.whitened[range.clone()], &mut self.points[range])
    }

    /// A generation of n rows, none of which has been evaluated.
    pub(crate) fn begin(&mut self, n: usize) {
        self.set_len(n);
        self.kept = 0;
        self.carried = 0;
        self.apart = 0;
        self.present.clear();
    }

    /// The rows without a cost become these: whitened coordinates as they were drawn, and points. `whiten` makes the
    /// coordinates of a point under the present distribution, for rows that were drawn from an earlier one.
    pub(crate) fn replace_fresh<'a>(
        &mut self,
        rows: impl ExactSizeIterator<Item = Row<'a>>,
        whiten: impl Fn(&[f64], &mut [f64]),
    ) {
        let (known, d) = (self.known(), self.dimension);
        let n = known + rows.len();
        self.set_len(n);
        self.present.clear();
        for (row, Row { whitened, point, earlier }) in (known..).zip(rows) {
            let range = row * d..(row + 1) * d;
            self.points[range.clone()].copy_from_slice(point);
            self.whitened[range.clone()].copy_from_slice(whitened);
            if earlier && self.present.is_empty() {
                self.present.extend_from_slice(&self.whitened[..row * d]);
                self.present.resize(n * d, 0.0);
            }
            if !self.present.is_empty() {
                self.present[range.clone()].copy_from_slice(whitened);
            }
            if earlier {
                whiten(point, &mut self.present[range]);
            }
        }
    }

    /// Rows that there is room for.
    pub(crate) fn room(&self) -> usize {
        self.costs.capacity()
    }

    /// A generation of n rows whose first ones are the last `carried` of the present one.
    pub(crate) fn begin_with_carried(&mut self, n: usize) {
        let (rows, carried) = (self.len(), self.carried);
        self.move_up(|row| row >= rows - carried);
        self.begin(n);
        self.carried = carried;
    }

    /// So many of the latest rows wait for others.
    pub(crate) fn carry(&mut self, rows: usize) {
        self.carried = rows;
    }

    /// Costs of the fresh rows, as many as there are, each of one measurement.
    pub(crate) fn set_costs(&mut self, costs: impl Iterator<Item = f64>) {
        let known = self.known();
        self.costs[known..].iter_mut().zip(costs).for_each(|(c, cost)| *c = cost);
        self.measured[known..].fill(1);
    }

    /// From now on each row has so many constraint values beside its cost; those that it has are feasible.
    pub(crate) fn constrain(&mut self, constraints: usize) {
        let width = if constraints == 0 { 0 } else { constraints + 1 };
        if width == self.width {
            return;
        }
        let mut answers = Vec::with_capacity(self.costs.capacity() * width);
        for (row, cost) in self.costs.iter().enumerate() {
            let old = self.answers.get(row * self.width..(row + 1) * self.width).unwrap_or_default();
            answers.extend_from_slice(if old.is_empty() { std::slice::from_ref(cost) } else { old });
            answers.resize((row + 1) * width, 0.0);
        }
        (self.answers, self.width) = (answers, width);
    }

    /// The answers of the rows that have no cost yet: of each its cost without constraints and their values.
    pub(crate) fn fresh_answers(&self) -> &[f64] {
        &self.answers[self.known() * self.width..]
    }

    /// One of the points that have no cost yet, and room for its answers.
    pub(crate) fn point_and_answers(&mut self, fresh: usize) -> (&[f64], &mut [f64]) {
        let (row, d, width) = (self.known() + fresh, self.dimension, self.width);
        (&self.points[row * d..(row + 1) * d], &mut self.answers[row * width..(row + 1) * width])
    }

    /// The constraint values of one of the latest points; empty where there are no constraints.
    pub(crate) fn fresh_constraints(&self, fresh: usize) -> &[f64] {
        let row = self.known() + fresh;
        self.answers
            .get(row * self.width..(row + 1) * self.width)
            .and_then(|a| a.get(1..))
            .unwrap_or_default()
    }

    /// What orders the first rows, so many of them, by their answers: the cost without constraints and their values.
    pub(crate) fn order(&mut self, rows: usize, cost: impl Fn(f64, &[f64]) -> f64) {
        if self.width > 0 {
            let answers = self.answers.chunks_exact(self.width);
            self.costs[..rows].iter_mut().zip(answers).for_each(|(c, row)| *c = cost(row[0], &row[1..]));
        }
    }

    /// Each of the fresh rows has been measured once.
    pub(crate) fn count_measurements(&mut self) {
        let known = self.known();
        self.measured[known..].fill(1);
    }

    /// Replace the cost of a row by what `average` makes of it and of the number of its measurements, which is one
    /// more then.
    pub(crate) fn measure_again(&mut self, row: usize, average: impl FnOnce(f64, f64) -> f64) {
        self.costs[row] = average(self.costs[row], f64::from(self.measured[row]));
        self.measured[row] += 1;
    }

    /// Make room for so many rows, so that nothing is allocated later.
    pub(crate) fn reserve(&mut self, n: usize) {
        let d = self.dimension;
        self.points.reserve((n * d).saturating_sub(self.points.len()));
        self.whitened.reserve((n * d).saturating_sub(self.whitened.len()));
        self.costs.reserve(n.saturating_sub(self.costs.len()));
        self.measured.reserve(n.saturating_sub(self.measured.len()));
        self.answers.reserve((n * self.width).saturating_sub(self.answers.len()));
    }

    /// Keep the rows for which `keep` says so, in their order; returns how many.
    pub(crate) fn retain(&mut self, keep: impl FnMut(usize) -> bool) -> usize {
        self.kept = self.move_up(keep);
        self.carried = 0;
        self.kept
    }

    /// Points that were evaluated before become the first rows; whitened coordinates are those of the present
    /// distribution.
    pub(crate) fn keep_evaluated(&mut self, points: &[f64], whitened: &[f64], costs: &[f64]) {
        self.points[..points.len()].copy_from_slice(points);
        self.whitened[..whitened.len()].copy_from_slice(whitened);
        self.costs[..costs.len()].copy_from_slice(costs);
        self.measured[..costs.len()].fill(1);
        self.answers.chunks_exact_mut(self.width.max(1)).zip(costs).for_each(|(answer, cost)| {
            answer.fill(0.0);
            answer[0] = *cost;
        });
        self.kept = costs.len();
    }

    /// Leave the rows for which `keep` says so, n of them; all have their cost, and none is fresh.
    pub(crate) fn thin(&mut self, n: usize, keep: impl FnMut(usize) -> bool) {
        self.move_up(keep);
        self.set_len(n);
        self.kept = n;
    }

    /// As many fresh rows more as are missing to n.
    pub(crate) fn extend(&mut self, n: usize) {
        if n > self.len() {
            self.set_len(n);
        }
    }

    fn set_len(&mut self, n: usize) {
        self.points.resize(n * self.dimension, 0.0);
        self.whitened.resize(n * self.dimension, 0.0);
        self.costs.resize(n, f64::NAN);
        self.measured.resize(n, 0);
        self.answers.resize(n * self.width, f64::NAN);
    }

    /// Move the rows for which `keep` says so to the front, in their order; returns how many.
    fn move_up(&mut self, mut keep: impl FnMut(usize) -> bool) -> usize {
        let d = self.dimension;
        let mut kept = 0;
        for row in 0..self.len() {
            if !keep(row) {
                continue;
            }
            if row != kept {
                let from = row * d..(row + 1) * d;
                self.points.copy_within(from.clone(), kept * d);
                self.whitened.copy_within(from, kept * d);
                self.costs[kept] = self.costs[row];
                self.measured[kept] = self.measured[row];
                let width = self.width;
                self.answers.copy_within(row * width..(row + 1) * width, kept * width);
            }
            kept += 1;
        }
        kept
    }

    /// Whether each row has so many constraint values.
    #[cfg(feature = "serde")]
    pub(crate) fn has_constraints(&self, constraints: usize) -> bool {
        self.width == if constraints == 0 { 0 } else { constraints + 1 }
    }

    /// Lengths agree: what a checkpoint must satisfy before it is used.
    #[cfg(feature = "serde")]
    pub(crate) fn is_consistent(&self, d: usize) -> bool {
        let n = self.costs.len();
        self.dimension == d
            && self.measured.len() == n
            && self.answers.len() == n * self.width
            && self.points.len() == n * d
            && self.whitened.len() == n * d
            && self.known() <= n
            && self.apart <= n - self.known()
    }
}

/// A row that came back.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Row<'a> {
    /// Whitened coordinates, as they were drawn.
    pub(crate) whitened: &'a [f64],
    pub(crate) point: &'a [f64],
    /// Whether it was drawn from an earlier distribution than the present one.
    pub(crate) earlier: bool,
}

#[cfg(test)]
mod tests;
