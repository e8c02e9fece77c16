//! The adaptive strategy, the default: a surrogate of the values wherever it predicts, the natural gradient by
//! regression of ranks wherever it does not (docs/method/surrogate.md, docs/method/rank-based.md).

mod config;
mod external;
mod flight;
mod gradient;
mod lead;
pub(crate) mod limited;
mod mode;
mod need;
mod proposals;
mod rank_based;
mod resize;
pub(crate) mod sizes;
mod surrogate;
mod tuning;
mod weights;

pub use mode::{Mode, ModelStatus, ResponseKind};
#[cfg_attr(not(feature = "tuning"), allow(unreachable_pub))]
pub use tuning::Tuning;
#[cfg(any(test, feature = "tuning"))]
pub use tuning::{Configuration, GradientTuning, NeedTuning, RankTuning, SurrogateTuning};

use crate::archive::{Archive, Reader};
use crate::search::{Degenerate, Population, Search};
pub(crate) use config::Config;
use gradient::Gradient;
use mode::Doubt;
use need::Need;
use rank_based::RankBased;
use surrogate::Surrogate;
pub(crate) use surrogate::{Constrained, KnownQuadratic};

/// What a checkpoint keeps of the strategy.
#[derive(Clone, Debug, PartialEq)]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize))]
pub(crate) struct State {
    /// What moved the distribution last, and what the next generation is drawn for.
    mode: Mode,
    ranks: rank_based::State,
    /// `None` where there is no surrogate.
    surrogate: Option<Box<surrogate::State>>,
    /// `None` where there is no gradient by differences.
    gradient: Option<Box<gradient::State>>,
    /// External points that the regression has taken in since the last generation.
    external: usize,
    /// How large generations should be.
    need: Need,
}

impl State {
    pub(crate) fn new(config: &Config, d: usize, lambda: usize) -> Self {
        let Tuning { ranks, surrogate, gradient, .. } = &config.tuning;
        Self {
            mode: Mode::Ranks,
            ranks: rank_based::State::new(d, ranks),
            surrogate: config.surrogate.then(|| Box::new(surrogate::State::new(d, surrogate))),
            gradient: config.gradient.then(|| {
                Box::new(match &config.limits {
                    Some(_) => gradient::State::in_box(d, gradient),
                    None => gradient::State::new(d, gradient),
                })
            }),
            external: 0,
            need: Need::new(lambda, &config.tuning.need),
        }
    }

    #[cfg(feature = "serde")]
    pub(crate) fn is_consistent(&self, config: &Config, population: &Population, lambda: usize) -> bool {
        let (rows, d) = (population.len(), population.dimension());
        let sizes = match &self.surrogate {
            // After a stint, too; and asynchronously samples may wait for others.
            None if config.gradient => {
                rows > 0 && population.carried() < lambda && rows >= population.carried()
            }
            // Under noise, and asynchronously, there may be more.
            None => rows >= lambda && population.carried() == 0,
            Some(state) => {
                state.is_consistent(d)
                    && population.carried() < lambda
                    && rows >= population.carried()
                    && (self.mode != Mode::Surrogate || rows > 0)
            }
        };
        sizes
            && crate::math::is_count(self.external as u64)
            && self.surrogate.is_some() == config.surrogate
            && self.gradient.is_some() == config.gradient
            && self.gradient.as_ref().is_none_or(|state| state.is_consistent(d, config.limits.is_some()))
            && self.ranks.is_consistent(d)
            && (!config.grows || self.need.is_consistent(lambda, d))
    }
}

/// State, constants and scratch space of the adaptive strategy.
#[derive(Clone, Debug)]
pub(crate) struct Adaptive {
    pub(super) state: State,
    config: Config,
    lambda: usize,
    ranks: RankBased,
    surrogate: Option<Box<Surrogate>>,
    gradient: Option<Box<Gradient>>,
    /// What noise leaves of a step; 1 where values are exact.
    rate: f64,
    /// λ against the points in flight where these are more; else 1. What was asked before the last updates says little
    /// of them, so the scale moves by so much less at each.
    news: f64,
    /// Points in flight, where they are told as they come.
    in_flight: usize,
}

impl Adaptive {
    pub(crate) fn new(config: &Config, state: State, lambda: usize, search: &mut Search) -> Self {
        let d = search.dimension();
        let sizes =
            if config.grows { state.need.base()..=Need::most(state.need.base(), d) } else { lambda..=lambda };
        let most = *sizes.end();
        if config.surrogate {
            search.population.reserve(most.max(config.samples_beside_model(most) + 1));
        }
        if config.gradient {
            search.population.reserve(most.max(Gradient::most_rows(d)));
        }
        let surrogate = || {
            Box::new(Surrogate::new(
                d,
                most,
                config.limits.clone(),
                config.constrained.clone(),
                config.tuning.surrogate,
            ))
        };
        let gradient = || Box::new(Gradient::new(&config.units, config.limits.as_ref(), config.tuning));
        Self {
            surrogate: state.surrogate.as_ref().map(|_| surrogate()),
            gradient: state.gradient.as_ref().map(|_| gradient()),
            ranks: RankBased::new(d, lambda, sizes, config.small, config.tuning.ranks),
            state,
            config: config.clone(),
            lambda,
            rate: 1.0,
            news: 1.0,
            in_flight: 0,
        }
    }

    /// The multipliers and penalties of the latest update's step, where the surrogate made it under constraints, and whether
    /// it was certain.
    pub(crate) fn multipliers(&self) -> Option<(&[f64], &[f64], bool)> {
        let surrogate = self.surrogate.as_ref().filter(|_| self.sets_multipliers())?;
        let error = self.model_status().map_or(f64::INFINITY, |status| status.error);
        let (multipliers, penalties, promises) = surrogate.multipliers()?;
        Some((multipliers, penalties, promises && error < self.config.tuning.surrogate.certain))
    }

    /// Whether multipliers are the surrogate's, and not learned from samples.
    pub(crate) fn sets_multipliers(&self) -> bool {
        self.state.mode == Mode::Surrogate && self.config.constrained.is_some()
    }

    /// What the surrogate still promises, where it has led nowhere for several steps, and whether bounds or constraints hold it;
    /// `None` where it may lead somewhere.
    pub(crate) fn nothing_promised(&self) -> Option<(f64, bool)> {
        let state = self.state.surrogate.as_ref().filter(|_| self.state.mode == Mode::Surrogate)?;
        state.nothing_promised()
    }

    /// The quadratics that the objective is, or a power of it, as far as all points of the search say.
    pub(crate) fn known_quadratics(&self) -> impl Iterator<Item = &KnownQuadratic> {
        self.state.surrogate.iter().flat_map(|state| state.known_quadratics())
    }

    /// What the surrogate still promises, where it is certain that its minimum is where the best point is.
    pub(crate) fn little_promised(&self) -> Option<f64> {
        let state = self.state.surrogate.as_ref().filter(|_| self.state.mode == Mode::Surrogate)?;
        state.little_promised()
    }

    /// Trust in the regression, from 0 to 1.
    pub(crate) fn trust(&self) -> f64 {
        self.ranks.trust(&self.state.ranks).step
    }

    /// The best surrogate of the latest generation.
    pub(crate) fn model_status(&self) -> Option<ModelStatus> {
        if let Some(gradient) = &self.state.gradient {
            let mode = if gradient.leads() { self.state.mode } else { Mode::Ranks };
            let response = ResponseKind::Values;
            return Some(ModelStatus { mode, response, error: gradient.error()? });
        }
        let best = self.state.surrogate.as_ref()?.best?;
        Some(ModelStatus { mode: self.state.mode, response: best.response, error: best.error })
    }

    /// Generations in a row in which nothing but noise was seen.
    pub(crate) fn without_signal(&self) -> u64 {
        self.ranks.constants.without_signal(&self.state.ranks.skill)
    }

    /// Steps 2 to 8, once the costs are there and the archive has them.
    pub(crate) fn update(&mut self, search: &mut Search, archive: &Archive) -> Result<(), Degenerate> {
        let samples = self.count_samples(&search.population);
        let evaluations = search.population.fresh();
        if self.has_gradient_step() {
            self.follow_gradient(search);
            return Ok(());
        }
        self.state.mode = self.choose_mode(samples, search, archive); // docs/method/surrogate.md, "Mode"
        let moved = self.follow(samples, search, archive);
        if self.has_gradient_step() {
            self.state.mode = Mode::Surrogate;
        }
        let predicted = match (self.state.mode, self.model_status()) {
            (Mode::Surrogate, Some(status)) => (1.0 - status.error).max(0.0).sqrt(),
            // While a surrogate that narrowed the search too far is locked out, what ranks predict counts half.
            (Mode::Ranks, _) if self.is_locked() => 0.5 * self.state.ranks.skill.quality.max(0.0),
            _ => self.state.ranks.skill.quality.max(0.0),
        };
        self.state.need.count(evaluations, predicted, search.dimension(), &self.config.tuning.need);
        moved
    }

    fn is_locked(&self) -> bool {
        self.state.surrogate.as_ref().is_some_and(|state| state.record.is_locked())
    }

    /// Move the distribution, as the mode says.
    fn follow(&mut self, samples: usize, search: &mut Search, archive: &Archive) -> Result<(), Degenerate> {
        if self.state.mode == Mode::Surrogate {
            search.population.carry(0);
            return self.follow_surrogate(search);
        }
        let moved = self.state.surrogate.as_mut().is_some_and(|state| std::mem::take(&mut state.moved));
        if moved {
            search.population.carry(0);
            return Ok(());
        }
        if !self.is_full_sample(samples, &mut search.population) {
            return Ok(());
        }
        let Search { population, motion, .. } = search;
        let state = &mut self.state.ranks;
        self.ranks.judge_and_recombine(state, population, motion, archive); // steps 2 and 3
        if !self.ranks.is_fit_due(state, archive) {
            self.ranks.advance_path(state); // step 6
            self.config.level_path(&mut state.path, &search.distribution);
            let rates = (self.rate, step_rate(self.rate, search.dimension()));
            return self.ranks.go_on(state, rates, search);
        }
        self.ranks.fit(state, search, archive); // step 4
        self.look_at_values();
        let state = &mut self.state.ranks;
        self.ranks.advance_path(state); // step 6
        let motion = &mut search.motion;
        // Differences are of the shape that they were asked in; and a shape that follows few points hides a sphere.
        let young =
            self.state.gradient.as_ref().is_some_and(|gradient| gradient.is_young() || gradient.is_active());
        match (self.state.mode, &mut self.surrogate, &self.state.surrogate) {
            (Mode::Assisting, Some(surrogate), Some(state)) => {
                surrogate.assist(state, &search.distribution, motion)
            }
            _ if young => self.ranks.move_mean_alone(state, self.rate, motion),
            _ => self.ranks.move_mean_and_shape(state, self.rate, motion), // steps 5 and 7
        }
        self.config.level_path(&mut state.path, &search.distribution);
        let log_step = self.ranks.log_step(state);
        motion.scale((step_rate(self.rate, motion.shift.len()) * log_step).exp()); // step 8
        if let Some(state) = &mut self.state.surrogate {
            state.record.count_rank_step(log_step);
            state.count_motion(motion);
        }
        search.follow_motion()
    }

    /// Leave the distribution where it is: the fresh values are all equal, or none is a number. A model
    /// that told the points apart was of no use. λ equal values say that the search is narrower than a plateau. Where the
    /// surrogate led to a place at which all fails, the search goes back to where it came from.
    pub(crate) fn skip_update(&mut self, search: &mut Search, archive: &Archive) {
        let samples = self.count_samples(&search.population);
        self.leave_gradient();
        let led = std::mem::take(&mut self.state.mode) == Mode::Surrogate;
        if let Some(state) = &mut self.state.surrogate {
            state.best = None;
        }
        let fails = || !search.population.costs().iter().any(|cost| cost.is_finite());
        if led && fails() && self.go_back(search, archive) {
            return;
        }
        if self.is_full_sample(samples, &mut search.population) {
            self.ranks.judge_flat(&mut self.state.ranks);
            search.leave_plateau();
        }
    }

    /// To the best point of the search, with half the step; false where there is none.
    fn go_back(&mut self, search: &mut Search, archive: &Archive) -> bool {
        let Some(surrogate) = &mut self.surrogate else { return false };
        search.population.carry(0);
        surrogate.go_back(&search.distribution, archive, &mut search.motion) && search.follow_motion().is_ok()
    }

    /// The generation is complete: so many of its rows are samples, the others are the surrogate's points, or late.
    fn count_samples(&mut self, population: &Population) -> usize {
        self.state.external = 0;
        if let Some(state) = &mut self.state.surrogate {
            state.count(population.fresh());
        }
        if let Some(state) = &mut self.state.gradient {
            state.count(population.fresh());
        }
        population.len() - population.apart()
    }

    fn choose_mode(&mut self, samples: usize, search: &Search, archive: &Archive) -> Mode {
        let complete = self.state.mode == Mode::Surrogate || samples >= self.lambda;
        let serial = self.is_serial(&search.distribution);
        match (&mut self.surrogate, &mut self.state.surrogate) {
            (Some(surrogate), Some(state)) => {
                let mean = search.distribution.mean();
                let proposed = || (mean, search.population.cost_of(mean));
                let step = (self.state.mode == Mode::Surrogate).then(proposed);
                state.judge_steps(step, archive, &self.config.tuning.surrogate);
                let need = self.state.need.size();
                surrogate.choose_mode(state, &search.distribution, archive, Doubt { need, complete, serial })
            }
            _ => Mode::Ranks,
        }
    }

    fn follow_surrogate(&mut self, search: &mut Search) -> Result<(), Degenerate> {
        let serial = self.is_serial(&search.distribution);
        if let (Some(surrogate), Some(state)) = (&mut self.surrogate, &mut self.state.surrogate) {
            surrogate.step(state, &search.distribution, &mut search.motion, serial);
        }
        let state = self.state.surrogate.as_mut();
        if state.as_ref().is_none_or(|state| !state.is_judged()) {
            search.motion.slow_scale(self.news);
        }
        if let Some(state) = state {
            state.count_motion(&search.motion);
        }
        self.state.ranks.forget_model();
        search.follow_motion()
    }

    /// Whether there are λ samples for the rank-based update; if not, those there are wait for the others.
    fn is_full_sample(&self, samples: usize, population: &mut Population) -> bool {
        let full = samples >= self.lambda;
        population.carry(if full { 0 } else { samples });
        full
    }

    /// This share of the differences between values is noise, and this much is left of a step.
    pub(crate) fn set_noise_level(&mut self, share: f64, rate: f64) {
        self.ranks.constants.set_noise_share(share);
        self.rate = rate;
    }

    /// Points of the archive that the regression sees.
    pub(crate) fn window_len(&self, archive: &Archive) -> usize {
        archive.len(Reader::Ranks)
    }
}

/// What noise leaves of a change of ln σ: as much as of other steps in five dimensions and fewer, more in many. There the length of
/// the path shows more clearly by itself where the scale should go, and noise that grows with the values is the greater part of
/// them as long as the scale is too large.
fn step_rate(rate: f64, d: usize) -> f64 {
    rate.powf(1.0 - sizes::slowness(d))
}

#[cfg(test)]
mod tests;
