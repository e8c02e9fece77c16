//! Noise: values are measurements, and a second one of the same point says how far to trust the first.
//!
//! In every generation some points are measured again, and repeated values of a point are averaged. How
//! much the ranks of the same points change between two measurements is the share of noise in the
//! differences between points. The strategies answer to that share: their learning rates fall, the
//! adaptive population grows, the published one keeps fewer points. The answer of a run is the mean, and
//! its last evaluations measure it. Where values are taken for exact, nothing here does anything.

mod estimate;

pub use estimate::Recommendation;
pub(crate) use estimate::{Average, Estimate};

use crate::math::cost::{self, compare};
use crate::search::{Points, Population};
use crate::stopping::StopReason;

/// Repeated measurements over which the share of noise is averaged.
const MEMORY: f64 = 8.0;

/// Repetitions for each fresh point: up to this share of noise, and beyond it.
const SMALL_SHARE: f64 = 0.1;
const REPETITION_RATES: (f64, f64) = (0.1, 0.2);

/// Where noise is all there is, this much of a step is left out.
const CAUTION: f64 = 0.9;

/// The population grows while the share of noise is above this, and shrinks below.
const TOLERATED: f64 = 0.5;

/// Costs that have fallen by so many standard errors show that the search moves.
const SEEN: f64 = 2.0;

/// A population grows to so many times the first one, to this part of the budget, and to so many
/// coordinates in all.
const MOST_GROWTH: usize = 64;
const LEAST_GENERATIONS: u64 = 20;
const MOST_COORDINATES: usize = 1 << 22;

/// The population changes only where it would by this factor.
const LEAST_CHANGE: f64 = 1.25;

/// What is known of the noise, and which measurements are wanted because of it.
#[derive(Clone, Debug, Default, PartialEq)]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize))]
pub(crate) struct Noise {
    /// Whether values are measurements with noise.
    active: bool,
    /// Share of noise in the differences between the values of a generation, as it was measured: beyond 1 by
    /// chance.
    measured: f64,
    /// ln of how much larger the population should be than the first.
    growth: f64,
    /// Repetitions that are due, in parts of one.
    due: f64,
    /// Rows that are measured again in this generation.
    repeated: Vec<usize>,
    /// The initial ln det of the factor: a larger population takes back what the scale has lost of it.
    first_log_det: Option<f64>,
    recent: Average,
    /// What measuring the mean gave, until the search goes on.
    confirmed: Option<Estimate>,
    /// Why the run ends, and how often the mean is measured before.
    pub(crate) ending: Option<(StopReason, usize)>,
    /// A target that the mean has failed is not tried again before so many evaluations.
    pub(crate) patience: u64,
    /// What `ask` hands out.
    #[cfg_attr(feature = "serde", serde(skip))]
    points: Vec<f64>,
    #[cfg_attr(feature = "serde", serde(skip))]
    sorted: Vec<f64>,
}

impl Noise {
    pub(crate) fn new(active: bool) -> Self {
        Self { active, ..Self::default() }
    }

    pub(crate) fn is_active(&self) -> bool {
        self.active
    }

    /// Whether the run is about to end, and the mean is measured.
    pub(crate) fn is_ending(&self) -> bool {
        self.ending.is_some()
    }

    /// Make room for populations of n in d coordinates, so that nothing is allocated later, and note the initial ln det
    /// of the factor.
    pub(crate) fn prepare(&mut self, n: usize, d: usize, log_det: f64) {
        let repeated = (n as f64 * REPETITION_RATES.1) as usize + 2;
        self.repeated.reserve(repeated.saturating_sub(self.repeated.len()));
        self.sorted.reserve((n + repeated).saturating_sub(self.sorted.len()));
        self.points.reserve(((n + repeated) * d).saturating_sub(self.points.len()));
        self.first_log_det.get_or_insert(log_det);
    }

    pub(crate) fn points(&self, dimension: usize) -> Points<'_> {
        Points::new(&self.points, dimension)
    }

    /// What `ask` hands out, to be filled.
    pub(crate) fn points_mut(&mut self) -> &mut Vec<f64> {
        &mut self.points
    }

    /// The rows that are measured again, and what `ask` hands out, to be filled.
    pub(crate) fn repeated_and_points(&mut self) -> (&[usize], &mut Vec<f64>) {
        (&self.repeated, &mut self.points)
    }

    /// The row that the second measurement of this number is of.
    pub(crate) fn repeated_row(&self, index: usize) -> usize {
        self.repeated[index]
    }

    /// The rows of which second measurements came back, in their order.
    pub(crate) fn set_repeated(&mut self, rows: Vec<usize>) {
        self.repeated = rows;
    }

    /// Points of this generation that are measured again.
    pub(crate) fn repetitions(&self) -> usize {
        self.repeated.len()
    }

    /// The mean has moved since it was measured.
    pub(crate) fn forget_the_mean(&mut self) {
        self.confirmed = None;
    }

    /// The mean was measured.
    pub(crate) fn confirm(&mut self, estimate: Option<Estimate>) {
        self.confirmed = estimate;
    }

    /// The cost at the mean: as it was measured, or the average of the latest values around it.
    pub(crate) fn estimate(&self) -> Option<Estimate> {
        self.confirmed.or_else(|| self.recent.estimate())
    }

    pub(crate) fn is_confirmed(&self) -> bool {
        self.confirmed.is_some()
    }

    /// Share of noise in the differences between values: 0 none, 1 nothing else.
    pub(crate) fn share(&self) -> f64 {
        self.measured.min(1.0)
    }

    /// What is left of the learning rates.
    pub(crate) fn rate(&self) -> f64 {
        1.0 - CAUTION * self.share()
    }

    /// Choose the rows to measure again: those with the fewest measurements, the oldest first.
    pub(crate) fn choose(&mut self, population: &Population) {
        let rate = if self.measured < SMALL_SHARE { REPETITION_RATES.0 } else { REPETITION_RATES.1 };
        self.due += rate * population.fresh() as f64;
        let count = (self.due as usize).min(population.len());
        self.due -= count as f64;
        self.repeated.clear();
        let mut measurements = 1;
        while self.repeated.len() < count {
            let rows = (0..population.len()).filter(|&row| population.measurements(row) == measurements);
            self.repeated.extend(rows.take(count - self.repeated.len()));
            measurements += 1;
        }
    }

    /// The values of a generation, all or the first of them, have become costs of the population: `sign` times each.
    /// Those that follow the fresh ones, once all are there, are second measurements.
    pub(crate) fn learn(&mut self, population: &mut Population, values: &[f64], all: bool, sign: f64) {
        if all {
            let again = values[population.fresh()..].iter();
            let unmoved = self.unmoved(population.fresh_costs());
            self.measure(population, unmoved, again.map(|v| cost::unconstrained(sign * v)));
        }
        let memory = population.len().max(2 * population.dimension()) as f64;
        let fresh = population.fresh_costs();
        self.recent.add(&fresh[..fresh.len().min(values.len())], memory);
        self.confirmed = None;
    }

    /// From 1, fresh costs are no better than the latest ones, to 0, they are better by so many standard errors of the
    /// difference: a population that is seen to move is large enough, whatever the share of noise.
    fn unmoved(&self, fresh: &[f64]) -> f64 {
        let now = Average::of(fresh.iter().copied()).estimate();
        let Some((before, now)) = self.recent.estimate().zip(now) else { return 1.0 };
        let gained = (before.cost - now.cost) / before.standard_error.hypot(now.standard_error);
        if gained.is_nan() { 1.0 } else { 1.0 - (gained / SEEN).clamp(0.0, 1.0) }
    }

    /// Take second costs into the averages of their rows, and learn how much noise there is: the
    /// variance of ranks between measurements of the same point, relative to that of all ranks.
    /// O(n log n).
    fn measure(
        &mut self,
        population: &mut Population,
        unmoved: f64,
        again: impl Iterator<Item = f64> + Clone,
    ) {
        self.sorted.clear();
        self.sorted.extend(population.costs().iter().copied().chain(again.clone()));
        self.sorted.sort_unstable_by(|a, b| compare(*a, *b));
        let rank = |value: f64| {
            let below = self.sorted.partition_point(|v| compare(*v, value).is_lt());
            let equal = self.sorted[below..].partition_point(|v| compare(*v, value).is_eq());
            below as f64 + 0.5 * (equal as f64 - 1.0)
        };
        let n = self.sorted.len() as f64;
        let center = 0.5 * (n - 1.0);
        let all = self.sorted.iter().map(|&v| (rank(v) - center).powi(2)).sum::<f64>() / (n - 1.0);
        let mut same = 0.0;
        for (&row, value) in self.repeated.iter().zip(again) {
            population.measure_again(row, |cost, count| {
                // The first is an average of `count`, so their difference has the variance 1 + 1/count.
                same += (rank(cost) - rank(value)).powi(2) / (1.0 + 1.0 / count);
                match (cost.is_nan(), value.is_nan()) {
                    (false, false) => cost::unconstrained((cost * count + value) / (count + 1.0)),
                    (true, false) => value,
                    (_, true) => cost, // a measurement that failed says nothing
                }
            });
        }
        let repetitions = self.repeated.len() as f64;
        if repetitions > 0.0 && all > 0.0 {
            let weight = 1.0 - (-repetitions / MEMORY).exp();
            self.measured += weight * (same / repetitions / all - self.measured);
            let excess = self.share() - TOLERATED;
            let counted = if excess > 0.0 { unmoved * excess } else { excess };
            self.growth = (self.growth + weight * counted).max(0.0);
        }
    }

    /// The population to go on with, in d dimensions and within a budget of evaluations.
    pub(crate) fn population(
        &mut self,
        first: usize,
        d: usize,
        budget: Option<u64>,
        present: usize,
    ) -> usize {
        let part = budget.map_or(u64::MAX, |limit| limit / LEAST_GENERATIONS);
        let largest = usize::try_from(part).unwrap_or(usize::MAX).min(MOST_COORDINATES / d);
        let most = largest.min(first.saturating_mul(MOST_GROWTH)).max(first);
        self.growth = self.growth.min((most as f64 / first as f64).ln());
        let wanted = ((first as f64 * self.growth.exp()) as usize).clamp(first, most);
        let ratio = wanted as f64 / present as f64;
        let near = (1.0 / LEAST_CHANGE..=LEAST_CHANGE).contains(&ratio);
        if near && wanted != first { present } else { wanted }
    }

    /// By how much a growing population multiplies the scale: it takes back some of what was lost while it was too
    /// small, since a larger population works at a larger scale, where there is more to see.
    pub(crate) fn scale_of_growth(&self, from: usize, to: usize, log_det: f64, d: usize) -> f64 {
        let lost = (self.first_log_det.unwrap_or_default() - log_det) / d as f64;
        (0.5 * (to as f64 / from as f64).ln()).min(lost).max(0.0).exp()
    }

    #[cfg(feature = "serde")]
    pub(crate) fn is_consistent(&self, active: bool, rows: usize) -> bool {
        self.active == active
            && self.repeated.len() <= rows
            && self.repeated.iter().all(|&row| row < rows)
            && self.ending.as_ref().is_none_or(|(_, count)| *count <= MOST_COORDINATES)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_population_whose_costs_fall_by_two_standard_errors_is_large_enough() {
        let mut noise = Noise::new(true);
        let around = |middle: f64| [middle - 1.0, middle + 1.0].repeat(50);
        assert_eq!(noise.unmoved(&around(0.0)), 1.0, "nothing is known before");
        noise.recent.add(&around(0.0), f64::INFINITY);
        // The standard error of each average is 0.1, that of their difference 0.14.
        let left = [0.5, 0.0, -0.07, -0.14, -0.5].map(|middle| noise.unmoved(&around(middle)));
        assert_eq!((left[0], left[1], left[4]), (1.0, 1.0, 0.0));
        assert!((left[2] - 0.75).abs() < 0.02 && (left[3] - 0.5).abs() < 0.02, "{left:?}");
    }
}
