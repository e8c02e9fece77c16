//! All that follows from the settings, derived once.

use super::warm_start::FirstSearch;
use super::{Direction, ModelChoice, Restarts, Settings, Strategy};
use crate::constraints::Constraints;
use crate::error::SettingsError;
use crate::search::SearchDistribution;
use crate::space::{BoundHandling, Space};
use crate::stopping::{DEFAULT_TOLX, StopRules};
use crate::strategy::adaptive::limited;
use crate::strategy::adaptive::sizes::{MANY_DIMENSIONS, small_population};
use crate::strategy::adaptive::{Constrained, Tuning};
use crate::strategy::published::Shaping;
use crate::strategy::{Config, adaptive, published};

/// Restarts where no budget of evaluations or time ends the run; pycma's users know this number.
const DEFAULT_RESTARTS: u64 = 9;

/// A search is wide while its scale is at least this part of the initial one.
const WIDE: f64 = 0.1;

/// The default of `tolx` is at most this part of the largest initial deviation.
const NARROWED: f64 = 1e-6;

/// What a run computes with.
#[derive(Clone, Debug)]
pub(crate) struct Params {
    /// Coordinates that the user sees, and those that are searched.
    pub(crate) dimension: usize,
    pub(crate) search_dimension: usize,
    /// A cost is this times a value: 1 or −1.
    pub(crate) sign: f64,
    pub(crate) noisy: bool,
    /// The population size of the first search.
    pub(crate) population: usize,
    /// With the defaults of the strategy filled in.
    pub(crate) rules: StopRules,
    /// What `Auto` means here, and how many restarts there may be.
    pub(crate) restarts: Restarts,
    pub(crate) restart_limit: u64,
    pub(crate) strategy: Config,
    pub(crate) constraints: Constraints,
    pub(crate) space: Space,
    /// `x0` and `sigma0` in search coordinates.
    pub(crate) start: SearchDistribution,
    /// Its ln det A, and that below which a search is no longer wide.
    pub(crate) start_log_det: f64,
    pub(crate) narrow: f64,
}

impl Params {
    /// Check every setting but a warm start, and derive what follows.
    ///
    /// # Errors
    /// The first setting that cannot be used, with its value and the remedy.
    pub(crate) fn new(settings: &Settings) -> Result<Self, SettingsError> {
        let d = settings.dimension();
        if d == 0 {
            return Err(SettingsError::EmptyStart);
        }
        if let Some((index, &value)) = settings.x0.iter().flatten().enumerate().find(|(_, v)| !v.is_finite())
        {
            return Err(SettingsError::StartNotFinite { index, value });
        }
        let mut space = settings.space(d)?;
        if space.search_dimension() == 0 {
            return Err(SettingsError::NothingFree);
        }
        let (population, restarts) = (settings.population_size(), settings.restart_rule());
        settings.check_choices(population, restarts)?;
        let start = settings.start(d, &mut space)?;
        let narrow = start.log_det() + start.dimension() as f64 * WIDE.ln();
        let constraints = settings.constraints()?;
        Ok(Self {
            dimension: d,
            search_dimension: space.search_dimension(),
            sign: settings.sign(),
            noisy: settings.noisy,
            population,
            rules: settings.stop_rules(&start),
            restarts,
            restart_limit: settings.restart_limit(),
            strategy: settings.strategy_config(&space, &constraints, (&start, narrow)),
            constraints,
            space,
            start_log_det: start.log_det(),
            narrow,
            start,
        })
    }

    /// Whether samples step aside from points that are known: where all coordinates are whole numbers.
    pub(crate) fn avoids_known(&self) -> bool {
        self.space.is_lattice() && !self.noisy && self.strategy.is_adaptive()
    }

    /// The scale of a distribution beside that of the start: the geometric mean of the ratios of their deviations.
    pub(crate) fn scale_of(&self, distribution: &SearchDistribution) -> f64 {
        ((distribution.log_det() - self.start_log_det) / distribution.dimension() as f64).exp()
    }

    /// Limits have changed: what follows from them is derived anew.
    pub(crate) fn follow_limits(&mut self, settings: &Settings) {
        self.rules = settings.stop_rules(&self.start);
        self.restarts = settings.restart_rule();
        self.restart_limit = settings.restart_limit();
    }

    /// What the first search begins with.
    ///
    /// # Errors
    /// A warm start that does not fit the settings, with what is wrong.
    pub(crate) fn first_search(&self, settings: &Settings) -> Result<FirstSearch, SettingsError> {
        match &settings.warm_start {
            None => Ok(FirstSearch::cold(self.start.clone())),
            Some(warm_start) => {
                let first = warm_start.begin(self)?;
                if settings.is_constrained() && !first.table.values.is_empty() {
                    let reason = "the points of a table have no constraint values: leave them out with points(false), \
                                  and inject those that you know";
                    return Err(SettingsError::WarmStart { reason: reason.into() });
                }
                Ok(first)
            }
        }
    }
}

impl Settings {
    /// The population size of a run with these settings.
    pub fn population_size(&self) -> usize {
        match (self.population, &self.shaping) {
            (Some(n), _) => n,
            (None, Shaping::Table(table)) => table.len(),
            (None, _) => {
                let d = self.search_dimension().max(1);
                match self.strategy {
                    Strategy::Adaptive if self.has_surrogate() => ModelChoice::Auto.default_population(d),
                    Strategy::Adaptive if self.has_small_generations() => small_population(d),
                    Strategy::Adaptive => ModelChoice::RankOnly.default_population(d),
                    Strategy::Published => self.strategy.default_population(d),
                }
            }
        }
    }

    /// Whether there is a surrogate in a run with these settings.
    pub(crate) fn has_surrogate(&self) -> bool {
        self.strategy == Strategy::Adaptive
            && !self.noisy
            && self.model == ModelChoice::Auto
            && self.search_dimension() <= ModelChoice::MOST_DIMENSIONS
            && (!self.has_integers() || self.models_integers())
    }

    /// Whether there can be a surrogate where there are integers: its step is whole where points are folded, and constraints
    /// have a step of their own, which is not.
    fn models_integers(&self) -> bool {
        self.bound_handling != BoundHandling::Resample && !self.is_constrained()
    }

    /// Whether there is a gradient by differences in a run with these settings: beyond the dimensions of the surrogate, where
    /// points are not drawn again, nor rounded. Its generations have their own sizes: a population that
    /// the user gives stays.
    fn has_gradient(&self, space: &Space, constraints: &Constraints) -> bool {
        let d = self.search_dimension();
        self.strategy == Strategy::Adaptive
            && !self.noisy
            && self.model == ModelChoice::Auto
            && self.population.is_none()
            && d > ModelChoice::MOST_DIMENSIONS
            && space.is_continuous()
            && constraints.len() == 0
    }

    /// Whether the covariance has limited memory in a run with these settings.
    pub(crate) fn is_limited(&self) -> bool {
        self.strategy == Strategy::Adaptive && self.search_dimension() > MANY_DIMENSIONS
    }

    fn has_integers(&self) -> bool {
        (0..self.dimension()).any(|i| self.is_integer(i))
    }

    /// Up to [`ModelChoice::MOST_DIMENSIONS`] generations are small with a surrogate, and with integers: in larger
    /// ones, of which each integer is left by a smaller share, one of five searches of 20 integers ended beside the
    /// optimum.
    fn has_small_generations(&self) -> bool {
        let few = self.search_dimension() <= ModelChoice::MOST_DIMENSIONS;
        few && (self.has_surrogate() || self.has_integers())
    }

    /// The places of the integers among the coordinates that are searched; empty where all of them are.
    fn integers_beside_others(&self) -> Vec<usize> {
        let searched = (0..self.dimension()).filter(|&index| !self.is_fixed(index));
        let flags: Vec<bool> = searched.map(|index| self.is_integer(index)).collect();
        let places = (0..flags.len()).filter(|&place| flags[place]).collect();
        if flags.iter().all(|integer| *integer) { Vec::new() } else { places }
    }

    fn sign(&self) -> f64 {
        match self.direction {
            Direction::Minimize => 1.0,
            Direction::Maximize => -1.0,
        }
    }

    /// What `Auto` means here.
    fn restart_rule(&self) -> Restarts {
        let sought = self.rules.is_limited() || self.is_in_a_box();
        match self.restarts {
            Restarts::Auto if sought && !self.noisy && self.strategy == Strategy::Adaptive => Restarts::Bipop,
            Restarts::Auto => Restarts::Off,
            chosen => chosen,
        }
    }

    /// Whether every coordinate that is searched has two bounds.
    fn is_in_a_box(&self) -> bool {
        let finite = |(lower, upper): &(f64, f64)| lower.is_finite() && upper.is_finite();
        self.bounds.as_ref().is_some_and(|bounds| bounds.0.iter().all(finite))
    }

    fn restart_limit(&self) -> u64 {
        let budget = self.rules.max_evaluations.is_some() || self.rules.max_seconds.is_some();
        self.max_restarts.unwrap_or(if budget { u64::MAX } else { DEFAULT_RESTARTS })
    }

    fn stop_rules(&self, start: &SearchDistribution) -> StopRules {
        let growth = || self.strategy.default_growth_limit();
        let tolfacupx = self.rules.tolfacupx.map(|limit| Some(limit.unwrap_or_else(growth)));
        let flat = || self.strategy.default_flat_limit();
        let tolflatfitness = self.rules.tolflatfitness.map(|limit| Some(limit.unwrap_or_else(flat)));
        // Where the unit is large a search would end before it began.
        let largest = || start.standard_deviations().into_iter().fold(0.0, f64::max);
        let tolx = self.rules.tolx.map(|t| if t == DEFAULT_TOLX { t.min(NARROWED * largest()) } else { t });
        StopRules { tolfacupx, tolflatfitness, tolx, ..self.rules.clone() }
    }

    fn strategy_config(
        &self,
        space: &Space,
        constraints: &Constraints,
        (start, narrow): (&SearchDistribution, f64),
    ) -> Config {
        match self.strategy {
            Strategy::Published => Config::Published(published::Config {
                baseline: self.baseline,
                shaping: self.shaping.clone(),
                learning_rate_mean: self.learning_rate_mean,
                learning_rate_factor: self.learning_rate_factor,
                refresh_rate: self.refresh_rate,
                drift_correction: self.drift_correction,
                auto_population: self.auto_population,
                adaptive_learning_rate: self.adaptive_learning_rate,
                threads: self.algebra_threads,
            }),
            Strategy::Adaptive if self.is_limited() => Config::Limited(Box::new(limited::Config {
                ignored_by_step: self.integers_beside_others(),
                oldest_sample: self.tuning.ranks.oldest_sample,
                gradient: self.has_gradient(space, constraints),
                limits: space.limits(),
                tuning: self.tuning,
            })),
            Strategy::Adaptive => Config::Adaptive(Box::new(adaptive::Config {
                surrogate: self.has_surrogate(),
                gradient: self.has_gradient(space, constraints),
                batch: self.batch,
                workers: self.workers.unwrap_or(1),
                narrow,
                units: start.standard_deviations(),
                small: self.has_small_generations(),
                grows: self.population.is_none() && self.has_surrogate() && self.tuning.need.grows,
                integers: self.integers_beside_others(),
                limits: space.limits(),
                constrained: self.constrained(space, constraints),
                tuning: self.effective_tuning(),
            })),
        }
    }

    /// Constraints as the surrogate models them. A total violation alone has a kink where it begins: it is not modelled.
    fn constrained(&self, space: &Space, constraints: &Constraints) -> Option<Constrained> {
        let linear = constraints.linear().iter().map(|row| space.coefficients(&row.coefficients)).collect();
        (constraints.len() > 0).then(|| Constrained {
            constraints: constraints.clone(),
            linear,
            sign: self.sign(),
        })
    }

    /// A point that is drawn again to be within bounds is not the one that the surrogate promised: no trust region there.
    fn effective_tuning(&self) -> Tuning {
        let mut tuning = self.tuning;
        let drawn_again = self.bounds.is_some() && self.bound_handling == BoundHandling::Resample;
        tuning.surrogate.trust_region &= !drawn_again;
        tuning
    }

    /// The space without its parabolas, each coordinate checked.
    fn space(&self, d: usize) -> Result<Space, SettingsError> {
        let Self { bounds, log_scale, integers, one_hot, bound_handling: handling, tuning, .. } = self;
        let margin = tuning.integer_margin;
        Space::new(d, bounds.as_ref(), log_scale, integers, one_hot, *handling, margin)
    }

    /// Start and scale in search coordinates; the space gets its parabolas, which follow from the scale.
    fn start(&self, d: usize, space: &mut Space) -> Result<SearchDistribution, SettingsError> {
        let start = match &self.x0 {
            Some(x0) => space.coordinates_of(x0)?,
            None => space.centre()?,
        };
        let quarter;
        let scale = match &self.scale {
            Some(scale) => scale,
            None => {
                quarter = space.quarter()?;
                &quarter
            }
        };
        let distribution = match self.is_limited() {
            true => SearchDistribution::limited(start, scale.deviations(d, &space.free())?),
            false => SearchDistribution::new(start, scale.factor(d, &space.free())?),
        };
        let distribution = distribution.expect("invariant: both were checked");
        self.check_numbers(&distribution, space)?;
        if space.is_plain() {
            return Ok(distribution);
        }
        space.set_margins(&distribution.standard_deviations());
        let mut mean = distribution.mean().to_vec();
        space.unfold(&mut mean);
        Ok(distribution.moved_to(mean, 1.0).expect("invariant: what lies inside comes from somewhere finite"))
    }
}
