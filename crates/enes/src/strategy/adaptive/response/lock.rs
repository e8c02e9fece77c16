//! Whether a model of the values may rule: by its error, by how its predecessors did, and by the lock.

use crate::strategy::adaptive::Ablation;

/// Below this error a model is certain: it rules, and past failures are forgotten.
const CERTAIN: f64 = 0.05;

/// Below this error it is of use.
const USEFUL: f64 = 0.7;

/// The running mean of the errors, from its first value: at or above the last one models have no skill, and
/// one that looks useful does so by chance. An error counts at most the largest.
const FIRST_MEAN: f64 = 0.5;
const MEAN_RATE: f64 = 0.15;
const LARGEST: f64 = 1.5;
const NO_SKILL: f64 = 0.9;

/// ln σ may fall by this much, without rising between, under models that are not certain.
const CREDIT: f64 = 1.5;

/// Generations of the first lock; each further one doubles.
const FIRST_LENGTH: u32 = 25;

/// What a model may do.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(super) enum Authority {
    /// Move mean, shape and step.
    Rules,
    /// Move mean and shape; the step is the rank rule's.
    Advises,
    /// Nothing.
    None,
}

/// What is remembered of the models.
///
/// The lock: on a sharp ridge the error does not fall as σ shrinks, and a model's step is always short, so
/// that σ would collapse. While locked out a useful model only advises.
#[derive(Clone, Debug, PartialEq)]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize))]
pub(super) struct Record {
    mean_error: f64,
    /// By how much ln σ has fallen under models that were not certain; at most 0.
    fallen: f64,
    /// Generations that are left of the present lock.
    left: u32,
    /// The length of the next.
    length: u32,
}

impl Record {
    pub(super) fn new() -> Self {
        Self { mean_error: FIRST_MEAN, fallen: 0.0, left: 0, length: FIRST_LENGTH }
    }

    /// What a model with this error may do in this generation; `None`: there is no model.
    pub(super) fn judge(&mut self, error: Option<f64>, without: Option<Ablation>) -> Authority {
        self.mean_error += MEAN_RATE * (error.unwrap_or(LARGEST).min(LARGEST) - self.mean_error);
        let Some(error) = error else { return Authority::None };
        if error < CERTAIN {
            (self.fallen, self.left, self.length) = (0.0, 0, FIRST_LENGTH);
        }
        self.left = self.left.saturating_sub(1);
        let skilled = self.mean_error < NO_SKILL || without == Some(Ablation::MeanError);
        match error < USEFUL && skilled {
            _ if error < CERTAIN || without == Some(Ablation::RankRule) => Authority::Rules,
            true if self.left == 0 || without == Some(Ablation::Lock) => Authority::Rules,
            true => Authority::Advises,
            false => Authority::None,
        }
    }

    /// A model with this error changed ln σ by so much.
    pub(super) fn note(&mut self, error: f64, log_step: f64) {
        if error <= CERTAIN {
            return;
        }
        self.fallen += log_step;
        if self.fallen < -CREDIT {
            self.left = self.length;
            self.length = self.length.saturating_mul(2);
            self.fallen = 0.0;
        }
        self.fallen = self.fallen.min(0.0);
    }
}
