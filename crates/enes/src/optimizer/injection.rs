//! Injection: points that somebody else evaluated, given to a search at any time.
//!
//! An injected point is no sample of the search distribution and never enters a population as one. It counts
//! for the best and the target. The adaptive strategy learns from it, since its regression presumes no law of
//! its points; both strategies move their mean towards one that is better than all they have found, by a
//! motion between two generations. Importance mixing knows that motion, so that the law of the population
//! stays exact.

use super::answers::Judged;
use super::{Candidate, Optimizer};
use crate::archive::Entry;
use crate::error::SettingsError;

/// A point that cannot be injected; nothing has changed.
#[derive(Clone, Debug, PartialEq, thiserror::Error)]
#[non_exhaustive]
pub enum InjectError {
    /// The point has another number of coordinates than the search.
    #[error("the injected point has {got} coordinates, the search {dimension}: they must match")]
    Length {
        /// Coordinates given.
        got: usize,
        /// Coordinates of the search, fixed ones included.
        dimension: usize,
    },
    /// A coordinate is NaN or infinite.
    #[error("coordinate {index} of the injected point must be finite, got {value}: leave the point out")]
    NotFinite {
        /// Which coordinate.
        index: usize,
        /// What it was.
        value: f64,
    },
    /// A coordinate lies outside its bounds.
    #[error(
        "coordinate {index} of the injected point, {value}, lies outside its bounds [{lower}, {upper}]: move it \
         inside and evaluate it there, or leave the point out"
    )]
    Outside {
        /// Which coordinate.
        index: usize,
        /// What it was.
        value: f64,
        /// Its lower bound.
        lower: f64,
        /// Its upper bound.
        upper: f64,
    },
    /// The settings declare another number of constraints.
    #[error(
        "the injected point has {got} constraint values, the settings declare {expected}: give all of them, \
         inequalities before equalities"
    )]
    Constraints {
        /// Constraint values given.
        got: usize,
        /// Constraints of a point, linear ones aside.
        expected: usize,
    },
    /// A coordinate has no logarithm.
    #[error(
        "coordinate {index} of the injected point must be above 0 on a log scale, got {value}: leave the point out"
    )]
    NotPositive {
        /// Which coordinate.
        index: usize,
        /// What it was.
        value: f64,
    },
}

/// What a run remembers of the points injected into it.
#[derive(Clone, Debug, PartialEq)]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize))]
pub(crate) struct Injected {
    pub(crate) count: u64,
    /// The best point since the last move and its cost, in search coordinates: it waits for the next `ask`
    /// that can compare it with values of the search's own.
    leader: Option<(Vec<f64>, f64)>,
    /// Cost of the point that the search was last moved towards; infinite where there was none.
    followed: f64,
}

impl Default for Injected {
    fn default() -> Self {
        Self { count: 0, leader: None, followed: f64::INFINITY }
    }
}

impl Injected {
    /// A new search has not been moved; what waited goes with the old one.
    pub(crate) fn forget(&mut self) {
        self.leader = None;
        self.followed = f64::INFINITY;
    }

    /// A point moves a search once: another one must be better.
    fn offer(&mut self, point: &[f64], cost: f64) {
        let least = self.leader.as_ref().map_or(self.followed, |leader| leader.1);
        if cost < least {
            self.leader = Some((point.to_vec(), cost));
        }
    }

    #[cfg(feature = "serde")]
    pub(crate) fn is_consistent(&self, d: usize) -> bool {
        crate::math::is_count(self.count) && self.leader.as_ref().is_none_or(|(point, _)| point.len() == d)
    }
}

impl Optimizer {
    /// Give a point that was evaluated elsewhere, with its value, at any time: before the first `ask`, between
    /// `ask` and `tell`, or after a `tell`.
    ///
    /// It counts for the best and the target at once, but neither as an evaluation nor for budgets
    /// ([`Optimizer::injected`] counts them). The adaptive strategy learns from it at the next `tell`. A point
    /// better than all of the present search moves the mean towards it before the next generation is drawn, by
    /// at most √d + 2 deviations, or 1 with the published strategy. The points that `ask` has handed out stay as
    /// they are. A value of NaN is counted and otherwise ignored. With [`Settings::noisy`](crate::Settings::noisy)
    /// the value is one measurement like any other: it does not count for the target.
    ///
    /// # Errors
    /// A point of another length, outside the bounds, or with a coordinate that is not finite.
    ///
    /// ```
    /// use enes::{Optimizer, Settings};
    /// let mut es = Optimizer::new(&Settings::new([1.0, 2.0], 0.5))?;
    /// es.inject(&[0.1, 0.2], 0.05)?;
    /// assert_eq!((es.injected(), es.evaluations()), (1, 0));
    /// assert_eq!(es.best().unwrap().value, 0.05);
    /// # Ok::<(), Box<dyn std::error::Error>>(())
    /// ```
    pub fn inject(&mut self, point: &[f64], value: f64) -> Result<(), InjectError> {
        self.inject_with_constraints(point, value, &[])
    }

    /// The same with the values of the constraints that the settings declare, inequalities before equalities.
    ///
    /// # Errors
    /// As [`Optimizer::inject`], or another number of constraint values.
    pub fn inject_with_constraints(
        &mut self,
        point: &[f64],
        value: f64,
        constraints: &[f64],
    ) -> Result<(), InjectError> {
        let searched = self.injectable(point)?;
        let (expected, got) = (self.params.constraints.told(), constraints.len());
        if got != expected {
            return Err(InjectError::Constraints { got, expected });
        }
        self.injected.count += 1;
        if value.is_nan() {
            return Ok(());
        }
        let (row, Judged { order: cost, merit, violation }) = self.judge(point, value, constraints, None);
        self.injected.offer(&searched, cost);
        let candidate = Candidate { point, cost, value, violation, constraints: &row };
        self.incumbent.consider(candidate, self.counters.evaluations);
        let readers = self.strategy.readers_of_injected(&searched, &self.search, &self.archive);
        let folded = !self.params.space.is_plain();
        let entry = Entry { value, violation, cost: merit, measured: 1, readers };
        self.archive.add_constrained(point, folded.then_some(&searched), entry, &row);
        // Under noise one more measurement, of another point, says nothing of the mean.
        if self.stop.is_none() && !self.noise.is_active() {
            self.stop = self.target_reached();
        }
        Ok(())
    }

    /// Points injected so far.
    pub fn injected(&self) -> u64 {
        self.injected.count
    }

    /// The search coordinates of a point of the user's, or what is wrong with it.
    fn injectable(&self, point: &[f64]) -> Result<Vec<f64>, InjectError> {
        let dimension = self.params.dimension;
        if point.len() != dimension {
            return Err(InjectError::Length { got: point.len(), dimension });
        }
        if let Some((index, &value)) = point.iter().enumerate().find(|(_, v)| !v.is_finite()) {
            return Err(InjectError::NotFinite { index, value });
        }
        self.params.space.start_at(point).map_err(|error| match error {
            SettingsError::StartOutside { index, value, lower, upper } => {
                InjectError::Outside { index, value, lower, upper }
            }
            SettingsError::StartNotPositive { index, value } => InjectError::NotPositive { index, value },
            other => unreachable!("invariant: a point is refused for its place only, not because {other}"),
        })
    }

    /// Move the mean towards an injected point that is better than all of the present search. Where the search
    /// has no value yet the point waits.
    pub(super) fn follow_injected(&mut self) {
        let own = self.searches.best_cost();
        if own.is_nan() {
            return;
        }
        if let Some((point, cost)) = self.injected.leader.take().filter(|(_, cost)| *cost < own) {
            self.strategy.move_towards(&point, &mut self.search);
            self.injected.followed = cost;
            self.flight.version += 1;
            self.noise.forget_the_mean();
            self.view.show_mean(&self.params.space, &self.search);
        }
    }
}
