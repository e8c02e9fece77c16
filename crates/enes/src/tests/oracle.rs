//! Whole runs equal those of the paper as printed, fed with the same random numbers.

use enes_reference as paper;

use crate::random::Generator;
use crate::{Baseline, Optimizer, Settings, Strategy};

impl paper::RandomNumbers for Generator {
    fn normal(&mut self) -> f64 {
        Generator::normal(self)
    }

    fn uniform(&mut self) -> f64 {
        Generator::uniform(self)
    }
}

fn quartic(x: &[f64]) -> f64 {
    x.iter().enumerate().map(|(i, v)| (1.0 + i as f64) * (v - 0.5).powi(2) + v.powi(4)).sum()
}

fn run_both(d: usize, n: usize, eta: f64, alpha: f64, ours: Baseline, theirs: paper::Baseline) -> u64 {
    let x0: Vec<f64> = (0..d).map(|k| 1.0 + 0.1 * k as f64).collect();
    let sigmas: Vec<f64> = (0..d).map(|k| 0.5 + 0.25 * k as f64).collect();
    let settings = Settings::new(x0.clone(), sigmas.clone())
        .strategy(Strategy::Published)
        .population(n)
        .learning_rate(eta)
        .refresh_rate(alpha)
        .baseline(ours)
        .seed(11);
    let mut es = Optimizer::new(&settings).unwrap();
    let diagonal = |k: usize| (0..d).map(|l| if k == l { sigmas[k] } else { 0.0 }).collect();
    let factor = (0..d).map(diagonal).collect();
    let mut oracle = paper::Generation::new(paper::Theta { mean: x0, factor });

    for generation in 1..=25 {
        // The oracle gets the generator as it is before each generation; what we draw in vain at the
        // end of a block, it does not draw at all.
        let mut numbers = es.generator.clone();
        let values: Vec<f64> = es.ask().iter().map(quartic).collect();
        es.tell(&values).unwrap();
        oracle.advance(n, eta, alpha, theirs, quartic, &mut numbers);

        assert_eq!(es.evaluations(), oracle.evaluations as u64, "generation {generation}");
        let factor: Vec<f64> = oracle.theta.factor.concat();
        // 1e-9: rounding of a few solves in each of 25 generations.
        for (a, b) in es.mean().iter().zip(&oracle.theta.mean) {
            assert!((a - b).abs() < 1e-9 * (1.0 + b.abs()), "mean {a} {b}, generation {generation}");
        }
        for (a, b) in es.distribution().factor().iter().zip(&factor) {
            assert!((a - b).abs() < 1e-9, "factor {a} {b}, generation {generation}");
        }
        // The populations are the same points in the same order.
        for (a, b) in es.search.population.points().iter().zip(oracle.points.concat()) {
            assert!((a - b).abs() < 1e-8, "point {a} {b}, generation {generation}");
        }
    }
    es.evaluations()
}

#[test]
fn runs_equal_the_paper_as_printed() {
    use paper::Baseline as Theirs;
    let pairs = [
        (Baseline::None, Theirs::None),
        (Baseline::Uniform, Theirs::Uniform),
        (Baseline::Specific, Theirs::Specific),
        (Baseline::Block, Theirs::Block),
    ];
    for (ours, theirs) in pairs {
        for (d, n, eta, alpha) in
            [(1, 8, 0.7, 0.01), (2, 20, 1.0, 0.01), (3, 24, 1.0, 0.2), (5, 30, 0.5, 1.0)]
        {
            let evaluations = run_both(d, n, eta, alpha, ours, theirs);
            // Mixing took part: fewer evaluations than 25 whole populations, unless switched off.
            assert_eq!(evaluations < 25 * n as u64, alpha < 1.0, "{d} {alpha}");
        }
    }
}
