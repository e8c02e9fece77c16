//! The loops for objectives that tell the value of each constraint beside their own.

use super::{Beside, MinimizeError, Run};
use crate::error::SettingsError;
use crate::outcome::Outcome;
use crate::search::Points;
use crate::settings::Settings;

/// Minimize an objective under constraints that it tells one by one: it returns its value and fills in the values of the
/// constraints that the settings declare, inequalities g ≤ 0 before equalities h = 0. One left alone is NaN: a failed
/// evaluation.
///
/// The result has the best feasible point, and for each constraint its value there, its multiplier, and whether it is
/// active. Linear constraints ([`Settings::linear`]) are computed, not told: [`minimize`](crate::minimize) does where there
/// are no others.
///
/// # Errors
/// A setting that cannot be used.
///
/// ```
/// // Rosenbrock's function in a disk.
/// let settings = enes::Settings::new([0.5, 0.5], 0.3).inequalities(["disk"]).seed(1);
/// let outcome = enes::minimize_with_constraints(&settings, |x, constraints| {
///     constraints[0] = x[0] * x[0] + x[1] * x[1] - 1.0;
///     100.0 * (x[1] - x[0] * x[0]).powi(2) + (1.0 - x[0]).powi(2)
/// })?;
/// assert!(outcome.feasible && (outcome.value - 0.045675).abs() < 1e-4);
/// assert!(outcome.constraints[0].active);
/// # Ok::<(), enes::SettingsError>(())
/// ```
pub fn minimize_with_constraints(
    settings: &Settings,
    objective: impl FnMut(&[f64], &mut [f64]) -> f64,
) -> Result<Outcome, SettingsError> {
    Run::new(settings).minimize_with_constraints(objective)
}

impl Run<'_> {
    /// Evaluate one point at a time: the value, and the constraints' values filled in.
    ///
    /// # Errors
    /// A setting that cannot be used.
    pub fn minimize_with_constraints(
        self,
        mut objective: impl FnMut(&[f64], &mut [f64]) -> f64,
    ) -> Result<Outcome, SettingsError> {
        let width = self.settings.constraint_count();
        self.minimize_with_constraints_batch(|points, values, constraints| {
            for (i, (x, value)) in points.iter().zip(values).enumerate() {
                *value = objective(x, &mut constraints[i * width..(i + 1) * width]);
            }
        })
    }

    /// Evaluate all points of a generation at once: values, then the constraints' values, point after point. What is
    /// left alone is NaN, and ranks last.
    ///
    /// # Errors
    /// A setting that cannot be used.
    pub fn minimize_with_constraints_batch(
        self,
        mut objective: impl FnMut(Points<'_>, &mut [f64], &mut [f64]),
    ) -> Result<Outcome, SettingsError> {
        let evaluate = |points: Points<'_>, values: &mut [f64], constraints: &mut [f64]| {
            objective(points, values, constraints);
            Ok(())
        };
        self.run(Beside::Constraints, evaluate).map_err(MinimizeError::only_settings)
    }

    /// Evaluate on several threads (0: as many as the machine has cores). Their number never changes the run.
    ///
    /// # Errors
    /// A setting that cannot be used, or threads that could not be started.
    #[cfg(feature = "rayon")]
    pub fn minimize_with_constraints_parallel(
        self,
        threads: usize,
        objective: impl Fn(&[f64], &mut [f64]) -> f64 + Sync,
    ) -> Result<Outcome, SettingsError> {
        use rayon::prelude::*;
        let (pool, width) = (super::pool(threads)?, self.settings.constraint_count());
        self.minimize_with_constraints_batch(|points, values, constraints| {
            let rows: Vec<&mut [f64]> = match width {
                0 => values.iter().map(|_| Default::default()).collect(),
                width => constraints.chunks_exact_mut(width).collect(),
            };
            let points = points.as_slice().par_chunks_exact(points.dimension());
            let answers = values.par_iter_mut().zip(rows);
            pool.install(|| points.zip(answers).for_each(|(x, (value, row))| *value = objective(x, row)));
        })
    }

    /// Evaluate one point at a time with an objective that may fail.
    ///
    /// # Errors
    /// A setting that cannot be used, or the objective's own error.
    pub fn try_minimize_with_constraints<E>(
        self,
        mut objective: impl FnMut(&[f64], &mut [f64]) -> Result<f64, E>,
    ) -> Result<Outcome, MinimizeError<E>> {
        let width = self.settings.constraint_count();
        self.run(Beside::Constraints, |points, values, constraints| {
            for (i, (x, value)) in points.iter().zip(values).enumerate() {
                let row = &mut constraints[i * width..(i + 1) * width];
                *value = objective(x, row).map_err(|error| (error, i))?;
            }
            Ok(())
        })
    }
}
