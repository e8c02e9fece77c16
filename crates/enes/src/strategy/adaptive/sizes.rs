//! Functions of the dimension: how many points a generation has, how many of the archive each fit sees, how fast the
//! path is.

use super::tuning::RankTuning;

/// Up to this dimension the regression is exact and values are modelled. Beyond it the regression takes a diagonal
/// approximation, and the surrogate's own time per evaluation would no longer be small.
pub(crate) const FEW_DIMENSIONS: usize = 40;

/// Up to this dimension the covariance is a full one; beyond it has limited memory, and time and memory grow as d.
pub(crate) const MANY_DIMENSIONS: usize = 1000;

/// CMA-ES's population size, 4 + ⌊3 ln d⌋: the default beyond 40 dimensions.
pub(crate) fn usual_population(d: usize) -> usize {
    4 + (3.0 * (d as f64).ln()).floor() as usize
}

/// The size of a small generation in d dimensions: 4 + ⌊1.5 ln d⌋, half of what CMA-ES adds to its 4.
pub(crate) fn small_population(d: usize) -> usize {
    4 + (1.5 * (d as f64).ln()).floor() as usize
}

/// The default population size λ₀ where generations are not small. Up to 40 dimensions a small one, or, where that is more,
/// d − 7, at most 13, and ⌊0.8 d⌋ − 14: a generation costs one fit, O(d³), and what a larger one costs in evaluations a faster
/// path returns (see `path_rate`; measured: docs/method/rank-based.md, "Why"). Beyond, CMA-ES's size: a fit serves several
/// generations there, and a budget of a few evaluations for each coordinate must be more than a handful of generations.
pub(crate) fn default_population(d: usize) -> usize {
    if d > FEW_DIMENSIONS {
        return usual_population(d);
    }
    small_population(d).max(d.saturating_sub(7).min(13)).max((4 * d / 5).saturating_sub(14))
}

/// How much a search has of the rules of many dimensions: 0 up to 40, 1 from 60 on.
pub(super) fn many(d: usize) -> f64 {
    ((d as f64 - FEW_DIMENSIONS as f64) / 20.0).clamp(0.0, 1.0)
}

/// The default population size with a surrogate: seven tenths of a small one, at least 3, since the model, not the
/// sample, is what moves the distribution. Ten tenths cost Rosenbrock's function 17 to 57 % more.
pub(crate) fn surrogate_population(d: usize) -> usize {
    ((7 * small_population(d) + 5) / 10).max(3)
}

/// The number of points that the regression sees, N: 4d + 8, from 80 dimensions on 328, from 213 on 1.5 d + 8; at least two
/// generations. Where generations are not small it is 4d − 8 between 20 dimensions and the last in which the fit, of O(N³), is
/// exact.
pub(crate) fn regression_window(d: usize, lambda: usize, small: bool, tuning: &RankTuning) -> usize {
    let least = (tuning.window_least * d as f64) as usize;
    let size = (tuning.window * d).min(least.max(tuning.window_most));
    let short = !small && (20..=FEW_DIMENSIONS).contains(&d);
    let size = if short { size.saturating_sub(8) } else { size + 8 };
    size.max(tuning.window_generations * lambda)
}

/// Generations of λ that one fit of n points serves: as many as make a quarter of n evaluations, at most of d; 1 up to 40
/// dimensions.
pub(super) fn generations_of_a_fit(d: usize, lambda: usize, points: usize) -> u64 {
    let quarter = 0.25 * points.min(d) as f64 / lambda as f64;
    if d > FEW_DIMENSIONS { quarter.round().max(1.0) as u64 } else { 1 }
}

/// Coefficients of a quadratic in d dimensions, P.
pub(super) fn coefficients(d: usize) -> usize {
    (d + 1) * (d + 2) / 2
}

/// The largest window that large generations make for the surrogate, whose fits are of O(N³).
const MOST_FOR_GENERATIONS: usize = 512;

/// The number of points that the surrogate sees: 1.15 P, at least 8d, 4d + 8 and two generations, as far as these are
/// not large. 1.5 P bought nothing.
pub(crate) fn surrogate_window(d: usize, lambda: usize) -> usize {
    let generations = (2 * lambda).min(MOST_FOR_GENERATIONS);
    (23 * coefficients(d) / 20).max(8 * d).max(4 * d + 8).max(generations)
}

/// Generations from one fit of the surrogate to the next where none has led to anything: (d/5)², at least 1. A fit costs the
/// more against the rank-based update the higher the dimension; where it is cheap it is never left out.
pub(super) fn longest_rest(d: usize) -> f64 {
    (d as f64 / 5.0).powi(2).max(1.0)
}

/// How long ranks take to unlearn what a surrogate has done, from 0 in five dimensions and fewer to 1 in many: 1 − 5/d. What protects
/// them from it costs a tenth of the evaluations in three to five dimensions, and saves a quarter in 40 (`benchmarks/results/kinks.md`).
pub(super) fn slowness(d: usize) -> f64 {
    (1.0 - 5.0 / d as f64).max(0.0)
}

/// In so many dimensions the steps of a surrogate alone, one evaluation after another, show it all of them.
pub(super) const SHOWN_BY_STEPS: usize = 4;

/// The latest points, on which models are judged: enough to tell a quadratic from noise, few enough to be near.
pub(super) fn latest(d: usize) -> usize {
    d + 5
}

/// The rate of the path, c_s: that of CMA-ES, where generations are not small times h = 0.03 d, at least 1 and at most
/// 2.5. More would save evaluations, but not on sharp ridges: a factor of 1.4 at d = 10 costs a third more there, and one
/// of 1.2 at d = 30 half of the runs that reach the target. From 60 dimensions on, and by parts from 40, it is √µ/(√d + √µ) where
/// that is more, as with limited memory: else a step of 500 dimensions takes thousands of evaluations to change.
pub(super) fn path_rate(d: usize, effective: f64, small: bool) -> f64 {
    let size = d as f64;
    let haste = if small { 1.0 } else { (0.03 * size).clamp(1.0, 2.5) };
    let usual = (haste * (effective + 2.0) / (size + effective + 5.0)).min(0.9);
    let sooner = effective.sqrt() / (size.sqrt() + effective.sqrt());
    if d > FEW_DIMENSIONS { usual + many(d) * (sooner - usual).max(0.0) } else { usual }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_window_is_four_points_a_dimension_and_fewer_from_80_on() {
        let window = |d: usize| regression_window(d, usual_population(d), false, &RankTuning::default());
        assert_eq!([41, 80, 81, 160, 1000].map(window), [172, 328, 328, 328, 1508]);
        // No cliff between two dimensions.
        assert!((41..1000).all(|d| window(d + 1) >= window(d) && window(d + 1) - window(d) <= 4));
    }

    #[test]
    fn a_fit_serves_a_quarter_of_its_points_and_at_most_of_d() {
        assert_eq!(
            [24, 96, 144, 500, 1000, 1508].map(|n| generations_of_a_fit(1000, 24, n)),
            [1, 1, 2, 5, 10, 10]
        );
        assert_eq!(generations_of_a_fit(40, 4, 1000), 1);
    }

    #[test]
    fn the_path_of_many_dimensions_is_as_fast_as_with_limited_memory() {
        let rate = |d: usize| path_rate(d, 6.0, false);
        let limited = |d: usize| 6f64.sqrt() / ((d as f64).sqrt() + 6f64.sqrt());
        assert!([320, 1000].into_iter().all(|d| rate(d) == limited(d)));
        // What 40 dimensions have gives way evenly.
        assert!((40..1000).all(|d| (rate(d + 1) / rate(d) - 1.0).abs() < 0.03), "{:?}", (rate(40), rate(41)));
    }
}
