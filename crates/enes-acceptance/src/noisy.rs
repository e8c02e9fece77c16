//! A sphere with noise.

use enes::{Outcome, Restarts, Settings, Strategy};

/// Both strategies.
pub const BOTH: [Strategy; 2] = [Strategy::Adaptive, Strategy::Published];

/// A generator of its own, so that the noise has nothing to do with the search.
#[derive(Clone, Debug)]
pub struct Noise(u64);

impl Noise {
    /// Every seed is one.
    pub fn new(seed: u64) -> Self {
        let mut noise = Self(seed.wrapping_mul(0x9e37_79b9_7f4a_7c15) | 1);
        for _ in 0..20 {
            noise.uniform();
        }
        noise
    }

    /// Between 0 and 1.
    pub fn uniform(&mut self) -> f64 {
        self.0 ^= self.0 << 13;
        self.0 ^= self.0 >> 7;
        self.0 ^= self.0 << 17;
        ((self.0 >> 11) as f64 + 0.5) / (1u64 << 53) as f64
    }

    /// Of mean 0 and variance 1.
    pub fn normal(&mut self) -> f64 {
        (-2.0 * self.uniform().ln()).sqrt() * (std::f64::consts::TAU * self.uniform()).cos()
    }
}

/// Without noise.
pub fn sphere(x: &[f64]) -> f64 {
    x.iter().map(|v| v * v).sum()
}

/// One search from 3 with deviation 2.
pub fn settings(strategy: Strategy, d: usize, seed: u64) -> Settings {
    Settings::new(vec![3.0; d], 2.0).strategy(strategy).seed(seed).restarts(Restarts::Off)
}

/// A run with noise of this deviation.
pub fn run(settings: &Settings, level: f64, seed: u64) -> Outcome {
    let mut noise = Noise::new(seed);
    enes::minimize(settings, |x| sphere(x) + level * noise.normal()).expect("valid settings")
}
