//! The published strategy: one generation of the paper's algorithm (paper, section "Efficient NES").

mod drift_correction;
mod first_population;
mod fitness_baseline;
mod fitness_shaping;
mod importance_mixing;
mod natural_gradient;

use drift_correction::DriftCorrection;
pub use fitness_baseline::Baseline;
use fitness_shaping::Ranking;
pub use fitness_shaping::Shaping;
#[cfg(not(test))]
use importance_mixing::Mixing;
#[cfg(test)]
pub(crate) use importance_mixing::Mixing;
pub use natural_gradient::Gradient;
use natural_gradient::{NaturalGradient, Workspace};

use crate::linalg::parallel;
use crate::random::Generator;
use crate::search::{Degenerate, Search};

/// Beyond this dimension the default population grows by the paper's 20 points a dimension.
const QUADRATIC_UP_TO: usize = 50;

/// The longest move towards an external point, in whitened length: importance mixing then keeps 2Φ(−½), three
/// fifths, of the population. At √d nearly all of it would have to be evaluated anew.
const LONGEST_MOVE: f64 = 1.0;

/// The default population size in d dimensions: four points for each of the d(d + 1)/2 entries of
/// the factor, and sixteen; from d = 50 on, 20 more for each dimension.
///
/// With η = 1 and smaller populations runs on Rosenbrock's function end ill-conditioned, far from the
/// optimum. Measured by `benchmarks/src/bin/population.rs`.
pub(crate) fn default_population(d: usize) -> usize {
    let low = d.min(QUADRATIC_UP_TO);
    let beyond = d - low;
    (2 * low * (low + 1) + 16).saturating_add(beyond.saturating_mul(20))
}

/// What the user chose.
#[derive(Clone, Debug)]
pub(crate) struct Config {
    pub(crate) baseline: Baseline,
    pub(crate) shaping: Shaping,
    pub(crate) learning_rate_mean: f64,
    pub(crate) learning_rate_factor: f64,
    pub(crate) refresh_rate: f64,
    pub(crate) drift_correction: bool,
    /// For the products of O(n d²).
    pub(crate) threads: usize,
}

/// What a checkpoint keeps of the strategy.
#[derive(Clone, Copy, Debug)]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize))]
pub(crate) struct State {
    next: Next,
    /// As it began, unless `Config::drift_correction`.
    correction: DriftCorrection,
}

impl State {
    /// Before the first generation.
    pub(crate) fn new() -> Self {
        Self { next: Next::Drawn, correction: DriftCorrection::new() }
    }

    #[cfg(feature = "serde")]
    pub(crate) fn is_consistent(&self) -> bool {
        self.correction.is_consistent()
    }
}

/// Where the next population comes from.
#[derive(Clone, Copy, Debug, PartialEq)]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize))]
enum Next {
    /// The first: all of it is drawn.
    Drawn,
    /// The first, some rows of which came from a table: it is there already.
    FromTable,
    /// The present one, mixed with fresh samples.
    Mixed,
}

/// State, constants and scratch space of the published strategy.
#[derive(Clone, Debug)]
pub(crate) struct Published {
    pub(super) state: State,
    config: Config,
    mixing: Mixing,
    /// What noise leaves of the learning rates.
    rate: f64,
    ranking: Ranking,
    gradient: NaturalGradient,
    workspace: Workspace,
}

impl Published {
    pub(crate) fn new(config: &Config, state: State, n: usize, d: usize) -> Self {
        Self {
            state,
            config: config.clone(),
            mixing: Mixing::new(n, d, config.refresh_rate),
            rate: 1.0,
            ranking: Ranking::new(&config.shaping, n),
            gradient: NaturalGradient::zero(d),
            workspace: Workspace::new(n, d, config.baseline),
        }
    }

    /// Compute on this many threads from now on.
    pub(crate) fn use_threads(&mut self, threads: usize) {
        self.config.threads = threads;
    }

    /// Line 4 of the paper's algorithm: update the population using importance mixing. The fresh
    /// rows of the population then wait for their costs.
    pub(crate) fn propose(&mut self, search: &mut Search, generator: &mut Generator) {
        let threads = self.config.threads;
        parallel::among(threads, search.dimension(), || {
            let Search { population, motion, .. } = search;
            match std::mem::replace(&mut self.state.next, Next::Mixed) {
                Next::Drawn => generator.fill_normal(population.whitened_mut()), // s ~ N(0, I)
                Next::FromTable => {}
                Next::Mixed => {
                    self.mixing.mix(population, motion, generator, threads); // "Importance mixing"
                }
            }
            search.place_samples(threads); // z = x + Aᵀs ~ N(x, AᵀA)
        });
    }

    /// Lines 6 to 20: shape, estimate the natural gradient, follow it.
    pub(crate) fn update(&mut self, search: &mut Search) -> Result<(), Degenerate> {
        let Config { baseline, learning_rate_mean, learning_rate_factor, drift_correction, threads, .. } =
            self.config;
        parallel::among(threads, search.dimension(), || {
            let Search { distribution, population, .. } = &*search;
            let utilities = self.ranking.utilities(population.costs()); // "Fitness Shaping"
            let (s, factor) = (population.whitened(), distribution.factor());
            // "Natural Gradient", "Optimal Fitness Baselines"
            self.gradient.estimate(s, utilities, factor, baseline, &mut self.workspace, threads);
            if drift_correction {
                // Deviation: ln σ gets back what reuse takes from it (test `a_corrected_run_does_not_drift`).
                let alpha = self.mixing.refresh_rate();
                let rate = self.state.correction.rate(s, utilities, population.kept(), alpha);
                self.gradient.widen(learning_rate_factor * self.rate * rate);
            }
            self.gradient.follow(search, learning_rate_mean * self.rate, learning_rate_factor * self.rate)
        })
    }

    /// Points that were evaluated before take part in the first generation.
    pub(crate) fn begin_with(
        &mut self,
        search: &mut Search,
        points: &[f64],
        costs: &[f64],
        generator: &mut Generator,
    ) {
        if first_population::draw(search, points, costs, self.config.refresh_rate, generator) {
            self.state.next = Next::FromTable;
        }
    }

    /// The longest move of the mean towards an external point.
    pub(crate) fn longest_move(&self) -> f64 {
        LONGEST_MOVE
    }

    /// This share of the differences between values is noise, and this much is left of a step. The rows that
    /// selection likes are then the lucky ones, and the distribution would keep them: where noise is more than
    /// half of it, more are drawn anew, all of them where there is nothing else.
    pub(crate) fn set_noise_level(&mut self, share: f64, rate: f64) {
        self.mixing.set_refresh_rate(self.config.refresh_rate.max(2.0 * share - 1.0));
        self.rate = rate;
    }
}

#[cfg(test)]
mod tests {
    use super::default_population;

    #[test]
    fn the_default_population_is_what_the_documentation_says() {
        let sizes = [1, 2, 5, 10, 15, 50, 51, 800].map(default_population);
        assert_eq!(sizes, [20, 28, 76, 236, 496, 5116, 5136, 20116]);
    }
}
