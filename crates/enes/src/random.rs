//! The one source of randomness: a seeded, value-stable generator that the optimizer owns.

mod ziggurat;

use rand::rngs::Xoshiro256PlusPlus;
use rand::{RngExt, SeedableRng};
#[cfg(test)]
use rand_distr::StandardNormal;

/// Where normals and uniforms come from.
#[derive(Clone, Debug, PartialEq)]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize))]
pub(crate) struct Generator(Xoshiro256PlusPlus);

impl Generator {
    /// Every seed is a seed, 0 included.
    pub(crate) fn new(seed: u64) -> Self {
        Self(Xoshiro256PlusPlus::seed_from_u64(seed))
    }

    /// One draw from N(0, 1).
    #[cfg(test)]
    pub(crate) fn normal(&mut self) -> f64 {
        self.0.sample(StandardNormal)
    }

    /// One draw from the uniform law on [0, 1).
    pub(crate) fn uniform(&mut self) -> f64 {
        self.0.random()
    }

    /// Fill `out` with draws from N(0, 1), in order.
    pub(crate) fn fill_normal(&mut self, out: &mut [f64]) {
        ziggurat::fill(&mut self.0, out);
    }

    /// Fill rows of d numbers with draws from N(0, 1), each row followed by its draw from the uniform law.
    pub(crate) fn fill_rows(&mut self, rows: &mut [f64], uniforms: &mut [f64], d: usize) {
        ziggurat::fill_rows(&mut self.0, rows, uniforms, d);
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_first_draws_are_pinned() {
        // A dependency that changes these changes every seeded run: that is `value-breaking`.
        let mut g = Generator::new(0);
        let drawn = [g.normal(), g.normal(), g.uniform(), g.uniform()];
        assert_eq!(drawn, PINNED);
    }

    const PINNED: [f64; 4] =
        [-0.29280329860470816, -0.7131206168144315, 0.3596172076473553, 0.011455508934653635];

    #[test]
    fn neighbouring_seeds_differ() {
        assert_ne!(Generator::new(0).normal(), Generator::new(1).normal());
    }
}
