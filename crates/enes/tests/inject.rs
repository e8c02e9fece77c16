//! Injection: what counts, what moves, what is refused, and that nothing of it can spoil a search.

use enes::{InjectError, Optimizer, Restarts, Settings, StopReason, Strategy};

const STRATEGIES: [Strategy; 2] = [Strategy::Adaptive, Strategy::Published];

fn sphere(x: &[f64]) -> f64 {
    x.iter().map(|v| v * v).sum()
}

fn optimizer(strategy: Strategy, d: usize, seed: u64) -> Optimizer {
    let settings = Settings::new(vec![1.0; d], 0.5).strategy(strategy).seed(seed).restarts(Restarts::Off);
    Optimizer::new(&settings).unwrap()
}

fn step(es: &mut Optimizer) -> f64 {
    let values: Vec<f64> = es.ask().iter().map(sphere).collect();
    es.tell(&values).unwrap();
    values.iter().fold(f64::INFINITY, |least, v| least.min(*v))
}

#[test]
fn an_injected_point_counts_for_the_best_and_not_as_an_evaluation() {
    for strategy in STRATEGIES {
        let mut es = optimizer(strategy, 3, 1);
        step(&mut es);
        let evaluations = es.evaluations();
        es.inject(&[0.1, 0.0, 0.0], 0.01).unwrap();
        es.inject(&[9.0, 0.0, 0.0], 81.0).unwrap();
        let best = es.best().unwrap();
        assert_eq!((best.point, best.value, best.evaluations), (&[0.1, 0.0, 0.0][..], 0.01, evaluations));
        assert_eq!((es.injected(), es.evaluations()), (2, evaluations));
    }
}

#[test]
fn a_value_at_the_target_ends_the_run_at_once() {
    let settings = Settings::new([1.0, 1.0], 0.5).target(1e-3);
    let mut es = Optimizer::new(&settings).unwrap();
    let _ = es.ask();
    es.inject(&[0.0, 0.0], 0.0).unwrap();
    assert!(matches!(es.stop_reason(), Some(StopReason::Target { value, .. }) if *value == 0.0));
}

#[test]
fn what_was_asked_stays_as_it_was() {
    for strategy in STRATEGIES {
        let mut es = optimizer(strategy, 3, 2);
        step(&mut es);
        let mean = es.mean().to_vec();
        let asked = es.ask().as_slice().to_vec();
        es.inject(&[0.0; 3], 0.0).unwrap();
        assert_eq!(es.ask().as_slice(), asked);
        assert_eq!(es.mean(), mean);
    }
}

#[test]
fn a_better_point_moves_the_mean_once_and_no_further_than_allowed() {
    for (strategy, longest) in [(Strategy::Adaptive, 3f64.sqrt() + 2.0), (Strategy::Published, 1.0)] {
        let mut es = optimizer(strategy, 3, 3);
        step(&mut es);
        let before = es.distribution().clone();
        es.inject(&[-500.0; 3], 0.0).unwrap();
        let _ = es.ask();
        let shift = before.whiten(es.mean()).unwrap();
        assert!((sphere(&shift).sqrt() - longest).abs() < 1e-9, "{strategy:?}: {shift:?}");
        assert_eq!(es.distribution().factor(), before.factor());
        // A near point is reached, not passed. The same one again moves nothing.
        let values = vec![1.0; es.ask().len()];
        es.tell(&values).unwrap();
        let near: Vec<f64> = es.mean().iter().map(|m| m + 1e-6).collect();
        es.inject(&near, -1.0).unwrap();
        let _ = es.ask();
        let there = |mean: &[f64]| mean.iter().zip(&near).all(|(m, x)| (m - x).abs() < 1e-12);
        assert!(there(es.mean()));
        let values = vec![1.0; es.ask().len()];
        es.tell(&values).unwrap();
        let before = es.mean().to_vec();
        es.inject(&near, -1.0).unwrap();
        es.inject(&[1e3; 3], 0.5).unwrap();
        let _ = es.ask();
        assert_eq!(es.mean(), before);
    }
}

#[test]
fn a_point_given_before_there_are_values_waits_for_them() {
    for strategy in STRATEGIES {
        let mut es = optimizer(strategy, 2, 4);
        es.inject(&[0.0, 0.0], 0.0).unwrap();
        let _ = es.ask();
        assert_eq!(es.mean(), [1.0, 1.0]);
        step(&mut es);
        let before = es.mean().to_vec();
        let _ = es.ask();
        assert!(sphere(es.mean()) < sphere(&before));
    }
}

#[test]
fn a_worse_point_leaves_the_published_run_as_it_was() {
    let (mut with, mut without) =
        (optimizer(Strategy::Published, 4, 5), optimizer(Strategy::Published, 4, 5));
    for _ in 0..40 {
        step(&mut with);
        step(&mut without);
        with.inject(&[50.0; 4], 10_000.0).unwrap();
        with.inject(&[50.0; 4], f64::NAN).unwrap();
    }
    assert_eq!(with.distribution(), without.distribution());
    assert_eq!(with.injected(), 80);
}

#[test]
fn what_cannot_be_a_point_is_refused_and_changes_nothing() {
    let settings = Settings::new([0.5, 1.0, 7.0], 0.1)
        .bounds([(0.0, 1.0), (1e-3, f64::INFINITY), (7.0, 7.0)])
        .log_scale([false, true, false]);
    let mut es = Optimizer::new(&settings).unwrap();
    assert_eq!(es.inject(&[0.5], 0.0), Err(InjectError::Length { got: 1, dimension: 3 }));
    let outside = InjectError::Outside { index: 0, value: 1.5, lower: 0.0, upper: 1.0 };
    assert_eq!(es.inject(&[1.5, 1.0, 7.0], 0.0), Err(outside));
    assert!(matches!(es.inject(&[0.5, 1.0, 6.0], 0.0), Err(InjectError::Outside { index: 2, .. })));
    assert!(matches!(es.inject(&[0.5, -1.0, 7.0], 0.0), Err(InjectError::NotPositive { index: 1, .. })));
    assert!(matches!(es.inject(&[f64::NAN, 1.0, 7.0], 0.0), Err(InjectError::NotFinite { index: 0, .. })));
    assert_eq!((es.injected(), es.best()), (0, None));
    es.inject(&[1.0, 1e-3, 7.0], 4.0).unwrap(); // on the bounds
    assert_eq!(es.best().unwrap().point, [1.0, 1e-3, 7.0]);
    let text = es.inject(&[1.5, 1.0, 7.0], 0.0).unwrap_err().to_string();
    assert!(text.contains("1.5") && text.contains("[0, 1]") && text.contains("inside"), "{text}");
}

/// Evaluations until a value of the run's own is below 1e-10, with this injected after every generation.
fn evaluations(strategy: Strategy, seed: u64, inject: impl Fn(&mut Optimizer)) -> f64 {
    let mut es = optimizer(strategy, 5, seed);
    while es.stop_reason().is_none() && es.evaluations() < 100_000 {
        if step(&mut es) < 1e-10 {
            return es.evaluations() as f64;
        }
        inject(&mut es);
    }
    panic!("{strategy:?}, seed {seed}: ended by {:?} after {}", es.stop_reason(), es.evaluations());
}

fn median(mut values: Vec<f64>) -> f64 {
    values.sort_by(f64::total_cmp);
    values[values.len() / 2]
}

#[test]
fn bad_and_repeated_points_cost_little() {
    // False: a value that nothing reaches at a place far from the optimum. Measured: below 1.1 in the median.
    let kinds: [(&str, [f64; 5], f64); 3] =
        [("far", [100.0; 5], 50_000.0), ("false", [2.0; 5], 1e-12), ("good", [1e-3; 5], 5e-6)];
    for strategy in STRATEGIES {
        let all = |inject: &dyn Fn(&mut Optimizer)| {
            median((0..11).map(|s| evaluations(strategy, s, inject)).collect())
        };
        let without = all(&|_| {});
        for (name, point, value) in kinds {
            let with = all(&|es| es.inject(&point, value).unwrap());
            assert!(with < 1.25 * without, "{strategy:?} {name}: {with} against {without}");
        }
    }
}

#[test]
fn a_flood_of_false_points_costs_the_trust_in_the_model_not_the_search() {
    // Measured: 3.8 times the evaluations, those of a search without a model.
    let flood = |es: &mut Optimizer| {
        for i in 0..200 {
            let x: Vec<f64> = es.mean().iter().map(|m| m * (1.0 + 1e-3 * f64::from(i))).collect();
            es.inject(&x, 1e9).unwrap(); // all of them worse than they are
        }
    };
    let without = median((0..11).map(|s| evaluations(Strategy::Adaptive, s, |_| {})).collect());
    let with = median((0..11).map(|s| evaluations(Strategy::Adaptive, s, flood)).collect());
    assert!(with < 5.0 * without, "{with} against {without}");
}

#[test]
fn the_adaptive_strategy_learns_from_what_it_did_not_sample() {
    let mut es = optimizer(Strategy::Adaptive, 3, 6);
    es.inject(&[1.1, 1.0, 1.0], 3.21).unwrap();
    es.inject(&[1.1, 1.0, 1.0], 3.21).unwrap();
    es.inject(&[1e3; 3], 3e6).unwrap();
    assert_eq!(es.archive_len(), Some(1));
    step(&mut es);
    assert_eq!(es.archive_len(), Some(1 + es.population_size()));
    assert_eq!(es.trust(), optimizer(Strategy::Adaptive, 3, 6).trust()); // no model has been judged
}

#[cfg(feature = "serde")]
#[test]
fn a_checkpoint_keeps_what_waits() {
    for strategy in STRATEGIES {
        let mut es = optimizer(strategy, 3, 7);
        step(&mut es);
        let _ = es.ask();
        es.inject(&[0.0; 3], 0.0).unwrap();
        let mut again = Optimizer::from_checkpoint(&es.to_checkpoint()).unwrap();
        for _ in 0..10 {
            step(&mut es);
            step(&mut again);
            assert_eq!(es.distribution(), again.distribution());
        }
        assert_eq!((es.injected(), es.best()), (again.injected(), again.best()));
        assert!(es.to_checkpoint() == again.to_checkpoint());
    }
}

#[test]
fn a_restart_forgets_what_the_search_before_was_given() {
    // The second search finds its own way: the false point of the first does not move it.
    let settings = Settings::new([3.0, 3.0], 1.0).seed(8).restarts(Restarts::Ipop).max_restarts(3);
    let mut es = Optimizer::new(&settings).unwrap();
    let mut least = f64::INFINITY;
    while es.stop_reason().is_none() {
        let before = es.restarts().len();
        least = step(&mut es).min(least);
        if es.restarts().len() == before {
            es.inject(&[-40.0, 40.0], -1.0).unwrap();
        }
    }
    assert_eq!(es.restarts().len(), 3);
    assert!(least < 1e-10, "{least}");
}
