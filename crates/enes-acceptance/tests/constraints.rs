//! Known optima on the boundary of the feasible region are found from several seeds.

use enes::{Restarts, Settings, Strategy, minimize_constrained};

const STRATEGIES: [Strategy; 2] = [Strategy::Adaptive, Strategy::Published];

type Problem = (&'static str, fn(&[f64]) -> (f64, f64), Vec<f64>, f64);

fn sphere_beside_a_wall(x: &[f64]) -> (f64, f64) {
    (x.iter().map(|v| v * v).sum(), 1.0 - x[0])
}

/// Rosenbrock's function in the disk of radius 1: the optimum lies on the circle.
fn rosenbrock_in_a_disk(x: &[f64]) -> (f64, f64) {
    let f = 100.0 * (x[1] - x[0] * x[0]).powi(2) + (1.0 - x[0]).powi(2);
    (f, x[0] * x[0] + x[1] * x[1] - 1.0)
}

/// A sphere on the plane where all coordinates sum to 1, within 1e-4.
fn equality(x: &[f64]) -> (f64, f64) {
    let sum: f64 = x.iter().sum();
    (x.iter().map(|v| v * v).sum(), (sum - 1.0).abs() - 1e-4)
}

fn problems() -> Vec<(Problem, f64)> {
    vec![
        (("sphere", sphere_beside_a_wall, vec![3.0; 5], 1.0), 1e-6),
        (("rosenbrock", rosenbrock_in_a_disk, vec![-0.5, 0.5], 0.045674808720), 1e-5),
        (("equality", equality, vec![2.0; 3], (1.0f64 - 1e-4).powi(2) / 3.0), 1e-6),
    ]
}

#[test]
fn known_optima_on_the_boundary_are_found() {
    for strategy in STRATEGIES {
        for ((name, f, x0, optimum), tolerance) in problems() {
            let mut good = 0;
            for seed in 0..5 {
                let settings = Settings::new(x0.clone(), 0.5).strategy(strategy).seed(seed);
                let settings = settings.max_evaluations(60_000).restarts(Restarts::Bipop);
                let outcome = minimize_constrained(&settings, f).unwrap();
                assert_eq!(outcome.violation, 0.0, "{name} {strategy:?} {seed}");
                assert!(outcome.value >= optimum - 1e-9, "{name}: {} below {optimum}", outcome.value);
                good += usize::from(outcome.value - optimum < tolerance);
            }
            assert!(good >= 4, "{name} {strategy:?}: {good} of 5");
        }
    }
}
