//! What the user chose: a builder, checked once, and what follows from it.

mod checks;
mod constraints;
mod coordinates;
mod cost;
#[cfg(feature = "serde")]
mod file;
mod model;
mod params;
mod restarts;
mod starts;
mod stop_rules;
mod summary;
mod warm_start;

pub use constraints::ConstraintNames;
pub use cost::GenerationCost;
#[cfg(feature = "serde")]
pub use file::SettingsFile;
pub use model::ModelChoice;
pub(crate) use params::Params;
pub use restarts::Restarts;
pub(crate) use starts::Starts;
pub use summary::SettingsSummary;
pub(crate) use warm_start::Table;
pub use warm_start::WarmStart;

use crate::error::SettingsError;
use crate::space::{BoundHandling, Bounds, Integers, LogScale, Scale};
use crate::stopping::StopRules;
use crate::strategy::adaptive::Tuning;
use crate::strategy::published::{self, Baseline, Shaping};

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
    /// Adaptive: with a surrogate (up to d = 40), seven tenths of 4 + ⌊1.5 ln d⌋, at least 3. In rank-based
    /// mode the largest of 4 + ⌊1.5 ln d⌋, min(d − 7, 13) and ⌊0.8 d⌋ − 14; beyond 40 dimensions
    /// 4 + ⌊3 ln d⌋, CMA-ES's size.
    ///
    /// Published: 2d(d + 1) + 16, four points for each free entry of the covariance; beyond 50
    /// dimensions 20 more for each. It solves the nine unimodal functions of the paper reliably
    /// (measured for d = 1 to 30; at d = 50 all but Rosenbrock's). Well-behaved objectives need fewer:
    /// the paper uses 50, 250 and 1000 at d = 5, 15 and 50.
    ///
    /// ```
    /// use enes::Strategy;
    /// assert_eq!(Strategy::Adaptive.default_population(10), 5); // 7 in rank-based mode
    /// assert_eq!(Strategy::Published.default_population(10), 236);
    /// ```
    pub fn default_population(self, d: usize) -> usize {
        match self {
            Self::Adaptive => ModelChoice::Auto.default_population(d),
            Self::Published => published::default_population(d),
        }
    }

    /// The name, as the command line and Python write it.
    pub fn name(self) -> &'static str {
        match self {
            Self::Adaptive => "adaptive",
            Self::Published => "published",
        }
    }

    /// By how much a deviation may grow beyond its initial value, where the user does not say: pycma's number for the
    /// published strategy. The adaptive one multiplies its step by up to e in a generation, so that a search which must
    /// go a thousand initial deviations far overshoots that on its way.
    fn default_growth_limit(self) -> f64 {
        match self {
            Self::Published => 1e3,
            Self::Adaptive => 1e5,
        }
    }

    /// How many populations of equal values end a search, where the user does not say: the adaptive strategy looks twice as
    /// far after each, so that ten of them are a thousand times as far.
    fn default_flat_limit(self) -> u64 {
        match self {
            Self::Published => 1,
            Self::Adaptive => 10,
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
    pub(crate) one_hot: Vec<Vec<usize>>,
    pub(crate) declared: constraints::Declared,
    pub(crate) strategy: Strategy,
    pub(crate) direction: Direction,
    pub(crate) seed: u64,
    pub(crate) population: Option<usize>,
    pub(crate) auto_population: bool,
    pub(crate) learning_rate_mean: f64,
    pub(crate) learning_rate_factor: f64,
    pub(crate) adaptive_learning_rate: bool,
    pub(crate) refresh_rate: f64,
    pub(crate) drift_correction: bool,
    pub(crate) baseline: Baseline,
    pub(crate) shaping: Shaping,
    pub(crate) rules: StopRules,
    pub(crate) restarts: Restarts,
    pub(crate) max_restarts: Option<u64>,
    pub(crate) starts: Starts,
    pub(crate) model: ModelChoice,
    pub(crate) batch: Option<usize>,
    pub(crate) workers: Option<usize>,
    pub(crate) warm_start: Option<WarmStart>,
    pub(crate) noisy: bool,
    /// Not a user's choice: for measurements, and no part of a checkpoint.
    #[cfg_attr(feature = "serde", serde(skip))]
    pub(crate) tuning: Tuning,
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
            one_hot: Vec::new(),
            declared: constraints::Declared::default(),
            strategy: Strategy::default(),
            direction: Direction::default(),
            seed: 0,
            population: None,
            auto_population: false,
            learning_rate_mean: 1.0,
            learning_rate_factor: 1.0,
            adaptive_learning_rate: false,
            refresh_rate: 0.01,
            drift_correction: false,
            baseline: Baseline::default(),
            shaping: Shaping::default(),
            rules: StopRules::default(),
            restarts: Restarts::default(),
            max_restarts: None,
            starts: Starts::default(),
            model: ModelChoice::default(),
            batch: None,
            workers: None,
            warm_start: None,
            noisy: false,
            tuning: Tuning::default(),
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

    /// Beyond the paper: whether the population grows within a search, up to 16 times, while the natural gradient is more
    /// noise than signal, and shrinks again where it is not. A search begins with [`Settings::population`], or with the
    /// default; one that follows it by IPOP with twice as many. With the strategy `Published` only, whose paper has none
    /// of it; the adaptive one chooses its population anyway. Default: no (docs/method/published.md).
    ///
    /// ```
    /// use enes::{Settings, Strategy};
    /// let settings = Settings::new([3.0; 5], 1.0).strategy(Strategy::Published).auto_population(true).target(1e-10);
    /// assert!(enes::minimize(&settings, |x| x.iter().map(|v| v * v).sum())?.stop.is_target());
    /// # Ok::<(), enes::SettingsError>(())
    /// ```
    pub fn auto_population(mut self, auto: bool) -> Self {
        self.auto_population = auto;
        self
    }

    /// Beyond the paper: whether learning rates are multiplied by the ratio of signal to noise in the natural gradient,
    /// between 0.01 and 3. With the strategy `Published` only. Default: no (docs/method/published.md).
    ///
    /// ```
    /// use enes::{Settings, Strategy};
    /// let settings = Settings::new([3.0; 5], 1.0).strategy(Strategy::Published).target(1e-10);
    /// let outcome = enes::minimize(&settings.adaptive_learning_rate(true), |x| x.iter().map(|v| v * v).sum())?;
    /// assert!(outcome.stop.is_target());
    /// # Ok::<(), enes::SettingsError>(())
    /// ```
    pub fn adaptive_learning_rate(mut self, adaptive: bool) -> Self {
        self.adaptive_learning_rate = adaptive;
        self
    }

    /// The learning rate η of mean and factor alike, positive. Default 1, the paper's choice. This, the
    /// refresh rate, the drift correction, the baseline and the shaping belong to the strategy `Published` only.
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

    /// Beyond the paper: whether the step size gets back what importance mixing takes from it, in three dimensions and
    /// more. Curved valleys and ridges take fewer evaluations then, other functions somewhat more. Default: no, as
    /// published (docs/method/published.md).
    ///
    /// ```
    /// use enes::{Settings, Strategy};
    /// let settings = Settings::new([3.0; 5], 1.0).strategy(Strategy::Published).drift_correction(true).target(1e-10);
    /// assert!(enes::minimize(&settings, |x| x.iter().map(|v| v * v).sum())?.stop.is_target());
    /// # Ok::<(), enes::SettingsError>(())
    /// ```
    pub fn drift_correction(mut self, corrected: bool) -> Self {
        self.drift_correction = corrected;
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

    /// Whether values are measurements with noise: points are measured again and averaged, learning rates
    /// and population follow the noise, and the result is the mean. Default: no.
    ///
    /// There is no surrogate then: the search is in rank-based mode, whatever [`Settings::model`] says, with the
    /// default population of that mode, and a [`Settings::batch`] is refused. So are restarts and constraints.
    ///
    /// ```
    /// let settings = enes::Settings::new([3.0; 4], 1.0).noisy(true).max_evaluations(2000);
    /// let mut state = 1u64;
    /// let mut noise = || {
    ///     state = state.wrapping_mul(6364136223846793005).wrapping_add(1442695040888963407);
    ///     (state >> 11) as f64 / (1u64 << 53) as f64 - 0.5
    /// };
    /// let outcome = enes::minimize(&settings, |x| x.iter().map(|v| v * v).sum::<f64>() + noise())?;
    /// assert!(outcome.point.iter().map(|v| v * v).sum::<f64>() < 0.1); // the mean, without the noise
    /// println!("{} ± {}", outcome.value, outcome.standard_error.unwrap_or(f64::NAN));
    /// # Ok::<(), enes::SettingsError>(())
    /// ```
    pub fn noisy(mut self, noisy: bool) -> Self {
        self.noisy = noisy;
        self
    }

    /// Steering constants other than the default: for measurements, not for use.
    #[cfg(any(test, feature = "tuning"))]
    #[doc(hidden)]
    pub fn tuning(mut self, tuning: Tuning) -> Self {
        self.tuning = tuning;
        self
    }

    /// Check every setting.
    ///
    /// # Errors
    /// The first setting that cannot be used, with its value and the remedy.
    pub fn validate(&self) -> Result<(), SettingsError> {
        let params = Params::new(self)?;
        params.first_search(self).map(|_| ())
    }
}
