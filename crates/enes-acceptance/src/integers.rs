//! Searches with integer coordinates.

use enes::{Restarts, Settings, Strategy, Tuning, minimize};

/// Both strategies.
pub const STRATEGIES: [Strategy; 2] = [Strategy::Adaptive, Strategy::Published];
/// Runs of a test.
pub const SEEDS: u64 = 20;

/// A function without state.
pub type Objective = fn(&[f64]) -> f64;

/// The optimum: whole numbers away from the start, so that integer coordinates can reach it exactly.
pub fn optimum(i: usize) -> f64 {
    [7.0, -4.0, 11.0, 2.0][i % 4]
}

/// Of condition 1.
pub fn sphere(x: &[f64]) -> f64 {
    x.iter().enumerate().map(|(i, v)| (v - optimum(i)).powi(2)).sum()
}

/// Of condition 1e4.
pub fn ellipsoid(x: &[f64]) -> f64 {
    let last = (x.len() - 1) as f64;
    x.iter().enumerate().map(|(i, v)| 1e4f64.powf(i as f64 / last) * (v - optimum(i)).powi(2)).sum()
}

/// Zeros among the coordinates.
pub fn onemax(x: &[f64]) -> f64 {
    x.iter().map(|v| 1.0 - v).sum()
}

/// Coordinates from the first zero on: one bit after the other is found.
pub fn leading_ones(x: &[f64]) -> f64 {
    (x.len() - x.iter().take_while(|v| **v == 1.0).count()) as f64
}

/// Whether integers keep a chance of each neighbour.
pub fn with_margin(margin: bool) -> Tuning {
    Tuning { integer_margin: margin, ..Tuning::default() }
}

/// One search from 0 with deviation 1, to 1e-8.
pub fn search(d: usize, integer: fn(usize) -> bool, strategy: Strategy, margin: bool) -> Settings {
    let flags: Vec<bool> = (0..d).map(integer).collect();
    let settings =
        Settings::new(vec![0.0; d], 1.0).integer(flags).strategy(strategy).tuning(with_margin(margin));
    settings.restarts(Restarts::Off).target(1e-8).max_evaluations(100_000)
}

/// One search over bits.
pub fn binary(d: usize, strategy: Strategy, margin: bool) -> Settings {
    let settings = Settings::within(vec![(0.0, 1.0); d]).integer(true).strategy(strategy);
    settings.tuning(with_margin(margin)).restarts(Restarts::Off).target(0.5).max_evaluations(100_000)
}

/// Runs of 20 seeds that reach the target.
pub fn successes(settings: &Settings, f: Objective) -> u64 {
    let run = |seed| minimize(&settings.clone().seed(seed), f).expect("valid settings").stop.is_target();
    (0..SEEDS).filter(|&seed| run(seed)).count() as u64
}

/// Half of the coordinates.
pub fn every_second(i: usize) -> bool {
    i % 2 == 1
}

/// All coordinates.
pub fn every(_: usize) -> bool {
    true
}
