//! The population: points, whitened coordinates and costs; kept rows first, fresh rows after them.

/// n points as a struct of arrays.
#[derive(Clone, Debug, PartialEq)]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize))]
pub(crate) struct Population {
    dimension: usize,
    /// Points as rows.
    pub(crate) points: Vec<f64>,
    /// Their whitened coordinates under the present distribution, as rows.
    pub(crate) whitened: Vec<f64>,
    /// Smaller is better, whatever the user's direction.
    pub(crate) costs: Vec<f64>,
    /// How many measurements a cost is the average of.
    pub(crate) measured: Vec<u32>,
    /// Rows 0..kept were evaluated in an earlier generation.
    pub(crate) kept: usize,
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
            kept: 0,
        }
    }

    pub(crate) fn len(&self) -> usize {
        self.costs.len()
    }

    pub(crate) fn dimension(&self) -> usize {
        self.dimension
    }

    /// As many rows as the next generation has; what they hold is of no use.
    pub(crate) fn resize(&mut self, n: usize) {
        self.points.resize(n * self.dimension, 0.0);
        self.whitened.resize(n * self.dimension, 0.0);
        self.costs.resize(n, f64::NAN);
        self.measured.resize(n, 0);
        self.kept = 0;
    }

    /// Make room for so many rows, so that nothing is allocated later.
    pub(crate) fn reserve(&mut self, n: usize) {
        let d = self.dimension;
        self.points.reserve((n * d).saturating_sub(self.points.len()));
        self.whitened.reserve((n * d).saturating_sub(self.whitened.len()));
        self.costs.reserve(n.saturating_sub(self.costs.len()));
        self.measured.reserve(n.saturating_sub(self.measured.len()));
    }

    /// Rows that have no cost yet.
    pub(crate) fn fresh(&self) -> usize {
        self.len() - self.kept
    }

    /// The points that have no cost yet, as rows.
    pub(crate) fn fresh_points(&self) -> &[f64] {
        &self.points[self.kept * self.dimension..]
    }

    /// Keep the rows for which `keep` says so, in their order; returns how many.
    pub(crate) fn retain(&mut self, mut keep: impl FnMut(usize) -> bool) -> usize {
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
            }
            kept += 1;
        }
        self.kept = kept;
        kept
    }

    /// Lengths agree: what a checkpoint must satisfy before it is used.
    #[cfg(feature = "serde")]
    pub(crate) fn is_consistent(&self, n: usize, d: usize) -> bool {
        let numbers = n * d;
        self.dimension == d
            && self.costs.len() == n
            && self.measured.len() == n
            && self.points.len() == numbers
            && self.whitened.len() == numbers
            && self.kept <= n
    }
}

/// Points handed out by `ask`: rows of one contiguous slice.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Points<'a> {
    data: &'a [f64],
    dimension: usize,
}

impl<'a> Points<'a> {
    pub(crate) fn new(data: &'a [f64], dimension: usize) -> Self {
        Self { data, dimension }
    }

    /// How many points. May be 0: every point of the population was reused.
    pub fn len(&self) -> usize {
        self.data.len() / self.dimension
    }

    /// Whether there is nothing to evaluate in this generation.
    pub fn is_empty(&self) -> bool {
        self.data.is_empty()
    }

    /// The number of coordinates of a point.
    pub fn dimension(&self) -> usize {
        self.dimension
    }

    /// The points in order, each a slice of coordinates.
    pub fn iter(&self) -> std::slice::ChunksExact<'a, f64> {
        self.data.chunks_exact(self.dimension)
    }

    /// All coordinates, point after point.
    pub fn as_slice(&self) -> &'a [f64] {
        self.data
    }
}

impl<'a> IntoIterator for Points<'a> {
    type Item = &'a [f64];
    type IntoIter = std::slice::ChunksExact<'a, f64>;

    fn into_iter(self) -> Self::IntoIter {
        self.iter()
    }
}

impl std::ops::Index<usize> for Points<'_> {
    type Output = [f64];

    fn index(&self, row: usize) -> &[f64] {
        &self.data[row * self.dimension..(row + 1) * self.dimension]
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn retain_keeps_rows_whole_and_in_order() {
        let mut p = Population::new(4, 2);
        p.points = (0..8).map(f64::from).collect();
        p.whitened = (10..18).map(f64::from).collect();
        p.costs = vec![0.0, 1.0, 2.0, 3.0];
        assert_eq!(p.retain(|row| row % 2 == 1), 2);
        assert_eq!(p.points[..4], [2.0, 3.0, 6.0, 7.0]);
        assert_eq!(p.whitened[..4], [12.0, 13.0, 16.0, 17.0]);
        assert_eq!(p.costs[..2], [1.0, 3.0]);
        assert_eq!((p.fresh(), p.fresh_points().len()), (2, 4));
    }

    #[test]
    fn points_are_rows() {
        let points = Points::new(&[1.0, 2.0, 3.0, 4.0], 2);
        assert_eq!((points.len(), points.dimension(), points.is_empty()), (2, 2, false));
        assert_eq!(points[1], [3.0, 4.0]);
        assert_eq!(points.into_iter().map(|p| p[0]).sum::<f64>(), 4.0);
    }
}
