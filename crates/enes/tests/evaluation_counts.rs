//! Evaluations to the target on the paper's unimodal functions, against an independent prototype.
//!
//! The expected medians are those of a prototype that shares no code with this library; 15 % on
//! both sides. Convergence alone proves little: an update that is wrong in its details converges too,
//! but at another pace. Longer runs: `enes-acceptance`.

use enes::{ModelChoice, Settings, Strategy};
use enes_problems::{Function, Problem};

/// Of the published strategy with a population of n, or of the adaptive one with its own, by ranks alone.
fn median_evaluations(f: Function, d: usize, n: Option<usize>, runs: u64) -> f64 {
    let of_ranks = |s: Settings| s.model(ModelChoice::RankOnly);
    median_of(f, d, runs, |s| match n {
        Some(n) => s.strategy(Strategy::Published).population(n),
        None => of_ranks(s),
    })
}

fn median_of(f: Function, d: usize, runs: u64, change: impl Fn(Settings) -> Settings) -> f64 {
    let mut evaluations: Vec<u64> = (0..runs)
        .map(|seed| {
            let problem = Problem::new(f, d, seed).unwrap();
            let settings = Settings::new(problem.start(1.0), 1.0)
                .seed(seed)
                .target(f.target())
                .max_evaluations(1_000_000);
            let outcome = enes::minimize(&change(settings), |x| problem.evaluate(x)).unwrap();
            // A run that fails counts as longer than any that does not.
            if outcome.stop.is_target() { outcome.evaluations } else { u64::MAX }
        })
        .collect();
    evaluations.sort_unstable();
    evaluations[evaluations.len() / 2] as f64
}

fn compare(d: usize, n: usize, runs: u64, expected: [f64; 8]) {
    for (f, expected) in Function::ALL.into_iter().zip(expected) {
        // The parabolic ridge spreads wide (quartiles 2000 and 4500 at d = 5): its median needs more runs.
        let runs = if f == Function::ParabR { 10 * runs } else { runs };
        let median = median_evaluations(f, d, Some(n), runs);
        assert!((median / expected - 1.0).abs() < 0.15, "{f} d = {d}: {median}, expected {expected}");
    }
}

#[test]
fn medians_at_dimension_5_are_those_of_the_prototype() {
    compare(5, 50, 20, [870.0, 889.0, 1353.0, 1174.0, 1238.0, 531.0, 2709.0, 873.0]);
}

/// The medians of the adaptive strategy's own prototype, in the same conditions, and its default population.
#[test]
fn medians_of_the_adaptive_strategy_are_those_of_its_prototype() {
    let functions =
        [Function::Sphere, Function::Cigar, Function::Tablet, Function::Ellipsoid, Function::DiffPow];
    for (d, expected) in
        [(5, [342.0, 618.0, 582.0, 606.0, 324.0]), (10, [651.0, 1435.0, 1197.0, 1295.0, 707.0])]
    {
        for (f, expected) in functions.into_iter().zip(expected) {
            let median = median_evaluations(f, d, None, 21);
            assert!((median / expected - 1.0).abs() < 0.15, "{f} d = {d}: {median}, expected {expected}");
        }
    }
}

#[test]
fn the_adaptive_strategy_solves_all_unimodal_functions() {
    for f in Function::ALL.into_iter().filter(|f| f.is_unimodal() && *f != Function::Rosenbrock) {
        for d in [1, 2, 3, 5, 10] {
            let median = median_evaluations(f, d, None, 5);
            // More than half of the runs, and fast: the published strategy needs several times as many.
            assert!(median < 250.0 * d as f64 + 300.0, "{f} d = {d}: {median}");
        }
    }
}

#[test]
fn the_default_population_of_the_published_strategy_solves_all_nine_unimodal_functions() {
    for f in Function::ALL.into_iter().filter(|f| f.is_unimodal()) {
        for d in [1, 2, 3, 5, 10] {
            for seed in 100..105 {
                let problem = Problem::new(f, d, seed).unwrap();
                let settings = Settings::new(problem.start(1.0), 1.0)
                    .strategy(Strategy::Published)
                    .seed(seed)
                    .target(f.target());
                let outcome = enes::minimize(&settings, |x| problem.evaluate(x)).unwrap();
                assert!(outcome.stop.is_target(), "{f} d = {d} seed {seed}: {}", outcome.stop);
            }
        }
    }
}
