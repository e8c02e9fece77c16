//! The law of the points that bounded runs hand out, against the exact one. Each test states its level.

use super::statistics::{ks_critical, normal_cdf};
use crate::settings::Params;
use crate::{BoundHandling, Optimizer, Restarts, Settings, Strategy};

const N: usize = 20_000;

/// First coordinates of many first generations: independent draws of the same law.
fn sample(settings: &Settings) -> Vec<f64> {
    let draws = (0..).flat_map(|seed| {
        // One point of each generation, since those of the adaptive strategy are orthogonal to each other; the second,
        // since the first may be the start.
        let mut es = Optimizer::new(&settings.clone().seed(seed)).unwrap();
        let second = es.ask()[1][0];
        [second]
    });
    draws.take(N).collect()
}

/// The scaled Kolmogorov-Smirnov distance of a sample from a law with these probabilities up to x.
fn distance(mut sample: Vec<f64>, cdf: impl Fn(f64) -> f64) -> f64 {
    sample.sort_by(f64::total_cmp);
    let n = sample.len() as f64;
    let worst = sample.iter().enumerate().fold(0.0f64, |worst, (i, &x)| {
        let p = cdf(x);
        worst.max((p - i as f64 / n).abs()).max(((i + 1) as f64 / n - p).abs())
    });
    worst * n.sqrt()
}

/// P(X ≤ x) where X is N(mean, σ²) folded into [a, b] with margin m: the sum over all mirror images.
fn folded(mean: f64, sigma: f64, (a, b): (f64, f64), m: f64) -> impl Fn(f64) -> f64 {
    let (start, length) = (a - m, b - a + 2.0 * m);
    // The unbounded coordinate of x, from the definition: a parabola of slope 1 at the end of the margin.
    let unfold = move |x: f64| match x {
        x if x < a + m => start + 2.0 * (m * (x - a)).sqrt(),
        x if x > b - m => b + m - 2.0 * (m * (b - x)).sqrt(),
        x => x,
    };
    move |x| {
        let reach = unfold(x) - start;
        let image = |k: i32| {
            let centre = start + 2.0 * f64::from(k) * length;
            normal_cdf((centre + reach - mean) / sigma) - normal_cdf((centre - reach - mean) / sigma)
        };
        (-20..=20).map(image).sum()
    }
}

/// Ways to start in [0, 1]: mean and deviation, in the middle and at a bound, narrow and wide.
const STARTS: [(f64, f64); 4] = [(0.5, 0.25), (0.02, 0.1), (1.0, 0.3), (0.3, 2.0)];

#[test]
fn mapped_points_follow_the_folded_density() {
    // Level 1e-4 each, sixteen tests.
    for strategy in [Strategy::Adaptive, Strategy::Published] {
        for (x0, sigma) in STARTS {
            let settings = Settings::new([x0], sigma).bounds([(0.0, 1.0)]).strategy(strategy).population(4);
            let margin = (0.2 * sigma).min(0.05);
            let mean = Optimizer::new(&settings).unwrap().distribution().mean()[0];
            let law = folded(mean, sigma, (0.0, 1.0), margin);
            let worst = distance(sample(&settings), law);
            assert!(worst < ks_critical(1e-4), "smooth, {x0} {sigma}: {worst}");
            let mirrored = settings.bound_handling(BoundHandling::Reflect);
            let worst = distance(sample(&mirrored), folded(x0, sigma, (0.0, 1.0), 0.0));
            assert!(worst < ks_critical(1e-4), "reflect, {x0} {sigma}: {worst}");
        }
    }
}

#[test]
fn the_test_tells_laws_apart() {
    let settings = Settings::new([0.02], 0.1).bounds([(0.0, 1.0)]).population(4);
    let worst = distance(sample(&settings), folded(0.02, 0.1, (0.0, 1.0), 0.0));
    assert!(worst > ks_critical(1e-4), "{worst}");
}

#[test]
fn resampled_points_follow_the_truncated_normal_law() {
    // Level 1e-4 each, eight tests.
    for strategy in [Strategy::Adaptive, Strategy::Published] {
        for (x0, sigma) in STARTS {
            let settings = Settings::new([x0], sigma).bounds([(0.0, 1.0)]).strategy(strategy).population(4);
            let settings = settings.bound_handling(BoundHandling::Resample);
            let settings =
                if strategy == Strategy::Published { settings.refresh_rate(1.0) } else { settings };
            let below = |x: f64| normal_cdf((x - x0) / sigma);
            let law = |x: f64| (below(x) - below(0.0)) / (below(1.0) - below(0.0));
            let worst = distance(sample(&settings), law);
            assert!(worst < ks_critical(1e-4), "{x0} {sigma}: {worst}");
        }
    }
}

#[test]
fn a_point_on_a_log_scale_is_log_normal_inside() {
    let settings = Settings::new([1.0], 1.0).bounds([(1e-9, 1e9)]).log_scale(true).population(4);
    let worst = distance(sample(&settings), |x| normal_cdf(x.ln()));
    assert!(worst < ks_critical(1e-4), "{worst}"); // level 1e-4
}

#[test]
fn mixed_populations_keep_the_folded_law() {
    // Kept rows and fresh ones together, after a move of the distribution: level 1e-4.
    let mut points = Vec::new();
    let mut law = None;
    for seed in 0..1000 {
        let settings = Settings::new([0.1], 0.2).bounds([(0.0, 1.0)]).strategy(Strategy::Published);
        let mut es = Optimizer::new(&settings.population(20).seed(seed).restarts(Restarts::Off)).unwrap();
        let first = es.ask().len();
        // Values that do not depend on the points: the law of the second generation is then known up to a
        // motion that is the same for every seed only if there is none.
        es.tell(&vec![1.0; first]).unwrap();
        es.ask();
        let (space, population) = (Params::new(es.settings()).unwrap().space, &es.search.population);
        assert!(population.kept() > 0);
        let mut users = vec![0.0; population.len()];
        space.users(population.points(), &mut users);
        points.extend(users);
        law.get_or_insert_with(|| folded(es.distribution().mean()[0], 0.2, (0.0, 1.0), 0.04));
    }
    let worst = distance(points, law.unwrap());
    assert!(worst < ks_critical(1e-4), "{worst}");
}

#[test]
fn what_a_hundred_draws_miss_is_moved_to_the_box() {
    // A sliver of width 1e-9 σ: no draw lands in it.
    let settings = Settings::new([0.0, 0.5], [1.0, 1.0]).bounds([(0.0, 1e-9), (0.0, 1.0)]);
    let mut es = Optimizer::new(&settings.bound_handling(BoundHandling::Resample).population(6)).unwrap();
    let points: Vec<f64> = es.ask().as_slice().to_vec();
    assert!(points.chunks(2).all(|p| p[0] == 0.0 || p[0] == 1e-9), "{points:?}");
    // Whitened coordinates are those of the points as moved.
    let population = &es.search.population;
    let again = es.distribution().whiten(population.points()).unwrap();
    for (a, b) in again.iter().zip(population.whitened()) {
        assert!((a - b).abs() < 1e-12, "{a} {b}");
    }
}

#[test]
fn a_mean_moved_to_the_box_is_a_motion_that_led_there() {
    let f = |x: &[f64]| (x[0] + 1.0).powi(2) + (x[1] - 0.4 + 0.5 * x[0]).powi(2);
    for seed in 0..20 {
        let settings = Settings::new([0.05, 0.5], [0.3, 0.2]).bounds([(0.0, 1.0); 2]).seed(seed);
        let mut es = Optimizer::new(&settings.bound_handling(BoundHandling::Resample)).unwrap();
        for _ in 0..6 {
            let values: Vec<f64> = es.ask().iter().map(f).collect();
            let before = es.distribution().clone();
            es.tell(&values).unwrap();
            // x ← x + Aᵀ shift
            let mut led = vec![0.0; 2];
            before.points_from(&es.search.motion.shift, &mut led);
            for (a, b) in led.iter().zip(es.distribution().mean()) {
                assert!((a - b).abs() < 1e-12, "{a} {b}");
            }
        }
    }
}
