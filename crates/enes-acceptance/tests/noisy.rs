//! Objectives with noise: the mean is better than without repetitions.

use enes::{Outcome, Restarts, Settings, Strategy};

const BOTH: [Strategy; 2] = [Strategy::Adaptive, Strategy::Published];

/// A generator of its own, so that the noise has nothing to do with the search.
#[derive(Clone)]
struct Noise(u64);

impl Noise {
    fn new(seed: u64) -> Self {
        let mut noise = Self(seed.wrapping_mul(0x9e37_79b9_7f4a_7c15) | 1);
        for _ in 0..20 {
            noise.uniform();
        }
        noise
    }

    fn uniform(&mut self) -> f64 {
        self.0 ^= self.0 << 13;
        self.0 ^= self.0 >> 7;
        self.0 ^= self.0 << 17;
        ((self.0 >> 11) as f64 + 0.5) / (1u64 << 53) as f64
    }

    fn normal(&mut self) -> f64 {
        (-2.0 * self.uniform().ln()).sqrt() * (std::f64::consts::TAU * self.uniform()).cos()
    }
}

fn sphere(x: &[f64]) -> f64 {
    x.iter().map(|v| v * v).sum()
}

fn settings(strategy: Strategy, d: usize, seed: u64) -> Settings {
    Settings::new(vec![3.0; d], 2.0).strategy(strategy).seed(seed).restarts(Restarts::Off)
}

fn run(settings: &Settings, level: f64, seed: u64) -> Outcome {
    let mut noise = Noise::new(seed);
    enes::minimize(settings, |x| sphere(x) + level * noise.normal()).unwrap()
}

#[test]
fn the_mean_is_better_than_without() {
    for strategy in BOTH {
        let log_value = |noisy: bool| {
            let one = |seed| {
                let chosen = settings(strategy, 10, seed).noisy(noisy).tolstagnation(None);
                sphere(&run(&chosen.max_evaluations(8000), 1.0, seed).mean).ln()
            };
            (1..=5).map(one).sum::<f64>() / 5.0
        };
        let gain = (log_value(false) - log_value(true)).exp();
        // On other seeds the geometric mean of five gains lay between 60 and 140 (adaptive), 2.4 and 5.
        let least = if strategy == Strategy::Adaptive { 20.0 } else { 1.5 };
        assert!(gain > least, "{strategy:?}: {gain}");
    }
}
