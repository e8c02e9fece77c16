//! Medians of the evaluations to the target.

use enes::{ModelChoice, Settings, Strategy};
use enes_problems::{Function, Problem};

/// Of the published strategy with a population of n, or of the adaptive one with its own, rank-based.
pub fn median_evaluations(f: Function, d: usize, n: Option<usize>, runs: u64) -> f64 {
    let of_ranks = |s: Settings| s.model(ModelChoice::RankOnly);
    median_of(f, d, runs, |s| match n {
        Some(n) => s.strategy(Strategy::Published).population(n),
        None => of_ranks(s),
    })
}

/// Of runs with changed settings.
pub fn median_of(f: Function, d: usize, runs: u64, change: impl Fn(Settings) -> Settings) -> f64 {
    let mut evaluations: Vec<u64> = (0..runs)
        .map(|seed| {
            let problem = Problem::new(f, d, seed).expect("valid settings");
            let settings = Settings::new(problem.start(1.0), 1.0)
                .seed(seed)
                .target(f.target())
                .max_evaluations(1_000_000);
            let outcome = enes::minimize(&change(settings), |x| problem.evaluate(x)).expect("valid settings");
            // A run that fails counts as longer than any that does not.
            if outcome.stop.is_target() { outcome.evaluations } else { u64::MAX }
        })
        .collect();
    evaluations.sort_unstable();
    evaluations[evaluations.len() / 2] as f64
}

/// The published strategy on eight functions, 15 % on both sides.
pub fn compare(d: usize, n: usize, runs: u64, expected: [f64; 8]) {
    for (f, expected) in Function::ALL.into_iter().zip(expected) {
        // The parabolic ridge spreads wide (quartiles 2000 and 4500 at d = 5): its median needs more runs.
        let runs = if f == Function::ParabR { 10 * runs } else { runs };
        let median = median_evaluations(f, d, Some(n), runs);
        assert!((median / expected - 1.0).abs() < 0.15, "{f} d = {d}: {median}, expected {expected}");
    }
}
