//! The adaptive strategy with a gradient by differences, beyond 40 dimensions: who leads, and when it gives way.

use super::gradient::Outcome;
use super::{Adaptive, Mode};
use crate::search::Search;

impl Adaptive {
    /// Whether this generation was for the gradient.
    pub(super) fn has_gradient_step(&self) -> bool {
        self.state.gradient.as_ref().is_some_and(|state| state.is_active())
    }

    /// Whether a row is close to the best point, for the gradient.
    pub(crate) fn is_difference(&self, search: &Search, row: usize) -> bool {
        let gradient = self.gradient.as_ref().zip(self.state.gradient.as_ref());
        gradient.is_some_and(|(gradient, state)| gradient.is_difference(state, search, row))
    }

    /// Look at the values of the latest fit: whether the next generation is to look at differences.
    pub(super) fn look_at_values(&mut self) {
        if let Some(state) = self.state.gradient.as_mut().filter(|state| state.is_due()) {
            let error = self.ranks.explain_values(state.dimension());
            state.hear(error, self.config.tuning.gradient.doubt, self.lambda);
        }
    }

    /// A generation of the gradient has its values. A step that would be no distribution is not made.
    pub(super) fn follow_gradient(&mut self, search: &mut Search) {
        let (Some(gradient), Some(state)) = (&mut self.gradient, &mut self.state.gradient) else {
            return;
        };
        search.population.carry(0);
        match gradient.update(state, search) {
            Outcome::Active => {}
            Outcome::Unfit | Outcome::Bowl { .. } => self.state.mode = Mode::Ranks,
            Outcome::Left => self.leave_gradient(),
        }
    }

    /// The gradient is no longer followed. Ranks go on from where the mean is; what they knew was of another place.
    pub(super) fn leave_gradient(&mut self) {
        if let Some(state) = self.state.gradient.as_mut().filter(|state| state.is_active()) {
            state.leave();
            self.state.mode = Mode::Ranks;
            self.state.ranks.begin_path();
            self.state.ranks.forget_model();
        }
    }
}
