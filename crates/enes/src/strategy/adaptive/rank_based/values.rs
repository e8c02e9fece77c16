//! What the regression's linear and isotropic part says of the values themselves, beyond 40 dimensions: whether a model of
//! the values has a chance there.

use super::RankBased;
use crate::math::cost::is_infeasible;

impl RankBased {
    /// Fit the values of the points of the latest fit. Returns the leave-one-out error E, 1 for a model that knows nothing, and
    /// the curvature; the gradient goes to `gradient`. `None` where a value failed, or none differs.
    pub(in crate::strategy::adaptive) fn explain_values(
        &mut self,
        gradient: &mut [f64],
    ) -> Option<(f64, f64)> {
        let (n, d) = (self.rows.len(), gradient.len());
        let deviation = standardize(&mut self.costs)?;
        let whitened = &self.whitened[..n * d];
        let (errors, curvature) = self.regression.fit_again(whitened, &self.costs, gradient)?;
        let (mut left, mut all) = (0.0, 0.0);
        for ((error, y), q) in errors.iter().zip(&self.costs).zip(&self.norms) {
            let weight = (d as f64 / q).min(1.0);
            left += weight * error * error;
            all += weight * y * y;
        }
        gradient.iter_mut().for_each(|g| *g *= deviation);
        let error = left / all;
        (error.is_finite() && gradient.iter().all(|g| g.is_finite()))
            .then_some((error, deviation * curvature))
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
