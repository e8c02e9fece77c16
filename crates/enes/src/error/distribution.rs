//! What is wrong with a search distribution that was given.

/// A search distribution that is none.
#[derive(Clone, Debug, PartialEq, thiserror::Error)]
#[non_exhaustive]
pub enum DistributionError {
    /// Mean and factor have lengths that do not fit.
    #[error(
        "the mean has {mean} coordinates, the factor {factor} entries: d and d*d are needed, d at least 1"
    )]
    Shape {
        /// Length of the mean.
        mean: usize,
        /// Entries of the factor.
        factor: usize,
    },
    /// An entry is NaN or infinite.
    #[error("{what}[{index}] must be finite, got {value}")]
    NotFinite {
        /// `mean` or `factor`.
        what: &'static str,
        /// Position in the slice.
        index: usize,
        /// What it was.
        value: f64,
    },
    /// The factor is not upper triangular with a positive diagonal.
    #[error("factor row {row}: the diagonal must be positive and everything left of it zero")]
    NotUpperTriangular {
        /// Which row.
        row: usize,
    },
    /// Points, values or utilities have lengths that do not fit.
    #[error(
        "{points} numbers are not {values} points of {dimension} coordinates: give at least one whole point each"
    )]
    Points {
        /// Numbers in the slice of points.
        points: usize,
        /// Values or utilities.
        values: usize,
        /// Coordinates of the distribution.
        dimension: usize,
    },
}
