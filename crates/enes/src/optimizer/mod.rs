//! The ask/tell protocol: the one owner of a run's state, and the order in which its parts work.

mod answers;
mod arrivals;
mod asynchronous;
#[cfg(feature = "serde")]
mod checkpoint;
mod constrained;
mod counters;
mod ending;
#[cfg(feature = "tracing")]
mod events;
mod flight;
mod incumbent;
mod injection;
mod limits;
mod multipliers;
mod neighbours;
mod noise;
mod restarts;
mod status;
mod view;

pub use asynchronous::Proposal;
#[cfg(feature = "serde")]
pub use checkpoint::CheckpointError;
pub use incumbent::Best;
pub use injection::InjectError;
pub use multipliers::ConstraintStatus;

use crate::archive::{Archive, Entry, Readers};
use crate::error::{SettingsError, TellError};
use crate::noise::Noise;
use crate::random::Generator;
use crate::restarts::Searches;
use crate::search::{Degenerate, Points, Search};
use crate::settings::{Params, Settings, Starts, Table};
use crate::stopping::{StopReason, Stopping};
use crate::strategy::Engine;
use answers::{Given, Told, fresh};
use counters::Counters;
use flight::Flight;
use incumbent::{Candidate, Incumbent};
use injection::Injected;
use neighbours::{Aside, Trial};
use view::View;

/// An optimizer that asks for values instead of calling a function: evaluate its points any way
/// you like.
///
/// ```
/// use enes::{Optimizer, Settings};
/// let mut es = Optimizer::new(&Settings::new([1.0, 2.0], 0.5).seed(1).target(1e-9))?;
/// while es.stop_reason().is_none() {
///     let values: Vec<f64> = es.ask().iter().map(|x| x[0].powi(2) + x[1].powi(2)).collect();
///     es.tell(&values)?;
/// }
/// assert!(es.best().unwrap().value <= 1e-9);
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
#[derive(Clone, Debug)]
pub struct Optimizer {
    settings: Settings,
    params: Params,
    pub(crate) generator: Generator,
    pub(crate) search: Search,
    archive: Archive,
    strategy: Engine,
    stopping: Stopping,
    searches: Searches,
    noise: Noise,
    counters: Counters,
    incumbent: Incumbent,
    injected: Injected,
    /// What was asked one at a time.
    flight: Flight,
    /// Where a search would end, and neighbours of its best point are tried first; whether they have been.
    trial: Option<Trial>,
    tried: bool,
    aside: Aside,
    /// Whether points have been handed out that await their values.
    asked: bool,
    stop: Option<StopReason>,
    view: View,
}

impl Optimizer {
    /// An optimizer with these settings.
    ///
    /// # Errors
    /// The first setting that cannot be used, with its value and the remedy.
    pub fn new(settings: &Settings) -> Result<Self, SettingsError> {
        let params = Params::new(settings)?;
        let first = params.first_search(settings)?;
        let n = params.population;
        let mut search = Search::new(params.space.with_margin(first.distribution, n), n);
        let mut es = Self {
            generator: Generator::new(settings.seed),
            strategy: Engine::start(&params.strategy, n, &mut search),
            archive: Archive::new(params.dimension, params.search_dimension),
            stopping: Stopping::new(&params.space.with_margin(params.start.clone(), n)),
            searches: Searches::new(n),
            noise: Noise::new(settings.noisy),
            counters: Counters::default(),
            incumbent: Incumbent::default(),
            injected: Injected::default(),
            flight: Flight::default(),
            trial: None,
            tried: false,
            aside: Aside::default(),
            asked: false,
            stop: None,
            view: View::new(&params.space, &search),
            settings: settings.clone(),
            params,
            search,
        };
        es.expect_constraints(false);
        es.begin_search();
        es.begin_with(&first.table);
        es.prepare();
        Ok(es)
    }

    /// What is no part of a checkpoint: room for what will come, and what the user sees.
    fn prepare(&mut self) {
        let (n, params) = (self.searches.population, &self.params);
        self.search.prepare();
        self.search.population.constrain(self.archive.lagrangian().width());
        self.archive.reserve(self.search.population.room().max(n), !params.space.is_plain());
        self.stopping.adapt(params.noisy, params.space.integers(), params.avoids_known());
        self.stopping.reserve(n, params.search_dimension, &params.rules);
        if params.space.count_integers() > 0 {
            self.aside.reserve(self.search.population.room().max(n), params.dimension);
        }
        self.view = View::new(&params.space, &self.search);
        self.prepare_noise();
    }

    /// The archive's windows are those of a search with the present population.
    fn begin_search(&mut self) {
        let (d, n) = (self.params.search_dimension, self.searches.population);
        let (ranks, surrogate) = self.params.strategy.windows(d, n);
        self.archive.begin_search(ranks, surrogate);
        self.archive.reserve(self.search.population.len(), !self.params.space.is_plain());
    }

    /// Points that were evaluated before take part in the first generation.
    fn begin_with(&mut self, table: &Table) {
        let Self { params, strategy, search, archive, generator, .. } = self;
        let (users, d) = (params.dimension, params.search_dimension);
        let rows = strategy.begin_with(&table.searched, &table.costs, search, archive, generator);
        for (row, readers) in rows {
            let (value, cost) = (table.values[row], table.costs[row]);
            let entry = Entry { value, violation: 0.0, cost, measured: 1, readers };
            let point = &table.points[row * users..(row + 1) * users];
            let searched = &table.searched[row * d..(row + 1) * d];
            archive.add(point, (!params.space.is_plain()).then_some(searched), entry);
        }
    }

    /// The points to evaluate now, as rows: the fresh ones of this generation, 0 to n of them.
    ///
    /// Calling it again before `tell` returns the same points. An empty answer is legal: all
    /// points of the generation were reused; `tell` it no values.
    pub fn ask(&mut self) -> Points<'_> {
        if !self.asked {
            self.strategy.set_in_flight(self.flight.flying.len());
            self.draw_generation();
            self.flight.end_generation();
            self.asked = true;
        }
        match self.noise.is_active() {
            true => self.noise.points(self.params.dimension),
            false => self.view.points(&self.params.space, &self.search.population),
        }
    }

    /// The points of the next generation, or copies of the mean where a noisy run ends.
    fn draw_generation(&mut self) {
        if let Some(rows) = self.searches.points_on_lines(&self.params) {
            self.draw_on_lines(&rows);
        } else if !self.noise.is_ending() {
            self.follow_injected();
            let Self { params: Params { space, .. }, search, generator, .. } = self;
            self.strategy.propose(search, generator);
            space.resample(search, generator);
            self.avoid_known();
            self.place_neighbours();
            self.view.show_points(&self.params.space, &self.search.population);
        }
        self.choose_measurements();
    }

    /// The values of the points that `ask` returned, in their order: any number, infinities and
    /// NaN included. Completes the generation. Finite values that are worse than 2^1007 (1.4e303) rank alike.
    ///
    /// # Errors
    /// Nothing was asked, or the count differs; nothing has changed then.
    pub fn tell(&mut self, values: &[f64]) -> Result<(), TellError> {
        if self.noise.is_ending() {
            return self.end_with_mean(values, usize::eq, None);
        }
        let told = Told::new(values, Given::Nothing);
        self.set_costs(told, usize::eq)?;
        self.complete_generation(told);
        Ok(())
    }

    /// Values of the first points only, because the run ends within this generation: they count
    /// towards the best and the evaluations, not towards a generation, and `stop` becomes the reason
    /// to stop unless they reach the target.
    ///
    /// # Errors
    /// Nothing was asked, or there are more values than points; nothing has changed then.
    pub fn tell_and_stop(&mut self, values: &[f64], stop: StopReason) -> Result<(), TellError> {
        if self.noise.is_ending() {
            return self.end_with_mean(values, usize::ge, Some(stop));
        }
        let told = Told::new(values, Given::Nothing);
        self.set_costs(told, usize::ge)?;
        self.finish_run(told, stop);
        Ok(())
    }

    /// As [`Optimizer::tell_and_stop`].
    ///
    /// # Errors
    /// Nothing was asked, or there are more values than points; nothing has changed then.
    #[deprecated(since = "0.2.0", note = "use `tell_and_stop`")]
    pub fn tell_last(&mut self, values: &[f64], stop: StopReason) -> Result<(), TellError> {
        self.tell_and_stop(values, stop)
    }

    /// Values become costs of the fresh rows, whose number must be related to theirs like this.
    fn set_costs(&mut self, told: Told<'_>, fits: fn(&usize, &usize) -> bool) -> Result<(), TellError> {
        if !self.asked {
            return Err(TellError::NothingAsked);
        }
        let values = told.values;
        let (expected, got) = (self.search.population.fresh() + self.noise.repetitions(), values.len());
        if !fits(&expected, &got) {
            return Err(TellError::WrongCount { expected, got });
        }
        self.check_constraints(told)?;
        self.order_generation(told, got == expected);
        self.measure_noise(values, got == expected);
        Ok(())
    }

    /// The costs are there: best -> archive -> stop histories -> the strategy's update -> stop rules -> restarts.
    fn complete_generation(&mut self, told: Told<'_>) {
        self.asked = false;
        self.counters.complete_generation(&self.search.population, self.noise.repetitions());
        self.record_best(told);
        let reason = match self.searches.follow_lines(&self.params, &self.search.population) {
            Some(next) => self.go_on_from_lines(next),
            None => {
                self.archive_generation(told);
                if self.strategy.is_judged() {
                    let (population, n) = (&self.search.population, self.searches.population);
                    self.stopping.record(population, n, &self.params.rules);
                }
                let moved = self.update();
                self.view.show_mean(&self.params.space, &self.search);
                let reason = self.reason_to_stop(moved);
                self.try_neighbours(reason)
            }
        };
        let reason = reason.and_then(|reason| self.start_again(reason).err());
        self.stop = self.measure_before_the_end(reason);
        #[cfg(feature = "tracing")]
        self.trace_generation();
    }

    /// The run ends within a generation.
    fn finish_run(&mut self, told: Told<'_>, stop: StopReason) {
        self.record_best(told);
        self.counters.evaluations += told.values.len() as u64;
        self.stop = self.target_reached().or(Some(stop));
        #[cfg(feature = "tracing")]
        self.trace_end();
    }

    /// Move the distribution by what the generation has shown.
    ///
    /// Deviation: a population without a finite value, or with equal values only, moves nothing,
    /// also without a baseline (test `a_flat_or_failing_objective_moves_nothing`); the adaptive strategy gets wider.
    fn update(&mut self) -> Result<(), Degenerate> {
        let costs = self.search.population.costs();
        // One row is a model's point that was waited for.
        let differ = costs.len() == 1 || costs.iter().any(|c| *c != costs[0]);
        let tells_apart = costs.iter().any(|c| c.is_finite()) && differ;
        if !tells_apart {
            self.strategy.skip_update(&mut self.search, &self.archive);
            self.params.space.restrain(&mut self.search);
            return Ok(());
        }
        let moved = self.strategy.update(&mut self.search, &self.archive);
        if let Some((multipliers, penalties, certain)) = self.strategy.multipliers() {
            self.archive.lagrangian_mut().adopt(multipliers, penalties);
            if certain {
                self.archive.lagrangian_mut().confirm();
            }
            self.archive.reorder(&self.params.constraints, self.params.sign);
        }
        self.params.space.restrain(&mut self.search);
        moved
    }

    /// The first reason to end the search, or the run.
    fn reason_to_stop(&mut self, moved: Result<(), Degenerate>) -> Option<StopReason> {
        let spent = self.target_reached().or_else(|| self.budget_spent()).or_else(|| self.all_evaluated());
        if let Some(reason) = spent {
            return Some(reason);
        }
        if let Err(Degenerate { row, diagonal }) = moved {
            return Some(StopReason::DegenerateFactor { row, diagonal });
        }
        let Self { search: Search { population, distribution, .. }, params, searches, .. } = self;
        let reason = self.stopping.check(population, searches.population, distribution, &params.rules);
        reason.or_else(|| self.nothing_promised()).or_else(|| self.reason_to_give_up())
    }

    /// The model says that nothing is left: values need not agree for long then, which they never would against bounds and
    /// constraints, where a population differs by its distance from them. Elsewhere only where no target says how far to go, or
    /// where the search ends above it, so that nothing depends on the rest.
    fn nothing_promised(&self) -> Option<StopReason> {
        let tolerance = self.params.rules.tolfun?;
        let (range, held) = self.strategy.nothing_promised().filter(|(promised, _)| *promised < tolerance)?;
        let goes_on = self
            .params
            .rules
            .target
            .is_some_and(|target| !self.searches.is_above(&self.params, target, tolerance));
        (held || !goes_on).then_some(StopReason::TolFun { range, tolerance })
    }

    /// Take the best of the fresh rows into the record of the run and of the present search.
    fn record_best(&mut self, told: Told<'_>) {
        let Self { params, noise, search, view, searches, incumbent, counters, .. } = self;
        let wide = searches.looks_around(params, &search.distribution);
        for candidate in fresh(told, params, noise, search, view) {
            searches.record(candidate.point, candidate.cost, candidate.value, candidate.violation);
            if wide {
                searches.keep(candidate.point, candidate.cost);
            }
            incumbent.consider(candidate, counters.evaluations);
        }
        self.note_holder();
    }

    /// Every evaluated point enters the archive.
    fn archive_generation(&mut self, told: Told<'_>) {
        let Self { params, noise, search, view, archive, strategy, .. } = self;
        let (population, folded) = (&search.population, !params.space.is_plain());
        for (row, candidate) in (population.known()..).zip(fresh(told, params, noise, search, view)) {
            if !strategy.remembers(search, row) {
                continue;
            }
            let Candidate { point, value, violation, constraints, .. } = candidate;
            let (cost, measured) = (population.costs()[row], population.times_measured(row));
            let entry = Entry { value, violation, cost, measured, readers: Readers::ALL };
            archive.add_constrained(point, folded.then(|| population.point(row)), entry, constraints);
        }
    }

    /// Give the function of [`Settings::starts`] again: a checkpoint does not keep it.
    pub fn set_starts(&mut self, rule: impl Fn(u64) -> Vec<f64> + Send + Sync + 'static) {
        self.settings.starts = Starts::by(rule);
    }
}
