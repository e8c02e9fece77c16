//! What can be read of a run at any time.

use super::{Best, Optimizer};
use crate::search::SearchDistribution;
use crate::settings::{Settings, WarmStart};
use crate::stopping::StopReason;
use crate::strategy::adaptive::ModelStatus;

impl Optimizer {
    /// Why to stop, as of the last `tell`; `None` while the run should go on.
    pub fn stop_reason(&self) -> Option<&StopReason> {
        self.stop.as_ref()
    }

    /// The best point so far, a feasible one before an infeasible one; `None` until a value was a number.
    pub fn best(&self) -> Option<Best<'_>> {
        self.incumbent.best()
    }

    /// Generations completed.
    pub fn generation(&self) -> u64 {
        self.counters.generation
    }

    /// Values told so far.
    pub fn evaluations(&self) -> u64 {
        self.counters.evaluations + self.flight.arrived.len() as u64
    }

    /// Values told, and points in flight.
    pub(super) fn asked_for(&self) -> u64 {
        self.evaluations() + self.flight.flying.len() as u64
    }

    /// The population size n.
    pub fn population_size(&self) -> usize {
        self.searches.population
    }

    /// How far the adaptive strategy trusts its regression of ranks, from 0 to 1; `None` for a
    /// strategy without one.
    pub fn trust(&self) -> Option<f64> {
        self.strategy.status(&self.archive).trust
    }

    /// Mode, response and error of the surrogate in the latest generation; `None` where the strategy has
    /// none, or none could be fitted.
    pub fn model(&self) -> Option<ModelStatus> {
        self.strategy.status(&self.archive).model
    }

    /// Whether this run may have a surrogate: [`Optimizer::model`] is `None` in all generations where not.
    pub fn uses_surrogate(&self) -> bool {
        self.settings.has_surrogate()
    }

    /// As [`Optimizer::uses_surrogate`].
    #[deprecated(since = "0.2.0", note = "use `uses_surrogate`")]
    pub fn models_values(&self) -> bool {
        self.uses_surrogate()
    }

    /// The number of evaluated points from which the regression of the adaptive strategy learns; `None` for a
    /// strategy without one.
    pub fn archive_len(&self) -> Option<usize> {
        self.strategy.status(&self.archive).window
    }

    /// Share of the population reused instead of evaluated, over the run, first generation aside.
    pub fn reused_share(&self) -> f64 {
        self.counters.reused_share()
    }

    /// Share of the population that was reused in the last complete generation.
    pub fn last_reused_share(&self) -> f64 {
        self.counters.last_reused_share(self.search.population.len())
    }

    /// The search distribution, in search coordinates: without fixed coordinates, ln x for one on a log
    /// scale, and beyond its bounds where a bounded one is folded back. Without bounds and log scales these
    /// are the user's.
    pub fn distribution(&self) -> &SearchDistribution {
        &self.search.distribution
    }

    /// The mean of the search distribution, taken to the user's coordinates: within the bounds.
    pub fn mean(&self) -> &[f64] {
        self.view.mean(&self.search)
    }

    /// The standard deviation of each coordinate: 0 for a fixed one, that of ln x on a log scale. Bounds
    /// leave it as it is: near one it is that of the point before it is folded back. O(d²).
    pub fn standard_deviations(&self) -> Vec<f64> {
        self.params.space.spread(&self.distribution().standard_deviations())
    }

    /// The covariance by rows, in the coordinates of [`Optimizer::distribution`]; empty where it has limited memory, in more
    /// than 1000 dimensions. O(d³).
    pub fn covariance(&self) -> Vec<f64> {
        self.distribution().covariance()
    }

    /// The lengths of the principal axes, longest first, in the coordinates of
    /// [`Optimizer::distribution`]; empty where the covariance has limited memory. O(d³).
    pub fn axis_lengths(&self) -> Vec<f64> {
        self.distribution().axis_lengths()
    }

    /// The settings of this run.
    pub fn settings(&self) -> &Settings {
        &self.settings
    }
}

impl WarmStart {
    /// The distribution of the search that found the best point of a run: its mean and full covariance, or its
    /// deviations alone where that search has ended and another followed it, and in more than 1000 dimensions.
    pub fn from_run(run: &Optimizer) -> Self {
        if run.distribution().is_limited() {
            let (mean, stds) = run.best_search();
            let free: Vec<f64> = stds.into_iter().filter(|s| *s > 0.0).collect();
            return Self::from_deviations(mean, free);
        }
        let rows = |c: Vec<f64>, d: usize| c.chunks_exact(d).map(<[f64]>::to_vec).collect();
        let covariance = match run.earlier_best_search() {
            None => rows(run.covariance(), run.distribution().dimension()),
            Some((_, stds)) => {
                let free: Vec<f64> = stds.iter().filter(|s| **s > 0.0).map(|s| s * s).collect();
                let d = free.len();
                let row = |i: usize| (0..d).map(|j| if i == j { free[i] } else { 0.0 }).collect();
                (0..d).map(row).collect()
            }
        };
        Self::from_distribution(run.best_search().0, covariance)
    }
}
