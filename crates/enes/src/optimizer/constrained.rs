//! Values with violations: feasible before infeasible, infeasible by violation.

use super::{Given, Optimizer, Told};
use crate::error::TellError;
use crate::stopping::StopReason;

impl Optimizer {
    /// The values of the points that `ask` returned, and by how much each violates the constraints: 0 or
    /// less where it is feasible. Completes the generation.
    ///
    /// One rule orders them: a feasible point before an infeasible one, feasible ones by value, infeasible
    /// ones by violation, whatever their value, which may be NaN. A violation that is NaN is a failure and
    /// ranks last. Let the violation be a measure: the sum of the amounts by which limits are exceeded, not
    /// 1 for every infeasible point, or a search that begins among them has nothing to follow.
    ///
    /// ```
    /// use enes::{Optimizer, Settings};
    /// let mut es = Optimizer::new(&Settings::new([3.0, 3.0], 1.0).seed(1))?;
    /// while es.stop_reason().is_none() {
    ///     let points = es.ask();
    ///     let values: Vec<f64> = points.iter().map(|x| x[0] * x[0] + x[1] * x[1]).collect();
    ///     let violations: Vec<f64> = points.iter().map(|x| 1.0 - x[0]).collect(); // x[0] ≥ 1
    ///     es.tell_constrained(&values, &violations)?;
    /// }
    /// let best = es.best().unwrap();
    /// assert!(best.violation == 0.0 && (best.value - 1.0).abs() < 1e-6);
    /// # Ok::<(), Box<dyn std::error::Error>>(())
    /// ```
    ///
    /// # Errors
    /// Nothing was asked, a count differs, or values have noise ([`Settings::noisy`](crate::Settings::noisy));
    /// nothing has changed then.
    pub fn tell_constrained(&mut self, values: &[f64], violations: &[f64]) -> Result<(), TellError> {
        let told = Told::new(values, Given::Violations(violations));
        self.set_costs(told, usize::eq)?;
        self.complete_generation(told);
        Ok(())
    }

    /// As [`Optimizer::tell_and_stop`], with violations.
    ///
    /// # Errors
    /// Nothing was asked, there are more values than points, the counts of values and violations differ, or
    /// values have noise; nothing has changed then.
    pub fn tell_and_stop_constrained(
        &mut self,
        values: &[f64],
        violations: &[f64],
        stop: StopReason,
    ) -> Result<(), TellError> {
        let told = Told::new(values, Given::Violations(violations));
        self.set_costs(told, usize::ge)?;
        self.finish_run(told, stop);
        Ok(())
    }

    /// As [`Optimizer::tell_and_stop_constrained`].
    ///
    /// # Errors
    /// Nothing was asked, there are more values than points, the counts of values and violations differ, or
    /// values have noise; nothing has changed then.
    #[deprecated(since = "0.2.0", note = "use `tell_and_stop_constrained`")]
    pub fn tell_last_constrained(
        &mut self,
        values: &[f64],
        violations: &[f64],
        stop: StopReason,
    ) -> Result<(), TellError> {
        self.tell_and_stop_constrained(values, violations, stop)
    }
}

/// Constraint values one by one.
impl Optimizer {
    /// The values of the points that `ask` returned, and of each point the values of the constraints that the settings
    /// declare: inequalities before equalities, point after point. Completes the generation.
    ///
    /// The search orders points by an augmented Lagrangian, whose multipliers adapt to what the points show
    /// (docs/method/constraints.md). The best point is a feasible one before an infeasible one. A constraint of NaN is
    /// a failed evaluation.
    ///
    /// ```
    /// use enes::{Optimizer, Settings};
    /// let mut es = Optimizer::new(&Settings::new([3.0, 3.0], 1.0).inequalities(1).equalities(1).seed(1))?;
    /// while es.stop_reason().is_none() {
    ///     let points = es.ask();
    ///     let values: Vec<f64> = points.iter().map(|x| x[0] * x[0] + x[1] * x[1]).collect();
    ///     let constraints: Vec<f64> = points.iter().flat_map(|x| [1.0 - x[0], x[0] - x[1]]).collect();
    ///     es.tell_with_constraints(&values, &constraints)?; // x[0] ≥ 1, x[0] = x[1]
    /// }
    /// let best = es.best().unwrap();
    /// assert!(best.feasible && (best.value - 2.0).abs() < 1e-4);
    /// # Ok::<(), Box<dyn std::error::Error>>(())
    /// ```
    ///
    /// # Errors
    /// Nothing was asked, or a count differs; nothing has changed then.
    pub fn tell_with_constraints(&mut self, values: &[f64], constraints: &[f64]) -> Result<(), TellError> {
        let told = Told::new(values, Given::Values(constraints));
        self.set_costs(told, usize::eq)?;
        self.complete_generation(told);
        Ok(())
    }

    /// As [`Optimizer::tell_and_stop`], with constraint values.
    ///
    /// # Errors
    /// Nothing was asked, there are more values than points, or the constraint values are too few or too many; nothing
    /// has changed then.
    pub fn tell_and_stop_with_constraints(
        &mut self,
        values: &[f64],
        constraints: &[f64],
        stop: StopReason,
    ) -> Result<(), TellError> {
        let told = Told::new(values, Given::Values(constraints));
        self.set_costs(told, usize::ge)?;
        self.finish_run(told, stop);
        Ok(())
    }
}
