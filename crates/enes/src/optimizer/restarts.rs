//! Searches that follow each other.

use super::Optimizer;
use crate::restarts::{NewSearch, Next, Optimum, Restart};
use crate::search::{Search, SearchDistribution};
use crate::stopping::{StopReason, Stopping};
use crate::strategy::Engine;
use crate::strategy::adaptive::Mode;

/// The shape of a distribution is that of the objective's contours where the surrogate leads with no more error.
const CERTAIN: f64 = 0.2;

/// Where the model of a search promises nothing, its minimum is so near to the best point, as a part of the deviations.
const MODELLED: f64 = 0.01;

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

    /// The optima in which searches have converged, the best first, each with how often it was found; empty under
    /// noise.
    pub fn optima(&self) -> Vec<Optimum> {
        self.searches.optima()
    }

    /// Whether the run has what it was asked for: the target; or, where none was given, a feasible best point that comes
    /// from a search that converged, whatever ended the run.
    pub fn is_successful(&self) -> bool {
        let tolerance = self.params.rules.tolfun.unwrap_or(0.0);
        let Some(best) = self.best().filter(|best| best.feasible) else { return false };
        match (self.params.rules.target, self.params.noisy) {
            (Some(_), _) => self.target_reached().is_some(),
            (None, _) if !best.value.is_finite() => false,
            (None, true) => self.stop.as_ref().is_some_and(StopReason::is_convergence),
            // What is better by less than a difference that does not count is not better.
            (None, false) => self.searches.least_cost() <= self.params.sign * best.value + tolerance,
        }
    }

    /// A search that can only end where, or worse than, an earlier one makes room for another.
    pub(super) fn reason_to_give_up(&mut self) -> Option<StopReason> {
        let status = self.strategy.status(&self.archive);
        let error = status.model.filter(|m| m.mode == Mode::Surrogate).map(|m| m.error);
        if error.is_none() {
            self.searches.count_without_model(self.search.population.fresh());
        }
        self.searches.note_scale(&self.params, &self.search);
        let (distribution, archive) = (&self.search.distribution, &self.archive);
        if error.is_some_and(|error| error < CERTAIN) {
            self.searches.learn(&self.params, distribution, archive);
        }
        let known = self.searches.known_optimum(&self.params, distribution, archive, error);
        let (signal, promised) = (status.without_signal, self.strategy.little_promised());
        known.or_else(|| self.searches.reason_to_give_up(&self.params, &self.stopping, signal, promised))
    }

    /// Begin another search where the settings want one after this reason, and it is worth its evaluations; else why
    /// not.
    pub(super) fn start_again(&mut self, reason: StopReason) -> Result<(), StopReason> {
        let evaluations = self.counters.evaluations;
        // A last generation of neighbours says less of where it ended than its best point.
        let by_merit = self.archive.lagrangian().width() > 0 || std::mem::take(&mut self.tried);
        if !by_merit {
            self.searches.learn_exactly(&self.params, self.strategy.known_quadratics());
        }
        let known_to = self.accuracy(&reason);
        self.searches.count_end(&self.params, &reason, (&self.search, known_to), evaluations, by_merit);
        if !self.searches.may_follow(&self.params, &reason) {
            return Err(reason);
        }
        if let Some(enough) = self.searches.verdict(&self.params, evaluations) {
            return Err(enough);
        }
        let found_best = self.holds_the_best();
        if found_best {
            self.searches.best_search = Some((self.mean().to_vec(), self.standard_deviations()));
        }
        let spent = (self.counters.evaluations, self.counters.generation);
        let starts = &self.settings.starts;
        let NewSearch { distribution, population } =
            self.searches.next(&self.params, starts, reason, spent, &mut self.generator)?;
        self.archive.lagrangian_mut().begin_search(found_best);
        self.begin_at(distribution, population);
        #[cfg(feature = "tracing")]
        self.trace_restart();
        Ok(())
    }

    /// How far from the optimum the search may have ended, in deviations, where a certain model has nothing to promise: its
    /// minimum is known to a small part of one.
    fn accuracy(&self, reason: &StopReason) -> Option<f64> {
        let modelled =
            matches!(reason, StopReason::TolFun { .. }) && self.strategy.nothing_promised().is_some();
        modelled.then_some(MODELLED)
    }

    /// A search begins with this distribution.
    fn begin_at(&mut self, distribution: SearchDistribution, population: usize) {
        let distribution = self.params.space.with_margin(distribution, population);
        self.stopping = Stopping::new(&distribution);
        self.search = Search::new(distribution, population);
        self.strategy = Engine::start(&self.params.strategy, population, &mut self.search);
        self.begin_search();
        self.injected.forget();
        self.prepare();
    }

    /// A generation of points on lines.
    pub(super) fn draw_on_lines(&mut self, rows: &[Vec<f64>]) {
        let Search { distribution, population, .. } = &mut self.search;
        population.begin(rows.len());
        for (row, point) in rows.iter().enumerate() {
            let (whitened, searched) = population.row_mut(row);
            searched.copy_from_slice(point);
            distribution.whiten_into(point, whitened);
        }
        self.view.show_points(&self.params.space, population);
    }

    /// Go on looking at lines, begin where they lead to, or say why not.
    pub(super) fn go_on_from_lines(&mut self, next: Next) -> Option<StopReason> {
        let limit = self.target_reached().or_else(|| self.budget_spent());
        if limit.is_some() {
            return limit;
        }
        match next {
            Next::Look => None,
            Next::Nothing(reason) => Some(reason),
            Next::Begin(distribution) => {
                self.begin_at(distribution, self.searches.population);
                None
            }
        }
    }

    /// Whether the present search has found the best point of the run: one that comes to what an earlier one has found, by an
    /// exact model for instance, has not.
    pub(super) fn holds_the_best(&self) -> bool {
        self.searches.best_cost() <= self.incumbent.cost() && self.searches.is_ahead()
    }
}
