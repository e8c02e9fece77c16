//! The loops for objectives with constraints: each point has a value and a violation.

use super::{Beside, MinimizeError, Run};
use crate::error::SettingsError;
use crate::outcome::Outcome;
use crate::search::Points;
use crate::settings::Settings;

/// Minimize an objective under constraints: it returns its value and by how much the point violates them, 0
/// or less where it is feasible.
///
/// A feasible point comes before an infeasible one; infeasible ones are ordered by violation, whatever their
/// value. [`Outcome::violation`](crate::Outcome::violation) is 0 where the best point is feasible. An
/// equality h(x) = 0 is a band, |h(x)| − ε, with ε the tolerance that you can live with.
///
/// # Errors
/// A setting that cannot be used.
///
/// ```
/// let settings = enes::Settings::new([3.0; 4], 1.0).seed(1);
/// let outcome = enes::minimize_constrained(&settings, |x| {
///     (x.iter().map(|v| v * v).sum(), 1.0 - x[0]) // the sphere where x[0] ≥ 1
/// })?;
/// assert!(outcome.violation == 0.0 && (outcome.value - 1.0).abs() < 1e-6);
/// # Ok::<(), enes::SettingsError>(())
/// ```
pub fn minimize_constrained(
    settings: &Settings,
    objective: impl FnMut(&[f64]) -> (f64, f64),
) -> Result<Outcome, SettingsError> {
    Run::new(settings).minimize_constrained(objective)
}

/// Minimize an objective under constraints on several threads (0: as many as the machine has cores). The
/// number of threads never changes the run.
///
/// # Errors
/// A setting that cannot be used, or threads that could not be started.
#[cfg(feature = "rayon")]
pub fn minimize_constrained_parallel(
    settings: &Settings,
    threads: usize,
    objective: impl Fn(&[f64]) -> (f64, f64) + Sync,
) -> Result<Outcome, SettingsError> {
    Run::new(settings).minimize_constrained_parallel(threads, objective)
}

impl Run<'_> {
    /// Evaluate one point at a time: value and violation.
    ///
    /// # Errors
    /// A setting that cannot be used.
    pub fn minimize_constrained(
        self,
        mut objective: impl FnMut(&[f64]) -> (f64, f64),
    ) -> Result<Outcome, SettingsError> {
        self.minimize_constrained_batch(|points, values, violations| {
            for (x, answer) in points.iter().zip(values.iter_mut().zip(violations)) {
                (*answer.0, *answer.1) = objective(x);
            }
        })
    }

    /// Evaluate all points of a generation at once: values, then violations. Values left alone are NaN, and
    /// rank last; violations left alone are 0.
    ///
    /// # Errors
    /// A setting that cannot be used.
    pub fn minimize_constrained_batch(
        self,
        mut objective: impl FnMut(Points<'_>, &mut [f64], &mut [f64]),
    ) -> Result<Outcome, SettingsError> {
        let evaluate = |points: Points<'_>, values: &mut [f64], violations: &mut [f64]| {
            objective(points, values, violations);
            Ok(())
        };
        self.run(Beside::Violation, evaluate).map_err(MinimizeError::only_settings)
    }

    /// Evaluate on several threads (0: as many as the machine has cores): value and violation.
    ///
    /// # Errors
    /// A setting that cannot be used, or threads that could not be started.
    #[cfg(feature = "rayon")]
    pub fn minimize_constrained_parallel(
        self,
        threads: usize,
        objective: impl Fn(&[f64]) -> (f64, f64) + Sync,
    ) -> Result<Outcome, SettingsError> {
        use rayon::prelude::*;
        let pool = super::pool(threads)?;
        self.minimize_constrained_batch(|points, values, violations| {
            let rows = points.as_slice().par_chunks_exact(points.dimension());
            let answers = values.par_iter_mut().zip(violations.par_iter_mut());
            pool.install(|| {
                rows.zip(answers).for_each(|(x, answer)| (*answer.0, *answer.1) = objective(x));
            });
        })
    }

    /// Evaluate one point at a time with an objective that may fail: value and violation.
    ///
    /// # Errors
    /// A setting that cannot be used, or the objective's own error.
    pub fn try_minimize_constrained<E>(
        self,
        mut objective: impl FnMut(&[f64]) -> Result<(f64, f64), E>,
    ) -> Result<Outcome, MinimizeError<E>> {
        self.run(Beside::Violation, |points, values, violations| {
            for (i, (x, answer)) in points.iter().zip(values.iter_mut().zip(violations)).enumerate() {
                (*answer.0, *answer.1) = objective(x).map_err(|error| (error, i))?;
            }
            Ok(())
        })
    }
}
