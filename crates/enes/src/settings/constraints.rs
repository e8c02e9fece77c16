//! What the user says about constraints: which ones will be told, and which are linear.

use super::Settings;
use crate::constraints::{Constraints, DEFAULT_TOLERANCE, LinearConstraint};
use crate::error::SettingsError;

/// How many constraints, or their names.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct ConstraintNames(Names);

#[derive(Clone, Debug, PartialEq, Eq)]
enum Names {
    Count(usize),
    Each(Vec<String>),
}

impl ConstraintNames {
    /// The names; where there is only their number, a letter that counts.
    fn named(self, letter: &str) -> Vec<String> {
        match self.0 {
            Names::Count(count) => (1..=count).map(|i| format!("{letter}{i}")).collect(),
            Names::Each(names) => names,
        }
    }
}

impl From<usize> for ConstraintNames {
    fn from(count: usize) -> Self {
        Self(Names::Count(count))
    }
}

impl From<Vec<String>> for ConstraintNames {
    fn from(names: Vec<String>) -> Self {
        Self(Names::Each(names))
    }
}

impl<const N: usize> From<[&str; N]> for ConstraintNames {
    fn from(names: [&str; N]) -> Self {
        Self(Names::Each(names.map(String::from).to_vec()))
    }
}

/// The constraints of a run, as the user declared them.
#[derive(Clone, Debug, Default, PartialEq)]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize))]
pub(crate) struct Declared {
    inequalities: Vec<String>,
    equalities: Vec<String>,
    linear: Vec<LinearConstraint>,
    pub(super) tolerance: Option<f64>,
}

impl Settings {
    /// Inequalities g(x) ≤ 0 that each evaluation tells one by one, beside its value: how many, or their names. They
    /// come before equalities. Default: none.
    ///
    /// ```
    /// use enes::Settings;
    /// let settings = Settings::new([3.0, 3.0], 1.0).inequalities(["wall"]).seed(1);
    /// let outcome = enes::minimize_with_constraints(&settings, |x, constraints| {
    ///     constraints[0] = 1.0 - x[0]; // x[0] ≥ 1
    ///     x[0] * x[0] + x[1] * x[1]
    /// })?;
    /// assert!((outcome.value - 1.0).abs() < 1e-5 && outcome.violation <= 1e-6);
    /// # Ok::<(), enes::SettingsError>(())
    /// ```
    pub fn inequalities(mut self, names: impl Into<ConstraintNames>) -> Self {
        self.declared.inequalities = names.into().named("g");
        self
    }

    /// Equalities h(x) = 0 that each evaluation tells one by one, after the inequalities. Default: none.
    pub fn equalities(mut self, names: impl Into<ConstraintNames>) -> Self {
        self.declared.equalities = names.into().named("h");
        self
    }

    /// Linear constraints beside those there are. They are computed, never told. Default: none.
    pub fn linear(mut self, constraint: LinearConstraint) -> Self {
        self.declared.linear.push(constraint);
        self
    }

    /// By how much each constraint may be violated by a point that counts as feasible, in the units of the constraint.
    /// Default: 1e-6; where a total violation is told, 0.
    pub fn catol(mut self, tolerance: impl Into<Option<f64>>) -> Self {
        self.declared.tolerance = tolerance.into();
        self
    }

    /// Whether constraints are declared, linear ones included.
    pub(crate) fn is_constrained(&self) -> bool {
        let Declared { inequalities, equalities, linear, .. } = &self.declared;
        !(inequalities.is_empty() && equalities.is_empty() && linear.is_empty())
    }

    /// How many constraint values each evaluation must tell.
    pub fn constraint_count(&self) -> usize {
        self.declared.inequalities.len() + self.declared.equalities.len()
    }

    /// How many inequalities and how many equalities each evaluation must tell.
    pub fn declared_constraints(&self) -> (usize, usize) {
        (self.declared.inequalities.len(), self.declared.equalities.len())
    }

    /// The names of the constraints that each evaluation must tell, inequalities before equalities.
    pub fn constraint_names(&self) -> impl Iterator<Item = &str> {
        self.declared.inequalities.iter().chain(&self.declared.equalities).map(String::as_str)
    }

    /// By how much a constraint that is told may be violated by a point that counts as feasible.
    pub fn constraint_tolerance(&self) -> f64 {
        self.declared.tolerance.unwrap_or(DEFAULT_TOLERANCE)
    }

    /// The same for a total violation.
    pub fn violation_tolerance(&self) -> f64 {
        self.declared.tolerance.unwrap_or(0.0)
    }

    /// By how much a point with these values of the constraints that are told violates the constraints, linear ones
    /// included: the largest violation, and whether all are within the tolerance. NaN and no where values are missing.
    ///
    /// ```
    /// let settings = enes::Settings::new([1.0], 1.0).inequalities(1).equalities(1);
    /// assert_eq!(settings.violation_at(&[1.0], &[-3.0, 0.5]), (0.5, false));
    /// ```
    pub fn violation_at(&self, point: &[f64], constraints: &[f64]) -> (f64, bool) {
        let Ok(all) = self.constraints() else { return (f64::NAN, false) };
        if constraints.len() != all.told() || point.len() != self.dimension() {
            return (f64::NAN, false);
        }
        let mut row = vec![0.0; all.len()];
        all.fill(point, constraints, 0.0, &mut row);
        let (largest, beyond) = all.violation(&row);
        (largest, !beyond)
    }

    /// All of them, checked.
    pub(super) fn constraints(&self) -> Result<Constraints, SettingsError> {
        let Declared { inequalities, equalities, linear, tolerance } = &self.declared;
        for (place, constraint) in linear.iter().enumerate() {
            constraint.check(place, self.dimension())?;
        }
        let mut names: Vec<&String> = inequalities.iter().chain(equalities).collect();
        names.sort();
        if let Some(two) = names.windows(2).find(|two| two[0] == two[1]) {
            return Err(SettingsError::ConstraintName { name: two[0].clone() });
        }
        Ok(Constraints::new(inequalities, equalities, linear, *tolerance))
    }
}
