//! The end of a noisy run: the mean is measured, for an honest value and for the target.

use crate::error::TellError;
use crate::optimizer::Optimizer;
use crate::stop_reason::StopReason;

/// Measurements of the mean at the end: so many, and one for so many evaluations.
const LEAST: u64 = 20;
const EVALUATIONS_EACH: u64 = 100;

/// Of a small budget at most this part.
const PART: u64 = 20;

/// A target that the mean has failed is tried again after so many times the measurements it took.
const PATIENCE: u64 = 10;

/// What a run recommends.
#[derive(Clone, Debug, PartialEq)]
#[non_exhaustive]
pub struct Recommendation {
    /// The best point that was evaluated; under noise the mean of the search distribution.
    pub point: Vec<f64>,
    /// Its value; under noise the average of its measurements, or, before the run has ended, of the latest
    /// values around it.
    pub value: f64,
    /// The standard error of that average; `None` where values are taken for exact.
    pub standard_error: Option<f64>,
}

/// A cost and how far off it may be.
#[derive(Clone, Copy, Debug, PartialEq)]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize))]
pub(super) struct Estimate {
    cost: f64,
    standard_error: f64,
}

/// An average in which older numbers fade.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize))]
pub(super) struct Average {
    weight: f64,
    mean: f64,
    squares: f64,
}

impl Average {
    /// Add costs; those before fade over `memory` of them. What is not finite is left out.
    pub(super) fn add(&mut self, costs: &[f64], memory: f64) {
        let fade = (1.0 - costs.len() as f64 / memory).max(0.0);
        self.weight *= fade;
        self.squares *= fade;
        for &cost in costs.iter().filter(|c| c.is_finite()) {
            self.weight += 1.0;
            let difference = cost - self.mean;
            self.mean += difference / self.weight;
            self.squares += difference * (cost - self.mean);
        }
    }

    /// `None` where nothing was finite; a standard error of NaN where there is one number only.
    fn estimate(&self) -> Option<Estimate> {
        let Self { weight, mean, squares } = *self;
        let standard_error = (squares / (weight - 1.0).max(0.0) / weight).sqrt();
        (weight > 0.0).then_some(Estimate { cost: mean, standard_error })
    }
}

impl Optimizer {
    /// What the run recommends so far: the best point; with [`Settings::noisy`](crate::Settings::noisy)
    /// the mean. `None` until a value was a number.
    pub fn recommendation(&self) -> Option<Recommendation> {
        let Some(noise) = &self.noise else {
            let best = self.best()?;
            return Some(Recommendation {
                point: best.point.to_vec(),
                value: best.value,
                standard_error: None,
            });
        };
        let Estimate { cost, standard_error } = noise.confirmed.or_else(|| noise.recent.estimate())?;
        let value = self.sign() * cost;
        Some(Recommendation { point: self.mean().to_vec(), value, standard_error: Some(standard_error) })
    }

    /// Whether the run is about to end, and the mean is measured.
    pub(crate) fn is_ending(&self) -> bool {
        self.noise.as_ref().is_some_and(|noise| noise.ending.is_some())
    }

    /// Evaluations of the budget that are kept back for the mean.
    pub(crate) fn kept_back(&self) -> u64 {
        let limit = self.settings.rules.max_evaluations.filter(|_| self.noise.is_some());
        limit.map_or(0, |limit| (limit / EVALUATIONS_EACH).max(LEAST.min(limit / PART)))
    }

    /// Where the budget has no room for a generation of so many, what is left of it goes to the mean.
    pub(super) fn end_where_too_many(&mut self, wanted: u64) {
        let Some(limit) = self.settings.rules.max_evaluations else { return };
        let evaluations = self.ledger.evaluations;
        let left = limit.saturating_sub(evaluations);
        let room = left.saturating_sub(self.kept_back());
        if let Some(noise) = self.noise.as_mut().filter(|_| wanted > room && self.ledger.generation > 0) {
            noise.ending = Some((StopReason::MaxEvaluations { evaluations, limit }, left as usize));
        }
    }

    pub(super) fn show_copies_of_the_mean(&mut self) {
        let own = self.strategy.distribution().mean();
        let mean = self.view.as_ref().map_or(own, |view| view.mean());
        if let Some(noise) = &mut self.noise
            && let Some((_, copies)) = noise.ending
        {
            noise.points.clear();
            (0..copies).for_each(|_| noise.points.extend_from_slice(mean));
        }
    }

    /// Whether the value at the mean, as far as it is known, reaches the target.
    pub(crate) fn mean_reaches_target(&self) -> Option<StopReason> {
        let (noise, target) = (self.noise.as_ref()?, self.settings.rules.target?);
        let estimate = noise.confirmed.or_else(|| noise.recent.estimate())?;
        let tried = noise.confirmed.is_none() && self.ledger.evaluations < noise.patience;
        let reached = !tried && estimate.cost <= self.sign() * target;
        reached.then_some(StopReason::Target { value: self.sign() * estimate.cost, target })
    }

    /// After a generation: where there is a reason to stop, the mean is measured first.
    pub(crate) fn measure_before_the_end(&mut self, reason: Option<StopReason>) -> Option<StopReason> {
        let limit = self.settings.rules.max_evaluations.unwrap_or(u64::MAX);
        let left = limit.saturating_sub(self.ledger.evaluations);
        let copies = match &reason {
            None | Some(StopReason::NoFiniteValue { .. }) => 0,
            Some(StopReason::MaxEvaluations { .. }) => left,
            Some(_) => (self.ledger.evaluations / EVALUATIONS_EACH).max(LEAST).min(left),
        };
        match &mut self.noise {
            Some(noise) if copies > 0 => {
                noise.ending = reason.map(|reason| (reason, copies as usize));
                None
            }
            _ => {
                if reason.is_none() {
                    self.follow_noise();
                }
                reason
            }
        }
    }

    /// The values of the mean, whose number must be related to that of its copies like this; the run then
    /// ends, unless the mean fails a target that the values around it had promised.
    pub(crate) fn take_the_mean(
        &mut self,
        values: &[f64],
        fits: fn(&usize, &usize) -> bool,
        stop: Option<StopReason>,
    ) -> Result<(), TellError> {
        let sign = self.sign();
        let Some((reason, expected)) = self.noise.as_ref().and_then(|noise| noise.ending.clone()) else {
            return Err(TellError::NothingAsked);
        };
        if !self.ledger.asked {
            return Err(TellError::NothingAsked);
        }
        let got = values.len();
        if !fits(&expected, &got) {
            return Err(TellError::WrongCount { expected, got });
        }
        self.ledger.asked = false;
        self.ledger.evaluations += got as u64;
        let evaluations = self.ledger.evaluations;
        if let Some(noise) = &mut self.noise {
            let mut average = Average::default();
            values.iter().for_each(|value| average.add(&[sign * value], f64::INFINITY));
            noise.confirmed = average.estimate();
            noise.ending = None;
            noise.patience = evaluations + PATIENCE * got as u64;
        }
        let present = self.settings.rules.max_evaluations;
        self.ledger.stop = stop.or_else(|| match reason {
            StopReason::Target { .. } => self.mean_reaches_target(),
            // A budget that was raised meanwhile is not spent.
            StopReason::MaxEvaluations { limit, .. } => {
                (present == Some(limit)).then_some(StopReason::MaxEvaluations { evaluations, limit })
            }
            reason => Some(reason),
        });
        Ok(())
    }

    /// Limits have changed: an end because of the former ones is none, unless its points are out already.
    pub(crate) fn forget_the_end(&mut self) {
        if let Some(noise) = self.noise.as_mut().filter(|_| !self.ledger.asked) {
            noise.ending = noise.ending.take().filter(|(reason, _)| !reason.is_limit());
        }
    }
}
