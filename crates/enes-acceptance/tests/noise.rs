//! Where there is nothing to learn the adaptive strategy stays put, for as long as one likes.

use enes::{ModelChoice, Optimizer, Settings};

/// Evaluations, and how far ln σ may stray: with a surrogate one that looks useful by chance moves
/// it a little.
const CHOICES: [(ModelChoice, u64, f64); 2] =
    [(ModelChoice::RankOnly, 100_000, 3.0), (ModelChoice::Auto, 10_000, 6.0)];

/// A generator of its own, so that the objective's numbers have nothing to do with the search's.
struct Noise(u64);

impl Noise {
    fn next(&mut self) -> f64 {
        self.0 ^= self.0 << 13;
        self.0 ^= self.0 >> 7;
        self.0 ^= self.0 << 17;
        (self.0 >> 11) as f64 / (1u64 << 53) as f64
    }
}

/// How far ln σ strays before the search ends.
fn strayed(model: ModelChoice, d: usize, seed: u64, mut f: impl FnMut(&[f64]) -> f64) -> f64 {
    let mut es = Optimizer::new(&Settings::new(vec![0.3; d], 1.0).seed(seed).model(model)).unwrap();
    let mut strayed = 0f64;
    let (_, evaluations, _) = CHOICES.into_iter().find(|c| c.0 == model).unwrap();
    while es.stop_reason().is_none() && es.evaluations() < evaluations {
        let values: Vec<f64> = es.ask().iter().map(&mut f).collect();
        es.tell(&values).unwrap();
        strayed = strayed.max((es.distribution().log_det() / d as f64).abs());
    }
    strayed
}

/// The shape walks at random, as that of CMA-ES does, whose update this is where no model predicts: pycma's covariance
/// passes a condition of 1e10 in most runs of 100,000 evaluations. The scale does not.
#[test]
fn pure_noise_leaves_the_scale_in_bounds() {
    for (model, _, most) in CHOICES {
        for d in [2, 3, 10, 30].into_iter().filter(|d| model == ModelChoice::RankOnly || *d < 30) {
            for seed in 1..=3 {
                let mut noise = Noise(seed);
                let strayed = strayed(model, d, seed, |_| noise.next());
                assert!(strayed < most, "{model:?} d {d}, seed {seed}: {strayed:.2}");
            }
        }
    }
}

#[test]
fn a_storm_of_failures_leaves_the_scale_in_bounds() {
    for (model, _, most) in CHOICES {
        for d in [2, 3, 10, 30].into_iter().filter(|d| model == ModelChoice::RankOnly || *d < 30) {
            let mut noise = Noise(7);
            let f = |_: &[f64]| if noise.next() < 0.7 { f64::NAN } else { noise.next() };
            let strayed = strayed(model, d, 5, f);
            assert!(strayed < most, "{model:?} d {d}: {strayed:.2}");
        }
    }
}
