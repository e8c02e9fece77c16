//! The ask/tell protocol, the loops, determinism, and one policy for values.

use std::ops::ControlFlow;

use enes::{
    Direction, MinimizeError, Optimizer, Restarts, Run, Settings, Shaping, StopReason, Strategy, TellError,
};

fn sphere(x: &[f64]) -> f64 {
    x.iter().map(|v| v * v).sum()
}

fn settings() -> Settings {
    Settings::new([1.0, -2.0, 0.5], 0.8).population(30).seed(5)
}

#[test]
fn tell_without_ask_is_refused() {
    let mut es = Optimizer::new(&settings()).unwrap();
    assert_eq!(es.tell(&[]), Err(TellError::NothingAsked));
    let values: Vec<f64> = es.ask().iter().map(sphere).collect();
    es.tell(&values).unwrap();
    assert_eq!(es.tell(&values), Err(TellError::NothingAsked));
    assert_eq!((es.generation(), es.evaluations()), (1, 30));
}

#[test]
fn a_wrong_count_is_refused_and_changes_nothing() {
    let mut es = Optimizer::new(&settings()).unwrap();
    let points = es.ask().as_slice().to_vec();
    assert_eq!(es.tell(&[1.0; 29]), Err(TellError::WrongCount { expected: 30, got: 29 }));
    let error = es.tell(&[1.0; 31]).unwrap_err();
    assert_eq!(
        error.to_string(),
        "ask returned 30 points, tell got 31 values: one value per point, in order"
    );
    assert_eq!(es.ask().as_slice(), points);
    assert_eq!((es.generation(), es.evaluations()), (0, 0));
}

#[test]
fn ask_is_idempotent_until_tell() {
    let mut once = Optimizer::new(&settings()).unwrap();
    let mut often = once.clone();
    for _ in 0..10 {
        let values: Vec<f64> = once.ask().iter().map(sphere).collect();
        once.tell(&values).unwrap();
        for _ in 0..3 {
            let _ = often.ask();
        }
        let values: Vec<f64> = often.ask().iter().map(sphere).collect();
        often.tell(&values).unwrap();
        assert_eq!(once.mean(), often.mean());
    }
}

#[test]
fn an_empty_ask_is_legal() {
    // Two points, a small learning rate and a tiny refresh rate: most generations reuse everything.
    let settings = Settings::new([1.0], 1.0).strategy(Strategy::Published).population(2);
    let settings = settings.learning_rate(1e-3).refresh_rate(1e-6);
    let mut es = Optimizer::new(&settings).unwrap();
    let mut empty = 0;
    for _ in 0..50 {
        let values: Vec<f64> = es.ask().iter().map(sphere).collect();
        empty += usize::from(values.is_empty());
        assert_eq!(es.ask().is_empty(), values.is_empty());
        es.tell(&values).unwrap();
    }
    assert!(empty > 10, "{empty}");
    assert_eq!(es.generation(), 50);
}

#[test]
fn fresh_points_and_reused_ones_add_up() {
    let mut es = Optimizer::new(&settings().strategy(Strategy::Published)).unwrap();
    let mut fresh = 0;
    for _ in 0..20 {
        let values: Vec<f64> = es.ask().iter().map(sphere).collect();
        fresh += values.len() as u64;
        es.tell(&values).unwrap();
        assert!((es.last_reused_share() - (1.0 - values.len() as f64 / 30.0)).abs() < 1e-15);
    }
    assert_eq!(es.evaluations(), fresh);
    let reused = 1.0 - (fresh - 30) as f64 / (19.0 * 30.0);
    assert!((es.reused_share() - reused).abs() < 1e-12);
    assert!(reused > 0.5, "{reused}");
}

#[test]
fn the_best_point_is_the_best_that_was_told() {
    let mut es = Optimizer::new(&settings()).unwrap();
    assert!(es.best().is_none());
    let mut all: Vec<(f64, Vec<f64>)> = Vec::new();
    for _ in 0..15 {
        let points: Vec<Vec<f64>> = es.ask().iter().map(<[f64]>::to_vec).collect();
        let values: Vec<f64> = points.iter().map(|x| sphere(x)).collect();
        es.tell(&values).unwrap();
        all.extend(values.into_iter().zip(points));
    }
    let (value, point) = all.iter().min_by(|a, b| a.0.total_cmp(&b.0)).unwrap();
    let best = es.best().unwrap();
    assert_eq!((best.value, best.point), (*value, &point[..]));
}

#[test]
fn the_same_seed_gives_the_same_run_and_zero_is_a_seed() {
    let outcome = |seed| enes::minimize(&settings().seed(seed).max_generations(20), sphere).unwrap();
    assert_eq!(outcome(0).point, outcome(0).point);
    assert_ne!(outcome(0).point, outcome(1).point);
}

#[test]
fn the_number_of_threads_never_changes_a_run() {
    let settings = settings().target(1e-8);
    let serial = enes::minimize(&settings, sphere).unwrap();
    for threads in [1, 2, 3] {
        let parallel = enes::minimize_parallel_sync(&settings, threads, sphere).unwrap();
        assert_eq!(parallel.point, serial.point);
        assert_eq!(parallel.mean, serial.mean);
        assert_eq!(parallel.evaluations, serial.evaluations);
    }
}

#[test]
fn batch_and_single_evaluation_give_the_same_run() {
    let settings = settings().target(1e-8);
    let single = enes::minimize(&settings, sphere).unwrap();
    let batch = enes::minimize_batch(&settings, |points, values| {
        for (x, value) in points.iter().zip(values) {
            *value = sphere(x);
        }
    });
    assert_eq!(batch.unwrap().mean, single.mean);
}

#[test]
fn maximize_keeps_signs_and_targets() {
    let outcome = enes::maximize(&settings().target(-1e-6), |x| -sphere(x)).unwrap();
    assert!(outcome.value >= -1e-6 && outcome.value <= 0.0);
    assert!(matches!(outcome.stop, StopReason::Target { target, .. } if target == -1e-6));
    let mut es = Optimizer::new(&settings().direction(Direction::Maximize)).unwrap();
    let values: Vec<f64> = es.ask().iter().map(|x| x[0]).collect();
    es.tell(&values).unwrap();
    assert_eq!(es.best().unwrap().value, values.iter().copied().fold(f64::MIN, f64::max));
}

#[test]
fn an_objectives_error_comes_back_with_the_best_so_far() {
    let mut seen = Vec::new();
    let result = enes::try_minimize(&settings(), |x| {
        if seen.len() == 47 {
            return Err("licence expired");
        }
        seen.push(sphere(x));
        Ok(sphere(x))
    });
    let Err(MinimizeError::Objective { error, partial }) = result else { panic!("{result:?}") };
    assert_eq!(error, "licence expired");
    assert_eq!(partial.evaluations, 47);
    assert_eq!(partial.value, seen.iter().copied().fold(f64::MAX, f64::min));
    assert_eq!(sphere(&partial.point), partial.value);
}

#[test]
fn a_budget_is_spent_exactly_and_never_exceeded() {
    for limit in [1, 7, 30, 31, 100] {
        let mut calls = 0;
        let outcome = enes::minimize(&settings().max_evaluations(limit), |x| {
            calls += 1;
            sphere(x)
        })
        .unwrap();
        assert_eq!((calls, outcome.evaluations), (limit, limit));
        assert_eq!(outcome.stop.name(), "maxfevals");
        assert!(outcome.value.is_finite());
    }
}

#[test]
fn observers_see_every_generation_and_may_stop() {
    let mut counts = (0, 0);
    let settings = settings();
    let outcome = Run::new(&settings)
        .observe(|es| {
            counts.0 += 1;
            if es.generation() == 2 { ControlFlow::Break(()) } else { ControlFlow::Continue(()) }
        })
        .observe(|_| {
            counts.1 += 1;
            ControlFlow::Continue(())
        })
        .minimize(sphere)
        .unwrap();
    assert_eq!(outcome.stop, StopReason::Observer { generation: 2 });
    assert_eq!(counts, (2, 2));
}

#[test]
fn failing_points_rank_last_and_the_run_goes_on() {
    // One point in three fails, in stripes far finer than the search: it still converges.
    for failure in [f64::NAN, f64::INFINITY] {
        let outcome = enes::minimize(&settings().target(1e-9), |x| {
            if (x[0] * 1e4).sin() > 0.5 && sphere(x) > 1e-2 { failure } else { sphere(x) }
        })
        .unwrap();
        assert!(outcome.stop.is_target(), "{}", outcome.stop);
    }
}

#[test]
fn minus_infinity_is_the_best_value_there_is() {
    let outcome =
        enes::minimize(&settings().target(-1e300), |x| if x[0] < 0.9 { f64::NEG_INFINITY } else { 1.0 });
    let outcome = outcome.unwrap();
    assert_eq!(outcome.value, f64::NEG_INFINITY);
    assert!(outcome.stop.is_target());
}

#[test]
fn a_flat_or_failing_objective_moves_nothing() {
    let published = || settings().strategy(Strategy::Published);
    for settings in [published().baseline(enes::Baseline::None), published(), settings()] {
        for value in [0.0, f64::NAN, f64::INFINITY] {
            let mut es = Optimizer::new(&settings).unwrap();
            let before = es.distribution().clone();
            for _ in 0..5 {
                let values = vec![value; es.ask().len()];
                es.tell(&values).unwrap();
            }
            // The adaptive strategy looks farther where values are equal; neither mean nor shape moves.
            let wider = es.standard_deviations()[0] / before.standard_deviations()[0];
            let adaptive = settings == self::settings() && value == 0.0;
            assert_eq!(adaptive, wider > 1.0, "{settings:?} {value}: {wider}");
            assert_eq!(es.mean(), before.mean());
            let scaled: Vec<f64> = before.factor().iter().map(|a| a * wider).collect();
            assert_eq!(es.distribution().factor(), scaled, "{settings:?} {value}");
        }
    }
}

#[test]
fn a_quantised_objective_is_followed_from_plateau_to_plateau() {
    // Steps of a fifth in the logarithm of a sphere, and a sphere of rounded coordinates.
    let digits = |x: &[f64]| (0.2 * (x.iter().map(|v| v * v).sum::<f64>().ln() / 0.2).floor()).exp();
    let grid = |x: &[f64]| x.iter().map(|v| (v / 0.02).round().powi(2)).sum::<f64>();
    for seed in 0..10 {
        let settings = Settings::new([2.7; 10], 1.0).seed(seed).max_evaluations(5000).restarts(Restarts::Off);
        let outcome = enes::minimize(&settings.clone().target(1e-8), digits).unwrap();
        assert!(outcome.stop.is_target(), "{}", outcome.stop);
        let outcome = enes::minimize(&settings.target(0.0), grid).unwrap();
        assert!(outcome.stop.is_target(), "{}", outcome.stop);
    }
}

#[test]
fn every_shaping_solves_an_easy_problem() {
    let settings = || settings().strategy(Strategy::Published);
    let table: Vec<f64> = (0..30).map(|r| if r < 10 { 1.0 } else { 0.0 }).collect();
    for shaping in [Shaping::Paper, Shaping::Logarithmic, Shaping::Linear, Shaping::Table(table)] {
        let outcome = enes::minimize(&settings().shaping(shaping.clone()).target(1e-9), sphere).unwrap();
        assert!(outcome.stop.is_target(), "{shaping:?}: {}", outcome.stop);
    }
    // Raw fitness with a learning rate for its scale gets there too, if slowly.
    let raw = settings().shaping(Shaping::Raw).learning_rate(0.05).max_evaluations(20_000).target(1e-2);
    let outcome = enes::minimize(&raw, sphere).unwrap();
    assert!(outcome.stop.is_target(), "{}", outcome.stop);
}

#[test]
fn one_dimension_and_other_scales_work() {
    let one = enes::minimize(&Settings::new([3.0], 1.0).target(1e-12), |x| (x[0] - 1.0).powi(2)).unwrap();
    assert!(one.stop.is_target(), "{}", one.stop);
    // Ranges 0-10 and 500-20000 in one problem, then the same with a covariance.
    let f = |x: &[f64]| (x[0] - 4.0).powi(2) + ((x[1] - 9000.0) / 5000.0).powi(2);
    let scales = [enes::Scale::from([3.0, 6000.0]), vec![vec![9.0, 3000.0], vec![3000.0, 3.6e7]].into()];
    for scale in scales {
        let outcome = enes::minimize(&Settings::new([5.0, 5000.0], scale).target(1e-10), f).unwrap();
        assert!(outcome.stop.is_target(), "{}", outcome.stop);
    }
}
