//! The adaptive strategy, the default: the natural gradient by rank regression.
//!
//! The paper estimates the natural gradient by a sum over the population. Here a quadratic is fitted to
//! rank scores of the latest points, in whitened coordinates; its gradient and curvature are the natural
//! gradient of its expectation. How far the fit is trusted is measured every generation on points that
//! it has not seen; as far as it is not, ordinary recombination moves the mean.

mod ablation;
mod archive;
mod model;
mod ranks;
mod regression;
mod resize;
mod rule;
mod sampling;

use crate::gaussian::{Degenerate, Motion, SearchDistribution};
use crate::linalg::{self, CholeskySpace};
use crate::population::Population;
use crate::random::Generator;
pub use ablation::Ablation;
use archive::Archive;
use model::Model;
use ranks::{NormalScores, Ranks, correlation};
use regression::Regression;
pub(crate) use rule::default_population;
use rule::{Constants, RIDGE, Skill};

/// What a checkpoint keeps of the strategy.
#[derive(Clone, Debug, PartialEq)]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize))]
pub(crate) struct State {
    pub(crate) distribution: SearchDistribution,
    pub(crate) population: Population,
    archive: Archive,
    /// The path p of recombined samples, from which the step size follows.
    path: Vec<f64>,
    /// How well the models did.
    skill: Skill,
    /// The model of the latest update, in the coordinates from before it.
    model: Model,
    /// That update: it takes the coordinates of the model to the present ones.
    motion: Motion,
}

impl State {
    pub(crate) fn new(distribution: SearchDistribution, lambda: usize, without: Option<Ablation>) -> Self {
        let d = distribution.dimension();
        Self {
            distribution,
            population: Population::new(lambda, d),
            archive: Archive::new(Constants::new(d, lambda).without(without, lambda).archive, d),
            path: vec![0.0; d],
            skill: Skill::new(),
            model: Model::flat(d),
            motion: Motion::none(d),
        }
    }

    #[cfg(feature = "serde")]
    pub(crate) fn is_consistent(&self, lambda: usize, d: usize, without: Option<Ablation>) -> bool {
        self.distribution.dimension() == d
            && self.distribution.factor().len() == d * d
            && self.population.is_consistent(lambda, d)
            && self.archive.is_consistent(Constants::new(d, lambda).without(without, lambda).archive, d)
            && self.path.len() == d
            && self.model.is_consistent(d)
            && self.motion.shift.len() == d
            && self.motion.factor.len() == d * d
    }
}

/// State, constants and scratch space of the adaptive strategy.
#[derive(Clone, Debug)]
pub(crate) struct Adaptive {
    pub(crate) state: State,
    constants: Constants,
    ranks: Ranks,
    predicted_ranks: Ranks,
    scores: NormalScores,
    regression: Regression,
    /// Whitened coordinates of the archive.
    whitened: Vec<f64>,
    /// The fresh points in the coordinates of the model, products with it, its predictions.
    before: Vec<f64>,
    products: Vec<f64>,
    predictions: Vec<f64>,
    /// z, the weighted mean of the fresh samples, and R, of their squares; empty where R is not needed.
    recombined: Vec<f64>,
    rank_mu: Vec<f64>,
    scratch: Vec<f64>,
    space: CholeskySpace,
    /// What noise leaves of a step; 1 where values are exact.
    rate: f64,
}

impl Adaptive {
    pub(crate) fn new(mut state: State, without: Option<Ablation>) -> Self {
        let (lambda, d) = (state.population.len(), state.population.dimension());
        let constants = Constants::new(d, lambda).without(without, lambda);
        state.archive.reserve();
        let n = state.archive.capacity();
        Self {
            state,
            ranks: Ranks::new(n),
            predicted_ranks: Ranks::new(lambda),
            scores: NormalScores::new(n),
            regression: Regression::new(n, d, RIDGE),
            rank_mu: vec![0.0; if constants.largeness > 0.0 { d * d } else { 0 }],
            constants,
            whitened: vec![0.0; n * d],
            before: vec![0.0; lambda * d],
            products: vec![0.0; lambda * d],
            predictions: vec![0.0; lambda],
            recombined: vec![0.0; d],
            scratch: vec![0.0; d + d * d],
            space: CholeskySpace::new(d),
            rate: 1.0,
        }
    }

    /// Trust a in the model, from 0 to 1.
    pub(crate) fn trust(&self) -> f64 {
        self.constants.trust(&self.state.skill)
    }

    /// Points in the archive.
    pub(crate) fn archive_len(&self) -> usize {
        self.state.archive.len()
    }

    /// Step 1: orthogonal samples of the present distribution. They wait for their costs.
    pub(crate) fn propose(&mut self, generator: &mut Generator) {
        generator.fill_normal(&mut self.state.population.whitened); // s ~ N(0, I)
        self.place_samples();
    }

    /// From Gaussian vectors to points.
    fn place_samples(&mut self) {
        let State { distribution, population, .. } = &mut self.state;
        let d = population.dimension();
        if self.constants.orthogonal {
            sampling::orthogonalize(&mut population.whitened, d, &mut self.scratch[..d]);
        }
        distribution.points_from(&population.whitened, &mut population.points); // y = m + Fᵀs
        population.kept = 0;
    }

    /// Steps 1 to 8, once the costs are there.
    pub(crate) fn update(&mut self) -> Result<(), Degenerate> {
        self.remember();
        self.judge_model();
        self.fit_model();
        let a = self.trust();
        let State { distribution, path, model, motion, skill, .. } = &mut self.state;
        let (rule, z, space) = (&self.constants, &self.recombined, &mut self.space);
        rule.mean_step(a, model, z, &mut motion.shift);
        motion.shift.iter_mut().for_each(|c| *c *= self.rate);
        rule.advance_path(path, z);
        rule.shape_step(a * self.rate, model, &self.rank_mu, &mut motion.factor, space);
        motion.scale((self.rate * rule.log_step(a, skill, path, &mut self.rank_mu, space)).exp());
        distribution.follow(motion, &mut self.scratch)
    }

    /// The distribution, how it came to be, and scratch space of at least 2 d numbers.
    pub(crate) fn motion_parts(&mut self) -> (&mut SearchDistribution, &mut Motion, &mut [f64]) {
        (&mut self.state.distribution, &mut self.state.motion, &mut self.scratch)
    }

    /// Leave the distribution where it is: the fresh values are all equal, or none is a number. A model
    /// that told the points apart was of no use.
    pub(crate) fn stand_still(&mut self) {
        self.remember();
        self.judge(0.0);
    }

    /// Steps in a row that stood still because nothing but noise was seen; 0 for large populations, which
    /// move on.
    pub(crate) fn silent(&self) -> u64 {
        if self.constants.largeness < 1.0 { self.state.skill.silent } else { 0 }
    }

    fn judge(&mut self, correlation: f64) {
        let State { population, archive, path, skill, .. } = &mut self.state;
        // In the first generation there was no model to judge.
        if archive.len() > population.len() {
            self.constants.judge(skill, correlation, path);
        }
    }

    fn remember(&mut self) {
        let State { population, archive, .. } = &mut self.state;
        archive.append(&population.points, &population.costs);
    }

    /// Steps 2 and 3: how well the previous model predicts the fresh values, and their weighted mean.
    fn judge_model(&mut self) {
        let State { population, model, motion, .. } = &mut self.state;
        let d = population.dimension();
        let samples = &population.whitened;
        let ranks = self.ranks.of(&population.costs);
        self.constants.recombine(samples, ranks, &mut self.recombined);
        if !self.rank_mu.is_empty() {
            self.constants.rank_mu(samples, ranks, &mut self.products, &mut self.rank_mu, d);
        }
        if model.is_flat() {
            return self.judge(0.0);
        }
        motion.coordinates_before(samples, &mut self.before, d);
        model.predict(&self.before, &mut self.products, &mut self.predictions);
        // A large prediction belongs to a small value.
        let r = -correlation(self.predicted_ranks.of(&self.predictions), ranks);
        self.judge(r);
    }

    /// Step 4: the regression of normal scores over the archive.
    fn fit_model(&mut self) {
        let State { distribution, archive, model, .. } = &mut self.state;
        let (n, d) = (archive.len(), distribution.dimension());
        let whitened = &mut self.whitened[..n * d];
        linalg::subtract_from_rows(archive.points(), distribution.mean(), whitened);
        linalg::solve_transpose(distribution.factor(), whitened, d); // s = F⁻ᵀ(y − m)
        let scores = self.scores.of(self.ranks.of(archive.costs()));
        self.regression.fit(whitened, scores, model);
    }
}

#[cfg(test)]
mod tests;
