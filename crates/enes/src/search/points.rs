//! Points as the user sees them: rows of one slice.

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
    fn points_are_rows() {
        let points = Points::new(&[1.0, 2.0, 3.0, 4.0], 2);
        assert_eq!((points.len(), points.dimension(), points.is_empty()), (2, 2, false));
        assert_eq!(points[1], [3.0, 4.0]);
        assert_eq!(points.into_iter().map(|p| p[0]).sum::<f64>(), 4.0);
    }
}
