//! What a run returns.

use crate::noise::Recommendation;
use crate::optimizer::{ConstraintStatus, Optimizer};
use crate::restarts::{Optimum, Restart};
use crate::stopping::StopReason;

/// The result of a run.
#[derive(Clone, Debug, PartialEq)]
#[non_exhaustive]
pub struct Outcome {
    /// The best point that was evaluated; the mean under noise, and where no value was a number.
    pub point: Vec<f64>,
    /// Its value, under noise the average of its measurements; NaN where no value was a number.
    pub value: f64,
    /// By how much it violates the constraints: the largest of their violations, 0 where there is none; NaN where no value
    /// was a number.
    pub violation: f64,
    /// Whether it violates none by more than [`Settings::catol`](crate::Settings::catol).
    pub feasible: bool,
    /// Every constraint at the best point: value, multiplier, whether it is active. Empty without constraints.
    pub constraints: Vec<ConstraintStatus>,
    /// The standard error of `value`, under noise.
    pub standard_error: Option<f64>,
    /// The best point that was evaluated and its value: the luckiest one under noise.
    pub best: Option<(Vec<f64>, f64)>,
    /// The final mean of the search distribution, of the search that found the best point: often the
    /// better answer under noise.
    pub mean: Vec<f64>,
    /// The final standard deviation of each coordinate.
    pub standard_deviations: Vec<f64>,
    /// How often the objective was evaluated.
    pub evaluations: u64,
    /// Generations completed.
    pub generations: u64,
    /// The population size.
    pub population: usize,
    /// Share of the population that was reused instead of evaluated, first generation aside.
    pub reused_share: f64,
    /// Wall time of the run in seconds.
    pub seconds: f64,
    /// Why the run stopped.
    pub stop: StopReason,
    /// The searches that ended before the last one began.
    pub restarts: Vec<Restart>,
    /// Whether the run has what it was asked for: the target; or, where none was given, a feasible point from a search
    /// that converged, whatever ended the run.
    pub success: bool,
    /// The optima in which searches have converged, the best first; empty under noise.
    pub optima: Vec<Optimum>,
}

impl Outcome {
    pub(crate) fn new(optimizer: &Optimizer, stop: StopReason, seconds: f64) -> Self {
        let (point, value, standard_error) = match optimizer.recommendation() {
            Some(Recommendation { point, value, standard_error }) => (point, value, standard_error),
            None => (optimizer.mean().to_vec(), f64::NAN, None),
        };
        let (mean, standard_deviations) = optimizer.best_search();
        Self {
            point,
            value,
            violation: optimizer.best().map_or(f64::NAN, |best| best.violation),
            feasible: optimizer.best().is_some_and(|best| best.feasible),
            constraints: optimizer.constraints(),
            standard_error,
            best: optimizer.best().map(|best| (best.point.to_vec(), best.value)),
            mean,
            standard_deviations,
            evaluations: optimizer.evaluations(),
            generations: optimizer.generation(),
            population: optimizer.population_size(),
            reused_share: optimizer.reused_share(),
            seconds,
            stop,
            restarts: optimizer.restarts().to_vec(),
            success: optimizer.is_successful(),
            optima: optimizer.optima(),
        }
    }
}
