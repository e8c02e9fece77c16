//! The loops: ask, evaluate, tell, until there is a reason to stop. The clock and the observers
//! live here.

mod constrained;
#[cfg(feature = "rayon")]
mod parallel;
mod with_constraints;

pub use constrained::minimize_constrained;
#[cfg(feature = "rayon")]
pub use constrained::minimize_constrained_parallel;
#[cfg(feature = "rayon")]
pub use parallel::{minimize_parallel, minimize_parallel_sync};
pub use with_constraints::minimize_with_constraints;

use std::convert::Infallible;
use std::fmt;
use std::ops::ControlFlow;
use std::time::Instant;

use crate::error::SettingsError;
use crate::optimizer::Optimizer;
use crate::outcome::Outcome;
use crate::search::Points;
use crate::settings::{Direction, Settings};
use crate::stopping::StopReason;

/// Minimize an objective.
///
/// # Errors
/// A setting that cannot be used.
///
/// ```
/// let outcome = enes::minimize(&enes::Settings::new([3.0; 4], 1.0), |x| x.iter().map(|v| v * v).sum())?;
/// println!("{:?} {} because {}", outcome.point, outcome.value, outcome.stop);
/// # Ok::<(), enes::SettingsError>(())
/// ```
pub fn minimize(settings: &Settings, objective: impl FnMut(&[f64]) -> f64) -> Result<Outcome, SettingsError> {
    Run::new(settings).minimize(objective)
}

/// Maximize an objective; target and values keep their sign.
///
/// # Errors
/// A setting that cannot be used.
///
/// ```
/// let settings = enes::Settings::new([3.0; 4], 1.0).target(0.999);
/// let outcome = enes::maximize(&settings, |x| (-x.iter().map(|v| v * v).sum::<f64>()).exp())?;
/// assert!(outcome.value >= 0.999);
/// # Ok::<(), enes::SettingsError>(())
/// ```
pub fn maximize(settings: &Settings, objective: impl FnMut(&[f64]) -> f64) -> Result<Outcome, SettingsError> {
    let settings = settings.clone().direction(Direction::Maximize);
    Run::new(&settings).minimize(objective)
}

/// Minimize an objective that takes all points of a generation at once and fills in their values.
///
/// # Errors
/// A setting that cannot be used.
///
/// ```
/// let outcome = enes::minimize_batch(&enes::Settings::new([3.0; 4], 1.0), |points, values| {
///     for (x, value) in points.iter().zip(values) {
///         *value = x.iter().map(|v| v * v).sum();
///     }
/// })?;
/// assert!(outcome.value < 1e-8);
/// # Ok::<(), enes::SettingsError>(())
/// ```
pub fn minimize_batch(
    settings: &Settings,
    objective: impl FnMut(Points<'_>, &mut [f64]),
) -> Result<Outcome, SettingsError> {
    Run::new(settings).minimize_batch(objective)
}

/// Minimize an objective that may fail; its first error ends the run and comes back with the best
/// so far.
///
/// # Errors
/// A setting that cannot be used, or the objective's own error.
///
/// ```
/// use enes::{try_minimize, MinimizeError, Settings};
/// let mut calls = 0;
/// let failed = try_minimize(&Settings::new([3.0; 4], 1.0), |x| {
///     calls += 1;
///     if calls > 100 { Err("the simulator crashed") } else { Ok(x[0].abs()) }
/// });
/// let Err(MinimizeError::Objective { error, partial }) = failed else { panic!() };
/// assert_eq!((error, partial.evaluations), ("the simulator crashed", 100));
/// ```
pub fn try_minimize<E>(
    settings: &Settings,
    objective: impl FnMut(&[f64]) -> Result<f64, E>,
) -> Result<Outcome, MinimizeError<E>> {
    Run::new(settings).try_minimize(objective)
}

/// Why a fallible run has no outcome.
#[derive(Clone, Debug, PartialEq)]
#[non_exhaustive]
pub enum MinimizeError<E> {
    /// A setting that cannot be used.
    Settings(SettingsError),
    /// The objective failed.
    Objective {
        /// What the objective returned.
        error: E,
        /// What had been found until then.
        partial: Box<Partial>,
    },
}

/// What a run had found when its objective failed.
#[derive(Clone, Debug, PartialEq)]
#[non_exhaustive]
pub struct Partial {
    /// The best point so far; the mean where no value was a number.
    pub point: Vec<f64>,
    /// Its value; NaN where no value was a number.
    pub value: f64,
    /// By how much it violates the constraints: 0 where it is feasible, NaN where no value was a number.
    pub violation: f64,
    /// Successful evaluations.
    pub evaluations: u64,
    /// Complete generations.
    pub generations: u64,
}

impl<E: fmt::Display> fmt::Display for MinimizeError<E> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Settings(error) => error.fmt(f),
            Self::Objective { error, partial } => write!(
                f,
                "the objective failed after {} evaluations: {error}; best value so far {}{}",
                partial.evaluations,
                partial.value,
                if partial.violation > 0.0 { ", infeasible" } else { "" }
            ),
        }
    }
}

impl<E: fmt::Display + fmt::Debug> std::error::Error for MinimizeError<E> {}

impl MinimizeError<Infallible> {
    /// The error of a run whose objective cannot fail.
    pub(crate) fn only_settings(self) -> SettingsError {
        match self {
            Self::Settings(error) => error,
            Self::Objective { error, .. } => match error {},
        }
    }
}

/// So many threads, or as many as the machine has cores.
#[cfg(feature = "rayon")]
pub(crate) fn pool(threads: usize) -> Result<rayon::ThreadPool, SettingsError> {
    let pool = rayon::ThreadPoolBuilder::new().num_threads(threads).build();
    pool.map_err(|e| SettingsError::Threads { threads, reason: e.to_string() })
}

type Observer<'a> = Box<dyn FnMut(&Optimizer) -> ControlFlow<()> + 'a>;

/// A run with observers.
///
/// ```
/// use std::ops::ControlFlow;
/// let mut means = Vec::new();
/// let outcome = enes::Run::new(&enes::Settings::new([3.0; 4], 1.0))
///     .observe(|es| {
///         means.push(es.mean().to_vec());
///         if es.generation() < 5 { ControlFlow::Continue(()) } else { ControlFlow::Break(()) }
///     })
///     .minimize(|x| x.iter().map(|v| v * v).sum())?;
/// assert_eq!(outcome.generations, 5);
/// assert_eq!(means.len(), 5);
/// # Ok::<(), enes::SettingsError>(())
/// ```
pub struct Run<'a> {
    settings: &'a Settings,
    observers: Vec<Observer<'a>>,
}

impl fmt::Debug for Run<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let observers = self.observers.len();
        f.debug_struct("Run").field("settings", self.settings).field("observers", &observers).finish()
    }
}

impl<'a> Run<'a> {
    /// A run with these settings, in their direction.
    pub fn new(settings: &'a Settings) -> Self {
        Self { settings, observers: Vec::new() }
    }

    /// Call this once a generation; `Break` stops the run.
    pub fn observe(mut self, observer: impl FnMut(&Optimizer) -> ControlFlow<()> + 'a) -> Self {
        self.observers.push(Box::new(observer));
        self
    }

    /// Evaluate one point at a time.
    ///
    /// # Errors
    /// A setting that cannot be used.
    pub fn minimize(self, mut objective: impl FnMut(&[f64]) -> f64) -> Result<Outcome, SettingsError> {
        self.minimize_batch(|points, values| {
            for (x, value) in points.iter().zip(values) {
                *value = objective(x);
            }
        })
    }

    /// Evaluate all points of a generation at once. Values left alone are NaN, and rank last.
    ///
    /// # Errors
    /// A setting that cannot be used.
    pub fn minimize_batch(
        self,
        mut objective: impl FnMut(Points<'_>, &mut [f64]),
    ) -> Result<Outcome, SettingsError> {
        let evaluate = |points: Points<'_>, values: &mut [f64], _: &mut [f64]| {
            objective(points, values);
            Ok(())
        };
        self.run(Beside::Nothing, evaluate).map_err(MinimizeError::only_settings)
    }

    /// Evaluate one point at a time with an objective that may fail.
    ///
    /// # Errors
    /// A setting that cannot be used, or the objective's own error.
    pub fn try_minimize<E>(
        self,
        mut objective: impl FnMut(&[f64]) -> Result<f64, E>,
    ) -> Result<Outcome, MinimizeError<E>> {
        self.run(Beside::Nothing, |points, values, _| {
            for (i, (x, value)) in points.iter().zip(values).enumerate() {
                *value = objective(x).map_err(|error| (error, i))?;
            }
            Ok(())
        })
    }

    /// The loop. `evaluate` fills in values and what comes beside them; it reports with its error how many it had
    /// computed.
    pub(crate) fn run<E>(
        mut self,
        beside: Beside,
        mut evaluate: impl FnMut(Points<'_>, &mut [f64], &mut [f64]) -> Result<(), (E, usize)>,
    ) -> Result<Outcome, MinimizeError<E>> {
        let start = Instant::now();
        beside.check(self.settings).map_err(MinimizeError::Settings)?;
        let mut optimizer = Optimizer::new(self.settings).map_err(MinimizeError::Settings)?;
        let width = beside.width(self.settings);
        let mut values = Vec::with_capacity(optimizer.population_size());
        let mut others = Vec::new();
        loop {
            let done = optimizer.evaluations();
            let left = self.settings.rules.max_evaluations.map(|limit| limit - done.min(limit));
            let points = optimizer.ask();
            let affordable = left.map_or(points.len(), |l| points.len().min(l as usize));
            values.clear();
            values.resize(affordable, f64::NAN);
            others.clear();
            others.resize(affordable * width, beside.left_alone());
            let d = points.dimension();
            let affordable_points = Points::new(&points.as_slice()[..affordable * d], d);
            let complete = affordable == points.len();
            if let Err((error, computed)) = evaluate(affordable_points, &mut values, &mut others) {
                let spent = StopReason::Observer { generation: optimizer.generation() };
                beside.tell(&mut optimizer, &values[..computed], &others[..computed * width], Some(spent));
                return Err(MinimizeError::Objective { error, partial: Box::new(Partial::new(&optimizer)) });
            }
            let limit = done + affordable as u64;
            let spent = (!complete).then_some(StopReason::MaxEvaluations { evaluations: limit, limit });
            beside.tell(&mut optimizer, &values, &others, spent);
            let asked_to_stop = self.notify(&optimizer);
            let stop = optimizer.stop_reason().cloned().or(asked_to_stop);
            let seconds = start.elapsed().as_secs_f64();
            if let Some(stop) = stop.or_else(|| self.time_is_up(seconds)) {
                return Ok(Outcome::new(&optimizer, stop, seconds));
            }
        }
    }

    /// Every observer sees every generation, also the one in which another asked to stop.
    fn notify(&mut self, optimizer: &Optimizer) -> Option<StopReason> {
        let mut stop = false;
        for observer in &mut self.observers {
            stop |= observer(optimizer).is_break();
        }
        stop.then_some(StopReason::Observer { generation: optimizer.generation() })
    }

    fn time_is_up(&self, seconds: f64) -> Option<StopReason> {
        let limit = self.settings.rules.max_seconds.filter(|&l| seconds >= l)?;
        Some(StopReason::MaxTime { seconds, limit })
    }
}

impl Partial {
    fn new(optimizer: &Optimizer) -> Self {
        let best = optimizer.best();
        Self {
            point: best.map_or(optimizer.mean(), |b| b.point).to_vec(),
            value: best.map_or(f64::NAN, |b| b.value),
            violation: best.map_or(f64::NAN, |b| b.violation),
            evaluations: optimizer.evaluations(),
            generations: optimizer.generation(),
        }
    }
}

/// What an objective tells beside its value.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Beside {
    Nothing,
    /// A total violation.
    Violation,
    /// The value of each constraint that the settings declare.
    Constraints,
}

impl Beside {
    /// How many numbers that is for each point.
    fn width(self, settings: &Settings) -> usize {
        match self {
            Self::Nothing => 0,
            Self::Violation => 1,
            Self::Constraints => settings.constraint_count(),
        }
    }

    /// What such a number is where the objective leaves it alone.
    fn left_alone(self) -> f64 {
        if self == Self::Constraints { f64::NAN } else { 0.0 }
    }

    /// Whether the settings go with it.
    fn check(self, settings: &Settings) -> Result<(), SettingsError> {
        if self == Self::Violation && settings.noisy {
            return Err(SettingsError::NoisyConstraints);
        }
        match settings.constraint_count() {
            declared if declared > 0 && self != Self::Constraints => {
                Err(SettingsError::ConstraintsNotTold { declared })
            }
            _ => Ok(()),
        }
    }

    /// Tell it; with a reason to stop, for the first points only.
    fn tell(self, optimizer: &mut Optimizer, values: &[f64], others: &[f64], stop: Option<StopReason>) {
        let told = match (self, stop) {
            (Self::Nothing, None) => optimizer.tell(values),
            (Self::Violation, None) => optimizer.tell_constrained(values, others),
            (Self::Constraints, None) => optimizer.tell_with_constraints(values, others),
            (Self::Nothing, Some(stop)) => optimizer.tell_and_stop(values, stop),
            (Self::Violation, Some(stop)) => optimizer.tell_and_stop_constrained(values, others, stop),
            (Self::Constraints, Some(stop)) => optimizer.tell_and_stop_with_constraints(values, others, stop),
        };
        told.expect("invariant: at most one value for each point asked, and what goes with it");
    }
}
