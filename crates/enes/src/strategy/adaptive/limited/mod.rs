//! The adaptive strategy in many dimensions: recombination, a path, two points along the last step, and a covariance of
//! limited memory (docs/method/many-dimensions.md). O(k d) for an evaluation, in time and in memory.

mod constants;
mod directions;
mod lead;

use super::gradient::{self, Gradient};
use super::tuning::Tuning;
use crate::linalg::squared_norm;
use crate::math::ranks::Ranks;
use crate::random::Generator;
#[cfg(feature = "serde")]
use crate::search::Population;
use crate::search::{Degenerate, Search};
use crate::space::Limits;
use constants::Constants;
use directions::Directions;

pub(crate) use constants::directions;

/// What the settings say of a run.
#[derive(Clone, Debug)]
pub(crate) struct Config {
    /// Coordinates that say nothing of the step: integers, whose deviation the margin keeps, where there are others.
    pub(crate) ignored_by_step: Vec<usize>,
    /// A sample counts for recombination where it was drawn at most so many updates ago.
    pub(crate) oldest_sample: u64,
    /// Whether there is a gradient by differences.
    pub(crate) gradient: bool,
    /// Where points are folded into a box: steps of the gradient stay in it.
    pub(crate) limits: Option<Limits>,
    pub(crate) tuning: Tuning,
}

/// What a checkpoint keeps of the strategy.
#[derive(Clone, Debug, PartialEq)]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize))]
pub(crate) struct State {
    /// The path p of recombined samples, in whitened coordinates: the step follows from its length.
    path: Vec<f64>,
    /// The slower path q of the mean, in units of D: the directions follow from it.
    course: Vec<f64>,
    /// Updates that are in the paths.
    updates: u64,
    /// Evaluations of the search.
    evaluations: u64,
    /// The last shift of the mean in whitened coordinates; empty before the first.
    shift: Vec<f64>,
    /// What two points along it have said of the step: s.
    trend: f64,
    /// ln σ/σ₀, σ the mean deviation.
    log_scale: f64,
    /// `None` where there is no gradient by differences.
    gradient: Option<Box<gradient::State>>,
}

impl State {
    pub(crate) fn new(config: &Config, d: usize) -> Self {
        let gradient = || Box::new(gradient::State::limited(d, &config.tuning.gradient));
        Self {
            gradient: config.gradient.then(gradient),
            path: vec![0.0; d],
            course: vec![0.0; d],
            updates: 0,
            evaluations: 0,
            shift: Vec::new(),
            trend: 0.0,
            log_scale: 0.0,
        }
    }

    #[cfg(feature = "serde")]
    pub(crate) fn is_consistent(&self, config: &Config, population: &Population, lambda: usize) -> bool {
        let (d, rows) = (population.dimension(), population.len());
        let numbers = [self.trend, self.log_scale];
        // Under noise, and asynchronously, there may be more rows.
        rows >= if config.gradient { 1 } else { lambda }
            && population.known() == 0
            && self.gradient.is_some() == config.gradient
            && self.gradient.as_ref().is_none_or(|state| state.is_consistent(d, config.limits.is_some()))
            && self.path.len() == d
            && self.course.len() == d
            && (self.shift.is_empty() || self.shift.len() == d)
            && numbers.iter().all(|x| x.is_finite())
            && [self.updates, self.evaluations].into_iter().all(crate::math::is_count)
    }
}

/// State, constants and scratch space.
#[derive(Clone, Debug)]
pub(crate) struct Limited {
    pub(crate) state: State,
    config: Config,
    lambda: usize,
    constants: Constants,
    ranks: Ranks,
    /// z, the weighted mean of the samples.
    recombined: Vec<f64>,
    /// By how much the logarithm of each scale changes.
    change: Vec<f64>,
    directions: Directions,
    gradient: Option<Box<Gradient>>,
    /// What noise leaves of a step; 1 where values are exact.
    rate: f64,
}

impl Limited {
    pub(crate) fn new(config: &Config, state: State, lambda: usize, search: &mut Search) -> Self {
        let d = search.dimension();
        let constants = Constants::new(d, lambda);
        search.reserve_directions(constants.directions);
        let mut state = state;
        state.shift.reserve(d - state.shift.len());
        let gradient = state.gradient.as_mut().map(|state| {
            state.reserve();
            Box::new(Gradient::limited(d, lambda, config.limits.as_ref(), config.tuning))
        });
        Self {
            gradient,
            ranks: Ranks::new(lambda),
            recombined: vec![0.0; d],
            change: vec![0.0; d],
            directions: Directions::new(d, constants.directions),
            state,
            config: config.clone(),
            lambda,
            constants,
            rate: 1.0,
        }
    }

    /// Step 1: λ samples; the first two lie along the last shift, on both sides of the mean. In so many dimensions they are
    /// orthogonal by themselves, but for a share of 1/√d.
    pub(crate) fn propose(&mut self, search: &mut Search, generator: &mut Generator) {
        self.look_where_due();
        if self.propose_for_gradient(search) {
            return;
        }
        search.population.begin(self.lambda);
        generator.fill_normal(search.population.whitened_mut()); // s ~ N(0, I)
        let length = squared_norm(&self.state.shift).sqrt();
        let probes = self.constants.probes && length > 0.0;
        if probes {
            let size = (self.state.shift.len() as f64).sqrt() / length;
            let first = search.population.row_mut(0).0;
            first.iter_mut().zip(&self.state.shift).for_each(|(s, c)| *s = size * c);
        }
        if probes {
            let d = search.dimension();
            let (first, second) = search.population.whitened_mut()[..2 * d].split_at_mut(d);
            second.iter_mut().zip(first).for_each(|(b, a)| *b = -*a);
        }
        search.place_samples(1); // z = x + Aᵀs
    }

    /// Steps 2 to 6, once the costs are there.
    pub(crate) fn update(&mut self, search: &mut Search) -> Result<(), Degenerate> {
        // Of the generation before the look, too: it is to see the shape that all others had.
        let early = self.is_early();
        self.count(search.population.fresh());
        if self.follow_gradient(search) {
            return Ok(());
        }
        self.follow_ranks(early, search)
    }

    fn follow_ranks(&mut self, early: bool, search: &mut Search) -> Result<(), Degenerate> {
        let Search { population, .. } = search;
        let first = population.apart(); // asynchronously, late points come first
        let d = population.dimension();
        let samples = &population.whitened()[first * d..];
        let ranks = self.ranks.of(&population.costs()[first..]);
        let Self { constants, state, recombined, change, .. } = self;
        constants.recombine(samples, ranks, recombined); // step 2
        let asked = two_points(samples, d).then(|| constants.difference_of_first_two(ranks));
        constants.advance_path(&mut state.path, recombined); // step 3
        state.updates += 1;
        let by_step = self.rate * constants.log_step(&mut state.trend, asked, &state.path, state.updates); // step 4
        let part = self.rate * constants.mean_part(state.evaluations, state.log_scale);
        let Some(factor) = search.distribution.limited_factor() else { return Ok(()) };
        self.directions.scratch.copy_from_slice(recombined);
        factor.stretch(&mut self.directions.scratch); // Bz
        constants.advance_course(&mut state.course, &self.directions.scratch);
        state.shift.clear();
        state.shift.extend(recombined.iter().map(|z| part * z));
        // 1 is what a path without news has: these neither widen nor narrow the search.
        self.config.ignored_by_step.iter().for_each(|&j| state.path[j] = 1.0);
        state.log_scale += by_step;
        if early {
            return search.go_on(&state.shift, by_step.exp());
        }
        constants.scales(samples, ranks, change); // step 5
        self.directions.scratch.copy_from_slice(&state.course);
        factor.unstretch(&mut self.directions.scratch);
        constants.scales_by_course(&self.directions.scratch, change);
        constants.centre(change, self.rate);
        self.directions.update(factor, &state.course, self.rate * constants.direction_rate); // step 6
        let (course, directions) = (&mut state.course, &self.directions);
        search.move_limited(&state.shift, |factor| {
            for ((scale, change), q) in factor.scales_mut().iter_mut().zip(&*change).zip(course) {
                *scale *= (change + by_step).exp();
                *q *= (-change).exp();
            }
            directions.put(factor);
        })
    }

    /// Leave the distribution where it is: the fresh values are all equal, or none is a number. Equal ones say that the search
    /// is narrower than a plateau.
    pub(crate) fn skip_update(&mut self, search: &mut Search) {
        self.count(search.population.fresh());
        // Coordinates that change nothing have differences without values of their own.
        if self.follow_gradient(search) {
            return;
        }
        search.leave_plateau();
    }

    /// Move the mean towards a point by at most √d + 2 deviations; the paths that led to the old one begin anew.
    pub(crate) fn move_towards(&mut self, point: &[f64], search: &mut Search) {
        search.move_towards(point, (search.dimension() as f64).sqrt() + 2.0);
        self.leave_gradient();
        self.begin_paths();
    }

    fn begin_paths(&mut self) {
        self.state.path.fill(0.0);
        self.state.course.fill(0.0);
        self.state.shift.clear();
        self.state.updates = 0;
    }

    /// This much is left of a step.
    pub(crate) fn set_noise_level(&mut self, rate: f64) {
        self.rate = rate;
    }

    /// Updates that a sample may be behind and count.
    pub(crate) fn oldest_sample(&self) -> u64 {
        self.config.oldest_sample
    }

    /// Go on with populations of λ, and with a scale multiplied by `scale`.
    pub(crate) fn resize(&mut self, lambda: usize, scale: f64, search: &mut Search) {
        search.resize(lambda, scale);
        let mut state = self.state.clone();
        state.log_scale += scale.ln();
        let rate = self.rate;
        *self = Self::new(&self.config, state, lambda, search);
        self.rate = rate;
    }
}

/// Whether the first two samples are the two points along the last shift: late ones, and such as were drawn again, are not.
fn two_points(samples: &[f64], d: usize) -> bool {
    samples.len() >= 2 * d && samples[..d].iter().zip(&samples[d..2 * d]).all(|(a, b)| *a == -*b)
}

#[cfg(test)]
mod tests;
