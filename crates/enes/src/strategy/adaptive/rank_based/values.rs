//! What the regression's linear and isotropic part says of the values themselves, beyond 40 dimensions: whether a model of
//! the values has a chance there.

use super::RankBased;
use crate::math::cost::is_infeasible;

impl RankBased {
    /// Fit the values of the points of the latest fit, in d dimensions. Returns the leave-one-out error E, 1 for a model that knows
    /// nothing; `None` where a value failed, or none differs.
    pub(in crate::strategy::adaptive) fn explain_values(&mut self, d: usize) -> Option<f64> {
        standardize(&mut self.costs)?;
        let errors = self.regression.errors_of(&self.costs)?;
        let (mut left, mut all) = (0.0, 0.0);
        for ((error, y), q) in errors.iter().zip(&self.costs).zip(&self.norms) {
            let weight = (d as f64 / q).min(1.0);
            left += weight * error * error;
            all += weight * y * y;
        }
        let error = left / all;
        error.is_finite().then_some(error)
    }
}

/// Mean 0 and variance 1; returns the deviation that there was. `None` where that cannot be.
fn standardize(values: &mut [f64]) -> Option<f64> {
    let size = values.len() as f64;
    if values.iter().any(|v| !v.is_finite() || is_infeasible(*v)) {
        return None;
    }
    let mean = values.iter().map(|v| v / size).sum::<f64>();
    let deviation = (values.iter().map(|v| (v - mean).powi(2)).sum::<f64>() / size).sqrt();
    values.iter_mut().for_each(|v| *v = (*v - mean) / deviation);
    (deviation.is_normal() && values.iter().all(|v| v.is_finite())).then_some(deviation)
}
