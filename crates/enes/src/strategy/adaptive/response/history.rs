//! The points that the model of values learns from, the oldest first.

use crate::violation::is_infeasible;

/// At most `limit` points and their costs, whatever these are; the oldest give way.
#[derive(Clone, Debug, PartialEq)]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize))]
pub(super) struct History {
    limit: usize,
    dimension: usize,
    /// Points as rows.
    points: Vec<f64>,
    costs: Vec<f64>,
}

impl History {
    pub(super) fn new(limit: usize, d: usize) -> Self {
        Self { limit, dimension: d, points: Vec::new(), costs: Vec::new() }
    }

    /// Make room for all there will be with `batch` points at a time, so that nothing is allocated later.
    pub(super) fn reserve(&mut self, batch: usize) {
        let rows = self.limit + batch;
        self.points.reserve((rows * self.dimension).saturating_sub(self.points.len()));
        self.costs.reserve(rows.saturating_sub(self.costs.len()));
    }

    /// Append points, given as rows, with their costs.
    pub(super) fn append(&mut self, points: &[f64], costs: &[f64]) {
        self.points.extend_from_slice(points);
        self.costs.extend_from_slice(costs);
        let surplus = self.costs.len().saturating_sub(self.limit);
        self.points.drain(..surplus * self.dimension);
        self.costs.drain(..surplus);
    }

    pub(super) fn len(&self) -> usize {
        self.costs.len()
    }

    pub(super) fn is_full(&self) -> bool {
        self.costs.len() == self.limit
    }

    pub(super) fn points(&self) -> &[f64] {
        &self.points
    }

    /// Costs as numbers that can be modelled: what failed or is infeasible counts as the worst that did not. False where
    /// none is a number.
    pub(super) fn usable_costs(&self, out: &mut Vec<f64>) -> bool {
        let fails = |c: f64| c.is_nan() || c == f64::INFINITY || is_infeasible(c);
        let worst = self.costs.iter().filter(|c| !fails(**c)).fold(f64::NEG_INFINITY, |w, &c| w.max(c));
        let usable = |&c: &f64| if fails(c) { worst } else { c.max(f64::MIN) };
        out.clear();
        out.extend(self.costs.iter().map(usable));
        worst > f64::NEG_INFINITY
    }

    #[cfg(feature = "serde")]
    pub(super) fn is_consistent(&self, limit: usize, d: usize) -> bool {
        let n = self.costs.len();
        self.limit == limit && self.dimension == d && n <= limit && self.points.len() == n * d
    }
}
