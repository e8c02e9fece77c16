//! Target, budgets and tolerances.

use std::time::Duration;

use super::Settings;

impl Settings {
    /// Stop once a value at least this good has been found. Default: no target.
    pub fn target(mut self, value: impl Into<Option<f64>>) -> Self {
        self.rules.target = value.into();
        self
    }

    /// Evaluate the objective at most this often. Default: no limit.
    pub fn max_evaluations(mut self, limit: impl Into<Option<u64>>) -> Self {
        self.rules.max_evaluations = limit.into();
        self
    }

    /// Stop after this many generations. Default: no limit.
    pub fn max_generations(mut self, limit: impl Into<Option<u64>>) -> Self {
        self.rules.max_generations = limit.into();
        self
    }

    /// Stop after the generation in which this much wall time has passed; only the loops
    /// (`minimize` and its kin) have a clock. Default: no limit.
    pub fn max_time(mut self, limit: impl Into<Option<Duration>>) -> Self {
        self.rules.max_seconds = limit.into().map(|t| t.as_secs_f64());
        self
    }

    /// Stop when every standard deviation is below this (on a log scale that of ln x). Default 1e-11, or a millionth of
    /// the largest initial one if that is less.
    pub fn tolx(mut self, tolerance: impl Into<Option<f64>>) -> Self {
        self.rules.tolx = tolerance.into();
        self
    }

    /// Stop when population and recent best values differ by less than this. Default 1e-11.
    pub fn tolfun(mut self, tolerance: impl Into<Option<f64>>) -> Self {
        self.rules.tolfun = tolerance.into();
        self
    }

    /// Stop when the recent best values differ by less than this. Default 1e-12.
    pub fn tolfunhist(mut self, tolerance: impl Into<Option<f64>>) -> Self {
        self.rules.tolfunhist = tolerance.into();
        self
    }

    /// Stop when best and median have not improved over this many times n evaluations.
    /// Default 100 + 100 d^1.5/n.
    pub fn tolstagnation(mut self, times: impl Into<Option<u64>>) -> Self {
        self.rules.tolstagnation = times.into().map(Some);
        self
    }

    /// Stop when the condition number of the covariance, in units of the initial deviations,
    /// exceeds this. Default 1e14.
    pub fn tolconditioncov(mut self, limit: impl Into<Option<f64>>) -> Self {
        self.rules.tolconditioncov = limit.into();
        self
    }

    /// Stop when a standard deviation exceeds its initial value by this factor. Default 1e5; 1000 for
    /// the published strategy.
    pub fn tolfacupx(mut self, factor: impl Into<Option<f64>>) -> Self {
        self.rules.tolfacupx = factor.into().map(Some);
        self
    }

    /// Stop when populations whose values were all equal make up this many times n evaluations since the best value fell.
    /// Default 10, since the adaptive strategy looks farther after each of them; 1 for the published strategy.
    pub fn tolflatfitness(mut self, times: impl Into<Option<u64>>) -> Self {
        self.rules.tolflatfitness = times.into().map(Some);
        self
    }

    /// Whether to stop when a step no longer changes the mean in floating-point numbers. Default on.
    pub fn noeffect(mut self, on: bool) -> Self {
        self.rules.noeffect = on;
        self
    }

    /// With restarts, and without a target: end the run when this many searches in a row have ended in the same
    /// optimum, the best one. Default 5. One fewer, at least two, are enough if no search has ended elsewhere, and if
    /// another one like those after the first would take the run beyond three times the evaluations of the first.
    pub fn same_optimum(mut self, searches: impl Into<Option<u64>>) -> Self {
        self.rules.same_optimum = searches.into();
        self
    }

    /// With restarts, and without a target: end the run when no more than this many optima are expected that were not
    /// seen and are better than all that were, w/(n − w − 2) after n searches that ended in w optima (Boender and
    /// Rinnooy Kan's estimate of those not seen, over w + 1). Default 0.5.
    pub fn unseen_optima(mut self, expected: impl Into<Option<f64>>) -> Self {
        self.rules.unseen_optima = expected.into();
        self
    }
}
