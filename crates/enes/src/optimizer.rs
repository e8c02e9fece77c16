//! The ask/tell protocol over a strategy.

mod constrained;
mod reading;

use crate::error::{SettingsError, TellError};
use crate::fitness_shaping;
use crate::inject::Injected;
use crate::noise::Noise;
use crate::population::Points;
use crate::random::Generator;
use crate::restarts::Searches;
use crate::settings::{Direction, Settings};
use crate::space::{Prepared, Space};
use crate::stop_reason::StopReason;
use crate::stopping::Stopping;
use crate::strategy::Engine;
use crate::view::View;
use crate::violation;

/// The best point so far and its value.
#[derive(Clone, Copy, Debug, PartialEq)]
#[non_exhaustive]
pub struct Best<'a> {
    /// The point.
    pub point: &'a [f64],
    /// Its value, as the objective returned it.
    pub value: f64,
    /// By how much it violates the constraints: 0 where it is feasible.
    pub violation: f64,
    /// Evaluations made when its generation was complete.
    pub evaluations: u64,
}

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
    pub(crate) settings: Settings,
    pub(crate) strategy: Engine,
    pub(crate) generator: Generator,
    pub(crate) stopping: Stopping,
    pub(crate) searches: Searches,
    pub(crate) ledger: Ledger,
    /// `None` where values are taken for exact.
    pub(crate) noise: Option<Box<Noise>>,
    /// `None` where the user's coordinates are the search's.
    pub(crate) view: Option<Box<View>>,
}

/// Counters and the best so far.
#[derive(Clone, Debug, Default, PartialEq)]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize))]
pub(crate) struct Ledger {
    pub(crate) generation: u64,
    pub(crate) evaluations: u64,
    /// Rows reused and rows in all, the first generation aside.
    pub(crate) reused: u64,
    pub(crate) rows: u64,
    pub(crate) last_reused: usize,
    /// Whether points have been handed out that await their values.
    pub(crate) asked: bool,
    /// In the user's coordinates, as it was handed out.
    pub(crate) best_point: Vec<f64>,
    pub(crate) best_cost: f64,
    pub(crate) best_value: f64,
    pub(crate) best_violation: f64,
    pub(crate) best_evaluations: u64,
    pub(crate) stop: Option<StopReason>,
    pub(crate) injected: Injected,
}

impl Optimizer {
    /// An optimizer with these settings.
    ///
    /// # Errors
    /// The first setting that cannot be used, with its value and the remedy.
    pub fn new(settings: &Settings) -> Result<Self, SettingsError> {
        let prepared = settings.prepare()?;
        let begin = settings.begin(&prepared)?;
        let Prepared { space, distribution } = prepared;
        let n = settings.population_size();
        let stopping = Stopping::new(&Space::with_margin(space.as_ref(), distribution, n));
        let mut generator = Generator::new(settings.seed);
        let first = Space::with_margin(space.as_ref(), begin.distribution, n);
        let mut strategy = Engine::start(settings, first, n);
        strategy.begin_with(&begin.points, &begin.costs, &mut generator);
        let searches = Searches::new(n);
        let record = (Ledger::default(), settings.noisy.then(Box::default));
        Ok(Self::assemble(settings.clone(), space, strategy, generator, stopping, searches, record))
    }

    pub(crate) fn assemble(
        settings: Settings,
        space: Option<Space>,
        strategy: Engine,
        generator: Generator,
        mut stopping: Stopping,
        searches: Searches,
        (ledger, noise): (Ledger, Option<Box<Noise>>),
    ) -> Self {
        let (n, d) = (searches.population, settings.search_dimension());
        stopping.reserve(n, d, settings.strategy, &settings.rules);
        stopping.integers = space.as_ref().map_or_else(Vec::new, Space::integers);
        stopping.set_noisy(settings.noisy);
        let view = space.map(|space| Box::new(View::new(space, &strategy)));
        let mut es = Self { settings, strategy, generator, stopping, searches, ledger, noise, view };
        es.prepare_noise();
        es
    }

    /// The points to evaluate now, as rows: the fresh ones of this generation, 0 to n of them.
    ///
    /// Calling it again before `tell` returns the same points. An empty answer is legal: all
    /// points of the generation were reused; `tell` it no values.
    pub fn ask(&mut self) -> Points<'_> {
        if !self.ledger.asked && !self.is_ending() {
            self.follow_injected();
            self.strategy.propose(&mut self.generator);
            if let Some(view) = &mut self.view {
                self.strategy.resample(&view.space, &mut self.generator);
                view.show_points(self.strategy.population());
            }
        }
        if !self.ledger.asked {
            self.choose_measurements();
            self.ledger.asked = true;
        }
        match (&self.noise, &self.view) {
            (Some(noise), _) => noise.points(self.settings.dimension()),
            (None, Some(view)) => view.points(),
            (None, None) => {
                let population = self.strategy.population();
                Points::new(population.fresh_points(), population.dimension())
            }
        }
    }

    /// The values of the points that `ask` returned, in their order: any number, infinities and
    /// NaN included. Completes the generation. Finite values that are worse than 2^1007 (1.4e303) rank alike.
    ///
    /// # Errors
    /// Nothing was asked, or the count differs; nothing has changed then.
    pub fn tell(&mut self, values: &[f64]) -> Result<(), TellError> {
        if self.is_ending() {
            return self.take_the_mean(values, usize::eq, None);
        }
        self.take(values, None, usize::eq)?;
        self.finish_generation(values, None);
        Ok(())
    }

    fn finish_generation(&mut self, values: &[f64], violations: Option<&[f64]>) {
        self.count_generation(values, violations);
        let reason = self.complete_generation();
        self.show_mean();
        let reason = reason.and_then(|reason| self.start_again(reason).err());
        self.ledger.stop = self.measure_before_the_end(reason);
    }

    /// Values of the first points only, because the run ends within this generation: they count
    /// towards the best and the evaluations, not towards a generation, and `stop` becomes the reason
    /// to stop unless they reach the target.
    ///
    /// # Errors
    /// Nothing was asked, or there are more values than points; nothing has changed then.
    pub fn tell_last(&mut self, values: &[f64], stop: StopReason) -> Result<(), TellError> {
        if self.is_ending() {
            return self.take_the_mean(values, usize::ge, Some(stop));
        }
        self.take(values, None, usize::ge)?;
        self.finish_run(values, None, stop);
        Ok(())
    }

    fn finish_run(&mut self, values: &[f64], violations: Option<&[f64]>, stop: StopReason) {
        self.note(values, violations);
        self.ledger.evaluations += values.len() as u64;
        self.ledger.stop = self.target_reached().or(Some(stop));
    }

    /// Values, and violations where there are any, for the fresh points, whose number must be related to
    /// theirs like this.
    fn take(
        &mut self,
        values: &[f64],
        violations: Option<&[f64]>,
        fits: fn(&usize, &usize) -> bool,
    ) -> Result<(), TellError> {
        if violations.is_some() && self.noise.is_some() {
            return Err(TellError::NoisyViolations);
        }
        if !self.ledger.asked {
            return Err(TellError::NothingAsked);
        }
        let sign = self.sign();
        let population = self.strategy.population_mut();
        let again = self.noise.as_ref().map_or(0, |noise| noise.repetitions());
        let (expected, got) = (population.fresh() + again, values.len());
        if !fits(&expected, &got) {
            return Err(TellError::WrongCount { expected, got });
        }
        if let Some(violations) = violations.filter(|v| v.len() != got) {
            return Err(TellError::WrongViolations { values: got, violations: violations.len() });
        }
        let kept = population.kept;
        for (i, (cost, value)) in population.costs[kept..].iter_mut().zip(values).enumerate() {
            *cost = match violations {
                None => violation::unconstrained(sign * value),
                Some(violations) => violation::encode(sign * value, violations[i]),
            };
        }
        population.measured[kept..].fill(1);
        self.measure_noise(values, got == expected);
        Ok(())
    }

    fn count_generation(&mut self, values: &[f64], violations: Option<&[f64]>) {
        let (n, kept) = {
            let population = self.strategy.population();
            (population.len(), population.kept)
        };
        // What the adaptive strategy keeps belongs to the same generation.
        let reused = if self.strategy.as_adaptive().is_some() { 0 } else { kept };
        let again = self.noise.as_ref().map_or(0, |noise| noise.repetitions());
        let ledger = &mut self.ledger;
        ledger.asked = false;
        ledger.evaluations += (n - kept + again) as u64;
        ledger.last_reused = reused;
        if ledger.generation > 0 {
            ledger.reused += reused as u64;
            ledger.rows += n as u64;
        }
        ledger.generation += 1;
        self.note(values, violations);
    }

    /// values -> stop histories -> the strategy's update -> stop check.
    fn complete_generation(&mut self) -> Option<StopReason> {
        let rules = &self.settings.rules;
        let n = self.searches.population;
        self.stopping.record(self.strategy.population(), n, rules);
        let moved = if self.has_a_gradient() {
            let moved = self.strategy.update();
            if let Some(view) = &self.view {
                self.strategy.keep_inside(&view.space);
                self.strategy.keep_margin(&view.space);
            }
            moved
        } else {
            self.strategy.stand_still();
            Ok(())
        };
        if let Some(reason) = self.target_reached().or_else(|| self.budget_spent()) {
            return Some(reason);
        }
        if let Err(degenerate) = moved {
            let crate::gaussian::Degenerate { row, diagonal } = degenerate;
            return Some(StopReason::DegenerateFactor { row, diagonal });
        }
        let (population, distribution) = (self.strategy.population(), self.strategy.distribution());
        self.stopping.check(population, n, distribution, &self.settings.rules).or_else(|| self.lost_search())
    }

    /// Deviation: a population without a finite value, or with equal values only, moves nothing,
    /// also without a baseline (test `a_flat_or_failing_objective_moves_nothing`).
    fn has_a_gradient(&self) -> bool {
        let costs = &self.strategy.population().costs;
        costs.iter().any(|c| c.is_finite()) && costs.iter().any(|c| *c != costs[0])
    }

    /// Take the best of the fresh rows into the record of the run and of the present search.
    fn note(&mut self, values: &[f64], violations: Option<&[f64]>) {
        let sign = self.sign();
        let population = self.strategy.population();
        let ledger = &mut self.ledger;
        for (i, &told) in values.iter().take(population.fresh()).enumerate() {
            let row = population.kept + i;
            let cost = population.costs[row];
            // Under noise a cost may be an average.
            let value = if self.noise.is_some() { sign * cost } else { told };
            let violation = violations.map_or(0.0, |v| v[i].max(0.0));
            self.searches.note(cost, value, violation);
            let first = ledger.best_point.is_empty() && !cost.is_nan();
            if first || fitness_shaping::compare(cost, ledger.best_cost).is_lt() {
                let d = population.dimension();
                let point = &population.points[row * d..(row + 1) * d];
                ledger.best_point.clear();
                match &self.view {
                    None => ledger.best_point.extend_from_slice(point),
                    Some(view) => {
                        ledger.best_point.resize(view.space.dimension(), 0.0);
                        view.space.users(point, &mut ledger.best_point);
                    }
                }
                ledger.best_cost = cost;
                ledger.best_value = value;
                ledger.best_violation = violation;
                ledger.best_evaluations = ledger.evaluations;
            }
        }
    }

    pub(crate) fn target_reached(&self) -> Option<StopReason> {
        if self.noise.is_some() {
            return self.mean_reaches_target();
        }
        let (best, target) = (self.best()?, self.settings.rules.target?);
        let reached = best.violation == 0.0 && self.sign() * best.value <= self.sign() * target;
        reached.then_some(StopReason::Target { value: best.value, target })
    }

    fn budget_spent(&self) -> Option<StopReason> {
        let Ledger { evaluations, generation, .. } = self.ledger;
        if let Some(limit) =
            self.settings.rules.max_evaluations.filter(|&l| evaluations + self.kept_back() >= l)
        {
            return Some(StopReason::MaxEvaluations { evaluations, limit });
        }
        let limit = self.settings.rules.max_generations.filter(|&l| generation >= l)?;
        Some(StopReason::MaxGenerations { generations: generation, limit })
    }

    pub(crate) fn sign(&self) -> f64 {
        match self.settings.direction {
            Direction::Minimize => 1.0,
            Direction::Maximize => -1.0,
        }
    }

    /// Change the budgets, the target and the threads of a run that goes on; a stop for one of these reasons is
    /// judged anew.
    ///
    /// # Errors
    /// A limit that cannot be used; nothing has changed then.
    ///
    /// ```
    /// use enes::{Optimizer, Settings};
    /// let mut es = Optimizer::new(&Settings::new([1.0, 2.0], 0.5).max_evaluations(1))?;
    /// let values = vec![1.0; es.ask().len()];
    /// es.tell(&values)?;
    /// assert!(es.stop_reason().is_some());
    /// es.change_limits(|settings| settings.max_evaluations(1000))?;
    /// assert!(es.stop_reason().is_none());
    /// # Ok::<(), Box<dyn std::error::Error>>(())
    /// ```
    pub fn change_limits(&mut self, change: impl FnOnce(Settings) -> Settings) -> Result<(), SettingsError> {
        let changed = change(self.settings.clone());
        changed.validate()?;
        let rules = &mut self.settings.rules;
        rules.target = changed.rules.target;
        rules.max_evaluations = changed.rules.max_evaluations;
        rules.max_generations = changed.rules.max_generations;
        rules.max_seconds = changed.rules.max_seconds;
        self.settings.algebra_threads = changed.algebra_threads;
        self.strategy.use_threads(changed.algebra_threads);
        self.forget_the_end();
        if self.ledger.stop.as_ref().is_none_or(StopReason::is_limit) {
            self.ledger.stop = self.target_reached().or_else(|| self.budget_spent());
        }
        Ok(())
    }
}
