//! When a run is done: optima that are found again, those that may be unseen, and what success means.

use std::collections::BTreeSet;
use std::f64::consts::TAU;

use enes::{Optimizer, Outcome, Restarts, Settings, StopReason, maximize, minimize};

fn sphere(x: &[f64]) -> f64 {
    x.iter().map(|v| v * v).sum()
}

fn ellipsoid(x: &[f64]) -> f64 {
    let last = x.len() as f64 - 1.0;
    x.iter().enumerate().map(|(i, v)| 10f64.powf(6.0 * i as f64 / last) * v * v).sum()
}

fn rosenbrock(x: &[f64]) -> f64 {
    x.windows(2).map(|w| 100.0 * (w[1] - w[0] * w[0]).powi(2) + (1.0 - w[0]).powi(2)).sum()
}

/// −exp(−|x|²/2), whose values near the optimum have few digits that differ.
fn bell(x: &[f64]) -> f64 {
    -(-0.5 * sphere(x)).exp()
}

/// Flatter and flatter: powers from 2 to 12, so that searches end where values no longer differ, a tenth apart.
fn powers(x: &[f64]) -> f64 {
    let last = x.len() as f64 - 1.0;
    x.iter().enumerate().map(|(i, v)| v.abs().powf(2.0 + 10.0 * i as f64 / last)).sum()
}

/// Powers from 2 to 6: no quadratic describes it, and its bottom is flat.
fn different_powers(x: &[f64]) -> f64 {
    let last = x.len() as f64 - 1.0;
    x.iter().enumerate().map(|(i, v)| v.abs().powf(2.0 + 4.0 * i as f64 / last)).sum()
}

/// The fourth root of |x|²: values differ however near the optimum is.
fn pointed(x: &[f64]) -> f64 {
    sphere(x).powf(0.25)
}

/// Not smooth: no quadratic describes it.
fn diamond(x: &[f64]) -> f64 {
    x.iter().map(|v| v.abs()).sum()
}

/// Two minima: −1 at (−2, 0) and −2 at (2, 0).
fn two_wells(x: &[f64]) -> f64 {
    let well = |a: f64| (-((x[0] - a).powi(2) + x[1] * x[1])).exp();
    -well(-2.0) - 2.0 * well(2.0)
}

/// Two equal wells but for their depth, at −2 and 2 in each coordinate of a box.
fn equal_wells(x: &[f64]) -> f64 {
    let well = |a: f64| (-x.iter().map(|v| (v - a).powi(2)).sum::<f64>()).exp();
    -well(2.0) - 2.0 * well(-2.0)
}

/// Many minima; the least is 0 at the origin.
fn rastrigin(x: &[f64]) -> f64 {
    x.iter().map(|v| v * v + 10.0 * (1.0 - (TAU * v).cos())).sum()
}

fn budget(d: usize) -> u64 {
    100 * (d * d) as u64
}

/// By how much the evaluations of a run that ends by itself exceed those of its first search.
fn worth(f: fn(&[f64]) -> f64, d: usize, seed: u64) -> f64 {
    let settings = Settings::new(vec![1.5; d], 0.5).seed(seed).max_evaluations(budget(d));
    let outcome = minimize(&settings, f).unwrap();
    assert!(outcome.success && !outcome.stop.is_limit(), "d = {d}, seed {seed}: {}", outcome.stop);
    outcome.evaluations as f64 / outcome.restarts[0].evaluations as f64
}

/// The same where the budget may come first: then infinite.
fn worth_or_budget(f: fn(&[f64]) -> f64, d: usize, seed: u64) -> f64 {
    let settings = Settings::new(vec![1.5; d], 0.5).seed(seed).max_evaluations(budget(d));
    let outcome = minimize(&settings, f).unwrap();
    let by_itself = outcome.success && !outcome.stop.is_limit();
    let worth = |first: u64| outcome.evaluations as f64 / first as f64;
    outcome.restarts.first().filter(|_| by_itself).map_or(f64::INFINITY, |r| worth(r.evaluations))
}

#[test]
fn a_smooth_unimodal_function_is_done_after_three_searches_worth_of_evaluations() {
    let functions = [("sphere", sphere as fn(&[f64]) -> f64), ("ellipsoid", ellipsoid), ("bell", bell)];
    for (name, f) in functions {
        for (d, seed) in [3, 5, 8].into_iter().flat_map(|d| (0..5).map(move |seed| (d, seed))) {
            assert!(worth(f, d, seed) <= 3.0, "{name}, d = {d}, seed {seed}");
        }
    }
    // Rosenbrock's valley is long, and from four dimensions on there is a second optimum: the median.
    let mut worths: Vec<f64> = (0..9).map(|seed| worth(rosenbrock, 10, seed)).collect();
    worths.sort_by(f64::total_cmp);
    assert!(worths[4] <= 3.0, "{worths:?}");
}

#[test]
fn a_quadratic_that_is_known_is_known_again_after_one_generation() {
    for d in [2, 4, 7] {
        let settings = Settings::new(vec![1.5; d], 0.5).max_evaluations(budget(d));
        let free = minimize(&settings, ellipsoid).unwrap();
        let within = minimize(&settings.clone().bounds(vec![(-1.0, 4.0); d]), ellipsoid).unwrap();
        for outcome in [free, within] {
            let later: Vec<u64> = outcome.restarts[1..].iter().map(|r| r.generations).collect();
            assert_eq!(later, [1; 3], "d = {d}: {:?}", outcome.restarts);
            assert_eq!(outcome.optima[0].found, 5);
        }
    }
}

/// A function of the distance, whatever its curvatures, no quadratic where searches begin.
#[test]
fn a_function_of_a_quadratic_is_known_again_from_afar() {
    for (d, seed) in [3, 6].into_iter().flat_map(|d| (0..5).map(move |seed| (d, seed))) {
        let settings = Settings::new(vec![1.5; d], 0.5).seed(seed).max_evaluations(budget(d));
        let outcome = minimize(&settings, |x| sphere(x).ln_1p()).unwrap();
        let one = minimize(&settings.restarts(Restarts::Off), |x| sphere(x).ln_1p()).unwrap();
        let worth = outcome.evaluations as f64 / one.evaluations as f64;
        assert!(outcome.success && worth < 2.5, "d = {d}, seed {seed}: {worth:.2}");
    }
}

#[test]
fn a_search_on_the_trail_of_two_others_is_cut_short() {
    let functions = [("different powers", different_powers as fn(&[f64]) -> f64), ("rosenbrock", rosenbrock)];
    for (name, f) in functions {
        for d in [3, 5] {
            let mut worths: Vec<f64> = (0..9).map(|seed| worth_or_budget(f, d, seed)).collect();
            worths.sort_by(f64::total_cmp);
            assert!(worths[4] <= 3.0, "{name}, d = {d}: {worths:?}");
        }
    }
}

#[test]
fn a_pointed_optimum_is_a_success() {
    for seed in 0..5 {
        let settings = Settings::new(vec![1.5; 3], 0.5).seed(seed).max_evaluations(5_000);
        let outcome = minimize(&settings, pointed).unwrap();
        assert!(outcome.success, "seed {seed}: {} {:?}", outcome.stop, outcome.optima);
        assert_eq!(outcome.optima[0].value, outcome.value);
    }
}

#[test]
fn a_flat_bottom_is_one_optimum() {
    for seed in 0..5 {
        let settings = Settings::new(vec![1.5; 8], 0.5).seed(seed).max_evaluations(budget(8));
        let outcome = minimize(&settings, powers).unwrap();
        assert!(outcome.success && !outcome.stop.is_limit(), "seed {seed}: {}", outcome.stop);
        assert_eq!(outcome.optima.len(), 1, "seed {seed}");
    }
}

#[test]
fn the_message_says_how_many_searches_ended_in_the_same_optimum() {
    let outcome = minimize(&Settings::new([1.0, 1.0], 0.5).max_evaluations(5_000), sphere).unwrap();
    assert_eq!(outcome.stop, StopReason::SameOptimum { searches: 5, limit: 5 });
    assert_eq!(outcome.stop.to_string(), "5 searches ended in the same optimum");
    let twice = Settings::new([1.0, 1.0], 0.5).max_evaluations(5_000).same_optimum(2);
    assert_eq!(minimize(&twice, sphere).unwrap().stop.to_string(), "2 searches ended in the same optimum");
}

/// A bent valley: later searches come from elsewhere, and none knows it from afar.
#[test]
fn one_search_fewer_is_enough_where_another_would_take_the_run_beyond_three_times_the_first() {
    let mut fewer = 0;
    for seed in 0..20 {
        let settings = Settings::new([-1.0; 3], 0.5).seed(seed).max_evaluations(5_000);
        let outcome = minimize(&settings, rosenbrock).unwrap();
        let StopReason::SameOptimum { searches, limit: 5 } = outcome.stop else {
            panic!("seed {seed}: {}", outcome.stop)
        };
        let first = outcome.restarts[0].evaluations as f64;
        let four: u64 = outcome.restarts.iter().take(4).map(|r| r.evaluations).sum();
        let after_four = if searches == 4 { outcome.evaluations } else { four } as f64;
        let dear = after_four + (after_four - first) / 3.0 > 3.0 * first;
        assert_eq!(searches, if dear { 4 } else { 5 }, "seed {seed}: {:?}", outcome.restarts);
        assert_eq!(outcome.stop.to_string().contains("three times"), dear);
        fewer += u32::from(dear);
    }
    assert!((5..20).contains(&fewer), "{fewer} of 20");
}

#[test]
fn every_other_repetition_of_the_first_search_is_narrower() {
    let outcome = minimize(&Settings::new([1.0, 1.0], 0.5).max_evaluations(5_000), sphere).unwrap();
    let scales: Vec<f64> = outcome.restarts.iter().map(|r| r.scale).collect();
    let [first, narrow, second, narrow_again] = scales[..] else { panic!("{scales:?}") };
    assert_eq!((first, second), (1.0, 1.0));
    assert!([narrow, narrow_again].iter().all(|scale| (0.1..1.0).contains(scale)), "{scales:?}");
}

#[test]
fn without_a_quadratic_a_search_that_narrows_to_a_known_optimum_is_still_recognized() {
    let settings = Settings::new(vec![1.5; 5], 0.5).seed(1).max_evaluations(50_000);
    let outcome = minimize(&settings, diamond).unwrap();
    assert_eq!(outcome.stop.name(), "same_optimum");
    assert!(
        outcome.restarts[1..].iter().all(|r| r.reason.name() == "knownoptimum"),
        "{:?}",
        outcome.restarts
    );
    assert!(outcome.evaluations <= 3 * outcome.restarts[0].evaluations);
}

fn without_rules(settings: Settings) -> Settings {
    settings.same_optimum(None).unseen_optima(None)
}

#[test]
fn without_the_rules_the_budget_is_spent_and_that_is_success_as_well() {
    let settings = without_rules(Settings::new([1.0, 1.0], 0.5).max_evaluations(3_000));
    let outcome = minimize(&settings, sphere).unwrap();
    assert!(matches!(outcome.stop, StopReason::MaxEvaluations { evaluations: 3_000, .. }));
    assert!(outcome.success);
}

#[test]
fn each_rule_ends_a_run_by_itself() {
    let settings = || Settings::new([1.0, 1.0], 0.5).max_evaluations(3_000);
    assert_eq!(minimize(&settings().unseen_optima(None), sphere).unwrap().stop.name(), "same_optimum");
    assert_eq!(minimize(&settings().same_optimum(None), sphere).unwrap().stop.name(), "unseen_optima");
}

#[test]
fn a_budget_that_ends_the_first_search_is_no_success() {
    let outcome = minimize(&Settings::new([-1.0, 1.0], 0.5).max_evaluations(50), rosenbrock).unwrap();
    assert!(outcome.restarts.is_empty() && outcome.optima.is_empty() && !outcome.success);
}

#[test]
fn a_target_alone_decides() {
    // Missed: all evaluations are spent, and converging is no success.
    let missed = Settings::new([1.0, 1.0], 0.5).target(-1.0).max_evaluations(3_000);
    let outcome = minimize(&missed, sphere).unwrap();
    assert_eq!((outcome.evaluations, outcome.success), (3_000, false));
    assert!(outcome.optima[0].found > 5);
    let met = minimize(&Settings::new([1.0, 1.0], 0.5).target(1e-3), sphere).unwrap();
    assert!(met.success && met.stop.is_target());
}

#[test]
fn one_search_that_converges_is_success_and_one_optimum() {
    let outcome = minimize(&Settings::new([1.0, 1.0], 0.5), sphere).unwrap();
    assert!(outcome.success && outcome.restarts.is_empty());
    assert_eq!((outcome.optima.len(), outcome.optima[0].found), (1, 1));
    assert_eq!((&outcome.optima[0].point, outcome.optima[0].value), (&outcome.point, outcome.value));
}

fn in_box(seed: u64) -> Settings {
    Settings::within([(-4.0, 4.0), (-4.0, 4.0)]).seed(seed)
}

#[test]
fn distinct_optima_are_told_apart_counted_and_sorted() {
    let mut seen = BTreeSet::new();
    for seed in 0..10 {
        let outcome = minimize(&in_box(seed).max_evaluations(20_000), two_wells).unwrap();
        assert!(outcome.success && !outcome.stop.is_limit(), "seed {seed}: {}", outcome.stop);
        assert!(outcome.optima.is_sorted_by(|a, b| a.value <= b.value));
        assert_eq!((outcome.optima[0].value, &outcome.optima[0].point), (outcome.value, &outcome.point));
        for optimum in &outcome.optima {
            assert_eq!(two_wells(&optimum.point), optimum.value);
            let [x, y] = optimum.point[..] else { panic!() };
            // The wells draw each other nearer by 1e-6.
            assert!((x.abs() - 2.0).abs() < 1e-4 && y.abs() < 1e-4, "{optimum:?}");
            seen.insert(x.round() as i64);
        }
        assert!(outcome.optima.len() <= 2, "{:?}", outcome.optima);
    }
    assert_eq!(seen, BTreeSet::from([-2, 2]));
}

/// The last search of a run is counted, and is no restart.
fn searches(outcome: &Outcome) -> u64 {
    outcome.restarts.len() as u64 + 1
}

#[test]
fn a_lucky_point_of_another_basin_is_no_optimum() {
    // The first point of all is the best, and far from where the search converges.
    let mut calls = 0;
    let settings = Settings::new([1.0, 1.0], 0.5).max_evaluations(400).restarts(Restarts::Bipop);
    let outcome = minimize(&settings, |x| {
        calls += 1;
        if calls == 1 { -5.0 } else { sphere(x) }
    });
    let outcome = outcome.unwrap();
    assert!(outcome.value == -5.0 && !outcome.success);
    assert!(outcome.optima.iter().all(|o| sphere(&o.point) == o.value), "{:?}", outcome.optima);
}

#[test]
fn more_optima_take_more_searches() {
    // n searches that ended in w optima are enough from n = 3w + 2 on.
    for seed in 0..5 {
        let settings = in_box(seed).same_optimum(None).max_evaluations(50_000);
        let outcome = minimize(&settings, two_wells).unwrap();
        let StopReason::NoBetterOptimum { searches: counted, optima, unseen, limit } = outcome.stop else {
            panic!("seed {seed}: {}", outcome.stop)
        };
        assert!(counted <= searches(&outcome));
        assert!(counted >= 3 * optima + 2 && unseen <= limit, "{counted} {optima}");
        assert_eq!(unseen, optima as f64 / (counted - optima - 2) as f64);
    }
}

#[test]
fn a_run_with_many_optima_goes_on() {
    let outcome =
        minimize(&Settings::within(vec![(-5.0, 5.1); 5]).seed(1).max_evaluations(5_000), rastrigin).unwrap();
    assert!(matches!(outcome.stop, StopReason::MaxEvaluations { .. }), "{}", outcome.stop);
    assert!(outcome.restarts.len() > 1);
}

#[test]
fn a_box_alone_is_searched_again_and_a_start_alone_is_not() {
    assert!(!minimize(&in_box(1), sphere).unwrap().restarts.is_empty());
    assert!(minimize(&in_box(1).restarts(Restarts::Off), sphere).unwrap().restarts.is_empty());
    let half = Settings::new([1.0, 1.0], 0.5).bounds([(-4.0, f64::INFINITY), (-4.0, 4.0)]);
    assert!(minimize(&half, sphere).unwrap().restarts.is_empty());
}

#[test]
fn maxima_are_listed_with_their_own_sign() {
    let outcome = maximize(&in_box(3).max_evaluations(20_000), |x| -two_wells(x)).unwrap();
    assert!(outcome.success);
    assert!((outcome.optima[0].value - 2.0).abs() < 1e-4, "{:?}", outcome.optima);
}

#[test]
fn an_infeasible_optimum_is_no_success() {
    let settings = Settings::new([1.0, 1.0], 0.5).max_evaluations(5_000);
    let outcome = enes::minimize_constrained(&settings, |x| (sphere(x), 1.0 + sphere(x))).unwrap();
    assert!(!outcome.success && outcome.violation > 0.0);
}

#[test]
fn optima_survive_a_checkpoint_and_are_counted_once() {
    let settings = without_rules(in_box(1).max_evaluations(20_000));
    let mut es = Optimizer::new(&settings).unwrap();
    while es.restarts().len() < 4 {
        let values: Vec<f64> = es.ask().iter().map(two_wells).collect();
        es.tell(&values).unwrap();
    }
    let found = |es: &Optimizer| es.optima().iter().map(|o| o.found).sum::<u64>();
    assert!(found(&es) <= 4);
    let again = Optimizer::from_checkpoint(&es.to_checkpoint()).unwrap();
    assert_eq!(es.optima(), again.optima());
    // Whoever goes on after the end does not find the optimum again with every generation.
    let mut es = Optimizer::new(&Settings::new([1.0, 1.0], 0.5)).unwrap();
    while es.stop_reason().is_none() {
        let values: Vec<f64> = es.ask().iter().map(sphere).collect();
        es.tell(&values).unwrap();
    }
    for _ in 0..3 {
        let values: Vec<f64> = es.ask().iter().map(sphere).collect();
        es.tell(&values).unwrap();
    }
    assert_eq!(found(&es), 1);
}

#[test]
fn rules_that_cannot_be_used_are_refused_by_name() {
    let refused = |settings: Settings| settings.validate().unwrap_err().to_string();
    let base = || Settings::new([1.0, 1.0], 0.5);
    assert!(refused(base().same_optimum(0)).contains("same_optimum"));
    assert!(refused(base().unseen_optima(-1.0)).contains("unseen_optima"));
    assert!(refused(base().unseen_optima(f64::NAN)).contains("unseen_optima"));
}

#[test]
fn a_quadratic_is_done_when_its_model_has_nothing_left_to_promise_whatever_its_least_value() {
    // Near a least value of 0 all values differ, by what rounding has left of them.
    for least in [0.0, 5.3] {
        for seed in 0..15 {
            let f = |x: &[f64]| (x[0] - 1.0).powi(2) + 10.0 * x[1].powi(2) + 100.0 * x[2].powi(2) + least;
            for (batch, most) in [(None, 44), (Some(1), 34)] {
                let settings =
                    Settings::new([3.0, 1.0, 0.0], 1.0).seed(seed).restarts(Restarts::Off).batch(batch);
                let outcome = minimize(&settings, f).unwrap();
                let (_, value) = outcome.best.unwrap();
                assert!(
                    outcome.stop.is_convergence() && value - least < 1e-10,
                    "seed {seed}: {value}, {}",
                    outcome.stop
                );
                assert!(outcome.evaluations <= most, "least {least}, seed {seed}: {}", outcome.evaluations);
            }
        }
    }
}

/// Five starts that are drawn anywhere are all on the wrong side in 3 % of the runs: of 200, none stops there by chance in 0.2 %.
#[test]
fn of_two_equal_wells_a_run_stops_in_the_deeper_one() {
    let run = |seed| {
        let settings = Settings::within([(-4.0, 4.0); 2]).seed(seed).max_evaluations(5000);
        minimize(&settings, equal_wells).unwrap()
    };
    let worse: Vec<u64> = (2000..2200).filter(|&seed| run(seed).value > -1.5).collect();
    assert!(worse.is_empty(), "runs that stopped in the other well: {worse:?}");
}
