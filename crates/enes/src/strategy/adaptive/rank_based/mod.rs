//! The rank-based mode: the natural gradient by regression of ranks.
//!
//! The paper estimates the natural gradient by a sum over the population. Here a quadratic is fitted to
//! rank scores of the latest points, in whitened coordinates; its gradient and curvature are the natural
//! gradient of its expectation. How far the fit is trusted is measured every generation on points that
//! it has not seen; as far as it is not, ordinary recombination moves the mean.

mod diagonal;
mod many;
mod model;
mod regression;
mod skill;
mod update;
mod values;

#[cfg(test)]
pub(super) use model::Model;
#[cfg(not(test))]
use model::Model;
use regression::Regression;
pub(super) use skill::{Skill, Trust};
pub(super) use update::{Constants, Sources};

use many::Progress;
#[cfg(test)]
pub(super) use many::Stage;

use std::ops::RangeInclusive;

use super::sizes::regression_window;
use super::tuning::RankTuning;
use crate::archive::{Archive, Reader};
use crate::linalg::CholeskySpace;
use crate::math::ranks::{NormalScores, Ranks, correlation, partial_correlation};
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
    /// How far the search has come: what many dimensions ask for.
    progress: Progress,
}

impl State {
    pub(super) fn new(d: usize, tuning: &RankTuning) -> Self {
        Self {
            path: vec![0.0; d],
            skill: Skill::new(tuning),
            model: Model::flat(d),
            has_predicted: false,
            progress: Progress::default(),
        }
    }

    /// The path begins anew.
    pub(super) fn begin_path(&mut self) {
        self.path.fill(0.0);
        self.progress.updates = 0;
    }

    /// Another model has moved the distribution: the last one has nothing to say of the next values.
    pub(super) fn forget_model(&mut self) {
        self.model.clear();
        self.has_predicted = false;
    }

    #[cfg(feature = "serde")]
    pub(super) fn is_consistent(&self, d: usize) -> bool {
        let counts = [self.skill.models, self.skill.without_signal];
        self.path.len() == d
            && self.model.is_consistent(d)
            && self.progress.is_consistent()
            && counts.into_iter().all(crate::math::is_count)
    }
}

/// Constants and scratch space.
#[derive(Clone, Debug)]
pub(super) struct RankBased {
    /// Those of the present population.
    pub(super) constants: Constants,
    /// Those of the other populations of the search.
    others: Vec<Constants>,
    ranks: Ranks,
    predicted_ranks: Ranks,
    scores: NormalScores,
    regression: Regression,
    /// Rows of the archive, their costs, whitened coordinates and squared norms.
    rows: Vec<usize>,
    costs: Vec<f64>,
    whitened: Vec<f64>,
    norms: Vec<f64>,
    /// The fresh points in the coordinates of the model, products with it, its predictions and the curvature's part.
    before: Vec<f64>,
    products: Vec<f64>,
    predictions: Vec<f64>,
    by_curvature: Vec<f64>,
    /// z, the weighted mean of the fresh samples, and R, of their squares; empty where R is not needed.
    recombined: Vec<f64>,
    rank_mu: Vec<f64>,
    /// Generations of which the latest fit is the first and only one.
    stands_for: f64,
    space: CholeskySpace,
}

impl RankBased {
    /// For a search with populations of λ, which may become any of `sizes`; `small` where the default ones are.
    pub(super) fn new(
        d: usize,
        lambda: usize,
        sizes: RangeInclusive<usize>,
        small: bool,
        tuning: RankTuning,
    ) -> Self {
        let most = *sizes.end();
        let constants = Constants::new(d, lambda, small, tuning);
        let others = sizes.filter(|n| *n != lambda).map(|n| Constants::new(d, n, small, tuning));
        let n = regression_window(d, most, small, &tuning);
        Self {
            ranks: Ranks::new(n),
            predicted_ranks: Ranks::new(most),
            others: others.collect(),
            scores: NormalScores::new(n),
            regression: Regression::new(n, d, tuning.ridge),
            rank_mu: vec![0.0; if constants.needs_rank_mu() { d * d } else { 0 }],
            constants,
            rows: Vec::with_capacity(n),
            costs: Vec::with_capacity(n),
            whitened: vec![0.0; n * d],
            norms: vec![0.0; n],
            before: vec![0.0; most * d],
            products: vec![0.0; (most + 1).max(3) * d],
            predictions: vec![0.0; most],
            by_curvature: vec![0.0; most],
            recombined: vec![0.0; d],
            stands_for: 1.0,
            space: CholeskySpace::new(d),
        }
    }

    /// Go on with populations of λ, one of those that were named. Nothing is allocated.
    pub(super) fn set_population(&mut self, lambda: usize) {
        if let Some(other) = self.others.iter_mut().find(|c| c.population() == lambda) {
            std::mem::swap(other, &mut self.constants);
        }
    }

    /// Trust in the model.
    pub(super) fn trust(&self, state: &State) -> Trust {
        self.constants.trust(&state.skill, self.constants.stage(&state.progress, state.path.len()))
    }

    /// No model could tell the fresh values apart, and none moved.
    pub(super) fn judge_flat(&self, state: &mut State) {
        self.judge(state, 0.0, 0.0);
        state.has_predicted = true;
    }

    fn judge(&self, state: &mut State, correlation: f64, by_curvature: f64) {
        // In the first generation there was no model to judge.
        if state.has_predicted {
            self.constants.judge(&mut state.skill, correlation, by_curvature, &state.path);
        }
    }

    /// Steps 2 and 3: how well the last model predicts the fresh values, and their weighted mean.
    pub(super) fn judge_and_recombine(
        &mut self,
        state: &mut State,
        population: &Population,
        motion: &Motion,
        archive: &Archive,
    ) {
        let d = population.dimension();
        let lambda = self.constants.population();
        let first = population.len() - lambda;
        let samples = &population.whitened()[first * d..];
        let is_fit_due = self.is_fit_due(state, archive);
        let ranks = self.ranks.of(&population.costs()[first..]);
        self.constants.recombine(samples, ranks, &mut self.recombined);
        if !self.rank_mu.is_empty() && is_fit_due {
            let rows = &mut self.products[..samples.len()];
            self.constants.rank_mu(samples, ranks, rows, &mut self.rank_mu, d);
        }
        if state.model.is_flat() {
            return self.judge(state, 0.0, 0.0);
        }
        let before = &mut self.before[..lambda * d];
        motion.coordinates_before(&population.presently_whitened()[first * d..], before, d);
        let (predictions, part) = (&mut self.predictions[..lambda], &mut self.by_curvature[..lambda]);
        state.model.predict(before, &mut self.products[..(lambda + 1) * d], predictions, part);
        // A large prediction belongs to a small value.
        let r = -correlation(self.predicted_ranks.of(predictions), ranks);
        let by_curvature = partial_correlation(part, predictions, ranks);
        self.judge(state, r, by_curvature);
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
        self.stands_for = (1 + state.progress.since_fit) as f64;
        state.progress.since_fit = 0;
        state.has_predicted = true;
    }

    /// Step 6: the path goes on by what was recombined.
    pub(super) fn advance_path(&self, state: &mut State) {
        self.constants.advance_path(&mut state.path, &self.recombined);
        state.progress.updates += 1;
        state.progress.evaluations += self.constants.population() as u64;
    }

    /// Steps 5 and 7: the shift of the mean and the shape; `rate` is what noise leaves of them.
    pub(super) fn move_mean_and_shape(&mut self, state: &State, rate: f64, motion: &mut Motion) {
        self.move_mean(state, rate, motion);
        self.move_shape(state, rate, motion);
    }

    /// Step 5, and a shape that stays as it is.
    pub(super) fn move_mean_alone(&self, state: &State, rate: f64, motion: &mut Motion) {
        self.move_mean(state, rate, motion);
        motion.keep_shape();
    }

    fn move_mean(&self, state: &State, rate: f64, motion: &mut Motion) {
        let trust = self.trust(state);
        let first = self.constants.first_part(&state.progress, state.path.len());
        let gradient = &state.model.gradient;
        self.constants.mean_step(trust.mean, first, gradient, &self.recombined, &mut motion.shift);
        motion.shift.iter_mut().for_each(|c| *c *= rate);
    }

    fn move_shape(&mut self, state: &State, rate: f64, motion: &mut Motion) {
        let trust = self.trust(state);
        let floor = self.constants.floor(self.rows.len(), state.path.len());
        let mut rates = self.constants.shape_rates(trust.shape * rate, floor, state.path.len());
        // A fit stands for the generations since the last one.
        rates[1..].iter_mut().for_each(|rate| *rate *= self.stands_for);
        let sources = Sources { model: &state.model, samples: &self.rank_mu, path: &state.path };
        self.constants.shape_step(rates, sources, &mut motion.factor, &mut self.space);
    }

    /// Step 8: by how much ln σ grows.
    pub(super) fn log_step(&mut self, state: &mut State) -> f64 {
        let a = self.trust(state).step;
        let stage = self.constants.stage(&state.progress, state.path.len());
        let by =
            self.constants.log_step(a, &state.skill, &state.path, stage, &mut self.rank_mu, &mut self.space);
        state.progress.log_scale += by;
        by
    }
}
