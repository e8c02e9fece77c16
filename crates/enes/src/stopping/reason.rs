//! Why a run stopped: each reason carries the number that was measured and its threshold.

use std::fmt;

/// Why a run stopped; prints as a sentence.
///
/// ```
/// let reason = enes::StopReason::Target { value: 3e-11, target: 1e-10 };
/// assert_eq!(reason.to_string(), "the target was reached: value 3.000000e-11, target 1e-10");
/// assert_eq!(reason.name(), "ftarget");
/// ```
#[derive(Clone, Debug, PartialEq)]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize))]
#[non_exhaustive]
#[allow(missing_docs)] // the fields are what the sentence says
pub enum StopReason {
    /// The best value is at least as good as the target (`ftarget`).
    Target { value: f64, target: f64 },
    /// The budget of evaluations is spent (`maxfevals`).
    MaxEvaluations { evaluations: u64, limit: u64 },
    /// The budget of generations is spent (`maxiter`).
    MaxGenerations { generations: u64, limit: u64 },
    /// The time is up (`timeout`).
    MaxTime { seconds: f64, limit: f64 },
    /// Every standard deviation is below the tolerance (`tolx`).
    TolX { largest: f64, tolerance: f64 },
    /// The population and the recent best values differ by less than the tolerance (`tolfun`); or, where bounds or constraints
    /// hold the search, so that the population differs by its distance from them, a certain model promises less.
    TolFun { range: f64, tolerance: f64 },
    /// The recent best values differ by less than the tolerance (`tolfunhist`).
    TolFunHist { range: f64, tolerance: f64, populations: usize },
    /// Neither the best nor the median value has improved for long (`tolstagnation`).
    Stagnation { populations: usize, limit: usize },
    /// The covariance is too ill-conditioned to compute with (`tolconditioncov`).
    Condition { condition: f64, limit: f64 },
    /// A fifth of a standard deviation no longer changes this coordinate of the mean
    /// (`noeffectcoord`).
    NoEffectCoordinate { coordinate: usize, deviation: f64, mean: f64 },
    /// A tenth of a row of the factor no longer changes any coordinate of the mean (`noeffectaxis`).
    NoEffectAxis { row: usize, length: f64 },
    /// A standard deviation has grown too far beyond its initial value (`tolfacupx`).
    Divergence { coordinate: usize, factor: f64, limit: f64 },
    /// The update would have left the valid distributions (`degenerate`).
    DegenerateFactor { row: usize, diagonal: f64 },
    /// Populations of equal values make up too many evaluations since the best value fell (`tolflatfitness`).
    FlatFitness { evaluations: u64, limit: u64 },
    /// Not one of the latest values is a finite number (`nofinitevalue`).
    NoFiniteValue { evaluations: u64, nan: u64 },
    /// The models of this search have shown no more skill than noise would (`nosignal`); only while
    /// restarts are on.
    NoSignal { generations: u64, limit: usize },
    /// The search has stalled above the best of an earlier one (`hopeless`): what it still varies by is little
    /// against what it lacks. Only while restarts are on.
    Hopeless { range: f64, lacking: f64 },
    /// The search has entered the basin of an optimum that an earlier one has found (`knownoptimum`). Only while restarts
    /// are on.
    KnownOptimum { optimum: usize, value: f64 },
    /// All points there are were evaluated (`allevaluated`): every coordinate is an integer between bounds.
    AllEvaluated { points: u64 },
    /// So many searches in a row have ended in the best optimum (`same_optimum`); fewer than the limit where they were all there
    /// are, and another one would have taken the run beyond three times the evaluations of the first.
    SameOptimum { searches: u64, limit: u64 },
    /// So few unseen optima are expected that are better than all that were seen (`unseen_optima`).
    NoBetterOptimum { searches: u64, optima: u64, unseen: f64, limit: f64 },
    /// The function that gives the starts of restarts gave none that can be used (`startrule`).
    StartRule { restart: u64, what: String },
    /// An observer asked to stop (`callback`).
    Observer { generation: u64 },
}

impl StopReason {
    /// A short name, pycma's where it has one.
    pub fn name(&self) -> &'static str {
        match self {
            Self::Target { .. } => "ftarget",
            Self::MaxEvaluations { .. } => "maxfevals",
            Self::MaxGenerations { .. } => "maxiter",
            Self::MaxTime { .. } => "timeout",
            Self::TolX { .. } => "tolx",
            Self::TolFun { .. } => "tolfun",
            Self::TolFunHist { .. } => "tolfunhist",
            Self::Stagnation { .. } => "tolstagnation",
            Self::Condition { .. } => "tolconditioncov",
            Self::NoEffectCoordinate { .. } => "noeffectcoord",
            Self::NoEffectAxis { .. } => "noeffectaxis",
            Self::Divergence { .. } => "tolfacupx",
            Self::DegenerateFactor { .. } => "degenerate",
            Self::FlatFitness { .. } => "tolflatfitness",
            Self::NoFiniteValue { .. } => "nofinitevalue",
            Self::NoSignal { .. } => "nosignal",
            Self::Hopeless { .. } => "hopeless",
            Self::KnownOptimum { .. } => "knownoptimum",
            Self::AllEvaluated { .. } => "allevaluated",
            Self::SameOptimum { .. } => "same_optimum",
            Self::NoBetterOptimum { .. } => "unseen_optima",
            Self::StartRule { .. } => "startrule",
            Self::Observer { .. } => "callback",
        }
    }

    /// The threshold that was crossed; the measured number where a reason has no threshold.
    pub fn threshold(&self) -> f64 {
        match *self {
            Self::Target { target, .. } => target,
            Self::MaxEvaluations { limit, .. } => limit as f64,
            Self::MaxGenerations { limit, .. } => limit as f64,
            Self::MaxTime { limit, .. } => limit,
            Self::TolX { tolerance, .. }
            | Self::TolFun { tolerance, .. }
            | Self::TolFunHist { tolerance, .. } => tolerance,
            Self::Stagnation { limit, .. } => limit as f64,
            Self::Condition { limit, .. } | Self::Divergence { limit, .. } => limit,
            Self::NoEffectCoordinate { deviation, .. } => deviation,
            Self::NoEffectAxis { length, .. } => length,
            Self::DegenerateFactor { diagonal, .. } => diagonal,
            Self::FlatFitness { limit, .. } => limit as f64,
            Self::NoFiniteValue { evaluations, .. } => evaluations as f64,
            Self::NoSignal { limit, .. } => limit as f64,
            Self::Hopeless { lacking, .. } => lacking,
            Self::KnownOptimum { value, .. } => value,
            Self::AllEvaluated { points } => points as f64,
            Self::SameOptimum { limit, .. } => limit as f64,
            Self::NoBetterOptimum { limit, .. } => limit,
            Self::StartRule { restart, .. } => restart as f64,
            Self::Observer { generation } => generation as f64,
        }
    }

    /// Whether the user's own limit ended the run, a target or a budget, and not the search itself.
    pub fn is_limit(&self) -> bool {
        matches!(
            self,
            Self::Target { .. }
                | Self::MaxEvaluations { .. }
                | Self::MaxGenerations { .. }
                | Self::MaxTime { .. }
        )
    }

    /// Whether the search that ended for this reason has converged to a point, or is known to be on its way to one
    /// in which another has.
    pub fn is_convergence(&self) -> bool {
        matches!(
            self,
            Self::TolX { .. }
                | Self::TolFun { .. }
                | Self::TolFunHist { .. }
                | Self::NoEffectCoordinate { .. }
                | Self::NoEffectAxis { .. }
                | Self::KnownOptimum { .. }
                | Self::AllEvaluated { .. }
                | Self::SameOptimum { .. }
                | Self::NoBetterOptimum { .. }
        )
    }

    /// Whether the run met its target.
    pub fn is_target(&self) -> bool {
        matches!(self, Self::Target { .. })
    }
}

impl fmt::Display for StopReason {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Target { value, target } => {
                write!(f, "the target was reached: value {value:.6e}, target {target:e}")
            }
            Self::MaxEvaluations { evaluations, limit } => {
                write!(f, "the budget is spent: {evaluations} of {limit} evaluations")
            }
            Self::MaxGenerations { generations, limit } => {
                write!(f, "the budget is spent: {generations} of {limit} generations")
            }
            Self::MaxTime { seconds, limit } => {
                write!(f, "the time is up: {seconds:.1} of {limit} seconds")
            }
            Self::TolX { largest, tolerance } => write!(
                f,
                "the search has narrowed to a point: largest standard deviation {largest:.1e}, \
                 tolx {tolerance:e}"
            ),
            Self::TolFun { range, tolerance } => write!(
                f,
                "values no longer differ: range {range:.1e} over the population and the recent \
                 best values, tolfun {tolerance:e}"
            ),
            Self::TolFunHist { range, tolerance, populations } => write!(
                f,
                "the best value no longer improves: range {range:.1e} over {populations} population \
                 sizes of evaluations, tolfunhist {tolerance:e}"
            ),
            Self::Stagnation { populations, limit } => write!(
                f,
                "stagnation: best and median value are no better than {populations} population \
                 sizes of evaluations ago, tolstagnation {limit}"
            ),
            Self::Condition { condition, limit } => write!(
                f,
                "the covariance is ill-conditioned: condition number at least {condition:.1e}, \
                 tolconditioncov {limit:e}"
            ),
            Self::NoEffectCoordinate { coordinate, deviation, mean } => write!(
                f,
                "the search is finer than the numbers: a fifth of the standard deviation \
                 {deviation:.1e} does not change coordinate {coordinate} of the mean, {mean}"
            ),
            Self::NoEffectAxis { row, length } => write!(
                f,
                "the search is finer than the numbers: a tenth of row {row} of the factor, length \
                 {length:.1e}, does not change the mean"
            ),
            Self::Divergence { coordinate, factor, limit } => write!(
                f,
                "divergence: the standard deviation of coordinate {coordinate} has grown {factor:.1e} \
                 times, tolfacupx {limit:e}; start with a larger sigma0 or look for an unbounded \
                 objective"
            ),
            Self::DegenerateFactor { row, diagonal } => write!(
                f,
                "the distribution would have become degenerate: row {row} of the factor with \
                 diagonal {diagonal:e}; lower the learning rate"
            ),
            Self::FlatFitness { evaluations, limit } => write!(
                f,
                "the objective is flat: {evaluations} evaluations in populations of equal values since the best one, \
                 limit {limit}; start elsewhere or with a larger sigma0"
            ),
            Self::NoFiniteValue { evaluations, nan } => write!(
                f,
                "no finite value in {evaluations} evaluations: {nan} are NaN, the rest infinite; the \
                 objective is undefined or unbounded around the start"
            ),
            Self::NoSignal { generations, limit } => write!(
                f,
                "nothing but noise was seen for {generations} generations, limit {limit}: a larger \
                 population will see more"
            ),
            Self::Hopeless { range, lacking } => write!(
                f,
                "stalled {lacking:.1e} above an earlier search: its best values vary by {range:.1e}"
            ),
            Self::KnownOptimum { value, .. } => {
                write!(f, "in the basin of an optimum that is known, value {value:.6e}")
            }
            Self::AllEvaluated { points } => write!(f, "all {points} points there are were evaluated"),
            Self::SameOptimum { searches, limit } if searches < limit => write!(
                f,
                "all {searches} searches ended in the same optimum, and another one would take the run beyond three \
                 times the evaluations of the first"
            ),
            Self::SameOptimum { searches, .. } => {
                write!(f, "{searches} searches ended in the same optimum")
            }
            Self::NoBetterOptimum { searches, optima, unseen, limit } => write!(
                f,
                "{searches} searches ended in {optima} optima: {unseen:.2} better ones are expected among those not \
                 seen, unseen_optima {limit}"
            ),
            Self::StartRule { restart, what } => {
                write!(f, "restart {restart} has no start that can be used: {what}")
            }
            Self::Observer { generation } => {
                write!(f, "an observer asked to stop at generation {generation}")
            }
        }
    }
}
