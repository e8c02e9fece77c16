//! The published strategy: one generation of the paper's algorithm (paper, section "Efficient NES").

use crate::fitness_baseline::Baseline;
use crate::fitness_shaping::Ranking;
use crate::gaussian::{Degenerate, Motion, SearchDistribution};
use crate::importance_mixing::{MAX_DRAWS_PER_ROW, Mixing};
use crate::inject::move_towards;
use crate::linalg::{parallel, squared_norm};
use crate::natural_gradient::{NaturalGradient, Workspace};
use crate::population::Population;
use crate::random::Generator;
use crate::settings::Settings;

/// Beyond this dimension the default population grows by the paper's 20 points a dimension.
const QUADRATIC_UP_TO: usize = 50;

/// The longest move towards an injected point, in whitened length: importance mixing then keeps 2Φ(−½), three
/// fifths, of the population. At √d nearly all of it would have to be evaluated anew.
const LONGEST_MOVE: f64 = 1.0;

/// The default population size in d dimensions: four points for each of the d(d + 1)/2 entries of
/// the factor, and sixteen; from d = 50 on, 20 more for each dimension.
///
/// With η = 1 and smaller populations runs on Rosenbrock's function end ill-conditioned, far from the
/// optimum. Measured by `benchmarks/population`.
pub(crate) fn default_population(d: usize) -> usize {
    let low = d.min(QUADRATIC_UP_TO);
    let beyond = d - low;
    (2 * low * (low + 1) + 16).saturating_add(beyond.saturating_mul(20))
}

/// What a checkpoint keeps of the strategy.
#[derive(Clone, Debug, PartialEq)]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize))]
pub(crate) struct State {
    pub(crate) distribution: SearchDistribution,
    pub(crate) population: Population,
    /// The update between the distribution of the population and the present one.
    pub(crate) motion: Motion,
    pub(crate) started: bool,
    /// Whether the rows of the first population have been drawn: some of them come from a table.
    prepared: bool,
}

/// State, constants and scratch space of the published strategy.
#[derive(Clone, Debug)]
pub(crate) struct Published {
    pub(crate) state: State,
    baseline: Baseline,
    learning_rate_mean: f64,
    learning_rate_factor: f64,
    /// The user's choice; noise raises it.
    refresh_rate: f64,
    mixing: Mixing,
    /// What noise leaves of the learning rates.
    rate: f64,
    ranking: Ranking,
    gradient: NaturalGradient,
    workspace: Workspace,
    scratch: Vec<f64>,
    /// For the products of O(n d²).
    threads: usize,
}

impl State {
    pub(crate) fn new(distribution: SearchDistribution, n: usize) -> Self {
        let d = distribution.dimension();
        Self {
            distribution,
            population: Population::new(n, d),
            motion: Motion::none(d),
            started: false,
            prepared: false,
        }
    }

    #[cfg(feature = "serde")]
    pub(crate) fn is_consistent(&self, n: usize, d: usize) -> bool {
        self.distribution.dimension() == d
            && self.distribution.factor().len() == d * d
            && self.population.is_consistent(n, d)
            && self.motion.shift.len() == d
            && self.motion.factor.len() == d * d
    }
}

impl Published {
    pub(crate) fn new(settings: &Settings, state: State) -> Self {
        let (n, d) = (state.population.len(), state.population.dimension());
        Self {
            state,
            baseline: settings.baseline,
            learning_rate_mean: settings.learning_rate_mean,
            learning_rate_factor: settings.learning_rate_factor,
            refresh_rate: settings.refresh_rate,
            mixing: Mixing::new(n, d, settings.refresh_rate),
            rate: 1.0,
            ranking: Ranking::new(&settings.shaping, n),
            gradient: NaturalGradient::zero(d),
            workspace: Workspace::new(n, d, settings.baseline),
            scratch: vec![0.0; d + d * d],
            threads: settings.algebra_threads,
        }
    }

    /// Compute on this many threads from now on.
    pub(crate) fn use_threads(&mut self, threads: usize) {
        self.threads = threads;
    }

    /// Line 4 of the paper's algorithm: update the population using importance mixing. The fresh
    /// rows of the population then wait for their costs.
    pub(crate) fn propose(&mut self, generator: &mut Generator) {
        let (threads, d) = (self.threads, self.state.population.dimension());
        parallel::among(threads, d, || self.propose_here(generator));
    }

    fn propose_here(&mut self, generator: &mut Generator) {
        let State { distribution, population, motion, started, prepared } = &mut self.state;
        if std::mem::take(prepared) {
            *started = true;
        } else if *started {
            self.mixing.mix(population, motion, generator, self.threads);
        } else {
            generator.fill_normal(&mut population.whitened); // s ~ N(0, I)
            population.kept = 0;
            *started = true;
        }
        let fresh = population.kept * population.dimension();
        // z = x + Aᵀs ~ N(x, AᵀA)
        let (whitened, points) = (&population.whitened[fresh..], &mut population.points[fresh..]);
        distribution.points_from_on(self.threads, whitened, points);
    }

    /// Lines 6 to 20: shape, estimate the natural gradient, follow it.
    pub(crate) fn update(&mut self) -> Result<(), Degenerate> {
        let (threads, d) = (self.threads, self.state.population.dimension());
        parallel::among(threads, d, || self.update_here())
    }

    fn update_here(&mut self) -> Result<(), Degenerate> {
        let State { distribution, population, motion, .. } = &mut self.state;
        let utilities = self.ranking.utilities(&population.costs);
        self.gradient.estimate(
            &population.whitened,
            utilities,
            distribution.factor(),
            self.baseline,
            &mut self.workspace,
            self.threads,
        );
        distribution.advance(
            &self.gradient,
            self.learning_rate_mean * self.rate,
            self.learning_rate_factor * self.rate,
            motion,
            &mut self.scratch,
        )
    }

    /// The distribution, how it came to be, and scratch space of at least 2 d numbers.
    pub(crate) fn motion_parts(&mut self) -> (&mut SearchDistribution, &mut Motion, &mut [f64]) {
        (&mut self.state.distribution, &mut self.state.motion, &mut self.scratch)
    }

    /// Points that were evaluated before enter the first population by importance: their own Gaussian fit q
    /// is taken for their law, p is the start. A point stays with probability min(1, (1 − α)p/q); for each that
    /// goes one is drawn from p and accepted with max(α, 1 − q/p), and the others are drawn from p. The law of
    /// the population is p, as far as that of the table is q.
    pub(crate) fn begin_with(&mut self, points: &[f64], costs: &[f64], generator: &mut Generator) {
        let State { distribution: p, population, prepared, .. } = &mut self.state;
        let (n, d) = (population.len(), population.dimension());
        let latest = costs.len().min(n);
        let points = &points[(costs.len() - latest) * d..];
        let costs = &costs[costs.len() - latest..];
        let Some(q) = SearchDistribution::of_points(points, d) else { return };
        let log_det = p.log_det() - q.log_det();
        // ln p/q of points as rows.
        let log_ratios = |z: &[f64]| -> Vec<f64> {
            let norms = |of: &SearchDistribution| {
                let s = of.whiten(z).unwrap_or_default();
                s.chunks_exact(d).map(squared_norm).collect::<Vec<f64>>()
            };
            norms(&q).iter().zip(norms(p)).map(|(b, a)| 0.5 * (b - a) - log_det).collect()
        };
        let alpha = self.refresh_rate;
        let mut kept = 0;
        for ((z, cost), ratio) in points.chunks_exact(d).zip(costs).zip(log_ratios(points)) {
            if generator.uniform() < (1.0 - alpha) * ratio.exp() {
                population.points[kept * d..(kept + 1) * d].copy_from_slice(z);
                population.costs[kept] = *cost;
                kept += 1;
            }
        }
        if kept > 0 {
            let s = p.whiten(&population.points[..kept * d]).unwrap_or_default();
            population.whitened[..kept * d].copy_from_slice(&s);
        }
        population.kept = kept;
        population.measured[..kept].fill(1);
        let (mut z, mut draws) = (vec![0.0; d], 0);
        for (row, s) in population.whitened.chunks_exact_mut(d).enumerate().skip(kept) {
            loop {
                generator.fill_normal(s);
                draws += 1;
                if row >= latest || draws > MAX_DRAWS_PER_ROW * n {
                    break;
                }
                p.points_from(s, &mut z);
                if generator.uniform() < alpha.max(1.0 - (-log_ratios(&z)[0]).exp()) {
                    break;
                }
            }
        }
        *prepared = true;
    }

    /// Move the mean towards a point that was not sampled; the next mixing knows of it.
    pub(crate) fn move_towards(&mut self, point: &[f64]) {
        let State { distribution, motion, .. } = &mut self.state;
        move_towards(point, LONGEST_MOVE, distribution, motion, &mut self.scratch);
    }

    /// This share of the differences between values is noise, and this much is left of a step. The rows that
    /// selection likes are then the lucky ones, and the distribution would keep them: where noise is more than
    /// half of it, more are drawn anew, all of them where there is nothing else.
    pub(crate) fn hear_noise(&mut self, share: f64, rate: f64) {
        self.mixing.set_refresh_rate(self.refresh_rate.max(2.0 * share - 1.0));
        self.rate = rate;
    }

    /// Leave the distribution where it is for this generation.
    pub(crate) fn stand_still(&mut self) {
        self.state.motion.stand_still();
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
