//! Constraints told one by one, and linear ones that are computed: data path, order, result, refusals.

use enes::{
    ConstraintKind, InjectError, LinearConstraint, MinimizeError, ModelChoice, Optimizer, Restarts, Run,
    Settings, SettingsError, StopReason, Strategy, TellError, WarmStart, minimize_with_constraints,
};

/// Hock and Schittkowski 71: the optimum is 17.0140173.
fn hs71(x: &[f64], c: &mut [f64]) -> f64 {
    c[0] = 25.0 - x.iter().product::<f64>();
    c[1] = x.iter().map(|v| v * v).sum::<f64>() - 40.0;
    x[0] * x[3] * (x[0] + x[1] + x[2]) + x[2]
}

/// The sphere where x[0] ≥ 1 and x[1] = x[2]: the optimum is 1, with multipliers 2 and 0.
fn corner(x: &[f64], c: &mut [f64]) -> f64 {
    c[0] = 1.0 - x[0];
    c[1] = x[1] - x[2];
    x.iter().map(|v| v * v).sum()
}

fn corner_settings() -> Settings {
    Settings::new([3.0, 2.0, 1.0], 1.0).inequalities(["wall"]).equalities(["level"]).seed(4)
}

fn advance(es: &mut Optimizer) {
    let (mut values, mut constraints) = (Vec::new(), Vec::new());
    for x in es.ask() {
        let mut row = [0.0; 2];
        values.push(corner(x, &mut row));
        constraints.extend(row);
    }
    es.tell_with_constraints(&values, &constraints).unwrap();
}

#[test]
fn hock_schittkowski_71_is_solved_in_rank_based_mode() {
    let settings = Settings::new([1.0, 5.0, 5.0, 1.0], 0.5).bounds(vec![(1.0, 5.0); 4]).seed(2);
    let settings =
        settings.inequalities(1).equalities(1).model(ModelChoice::RankOnly).max_evaluations(20_000);
    let outcome = minimize_with_constraints(&settings, hs71).unwrap();
    assert!(outcome.feasible && outcome.violation <= 1e-6, "{outcome:?}");
    assert!((outcome.value - 17.0140173).abs() < 1e-4, "{}", outcome.value);
    let multipliers: Vec<f64> = outcome.constraints.iter().map(|c| c.multiplier).collect();
    // −∇f is a sum of these times the gradients, and of what the bound x[0] = 1 takes.
    assert!(
        (multipliers[0] - 0.5523).abs() < 0.06 && (multipliers[1] - 0.1615).abs() < 0.02,
        "{multipliers:?}"
    );
}

#[test]
fn the_result_has_multipliers_and_active_constraints_by_name() {
    let settings = corner_settings().linear(LinearConstraint::at_most([[1.0, 0.0, 0.0]], [9.0]));
    for strategy in [Strategy::Adaptive, Strategy::Published] {
        let settings = settings.clone().strategy(strategy).model(ModelChoice::Auto);
        let outcome = minimize_with_constraints(&settings, corner).unwrap();
        assert!(outcome.feasible && (outcome.value - 1.0).abs() < 1e-5, "{strategy:?}: {outcome:?}");
        let named: Vec<_> = outcome.constraints.iter().map(|c| (&c.name[..], c.kind, c.active)).collect();
        let (inequality, equality) = (ConstraintKind::Inequality, ConstraintKind::Equality);
        assert_eq!(
            named,
            [("wall", inequality, true), ("level", equality, true), ("linear1", inequality, false)]
        );
        assert!((outcome.constraints[2].value + 8.0).abs() < 1e-4);
        assert_eq!(outcome.constraints[2].multiplier, 0.0);
        assert!(
            (outcome.constraints[0].multiplier - 2.0).abs() < 0.5,
            "{strategy:?}: {:?}",
            outcome.constraints
        );
    }
}

#[test]
fn linear_constraints_need_nothing_of_the_objective() {
    let settings =
        Settings::new([2.0; 3], 1.0).linear(LinearConstraint::equal([[1.0, 1.0, 1.0]], [1.0])).seed(1);
    let sphere = |x: &[f64]| x.iter().map(|v| v * v).sum::<f64>();
    let outcome = enes::minimize(&settings, sphere).unwrap();
    assert!(outcome.feasible && (outcome.value - 1.0 / 3.0).abs() < 1e-5, "{outcome:?}");
    assert!((outcome.point.iter().sum::<f64>() - 1.0).abs() <= 1e-6);
    // In the user's coordinates, whatever those of the search are.
    let logs = Settings::within([(1e-3, 10.0), (1e-3, 10.0)]).log_scale(true).seed(1);
    let logs = logs.linear(LinearConstraint::at_least([[1.0, 2.0]], [4.0]));
    let outcome = enes::minimize(&logs, |x| x[0] + 5.0 * x[1]).unwrap();
    let [sum] = &outcome.constraints[..] else { panic!() };
    // Sums in another order: a few last bits of 4.
    assert!((sum.value - (4.0 - outcome.point[0] - 2.0 * outcome.point[1])).abs() < 1e-14);
    assert!(outcome.feasible && (outcome.value - 4.003).abs() < 1e-3, "{outcome:?}");
}

#[test]
fn the_best_is_feasible_within_catol_before_any_other() {
    let settings =
        Settings::new([0.0; 2], 1.0).population(4).inequalities(1).equalities(1).model(ModelChoice::RankOnly);
    let mut es = Optimizer::new(&settings).unwrap();
    es.ask();
    es.tell_with_constraints(&[5.0, -7.0, 1.0, 2.0], &[3.0, 0.0, -9.0, 2.0, f64::NAN, 0.0, 0.5, -0.5])
        .unwrap();
    let best = es.best().unwrap();
    assert_eq!((best.value, best.violation, best.feasible), (2.0, 0.5, false));
    es.ask();
    let rows = [1e-6, 0.0, -1.0, -1e-6, 0.0, 2e-6, -1.0, 0.0];
    es.tell_with_constraints(&[4.0, 3.0, 1.0, 9.0], &rows).unwrap();
    let best = es.best().unwrap();
    assert_eq!((best.value, best.violation, best.feasible), (3.0, 1e-6, true));
    assert_eq!(es.constraints()[1].value, -1e-6);
    let mut loose = Optimizer::new(&settings.catol(0.5)).unwrap();
    loose.ask();
    loose.tell_with_constraints(&[5.0, -7.0, 1.0, 2.0], &[3.0, 0.0, -9.0, 0.4, 0.0, 0.0, 0.0, 0.0]).unwrap();
    assert_eq!(loose.best().unwrap().value, -7.0);
}

#[test]
fn a_target_counts_for_feasible_points_only() {
    let mut least = f64::INFINITY;
    let outcome = minimize_with_constraints(&corner_settings().target(1.001), |x, c| {
        let value = corner(x, c);
        least = least.min(value);
        value
    });
    let outcome = outcome.unwrap();
    assert!(outcome.stop.is_target() && outcome.feasible && outcome.value <= 1.001 && outcome.success);
}

#[test]
fn points_told_one_at_a_time_make_the_same_run() {
    let (mut whole, mut single) =
        (Optimizer::new(&corner_settings()).unwrap(), Optimizer::new(&corner_settings()).unwrap());
    for _ in 0..4 {
        advance(&mut whole);
    }
    while single.generation() < 4 {
        let proposal = single.ask_one().unwrap().unwrap();
        let mut row = [0.0; 2];
        let value = corner(&proposal.point, &mut row);
        single.tell_one_with_constraints(proposal.id, value, &row).unwrap();
    }
    assert_eq!((whole.best().unwrap().point, whole.mean()), (single.best().unwrap().point, single.mean()));
    assert_eq!(whole.constraints(), single.constraints());
}

#[test]
fn four_in_flight_and_late_ones_find_the_optimum() {
    let mut es = Optimizer::new(&corner_settings().max_evaluations(4000)).unwrap();
    let mut running = es.ask_n(4).unwrap();
    let mut turn = 0;
    while !running.is_empty() {
        turn += 1;
        let done = running.remove(turn * 7 % running.len());
        let mut row = [0.0; 2];
        let value = if turn % 10 == 0 { f64::NAN } else { corner(&done.point, &mut row) };
        es.tell_one_with_constraints(done.id, value, &row).unwrap();
        running.extend(es.ask_one().unwrap());
    }
    let best = es.best().unwrap();
    assert!(best.feasible && (best.value - 1.0).abs() < 1e-4, "{best:?}");
}

#[cfg(feature = "serde")]
#[test]
fn a_resumed_run_continues_bit_for_bit() {
    for strategy in [Strategy::Adaptive, Strategy::Published] {
        for generations in [0, 1, 7, 40] {
            let settings = corner_settings().strategy(strategy).restarts(Restarts::Ipop);
            let settings = settings.linear(LinearConstraint::at_most([[1.0, 1.0, 0.0]], [30.0]));
            let mut whole = Optimizer::new(&settings).unwrap();
            (0..generations).for_each(|_| advance(&mut whole));
            let mut resumed = Optimizer::from_checkpoint(&whole.to_checkpoint()).unwrap();
            assert_eq!(whole.constraints(), resumed.constraints());
            for _ in 0..25 {
                advance(&mut whole);
                advance(&mut resumed);
            }
            assert_eq!(whole.to_checkpoint(), resumed.to_checkpoint(), "{strategy:?} {generations}");
        }
    }
}

#[cfg(feature = "serde")]
#[test]
fn a_resumed_run_keeps_what_is_in_flight_and_what_waits() {
    let mut whole = Optimizer::new(&corner_settings()).unwrap();
    let mut first = whole.ask_n(7).unwrap();
    let tell = |es: &mut Optimizer, proposal: &enes::Proposal| {
        let mut row = [0.0; 2];
        let value = corner(&proposal.point, &mut row);
        es.tell_one_with_constraints(proposal.id, value, &row).unwrap();
    };
    (0..2).for_each(|_| tell(&mut whole, &first.remove(1)));
    let mut resumed = Optimizer::from_checkpoint(&whole.to_checkpoint()).unwrap();
    for es in [&mut whole, &mut resumed] {
        first.iter().for_each(|proposal| tell(es, proposal));
    }
    assert_eq!(whole.to_checkpoint(), resumed.to_checkpoint());
}

#[test]
fn injected_points_bring_their_constraints() {
    let mut es = Optimizer::new(&corner_settings()).unwrap();
    assert_eq!(es.inject(&[1.0, 0.0, 0.0], 1.0), Err(InjectError::Constraints { got: 0, expected: 2 }));
    let error = es.inject_with_constraints(&[1.0, 0.0, 0.0], 1.0, &[0.0]).unwrap_err();
    assert!(error.to_string().contains("1 constraint values") && error.to_string().contains("declare 2"));
    es.inject_with_constraints(&[0.0; 3], 0.0, &[1.0, 0.0]).unwrap();
    assert!(!es.best().unwrap().feasible);
    es.inject_with_constraints(&[1.0, 0.0, 0.0], 1.0, &[0.0, 0.0]).unwrap();
    assert_eq!((es.best().unwrap().value, es.best().unwrap().feasible), (1.0, true));
    assert_eq!(es.injected(), 2);
    (0..5).for_each(|_| advance(&mut es));
    let linear = Settings::new([2.0; 2], 1.0).linear(LinearConstraint::at_most([[1.0, 1.0]], [1.0]));
    let mut es = Optimizer::new(&linear).unwrap();
    es.inject(&[1.0, 1.0], 0.0).unwrap();
    assert_eq!((es.best().unwrap().violation, es.best().unwrap().feasible), (1.0, false));
}

#[test]
fn what_was_told_must_fit_what_was_declared() {
    let mut es = Optimizer::new(&corner_settings()).unwrap();
    assert_eq!(es.tell_with_constraints(&[], &[]), Err(TellError::NothingAsked));
    let n = es.ask().len();
    let values = vec![1.0; n];
    let missing = es.tell(&values).unwrap_err();
    assert_eq!(missing, TellError::WrongConstraints { expected: 2, values: n, got: 0 });
    assert!(missing.to_string().contains("declare 2 constraints"), "{missing}");
    let total = es.tell_constrained(&values, &values).unwrap_err();
    assert_eq!(total, TellError::TotalViolation { expected: 2 });
    let short = es.tell_with_constraints(&values, &values).unwrap_err();
    assert_eq!(short, TellError::WrongConstraints { expected: 2, values: n, got: n });
    assert_eq!((es.evaluations(), es.best()), (0, None));
    es.tell_with_constraints(&values, &vec![0.0; 2 * n]).unwrap();
    let mut plain = Optimizer::new(&Settings::new([1.0], 1.0)).unwrap();
    let n = plain.ask().len();
    assert!(matches!(
        plain.tell_with_constraints(&vec![1.0; n], &vec![1.0; n]),
        Err(TellError::WrongConstraints { expected: 0, .. })
    ));
    let proposal = Optimizer::new(&corner_settings()).unwrap().ask_one().unwrap().unwrap();
    let mut es = Optimizer::new(&corner_settings()).unwrap();
    es.ask_one().unwrap();
    assert!(matches!(es.tell_one(proposal.id, 1.0), Err(TellError::WrongConstraints { .. })));
    es.tell_one_with_constraints(proposal.id, 1.0, &[0.0, 0.0]).unwrap();
}

#[test]
fn settings_that_cannot_be_used_are_refused() {
    let refused = |settings: Settings| settings.validate().unwrap_err();
    assert_eq!(refused(corner_settings().noisy(true)), SettingsError::NoisyConstraints);
    let twice = refused(corner_settings().inequalities(["a", "b"]).equalities(["a"]));
    assert_eq!(twice, SettingsError::ConstraintName { name: "a".into() });
    assert!(matches!(
        refused(corner_settings().catol(-1.0)),
        SettingsError::Tolerance { field: "catol", .. }
    ));
    let wrong = refused(corner_settings().linear(LinearConstraint::equal([[1.0]], [1.0])));
    assert!(wrong.to_string().contains("row 0 has 1 coefficients"), "{wrong}");
    let table = WarmStart::from_table(vec![vec![1.0; 3], vec![2.0; 3]], vec![3.0, 4.0]);
    let unknown = refused(corner_settings().warm_start(table.clone()));
    assert!(unknown.to_string().contains("no constraint values"), "{unknown}");
    assert!(corner_settings().warm_start(table.points(false)).validate().is_ok());
    let untold = enes::minimize(&corner_settings(), |x| x[0]).unwrap_err();
    assert_eq!(untold, SettingsError::ConstraintsNotTold { declared: 2 });
    assert!(enes::minimize_constrained(&corner_settings(), |x| (x[0], 0.0)).is_err());
    #[cfg(feature = "rayon")]
    assert!(enes::minimize_parallel(&corner_settings(), 2, |x| x[0]).is_err());
}

#[test]
fn an_objective_that_fails_leaves_its_best() {
    let mut calls = 0;
    let failed = Run::new(&corner_settings()).try_minimize_with_constraints(|x, c| {
        calls += 1;
        if calls > 12 { Err("no more") } else { Ok(corner(x, c)) }
    });
    let Err(MinimizeError::Objective { error, partial }) = failed else { panic!() };
    assert_eq!((error, partial.evaluations), ("no more", 12));
    assert!(partial.violation.is_finite());
}

#[test]
fn a_budget_is_exact_and_threads_change_nothing() {
    let settings = corner_settings().max_evaluations(33);
    let outcome = minimize_with_constraints(&settings, corner).unwrap();
    assert!(matches!(outcome.stop, StopReason::MaxEvaluations { .. }) && outcome.evaluations == 33);
    #[cfg(feature = "rayon")]
    {
        let threads = Run::new(&settings).minimize_with_constraints_parallel(2, corner).unwrap();
        assert_eq!((threads.point, threads.value), (outcome.point, outcome.value));
    }
}

#[test]
fn a_constraint_left_alone_is_a_failed_evaluation() {
    let settings = corner_settings().max_evaluations(40);
    let outcome = minimize_with_constraints(&settings, |x, c| {
        c[0] = -1.0;
        x[0]
    });
    assert_eq!(outcome.unwrap().stop.name(), "nofinitevalue");
}

#[test]
fn serially_a_step_that_kept_its_promise_is_followed_by_one_alone() {
    // Two quadratics: as soon as the models know them, every step keeps its promise.
    let function = |x: &[f64], c: &mut [f64]| {
        c[0] = 10.0 * (x[1] - x[0] * x[0]);
        (1.0 - x[0]).powi(2)
    };
    for (batch, one_at_a_time) in [(Some(1), true), (None, false)] {
        let mut counts = Vec::new();
        for seed in 0..11 {
            let settings = Settings::new([-1.2, 1.0], 0.5).equalities(1).batch(batch).seed(seed);
            let mut es = Optimizer::new(&settings).unwrap();
            let (mut evaluations, mut alone, mut row) = (0, 0, [0.0]);
            while !es.best().is_some_and(|best| best.value < 1e-6 && best.violation < 1e-6) {
                let points = es.ask();
                alone += usize::from(points.len() == 1);
                evaluations += points.len();
                let (mut values, mut constraints) = (Vec::new(), Vec::new());
                for x in points {
                    values.push(function(x, &mut row));
                    constraints.extend(row);
                }
                es.tell_with_constraints(&values, &constraints).unwrap();
            }
            assert!(one_at_a_time == (alone > 5), "{alone} alone, seed {seed}");
            counts.push(evaluations);
        }
        counts.sort_unstable();
        // Six coefficients each: without a step that the models can trust it would be three times as many.
        let most = if one_at_a_time { 10 } else { 21 };
        assert!(counts[5] <= most, "{counts:?}");
    }
}
