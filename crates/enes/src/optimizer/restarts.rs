//! Searches that follow each other.

use super::Optimizer;
use crate::restarts::{NewSearch, Restart};
use crate::search::Search;
use crate::stopping::{StopReason, Stopping};
use crate::strategy::Engine;

impl Optimizer {
    /// The searches that ended and were followed by another, in order; each with its reason.
    pub fn restarts(&self) -> &[Restart] {
        &self.searches.ended
    }

    /// Mean and standard deviations of the search that found the best point: of the present one, or as
    /// they were when an earlier one ended.
    pub fn best_search(&self) -> (Vec<f64>, Vec<f64>) {
        let present = || (self.mean().to_vec(), self.standard_deviations());
        self.earlier_best_search().map_or_else(present, |(mean, stds)| (mean.clone(), stds.clone()))
    }

    /// As [`Optimizer::best_search`].
    #[deprecated(since = "0.2.0", note = "use `best_search`")]
    pub fn favourite(&self) -> (Vec<f64>, Vec<f64>) {
        self.best_search()
    }

    /// The same, where the search that found the best point has ended.
    pub(super) fn earlier_best_search(&self) -> Option<&(Vec<f64>, Vec<f64>)> {
        self.searches.best_search.as_ref().filter(|_| !self.holds_the_best())
    }

    /// Begin another search where the settings want one after this reason, which comes back where not.
    pub(super) fn start_again(&mut self, reason: StopReason) -> Result<(), StopReason> {
        if !self.searches.may_follow(&self.params, &reason) {
            return Err(reason);
        }
        if self.holds_the_best() {
            self.searches.best_search = Some((self.mean().to_vec(), self.standard_deviations()));
        }
        let spent = (self.counters.evaluations, self.counters.generation);
        let starts = &self.settings.starts;
        let NewSearch { distribution, population } =
            self.searches.next(&self.params, starts, reason, spent, &mut self.generator)?;
        let distribution = self.params.space.with_margin(distribution, population);
        self.stopping = Stopping::new(&distribution);
        self.search = Search::new(distribution, population);
        self.strategy = Engine::start(&self.params.strategy, population, &mut self.search);
        self.begin_search();
        self.injected.forget();
        self.prepare();
        #[cfg(feature = "tracing")]
        self.trace_restart();
        Ok(())
    }

    /// Whether the present search has found the best point of the run.
    fn holds_the_best(&self) -> bool {
        self.searches.best_cost() <= self.incumbent.cost()
    }
}
