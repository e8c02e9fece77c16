//! Integer coordinates: exactly integral, within bounds, and never frozen.

use enes::{BoundHandling, Optimizer, Outcome, Restarts, Settings, SettingsError, Strategy, minimize};
use proptest::prelude::*;

const STRATEGIES: [Strategy; 2] = [Strategy::Adaptive, Strategy::Published];
const SEEDS: u64 = 20;

/// Weights from 1 to 100 over the coordinates, as an ellipsoid of condition 100.
fn weight(i: usize, d: usize) -> f64 {
    100f64.powf(i as f64 / (d - 1).max(1) as f64)
}

/// The optimum: whole numbers away from the start, so that integer coordinates can reach it exactly.
fn optimum(i: usize) -> f64 {
    [7.0, -4.0, 11.0, 2.0][i % 4]
}

fn ellipsoid(x: &[f64]) -> f64 {
    let d = x.len();
    x.iter().enumerate().map(|(i, v)| weight(i, d) * (v - optimum(i)).powi(2)).sum()
}

fn sphere(x: &[f64]) -> f64 {
    x.iter().enumerate().map(|(i, v)| (v - optimum(i)).powi(2)).sum()
}

/// One search from 0 with deviation 1, to 1e-8.
fn mixed(
    d: usize,
    integers: impl Fn(usize) -> bool,
    strategy: Strategy,
    seed: u64,
    margin: bool,
) -> Settings {
    let flags: Vec<bool> = (0..d).map(integers).collect();
    Settings::new(vec![0.0; d], 1.0)
        .integer(flags)
        .strategy(strategy)
        .seed(seed)
        .integer_margin(margin)
        .restarts(Restarts::Off)
        .target(1e-8)
        .max_evaluations(200_000)
}

fn successes(f: fn(&[f64]) -> f64, settings: impl Fn(u64) -> Settings) -> (u64, Vec<u64>) {
    let runs: Vec<Outcome> = (0..SEEDS).map(|seed| minimize(&settings(seed), f).unwrap()).collect();
    let mut evaluations: Vec<u64> =
        runs.iter().filter(|r| r.stop.is_target()).map(|r| r.evaluations).collect();
    evaluations.sort_unstable();
    if std::env::var_os("ENES_SHOW").is_some() {
        let reasons: Vec<&str> = runs.iter().map(|r| r.stop.name()).collect();
        eprintln!("{:?} {reasons:?}", evaluations.get(evaluations.len() / 2));
    }
    (evaluations.len() as u64, evaluations)
}

#[test]
fn half_of_the_coordinates_may_be_integers() {
    for strategy in STRATEGIES {
        for d in [4, 10, 20] {
            for (name, f) in [("sphere", sphere as fn(&[f64]) -> f64), ("ellipsoid", ellipsoid)] {
                let settings = |seed| mixed(d, |i| i % 2 == 1, strategy, seed, true);
                let (with, _) = successes(f, settings);
                eprintln!("{name} d = {d} {strategy:?}: {with} of {SEEDS}");
                assert!(with >= 19, "{name} d = {d} {strategy:?}: {with} of {SEEDS}");
            }
            if d == 20 && strategy == Strategy::Adaptive {
                break;
            }
        }
    }
}
