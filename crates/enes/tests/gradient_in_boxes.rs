//! The gradient by differences within bounds: steps rest on them and leave them, and every point lies between.

use enes::{BoundHandling, Mode, ModelChoice, Optimizer, Restarts, Settings};

const D: usize = 60;

/// A quadratic of condition 10 that mixes each coordinate with the next, and its slope.
fn bowl(x: &[f64], optimum: impl Fn(usize) -> f64) -> (f64, Vec<f64>) {
    let d = x.len();
    let away = |i: usize| x[i % d] - optimum(i % d);
    let (mut value, mut slope) = (0.0, vec![0.0; d]);
    for i in 0..d {
        let weight = 10f64.powf(((7 * i) % d) as f64 / (d - 1) as f64);
        let mixed = 0.6 * away(i) + 0.8 * away(i + 1);
        value += weight * mixed * mixed;
        slope[i] += 1.2 * weight * mixed;
        slope[(i + 1) % d] += 1.6 * weight * mixed;
    }
    (value, slope)
}

/// Half of the coordinates of the optimum lie outside of the box from −1 to 1.
fn half_outside(i: usize) -> f64 {
    [0.4, 1.7, -0.2, -2.5][i % 4] + 0.1 * (i as f64).sin()
}

/// The largest slope along which there is room within the bounds: more than a billionth, since samples of the ranks that follow a
/// search which has converged lie beside a bound and not on it.
fn slope_within(x: &[f64], slope: &[f64], lower: f64, upper: f64) -> f64 {
    let room = |x: f64, g: f64| if g > 0.0 { x - lower } else { upper - x };
    let leads = |(x, g): (&f64, &f64)| if room(*x, *g) > 1e-9 { g.abs() } else { 0.0 };
    x.iter().zip(slope).map(leads).fold(0.0, f64::max)
}

fn leads(es: &Optimizer) -> bool {
    es.model().is_some_and(|model| model.mode == Mode::Surrogate)
}

/// The best point after so many evaluations, and how many of them the gradient led. Every point lies within the bounds.
fn run(
    settings: &Settings,
    evaluations: u64,
    bounds: (f64, f64),
    f: impl Fn(&[f64]) -> f64,
) -> (Vec<f64>, f64, u64) {
    let mut es = Optimizer::new(&settings.clone().restarts(Restarts::Off)).unwrap();
    let mut led = 0;
    while es.evaluations() < evaluations && es.stop_reason().is_none() {
        let (leads, before) = (leads(&es), es.evaluations());
        assert!(es.ask().as_slice().iter().all(|x| (bounds.0..=bounds.1).contains(x)));
        let values: Vec<f64> = es.ask().iter().map(&f).collect();
        es.tell(&values).unwrap();
        led += if leads { es.evaluations() - before } else { 0 };
    }
    let best = es.best().unwrap();
    (best.point.to_vec(), best.value, led)
}

fn start() -> Settings {
    Settings::new((0..D).map(|j| 0.9 * (1.0 + j as f64).sin()).collect::<Vec<_>>(), 0.5).seed(5)
}

#[test]
fn an_optimum_on_faces_costs_no_more_than_one_without_a_box() {
    let f = |x: &[f64]| bowl(x, half_outside).0;
    let n = 22 * D as u64;
    for handling in [BoundHandling::Smooth, BoundHandling::Reflect] {
        let settings = start().bounds(vec![(-1.0, 1.0); D]).bound_handling(handling);
        let (x, value, led) = run(&settings, n, (-1.0, 1.0), f);
        let (_, slope) = bowl(&x, half_outside);
        // Slopes at the start are up to 40.
        let left = slope_within(&x, &slope, -1.0, 1.0);
        assert!(left < 1e-2 && led > n / 2, "{handling:?} {left} {led}");
        assert!(x.iter().filter(|x| x.abs() == 1.0).count() > D / 4);
        let (x, by_ranks, led) = run(&settings.model(ModelChoice::RankOnly), n, (-1.0, 1.0), f);
        let behind = slope_within(&x, &bowl(&x, half_outside).1, -1.0, 1.0);
        assert!(
            by_ranks > value + 1.0 && behind > 100.0 * left && led == 0,
            "{by_ranks} {value}: {behind} {left}"
        );
    }
    let without = (f64::NEG_INFINITY, f64::INFINITY);
    let (x, _, _) = run(&start(), n, without, f);
    let free = slope_within(&x, &bowl(&x, half_outside).1, without.0, without.1);
    assert!(free > 1e-3, "without a box it takes as long: {free}");
}

#[test]
fn bounds_on_one_side_and_logarithms_have_a_gradient() {
    // Known to be positive, and best at 0 in a third of the coordinates.
    let bounds = (0.0, f64::INFINITY);
    let f = |x: &[f64]| bowl(x, |i| [-1.0, 0.5, 2.0][i % 3]).0;
    let settings = Settings::new(vec![1.0; D], 0.5).seed(2).bounds(vec![bounds; D]);
    let (x, _, led) = run(&settings, 25 * D as u64, bounds, f);
    let left = slope_within(&x, &bowl(&x, |i| [-1.0, 0.5, 2.0][i % 3]).1, bounds.0, bounds.1);
    assert!(left < 1e-2 && led > 10 * D as u64, "{left} {led}");
    assert!(x.iter().filter(|x| **x == 0.0).count() >= D / 3, "on the bound, not beside it: {x:?}");
    // On a log scale, best at 1 in most coordinates, and at the upper bound in the others.
    let bounds = (1e-3, 1e3);
    let f = |x: &[f64]| {
        x.iter().enumerate().map(|(j, x)| (x.ln() - if j % 5 == 0 { 9.0 } else { 0.0 }).powi(2)).sum()
    };
    let settings = Settings::new(vec![0.1; D], 1.0).seed(2).bounds(vec![bounds; D]).log_scale(true);
    let (x, _, _) = run(&settings, 12 * D as u64, bounds, f);
    let expected = |j: usize| if j.is_multiple_of(5) { 1e3 } else { 1.0 };
    assert!(x.iter().enumerate().all(|(j, x)| (x / expected(j) - 1.0).abs() < 1e-4), "{x:?}");
}

/// From a corner of the box there is room on one side only, and wide deviations fold samples over all of it.
#[test]
fn a_start_in_a_corner_or_as_wide_as_the_box_is_no_obstacle() {
    let f = |x: &[f64]| x.iter().enumerate().map(|(i, x)| (x - half_outside(i)).powi(2)).sum();
    let least: f64 = (0..D).map(|i| (half_outside(i).abs() - 1.0).max(0.0).powi(2)).sum();
    let corner = Settings::new(vec![-1.0; D], 0.3);
    for (k, settings) in [corner, start(), Settings::new(vec![0.9; D], 2.0)].into_iter().enumerate() {
        for seed in 1..6 {
            let settings = settings.clone().seed(seed).bounds(vec![(-1.0, 1.0); D]);
            let (_, value, _) = run(&settings, 12 * D as u64, (-1.0, 1.0), f);
            assert!(value - least < 1e-6, "{k} {seed} {}", value - least);
        }
    }
}

#[test]
fn above_a_thousand_coordinates_steps_rest_on_bounds_too() {
    let d = 1100;
    let f = |x: &[f64]| bowl(x, half_outside).0;
    let settings = Settings::new(vec![0.3; d], 0.5).seed(3).bounds(vec![(-1.0, 1.0); d]);
    let (x, value, led) = run(&settings, 30 * d as u64, (-1.0, 1.0), f);
    let left = slope_within(&x, &bowl(&x, half_outside).1, -1.0, 1.0);
    assert!(left < 0.3 && led > 20 * d as u64, "{left} {led}");
    let (_, by_ranks, _) = run(&settings.model(ModelChoice::RankOnly), 30 * d as u64, (-1.0, 1.0), f);
    assert!(by_ranks > value + 1.0, "{by_ranks} {value}");
}

#[test]
fn a_run_in_a_box_that_is_resumed_is_the_same_run() {
    let f = |x: &[f64]| bowl(x, half_outside).0;
    let mut es = Optimizer::new(&start().bounds(vec![(-1.0, 1.0); D])).unwrap();
    let mut phases = 0;
    for _ in 0..40 {
        let mut again = Optimizer::from_checkpoint(&es.to_checkpoint()).unwrap();
        assert_eq!(es.ask(), again.ask());
        // Between ask and tell, too.
        let mut again = Optimizer::from_checkpoint(&es.to_checkpoint()).unwrap();
        let values: Vec<f64> = es.ask().iter().map(f).collect();
        es.tell(&values).unwrap();
        again.tell(&values).unwrap();
        assert_eq!(es.to_checkpoint(), again.to_checkpoint());
        phases += usize::from(leads(&es));
    }
    assert!(phases > 10, "{phases}");
}

#[test]
fn values_in_a_box_that_come_late_and_in_any_order_are_used() {
    let f = |x: &[f64]| x.iter().enumerate().map(|(i, x)| (x - half_outside(i)).powi(2)).sum::<f64>();
    let least: f64 = (0..D).map(|i| (half_outside(i).abs() - 1.0).max(0.0).powi(2)).sum();
    let mut es = Optimizer::new(&start().bounds(vec![(-1.0, 1.0); D]).restarts(Restarts::Off)).unwrap();
    let (mut flying, mut led) = (Vec::new(), 0);
    while es.evaluations() < 15 * D as u64 && es.stop_reason().is_none() {
        flying.extend(es.ask_one().unwrap());
        if flying.len() > 7 {
            let proposal = flying.remove((es.evaluations() % 7) as usize);
            es.tell_one(proposal.id, f(&proposal.point)).unwrap();
            led += u32::from(leads(&es));
        }
    }
    let left = es.best().unwrap().value - least;
    assert!(led > 100 && left < 1e-6, "{led} {left}");
}

#[test]
fn kinks_in_a_box_are_left_to_ranks() {
    let f = |x: &[f64]| x.iter().enumerate().map(|(i, x)| (x - half_outside(i)).abs().sqrt()).sum();
    let n = 30 * D as u64;
    let (_, _, led) = run(&start().bounds(vec![(-1.0, 1.0); D]), n, (-1.0, 1.0), f);
    // Two tries of d + 1 points and what follows them.
    assert!(led <= 3 * D as u64, "{led}");
}
