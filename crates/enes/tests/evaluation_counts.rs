//! Evaluations to the target on the paper's unimodal functions, against an independent prototype.
//!
//! The expected medians are those of a prototype that shares no code with this library; 15 % on
//! both sides. Convergence alone proves little: an update that is wrong in its details converges too,
//! but at another pace. Longer runs: `enes-acceptance`.

use enes::{Settings, Strategy};
use enes_acceptance::medians::*;
use enes_problems::{Function, Problem};

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
