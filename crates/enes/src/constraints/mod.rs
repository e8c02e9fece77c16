//! Constraints: what is known of them, how a point stands to them, and the augmented Lagrangian that orders points.
//!
//! A row of constraint values has one number for each: those that the user tells, inequalities g ≤ 0 before equalities
//! h = 0; then linear ones, which are computed here; last the total violation, where one is told instead.

mod lagrangian;
mod linear;

pub(crate) use lagrangian::Lagrangian;
pub use linear::LinearConstraint;
pub(crate) use linear::LinearRow;

use crate::math::cost;

/// By how much a constraint may be violated where the user does not say.
pub(crate) const DEFAULT_TOLERANCE: f64 = 1e-6;

/// What a constraint asks for.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize))]
pub enum ConstraintKind {
    /// Its value is 0 or less.
    Inequality,
    /// Its value is 0.
    Equality,
}

impl ConstraintKind {
    /// By how much a value violates the constraint; NaN where it is NaN.
    fn violation(self, value: f64) -> f64 {
        match self {
            _ if value.is_nan() => value,
            Self::Inequality => value.max(0.0),
            Self::Equality => value.abs(),
        }
    }

    /// The least multiplier that makes sense.
    fn least_multiplier(self) -> f64 {
        match self {
            Self::Inequality => 0.0,
            Self::Equality => f64::NEG_INFINITY,
        }
    }
}

/// All constraints of a run: kinds and names in the order of a row, linear ones as rows of a matrix.
#[derive(Clone, Debug, PartialEq)]
pub(crate) struct Constraints {
    names: Vec<String>,
    kinds: Vec<ConstraintKind>,
    /// How many of the first are told by the user.
    told: usize,
    linear: Vec<LinearRow>,
    /// `None`: the default.
    tolerance: Option<f64>,
}

impl Constraints {
    /// Inequalities and equalities that will be told, by name, and linear ones.
    pub(crate) fn new(
        inequalities: &[String],
        equalities: &[String],
        linear: &[LinearConstraint],
        tolerance: Option<f64>,
    ) -> Self {
        let (rows, row_names) = linear::rows(linear);
        let told = inequalities.len() + equalities.len();
        let names = inequalities.iter().chain(equalities).cloned().chain(row_names);
        let mut kinds = vec![ConstraintKind::Inequality; inequalities.len()];
        kinds.resize(told, ConstraintKind::Equality);
        kinds.extend(rows.iter().map(LinearRow::kind));
        Self { names: names.collect(), kinds, told, linear: rows, tolerance }
    }

    /// How many values the user tells for a point.
    pub(crate) fn told(&self) -> usize {
        self.told
    }

    /// How many there are, linear ones included; a total violation is not.
    pub(crate) fn len(&self) -> usize {
        self.kinds.len()
    }

    /// The name of a constraint; that of a total violation is `violation`.
    pub(crate) fn name(&self, index: usize) -> &str {
        self.names.get(index).map_or("violation", |name| name)
    }

    /// What a constraint asks for.
    pub(crate) fn kind(&self, index: usize) -> ConstraintKind {
        self.kinds.get(index).copied().unwrap_or(ConstraintKind::Inequality)
    }

    /// The linear constraints, in the user's coordinates. Row i of them is number `told() + i`.
    pub(crate) fn linear(&self) -> &[LinearRow] {
        &self.linear
    }

    /// The row of a point: what was told of it, what is linear, and the total violation where `row` has room for it.
    pub(crate) fn fill(&self, point: &[f64], told: &[f64], violation: f64, row: &mut [f64]) {
        row[..self.told].copy_from_slice(told);
        for (value, linear) in row[self.told..].iter_mut().zip(&self.linear) {
            *value = linear.value(point);
        }
        row[self.len()..].fill(violation);
    }

    /// The tolerance of a constraint: a total violation of 0 is feasible, and no other, unless the user says so.
    pub(crate) fn tolerance(&self, index: usize) -> f64 {
        self.tolerance.unwrap_or(if index < self.len() { DEFAULT_TOLERANCE } else { 0.0 })
    }

    /// The largest violation of a row, and whether one is beyond its tolerance. NaN counts as beyond.
    pub(crate) fn violation(&self, row: &[f64]) -> (f64, bool) {
        let mut largest = (0.0, false);
        for (i, value) in row.iter().enumerate() {
            let violation = self.kind(i).violation(*value);
            if violation.is_nan() {
                return (f64::NAN, true);
            }
            largest = (violation.max(largest.0), largest.1 || violation > self.tolerance(i));
        }
        largest
    }

    /// The cost that orders points for the best: feasible ones by cost, before infeasible ones by violation.
    pub(crate) fn order(&self, cost: f64, row: &[f64]) -> f64 {
        let (violation, beyond) = self.violation(row);
        cost::encode(cost, if beyond { violation } else { 0.0 })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn names(list: &[&str]) -> Vec<String> {
        list.iter().map(ToString::to_string).collect()
    }

    #[test]
    fn a_row_has_what_was_told_then_what_is_linear_then_the_violation() {
        let linear = [
            LinearConstraint::new([[1.0, 2.0]], [-1.0], [4.0]),
            LinearConstraint::equal([[1.0, -1.0]], [0.5]),
        ];
        let all = Constraints::new(&names(&["mass"]), &names(&["balance"]), &linear, None);
        assert_eq!((all.told(), all.len()), (2, 5));
        let mut row = [0.0; 5];
        all.fill(&[3.0, 1.0], &[-7.0, 8.0], 9.0, &mut row);
        assert_eq!(row, [-7.0, 8.0, -6.0, 1.0, 1.5]);
        let mut wider = [0.0; 6];
        all.fill(&[3.0, 1.0], &[-7.0, 8.0], 9.0, &mut wider);
        assert_eq!(wider[5], 9.0);
        let kinds: Vec<_> = (0..6).map(|i| all.kind(i) == ConstraintKind::Equality).collect();
        assert_eq!(kinds, [false, true, false, false, true, false]);
        let named: Vec<_> = (0..6).map(|i| all.name(i)).collect();
        assert_eq!(named, ["mass", "balance", "linear1.lower", "linear1.upper", "linear2", "violation"]);
        assert_eq!(all.linear().len(), 3);
    }

    #[test]
    fn within_the_tolerance_is_feasible_and_a_total_violation_has_none() {
        let all = Constraints::new(&names(&["g"]), &names(&["h"]), &[], None);
        assert_eq!(all.violation(&[-5.0, -9e-7]), (9e-7, false));
        assert_eq!(all.violation(&[-5.0, -2e-6]), (2e-6, true));
        assert_eq!(all.violation(&[3.0, -4.0]), (4.0, true));
        assert!(all.violation(&[f64::NAN, 0.0]).0.is_nan());
        assert_eq!(all.order(1.5, &[1e-6, 0.0]), 1.5);
        assert!(all.order(-9.0, &[1.0, 0.0]) > all.order(9.0, &[0.5, 0.0]));
        assert!(all.order(1.0, &[f64::NAN, 0.0]).is_nan());
        let none = Constraints::new(&[], &[], &[], None);
        assert_eq!((none.violation(&[1e-12]), none.violation(&[-1.0])), ((1e-12, true), (0.0, false)));
        let loose = Constraints::new(&[], &[], &[], Some(0.1));
        assert_eq!(loose.violation(&[0.1]), (0.1, false));
    }
}
