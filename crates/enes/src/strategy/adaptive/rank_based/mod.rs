//! The rank-based mode: the natural gradient by regression of ranks.
//!
//! The paper estimates the natural gradient by a sum over the population. Here a quadratic is fitted to
//! rank scores of the latest points, in whitened coordinates; its gradient and curvature are the natural
//! gradient of its expectation. How far the fit is trusted is measured every generation on points that
//! it has not seen; as far as it is not, ordinary recombination moves the mean.

mod diagonal;
mod model;
mod regression;
mod update;

#[cfg(test)]
pub(super) use model::Model;
#[cfg(not(test))]
use model::Model;
use regression::Regression;
pub(super) use update::{Constants, Skill};

use super::tuning::RankTuning;
use crate::archive::{Archive, Reader};
use crate::linalg::CholeskySpace;
use crate::math::ranks::{NormalScores, Ranks, correlation};
use crate::search::{Motion, Population, Search};

/// What a checkpoint keeps.
#[derive(Clone, Debug, PartialEq)]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize))]
pub(super) struct State {
    /// The path p of recombined samples, from which the step size follows.
    pub(super) path: Vec<f64>,
    /// How well the models did.
    pub(super) skill: Skill,
    /// The model of the latest update, in the coordinates from before it; the search's motion leads to the present
    /// ones.
    pub(super) model: Model,
    /// Whether the model has predicted values that the next ones can judge.
    has_predicted: bool,
}

impl State {
    pub(super) fn new(d: usize, tuning: &RankTuning) -> Self {
        Self { path: vec![0.0; d], skill: Skill::new(tuning), model: Model::flat(d), has_predicted: false }
    }

    /// Another model has moved the distribution: the last one has nothing to say of the next values.
    pub(super) fn forget_model(&mut self) {
        self.model.clear();
        self.has_predicted = false;
    }

    #[cfg(feature = "serde")]
    pub(super) fn is_consistent(&self, d: usize) -> bool {
        let counts = [self.skill.models, self.skill.without_signal];
        self.path.len() == d && self.model.is_consistent(d) && counts.into_iter().all(crate::math::is_count)
    }
}

/// Constants and scratch space.
#[derive(Clone, Debug)]
pub(super) struct RankBased {
    pub(super) constants: Constants,
    lambda: usize,
    ranks: Ranks,
    predicted_ranks: Ranks,
    scores: NormalScores,
    regression: Regression,
    /// Rows of the archive, their costs, whitened coordinates and squared norms.
    rows: Vec<usize>,
    costs: Vec<f64>,
    whitened: Vec<f64>,
    norms: Vec<f64>,
    /// The fresh points in the coordinates of the model, products with it, its predictions.
    before: Vec<f64>,
    products: Vec<f64>,
    predictions: Vec<f64>,
    /// z, the weighted mean of the fresh samples, and R, of their squares; empty where R is not needed.
    recombined: Vec<f64>,
    rank_mu: Vec<f64>,
    space: CholeskySpace,
}

impl RankBased {
    /// For populations of λ; `small` where the default ones are.
    pub(super) fn new(d: usize, lambda: usize, small: bool, tuning: RankTuning) -> Self {
        let constants = Constants::new(d, lambda, small, tuning);
        let n = constants.window;
        Self {
            lambda,
            ranks: Ranks::new(n),
            predicted_ranks: Ranks::new(lambda),
            scores: NormalScores::new(n),
            regression: Regression::new(n, d, tuning.ridge),
            rank_mu: vec![0.0; if constants.largeness > 0.0 { d * d } else { 0 }],
            constants,
            rows: Vec::with_capacity(n),
            costs: Vec::with_capacity(n),
            whitened: vec![0.0; n * d],
            norms: vec![0.0; n],
            before: vec![0.0; lambda * d],
            products: vec![0.0; (lambda + 1) * d],
            predictions: vec![0.0; lambda],
            recombined: vec![0.0; d],
            space: CholeskySpace::new(d),
        }
    }

    /// Trust a in the model, from 0 to 1.
    pub(super) fn trust(&self, state: &State) -> f64 {
        self.constants.trust(&state.skill)
    }

    /// No model could tell the fresh values apart, and none moved.
    pub(super) fn judge_flat(&self, state: &mut State) {
        self.judge(state, 0.0);
        state.has_predicted = true;
    }

    fn judge(&self, state: &mut State, correlation: f64) {
        // In the first generation there was no model to judge.
        if state.has_predicted {
            self.constants.judge(&mut state.skill, correlation, &state.path);
        }
    }

    /// Steps 2 and 3: how well the last model predicts the fresh values, and their weighted mean.
    pub(super) fn judge_and_recombine(
        &mut self,
        state: &mut State,
        population: &Population,
        motion: &Motion,
    ) {
        let d = population.dimension();
        let first = population.len() - self.lambda;
        let samples = &population.whitened()[first * d..];
        let ranks = self.ranks.of(&population.costs()[first..]);
        self.constants.recombine(samples, ranks, &mut self.recombined);
        if !self.rank_mu.is_empty() {
            let rows = &mut self.products[..samples.len()];
            self.constants.rank_mu(samples, ranks, rows, &mut self.rank_mu, d);
        }
        if state.model.is_flat() {
            return self.judge(state, 0.0);
        }
        motion.coordinates_before(samples, &mut self.before, d);
        state.model.predict(&self.before, &mut self.products, &mut self.predictions);
        // A large prediction belongs to a small value.
        let r = -correlation(self.predicted_ranks.of(&self.predictions), ranks);
        self.judge(state, r);
    }

    /// Step 4: the regression of normal scores over the archive.
    pub(super) fn fit(&mut self, state: &mut State, search: &Search, archive: &Archive) {
        let (distribution, d) = (&search.distribution, search.dimension());
        archive.read(Reader::Ranks, &mut self.rows);
        let n = self.rows.len();
        archive.costs_of(&self.rows, &mut self.costs);
        let (whitened, norms) = (&mut self.whitened[..n * d], &mut self.norms[..n]);
        archive.whiten(&self.rows, distribution, whitened, norms); // s = A⁻ᵀ(z − x)
        let scores = self.scores.of(self.ranks.of(&self.costs));
        self.regression.fit(whitened, norms, scores, &mut state.model);
        state.has_predicted = true;
    }

    /// Step 6: the path goes on by what was recombined.
    pub(super) fn advance_path(&self, state: &mut State) {
        self.constants.advance_path(&mut state.path, &self.recombined);
    }

    /// Steps 5 and 7: the shift of the mean and the shape; `rate` is what noise leaves of them.
    pub(super) fn move_mean_and_shape(&mut self, state: &State, rate: f64, motion: &mut Motion) {
        let a = self.trust(state);
        self.constants.mean_step(a, &state.model, &self.recombined, &mut motion.shift);
        motion.shift.iter_mut().for_each(|c| *c *= rate);
        self.constants.shape_step(a * rate, &state.model, &self.rank_mu, &mut motion.factor, &mut self.space);
    }

    /// Step 8: by how much ln σ grows.
    pub(super) fn log_step(&mut self, state: &State) -> f64 {
        let a = self.trust(state);
        self.constants.log_step(a, &state.skill, &state.path, &mut self.rank_mu, &mut self.space)
    }
}
