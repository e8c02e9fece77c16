//! What an instance draws: exponents, conditions, fractions of the coordinates, directions.

use enes_reference::RandomNumbers;

use crate::measurement::Numbers;

/// A stream of its own for every member, dimension and seed.
pub(super) struct Draw(Numbers);

impl Draw {
    /// The stream of these words, this dimension and this seed.
    pub(super) fn new(words: &[&str], d: usize, seed: u64) -> Self {
        // FNV-1a, so that like seeds of like members have nothing in common.
        let mut hash = 0xcbf2_9ce4_8422_2325_u64;
        let bytes = words.iter().flat_map(|word| word.bytes().chain([0]));
        for byte in bytes.chain(d.to_le_bytes()).chain(seed.to_le_bytes()) {
            hash = (hash ^ u64::from(byte)).wrapping_mul(0x0100_0000_01b3);
        }
        let mut numbers = Numbers::new(hash);
        numbers.uniform();
        Self(numbers)
    }

    /// Uniform on [low, high).
    pub(super) fn between(&mut self, low: f64, high: f64) -> f64 {
        low + (high - low) * self.0.uniform()
    }

    /// Ten to a power that is uniform on [low, high).
    pub(super) fn power(&mut self, low: f64, high: f64) -> f64 {
        10f64.powf(self.between(low, high))
    }

    pub(super) fn normal(&mut self) -> f64 {
        self.0.normal()
    }

    pub(super) fn chance(&mut self, share: f64) -> bool {
        self.0.uniform() < share
    }

    /// An integer from low to high, both included.
    pub(super) fn count(&mut self, low: usize, high: usize) -> usize {
        low + (self.0.uniform() * (high - low + 1) as f64) as usize
    }

    pub(super) fn sign(&mut self) -> f64 {
        if self.chance(0.5) { 1.0 } else { -1.0 }
    }

    pub(super) fn signs(&mut self, d: usize) -> Vec<f64> {
        (0..d).map(|_| self.sign()).collect()
    }

    pub(super) fn normals(&mut self, d: usize) -> Vec<f64> {
        (0..d).map(|_| self.normal()).collect()
    }

    /// How many of the coordinates: at least one, and not all.
    pub(super) fn part(&mut self, d: usize) -> usize {
        self.count(1, d.max(2) - 1)
    }

    /// Weights between 1 and 10^k, both of which occur; the others at random between them.
    pub(super) fn spectrum(&mut self, d: usize, k: f64) -> Vec<f64> {
        let mut weights: Vec<f64> = (0..d).map(|_| self.power(0.0, k)).collect();
        weights[0] = 1.0;
        weights[d - 1] = 10f64.powf(k);
        weights
    }
}

/// i/(d − 1); 0 in one dimension.
pub(super) fn spread(i: usize, d: usize) -> f64 {
    if d > 1 { i as f64 / (d - 1) as f64 } else { 0.0 }
}

/// Σ w y².
pub(super) fn quadratic(w: &[f64], y: &[f64]) -> f64 {
    w.iter().zip(y).map(|(w, v)| w * v * v).sum()
}

pub(super) fn squares(y: &[f64]) -> f64 {
    y.iter().map(|v| v * v).sum()
}

/// The same number of every coordinate.
pub(super) fn mean(values: &[f64]) -> f64 {
    values.iter().sum::<f64>() / values.len() as f64
}
