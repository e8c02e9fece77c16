//! The numbers that steer the adaptive strategy, each with its meaning and where it comes from. The table in
//! docs/method/constants.md lists them; `tests/constants.rs` holds both together.
//!
//! Functions of the dimension (population, windows, the rate of the path) are in `sizes.rs`. Guards against
//! rounding stand where they are used: they steer nothing. `benchmarks/src/bin/constants.rs` measures what
//! each is worth.

/// Steering constants. The default is what every run has; others are for measurements.
#[derive(Clone, Copy, Debug, PartialEq)]
#[cfg_attr(not(feature = "tuning"), allow(unreachable_pub))]
pub struct Tuning {
    /// Those of the rank-based update.
    pub ranks: RankTuning,
    /// Those of the surrogate.
    pub surrogate: SurrogateTuning,
    /// Whether integers keep a chance of each neighbour: without it a search freezes (`tests/integers.rs`).
    pub integer_margin: bool,
    /// How large generations are.
    pub need: NeedTuning,
    /// Those of the gradient beyond 40 dimensions.
    pub gradient: GradientTuning,
}

impl Default for Tuning {
    fn default() -> Self {
        Self {
            ranks: RankTuning::default(),
            surrogate: SurrogateTuning::default(),
            integer_margin: true,
            need: NeedTuning::default(),
            gradient: GradientTuning::default(),
        }
    }
}

/// Those of the gradient beyond 40 dimensions.
#[derive(Clone, Copy, Debug, PartialEq)]
#[cfg_attr(not(feature = "tuning"), allow(unreachable_pub))]
pub struct GradientTuning {
    /// Evaluations for each dimension before the values are looked at: fewer do not show a gradient.
    pub points: f64,
    /// The length of a difference, in deviations: 1e-4 costs ellipsoids twice the evaluations, rounding is seen to apart.
    pub difference: f64,
    /// How wrong gradients may be, from 0 to 1: about slopes between samples before a stint, and about what values change by along
    /// its steps. Smooth functions give 0.1 and less, kinks and ripples 0.2 and more, policies 0.5.
    pub doubt: f64,
    /// The share of the best that a parabola promises along a step at which no more points are tried there.
    pub near: f64,
    /// Evaluations for each dimension from the end of a stint to the next try; doubled where it led nowhere.
    pub pause: u64,
}

impl Default for GradientTuning {
    fn default() -> Self {
        Self { points: 1.25, difference: 1e-7, doubt: 0.3, near: 0.999, pause: 10 }
    }
}

/// Those of the size of generations.
#[derive(Clone, Copy, Debug, PartialEq)]
#[cfg_attr(not(feature = "tuning"), allow(unreachable_pub))]
pub struct NeedTuning {
    /// Whether generations grow at all.
    pub grows: bool,
    /// Models whose predictions correlate less than this with the values call for larger generations. Asymmetric
    /// landscapes give 0.3 to 0.45, smooth ones more.
    pub enough: f64,
    /// What a window counts at most towards it.
    pub slow: f64,
    /// The correlation that is presumed at first.
    pub first: f64,
}

impl Default for NeedTuning {
    fn default() -> Self {
        Self { grows: true, enough: 0.5, slow: 0.15, first: 0.8 }
    }
}

/// Those of the rank-based update.
#[derive(Clone, Copy, Debug, PartialEq)]
#[cfg_attr(not(feature = "tuning"), allow(unreachable_pub))]
pub struct RankTuning {
    /// Whether the samples of a generation are orthogonal to each other. Measured: the ablation of `cargo reproduce
    /// adaptive`.
    pub orthogonal: bool,
    /// Points of the archive that the regression sees, for each dimension: see `sizes.rs`. The prototype's; the ablation
    /// measures two generations instead.
    pub window: usize,
    /// But in many dimensions at most so many: older points are a hindrance there, but for an ellipsoid, and cost time.
    pub window_most: usize,
    /// Unless these are more, for each dimension: fewer do not show a gradient.
    pub window_least: f64,
    /// This many generations at least. The prototype's.
    pub window_generations: usize,
    /// The ridge ν of the regression. The prototype had 0.2; 0.15 was measured with the gates in place.
    pub ridge: f64,
    /// From quality to trust. At a quality near 0.3, which asymmetric landscapes give, the model's shape is mostly
    /// noise: 2.5 costs twice the evaluations there (`benchmarks/python/asymmetric.py`).
    pub gain: f64,
    /// The same for a large population, whose correlations are less noisy, and in many dimensions (`sizes::slowness`) with a
    /// surrogate, which leads wherever a quadratic predicts: what it leaves to ranks no quadratic does
    /// (`benchmarks/results/kinks.md`).
    pub gain_low: f64,
    /// The exponents of trust in mean and shape: at 2 for both, as in 0.1, asymmetric and non-smooth functions in 20
    /// dimensions fail or take three times as long. Measured with `cargo reproduce landscapes`.
    pub mean_exponent: f64,
    /// That of the shape.
    pub shape_exponent: f64,
    /// Whether what is not trusted is CMA-ES's own update, rank-one and rank-µ, and the curvature is judged by itself.
    pub floor: bool,
    /// From so many points a dimension on: earlier it costs the sphere evaluations.
    pub floor_from: usize,
    /// A trust that nothing changes, in place of the measured one.
    pub fixed_trust: Option<f64>,
    /// The part of the recombined step at no trust, in many dimensions: 0.65 costs tablet-like functions a tenth at
    /// d = 40, and 1 a third.
    pub recombination: f64,
    /// What is added to it in ten dimensions and fewer, falling as 1/d beyond: ½ alone costs asymmetric landscapes.
    pub recombination_low: f64,
    /// Deviations of what pure noise shows that skill, or a short path, must exceed for shape and step to move. At 3
    /// ln σ strays by 4 in 100,000 evaluations of noise (`tests/noise.rs`).
    pub certainty: f64,
    /// Evaluations over which quality is averaged, in windows. The prototype's.
    pub quality_windows: f64,
    /// How much slower evidence forgets than quality: evidence must outlast a lucky generation.
    pub patience: f64,
    /// Evidence at the start: the benefit of the doubt, without which the first 3 windows run without trust.
    pub first_evidence: f64,
    /// A population is large from µ − µ₀ = 0.7 d on; between, κ grows as the square. Measured with populations of 2 to
    /// 32 times the default.
    pub large: f64,
    /// By how much ln σ falls in each generation of a large population whose models show no skill: it sits in a
    /// landscape that is rough at its scale. Measured on multimodal functions with restarts.
    pub contraction: f64,
    /// Damping of the step for populations that are large against the dimension. CMA-ES has 2.
    pub damping_large: f64,
    /// How much of the damping full trust takes away; in many dimensions less and less (`rank_based/many.rs`). The ablation measures it.
    pub damping_by_trust: f64,
    /// Whether the shape moves at the rate √d, and not at 1. The ablation measures it.
    pub root_rate: bool,
    /// No diagonal entry of a shape update falls below this: one update narrows an axis by a factor of 3 at most.
    pub least_diagonal: f64,
    /// An external point is learned from up to this distance, in units of √d deviations, where samples lie. Without a
    /// limit a point that is injected in every generation, and left ever further behind, costs Rosenbrock's function
    /// 2.4 times the evaluations (`benchmarks/src/bin/injection.rs`).
    pub external_reach: f64,
    /// A sample counts for recombination where it was drawn at most so many updates ago. The prototype's: without a limit
    /// runs took a third longer with 16 workers, and some were lost.
    pub oldest_sample: u64,
}

impl Default for RankTuning {
    fn default() -> Self {
        Self {
            orthogonal: true,
            window: 4,
            window_most: 320,
            window_least: 1.5,
            window_generations: 2,
            ridge: 0.15,
            gain: 1.95,
            gain_low: 1.5,
            mean_exponent: 4.0,
            shape_exponent: 12.0,
            floor: true,
            floor_from: 3,
            fixed_trust: None,
            recombination: 0.5,
            recombination_low: 0.15,
            certainty: 3.5,
            quality_windows: 3.0,
            patience: 0.3,
            first_evidence: 0.4,
            large: 0.7,
            contraction: 0.05,
            damping_large: 3.0,
            damping_by_trust: 0.7,
            root_rate: true,
            least_diagonal: 0.3,
            external_reach: 3.0,
            oldest_sample: 2,
        }
    }
}

/// A kernel model of the surrogate: a ridge ν, and how fast trust in a point falls with its distance, η.
#[derive(Clone, Copy, Debug, PartialEq)]
#[cfg_attr(not(feature = "tuning"), allow(unreachable_pub))]
pub struct Configuration {
    /// ν.
    pub ridge: f64,
    /// η.
    pub falloff: f64,
}

/// Those of the surrogate.
#[derive(Clone, Copy, Debug, PartialEq)]
#[cfg_attr(not(feature = "tuning"), allow(unreachable_pub))]
pub struct SurrogateTuning {
    /// The kernel model of rugged objectives: without it diffpow takes 3 times as many evaluations.
    pub high_ridge: Configuration,
    /// The kernel model of smooth ones: without it the sharp ridge takes 1.4 times as many.
    pub low_ridge: Configuration,
    /// The model of all points that has next to no ridge: it finds a quadratic exactly, once there are as many points
    /// as coefficients.
    pub exact: Configuration,
    /// The model that interpolates points near the best with the least curvature: without it Rosenbrock's function takes
    /// 1.2 to 1.4 times as many.
    pub interpolating: Configuration,
    /// Whether it is a trust-region method: models of the points nearest to the best one, steps from there, a radius by what
    /// the last step kept of its promise. Without it, in the first form, Rosenbrock's function takes 1.5 to 4 times as many.
    pub trust_region: bool,
    /// The share of its promise that a step must keep to count as kept: the usual tenth of trust-region methods.
    pub kept: f64,
    /// The share from which a step that reached the boundary doubles the radius.
    pub kept_well: f64,
    /// Models without a ridge count only if their error is below this: one that is wrong is very wrong.
    pub exact_error: f64,
    /// The points that all other models see: the latest 10 a dimension. More cost time, which grows with their cube;
    /// evaluations at d = 15 and 20 did not suffer.
    pub window: usize,
    /// Below this error a model is certain: it is active, and past failures are forgotten.
    pub certain: f64,
    /// Below this error it is of use: 0.5 costs Rosenbrock's function 17 to 37 %.
    pub useful: f64,
    /// By how much full need lowers that: a surrogate that is useful again and again and leads nowhere is wrong about what
    /// matters.
    pub doubt: f64,
    /// The error at which a model that assists is worth nothing: beyond 1 by chance.
    pub worthless: f64,
    /// ln σ may fall by this much, without rising between, under models that are not certain: on a sharp ridge their
    /// error does not fall as σ shrinks (`tests/safeguards.rs`).
    pub credit: f64,
    /// Generations of the first lock; each further one doubles.
    pub first_lock: u32,
    /// Shapes stay as they are for so many evaluations a dimension: a model of fewer points has no axes
    /// (`tests/safeguards.rs`).
    pub burn_in: u64,
    /// The step of a model that assists is at most this many √d long, in whitened coordinates.
    pub usual_step: f64,
    /// Axes differ by a factor of at most max(1.2, 0.5/√E): the better the model, the more its curvatures are
    /// believed (`tests/safeguards.rs`).
    pub belief: f64,
    /// The least of that factor: a useful model is believed a little.
    pub least_ratio: f64,
    /// A prediction beyond the latest values counts at most so many scores more than the outermost.
    pub beyond: f64,
    /// Added to error and variance, so that an error is never 0 and few points do not decide alone.
    pub error_floor: f64,
    /// Rounds of the pattern search for a power in one generation.
    pub power_rounds: usize,
    /// The first stride of that search.
    pub power_stride: f64,
}

impl Default for SurrogateTuning {
    fn default() -> Self {
        Self {
            high_ridge: Configuration { ridge: 0.3, falloff: 3.0 },
            low_ridge: Configuration { ridge: 0.01, falloff: 3.0 },
            exact: Configuration { ridge: 1e-13, falloff: 1.5 },
            interpolating: Configuration { ridge: 1e-11, falloff: 3.0 },
            trust_region: true,
            kept: 0.1,
            kept_well: 0.7,
            exact_error: 0.1,
            window: 10,
            certain: 0.05,
            useful: 0.7,
            doubt: 0.5,
            worthless: 1.5,
            credit: 1.5,
            first_lock: 25,
            burn_in: 3,
            usual_step: 0.5,
            belief: 0.5,
            least_ratio: 1.2,
            beyond: 1.5,
            error_floor: 0.01,
            power_rounds: 15,
            power_stride: 0.3,
        }
    }
}
