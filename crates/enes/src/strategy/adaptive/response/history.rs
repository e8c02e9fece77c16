//! The points that the model of values learns from, the oldest first.

/// At most `limit` points with finite costs; the oldest give way.
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

    /// Append the points, given as rows, whose costs are usable.
    pub(super) fn append(&mut self, points: &[f64], costs: &[f64]) {
        for (y, &cost) in points.chunks_exact(self.dimension).zip(costs) {
            if cost.is_finite() {
                self.points.extend_from_slice(y);
                self.costs.push(cost);
            }
        }
        let surplus = self.costs.len().saturating_sub(self.limit);
        self.points.drain(..surplus * self.dimension);
        self.costs.drain(..surplus);
    }

    pub(super) fn len(&self) -> usize {
        self.costs.len()
    }

    pub(super) fn points(&self) -> &[f64] {
        &self.points
    }

    pub(super) fn costs(&self) -> &[f64] {
        &self.costs
    }

    #[cfg(feature = "serde")]
    pub(super) fn is_consistent(&self, limit: usize, d: usize) -> bool {
        let n = self.costs.len();
        self.limit == limit
            && self.dimension == d
            && n <= limit
            && self.points.len() == n * d
            && self.costs.iter().all(|c| c.is_finite())
    }
}
