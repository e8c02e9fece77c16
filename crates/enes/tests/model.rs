//! The surrogate through the public interface: how runs end, sizes of generations, checkpoints.

use enes::{Mode, ModelChoice, Optimizer, Outcome, Restarts, Settings, SettingsError, StopReason, Strategy};
use enes_problems::{Function, Problem};

const SMOOTH: [Function; 4] =
    [Function::Sphere, Function::Ellipsoid, Function::Rosenbrock, Function::DiffPow];

fn run(function: Function, d: usize, seed: u64, change: impl Fn(f64) -> f64) -> Outcome {
    let problem = Problem::new(function, d, seed).unwrap();
    let settings = Settings::new(problem.start(1.0), 1.0).seed(seed).max_evaluations(20_000);
    enes::minimize(&settings.restarts(Restarts::Off), |x| change(problem.evaluate(x))).unwrap()
}

#[test]
fn near_the_optimum_where_values_differ_by_rounding_a_run_ends() {
    // 1 + f and 1e6 + f have no more than 16 and 10 digits of f.
    for offset in [0.0, 1.0, 1e6] {
        for function in SMOOTH {
            for (d, seed) in [(1, 1), (2, 2), (5, 3), (10, 4)] {
                let outcome = run(function, d, seed, |f| f + offset);
                // The axes of this one differ ever more as it converges.
                let narrow =
                    function == Function::DiffPow && matches!(outcome.stop, StopReason::Condition { .. });
                let ended = narrow
                    || matches!(
                        outcome.stop,
                        StopReason::TolFun { .. } | StopReason::TolFunHist { .. } | StopReason::TolX { .. }
                    );
                let place = format!(
                    "{function} d = {d}, offset {offset}: {} after {}",
                    outcome.stop, outcome.evaluations
                );
                assert!(ended && outcome.evaluations < 250 * d as u64 + 500, "{place}");
                let local = function == Function::Rosenbrock && d > 3 && outcome.value - offset > 3.9;
                assert!(
                    outcome.value - offset < 1e-8 * (1.0 + offset) || local,
                    "{place}: {}",
                    outcome.value
                );
            }
        }
    }
}

#[test]
fn values_of_any_size_are_modelled() {
    // From 1.4e303 on feasible values are equal (`violation.rs`), so that larger ones cannot be modelled.
    for scale in [1e296, 1e-280, 1e-296, -1e296] {
        let problem = Problem::new(Function::Ellipsoid, 5, 3).unwrap();
        let settings =
            Settings::new(problem.start(1.0), 1.0).max_evaluations(60).tolfun(None).tolfunhist(None);
        let settings = if scale < 0.0 { settings.direction(enes::Direction::Maximize) } else { settings };
        let outcome = enes::minimize(&settings, |x| scale * problem.evaluate(x)).unwrap();
        // An ellipsoid has 21 coefficients: 60 values are plenty for a model, and nothing for ranks.
        assert!(outcome.value / scale < 1e-8, "{scale:e}: {:e}", outcome.value);
    }
}

#[test]
fn a_generation_is_the_batch_and_the_models_point() {
    for (batch, workers, rows) in [
        (None, None, 5),
        (Some(1), None, 2),
        (Some(3), Some(16), 4),
        (None, Some(16), 16),
        (None, Some(4), 4),
        (None, Some(3), 6),
    ] {
        let problem = Problem::new(Function::Ellipsoid, 10, 1).unwrap();
        let settings = Settings::new(problem.start(1.0), 1.0).batch(batch).workers(workers).target(1e-10);
        let mut es = Optimizer::new(&settings).unwrap();
        let (mut ruled, mut asked) = (false, Vec::new());
        while es.stop_reason().is_none() {
            let points = es.ask();
            if ruled {
                asked.push(points.len());
            } else {
                let most = if batch == Some(1) { 1 } else { 5 };
                assert!(points.len() <= most, "the rank-based update needs λ samples, less what it has");
            }
            let values: Vec<f64> = points.iter().map(|x| problem.evaluate(x)).collect();
            es.tell(&values).unwrap();
            ruled = es.model().is_some_and(|m| m.mode == Mode::Surrogate);
        }
        assert!(asked.len() > 3 && asked.iter().all(|n| *n == rows), "{batch:?} {workers:?}: {asked:?}");
        let reading = es.model().unwrap();
        assert!(reading.error < 0.1 && reading.mode == Mode::Surrogate, "{reading:?}");
        assert_eq!(es.population_size(), 5);
    }
}

#[test]
fn a_run_continues_from_any_generation_bit_for_bit() {
    for batch in [Some(1), None] {
        let problem = Problem::new(Function::SharpR, 4, 3).unwrap();
        let settings = Settings::new(problem.start(1.0), 1.0).batch(batch).seed(9);
        let mut es = Optimizer::new(&settings).unwrap();
        let mut modes = [0; 2];
        for generation in 0..160 {
            let mut other = Optimizer::from_checkpoint(&es.to_checkpoint()).unwrap();
            assert_eq!(es.ask(), other.ask(), "generation {generation}");
            let middle = Optimizer::from_checkpoint(&es.to_checkpoint()).unwrap();
            let values: Vec<f64> = es.ask().iter().map(|x| problem.evaluate(x)).collect();
            for es in [&mut es, &mut other, &mut middle.clone()] {
                es.tell(&values).unwrap();
            }
            assert_eq!(es.to_checkpoint(), other.to_checkpoint(), "generation {generation}");
            modes[usize::from(es.model().is_some_and(|m| m.mode == Mode::Surrogate))] += 1;
        }
        assert!(modes.iter().all(|n| *n > 10), "{modes:?}");
    }
}

#[test]
fn what_a_strategy_or_dimension_has_no_use_for_is_refused_or_off() {
    let refused = |s: Settings| s.validate().unwrap_err();
    let base = || Settings::new([1.0, 2.0], 1.0);
    assert_eq!(refused(base().batch(0)), SettingsError::ZeroLimit { field: "batch" });
    assert_eq!(refused(base().workers(0)), SettingsError::ZeroLimit { field: "workers" });
    let text = refused(base().batch(1_000_000)).to_string();
    assert_eq!(text, "batch must be at most 100000, got 1000000");
    let published = || base().strategy(Strategy::Published);
    let text = refused(published().model(ModelChoice::RankOnly)).to_string();
    assert!(text.contains("model belongs to the strategy `adaptive`"), "{text}");
    assert_eq!(refused(published().batch(3)), SettingsError::AdaptiveOnly { field: "batch" });
    // Beyond its dimensions there is no model, and the population is that of the rank-based mode.
    let wide = Settings::new(vec![1.0; ModelChoice::MOST_DIMENSIONS + 1], 1.0);
    let mut es = Optimizer::new(&wide).unwrap();
    let values: Vec<f64> = es.ask().iter().map(|x| x.iter().map(|v| v * v).sum()).collect();
    es.tell(&values).unwrap();
    assert!(es.model().is_none());
    assert_eq!(es.population_size(), ModelChoice::RankOnly.default_population(41));
}

#[test]
fn a_transformed_objective_is_modelled_through_a_power() {
    // Medians of the rank-based mode, which no transformation changes: 342, 606.
    for (function, most) in [(Function::Sphere, 300), (Function::Ellipsoid, 500)] {
        for power in [0.1, 0.5, 2.0] {
            let mut evaluations: Vec<u64> = (0..11)
                .map(|seed| {
                    let problem = Problem::new(function, 5, seed).unwrap();
                    let settings = Settings::new(problem.start(1.0), 1.0).seed(seed);
                    let settings = settings.target(1e-10f64.powf(power)).max_evaluations(10_000).tolfun(None);
                    let settings = settings.tolfunhist(None).restarts(Restarts::Off);
                    let outcome = enes::minimize(&settings, |x| problem.evaluate(x).powf(power)).unwrap();
                    if outcome.stop.is_target() { outcome.evaluations } else { u64::MAX }
                })
                .collect();
            evaluations.sort_unstable();
            assert!(evaluations[5] < most, "{function}^{power}: {evaluations:?}");
        }
    }
}

#[test]
fn failing_values_are_survived() {
    // A third of the plane fails, and the optimum lies at its edge.
    let f = |x: &[f64]| if x[0] < 0.0 { f64::NAN } else { (x[0] - 0.01).powi(2) + 10.0 * x[1].powi(2) };
    for seed in 0..10 {
        for batch in [Some(1), None] {
            let settings =
                Settings::new([1.0, 1.0], 0.5).seed(seed).batch(batch).target(1e-8).max_evaluations(4000);
            let outcome = enes::minimize(&settings, f).unwrap();
            assert!(outcome.stop.is_target(), "seed {seed}: {} {:e}", outcome.stop, outcome.value);
        }
    }
}
