//! What a run knows of each constraint: its value at the best point, its multiplier, whether it is active.

use super::Optimizer;
use crate::constraints::ConstraintKind;

/// One constraint at the best point.
#[derive(Clone, Debug, PartialEq)]
#[non_exhaustive]
pub struct ConstraintStatus {
    /// As it was declared, `g1`, `h1`, … where it was not; `linear1`, … for linear ones; `violation` for a total violation.
    pub name: String,
    /// What it asks for.
    pub kind: ConstraintKind,
    /// Its value at the best point.
    pub value: f64,
    /// Its multiplier, as the search that found the best point has estimated it: by about how much the best value would
    /// improve if the constraint were relaxed by one, where that is little. 0 for an inequality that does not matter.
    pub multiplier: f64,
    /// Whether it holds the best point where it is: an equality, or an inequality that is 0 there, within the tolerance
    /// or nearly so with a multiplier above 0.
    pub active: bool,
}

impl Optimizer {
    /// Every constraint at the best point, linear ones included: those told, inequalities before equalities, then the
    /// linear ones. Empty without constraints and before a value was a number.
    ///
    /// ```
    /// use enes::{LinearConstraint, Optimizer, Settings};
    /// let settings = Settings::new([2.0, 2.0], 1.0).linear(LinearConstraint::at_least([[1.0, 1.0]], [1.0])).seed(1);
    /// let mut es = Optimizer::new(&settings)?;
    /// while es.stop_reason().is_none() {
    ///     let values: Vec<f64> = es.ask().iter().map(|x| x[0] * x[0] + x[1] * x[1]).collect();
    ///     es.tell(&values)?;
    /// }
    /// let [sum] = &es.constraints()[..] else { panic!() };
    /// assert!(sum.active && (sum.multiplier - 1.0).abs() < 0.1);
    /// # Ok::<(), Box<dyn std::error::Error>>(())
    /// ```
    pub fn constraints(&self) -> Vec<ConstraintStatus> {
        let (constraints, lagrangian) = (&self.params.constraints, self.archive.lagrangian());
        let multipliers = lagrangian.best_multipliers();
        let values = self.incumbent.constraints().iter().enumerate();
        let status = |(i, &value): (usize, &f64)| {
            let multiplier = multipliers.get(i).copied().unwrap_or(0.0);
            let near = value >= -constraints.tolerance(i);
            let held = multiplier > 0.0 && lagrangian.counts(constraints, i, value);
            let kind = constraints.kind(i);
            let active = kind == ConstraintKind::Equality || near || held;
            ConstraintStatus { name: constraints.name(i).to_string(), kind, value, multiplier, active }
        };
        values.map(status).collect()
    }
}
