//! Objectives with noise: the mean is better than without repetitions.

use enes::Strategy;
use enes_acceptance::noisy::*;

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
