//! What the settings say of the adaptive strategy, and what follows for the sizes of its generations.

use super::sizes::{self, surrogate_window};
use super::surrogate::Constrained;
use super::tuning::Tuning;
use crate::linalg::squared_norm;
use crate::search::SearchDistribution;
use crate::space::Limits;

/// What the settings say of a run.
#[derive(Clone, Debug)]
pub(crate) struct Config {
    /// Whether there is a surrogate.
    pub(crate) surrogate: bool,
    /// Whether there is a gradient by differences, beyond 40 dimensions.
    pub(crate) gradient: bool,
    /// Samples that accompany the surrogate's own point; `None` for as many as make a generation λ.
    pub(crate) batch: Option<usize>,
    /// A generation of an active surrogate has a multiple of so many points.
    pub(crate) workers: usize,
    /// The log-determinant below which a distribution is no longer wide.
    pub(crate) narrow: f64,
    /// The initial deviations, in which coordinates are of one size.
    pub(crate) units: Vec<f64>,
    /// Whether default generations are small: with a surrogate, and with integers.
    pub(crate) small: bool,
    /// Whether generations grow where models do not predict: not where the user has said how large they are.
    pub(crate) grows: bool,
    /// Integers, where there are other coordinates.
    pub(crate) integers: Vec<usize>,
    /// The points that are evaluated, where search coordinates are folded into a box or rounded: the surrogate sees these.
    pub(crate) limits: Option<Limits>,
    /// Constraints that are modelled one by one, or known; `None` where there are none.
    pub(crate) constrained: Option<Constrained>,
    pub(crate) tuning: Tuning,
}

impl Config {
    /// Samples of a generation in which the surrogate is active, in a search with populations of λ.
    pub(super) fn samples_beside_model(&self, lambda: usize) -> usize {
        // As many rounds of all workers as come nearest to λ.
        let rounds = ((2 * lambda + self.workers) / (2 * self.workers)).max(1);
        self.batch.unwrap_or(rounds * self.workers - 1)
    }

    /// Whether evaluations come one after another: each is followed by a fit, and no generation is larger than it must be. Where
    /// the user has said nothing, in few dimensions and once the search is narrow: which optimum it ends in was decided by samples
    /// while it was wide.
    pub(super) fn is_serial(&self, distribution: &SearchDistribution) -> bool {
        let free = self.batch.is_none() && self.workers == 1 && self.grows;
        let few = distribution.dimension() <= sizes::SHOWN_BY_STEPS;
        let asked = self.batch == Some(1);
        let wanted = asked || free && few && distribution.log_det() < self.narrow;
        wanted && self.surrogate && self.tuning.surrogate.trust_region
    }

    /// Whether the surrogate's point may, serially, be the only one of a generation: where constraints are modelled, or dimensions
    /// are so few that steps alone show all of them. In more, samples beside the steps keep a sharp ridge from narrowing the search.
    pub(super) fn steps_alone(&self, d: usize) -> bool {
        self.constrained.is_some() || d <= sizes::SHOWN_BY_STEPS
    }

    /// Integers that are as narrow as their margin lets them be say nothing of the step: the path has there what it has on
    /// average elsewhere, so that the others widen and narrow as if they were alone.
    pub(super) fn level_path(&self, path: &mut [f64], distribution: &SearchDistribution) {
        let settled = |j: usize| {
            let (mean, deviation) = (distribution.mean()[j], distribution.deviation(j));
            self.limits.as_ref().is_none_or(|limits| limits.is_settled(j, mean, deviation))
        };
        let (mut squares, mut others) = (squared_norm(path), path.len());
        for &j in self.integers.iter().filter(|j| settled(**j)) {
            squares -= path[j] * path[j];
            others -= 1;
        }
        let level = (squares.max(0.0) / others as f64).sqrt();
        self.integers.iter().filter(|j| settled(**j)).for_each(|&j| path[j] = level);
    }

    /// How many points of the archive regression and surrogate see, with populations of λ.
    pub(crate) fn windows(&self, d: usize, lambda: usize) -> (usize, usize) {
        let ranks = sizes::regression_window(d, lambda, self.small, &self.tuning.ranks);
        (ranks, if self.surrogate { surrogate_window(d, lambda) } else { 0 })
    }
}
