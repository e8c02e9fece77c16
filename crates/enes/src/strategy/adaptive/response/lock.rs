//! When the model of the values rules, and the lock that takes its rule away.

/// Below this error the model is certain: it rules, and past failures are forgotten.
const CERTAIN: f64 = 0.05;

/// Below this error it rules unless it is locked out.
const USEFUL: f64 = 0.7;

/// ln σ may fall by this much, without rising between, under models that are not certain.
const CREDIT: f64 = 1.5;

/// Generations of the first lock; each further one doubles.
const FIRST_LENGTH: u32 = 25;

/// On a sharp ridge the error does not fall as σ shrinks, and a model's step is always short: without a
/// lock σ would collapse.
#[derive(Clone, Debug, PartialEq)]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize))]
pub(super) struct Lock {
    /// By how much ln σ has fallen under models that were not certain; at most 0.
    fallen: f64,
    /// Generations that are left of the present lock.
    left: u32,
    /// The length of the next.
    length: u32,
}

impl Lock {
    pub(super) fn new() -> Self {
        Self { fallen: 0.0, left: 0, length: FIRST_LENGTH }
    }

    /// Whether a model with this error rules the generation.
    pub(super) fn admits(&mut self, error: f64) -> bool {
        if error < CERTAIN {
            *self = Self::new();
        }
        self.left = self.left.saturating_sub(1);
        error < CERTAIN || error < USEFUL && self.left == 0
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
