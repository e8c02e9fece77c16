//! The end of a noisy run: the mean is measured, for an honest value and for the target.

use super::Optimizer;
use crate::error::TellError;
use crate::noise::{Average, Estimate, Recommendation};
use crate::stopping::StopReason;

/// Measurements of the mean at the end: so many, and one for so many evaluations.
const LEAST_COPIES: u64 = 20;
const EVALUATIONS_EACH: u64 = 100;

/// Of a small budget at most this part.
const SMALLEST_PART: u64 = 20;

/// A target that the mean has failed is tried again after so many times the measurements it took.
const PATIENCE: u64 = 10;

impl Optimizer {
    /// What the run recommends so far: the best point; with [`Settings::noisy`](crate::Settings::noisy)
    /// the mean. `None` until a value was a number.
    pub fn recommendation(&self) -> Option<Recommendation> {
        if !self.noise.is_active() {
            let best = self.best()?;
            let (point, value) = (best.point.to_vec(), best.value);
            return Some(Recommendation { point, value, standard_error: None });
        }
        let Estimate { cost, standard_error } = self.noise.estimate()?;
        let value = self.params.sign * cost;
        Some(Recommendation { point: self.mean().to_vec(), value, standard_error: Some(standard_error) })
    }

    /// Evaluations of the budget that are kept back for the mean.
    pub(super) fn kept_back(&self) -> u64 {
        let limit = self.params.rules.max_evaluations.filter(|_| self.noise.is_active());
        limit.map_or(0, |limit| (limit / EVALUATIONS_EACH).max(LEAST_COPIES.min(limit / SMALLEST_PART)))
    }

    /// Where the budget has no room for a generation of so many, what is left of it goes to the mean.
    pub(super) fn end_where_too_many(&mut self, wanted: u64) {
        let Some(limit) = self.params.rules.max_evaluations else { return };
        let evaluations = self.counters.evaluations;
        let left = limit.saturating_sub(self.asked_for());
        let room = left.saturating_sub(self.kept_back());
        if wanted > room && self.counters.generation > 0 {
            self.noise.ending = Some((StopReason::MaxEvaluations { evaluations, limit }, left as usize));
        }
    }

    pub(super) fn show_copies_of_the_mean(&mut self) {
        let mean = self.view.mean(&self.search);
        if let Some((_, copies)) = self.noise.ending {
            let points = self.noise.points_mut();
            points.clear();
            (0..copies).for_each(|_| points.extend_from_slice(mean));
        }
    }

    /// Whether the value at the mean, as far as it is known, reaches the target.
    pub(super) fn mean_reaches_target(&self) -> Option<StopReason> {
        let (target, sign) = (self.params.rules.target?, self.params.sign);
        let estimate = self.noise.estimate()?;
        let tried = !self.noise.is_confirmed() && self.counters.evaluations < self.noise.patience;
        let reached = !tried && estimate.cost <= sign * target;
        reached.then_some(StopReason::Target { value: sign * estimate.cost, target })
    }

    /// After a generation: where there is a reason to stop, under noise the mean is measured first.
    pub(super) fn measure_before_the_end(&mut self, reason: Option<StopReason>) -> Option<StopReason> {
        let Some(reason) = reason else {
            self.follow_need();
            return None;
        };
        let evaluations = self.counters.evaluations;
        // What is in flight takes part of it, too.
        let left = self.params.rules.max_evaluations.unwrap_or(u64::MAX).saturating_sub(self.asked_for());
        let copies = match &reason {
            _ if !self.noise.is_active() => 0,
            StopReason::NoFiniteValue { .. } => 0,
            StopReason::MaxEvaluations { .. } => left,
            _ => (evaluations / EVALUATIONS_EACH).max(LEAST_COPIES).min(left),
        };
        if copies == 0 {
            return Some(reason);
        }
        self.noise.ending = Some((reason, copies as usize));
        None
    }

    /// The values of the mean, whose number must be related to that of its copies like this; the run then
    /// ends, unless the mean fails a target that the values around it had promised.
    pub(super) fn end_with_mean(
        &mut self,
        values: &[f64],
        fits: fn(&usize, &usize) -> bool,
        stop: Option<StopReason>,
    ) -> Result<(), TellError> {
        let Some((reason, expected)) = self.noise.ending.clone().filter(|_| self.asked) else {
            return Err(TellError::NothingAsked);
        };
        let got = values.len();
        if !fits(&expected, &got) {
            return Err(TellError::WrongCount { expected, got });
        }
        self.asked = false;
        self.counters.evaluations += got as u64;
        let (evaluations, sign) = (self.counters.evaluations, self.params.sign);
        self.noise.confirm(Average::of(values.iter().map(|value| sign * value)).estimate());
        self.noise.ending = None;
        self.noise.patience = evaluations + PATIENCE * got as u64;
        let present = self.params.rules.max_evaluations;
        self.stop = stop.or_else(|| match reason {
            StopReason::Target { .. } => self.mean_reaches_target(),
            // A budget that was raised meanwhile is not spent.
            StopReason::MaxEvaluations { limit, .. } => {
                (present == Some(limit)).then_some(StopReason::MaxEvaluations { evaluations, limit })
            }
            reason => Some(reason),
        });
        #[cfg(feature = "tracing")]
        self.trace_end();
        Ok(())
    }

    /// Limits have changed: an end because of the former ones is none, unless its points are out already.
    pub(super) fn forget_the_end(&mut self) {
        if !self.asked {
            self.noise.ending = self.noise.ending.take().filter(|(reason, _)| !reason.is_limit());
        }
    }
}
