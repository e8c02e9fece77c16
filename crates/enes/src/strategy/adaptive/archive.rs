//! The archive: the latest evaluated points and their costs, first in, first out.

/// At most `capacity` points as a ring: once full, a new point takes the place of the oldest.
#[derive(Clone, Debug, PartialEq)]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize))]
pub(super) struct Archive {
    capacity: usize,
    dimension: usize,
    /// Points as rows.
    points: Vec<f64>,
    costs: Vec<f64>,
    /// Where the next point goes once the archive is full.
    oldest: usize,
}

impl Archive {
    pub(super) fn new(capacity: usize, d: usize) -> Self {
        let mut archive = Self { capacity, dimension: d, points: Vec::new(), costs: Vec::new(), oldest: 0 };
        archive.reserve();
        archive
    }

    /// Make room for all there will be, so that nothing is allocated later.
    pub(super) fn reserve(&mut self) {
        self.points.reserve_exact(self.capacity * self.dimension - self.points.len());
        self.costs.reserve_exact(self.capacity - self.costs.len());
    }

    /// Append points, given as rows, with their costs; the oldest give way.
    pub(super) fn append(&mut self, points: &[f64], costs: &[f64]) {
        let d = self.dimension;
        for (y, &cost) in points.chunks_exact(d).zip(costs) {
            if self.costs.len() < self.capacity {
                self.points.extend_from_slice(y);
                self.costs.push(cost);
            } else {
                self.points[self.oldest * d..][..d].copy_from_slice(y);
                self.costs[self.oldest] = cost;
                self.oldest = (self.oldest + 1) % self.capacity;
            }
        }
    }

    /// Whether this very point is there.
    pub(super) fn contains(&self, point: &[f64]) -> bool {
        self.points.chunks_exact(self.dimension).any(|y| y == point)
    }

    /// The latest points, as many as fit.
    pub(super) fn with_capacity(&self, capacity: usize) -> Self {
        let mut archive = Self::new(capacity, self.dimension);
        let rows = (0..self.len()).map(|i| (self.oldest + i) % self.len());
        for row in rows.skip(self.len().saturating_sub(capacity)) {
            archive.append(&self.points[row * self.dimension..][..self.dimension], &self.costs[row..=row]);
        }
        archive
    }

    pub(super) fn len(&self) -> usize {
        self.costs.len()
    }

    pub(super) fn capacity(&self) -> usize {
        self.capacity
    }

    /// Points as rows, in no order that matters.
    pub(super) fn points(&self) -> &[f64] {
        &self.points
    }

    /// Their costs: smaller is better.
    pub(super) fn costs(&self) -> &[f64] {
        &self.costs
    }

    #[cfg(feature = "serde")]
    pub(super) fn is_consistent(&self, capacity: usize, d: usize) -> bool {
        let n = self.costs.len();
        self.capacity == capacity
            && self.dimension == d
            && n <= capacity
            && self.points.len() == n * d
            && self.oldest < capacity
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_oldest_points_give_way() {
        let mut archive = Archive::new(3, 2);
        archive.append(&[1.0, 1.0, 2.0, 2.0], &[1.0, 2.0]);
        assert_eq!((archive.len(), archive.points().len()), (2, 4));
        archive.append(&[3.0, 3.0, 4.0, 4.0], &[3.0, 4.0]);
        archive.append(&[5.0, 5.0], &[5.0]);
        assert_eq!(archive.costs(), [4.0, 5.0, 3.0]);
        assert_eq!(archive.points(), [4.0, 4.0, 5.0, 5.0, 3.0, 3.0]);
        assert!(archive.points.capacity() < 8, "nothing was allocated beyond the capacity");
    }
}
