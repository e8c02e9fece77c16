//! Every stop reason is reached, carries its numbers, and can be switched off.

use std::ops::ControlFlow;
use std::time::Duration;

use enes::{ModelChoice, Outcome, Restarts, Run, Settings, StopReason, Strategy};

fn sphere(x: &[f64]) -> f64 {
    x.iter().map(|v| v * v).sum()
}

fn run(settings: &Settings, f: impl FnMut(&[f64]) -> f64) -> Outcome {
    enes::minimize(settings, f).unwrap()
}

fn base() -> Settings {
    Settings::new([1.0, -2.0], 0.8).population(20).seed(2)
}

/// All tolerances off, so that a test meets the one rule it is about.
fn bare() -> Settings {
    base()
        .tolx(None)
        .tolfun(None)
        .tolfunhist(None)
        .tolstagnation(None)
        .tolconditioncov(None)
        .tolfacupx(None)
        .tolflatfitness(None)
        .noeffect(false)
}

#[test]
fn target() {
    let outcome = run(&base().target(1e-3), sphere);
    assert!(
        matches!(outcome.stop, StopReason::Target { value, target } if value <= target && target == 1e-3)
    );
    assert_eq!(outcome.value, sphere(&outcome.point));
}

#[test]
fn max_evaluations_and_generations() {
    let stop = run(&base().max_evaluations(77), sphere).stop;
    assert_eq!(stop, StopReason::MaxEvaluations { evaluations: 77, limit: 77 });
    assert_eq!(stop.to_string(), "the budget is spent: 77 of 77 evaluations");
    let stop = run(&base().max_generations(4), sphere).stop;
    assert_eq!(stop, StopReason::MaxGenerations { generations: 4, limit: 4 });
}

#[test]
fn max_time() {
    let outcome = run(&bare().max_time(Duration::ZERO), sphere);
    assert!(matches!(outcome.stop, StopReason::MaxTime { seconds, limit } if seconds >= limit));
    assert_eq!(outcome.generations, 1);
}

#[test]
fn tolx() {
    let outcome = run(&bare().tolx(1e-3), sphere);
    assert!(matches!(outcome.stop, StopReason::TolX { largest, tolerance } if largest < tolerance));
    assert!(outcome.standard_deviations.iter().all(|&s| s < 1e-3));
}

#[test]
fn tolfun() {
    let outcome = run(&bare().tolfun(1e-6), sphere);
    assert!(matches!(outcome.stop, StopReason::TolFun { range, tolerance } if range < tolerance));
    // The defaults end a run on a sphere this way, near the optimum.
    let outcome = run(&base(), sphere);
    assert!(["tolfun", "tolfunhist", "tolx"].contains(&outcome.stop.name()), "{}", outcome.stop);
    assert!(outcome.value < 1e-10, "{}", outcome.value);
}

#[test]
fn tolfunhist() {
    // The best value is soon bounded from below, the rest of the population is not.
    let mut calls = 0u32;
    let outcome = run(&bare().tolfunhist(1e-9).tolfun(1e-9), |x| {
        calls += 1;
        if calls.is_multiple_of(3) { 1.0 + sphere(x).sqrt() } else { 0.5 }
    });
    assert!(
        matches!(outcome.stop, StopReason::TolFunHist { range, populations, .. } if range < 1e-9 && populations == 13)
    );
}

#[test]
fn stagnation() {
    let mut state = 1u64;
    let outcome = run(&bare().tolstagnation(30), |_| {
        // Noise without a signal, from a generator of its own.
        state = state.wrapping_mul(6364136223846793005).wrapping_add(1442695040888963407);
        (state >> 40) as f64
    });
    assert_eq!(outcome.stop, StopReason::Stagnation { populations: 30, limit: 30 });
}

#[test]
fn condition() {
    let outcome = run(&bare().tolconditioncov(1e4), |x| x[0] * x[0] + 1e8 * x[1] * x[1]);
    assert!(matches!(outcome.stop, StopReason::Condition { condition, limit } if condition > limit));
}

#[test]
fn no_effect_on_the_mean() {
    // Around 1e6 doubles are 1e-10 apart: once a search has narrowed to that, its steps do nothing there.
    let covariance = vec![vec![1e-18, 0.9e-9], vec![0.9e-9, 1.0]];
    let settings =
        Settings::new([1e6, 0.0], covariance).tolfun(None).tolfunhist(None).restarts(Restarts::Off);
    let outcome = run(&settings, |x| x[1].powi(2));
    assert!(matches!(outcome.stop, StopReason::NoEffectCoordinate { coordinate: 0, .. }), "{}", outcome.stop);
    // Two coordinates of deviation 1, so correlated that across them 1e-6 is left, around 1e12.
    let covariance = vec![vec![1.0, 1.0], vec![1.0, 1.0 + 1e-12]];
    let settings = Settings::new([1e12, 1e12], covariance).max_generations(5).restarts(enes::Restarts::Off);
    let outcome = run(&settings, |x| x[0] - 1e12);
    assert!(matches!(outcome.stop, StopReason::NoEffectAxis { row: 1, .. }), "{}", outcome.stop);
    assert_eq!(run(&settings.noeffect(false).tolconditioncov(None), |x| x[0] - 1e12).stop.name(), "maxiter");
}

#[test]
fn divergence() {
    let outcome = run(&bare().tolfacupx(1e3), |x| x[0]);
    assert!(matches!(outcome.stop, StopReason::Divergence { factor, limit, .. } if factor > limit));
}

#[test]
fn a_degenerate_factor() {
    // Raw fitness at the edge of the numbers: no finite step exists.
    let settings = bare().strategy(Strategy::Published).shaping(enes::Shaping::Raw).max_generations(50);
    let outcome = run(&settings, |x| 1e308 * (x[0] - 1.0).signum());
    assert!(matches!(outcome.stop, StopReason::DegenerateFactor { .. }), "{}", outcome.stop);
    assert!(outcome.mean.iter().all(|x| x.is_finite()));
}

#[test]
fn flat_fitness() {
    let outcome = run(&bare().tolflatfitness(1), |_| 3.0);
    assert!(matches!(outcome.stop, StopReason::FlatFitness { evaluations, limit: 20 } if evaluations >= 20));
    assert_eq!(outcome.mean, [1.0, -2.0]);
    // By default ten populations of the adaptive strategy, and one of the published.
    for (strategy, times) in [(Strategy::Adaptive, 10), (Strategy::Published, 1)] {
        let settings =
            Settings::new([1.0, -2.0], 0.5).population(20).restarts(enes::Restarts::Off).strategy(strategy);
        let outcome = run(&settings.seed(3), |_| 3.0);
        assert!(
            matches!(outcome.stop, StopReason::FlatFitness { limit, .. } if limit == 20 * times),
            "{}",
            outcome.stop
        );
    }
}

#[test]
fn a_better_value_between_flat_populations_begins_their_count_anew() {
    let settings = bare().strategy(Strategy::Adaptive).tolflatfitness(2);
    let mut es = enes::Optimizer::new(&settings).unwrap();
    for generation in 0..12 {
        // Equal values, lower ones in every other generation.
        let value = -f64::from(generation / 2);
        let values = vec![value; es.ask().len()];
        es.tell(&values).unwrap();
        assert_eq!(es.stop_reason(), None, "generation {generation}");
    }
    for _ in 0..3 {
        let values: Vec<f64> = (0..es.ask().len()).map(|_| 1.0).collect();
        es.tell(&values).unwrap();
    }
    assert!(matches!(es.stop_reason(), Some(StopReason::FlatFitness { .. })), "{:?}", es.stop_reason());
}

#[test]
fn no_finite_value() {
    let outcome = run(&bare(), |x| if x[0] > 1.0 { f64::NAN } else { f64::INFINITY });
    assert!(
        matches!(outcome.stop, StopReason::NoFiniteValue { evaluations: 20, nan } if nan > 0 && nan < 20)
    );
    assert_eq!(outcome.evaluations, 20);
    assert_eq!(outcome.value, f64::INFINITY);
    // A small generation that fails as a whole is no reason yet.
    let outcome = run(&bare().population(6), |_| f64::NAN);
    assert_eq!(outcome.stop, StopReason::NoFiniteValue { evaluations: 24, nan: 24 });
    assert!(outcome.value.is_nan());
    assert_eq!(outcome.point, [1.0, -2.0]);
}

#[test]
fn an_observer() {
    let settings = base();
    let outcome = Run::new(&settings).observe(|_| ControlFlow::Break(())).minimize(sphere).unwrap();
    assert_eq!(outcome.stop.to_string(), "an observer asked to stop at generation 1");
}

#[test]
fn every_rule_can_be_switched_off() {
    // A flat objective, forever: only the budget ends it.
    let outcome = run(&bare().max_generations(3000), |_| 3.0);
    assert_eq!(outcome.stop.name(), "maxiter");
    // A sphere to the last bit.
    let outcome = run(&bare().max_generations(4000), sphere);
    assert_eq!(outcome.stop.name(), "maxiter");
    assert!(outcome.value < 1e-100, "{}", outcome.value);
}

#[test]
fn a_kept_best_does_not_look_like_convergence() {
    // With mixing the best of the population stays for many generations. Counting generations
    // instead of evaluations would stop here long before the target.
    let settings = Settings::new([1.0; 5], 1.0).strategy(Strategy::Published).population(50).target(1e-10);
    assert!(run(&settings, sphere).stop.is_target());
}

#[test]
fn a_search_that_converges_to_equal_values_has_converged() {
    // Around a value of 1 doubles are 2e-16 apart: whole generations become equal.
    for strategy in [enes::Strategy::Adaptive, enes::Strategy::Published] {
        for seed in 0..10 {
            let settings = Settings::new([3.0, 4.0], 1.0).strategy(strategy).seed(seed);
            let outcome = run(&settings, |x| 1.0 + x[0] * x[0] + x[1] * x[1]);
            let converged = ["tolfun", "tolfunhist", "tolx"].contains(&outcome.stop.name());
            assert!(converged && outcome.value - 1.0 < 1e-12, "{strategy:?}, seed {seed}: {}", outcome.stop);
        }
    }
}

/// Whatever the unit, a search does not end before it has begun.
#[test]
fn the_default_of_tolx_follows_small_deviations() {
    for unit in [1e-200, 1e-12, 1e-5, 1.0] {
        let bowl = |x: &[f64]| x.iter().map(|v| (v / unit - 1.0).powi(2)).sum::<f64>();
        let outcome = run(&Settings::new([3.0 * unit, 2.0 * unit], unit).seed(1), bowl);
        assert!(outcome.success && outcome.value < 1e-10, "{unit:e}: {} {}", outcome.value, outcome.stop);
        let outcome = run(&Settings::within([(0.0, 10.0 * unit); 2]).seed(1), bowl);
        assert!(outcome.success && outcome.value < 1e-10, "{unit:e}: {} {}", outcome.value, outcome.stop);
    }
    let told = |tolerance: f64| run(&Settings::new([3.0], 1e-3).tolx(tolerance), |x| x[0]);
    assert_eq!(told(0.1).stop.name(), "tolx", "what the user says counts as it is");
}

#[test]
fn an_objective_that_is_infinite_everywhere_is_no_success() {
    for settings in [
        Settings::new([5.0, 5.0], 1.0),
        Settings::new([5.0, 5.0], 1.0).max_evaluations(15),
        Settings::within([(0.0, 1.0); 2]),
        Settings::new([5.0, 5.0], 1.0).strategy(Strategy::Published),
        Settings::new([5.0, 5.0], 1.0).model(ModelChoice::RankOnly).restarts(Restarts::Off),
    ] {
        for value in [f64::INFINITY, f64::NAN] {
            let outcome = run(&settings, |_| value);
            assert!(!outcome.success && outcome.optima.is_empty(), "{value}: {}", outcome.stop);
        }
    }
}

/// Feasible values of all sizes lie below infeasible ones, and keep their order.
#[test]
fn the_largest_numbers_are_minimized_as_others_are() {
    for top in [1e300, 1e305, 1e308] {
        let mut least = f64::INFINITY;
        let outcome = run(&Settings::new([0.9, 0.9], 0.1).seed(1), |x| {
            let value = top * (x[0] * x[0] + x[1] * x[1]);
            least = least.min(value);
            value
        });
        assert!(outcome.value == least && least < 1e-6 * top, "{top:e}: {:e}, {least:e}", outcome.value);
    }
}
