//! Noise: values are measurements, and a second one of the same point says how far to trust the first.
//!
//! In every generation some points are measured again, and repeated values of a point are averaged. How
//! much the ranks of the same points change between two measurements is the share of noise in the
//! differences between points. The strategies answer to that share: their learning rates fall, the
//! adaptive population grows, the published one keeps fewer points. The answer of a run is the mean, and
//! its last evaluations measure it (`noise/ending.rs`).

mod ending;

use crate::error::SettingsError;
use crate::fitness_shaping::compare;
use crate::optimizer::Optimizer;
use crate::population::{Points, Population};
use crate::restarts::Restarts;
use crate::settings::Settings;
use crate::stop_reason::StopReason;
use crate::violation;
pub use ending::Recommendation;
use ending::{Average, Estimate};

/// Repeated measurements over which the share of noise is averaged.
const MEMORY: f64 = 8.0;

/// Repetitions for each fresh point: up to this share of noise, and beyond it.
const SMALL: f64 = 0.1;
const RATES: (f64, f64) = (0.1, 0.2);

/// Where noise is all there is, this much of a step is left out.
const CAUTION: f64 = 0.9;

/// The population grows while the share of noise is above this, and shrinks below.
const TOLERATED: f64 = 0.5;

/// A population grows to so many times the first one, to this part of the budget, and to so many
/// coordinates in all.
const LARGEST_FACTOR: usize = 64;
const LARGEST_PART: u64 = 20;
const LARGEST: usize = 1 << 22;

/// The population changes only where it would by this factor.
const STEP: f64 = 1.25;

/// What is known of the noise, and which measurements are wanted because of it.
#[derive(Clone, Debug, Default, PartialEq)]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize))]
pub(crate) struct Noise {
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
    ending: Option<(StopReason, usize)>,
    /// A target that the mean has failed is not tried again before so many evaluations.
    patience: u64,
    /// What `ask` hands out.
    #[cfg_attr(feature = "serde", serde(skip))]
    points: Vec<f64>,
    #[cfg_attr(feature = "serde", serde(skip))]
    sorted: Vec<f64>,
}

impl Noise {
    /// Make room for populations of n in d coordinates, so that nothing is allocated later.
    fn reserve(&mut self, n: usize, d: usize) {
        let repeated = (n as f64 * RATES.1) as usize + 2;
        self.repeated.reserve(repeated.saturating_sub(self.repeated.len()));
        self.sorted.reserve((n + repeated).saturating_sub(self.sorted.len()));
        self.points.reserve(((n + repeated) * d).saturating_sub(self.points.len()));
    }

    pub(crate) fn points(&self, dimension: usize) -> Points<'_> {
        Points::new(&self.points, dimension)
    }

    /// Points of this generation that are measured again.
    pub(crate) fn repetitions(&self) -> usize {
        self.repeated.len()
    }

    /// The mean has moved since it was measured.
    pub(crate) fn forget_the_mean(&mut self) {
        self.confirmed = None;
    }

    /// Share of noise in the differences between values: 0 none, 1 nothing else.
    fn share(&self) -> f64 {
        self.measured.min(1.0)
    }

    /// What is left of the learning rates.
    fn rate(&self) -> f64 {
        1.0 - CAUTION * self.share()
    }

    /// Choose the rows to measure again: those with the fewest measurements, the oldest first.
    fn choose(&mut self, population: &Population) {
        let rate = if self.measured < SMALL { RATES.0 } else { RATES.1 };
        self.due += rate * population.fresh() as f64;
        let count = (self.due as usize).min(population.len());
        self.due -= count as f64;
        self.repeated.clear();
        let mut measurements = 1;
        while self.repeated.len() < count {
            let measured = |row: usize| if row < population.kept { population.measured[row] } else { 1 };
            let rows = (0..population.len()).filter(|&row| measured(row) == measurements);
            self.repeated.extend(rows.take(count - self.repeated.len()));
            measurements += 1;
        }
    }

    /// Take second values into the averages of their rows, and learn how much noise there is: the
    /// variance of ranks between measurements of the same point, relative to that of all ranks.
    /// O(n log n).
    fn learn(&mut self, population: &mut Population, values: impl Iterator<Item = f64> + Clone) {
        self.sorted.clear();
        self.sorted.extend(population.costs.iter().copied().chain(values.clone()));
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
        for (&row, value) in self.repeated.iter().zip(values) {
            let (count, cost) = (f64::from(population.measured[row]), population.costs[row]);
            // The first is an average of `count`, so their difference has the variance 1 + 1/count.
            same += (rank(cost) - rank(value)).powi(2) / (1.0 + 1.0 / count);
            population.measured[row] += 1;
            population.costs[row] = match (cost.is_nan(), value.is_nan()) {
                (false, false) => violation::unconstrained((cost * count + value) / (count + 1.0)),
                (true, false) => value,
                (_, true) => cost, // a measurement that failed says nothing
            };
        }
        let repetitions = self.repeated.len() as f64;
        if repetitions > 0.0 && all > 0.0 {
            let weight = 1.0 - (-repetitions / MEMORY).exp();
            self.measured += weight * (same / repetitions / all - self.measured);
            self.growth = (self.growth + weight * (self.share() - TOLERATED)).max(0.0);
        }
    }

    /// The population to go on with.
    fn population(&mut self, first: usize, largest: usize, present: usize) -> usize {
        let most = largest.min(first.saturating_mul(LARGEST_FACTOR)).max(first);
        self.growth = self.growth.min((most as f64 / first as f64).ln());
        let wanted = ((first as f64 * self.growth.exp()) as usize).clamp(first, most);
        let ratio = wanted as f64 / present as f64;
        let near = (1.0 / STEP..=STEP).contains(&ratio);
        if near && wanted != first { present } else { wanted }
    }

    #[cfg(feature = "serde")]
    pub(crate) fn is_consistent(&self, n: usize) -> bool {
        self.repeated.iter().all(|&row| row < n)
    }
}

impl Settings {
    /// Whether values are measurements with noise: points are measured again and averaged, learning rates
    /// and population follow the noise, and the result is the mean. Default: no.
    ///
    /// Values with noise are not modelled: ranks decide, whatever [`Settings::model`] says, the default
    /// population is that of ranks alone, and a [`Settings::batch`] is refused. So are restarts and constraints.
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

    pub(crate) fn check_noise(&self) -> Result<(), SettingsError> {
        match (self.noisy, self.restarts, self.batch) {
            (true, Restarts::Ipop | Restarts::Bipop, _) => Err(SettingsError::NoisyRestarts),
            (true, _, Some(value)) => Err(SettingsError::NoisyBatch { value }),
            _ => Ok(()),
        }
    }
}

impl Optimizer {
    /// The share of noise in the differences between the values of a generation, from 0 to 1; `None`
    /// where values are taken for exact.
    pub fn noise_share(&self) -> Option<f64> {
        self.noise.as_ref().map(|noise| noise.share())
    }

    /// What follows from the state: room for what will come, and what was asked before a checkpoint.
    pub(crate) fn prepare_noise(&mut self) {
        let (n, d) = (self.searches.population, self.settings.dimension());
        let Some(noise) = &mut self.noise else { return };
        noise.reserve(n, d);
        noise.first_log_det.get_or_insert(self.strategy.distribution().log_det());
        self.strategy.hear_noise(noise.share(), noise.rate());
        if self.ledger.asked {
            self.show_measurements();
        }
    }

    /// The points of `ask`: the fresh ones, then those that are measured again.
    pub(crate) fn show_measurements(&mut self) {
        if self.is_ending() {
            return self.show_copies_of_the_mean();
        }
        let Some(noise) = &mut self.noise else { return };
        let (population, view) = (self.strategy.population(), self.view.as_deref());
        let d = population.dimension();
        let fresh = view.map_or(population.fresh_points(), |view| view.points().as_slice());
        noise.points.clear();
        noise.points.extend_from_slice(fresh);
        for &row in &noise.repeated {
            let point = &population.points[row * d..][..d];
            match view {
                None => noise.points.extend_from_slice(point),
                Some(view) => {
                    let from = noise.points.len();
                    noise.points.resize(from + view.space.dimension(), 0.0);
                    view.space.users(point, &mut noise.points[from..]);
                }
            }
        }
    }

    /// Choose what is measured again; or, where the budget has no room for the generation, end.
    pub(crate) fn choose_measurements(&mut self) {
        let Some(noise) = self.noise.as_mut().filter(|noise| noise.ending.is_none()) else {
            return self.show_measurements();
        };
        noise.choose(self.strategy.population());
        let wanted = (self.strategy.population().fresh() + noise.repetitions()) as u64;
        self.end_where_too_many(wanted);
        self.show_measurements();
    }

    /// The values of a generation are there, all or the first of them: average them, learn from them, tell the
    /// strategy.
    pub(crate) fn measure_noise(&mut self, values: &[f64], all: bool) {
        let sign = self.sign();
        let Some(noise) = &mut self.noise else { return };
        let population = self.strategy.population_mut();
        if all {
            let again = &values[population.fresh()..];
            noise.learn(population, again.iter().map(|v| violation::unconstrained(sign * v)));
        }
        let memory = population.len().max(2 * population.dimension()) as f64;
        let fresh = &population.costs[population.kept..];
        noise.recent.add(&fresh[..fresh.len().min(values.len())], memory);
        noise.confirmed = None;
        self.strategy.hear_noise(noise.share(), noise.rate());
    }

    /// The adaptive population follows the noise. Growing, it takes back some of the scale that was lost
    /// while it was too small: a larger population works at a larger scale, where there is more to see.
    pub(crate) fn follow_noise(&mut self) {
        let Some(noise) = self.noise.as_mut().filter(|_| self.strategy.as_adaptive().is_some()) else {
            return;
        };
        let d = self.settings.search_dimension();
        let part = self.settings.rules.max_evaluations.map_or(u64::MAX, |limit| limit / LARGEST_PART);
        let largest = usize::try_from(part).unwrap_or(usize::MAX).min(LARGEST / d);
        // Without a model of the values every generation has as many rows as the search has λ.
        let present = self.searches.population;
        let n = noise.population(self.settings.population_size(), largest, present);
        if n == present {
            return;
        }
        let first = noise.first_log_det.unwrap_or_default();
        let lost = (first - self.strategy.distribution().log_det()) / d as f64;
        let scale = (0.5 * (n as f64 / present as f64).ln()).min(lost).max(0.0).exp();
        self.strategy.resize(n, scale, self.settings.variant());
        if let Some(view) = &self.view {
            self.strategy.keep_inside(&view.space);
        }
        self.stopping.resize(n, d, self.settings.strategy, &self.settings.rules);
        self.searches.population = n;
        self.prepare_noise();
    }
}
