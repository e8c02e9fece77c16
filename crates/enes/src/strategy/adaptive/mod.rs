//! The adaptive strategy, the default: the natural gradient by rank regression.
//!
//! The paper estimates the natural gradient by a sum over the population. Here a quadratic is fitted to
//! rank scores of the latest points, in whitened coordinates; its gradient and curvature are the natural
//! gradient of its expectation. How far the fit is trusted is measured every generation on points that
//! it has not seen; as far as it is not, ordinary recombination moves the mean.

mod ablation;
mod archive;
mod guests;
mod model;
mod proposal;
mod ranks;
mod regression;
mod resize;
mod response;
mod rule;
mod sampling;
mod separate;

use crate::gaussian::{Degenerate, Motion, SearchDistribution};
use crate::linalg::{self, CholeskySpace};
use crate::modelling::ModelReading;
use crate::population::Population;
pub use ablation::Ablation;
pub(crate) use ablation::Variant;
use archive::Archive;
use model::Model;
pub(crate) use ranks::normal_quantile;
use ranks::{NormalScores, Ranks, correlation};
use regression::Regression;
#[cfg(feature = "timing")]
pub use response::PARTS;
pub use response::ResponseKind;
use response::{Memory, Response};
use rule::{Constants, RIDGE, Skill};
pub(crate) use rule::{default_population, small_population};
use sampling::Queue;

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
    /// Whether the latest update was the rank rule's, so that its model can be judged.
    ranked: bool,
    /// Points that were not sampled, in the archive since the last generation.
    guests: usize,
    /// The model of the values, where there is one.
    values: Option<Box<Values>>,
}

/// What the model of the values adds to the state.
#[derive(Clone, Debug, PartialEq)]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize))]
struct Values {
    memory: Memory,
    /// Samples beside the model's point.
    batch: usize,
    /// Orthogonal samples to come.
    queue: Queue,
    /// Whether the first row of the population is the model's point.
    model_row: bool,
    /// Samples that wait for others: the model did not rule after all, and the rank rule needs λ.
    carried: usize,
}

impl State {
    /// `batch` samples beside a model of the values, if there shall be one.
    pub(crate) fn new(
        distribution: SearchDistribution,
        lambda: usize,
        batch: Option<usize>,
        variant: Variant,
    ) -> Self {
        let d = distribution.dimension();
        let constants = Constants::of(variant, d, lambda);
        let values = batch.map(|batch| {
            Box::new(Values {
                memory: Memory::new(d, lambda),
                batch,
                queue: Queue::new(d),
                model_row: false,
                carried: 0,
            })
        });
        Self {
            distribution,
            population: Population::new(lambda, d),
            archive: Archive::new(constants.archive, d),
            path: vec![0.0; d],
            skill: Skill::new(),
            model: Model::flat(d),
            motion: Motion::none(d),
            ranked: false,
            guests: 0,
            values,
        }
    }

    #[cfg(feature = "serde")]
    pub(crate) fn is_consistent(
        &self,
        lambda: usize,
        d: usize,
        batch: Option<usize>,
        variant: Variant,
    ) -> bool {
        let rows = self.population.len();
        let constants = Constants::of(variant, d, lambda);
        let values_fit = match (&self.values, batch) {
            (None, None) => rows == lambda,
            (Some(values), Some(batch)) => {
                let Values { memory, queue, carried, .. } = &**values;
                values.batch == batch
                    && memory.is_consistent(d, lambda)
                    && queue.is_consistent(d)
                    && *carried <= rows
                    && *carried < lambda
                    && (rows == lambda || rows == batch + 1)
            }
            _ => false,
        };
        values_fit
            && self.distribution.dimension() == d
            && self.distribution.factor().len() == d * d
            && self.population.is_consistent(rows, d)
            && self.archive.is_consistent(constants.archive, d)
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
    lambda: usize,
    response: Option<Box<Response>>,
    /// Coordinates that say nothing of the step: integers, whose margin it is not, beside others.
    pub(crate) without_step: Vec<usize>,
    /// What noise leaves of a step; 1 where values are exact.
    rate: f64,
}

impl Adaptive {
    pub(crate) fn new(mut state: State, lambda: usize, variant: Variant) -> Self {
        let d = state.population.dimension();
        let response = state.values.as_mut().map(|values| {
            let rows = lambda.max(values.batch + 1);
            state.population.reserve(rows);
            Box::new(Response::new(&mut values.memory, d, lambda, rows, variant.without))
        });
        let constants = Constants::of(variant, d, lambda);
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
            products: vec![0.0; (lambda + 1) * d],
            predictions: vec![0.0; lambda],
            recombined: vec![0.0; d],
            scratch: vec![0.0; 3 * d + d * d],
            space: CholeskySpace::new(d),
            lambda,
            response,
            without_step: Vec::new(),
            rate: 1.0,
        }
    }

    /// Trust a in the model, from 0 to 1.
    pub(crate) fn trust(&self) -> f64 {
        self.constants.trust(&self.state.skill)
    }

    /// The best model of the values in the latest generation.
    pub(crate) fn model_of_values(&self) -> Option<ModelReading> {
        let Memory { winner, rules, .. } = &self.state.values.as_ref()?.memory;
        winner.map(|w| ModelReading { rules: *rules, response: w.kind, error: w.error })
    }

    /// Seconds of each part of the model of the values.
    #[cfg(feature = "timing")]
    pub(crate) fn model_seconds(&self) -> Option<[f64; 5]> {
        self.response.as_ref().map(|response| response.seconds())
    }

    /// Points in the archive.
    pub(crate) fn archive_len(&self) -> usize {
        self.state.archive.len()
    }

    /// Steps 1 to 8, once the costs are there.
    pub(crate) fn update(&mut self) -> Result<(), Degenerate> {
        self.remember();
        let advice = self.judge_model_of_values();
        if self.state.values.as_ref().is_some_and(|v| v.memory.rules) {
            return self.follow_model_of_values();
        }
        if !self.has_full_sample() {
            return Ok(());
        }
        self.judge_model();
        self.fit_model();
        let a = self.trust();
        let State { distribution, path, model, motion, skill, values, .. } = &mut self.state;
        let (rule, z, space) = (&self.constants, &self.recombined, &mut self.space);
        rule.advance_path(path, z);
        match (values, &mut self.response) {
            (Some(values), Some(response)) if advice => response.advise(&values.memory, motion),
            _ => {
                rule.mean_step(a, model, z, &mut motion.shift);
                motion.shift.iter_mut().for_each(|c| *c *= self.rate);
                rule.shape_step(a * self.rate, model, &self.rank_mu, &mut motion.factor, space);
            }
        }
        // 1 is what a path without news has: these neither widen nor narrow the search.
        self.without_step.iter().for_each(|&j| path[j] = 1.0);
        motion.scale((self.rate * rule.log_step(a, skill, path, &mut self.rank_mu, space)).exp());
        distribution.follow(motion, &mut self.scratch)
    }

    /// Fit the model of the values; whether it advises the rank rule.
    fn judge_model_of_values(&mut self) -> bool {
        let State { distribution, values, .. } = &mut self.state;
        let (Some(values), Some(response)) = (values, &mut self.response) else { return false };
        response.judge(&mut values.memory, distribution)
    }

    fn follow_model_of_values(&mut self) -> Result<(), Degenerate> {
        let State { distribution, motion, values, ranked, model, .. } = &mut self.state;
        if let (Some(values), Some(response)) = (values, &mut self.response) {
            response.rule(&mut values.memory, motion);
            values.carried = 0;
        }
        model.clear();
        *ranked = false;
        distribution.follow(motion, &mut self.scratch)
    }

    /// Whether there are λ samples for the rank rule; if not, those there are wait for the others.
    fn has_full_sample(&mut self) -> bool {
        let State { population, values, .. } = &mut self.state;
        let Some(values) = values else { return true };
        let samples = population.len() - usize::from(values.model_row);
        values.carried = if samples < self.lambda { samples } else { 0 };
        values.carried == 0
    }

    /// The distribution, how it came to be, and scratch space of at least 2 d numbers.
    pub(crate) fn motion_parts(&mut self) -> (&mut SearchDistribution, &mut Motion, &mut [f64]) {
        (&mut self.state.distribution, &mut self.state.motion, &mut self.scratch)
    }

    /// Leave the distribution where it is: the fresh values are all equal, or none is a number. A model
    /// that told the points apart was of no use.
    pub(crate) fn stand_still(&mut self) {
        self.remember();
        if let Some(values) = &mut self.state.values {
            values.memory.abdicate();
        }
        if self.has_full_sample() {
            self.judge(0.0);
            self.state.ranked = true;
        }
    }

    /// Steps in a row that stood still because nothing but noise was seen; 0 for large populations, which
    /// move on.
    pub(crate) fn silent(&self) -> u64 {
        if self.constants.largeness < 1.0 { self.state.skill.silent } else { 0 }
    }

    fn judge(&mut self, correlation: f64) {
        let State { path, skill, ranked, .. } = &mut self.state;
        // In the first generation there was no model to judge.
        if *ranked {
            self.constants.judge(skill, correlation, path);
        }
    }

    fn remember(&mut self) {
        let State { population, archive, values, guests, .. } = &mut self.state;
        let (points, costs) = (population.fresh_points(), &population.costs[population.kept..]);
        archive.append(points, costs);
        if let Some(values) = values {
            values.memory.remember(points, costs);
        }
        *guests = 0;
    }

    /// Steps 2 and 3: how well the previous model predicts the fresh values, and their weighted mean.
    fn judge_model(&mut self) {
        let State { population, model, motion, .. } = &mut self.state;
        let d = population.dimension();
        let first = population.len() - self.lambda;
        let samples = &population.whitened[first * d..];
        let ranks = self.ranks.of(&population.costs[first..]);
        self.constants.recombine(samples, ranks, &mut self.recombined);
        if !self.rank_mu.is_empty() {
            let rows = &mut self.products[..samples.len()];
            self.constants.rank_mu(samples, ranks, rows, &mut self.rank_mu, d);
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
        self.state.ranked = true;
    }
}

#[cfg(test)]
mod tests;
