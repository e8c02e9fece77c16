//! Evaluations that fail: few cost little, and a region that fails is stayed away from.

use std::cell::Cell;

use enes::{Restarts, Settings};

fn ellipsoid(x: &[f64]) -> f64 {
    let weight = |i: usize| 1e3f64.powf(i as f64 / (x.len() - 1) as f64);
    x.iter().enumerate().map(|(i, x)| weight(i) * (x - 1.0).powi(2)).sum()
}

/// The median of the evaluations to 1e-8 over nine runs; what `fails` says of a point and a number from 0 to 1 is told in the value's place.
fn median(d: usize, fails: impl Fn(&[f64], f64) -> Option<f64>) -> u64 {
    let mut counts: Vec<u64> = (0..9)
        .map(|seed| {
            let (count, hit) = (Cell::new(0), Cell::new(u64::MAX));
            let f = |x: &[f64]| {
                count.set(count.get() + 1);
                let chance = (0.618_033_988_75 * (seed + count.get()) as f64).fract();
                let told = fails(x, chance).unwrap_or_else(|| ellipsoid(x));
                if told < 1e-8 && hit.get() == u64::MAX {
                    hit.set(count.get());
                }
                told
            };
            let settings = Settings::new(vec![0.0; d], 0.5).seed(seed).target(1e-8).restarts(Restarts::Off);
            enes::minimize(&settings.max_evaluations(400 * d as u64), f).unwrap();
            hit.get()
        })
        .collect();
    counts.sort_unstable();
    counts[4]
}

#[test]
fn a_few_failures_cost_a_few_evaluations() {
    let clean = median(10, |_, _| None);
    let five = median(10, |_, u| (u < 0.05).then_some(f64::NAN));
    assert!(5 * five < 6 * clean, "{five} where one in twenty fails, {clean} where none does");
    let infinite = median(10, |_, u| (u < 0.05).then_some(f64::INFINITY));
    assert!(5 * infinite < 6 * clean, "{infinite} where one in twenty is infinite, {clean} where none is");
    // A value that only says that something went wrong.
    let huge = median(10, |_, u| (u < 0.02).then_some(1e30));
    assert!(5 * huge < 6 * clean, "{huge} where one in fifty is huge, {clean} where none is");
}

#[test]
fn a_region_that_fails_is_stayed_away_from() {
    let clean = median(5, |_, _| None);
    let beyond = |x: &[f64]| x.iter().map(|x| x - 1.0).sum::<f64>();
    let wall = median(5, |x, _| (beyond(x) > 0.1).then_some(f64::NAN));
    assert!(wall < 3 * clean, "{wall} near a wall, {clean} without");
    let corner = median(5, |x, _| (x[0] > 1.02 || x[4] > 1.02).then_some(f64::NAN));
    assert!(corner < 8 * clean, "{corner} in a corner, {clean} without");
}

#[test]
fn an_optimum_that_hides_behind_a_wall_is_not_run_into() {
    // The least of a sphere at 1 where the coordinates add up to at most 4: 0.2 away along each.
    for seed in 0..5 {
        let f = |x: &[f64]| match x.iter().sum::<f64>() > 4.0 {
            true => f64::NAN,
            false => x.iter().map(|x| (x - 1.0).powi(2)).sum(),
        };
        let settings = Settings::new([0.0, 0.1, -0.1, 0.2, 0.0], 0.5).seed(seed).restarts(Restarts::Off);
        let outcome = enes::minimize(&settings.max_evaluations(1500), f).unwrap();
        let (_, value) = outcome.best.unwrap();
        assert!(value < 1.02 * 0.2, "seed {seed}: {value} after {} evaluations", outcome.evaluations);
    }
}
