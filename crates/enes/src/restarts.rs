//! Restarts: a local search that ended short of the target makes room for another.
//!
//! Two regimes share the evaluations equally, as in BIPOP-CMA-ES: one doubles the population each time,
//! one keeps it and starts on a smaller scale. IPOP is the first alone.

use crate::gaussian::SearchDistribution;
use crate::optimizer::Optimizer;
use crate::random::Generator;
use crate::settings::{Settings, Strategy};
use crate::space::Space;
use crate::stop_reason::StopReason;
use crate::stopping::{Stopping, hist_window};
use crate::strategy::Engine;
use crate::strategy::adaptive::Adaptive;
use crate::violation;

/// Coordinates in a large population at most.
const LARGEST: usize = 1 << 22;

/// A search is hopeless when what it still varies by is less than this share of what it lacks.
const HOPELESS: f64 = 0.1;

/// Scales of the small regime reach down to this power of ten.
const SMALLEST_SCALE: f64 = -2.0;

/// Restarts where no budget of evaluations or time ends the run; pycma's users know this number.
const DEFAULT_LIMIT: u64 = 9;

/// Whether and how a run starts again when its search ends short of target and budget.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash)]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize))]
#[non_exhaustive]
pub enum Restarts {
    /// As `Bipop` where a target or a budget is given and the strategy is adaptive, else `Off`.
    #[default]
    Auto,
    /// One search only.
    Off,
    /// Each restart doubles the population.
    Ipop,
    /// Restarts with growing populations, and with the first one on smaller scales, share the budget.
    Bipop,
}

/// A local search that has ended, and the one after it began.
#[derive(Clone, Debug, PartialEq)]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize))]
#[non_exhaustive]
pub struct Restart {
    /// Why the search ended.
    pub reason: StopReason,
    /// Evaluations it took.
    pub evaluations: u64,
    /// Generations it took.
    pub generations: u64,
    /// Its population size.
    pub population: usize,
    /// Its initial scale, relative to that of the first.
    pub scale: f64,
    /// Its best value, as the objective returned it; NaN where none was a number.
    pub value: f64,
    /// By how much its best point violates the constraints: 0 where it is feasible, NaN where there is none.
    pub violation: f64,
}

impl Optimizer {
    /// The searches that ended and were followed by another, in order; each with its reason.
    pub fn restarts(&self) -> &[Restart] {
        &self.searches.ended
    }

    /// Mean and standard deviations of the search that found the best point: of the present one, or as
    /// they were when an earlier one ended.
    pub fn favourite(&self) -> (Vec<f64>, Vec<f64>) {
        let present = || (self.mean().to_vec(), self.standard_deviations());
        self.earlier_favourite().map_or_else(present, |(mean, stds)| (mean.clone(), stds.clone()))
    }

    /// The same, where the search that found the best point has ended.
    pub(crate) fn earlier_favourite(&self) -> Option<&(Vec<f64>, Vec<f64>)> {
        self.searches.favourite.as_ref().filter(|_| !self.holds_the_best())
    }

    /// Begin another search where the settings want one after this reason, which comes back where not.
    pub(crate) fn start_again(&mut self, reason: StopReason) -> Result<(), StopReason> {
        if !self.searches.may_follow(&self.settings, &reason) {
            return Err(reason);
        }
        if self.holds_the_best() {
            self.searches.favourite = Some((self.mean().to_vec(), self.standard_deviations()));
        }
        let spent = (self.ledger.evaluations, self.ledger.generation);
        let NewSearch { distribution, population } =
            self.searches.next(&self.settings, reason, spent, &mut self.generator)?;
        let space = self.view.as_ref().map(|view| &view.space);
        let distribution = Space::with_margin(space, distribution, population);
        let integers = std::mem::take(&mut self.stopping.integers);
        self.stopping = Stopping::new(&distribution);
        self.stopping.integers = integers;
        let settings = &self.settings;
        self.stopping.reserve(population, distribution.dimension(), settings.strategy, &settings.rules);
        self.strategy = Engine::start(&self.settings, distribution, population);
        self.ledger.injected.forget();
        self.show_mean();
        Ok(())
    }

    /// While restarts are on: a search that sees nothing but noise, or that lacks far more than it still
    /// varies by, makes room for another.
    pub(crate) fn lost_search(&self) -> Option<StopReason> {
        if self.settings.restart_rule() == Restarts::Off {
            return None;
        }
        let population = self.strategy.population();
        let window = hist_window(self.searches.population, population.dimension());
        let silent = self.strategy.as_adaptive().map_or(0, Adaptive::silent);
        if silent >= window as u64 {
            return Some(StopReason::NoSignal { generations: silent, limit: window });
        }
        let (low, high) = self.stopping.recent_best(window)?;
        let lacking = violation::lacking(low, self.searches.best_before()?);
        let range = violation::difference(high, low);
        (range < HOPELESS * lacking).then_some(StopReason::Hopeless { range, lacking })
    }

    /// Whether the present search has found the best point of the run.
    fn holds_the_best(&self) -> bool {
        self.searches.best_cost() <= self.ledger.best_cost
    }
}

impl Settings {
    /// Whether and how to start again when a search ends short of target and budget. Default:
    /// [`Restarts::Auto`].
    pub fn restarts(mut self, restarts: Restarts) -> Self {
        self.restarts = restarts;
        self
    }

    /// At most this many restarts. Default: as many as a budget of evaluations or time allows, else 9.
    pub fn max_restarts(mut self, limit: impl Into<Option<u64>>) -> Self {
        self.max_restarts = limit.into();
        self
    }

    /// What `Auto` means here.
    pub(crate) fn restart_rule(&self) -> Restarts {
        let limited = self.rules.is_limited();
        match self.restarts {
            Restarts::Auto if limited && !self.noisy && self.strategy == Strategy::Adaptive => {
                Restarts::Bipop
            }
            Restarts::Auto => Restarts::Off,
            chosen => chosen,
        }
    }

    fn restart_limit(&self) -> u64 {
        let budget = self.rules.max_evaluations.is_some() || self.rules.max_seconds.is_some();
        self.max_restarts.unwrap_or(if budget { u64::MAX } else { DEFAULT_LIMIT })
    }
}

/// Which regime a search belongs to.
#[derive(Clone, Copy, Debug, PartialEq)]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize))]
enum Regime {
    First,
    Large,
    Small,
}

/// The searches of a run: those that ended, and the present one.
#[derive(Clone, Debug, PartialEq)]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize))]
pub(crate) struct Searches {
    pub(crate) ended: Vec<Restart>,
    pub(crate) population: usize,
    scale: f64,
    regime: Regime,
    /// Large populations so far.
    grown: u32,
    /// Evaluations spent with large populations, and with the first one.
    spent: (u64, u64),
    /// Evaluations and generations of the run when the present search began.
    began: (u64, u64),
    /// Best cost of the present search; NaN where none was a number.
    best_cost: f64,
    /// What belongs to it: the value, as the objective returned it, and the violation.
    best: (f64, f64),
    /// Best cost of the searches that ended; infinite where none was a number.
    best_before: f64,
    /// Mean and deviations at the end of the search that found the best so far, unless it is the present.
    pub(crate) favourite: Option<(Vec<f64>, Vec<f64>)>,
}

/// A search to come.
pub(crate) struct NewSearch {
    pub(crate) distribution: SearchDistribution,
    pub(crate) population: usize,
}

impl Searches {
    pub(crate) fn new(population: usize) -> Self {
        Self {
            ended: Vec::new(),
            population,
            scale: 1.0,
            regime: Regime::First,
            grown: 0,
            spent: (0, 0),
            began: (0, 0),
            best_cost: f64::NAN,
            best: (f64::NAN, f64::NAN),
            best_before: f64::INFINITY,
            favourite: None,
        }
    }

    #[cfg(feature = "serde")]
    pub(crate) fn is_consistent(&self, d: usize) -> bool {
        let fits = |(mean, stds): &(Vec<f64>, Vec<f64>)| mean.len() == d && stds.len() == d;
        self.population >= 2 && self.favourite.as_ref().is_none_or(fits)
    }

    /// Note a cost of the present search, and what it was made of.
    pub(crate) fn note(&mut self, cost: f64, value: f64, violation: f64) {
        if cost < self.best_cost || self.best_cost.is_nan() && !cost.is_nan() {
            self.best_cost = cost;
            self.best = (value, violation);
        }
    }

    /// Best cost of the present search; NaN where none was a number.
    pub(crate) fn best_cost(&self) -> f64 {
        self.best_cost
    }

    /// Best cost of the searches that ended; `None` where none was a number.
    fn best_before(&self) -> Option<f64> {
        self.best_before.is_finite().then_some(self.best_before)
    }

    /// Whether the settings let another search follow one that ended for this reason.
    pub(crate) fn may_follow(&self, settings: &Settings, reason: &StopReason) -> bool {
        let none_yet = self.best_cost.is_nan() && self.ended.iter().all(|r| r.violation.is_nan());
        settings.restart_rule() != Restarts::Off
            && !reason.is_limit()
            && !(none_yet && matches!(reason, StopReason::NoFiniteValue { .. }))
            && (self.ended.len() as u64) < settings.restart_limit()
    }

    /// End the present search and plan the next one. `spent` are evaluations and generations of the run.
    ///
    /// # Errors
    /// A start that cannot be used, as a reason to stop; nothing has changed then.
    pub(crate) fn next(
        &mut self,
        settings: &Settings,
        reason: StopReason,
        spent: (u64, u64),
        generator: &mut Generator,
    ) -> Result<NewSearch, StopReason> {
        let mut after = self.clone();
        let new = after.plan_next(settings, reason, spent, generator)?;
        *self = after;
        Ok(new)
    }

    fn plan_next(
        &mut self,
        settings: &Settings,
        reason: StopReason,
        spent: (u64, u64),
        generator: &mut Generator,
    ) -> Result<NewSearch, StopReason> {
        self.ended.push(Restart {
            reason: reason.clone(),
            evaluations: spent.0 - self.began.0,
            generations: spent.1 - self.began.1,
            population: self.population,
            scale: self.scale,
            value: self.best.0,
            violation: self.best.1,
        });
        self.best_before = self.best_before.min(self.best_cost); // NaN is not the least
        let taken = spent.0 - self.began.0;
        match self.regime {
            Regime::Large => self.spent.0 += taken,
            Regime::First | Regime::Small => self.spent.1 += taken,
        }
        // The regime that has spent fewer evaluations, the large one first.
        let small = settings.restart_rule() == Restarts::Bipop && self.spent.1 < self.spent.0;
        self.regime = if small { Regime::Small } else { Regime::Large };
        (self.population, self.scale) = match self.regime {
            Regime::Small => (settings.population_size(), 10f64.powf(SMALLEST_SCALE * generator.uniform())),
            _ => {
                self.grown += 1;
                (large_population(settings, self.grown), 1.0)
            }
        };
        self.began = spent;
        self.best_cost = f64::NAN;
        self.best = (f64::NAN, f64::NAN);
        let distribution = settings
            .starts
            .begin(settings, self.ended.len() as u64, self.scale, generator)
            .map_err(|what| StopReason::StartRule {
                restart: self.ended.len() as u64,
                what: format!("{what}; the search before it had ended: {reason}"),
            })?;
        Ok(NewSearch { distribution, population: self.population })
    }
}

/// The first population doubled again and again, as far as memory allows.
fn large_population(settings: &Settings, grown: u32) -> usize {
    let (first, d) = (settings.population_size(), settings.search_dimension());
    let most = (LARGEST / d).max(first);
    first.saturating_mul(1usize.checked_shl(grown).unwrap_or(usize::MAX)).min(most)
}
