//! Errors: one variant per rule; each names the field, the value and the remedy.

mod distribution;
mod told;

pub use distribution::DistributionError;
pub use told::{AskError, TellError};

/// A setting that cannot be used.
#[derive(Clone, Debug, PartialEq, thiserror::Error)]
#[non_exhaustive]
pub enum SettingsError {
    /// The start point has no coordinates.
    #[error("x0 is empty: give at least one coordinate")]
    EmptyStart,
    /// A coordinate of the start point is NaN or infinite.
    #[error("x0[{index}] must be finite, got {value}: start from a point you could evaluate")]
    StartNotFinite {
        /// Which coordinate.
        index: usize,
        /// What it was.
        value: f64,
    },
    /// A standard deviation is not a positive finite number.
    #[error(
        "sigma0{} must be positive and finite, got {value}: use about a third of the range in which \
         you expect the optimum", index.map(|i| format!("[{i}]")).unwrap_or_default()
    )]
    ScaleNotPositive {
        /// Which coordinate, where there is one scale per coordinate.
        index: Option<usize>,
        /// What it was.
        value: f64,
    },
    /// A tenth of a standard deviation does not change a coordinate of the start.
    #[error(
        "sigma0 of coordinate {index}, {deviation:e}, is finer than the numbers around its start, {start}: give at least \
         {least:.0e}, subtract what is constant, or fix the coordinate by equal bounds"
    )]
    ScaleTooFine {
        /// Which coordinate.
        index: usize,
        /// Its initial standard deviation.
        deviation: f64,
        /// Where it starts.
        start: f64,
        /// The least deviation that can be used there.
        least: f64,
    },
    /// There are next to no numbers between two bounds.
    #[error(
        "the bounds of coordinate {index}, [{lower}, {upper}], are {width:.1e} apart, and there are hardly any numbers \
         between them: make them equal to fix it"
    )]
    BoundsTooClose {
        /// Which coordinate.
        index: usize,
        /// Its lower bound.
        lower: f64,
        /// Its upper bound.
        upper: f64,
        /// How far they are apart.
        width: f64,
    },
    /// The scale has another length than the start point.
    #[error("sigma0 has {got} {what}, x0 has {dimension} coordinates: they must match")]
    ScaleLength {
        /// Rows or entries given.
        got: usize,
        /// `entries` or `rows`.
        what: &'static str,
        /// Coordinates of x0.
        dimension: usize,
    },
    /// The initial covariance differs from its transpose.
    #[error("sigma0[{row}][{column}] differs from its mirror image: a covariance is symmetric")]
    CovarianceNotSymmetric {
        /// Row of the entry.
        row: usize,
        /// Column of the entry.
        column: usize,
    },
    /// The initial covariance is not positive definite.
    #[error(
        "the covariance given as sigma0 is not positive definite (pivot {pivot}): every direction \
         needs a positive variance"
    )]
    CovarianceNotPositive {
        /// The first pivot of the Cholesky factorisation that is not positive.
        pivot: usize,
    },
    /// There is no start, and the box has no centre.
    #[error(
        "x0 is missing, and coordinate {index} is not bounded on both sides, so that the box has no centre: \
         give x0"
    )]
    NoStart {
        /// Which coordinate.
        index: usize,
    },
    /// There is no scale, and the box has no width.
    #[error(
        "sigma0 is missing, and coordinate {index} is not bounded on both sides, so that there is no range to \
         take a quarter of: give sigma0"
    )]
    NoScale {
        /// Which coordinate.
        index: usize,
    },
    /// The start point lies outside the bounds.
    #[error(
        "x0[{index}] = {value} lies outside its bounds [{lower}, {upper}]: move it inside, or widen the bounds"
    )]
    StartOutside {
        /// Which coordinate.
        index: usize,
        /// What it was.
        value: f64,
        /// Its lower bound.
        lower: f64,
        /// Its upper bound.
        upper: f64,
    },
    /// The start point has no logarithm.
    #[error(
        "x0[{index}] must be above 0 on a log scale, got {value}: start from a positive value, or search this \
         coordinate on a linear scale"
    )]
    StartNotPositive {
        /// Which coordinate.
        index: usize,
        /// What it was.
        value: f64,
    },
    /// Bounds or log scales, one for each coordinate, have another length than the start point.
    #[error("{field} has {got} entries, there are {dimension} coordinates: they must match")]
    CoordinateCount {
        /// `bounds` or `log_scale`.
        field: &'static str,
        /// Entries given.
        got: usize,
        /// Coordinates of x0, or of the bounds where there is no x0.
        dimension: usize,
    },
    /// The bounds of a coordinate hold no number that could be searched.
    #[error("bounds[{index}] = ({lower}, {upper}): {reason}")]
    Bounds {
        /// Which coordinate.
        index: usize,
        /// Its lower bound.
        lower: f64,
        /// Its upper bound.
        upper: f64,
        /// What is wrong, and the remedy.
        reason: &'static str,
    },
    /// A group of coordinates that cannot be the choices of a category.
    #[error("one_hot[{group}]: {reason}")]
    OneHot {
        /// Which group.
        group: usize,
        /// What is wrong, and the remedy.
        reason: String,
    },
    /// Every coordinate is fixed.
    #[error("every coordinate has equal bounds: nothing is left to search; leave at least one free")]
    NothingFree,
    /// Importance mixing needs densities that resampling does not have.
    #[error(
        "bound_handling `resample` truncates the law of the samples, whose densities importance mixing then \
         gets wrong: set refresh_rate to 1, choose `smooth` or `reflect`, or the strategy `adaptive`"
    )]
    ResampleMixes,
    /// The population is too small for ranks to mean anything.
    #[error("population must be at least 2, got {got}: ranks need something to compare")]
    PopulationTooSmall {
        /// What was asked for.
        got: usize,
    },
    /// The state would not fit into memory.
    #[error(
        "population {population} in {dimension} dimensions is too large: at most 2^29 numbers in \
         the population and, with the strategy `published`, 2^27 in the covariance are supported"
    )]
    TooLarge {
        /// Points.
        population: usize,
        /// Coordinates.
        dimension: usize,
    },
    /// A setting of the published strategy was given to another one.
    #[error(
        "{field} belongs to the strategy `published`, and the strategy is `adaptive`: choose \
         `published`, or leave {field} alone"
    )]
    PublishedOnly {
        /// Name of the setting.
        field: &'static str,
    },
    /// More points at a time than can be meant.
    #[error("{field} must be at most {limit}, got {value}")]
    TooManyPoints {
        /// Name of the setting.
        field: &'static str,
        /// Its value.
        value: usize,
        /// The most that is taken.
        limit: usize,
    },
    /// A setting of the adaptive strategy, and the strategy is another.
    #[error(
        "{field} belongs to the strategy `adaptive`, and the strategy is `published`: choose \
         `adaptive`, or leave {field} alone"
    )]
    AdaptiveOnly {
        /// Name of the setting.
        field: &'static str,
    },
    /// A learning rate is not a positive finite number.
    #[error("{field} must be positive and finite, got {value}: 1 is the paper's choice")]
    LearningRate {
        /// `learning_rate_mean` or `learning_rate_factor`.
        field: &'static str,
        /// What it was.
        value: f64,
    },
    /// The refresh rate lies outside (0, 1].
    #[error(
        "refresh_rate must lie in (0, 1], got {value}: with 0 no new point might ever be drawn; \
         0.01 is the paper's choice, 1 switches importance mixing off"
    )]
    RefreshRate {
        /// What it was.
        value: f64,
    },
    /// The factor of a mean baseline is not a positive finite number.
    #[error(
        "the factor of baseline `mean` must be positive and finite, got {value}: 1 is the mean utility, up to 1.3 \
         is more robust; baseline `none` is the one without"
    )]
    BaselineFactor {
        /// What it was.
        value: f64,
    },
    /// The user's table of utilities has another length than the population.
    #[error("the utility table has {got} entries, the population {population}: one entry per rank")]
    UtilityCount {
        /// Entries given.
        got: usize,
        /// Population size.
        population: usize,
    },
    /// An entry of the utility table is not finite.
    #[error("utility[{rank}] must be finite, got {value}")]
    UtilityNotFinite {
        /// Rank, 0 the best.
        rank: usize,
        /// What it was.
        value: f64,
    },
    /// The utility table prefers a worse rank to a better one.
    #[error(
        "utility[{rank}] is larger than the one before it: list utilities from the best rank to \
         the worst, none larger than its predecessor"
    )]
    UtilityOrder {
        /// Rank, 0 the best.
        rank: usize,
    },
    /// Restarts change the population, a utility table fits one.
    #[error(
        "a table of {got} utilities fits one population, and restarts change it: choose another shaping, or \
         switch restarts off"
    )]
    UtilityRestarts {
        /// Utilities given.
        got: usize,
    },
    /// The population changes within a search, a utility table fits one.
    #[error(
        "a table of {got} utilities fits one population, and auto_population changes it: choose another shaping, or \
         a fixed population"
    )]
    UtilityPopulation {
        /// Utilities given.
        got: usize,
    },
    /// Under noise the learning rates follow the share of noise in the values already.
    #[error(
        "{field} cannot be used with noisy, which lowers the learning rates by the noise that it measures: leave one \
         of them out"
    )]
    NoisyFollows {
        /// `auto_population` or `adaptive_learning_rate`.
        field: &'static str,
    },
    /// Restarts keep the search with the best value, which under noise is the luckiest.
    #[error(
        "restarts cannot be used with noisy: which search was best cannot be told from single values; leave them \
         out, or set them to off"
    )]
    NoisyRestarts,
    /// A batch is that of a surrogate, and under noise there is none.
    #[error("batch must be left out with noisy, got {value}: single values with noise are not modelled")]
    NoisyBatch {
        /// What it was.
        value: usize,
    },
    /// Constraints order single evaluations, and under noise these say nothing.
    #[error(
        "constraints cannot be used with noisy: values of a point are averaged, and whether it is feasible is not; \
         leave noisy out, or add a penalty for the violation to the value"
    )]
    NoisyConstraints,
    /// Constraints are declared, and the objective does not tell their values.
    #[error(
        "the settings declare {declared} constraints, and this objective does not tell their values: use the function \
         with constraints, or declare none"
    )]
    ConstraintsNotTold {
        /// Constraints of a point, linear ones aside.
        declared: usize,
    },
    /// Linear constraints that are none.
    #[error("linear constraint {place}: {reason}")]
    LinearConstraint {
        /// Which one, in the order in which they were given.
        place: usize,
        /// What is wrong, and the remedy.
        reason: String,
    },
    /// Two constraints have one name.
    #[error("two constraints are named `{name}`: give each a name of its own")]
    ConstraintName {
        /// The name.
        name: String,
    },
    /// The target is NaN.
    #[error("target must be a number, got NaN: leave it out to run without a target")]
    TargetNotANumber,
    /// A tolerance is negative or NaN.
    #[error("{field} must not be negative or NaN, got {value}: switch a rule off with None")]
    Tolerance {
        /// Name of the tolerance.
        field: &'static str,
        /// What it was.
        value: f64,
    },
    /// No thread is left to compute on.
    #[error("algebra_threads must be at least 1, got 0: with 1 everything is computed on the calling thread")]
    NoAlgebraThreads,
    /// A limit of zero would stop before anything has happened.
    #[error("{field} must be at least 1, got 0: switch a rule off with None")]
    ZeroLimit {
        /// Name of the limit.
        field: &'static str,
    },
    /// What an earlier run has learned does not fit this one.
    #[error("warm_start: {reason}")]
    WarmStart {
        /// What is wrong, and the remedy.
        reason: String,
    },
    /// The threads of a parallel run could not be started.
    #[error("could not start {threads} threads: {reason}; ask for fewer")]
    Threads {
        /// Threads asked for.
        threads: usize,
        /// What the system said.
        reason: String,
    },
}
