//! What the user chose: a builder, validated once.

mod checks;

use std::time::Duration;

use crate::bounds::{BoundHandling, Bounds, LogScale};
use crate::fitness_baseline::Baseline;
use crate::fitness_shaping::Shaping;
use crate::integer::Integers;
use crate::modelling::ModelChoice;
use crate::restarts::Restarts;
use crate::scale::Scale;
use crate::starts::Starts;
use crate::stopping::StopRules;
use crate::strategy::adaptive::{Ablation, small_population};
use crate::warm_start::WarmStart;

/// How the search distribution moves.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash)]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize))]
#[non_exhaustive]
pub enum Strategy {
    /// The natural gradient by regression of ranks over the latest points: few evaluations.
    #[default]
    Adaptive,
    /// Efficient Natural Evolution Strategies as published.
    Published,
}

impl Strategy {
    /// The default population size in d dimensions.
    ///
    /// Adaptive: where values are modelled (up to d = 40), seven tenths of 4 + ⌊1.5 ln d⌋, at least 3. Where
    /// ranks alone count the largest of 4 + ⌊1.5 ln d⌋, min(d − 7, 13) and ⌊0.8 d⌋ − 14 (beyond 100 dimensions a
    /// quarter more for each), so that the time per evaluation grows as d².
    ///
    /// Published: 2d(d + 1) + 16, four points for each free entry of the covariance; beyond 50
    /// dimensions 20 more for each. It solves the nine unimodal functions of the paper reliably
    /// (measured for d = 1 to 30; at d = 50 all but Rosenbrock's). Well-behaved objectives need fewer:
    /// the paper uses 50, 250 and 1000 at d = 5, 15 and 50.
    ///
    /// ```
    /// use enes::Strategy;
    /// assert_eq!(Strategy::Adaptive.default_population(10), 5); // 7 for ranks alone
    /// assert_eq!(Strategy::Published.default_population(10), 236);
    /// ```
    pub fn default_population(self, d: usize) -> usize {
        match self {
            Self::Adaptive => ModelChoice::Auto.default_population(d),
            Self::Published => crate::strategy::published::default_population(d),
        }
    }
}

/// Whether smaller or larger values are better.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash)]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize))]
pub enum Direction {
    /// Smaller is better.
    #[default]
    Minimize,
    /// Larger is better.
    Maximize,
}

/// Everything a run depends on, besides the objective.
///
/// ```
/// let settings = enes::Settings::new([3.0; 10], 1.0).seed(7).target(1e-10).max_evaluations(50_000);
/// let outcome = enes::minimize(&settings, |x| x.iter().map(|v| v * v).sum())?;
/// assert!(outcome.stop.is_target());
/// # Ok::<(), enes::SettingsError>(())
/// ```
#[derive(Clone, Debug, PartialEq)]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize))]
pub struct Settings {
    /// `None`: the centre of the box.
    pub(crate) x0: Option<Vec<f64>>,
    /// `None`: a quarter of the range.
    pub(crate) scale: Option<Scale>,
    pub(crate) bounds: Option<Bounds>,
    pub(crate) log_scale: LogScale,
    pub(crate) bound_handling: BoundHandling,
    pub(crate) integers: Integers,
    pub(crate) integer_margin: bool,
    pub(crate) strategy: Strategy,
    pub(crate) direction: Direction,
    pub(crate) seed: u64,
    pub(crate) population: Option<usize>,
    pub(crate) learning_rate_mean: f64,
    pub(crate) learning_rate_factor: f64,
    pub(crate) refresh_rate: f64,
    pub(crate) baseline: Baseline,
    pub(crate) shaping: Shaping,
    pub(crate) rules: StopRules,
    pub(crate) restarts: Restarts,
    pub(crate) max_restarts: Option<u64>,
    pub(crate) starts: Starts,
    pub(crate) model: ModelChoice,
    pub(crate) batch: Option<usize>,
    pub(crate) workers: Option<usize>,
    pub(crate) ablation: Option<Ablation>,
    pub(crate) warm_start: Option<WarmStart>,
    pub(crate) noisy: bool,
    /// The machine's, not the run's: no part of a checkpoint.
    #[cfg_attr(feature = "serde", serde(skip, default = "one_thread"))]
    pub(crate) algebra_threads: usize,
}

#[cfg(feature = "serde")]
fn one_thread() -> usize {
    1
}

impl Settings {
    /// Start at `x0` with initial scale `sigma0`: one standard deviation, one per coordinate, or a
    /// full covariance as rows. A third of the range in which you expect the optimum is a good
    /// scale. [`Settings::within`] needs neither where there are bounds.
    pub fn new(x0: impl Into<Vec<f64>>, sigma0: impl Into<Scale>) -> Self {
        Self {
            x0: Some(x0.into()),
            scale: Some(sigma0.into()),
            bounds: None,
            log_scale: false.into(),
            bound_handling: BoundHandling::default(),
            integers: false.into(),
            integer_margin: true,
            strategy: Strategy::default(),
            direction: Direction::default(),
            seed: 0,
            population: None,
            learning_rate_mean: 1.0,
            learning_rate_factor: 1.0,
            refresh_rate: 0.01,
            baseline: Baseline::default(),
            shaping: Shaping::default(),
            rules: StopRules::default(),
            restarts: Restarts::default(),
            max_restarts: None,
            starts: Starts::default(),
            model: ModelChoice::default(),
            batch: None,
            workers: None,
            ablation: None,
            warm_start: None,
            noisy: false,
            algebra_threads: 1,
        }
    }

    /// Threads for the matrix products of `ask` and `tell`, at least 1; they never change a run. Default 1.
    ///
    /// Not to be confused with threads that evaluate the objective ([`minimize_parallel`](crate::minimize_parallel)):
    /// those of the algebra work while nothing is evaluated, on rayon's global pool. They help from about 200
    /// dimensions on, with the strategy `Published` only; less work stays on one thread. A checkpoint does not keep
    /// this choice: after a resume make it again with [`Optimizer::change_limits`](crate::Optimizer::change_limits).
    pub fn algebra_threads(mut self, threads: usize) -> Self {
        self.algebra_threads = threads;
        self
    }

    /// The seed; the same seed gives the same run. Default 0, a seed like any other.
    pub fn seed(mut self, seed: u64) -> Self {
        self.seed = seed;
        self
    }

    /// How the distribution moves. Default: adaptive.
    pub fn strategy(mut self, strategy: Strategy) -> Self {
        self.strategy = strategy;
        self
    }

    /// Whether smaller or larger values are better. Default: smaller.
    pub fn direction(mut self, direction: Direction) -> Self {
        self.direction = direction;
        self
    }

    /// Population size n, at least 2. Default: [`Strategy::default_population`].
    pub fn population(mut self, n: impl Into<Option<usize>>) -> Self {
        self.population = n.into();
        self
    }

    /// The learning rate η of mean and factor alike, positive. Default 1, the paper's choice. This, the
    /// refresh rate, the baseline and the shaping belong to the strategy `Published` only.
    pub fn learning_rate(self, eta: f64) -> Self {
        self.learning_rate_mean(eta).learning_rate_factor(eta)
    }

    /// The learning rate of the mean, positive. Default 1.
    pub fn learning_rate_mean(mut self, eta: f64) -> Self {
        self.learning_rate_mean = eta;
        self
    }

    /// The learning rate of the factor, positive. Default 1.
    pub fn learning_rate_factor(mut self, eta: f64) -> Self {
        self.learning_rate_factor = eta;
        self
    }

    /// The minimal refresh rate α in (0, 1]: at least this share of a generation is expected to be
    /// new. Default 0.01, the paper's choice; 1 switches importance mixing off.
    pub fn refresh_rate(mut self, alpha: f64) -> Self {
        self.refresh_rate = alpha;
        self
    }

    /// The fitness baseline. Default: block baselines.
    pub fn baseline(mut self, baseline: Baseline) -> Self {
        self.baseline = baseline;
        self
    }

    /// The fitness shaping. Default: the paper's.
    pub fn shaping(mut self, shaping: Shaping) -> Self {
        self.shaping = shaping;
        self
    }

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

    /// Stop when every standard deviation is below this (on a log scale that of ln x). Default 1e-11.
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

    /// Stop when best and median have not improved over this many turnovers (n evaluations each).
    /// Default 100 + 100 d^1.5/n.
    pub fn tolstagnation(mut self, turnovers: impl Into<Option<u64>>) -> Self {
        self.rules.tolstagnation = turnovers.into().map(Some);
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

    /// Stop when all values have been equal for this many turnovers (n evaluations each).
    /// Default 1.
    pub fn tolflatfitness(mut self, turnovers: impl Into<Option<u64>>) -> Self {
        self.rules.tolflatfitness = turnovers.into();
        self
    }

    /// Whether to stop when a step no longer changes the mean in floating-point numbers. Default on.
    pub fn noeffect(mut self, on: bool) -> Self {
        self.rules.noeffect = on;
        self
    }

    /// The number of coordinates, fixed ones included.
    pub fn dimension(&self) -> usize {
        let bounded = || self.bounds.as_ref().map_or(0, |b| b.0.len());
        self.x0.as_ref().map_or_else(bounded, Vec::len)
    }

    /// The number of coordinates that are searched: all but those that bounds fix.
    pub fn search_dimension(&self) -> usize {
        let d = self.dimension();
        d - (0..d).filter(|&index| self.is_fixed(index)).count()
    }

    /// The population size of a run with these settings.
    pub fn population_size(&self) -> usize {
        match (self.population, &self.shaping) {
            (Some(n), _) => n,
            (None, Shaping::Table(table)) => table.len(),
            (None, _) => {
                let d = self.search_dimension().max(1);
                match self.strategy {
                    Strategy::Adaptive if self.models_values() => ModelChoice::Auto.default_population(d),
                    Strategy::Adaptive if self.variant().small => small_population(d),
                    Strategy::Adaptive => ModelChoice::RankOnly.default_population(d),
                    Strategy::Published => self.strategy.default_population(d),
                }
            }
        }
    }
}
