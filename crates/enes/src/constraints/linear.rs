//! Linear constraints: known exactly, computed and never asked for.

use super::ConstraintKind;
use crate::error::SettingsError;

/// Linear constraints `lower ≤ A x ≤ upper`, in the user's coordinates. Equal limits are an equation; an infinite one is
/// none. They cost no evaluation: give them here and leave them out of the objective.
#[derive(Clone, Debug, PartialEq)]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize))]
pub struct LinearConstraint {
    rows: Vec<Vec<f64>>,
    lower: Vec<f64>,
    upper: Vec<f64>,
}

impl LinearConstraint {
    /// `lower ≤ A x ≤ upper`: A as rows, and a limit on each side for each of them.
    ///
    /// ```
    /// use enes::{LinearConstraint, Settings};
    /// let settings = Settings::new([0.0, 0.0], 1.0).linear(LinearConstraint::new([[1.0, 1.0]], [1.0], [3.0])).seed(1);
    /// let outcome = enes::minimize(&settings, |x| x[0] * x[0] + x[1] * x[1])?;
    /// assert!((outcome.value - 0.5).abs() < 1e-5);
    /// # Ok::<(), enes::SettingsError>(())
    /// ```
    pub fn new<R: Into<Vec<f64>>>(
        rows: impl IntoIterator<Item = R>,
        lower: impl Into<Vec<f64>>,
        upper: impl Into<Vec<f64>>,
    ) -> Self {
        let rows = rows.into_iter().map(Into::into).collect();
        Self { rows, lower: lower.into(), upper: upper.into() }
    }

    /// `A x ≤ upper`.
    pub fn at_most<R: Into<Vec<f64>>>(rows: impl IntoIterator<Item = R>, upper: impl Into<Vec<f64>>) -> Self {
        let upper = upper.into();
        Self::new(rows, vec![f64::NEG_INFINITY; upper.len()], upper)
    }

    /// `A x ≥ lower`.
    pub fn at_least<R: Into<Vec<f64>>>(
        rows: impl IntoIterator<Item = R>,
        lower: impl Into<Vec<f64>>,
    ) -> Self {
        let lower = lower.into();
        let none = vec![f64::INFINITY; lower.len()];
        Self::new(rows, lower, none)
    }

    /// `A x = values`.
    pub fn equal<R: Into<Vec<f64>>>(rows: impl IntoIterator<Item = R>, values: impl Into<Vec<f64>>) -> Self {
        let values = values.into();
        Self::new(rows, values.clone(), values)
    }

    /// What cannot be used, with points of so many coordinates. `place` counts the constraints given.
    pub(crate) fn check(&self, place: usize, dimension: usize) -> Result<(), SettingsError> {
        let refused = |reason| Err(SettingsError::LinearConstraint { place, reason });
        let (rows, lower, upper) = (self.rows.len(), self.lower.len(), self.upper.len());
        if rows == 0 || (lower, upper) != (rows, rows) {
            return refused(format!(
                "it has {rows} rows, {lower} lower and {upper} upper limits: give at least one row, and both limits of \
                 each, infinite where there is none"
            ));
        }
        for (i, row) in self.rows.iter().enumerate() {
            if row.len() != dimension {
                let got = row.len();
                return refused(format!(
                    "row {i} has {got} coefficients, x has {dimension} coordinates: they must match"
                ));
            }
            if let Some((j, value)) = row.iter().enumerate().find(|(_, v)| !v.is_finite()) {
                return refused(format!("the coefficient [{i}][{j}] must be finite, got {value}"));
            }
            let (low, high) = (self.lower[i], self.upper[i]);
            let empty = low == f64::INFINITY || high == f64::NEG_INFINITY;
            if low.is_nan() || high.is_nan() || low > high || empty {
                return refused(format!(
                    "the limits of row {i} are ({low}, {high}), which no number lies between: give the lower one first"
                ));
            }
        }
        Ok(())
    }
}

/// One linear constraint: `coefficients · x − limit`, which is 0 or at most 0.
#[derive(Clone, Debug, PartialEq)]
pub(crate) struct LinearRow {
    pub(crate) coefficients: Vec<f64>,
    pub(crate) limit: f64,
    kind: ConstraintKind,
}

impl LinearRow {
    pub(crate) fn kind(&self) -> ConstraintKind {
        self.kind
    }

    /// Its value at a point of the user's.
    pub(crate) fn value(&self, point: &[f64]) -> f64 {
        self.coefficients.iter().zip(point).map(|(a, x)| a * x).sum::<f64>() - self.limit
    }
}

/// Each limit as a row by itself, and its name.
pub(super) fn rows(linear: &[LinearConstraint]) -> (Vec<LinearRow>, Vec<String>) {
    let mut found = (Vec::new(), Vec::new());
    let each = linear.iter().flat_map(|l| l.rows.iter().zip(l.lower.iter().zip(&l.upper)));
    for (number, (row, (&lower, &upper))) in (1..).zip(each) {
        let mut add = |sign: f64, limit: f64, kind, name| {
            let coefficients = row.iter().map(|a| sign * a).collect();
            found.0.push(LinearRow { coefficients, limit: sign * limit, kind });
            found.1.push(name);
        };
        let both = lower.is_finite() && upper.is_finite();
        let name =
            |side: &str| if both { format!("linear{number}.{side}") } else { format!("linear{number}") };
        if lower == upper {
            add(1.0, upper, ConstraintKind::Equality, format!("linear{number}"));
            continue;
        }
        if lower.is_finite() {
            add(-1.0, lower, ConstraintKind::Inequality, name("lower"));
        }
        if upper.is_finite() {
            add(1.0, upper, ConstraintKind::Inequality, name("upper"));
        }
    }
    found
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn limits_become_rows_and_missing_ones_do_not() {
        let given = [
            LinearConstraint::at_most([[1.0, 1.0], [2.0, 0.0]], [3.0, f64::INFINITY]),
            LinearConstraint::at_least([[1.0, 1.0]], [1.0]),
        ];
        let (rows, names) = rows(&given);
        let values: Vec<f64> = rows.iter().map(|r| r.value(&[0.25, 0.25])).collect();
        assert_eq!((values, names), (vec![-2.5, 0.5], vec!["linear1".to_string(), "linear3".to_string()]));
    }

    #[test]
    fn what_cannot_be_used_is_named() {
        let refusal = |c: LinearConstraint| c.check(2, 2).unwrap_err().to_string();
        let short = refusal(LinearConstraint::equal([[1.0]], [1.0]));
        assert!(short.contains("row 0 has 1 coefficients") && short.contains("constraint 2"), "{short}");
        assert!(refusal(LinearConstraint::equal([[1.0, f64::NAN]], [1.0])).contains("[0][1] must be finite"));
        assert!(refusal(LinearConstraint::new([[1.0, 1.0]], [2.0], [1.0])).contains("(2, 1)"));
        assert!(refusal(LinearConstraint::new([[1.0, 1.0]], [2.0], [])).contains("0 upper"));
        assert!(refusal(LinearConstraint::equal([[1.0, 1.0]], [f64::INFINITY])).contains("(inf, inf)"));
        assert!(LinearConstraint::at_least([[1.0, 0.0]], [-1.0]).check(0, 2).is_ok());
    }
}
