//! Points in flight: what counts towards an update, and when there is enough for one.

use super::{Adaptive, Mode};
use crate::search::SearchDistribution;

impl Adaptive {
    /// So many points are in flight while the next update is made.
    pub(crate) fn set_in_flight(&mut self, points: usize) {
        self.news = self.lambda as f64 / self.lambda.max(points) as f64;
        self.in_flight = points;
    }

    /// Whether evaluations come one after another. With several points in flight they do where the user has said so.
    pub(super) fn is_serial(&self, distribution: &SearchDistribution) -> bool {
        let asked = self.config.batch.is_some();
        (asked || self.in_flight <= 1) && self.config.is_serial(distribution)
    }

    /// Whether only samples of the latest distributions count towards a generation, and not every value.
    pub(crate) fn counts_samples(&self) -> bool {
        self.state.mode != Mode::Surrogate
    }

    /// Values that are enough for an update in d dimensions with so many points in flight. Where the surrogate is active fewer than
    /// λ while more than λ are in flight, so that what waits for a value does not wait for others, too: λ²/W, but the step and a
    /// sample for every five dimensions at least.
    pub(crate) fn enough_in_flight(&self, d: usize, points: usize) -> usize {
        match (self.state.mode, &self.state.surrogate) {
            (Mode::Surrogate, Some(_)) => {
                let least = 1 + d.div_ceil(5);
                (self.lambda * self.lambda / points.max(1)).max(least).min(self.lambda)
            }
            _ => self.lambda,
        }
    }

    /// Updates that a sample may be behind and count.
    pub(crate) fn oldest_sample(&self) -> u64 {
        self.config.tuning.ranks.oldest_sample
    }
}
