//! Restarts: when they come, what they share, what they leave behind.

use enes::{Optimizer, Restarts, Settings, StopReason, Strategy, minimize};

/// Many local minima of value 1 and more, one global of value 0 at the origin.
fn rastrigin(x: &[f64]) -> f64 {
    x.iter().map(|v| v * v + 10.0 * (1.0 - (std::f64::consts::TAU * v).cos())).sum()
}

fn sphere(x: &[f64]) -> f64 {
    x.iter().map(|v| v * v).sum()
}

fn settings() -> Settings {
    Settings::new([2.2, -1.7], 1.0).seed(3)
}

#[test]
fn a_search_that_ends_short_of_its_target_is_followed_by_another() {
    let outcome = minimize(&settings().target(1e-9).max_evaluations(50_000), rastrigin).unwrap();
    assert!(outcome.stop.is_target(), "{}", outcome.stop);
    assert!(!outcome.restarts.is_empty());
    for restart in &outcome.restarts {
        assert!(!restart.reason.is_limit() && restart.value > 1e-9 && restart.evaluations > 0, "{restart:?}");
    }
    let before: u64 = outcome.restarts.iter().map(|r| r.evaluations).sum();
    assert!(before < outcome.evaluations);
}

#[test]
fn without_target_and_budget_and_for_the_paper_there_is_one_search() {
    let outcome = minimize(&settings(), rastrigin).unwrap();
    assert!(outcome.restarts.is_empty());
    let published = settings().strategy(Strategy::Published).max_evaluations(20_000);
    assert!(minimize(&published, rastrigin).unwrap().restarts.is_empty());
}

#[test]
fn a_search_that_lacks_much_and_varies_little_gives_way_early() {
    let outcome = minimize(&settings().max_evaluations(50_000), rastrigin).unwrap();
    let hopeless: Vec<_> = outcome.restarts.iter().filter(|r| r.reason.name() == "hopeless").collect();
    let converged = outcome.restarts.iter().filter(|r| r.reason.name() == "tolfunhist");
    assert!(hopeless.len() > 3, "{:?}", outcome.restarts);
    // It is noticed while a search that goes on to the end would still converge.
    let same_size =
        |n: usize| converged.clone().filter(move |c| c.population == n).map(|c| c.evaluations).min();
    for r in hopeless {
        assert!(same_size(r.population).is_none_or(|e| r.evaluations < 2 * e), "{r:?}");
    }
}

#[test]
fn a_search_whose_model_promises_nothing_ends_at_once_where_it_lies_above_the_target() {
    // A well of value 1, far from that of value 0.
    let wells = |x: &[f64]| {
        let well = |a: f64| (-(x[0] - a).powi(2) - x[1] * x[1]).exp();
        2.0 - well(0.0) - 2.0 * well(8.0)
    };
    let run = |target: f64| {
        let settings = Settings::new([0.3, 0.4], 0.3).seed(1).target(target).max_evaluations(2_000);
        minimize(&settings, wells).unwrap().restarts[0].clone()
    };
    let (above, near) = (run(0.0), run(1.0 - 1e-12));
    assert_eq!(above.reason.name(), "tolfun");
    assert!(3 * above.evaluations <= 2 * near.evaluations, "{} {}", above.evaluations, near.evaluations);
    assert!((above.value - 1.0).abs() < 1e-9);
}

#[test]
fn off_is_one_word() {
    let outcome = minimize(&settings().max_evaluations(50_000).restarts(Restarts::Off), rastrigin).unwrap();
    assert!(outcome.restarts.is_empty() && outcome.evaluations < 50_000);
}

#[test]
fn the_budget_is_shared_and_exact() {
    // With starts that the user gives there are two kinds of searches, no lines and no hops.
    let given = settings().target(-1.0).max_evaluations(7_777).starts(|k| vec![2.2 + 0.1 * k as f64, -1.7]);
    let outcome = minimize(&given, sphere).unwrap();
    assert_eq!(outcome.evaluations, 7_777);
    assert!(matches!(outcome.stop, StopReason::MaxEvaluations { .. }));
    assert!(outcome.restarts.len() > 3);
    let (large, small): (Vec<_>, Vec<_>) =
        outcome.restarts.iter().skip(1).partition(|r| r.population > outcome.restarts[0].population);
    assert!(!large.is_empty() && !small.is_empty());
    // Equal shares, but for the search that tips the scale.
    let first = outcome.restarts[0].evaluations;
    let spent = |of: &[&enes::Restart]| of.iter().map(|r| r.evaluations).sum::<u64>();
    let longest = outcome.restarts.iter().map(|r| r.evaluations).max().unwrap();
    assert!(spent(&large).abs_diff(first + spent(&small)) <= longest);
}

#[test]
fn ipop_doubles_the_population() {
    let settings = settings().target(-1.0).max_evaluations(30_000).restarts(Restarts::Ipop);
    let outcome = minimize(&settings, sphere).unwrap();
    let sizes: Vec<usize> = outcome.restarts.iter().map(|r| r.population).collect();
    assert!(sizes.len() > 3);
    assert!(sizes.windows(2).all(|w| w[1] == 2 * w[0]), "{sizes:?}");
    assert!(outcome.restarts.iter().all(|r| r.scale == 1.0));
}

#[test]
fn small_restarts_keep_the_population_and_shrink_the_scale() {
    // Hops, which may begin on a smaller scale still, are only made where starts are not given.
    let given = settings().target(-1.0).max_evaluations(30_000).starts(|k| vec![2.2 + 0.1 * k as f64, -1.7]);
    let outcome = minimize(&given, sphere).unwrap();
    let first = outcome.restarts[0].population;
    let small: Vec<f64> =
        outcome.restarts.iter().skip(1).filter(|r| r.population == first).map(|r| r.scale).collect();
    assert!(small.len() > 3 && small.iter().all(|s| (0.01..=1.0).contains(s)), "{small:?}");
}

#[test]
fn the_published_strategy_restarts_where_asked() {
    let settings = settings().strategy(Strategy::Published).restarts(Restarts::Ipop).population(20);
    let outcome = minimize(&settings.max_evaluations(20_000).target(1e-9), rastrigin).unwrap();
    assert!(outcome.stop.is_target() || !outcome.restarts.is_empty());
}

#[test]
fn a_target_alone_ends_after_nine_restarts() {
    let outcome = minimize(&settings().target(-1.0), sphere).unwrap();
    assert_eq!(outcome.restarts.len(), 9);
    assert!(!outcome.stop.is_limit(), "{}", outcome.stop);
    let outcome = minimize(&settings().target(-1.0).max_restarts(2), sphere).unwrap();
    assert_eq!(outcome.restarts.len(), 2);
}

#[test]
fn an_objective_without_a_value_is_not_tried_again() {
    let outcome = minimize(&settings().max_evaluations(5_000), |_| f64::NAN).unwrap();
    assert!(outcome.restarts.is_empty() && outcome.evaluations < 5_000);
}

#[test]
fn the_same_seed_gives_the_same_searches() {
    let run = || minimize(&settings().max_evaluations(20_000), rastrigin).unwrap();
    let (a, b) = (run(), run());
    assert_eq!((a.point, a.restarts), (b.point, b.restarts));
}

#[test]
fn the_best_point_and_the_mean_are_those_of_the_best_search() {
    // The first search narrows to the only minimum; later ones start elsewhere and are not let go as far.
    let narrow = settings().tolfun(None).tolfunhist(None).max_evaluations(2_000);
    let outcome = minimize(&narrow, sphere).unwrap();
    assert!(!outcome.restarts.is_empty());
    assert!(outcome.value < 1e-15);
    assert!(sphere(&outcome.mean) < 1e-12, "{:?}", outcome.mean);
    assert!(outcome.standard_deviations.iter().all(|s| *s < 1e-6));
}

#[test]
fn starts_follow_the_users_function() {
    let starts = |run: u64| vec![10.0 * run as f64, 0.0];
    let settings = Settings::with_starts(starts, 1e-3).target(-1.0).max_restarts(3).seed(1);
    let mut es = Optimizer::new(&settings).unwrap();
    let mut means = vec![es.mean().to_vec()];
    while es.stop_reason().is_none() {
        let values: Vec<f64> = es.ask().iter().map(sphere).collect();
        let before = es.restarts().len();
        es.tell(&values).unwrap();
        if es.restarts().len() > before {
            means.push(es.mean().to_vec());
        }
    }
    assert_eq!(means, [[0.0, 0.0], [10.0, 0.0], [20.0, 0.0], [30.0, 0.0]]);
}

#[test]
fn a_start_that_cannot_be_used_ends_the_run_with_that_reason() {
    for (bad, word) in [(vec![1.0], "1 coordinates"), (vec![f64::NAN, 0.0], "NaN")] {
        let starts = move |run: u64| if run == 0 { vec![1.0, 1.0] } else { bad.clone() };
        let outcome = minimize(&Settings::with_starts(starts, 0.1).target(-1.0), sphere).unwrap();
        assert_eq!(outcome.stop.name(), "startrule");
        assert!(outcome.stop.to_string().contains(word), "{}", outcome.stop);
        assert!(outcome.value < 1e-9);
        // Why the search before had ended is not lost.
        assert!(outcome.stop.to_string().contains("tol"), "{}", outcome.stop);
    }
}

#[cfg(feature = "serde")]
mod checkpoints {
    use super::*;

    fn advance(es: &mut Optimizer, generations: usize) {
        for _ in 0..generations {
            let values: Vec<f64> = es.ask().iter().map(rastrigin).collect();
            es.tell(&values).unwrap();
        }
    }

    #[test]
    fn a_run_on_lines_goes_on_bit_for_bit() {
        let settings = Settings::within(vec![(-3.84, 5.12); 2]).seed(2).max_evaluations(900);
        let run = |through_checkpoints: bool| {
            let mut es = Optimizer::new(&settings).unwrap();
            while es.stop_reason().is_none() {
                let values: Vec<f64> = es.ask().iter().map(rastrigin).collect();
                if through_checkpoints {
                    es = Optimizer::from_checkpoint(&es.to_checkpoint()).unwrap();
                }
                es.tell(&values).unwrap();
            }
            es
        };
        let (plain, kept) = (run(false), run(true));
        assert!(plain.restarts().iter().any(|r| r.scale < 1.0), "{:?}", plain.restarts());
        assert_eq!(plain.to_checkpoint(), kept.to_checkpoint());
    }

    #[test]
    fn a_run_continues_bit_for_bit_across_restarts() {
        let mut es = Optimizer::new(&settings().max_evaluations(100_000)).unwrap();
        while es.restarts().len() < 2 {
            advance(&mut es, 1);
        }
        advance(&mut es, 3);
        es.ask();
        let mut again = Optimizer::from_checkpoint(&es.to_checkpoint()).unwrap();
        while es.restarts().len() < 5 {
            advance(&mut es, 1);
            advance(&mut again, 1);
            assert_eq!((es.mean(), es.restarts()), (again.mean(), again.restarts()));
        }
        assert_eq!(es.to_checkpoint(), again.to_checkpoint());
    }

    #[test]
    fn a_start_that_cannot_be_used_leaves_a_run_that_can_be_kept() {
        let starts = |run: u64| if run == 0 { vec![1.0, 1.0] } else { Vec::new() };
        let mut es = Optimizer::new(&Settings::with_starts(starts, 0.1).target(-1.0)).unwrap();
        while es.stop_reason().is_none() {
            advance(&mut es, 1);
        }
        assert_eq!((es.stop_reason().unwrap().name(), es.restarts().len()), ("startrule", 0));
        let again = Optimizer::from_checkpoint(&es.to_checkpoint()).unwrap();
        assert_eq!((again.stop_reason(), again.mean()), (es.stop_reason(), es.mean()));
    }

    #[test]
    fn a_start_rule_that_a_checkpoint_lost_must_be_given_again() {
        let starts = |run: u64| vec![run as f64, 0.0];
        let settings = Settings::with_starts(starts, 0.1).target(-1.0).max_restarts(3);
        let bytes = Optimizer::new(&settings).unwrap().to_checkpoint();
        let mut es = Optimizer::from_checkpoint(&bytes).unwrap();
        while es.stop_reason().is_none() {
            advance(&mut es, 1);
        }
        assert!(es.stop_reason().unwrap().to_string().contains("give it again"));
        let mut es = Optimizer::from_checkpoint(&bytes).unwrap();
        es.set_starts(starts);
        while es.stop_reason().is_none() {
            advance(&mut es, 1);
        }
        assert_eq!(es.restarts().len(), 3);
    }
}

#[test]
fn a_best_point_of_the_last_part_of_a_generation_brings_its_own_mean() {
    // Budgets in a row, most of which end within a generation of a later search; the last point is the best.
    for budget in 2_000..2_012 {
        let mut calls = 0;
        let objective = |x: &[f64]| {
            calls += 1;
            if calls == budget { -5.0 } else { 1.0 + sphere(x) }
        };
        let outcome = minimize(&settings().target(-9.0).max_evaluations(budget), objective).unwrap();
        assert!(!outcome.restarts.is_empty() && outcome.value == -5.0);
        // Earlier searches had narrowed to the origin; the present one has not.
        let deviations = &outcome.standard_deviations;
        assert!(deviations.iter().any(|s| *s > 1e-6), "budget {budget}: {deviations:?}");
    }
}

#[test]
fn a_table_of_utilities_and_restarts_exclude_each_other() {
    let table = enes::Shaping::Table((0..20).map(|r| 1.0 / (1 + r) as f64).collect());
    let published = || settings().strategy(Strategy::Published).shaping(table.clone()).max_evaluations(5_000);
    let refused = minimize(&published().restarts(Restarts::Ipop), rastrigin).unwrap_err().to_string();
    assert!(refused.contains("20 utilities") && refused.contains("restarts"), "{refused}");
    assert!(minimize(&published(), rastrigin).is_ok());
}

#[test]
fn a_sum_of_parts_with_many_basins_is_solved_along_its_coordinates() {
    for seed in 0..3 {
        let settings =
            Settings::within(vec![(-3.84, 5.12); 5]).seed(seed).max_evaluations(10_000).target(1e-8);
        let outcome = minimize(&settings, rastrigin).unwrap();
        assert!(outcome.stop.is_target(), "seed {seed}: {}", outcome.stop);
    }
}

/// Shallow beside its ripples: optima that are not on the coordinates' lines through each other.
fn ripples(x: &[f64]) -> f64 {
    let y = [x[0] + x[1] - 61.0, x[0] - x[1] + 17.0];
    1.0 + (y[0] * y[0] + y[1] * y[1]) / 8000.0 - (0.7 * y[0]).cos() * (0.5 * y[1]).cos()
}

#[test]
fn hops_lead_from_one_optimum_to_a_better_one_beside_it() {
    let solved = (0..20).filter(|seed| {
        let box_of_two = vec![(-100.0, 100.0); 2];
        let settings = Settings::within(box_of_two).seed(*seed).max_evaluations(8_000).target(1e-6);
        minimize(&settings, ripples).unwrap().stop.is_target()
    });
    let solved = solved.count();
    assert!(solved >= 15, "{solved} of 20");
}

/// Roots of coordinates that are mixed by a reflection: without a local minimum, but searches with few points narrow too soon.
fn roots(x: &[f64]) -> f64 {
    let d = x.len() as f64;
    let weights = || (0..x.len()).map(|i| 1.0 + i as f64 / d);
    let length: f64 = weights().map(|w| w * w).sum();
    let along: f64 = x.iter().zip(weights()).map(|(x, w)| x * w).sum::<f64>() / length;
    x.iter().zip(weights()).map(|(x, w)| (x - 2.0 * w * along).abs().sqrt()).sum()
}

#[test]
fn a_larger_population_goes_on_beyond_where_smaller_ones_ended() {
    for seed in [1, 2, 3] {
        let start: Vec<f64> = (0..10).map(|i| 1.0 - 0.2 * f64::from(i)).collect();
        let settings = Settings::new(start, 1.0).seed(seed).max_evaluations(20_000);
        let outcome = minimize(&settings, roots).unwrap();
        assert!(outcome.value < 1e-3, "{seed}: {} {:?}", outcome.value, outcome.restarts);
        // Large populations are multiples of what the first search came to need, and that was more than at first.
        let first = outcome.restarts[0].population;
        assert!(outcome.restarts.iter().any(|r| r.population == 2 * first), "{seed}: {:?}", outcome.restarts);
    }
}
