//! The incumbent: the best point so far.

use crate::math::cost;

/// The best point so far and its value.
#[derive(Clone, Copy, Debug, PartialEq)]
#[non_exhaustive]
pub struct Best<'a> {
    /// The point.
    pub point: &'a [f64],
    /// Its value, as the objective returned it.
    pub value: f64,
    /// By how much it violates the constraints: the largest of their violations, 0 where there is none.
    pub violation: f64,
    /// Whether it violates none by more than [`Settings::catol`](crate::Settings::catol).
    pub feasible: bool,
    /// Evaluations made when its generation was complete.
    pub evaluations: u64,
}

/// The best point, which the archive may have dropped long ago.
#[derive(Clone, Debug, Default, PartialEq)]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize))]
pub(crate) struct Incumbent {
    /// In the user's coordinates, as it was handed out; empty before a value was a number.
    point: Vec<f64>,
    cost: f64,
    value: f64,
    violation: f64,
    /// The values of the constraints; empty where there are none.
    constraints: Vec<f64>,
    evaluations: u64,
}

/// A point that may be the best.
#[derive(Clone, Copy, Debug)]
pub(super) struct Candidate<'a> {
    pub(super) point: &'a [f64],
    pub(super) cost: f64,
    pub(super) value: f64,
    pub(super) violation: f64,
    pub(super) constraints: &'a [f64],
}

impl Incumbent {
    /// Take a candidate's place if it is better. NaN is better than nothing only where there is something.
    pub(super) fn consider(&mut self, candidate: Candidate<'_>, evaluations: u64) {
        let Candidate { point, cost, value, violation, constraints } = candidate;
        let first = self.point.is_empty() && !cost.is_nan();
        if first || cost::compare(cost, self.cost).is_lt() {
            self.point.clear();
            self.point.extend_from_slice(point);
            self.constraints.clear();
            self.constraints.extend_from_slice(constraints);
            (self.cost, self.value, self.violation, self.evaluations) = (cost, value, violation, evaluations);
        }
    }

    /// What became the best after so many evaluations did so when its generation was complete, at so many.
    pub(super) fn stamp(&mut self, after: u64, complete: u64) {
        if self.evaluations > after {
            self.evaluations = complete;
        }
    }

    pub(super) fn cost(&self) -> f64 {
        self.cost
    }

    /// The values of its constraints; empty where there are none.
    pub(super) fn constraints(&self) -> &[f64] {
        &self.constraints
    }

    pub(super) fn best(&self) -> Option<Best<'_>> {
        let Self { point, value, violation, evaluations, .. } = self;
        (!point.is_empty()).then_some(Best {
            point,
            value: *value,
            violation: *violation,
            feasible: !cost::is_infeasible(self.cost),
            evaluations: *evaluations,
        })
    }

    #[cfg(feature = "serde")]
    pub(super) fn is_consistent(&self, d: usize, constraints: usize) -> bool {
        (self.point.is_empty() || self.point.len() == d) && self.constraints.len() <= constraints
    }
}
