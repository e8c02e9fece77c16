//! The initial scale: one number, one per coordinate, or a full covariance.

use crate::error::SettingsError;
use crate::linalg;

/// The initial scale of the search: how far from x0 the optimum may be, coordinate by coordinate.
#[derive(Clone, Debug, PartialEq)]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize))]
#[non_exhaustive]
pub enum Scale {
    /// One standard deviation for all coordinates.
    Uniform(f64),
    /// One standard deviation for each coordinate.
    PerCoordinate(Vec<f64>),
    /// A full covariance matrix as rows.
    Covariance(Vec<Vec<f64>>),
}

impl From<f64> for Scale {
    fn from(sigma: f64) -> Self {
        Self::Uniform(sigma)
    }
}

impl From<Vec<f64>> for Scale {
    fn from(sigmas: Vec<f64>) -> Self {
        Self::PerCoordinate(sigmas)
    }
}

impl<const D: usize> From<[f64; D]> for Scale {
    fn from(sigmas: [f64; D]) -> Self {
        Self::PerCoordinate(sigmas.to_vec())
    }
}

impl From<Vec<Vec<f64>>> for Scale {
    fn from(covariance: Vec<Vec<f64>>) -> Self {
        Self::Covariance(covariance)
    }
}

impl Scale {
    /// The deviations of the free ones among d coordinates: those of a covariance too, without its correlations.
    pub(crate) fn deviations(&self, d: usize, free: &[usize]) -> Result<Vec<f64>, SettingsError> {
        match self {
            Self::Uniform(sigma) => check_deviation(None, *sigma).map(|()| vec![*sigma; free.len()]),
            Self::PerCoordinate(sigmas) => {
                check_length(sigmas.len(), "entries", d)?;
                let deviation =
                    |&index: &usize| check_deviation(Some(index), sigmas[index]).map(|()| sigmas[index]);
                free.iter().map(deviation).collect()
            }
            Self::Covariance(rows) => {
                check_length(rows.len(), "rows", d)?;
                rows.iter().try_for_each(|row| check_length(row.len(), "entries in a row", d))?;
                check_symmetry(rows)?;
                let deviation = |&i: &usize| match rows[i][i].is_finite() && rows[i][i] > 0.0 {
                    true => Ok(rows[i][i].sqrt()),
                    false => Err(SettingsError::CovarianceNotPositive { pivot: i }),
                };
                free.iter().map(deviation).collect()
            }
        }
    }

    /// The upper-triangular factor A with C = AᵀA, by rows, of the free ones among d coordinates.
    pub(crate) fn factor(&self, d: usize, free: &[usize]) -> Result<Vec<f64>, SettingsError> {
        let length = |got, what| check_length(got, what, d);
        match self {
            Self::Uniform(sigma) => {
                check_deviation(None, *sigma)?;
                Ok(diagonal(&vec![*sigma; free.len()]))
            }
            Self::PerCoordinate(sigmas) => {
                length(sigmas.len(), "entries")?;
                let sigmas: Vec<f64> = free.iter().map(|&i| sigmas[i]).collect();
                for (&index, &sigma) in free.iter().zip(&sigmas) {
                    check_deviation(Some(index), sigma)?;
                }
                Ok(diagonal(&sigmas))
            }
            Self::Covariance(rows) => {
                length(rows.len(), "rows")?;
                for row in rows {
                    length(row.len(), "entries in a row")?;
                }
                check_symmetry(rows)?;
                let entries: Vec<f64> =
                    free.iter().flat_map(|&i| free.iter().map(move |&j| rows[i][j])).collect();
                linalg::cholesky(&entries, free.len())
                    .map_err(|pivot| SettingsError::CovarianceNotPositive { pivot: free[pivot] })
            }
        }
    }
}

fn diagonal(entries: &[f64]) -> Vec<f64> {
    let d = entries.len();
    let mut factor = vec![0.0; d * d];
    factor.iter_mut().step_by(d + 1).zip(entries).for_each(|(a, s)| *a = *s);
    factor
}

fn check_length(got: usize, what: &'static str, d: usize) -> Result<(), SettingsError> {
    match got == d {
        true => Ok(()),
        false => Err(SettingsError::ScaleLength { got, what, dimension: d }),
    }
}

fn check_deviation(index: Option<usize>, value: f64) -> Result<(), SettingsError> {
    match value.is_finite() && value >= f64::MIN_POSITIVE {
        true => Ok(()),
        false => Err(SettingsError::ScaleNotPositive { index, value }),
    }
}

/// Entries may differ from their mirror image by rounding only.
fn check_symmetry(rows: &[Vec<f64>]) -> Result<(), SettingsError> {
    for (row, entries) in rows.iter().enumerate() {
        for (column, &a) in entries.iter().enumerate().take(row) {
            let b = rows[column][row];
            if (a - b).abs() > 1e-10 * a.abs().max(b.abs()) {
                return Err(SettingsError::CovarianceNotSymmetric { row, column });
            }
        }
    }
    Ok(())
}
