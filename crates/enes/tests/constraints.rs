//! Constraints: feasible before infeasible, infeasible by violation, through the loops and stop rules.

use enes::{
    Direction, ModelChoice, Optimizer, Restarts, Settings, Strategy, TellError, minimize_constrained,
};

const STRATEGIES: [Strategy; 2] = [Strategy::Adaptive, Strategy::Published];

fn sphere_beside_a_wall(x: &[f64]) -> (f64, f64) {
    (x.iter().map(|v| v * v).sum(), 1.0 - x[0])
}

/// g06 of the CEC suites: a cubic between two circles; the feasible crescent is thin, and the optimum is its tip.
fn g06(x: &[f64]) -> (f64, f64) {
    let f = (x[0] - 10.0).powi(3) + (x[1] - 20.0).powi(3);
    let outside = 100.0 - (x[0] - 5.0).powi(2) - (x[1] - 5.0).powi(2);
    let inside = (x[0] - 6.0).powi(2) + (x[1] - 5.0).powi(2) - 82.81;
    (f, outside.max(0.0) + inside.max(0.0))
}

#[test]
fn the_tip_of_a_thin_crescent_is_found_from_an_infeasible_start() {
    // The optimum is −6961.81388; the tolerance is a hundred-thousandth of it.
    for strategy in STRATEGIES {
        let settings = Settings::within([(13.0, 100.0), (0.0, 100.0)]).strategy(strategy).seed(3);
        let settings = settings.max_evaluations(60_000).restarts(Restarts::Bipop);
        let outcome = minimize_constrained(&settings, g06).unwrap();
        assert!(outcome.violation == 0.0 && outcome.value < -6961.74, "{strategy:?}: {outcome:?}");
    }
}

#[test]
fn the_best_is_feasible_before_infeasible_and_keeps_its_own_value() {
    let settings = Settings::new([0.0; 2], 1.0).population(4).model(ModelChoice::RankOnly);
    let mut es = Optimizer::new(&settings).unwrap();
    es.ask();
    es.tell_constrained(&[5.0, -7.0, f64::NAN, 1.0], &[3.0, 2.0, f64::NAN, f64::INFINITY]).unwrap();
    assert_eq!((es.best().unwrap().value, es.best().unwrap().violation), (-7.0, 2.0));
    es.ask();
    es.tell_constrained(&[f64::NAN, 1e9, 1e308, -7.0], &[1.0, -0.5, 0.0, 1e-300]).unwrap();
    assert_eq!((es.best().unwrap().value, es.best().unwrap().violation), (1e9, 0.0));
    es.ask();
    es.tell_constrained(&[-1e9; 4], &[1e-300; 4]).unwrap();
    assert_eq!(es.best().unwrap().value, 1e9);
}

#[test]
fn counts_that_differ_are_refused_and_change_nothing() {
    let mut es = Optimizer::new(&Settings::new([0.0; 2], 1.0).population(4)).unwrap();
    assert_eq!(es.tell_constrained(&[], &[]), Err(TellError::NothingAsked));
    es.ask();
    let error = es.tell_constrained(&[1.0; 4], &[0.0; 3]).unwrap_err();
    assert_eq!(error, TellError::WrongViolations { values: 4, violations: 3 });
    assert!(error.to_string().contains("4 values and 3 violations"), "{error}");
    assert!(matches!(es.tell_constrained(&[1.0; 3], &[0.0; 3]), Err(TellError::WrongCount { .. })));
    assert_eq!((es.evaluations(), es.best()), (0, None));
    es.tell_constrained(&[1.0, 2.0, 3.0, 4.0], &[0.0; 4]).unwrap();
}

#[test]
fn without_violations_the_run_is_the_unconstrained_one() {
    for strategy in STRATEGIES {
        let settings = Settings::new([2.0; 4], 1.0).strategy(strategy).seed(5);
        let plain = enes::minimize(&settings, |x| x.iter().map(|v| v * v).sum()).unwrap();
        let f = |x: &[f64]| (x.iter().map(|v| v * v).sum(), -1.0);
        let constrained = minimize_constrained(&settings, f).unwrap();
        assert_eq!((plain.point, plain.evaluations), (constrained.point, constrained.evaluations));
    }
}

#[test]
fn a_target_is_reached_by_a_feasible_point_only() {
    let settings = Settings::new([3.0; 3], 1.0).target(1.5).seed(1).restarts(Restarts::Off);
    let outcome = minimize_constrained(&settings, sphere_beside_a_wall).unwrap();
    assert!(outcome.stop.is_target() && outcome.violation == 0.0 && outcome.value >= 1.0);
    // Nowhere feasible: the value 0 is below the target, and the run does not say so.
    let outcome = minimize_constrained(&settings, |x| (0.0, 1.0 + x[0] * x[0] + x[1] * x[1] + x[2] * x[2]));
    let outcome = outcome.unwrap();
    assert!(!outcome.stop.is_target() && outcome.value == 0.0, "{:?}", outcome.stop);
    assert!((outcome.violation - 1.0).abs() < 1e-9, "{}", outcome.violation);
}

#[test]
fn a_search_without_feasible_points_converges_to_the_least_violation() {
    for strategy in STRATEGIES {
        let settings = Settings::new([3.0; 3], 1.0).strategy(strategy).seed(2);
        let nowhere = |x: &[f64]| (f64::NAN, 1.0 + x.iter().map(|v| v * v).sum::<f64>());
        let outcome = minimize_constrained(&settings, nowhere).unwrap();
        assert!(["tolfun", "tolfunhist"].contains(&outcome.stop.name()), "{}", outcome.stop);
        assert!(outcome.violation - 1.0 < 1e-9 && outcome.value.is_nan());
    }
}

#[test]
fn a_violation_that_measures_nothing_leaves_the_order_to_the_value() {
    let settings = Settings::new([3.0; 3], 0.1).seed(2);
    let step = |x: &[f64]| if x[0] < 1.0 { 0.0 } else { 1.0 };
    let sphere = |x: &[f64]| (x.iter().map(|v| v * v).sum(), step(x));
    let outcome = minimize_constrained(&settings, sphere).unwrap();
    assert!(outcome.feasible && outcome.value < 1e-9, "{outcome:?}");
    // Nothing but a wider search leads off a plateau.
    let outcome = minimize_constrained(&settings, |x| (7.0, step(x))).unwrap();
    assert!(outcome.feasible, "{outcome:?}");
    let outcome = minimize_constrained(&settings, |_| (7.0, 1.0)).unwrap();
    assert_eq!((outcome.stop.name(), outcome.violation), ("tolflatfitness", 1.0));
}

#[test]
fn restarts_tell_the_violation_and_go_on_after_infeasible_searches() {
    // A pit of violation at 5 and a feasible half space below −2: the first search ends in the pit.
    let pit = |x: &[f64]| {
        let v = (x[0] + 2.0).min(1.0 + (x[0] - 5.0).powi(2)) + x[1] * x[1];
        (x[0] * x[0], if x[0] < -2.0 { 0.0 } else { v.max(1e-9) })
    };
    let settings = Settings::new([5.0, 0.0], 0.3).bounds([(-20.0, 20.0), (-1.0, 1.0)]).seed(4);
    let settings = settings.max_evaluations(5000).restarts(Restarts::Ipop);
    let outcome = minimize_constrained(&settings, pit).unwrap();
    assert!((outcome.restarts[0].violation - 1.0).abs() < 1e-6, "{:?}", outcome.restarts);
    assert!(outcome.violation == 0.0 && (outcome.value - 4.0).abs() < 1e-3, "{outcome:?}");
}

#[test]
fn maximizing_and_threads_change_nothing_of_the_rule() {
    let f = |x: &[f64]| (-(x[0] - 3.0).powi(2) - x[1] * x[1], x[0] - 1.0);
    let settings = Settings::new([0.0, 2.0], 1.0).direction(Direction::Maximize).seed(6);
    let outcome = minimize_constrained(&settings, f).unwrap();
    assert!(outcome.violation == 0.0 && (outcome.value + 4.0).abs() < 1e-6, "{outcome:?}");
    #[cfg(feature = "rayon")]
    {
        let parallel = enes::minimize_constrained_parallel(&settings, 2, f).unwrap();
        assert_eq!((parallel.point, parallel.evaluations), (outcome.point, outcome.evaluations));
    }
}

#[test]
fn an_objective_that_fails_leaves_its_best_with_its_violation() {
    let mut calls = 0;
    let settings = Settings::new([3.0; 2], 0.1).population(6);
    let failed = enes::Run::new(&settings).try_minimize_constrained(|x| {
        calls += 1;
        if calls > 9 { Err("no more") } else { Ok((x[0], 2.0)) }
    });
    let Err(enes::MinimizeError::Objective { partial, .. }) = failed else { panic!() };
    assert_eq!((partial.evaluations, partial.violation), (9, 2.0));
}

#[test]
fn a_budget_is_exact_under_constraints_too() {
    let mut calls = 0;
    let settings = Settings::new([3.0; 2], 1.0).max_evaluations(17);
    let outcome = minimize_constrained(&settings, |x| {
        calls += 1;
        sphere_beside_a_wall(x)
    });
    assert_eq!((outcome.unwrap().evaluations, calls), (17, 17));
}

#[cfg(feature = "serde")]
#[test]
fn a_resumed_run_continues_bit_for_bit() {
    for strategy in STRATEGIES {
        let advance = |es: &mut Optimizer| {
            let points = es.ask();
            let answers: Vec<(f64, f64)> = points.iter().map(sphere_beside_a_wall).collect();
            let (values, violations): (Vec<f64>, Vec<f64>) = answers.into_iter().unzip();
            es.tell_constrained(&values, &violations).unwrap();
        };
        let mut whole = Optimizer::new(&Settings::new([-9.0; 3], 1.0).strategy(strategy).seed(9)).unwrap();
        advance(&mut whole);
        assert!(whole.best().unwrap().violation > 0.0);
        let mut resumed = Optimizer::from_checkpoint(&whole.to_checkpoint()).unwrap();
        assert_eq!(whole.best(), resumed.best());
        for _ in 0..30 {
            advance(&mut whole);
            advance(&mut resumed);
        }
        assert_eq!(whole.to_checkpoint(), resumed.to_checkpoint());
    }
}
