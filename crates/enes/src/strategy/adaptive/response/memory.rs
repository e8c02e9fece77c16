//! What the model of the values remembers between generations.

use super::Winner;
use super::history::History;
use super::lock::Record;
use super::power::{self, Power};

/// An exact model that failed with a full history is tried again every so many generations.
const RETRY: u64 = 4;

/// What a checkpoint keeps.
#[derive(Clone, Debug, PartialEq)]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize))]
pub(in crate::strategy::adaptive) struct Memory {
    pub(super) history: History,
    pub(super) evaluations: u64,
    generations: u64,
    pub(super) power: Option<Power>,
    pub(super) stride: f64,
    pub(super) record: Record,
    /// Whether the exact model counted when it was last tried.
    pub(super) exact_counts: bool,
    /// The best model of the latest generation, and whether it ruled.
    pub(in crate::strategy::adaptive) winner: Option<Winner>,
    pub(in crate::strategy::adaptive) rules: bool,
}

/// Coefficients of a quadratic in d dimensions, P.
pub(super) fn coefficients(d: usize) -> usize {
    (d + 1) * (d + 2) / 2
}

/// The number of points to learn from: 1.15 P, at least 8d, 4d + 8 and 2λ.
pub(super) fn history_limit(d: usize, lambda: usize) -> usize {
    (23 * coefficients(d) / 20).max(8 * d).max(4 * d + 8).max(2 * lambda)
}

/// The latest points, on which models are judged.
pub(super) fn latest(d: usize) -> usize {
    d + 5
}

impl Memory {
    pub(in crate::strategy::adaptive) fn new(d: usize, lambda: usize) -> Self {
        Self {
            history: History::new(history_limit(d, lambda), d),
            evaluations: 0,
            generations: 0,
            power: None,
            stride: power::FIRST_STRIDE,
            record: Record::new(),
            exact_counts: false,
            winner: None,
            rules: false,
        }
    }

    /// Learn from points that were not sampled.
    pub(in crate::strategy::adaptive) fn learn(&mut self, points: &[f64], costs: &[f64]) {
        self.history.append(points, costs);
    }

    pub(in crate::strategy::adaptive) fn remember(&mut self, points: &[f64], costs: &[f64]) {
        self.evaluations += costs.len() as u64;
        self.generations += 1;
        self.history.append(points, costs);
    }

    #[cfg(test)]
    pub(in crate::strategy::adaptive) fn set_power(
        &mut self,
        [offset, exponent, scale]: [f64; 3],
        stride: f64,
    ) {
        (self.power, self.stride) = (Some(Power { offset, exponent, scale }), stride);
    }

    /// The next generation is the rank rule's.
    pub(in crate::strategy::adaptive) fn abdicate(&mut self) {
        self.winner = None;
        self.rules = false;
    }

    #[cfg(feature = "serde")]
    pub(in crate::strategy::adaptive) fn is_consistent(&self, d: usize, lambda: usize) -> bool {
        self.history.is_consistent(history_limit(d, lambda), d)
    }
}

impl Memory {
    /// Whether it is worth while to look for an exact model.
    pub(super) fn tries_exact(&self, d: usize) -> bool {
        let n = self.history.len();
        let enough = n >= coefficients(d);
        enough && (!self.history.is_full() || self.exact_counts || self.generations.is_multiple_of(RETRY))
    }
}
