//! The published strategy: one generation of the paper's algorithm (paper, section "Efficient NES").

mod drift_correction;
mod evidence;
mod first_population;
mod fitness_baseline;
mod fitness_shaping;
mod importance_mixing;
mod natural_gradient;

use drift_correction::DriftCorrection;
use evidence::Evidence;
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
use crate::search::{Degenerate, Population, Search};

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
    /// Whether the population, and the learning rates, follow the ratio of signal to noise.
    pub(crate) auto_population: bool,
    pub(crate) adaptive_learning_rate: bool,
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
    /// As it began, unless `Config::auto_population` or `Config::adaptive_learning_rate`.
    evidence: Evidence,
}

impl State {
    /// Before the first generation of a search with populations of n.
    pub(crate) fn new(n: usize) -> Self {
        Self { next: Next::Drawn, correction: DriftCorrection::new(), evidence: Evidence::new(n) }
    }

    /// Whether it fits a search with populations of n.
    #[cfg(feature = "serde")]
    pub(crate) fn is_consistent(&self, config: &Config, search: &Search, n: usize) -> bool {
        let (rows, d) = (search.population.len(), search.dimension());
        self.correction.is_consistent() && self.evidence.is_consistent(n, rows, d, config.auto_population)
    }
}

impl State {
    /// What is left of the learning rates by the evidence of this gradient; `spread` is the mean of (u − b)².
    fn follow_evidence(
        &mut self,
        config: &Config,
        gradient: &NaturalGradient,
        population: &Population,
        spread: impl FnOnce() -> f64,
    ) -> f64 {
        if config.auto_population || config.adaptive_learning_rate {
            let rows = (population.len(), population.fresh());
            self.evidence.count(gradient.squared_length(), rows, spread(), population.dimension());
        }
        if config.adaptive_learning_rate { self.evidence.rate() } else { 1.0 }
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
    /// Rows of the next generation.
    n: usize,
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
            n,
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
                    thin(population, self.n, generator);
                    self.mixing.mix(population, motion, generator, threads); // "Importance mixing"
                    let rows = population.len();
                    population.extend(self.n);
                    generator.fill_normal(&mut population.whitened_mut()[rows * motion.shift.len()..]);
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
            let rate = self.rate
                * self.state.follow_evidence(&self.config, &self.gradient, population, || {
                    self.workspace.mean_square(utilities)
                });
            if drift_correction {
                // Deviation: ln σ gets back what reuse takes from it (test `a_corrected_run_does_not_drift`).
                let alpha = self.mixing.refresh_rate();
                let drift = self.state.correction.rate(s, utilities, population.kept(), alpha);
                self.gradient.widen(learning_rate_factor * rate * drift);
            }
            self.gradient.follow(search, learning_rate_mean * rate, learning_rate_factor * rate)
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

    /// The population that the next generation should have, where the strategy chooses it.
    pub(crate) fn wanted_population(&self) -> Option<usize> {
        self.config.auto_population.then(|| self.state.evidence.population())
    }

    /// Go on with populations of n. Memory is taken where there were never as many rows.
    pub(crate) fn set_population(&mut self, n: usize, d: usize) {
        self.n = n;
        self.mixing.resize(n, d);
        self.ranking.resize(&self.config.shaping, n);
        self.workspace.resize(n, d);
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

/// Leave n rows, any of them with the same probability: those that stay are a population of the same law.
fn thin(population: &mut Population, n: usize, generator: &mut Generator) {
    let (mut left, mut missing) = (population.len(), n);
    if left <= n {
        return;
    }
    population.thin(n, |_| {
        let keep = generator.uniform() * (left as f64) < missing as f64;
        left -= 1;
        missing -= usize::from(keep);
        keep
    });
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
