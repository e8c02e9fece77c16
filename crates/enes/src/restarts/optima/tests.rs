use super::*;
use crate::settings::Settings;

fn ending(point: &[f64], cost: f64, deviation: f64) -> Ending<'_> {
    Ending {
        trail: Trail::default(),
        point,
        value: cost,
        violation: 0.0,
        cost,
        mean: point.to_vec(),
        deviations: vec![deviation; point.len()],
        scale: deviation,
        shapes: Shapes::default(),
        evaluations: 10,
    }
}

fn params() -> Params {
    Params::new(&Settings::new([0.0], 1.0).max_evaluations(100)).unwrap()
}

#[test]
fn ends_are_the_same_within_their_deviations_or_a_small_part_of_the_initial_ones() {
    let mut optima = Optima::default();
    for (x, deviation) in [(0.0, 1e-9), (9e-5, 1e-9), (2e-4, 1e-9), (0.05, 0.0051), (0.2, 0.1)] {
        optima.ended(ending(&[x], x, deviation), &params(), true);
    }
    // 0.05 lies within ten deviations of the first; so would 0.2, but that is too far for any.
    let found: Vec<(f64, u64)> = optima.sorted().iter().map(|o| (o.point[0], o.found)).collect();
    assert_eq!(found, [(0.0, 3), (2e-4, 1), (0.2, 1)]);
}

#[test]
fn ends_on_a_flat_bottom_are_the_same_where_their_costs_are() {
    // Apart, scale while costs differed, difference of the costs; and how many optima that makes.
    for (apart, scale, more, optima) in [
        (0.3, 1e-2, 0.0, 1),
        (0.3, 1e-2, 1e-3, 2),
        (0.3, 1e-6, 0.0, 2),
        (0.3, 0.5, 0.0, 2),
        (0.6, 1e-2, 0.0, 2),
    ] {
        let mut found = Optima::default();
        let end = |point| Ending { deviations: vec![1e-3], ..ending(point, 1.0, scale) };
        found.ended(end(&[0.0]), &params(), true);
        found.ended(Ending { cost: 1.0 + more, ..end(&[apart]) }, &params(), true);
        assert_eq!(found.sorted().len(), optima, "{apart} {scale} {more}");
    }
}

#[test]
fn a_wide_search_is_on_a_flat_bottom_once_it_has_its_value() {
    let at = |mean: f64| SearchDistribution::new(vec![mean], vec![0.05]).unwrap();
    // Scale while costs differed, mean of the later search, by how much its best is higher.
    for (scale, mean, more, known) in [
        (1e-2, 0.4, 1e-12, true),
        (1e-2, 0.4, 1e-3, false),
        (1e-2, 0.6, 1e-12, false),
        (1e-6, 0.4, 1e-12, false),
        (1e-2, 0.4, -1e-12, false),
    ] {
        let mut optima = Optima::default();
        optima.ended(ending(&[0.0], 1.0, scale), &params(), true);
        let place = optima.narrowed_to(&at(mean), &params(), 1.0 + more);
        assert_eq!(place.is_some(), known, "{scale} {mean} {more}");
    }
}

#[test]
fn a_trail_is_that_of_two_searches_or_of_one_for_a_search_that_has_settled() {
    let mut optima = Optima::default();
    for trodden in [[false, false, true], [true, true, true]] {
        optima.ended(ending(&[0.0], 1.0, 1e-9), &params(), true);
        assert_eq!([0.3, 0.011, 0.01].map(|scale| optima.has_trails(scale)), trodden);
    }
}

#[test]
fn the_best_of_an_optimum_is_kept() {
    let mut optima = Optima::default();
    optima.ended(ending(&[1e-5], 2.0, 1e-9), &params(), true);
    optima.ended(ending(&[0.0], 1.0, 1e-9), &params(), true);
    optima.entered(0, &ending(&[7.0], 5.0, 1.0));
    let [optimum] = &optima.sorted()[..] else { panic!("{optima:?}") };
    assert_eq!((optimum.point[0], optimum.value, optimum.found), (0.0, 1.0, 3));
}

#[test]
fn where_a_search_was_given_up_is_remembered_and_no_optimum_until_one_converges_there() {
    let mut optima = Optima::default();
    optima.ended(ending(&[0.0], 1.0, 1e-9), &params(), true);
    (0..2).for_each(|_| optima.ended(ending(&[3.0], 2.0, 1e-3), &params(), false));
    assert_eq!((optima.sorted().len(), optima.basins.len(), optima.least_cost()), (1, 2, 1.0));
    optima.ended(ending(&[3.001], 1.5, 1e-9), &params(), true);
    let [_, second] = &optima.sorted()[..] else { panic!("{optima:?}") };
    assert_eq!((second.value, second.found, optima.basins[1].mean[0]), (1.5, 3, 3.001));
}

#[test]
fn searches_must_end_in_the_best_optimum_in_a_row() {
    let params = params();
    let mut optima = Optima::default();
    let name = |optima: &Optima| optima.verdict(&params, 1.0).map(|reason| reason.name());
    for _ in 0..4 {
        optima.ended(ending(&[0.0], 1.0, 1e-9), &params, true);
        assert_eq!(name(&optima), None);
    }
    optima.ended(ending(&[5.0], 0.5, 1e-9), &params, true);
    // The former best is the best no longer, however often it is found.
    (0..2).for_each(|_| optima.ended(ending(&[0.0], 1.0, 1e-9), &params, true));
    assert_eq!(name(&optima), None);
    // Eight searches, two optima: 2/(8 − 2 − 2).
    optima.ended(ending(&[5.0], 0.5, 1e-9), &params, true);
    assert_eq!(name(&optima), Some("unseen_optima"));
}

#[test]
fn searches_that_were_given_up_stand_for_optima_that_may_be_any() {
    let params = params();
    let mut optima = Optima::default();
    (0..4).for_each(|_| optima.ended(ending(&[0.0], 1.0, 1e-9), &params, true));
    optima.given_up();
    optima.ended(ending(&[0.0], 1.0, 1e-9), &params, true);
    assert!(!optima.may_be_alone());
    assert_eq!(optima.verdict(&params, 1.0), None);
    (0..4).for_each(|_| optima.ended(ending(&[0.0], 1.0, 1e-9), &params, true));
    assert_eq!(optima.verdict(&params, 1.0), Some(StopReason::SameOptimum { searches: 5, limit: 5 }));
}

#[test]
fn one_search_fewer_is_enough_where_they_are_dear_and_all_ended_in_one_optimum() {
    let verdict = |limit: u64, worth: f64, others: bool| {
        let params =
            Params::new(&Settings::new([0.0], 1.0).max_evaluations(100).same_optimum(limit)).unwrap();
        let mut optima = Optima::default();
        if others {
            optima.ended(ending(&[5.0], 2.0, 1e-9), &params, true);
        }
        (1..=4u64).find(|_| {
            optima.ended(ending(&[0.0], 1.0, 1e-9), &params, true);
            optima.verdict(&params, worth).is_some()
        })
    };
    assert_eq!([1, 2, 3, 4, 5].map(|n| verdict(n, 3.1, false)), [1, 2, 2, 3, 4].map(Some));
    assert_eq!([1, 2, 3, 4].map(|n| verdict(n, 3.0, false)), [1, 2, 3, 4].map(Some));
    assert_eq!([verdict(5, 3.0, false), verdict(5, 3.1, true), verdict(6, 3.1, false)], [None; 3]);
}
