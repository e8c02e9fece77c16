//! Threads for the algebra: they never change a run, and nothing ignores them silently.

use enes::{Baseline, Optimizer, Settings, SettingsError, Strategy};

/// A run of a few generations: all points that were asked for, and the final factor, as bits.
fn bits(settings: &Settings, generations: usize) -> Vec<u64> {
    let mut es = Optimizer::new(settings).unwrap();
    let mut seen = Vec::new();
    for _ in 0..generations {
        let points = es.ask();
        seen.extend(points.as_slice().iter().map(|x| x.to_bits()));
        let values: Vec<f64> = points
            .iter()
            .map(|x| x.iter().enumerate().map(|(i, v)| (1 + i % 7) as f64 * v * v).sum())
            .collect();
        es.tell(&values).unwrap();
    }
    seen.extend(es.distribution().factor().iter().map(|x| x.to_bits()));
    seen
}

#[test]
fn the_number_of_threads_never_changes_a_run() {
    for baseline in [Baseline::Block, Baseline::Uniform, Baseline::None] {
        let settings = Settings::new(vec![1.0; 200], 1.0)
            .strategy(Strategy::Published)
            .population(420)
            .baseline(baseline);
        let one = bits(&settings, 4);
        for threads in [2, 3, 16] {
            assert!(
                bits(&settings.clone().algebra_threads(threads), 4) == one,
                "{threads} threads, {baseline:?}"
            );
        }
    }
}

#[test]
fn no_threads_and_threads_without_use_are_refused() {
    let settings = Settings::new(vec![1.0; 3], 1.0);
    let published = settings.clone().strategy(Strategy::Published);
    assert_eq!(published.clone().algebra_threads(0).validate(), Err(SettingsError::NoAlgebraThreads));
    assert_eq!(
        settings.clone().algebra_threads(2).validate(),
        Err(SettingsError::PublishedOnly { field: "algebra_threads" })
    );
    assert_eq!(settings.algebra_threads(1).validate(), Ok(()));
    let mut es = Optimizer::new(&published).unwrap();
    es.change_limits(|settings| settings.algebra_threads(2)).unwrap();
    assert!(es.change_limits(|settings| settings.algebra_threads(0)).is_err());
}
