//! From the best model to a motion of the distribution: where its mean goes, its shape and its step.

use super::Surrogate;
use super::constrained::Models;
use super::faces::Faces;
use super::region::Promise;
use super::state::{Assessment, State};
use crate::archive::Archive;
use crate::linalg::{self, cholesky_in_place};
use crate::search::{Motion, SearchDistribution};
use crate::strategy::adaptive::sizes::slowness;

/// Of the first form: how many √d a step may be long.
const FIRST_REACH: f64 = 0.6;

/// What part of its shape a model that is not certain gets one evaluation after another, in many dimensions: it comes with every point or
/// two, and along axes that its few points do not show it sees no curvature. With all of it, again and again, the longest and the
/// shortest axis of an ellipsoid in 40 dimensions come to differ by 10⁵ instead of 10³, and runs take more than twice as many evaluations (`tests/serial.rs`).
const SERIAL_PART: f64 = 0.5;

impl Surrogate {
    /// The motion that the active surrogate asks for.
    pub(in crate::strategy::adaptive) fn step(
        &mut self,
        state: &mut State,
        distribution: &SearchDistribution,
        motion: &mut Motion,
        serial: bool,
    ) {
        let Some(Assessment { error, .. }) = state.best else { return motion.clear() };
        let log_step = match self.tuning.trust_region {
            true => self.step_from_best(state, distribution, motion),
            false => self.first_step(motion),
        };
        let is_certain = state.is_certain(error, &self.tuning);
        if is_certain || state.sound.is_empty() {
            state.sound.clear();
            state.sound.extend_from_slice(distribution.factor());
        }
        let is_locked_out = !is_certain && state.record.count_step(log_step, &self.tuning);
        let idle = state.promise.is_some_and(|promise| promise.is_empty() || promise.is_rounding());
        let counts = idle && error < self.tuning.certain;
        state.idle = if counts { state.idle.saturating_add(1) } else { 0 };
        state.held = self.is_held();
        if let Some(faces) = &self.faces {
            faces.narrow(self.quadratic.mean_curvature(), log_step, &mut state.widths);
        }
        if is_locked_out && self.tuning.trust_region && !serial {
            // Of what σ has fallen by up to half is given back, too.
            self.take_back(state, distribution, motion);
            let back = 0.5 * slowness(motion.shift.len()) * self.tuning.credit;
            return motion.scale((log_step + back).exp());
        }
        let less = (1.0 - SERIAL_PART) * slowness(motion.shift.len());
        let part = if serial && !is_certain { 1.0 - less } else { 1.0 };
        match self.faces.as_mut().and_then(|faces| faces.folded(&self.quadratic)) {
            Some(folded) => folded.shape(error, part, &mut motion.factor),
            None => self.quadratic.shape(error, part, &mut motion.factor),
        }
        self.take_shape(state, &mut motion.factor);
        // Where a coordinate does not matter, its axis grows at the cost of all others, faster than the radius.
        if log_step > 0.0 && self.shortens(&motion.factor, (0.5 * log_step).exp()) {
            set_to_identity(&mut motion.factor, motion.shift.len());
        }
        motion.scale(log_step.exp());
    }

    /// Whether with this shape the region would lose more than this factor of its reach along the step.
    fn shortens(&mut self, factor: &[f64], by: f64) -> bool {
        let before = linalg::squared_norm(&self.step);
        linalg::solve_transpose(factor, &mut self.step, self.center.len());
        linalg::squared_norm(&self.step) > by * by * before
    }

    /// The surrogate is locked out: the shape becomes what it was before models that were not certain changed it, which
    /// ranks would have to unlearn first.
    fn take_back(&self, state: &mut State, distribution: &SearchDistribution, motion: &mut Motion) {
        motion.factor.copy_from_slice(&state.sound);
        state.sound.clear();
        distribution.solve_transpose(&mut motion.factor);
        linalg::scale_to_unit_determinant(&mut motion.factor, motion.shift.len());
    }

    /// From the best point, as far as samples reach. Returns the change of ln σ.
    fn step_from_best(
        &mut self,
        state: &mut State,
        distribution: &SearchDistribution,
        motion: &mut Motion,
    ) -> f64 {
        if let Some(models) = self.models.as_ref().filter(|models| models.is_solved) {
            motion.shift.copy_from_slice(models.step());
            self.lead_to(distribution, &mut motion.shift);
            return state.log_step.unwrap_or(0.0);
        }
        let newton = state.best.is_some_and(|best| best.error < self.tuning.certain);
        let unknown = || if newton { self.quadratic.log_step() } else { 0.0 };
        let log_step = state.log_step.unwrap_or_else(unknown);
        let radius = (motion.shift.len() as f64).sqrt() * log_step.exp();
        let mut decrease = self.quadratic.step_within(radius, &mut motion.shift);
        if let Some(faces) = &mut self.faces {
            faces.make_room(&self.center);
            decrease = faces.keep_within(&self.quadratic, radius, decrease, &mut motion.shift);
        }
        self.step.clone_from(&motion.shift);
        let length = linalg::squared_norm(&motion.shift).sqrt() / radius;
        state.promise = state.promise.map(|p| Promise { decrease: p.deviation * decrease, length, ..p });
        self.lead_to(distribution, &mut motion.shift);
        log_step
    }

    /// Whether bounds or constraints hold the step: samples across them differ by their distance, however near the optimum.
    fn is_held(&self) -> bool {
        let models = self.models.as_ref().filter(|models| models.is_solved);
        self.faces.as_ref().is_some_and(Faces::is_resting) || models.is_some_and(Models::is_held)
    }

    /// From a step from the best point to the shift of the mean that leads there.
    fn lead_to(&self, distribution: &SearchDistribution, step: &mut [f64]) {
        linalg::add_scaled(step, 1.0, &self.center);
        if let Some(faces) = &self.faces {
            faces.unfold(distribution, step);
        }
    }

    /// The motion to the best point, with half the step; false where no value is a number.
    pub(in crate::strategy::adaptive) fn go_back(
        &mut self,
        distribution: &SearchDistribution,
        archive: &Archive,
        motion: &mut Motion,
    ) -> bool {
        if !(self.tuning.trust_region && self.read(distribution, archive)) {
            return false;
        }
        motion.clear();
        self.lead_to(distribution, &mut motion.shift);
        motion.scale(0.5);
        true
    }

    /// The first form: from the mean, and σ by the length of Newton's step.
    fn first_step(&mut self, motion: &mut Motion) -> f64 {
        let radius = FIRST_REACH * (motion.shift.len() as f64).sqrt();
        self.quadratic.step_within(radius, &mut motion.shift);
        self.quadratic.log_step()
    }

    /// Mean and shape of a motion whose step is that of the rank-based update.
    pub(in crate::strategy::adaptive) fn assist(
        &mut self,
        state: &State,
        distribution: &SearchDistribution,
        motion: &mut Motion,
    ) {
        let Some(Assessment { error, .. }) = state.best else { return };
        match self.models.as_ref().filter(|models| models.is_solved) {
            None => self.quadratic.gentle_step(&mut motion.shift),
            // With constraints the step itself, half of √d at most.
            Some(models) => {
                motion.shift.copy_from_slice(models.step());
                let most = self.tuning.usual_step * (motion.shift.len() as f64).sqrt();
                let length = linalg::squared_norm(&motion.shift).sqrt();
                motion.shift.iter_mut().for_each(|x| *x *= (most / length).min(1.0));
            }
        }
        self.lead_to(distribution, &mut motion.shift);
        self.quadratic.gentle_shape(error, &mut motion.factor);
        self.take_shape(state, &mut motion.factor);
    }

    /// U with UᵀU the given matrix, of determinant 1; the identity in the beginning, where there is none, and after a step that
    /// broke its promise: its model did not know the curvatures.
    fn take_shape(&mut self, state: &State, factor: &mut [f64]) {
        let d = self.quadratic.gradient.len();
        let known =
            state.evaluations >= self.tuning.burn_in * d as u64 && state.record.kept_promise != Some(false);
        if known && cholesky_in_place(factor, d, &mut self.space) {
            return linalg::scale_to_unit_determinant(factor, d);
        }
        set_to_identity(factor, d);
    }
}

fn set_to_identity(factor: &mut [f64], d: usize) {
    factor.fill(0.0);
    factor.iter_mut().step_by(d + 1).for_each(|u| *u = 1.0);
}
