//! The gradient by differences where the covariance has limited memory: who leads, and when it gives way.

use super::super::gradient::Outcome;
use super::super::{Mode, ModelStatus, ResponseKind};
use super::{Limited, State};
use crate::search::Search;

impl State {
    /// Whether the present generation is for the gradient.
    pub(super) fn has_gradient_step(&self) -> bool {
        self.gradient.as_ref().is_some_and(|state| state.is_active())
    }
}

impl Limited {
    /// Whether the present generation is for the gradient.
    pub(crate) fn has_gradient_step(&self) -> bool {
        self.state.has_gradient_step()
    }

    /// Whether it is for differences alone.
    pub(crate) fn is_taking_differences(&self) -> bool {
        self.state.gradient.as_ref().is_some_and(|state| state.is_taking_differences())
    }

    /// What the latest look at the values said.
    pub(crate) fn model_status(&self) -> Option<ModelStatus> {
        let gradient = self.state.gradient.as_ref()?;
        let mode = if gradient.leads() { Mode::Surrogate } else { Mode::Ranks };
        Some(ModelStatus { mode, response: ResponseKind::Values, error: gradient.error()? })
    }

    pub(super) fn count(&mut self, evaluations: usize) {
        self.state.evaluations += evaluations as u64;
        if let Some(state) = &mut self.state.gradient {
            state.count(evaluations);
        }
    }

    /// The points of the gradient, where it leads.
    pub(super) fn propose_for_gradient(&mut self, search: &mut Search) -> bool {
        let active = self.has_gradient_step();
        if let (true, Some(gradient), Some(state)) = (active, &mut self.gradient, &self.state.gradient) {
            gradient.propose(state, search);
        }
        active
    }

    /// Whether the shape stays as it is.
    pub(super) fn is_early(&self) -> bool {
        self.state.gradient.as_ref().is_some_and(|state| state.is_early())
    }

    /// Before the first samples, and after a generation of them: whether the next one is to look at the values.
    pub(super) fn look_where_due(&mut self) {
        if let Some(state) = self.state.gradient.as_mut().filter(|state| state.is_due()) {
            state.begin_look(self.lambda);
        }
    }

    /// A generation of the gradient has its values; false where it was none. A step that would be no distribution is not made.
    pub(super) fn follow_gradient(&mut self, search: &mut Search) -> bool {
        if !self.has_gradient_step() {
            return false;
        }
        let (Some(gradient), Some(state)) = (&mut self.gradient, &mut self.state.gradient) else {
            return false;
        };
        let led = state.leads();
        let before = search.distribution.log_det();
        let outcome = gradient.update(state, search);
        self.state.log_scale += (search.distribution.log_det() - before) / search.dimension() as f64;
        if !led && state.leads() {
            // A sketch of where the mean came from makes a sphere long; secants find what it was of.
            search.forget_directions();
        }
        match outcome {
            Outcome::Active | Outcome::Unfit => {}
            Outcome::Bowl { distance } => self.shorten(distance, search),
            Outcome::Left => self.leave_gradient(),
        }
        true
    }

    /// The bottom of a bowl is so many deviations away. Recombination goes about 1 towards it and √(d/µ) beside, so that it gets
    /// nearest with µ/d times the distance; the bottom is not believed to be nearer than samples are. A longer step stays.
    fn shorten(&mut self, distance: f64, search: &mut Search) {
        let size = search.dimension() as f64;
        let best = self.constants.effective() * distance.max(size.sqrt()) / size;
        self.recombined.fill(0.0);
        if best < 1.0 && search.go_on(&self.recombined, best).is_ok() {
            self.state.log_scale += best.ln();
        }
    }

    /// The gradient is no longer followed. Ranks go on from where the mean is; paths led to another place where it has moved.
    pub(super) fn leave_gradient(&mut self) {
        if let Some(state) = self.state.gradient.as_mut().filter(|state| state.is_active()) {
            state.leave();
            if state.has_moved() {
                self.begin_paths();
            }
        }
    }
}
