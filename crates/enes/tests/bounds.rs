//! Bounds, log scales and fixed coordinates over whole runs.

use enes::{BoundHandling, ModelChoice, Optimizer, Settings, Strategy, minimize};
use proptest::prelude::*;
use proptest::strategy::Strategy as _;

const INF: f64 = f64::INFINITY;
const HANDLINGS: [BoundHandling; 3] =
    [BoundHandling::Smooth, BoundHandling::Reflect, BoundHandling::Resample];

/// All ways to keep bounds, with both strategies.
fn ways(settings: &Settings) -> Vec<Settings> {
    let each = HANDLINGS.iter().flat_map(|&handling| {
        let adaptive = settings.clone().bound_handling(handling);
        let published = adaptive.clone().strategy(Strategy::Published).population(20);
        let mixes = handling != BoundHandling::Resample;
        [adaptive, if mixes { published } else { published.refresh_rate(1.0) }]
    });
    each.collect()
}

/// A coordinate: bounds, log scale, a start within, and where the optimum is.
#[derive(Clone, Debug)]
struct Case {
    bounds: (f64, f64),
    log: bool,
    x0: f64,
    optimum: f64,
}

fn coordinates() -> impl proptest::strategy::Strategy<Value = Case> {
    let kind = 0..6usize;
    (kind, -50.0..50.0f64, -6.0..3.0f64, 0.0..=1.0f64, -0.5..1.5f64).prop_map(
        |(kind, centre, power, share, optimum)| {
            let width = 10f64.powf(power);
            let (lower, upper) = (centre, centre + width);
            let at = |t: f64| lower + t * width;
            let inside = (lower + share * width).clamp(lower, upper);
            let case = |bounds, log, x0, optimum| Case { bounds, log, x0, optimum };
            match kind {
                0 => case((lower, upper), false, inside, at(optimum)),
                1 => case((lower, INF), false, inside, at(optimum)),
                2 => case((-INF, upper), false, inside, at(optimum)),
                3 => case((-INF, INF), false, inside, at(optimum)),
                4 => case((lower, lower), false, lower, at(optimum)),
                _ => {
                    let (lower, upper) = (width, width * (1.0 + centre.abs()));
                    let x0 = (lower * (upper / lower).powf(share)).clamp(lower, upper);
                    case((lower, upper), true, x0, lower * (upper / lower).powf(optimum))
                }
            }
        },
    )
}

fn assert_inside(cases: &[Case], x: &[f64], what: &str) {
    assert_eq!(x.len(), cases.len(), "{what}");
    for (case, &v) in cases.iter().zip(x) {
        assert!(case.bounds.0 <= v && v <= case.bounds.1 && v.is_finite(), "{what}: {v} in {case:?}");
    }
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 60, ..ProptestConfig::default() })]

    #[test]
    fn nothing_ever_lies_outside(
        cases in prop::collection::vec(coordinates(), 1..5),
        sigma in 0.01..3.0f64,
        seed in 0..1000u64,
    ) {
        prop_assume!(cases.iter().any(|c| c.bounds.0 < c.bounds.1));
        let sigmas: Vec<f64> = cases.iter().map(|c| {
            let width = if c.log { (c.bounds.1 / c.bounds.0).ln() } else { c.bounds.1 - c.bounds.0 };
            sigma * if width.is_finite() && width > 0.0 { width } else { 1.0 }
        }).collect();
        let settings = Settings::new(cases.iter().map(|c| c.x0).collect::<Vec<_>>(), sigmas)
            .bounds(cases.iter().map(|c| c.bounds).collect::<Vec<_>>())
            .log_scale(cases.iter().map(|c| c.log).collect::<Vec<_>>())
            .max_evaluations(600)
            .seed(seed);
        let objective = |x: &[f64]| {
            assert_inside(&cases, x, "asked");
            x.iter().zip(&cases).map(|(v, c)| (v - c.optimum).powi(2)).sum::<f64>()
        };
        for settings in ways(&settings) {
            let mut es = Optimizer::new(&settings).unwrap();
            assert_inside(&cases, es.mean(), "first mean");
            while es.stop_reason().is_none() {
                let values: Vec<f64> = es.ask().iter().map(objective).collect();
                es.tell(&values).unwrap();
                assert_inside(&cases, es.mean(), "mean");
                assert_inside(&cases, &es.best_search().0, "best search");
                let best = es.best().unwrap();
                assert_inside(&cases, best.point, "best");
                assert_eq!(objective(best.point), best.value, "the best is the point that was evaluated");
            }
            let outcome = minimize(&settings, objective).unwrap();
            assert_inside(&cases, &outcome.point, "outcome");
            assert_inside(&cases, &outcome.mean, "outcome's mean");
        }
    }

    #[test]
    fn the_start_is_where_the_user_said(cases in prop::collection::vec(coordinates(), 1..5)) {
        prop_assume!(cases.iter().any(|c| c.bounds.0 < c.bounds.1));
        let x0: Vec<f64> = cases.iter().map(|c| c.x0).collect();
        let settings = Settings::new(x0.clone(), 0.1)
            .bounds(cases.iter().map(|c| c.bounds).collect::<Vec<_>>())
            .log_scale(cases.iter().map(|c| c.log).collect::<Vec<_>>());
        for settings in ways(&settings) {
            let es = Optimizer::new(&settings).unwrap();
            for (x, mean) in x0.iter().zip(es.mean()) {
                // 1e-12: a square root, or a logarithm, there and back.
                prop_assert!((x - mean).abs() <= 1e-12 * (1.0 + x.abs()), "{x} {mean}");
            }
        }
    }
}

fn sphere_at(optimum: [f64; 3]) -> impl Fn(&[f64]) -> f64 {
    move |x| x.iter().zip(optimum).map(|(v, o)| (v - o).powi(2)).sum()
}

#[test]
fn an_optimum_inside_is_found_as_if_there_were_no_bounds() {
    let free = Settings::new([0.4, 0.5, 0.6], 0.02).seed(3).target(1e-12);
    let f = sphere_at([0.45, 0.5, 0.55]);
    for strategy in [Strategy::Adaptive, Strategy::Published] {
        let free = free.clone().strategy(strategy);
        let alone = minimize(&free, &f).unwrap();
        for handling in [BoundHandling::Smooth, BoundHandling::Reflect] {
            let bounded = free.clone().bounds([(0.0, 1.0); 3]).bound_handling(handling);
            let outcome = minimize(&bounded, &f).unwrap();
            // Bit for bit: no sample comes near a bound, and the map is the identity there.
            assert_eq!((outcome.point, outcome.mean), (alone.point.clone(), alone.mean.clone()));
            assert_eq!(outcome.evaluations, alone.evaluations);
        }
    }
    // Without the surrogate, which has no trust region where points are drawn again.
    let free = free.model(ModelChoice::RankOnly);
    let alone = minimize(&free, &f).unwrap();
    let resampled = free.bounds([(0.0, 1.0); 3]).bound_handling(BoundHandling::Resample);
    assert_eq!(minimize(&resampled, &f).unwrap().point, alone.point);
}

#[test]
fn an_optimum_on_a_bound_or_in_a_corner_is_found() {
    // Within bounds of 0 and 1: on a face, an edge, a corner; and beyond, where the slope does not vanish.
    let optima = [
        [0.0, 0.3, 0.7],
        [0.0, 1.0, 0.5],
        [1.0, 0.0, 1.0],
        [-1.0, 0.3, 0.7],
        [-1.0, 2.0, -0.5],
        [2.0, 2.0, 2.0],
    ];
    for optimum in optima {
        let best = sphere_at(optimum)(&optimum.map(|o| o.clamp(0.0, 1.0)));
        let bounds_met = optimum.iter().filter(|o| !(0.01..0.99).contains(*o)).count();
        for seed in 0..3 {
            let settings = Settings::within([(0.0, 1.0); 3]).seed(seed);
            for settings in ways(&settings.max_evaluations(4000).restarts(enes::Restarts::Off)) {
                // Resampling is biased away from bounds: where several meet it may stop short.
                if bounds_met > 1 && format!("{settings:?}").contains("Resample") {
                    continue;
                }
                let outcome = minimize(&settings, sphere_at(optimum)).unwrap();
                let lacking = outcome.value - best;
                assert!((0.0..1e-6).contains(&lacking), "{optimum:?} {lacking:e} {settings:?}");
            }
        }
    }
}

#[test]
fn a_unit_of_measurement_changes_nothing() {
    // Powers of two, so that scaling is exact.
    for unit in [2f64.powi(-40), 2f64.powi(40)] {
        for (lower, upper) in [(0.0, 1.0), (0.0, INF), (-INF, 1.0)] {
            let points = |unit: f64| {
                let settings =
                    Settings::new([0.5 * unit; 3], 0.25 * unit).bounds([(lower * unit, upper * unit); 3]);
                let settings = settings.seed(4).tolx(None).tolfun(None).tolfunhist(None).max_generations(60);
                let f = |x: &[f64]| x.iter().map(|v| (v / unit - 0.01).powi(2)).sum();
                minimize(&settings, f).unwrap().point.iter().map(|v| v / unit).collect::<Vec<_>>()
            };
            assert_eq!(points(unit), points(1.0), "{unit:e} ({lower}, {upper})");
        }
    }
}

#[test]
fn a_fixed_coordinate_spends_no_dimension() {
    let bounds = [(0.0, 1.0), (7.0, 7.0), (0.0, 1.0), (-2.0, -2.0)];
    let settings = Settings::new([0.4, 7.0, 0.6, -2.0], [0.1, 0.0, 0.2, f64::NAN]).bounds(bounds).seed(5);
    let es = Optimizer::new(&settings).unwrap();
    assert_eq!((settings.dimension(), settings.search_dimension()), (4, 2));
    assert_eq!((es.distribution().dimension(), es.covariance().len(), es.axis_lengths().len()), (2, 4, 2));
    assert_eq!(es.population_size(), Strategy::Adaptive.default_population(2));
    assert_eq!(es.standard_deviations(), [0.1, 0.0, 0.2, 0.0]);
    assert_eq!(es.mean(), [0.4, 7.0, 0.6, -2.0]);
    let fixed = minimize(&settings, |x| (x[0] - 0.3).powi(2) + (x[2] - x[1] / 10.0).powi(2)).unwrap();
    let alone = Settings::new([0.4, 0.6], [0.1, 0.2]).bounds([(0.0, 1.0); 2]).seed(5);
    let alone = minimize(&alone, |x| (x[0] - 0.3).powi(2) + (x[1] - 0.7).powi(2)).unwrap();
    assert_eq!(fixed.point, [alone.point[0], 7.0, alone.point[1], -2.0]);
    assert_eq!(fixed.standard_deviations[1], 0.0);
    assert_eq!(fixed.evaluations, alone.evaluations);
    // Of a covariance, the rows and columns of the free coordinates.
    let rows = vec![vec![4.0, 9.0, 1.0], vec![9.0, 0.0, 9.0], vec![1.0, 9.0, 2.0]];
    let settings = Settings::new([0.0, 1.0, 0.0], rows).bounds([(-INF, INF), (1.0, 1.0), (-INF, INF)]);
    let got = Optimizer::new(&settings).unwrap().covariance();
    assert!(got.iter().zip([4.0, 1.0, 1.0, 2.0]).all(|(a, b)| (a - b).abs() < 1e-14), "{got:?}");
}

#[test]
fn without_start_and_scale_the_centre_and_a_quarter_of_the_range_are_taken() {
    let bounds = [(-1.0, 3.0), (1e-6, 1e2), (5.0, 5.0)];
    let settings = Settings::within(bounds).log_scale([false, true, false]);
    let es = Optimizer::new(&settings).unwrap();
    let (mean, deviations) = (es.mean(), es.standard_deviations());
    assert_eq!((mean[0], mean[2]), (1.0, 5.0));
    assert!((mean[1] / 1e-2 - 1.0).abs() < 1e-12, "the middle of ln x: {}", mean[1]);
    assert!((deviations[0] - 1.0).abs() < 1e-15 && deviations[2] == 0.0);
    assert!((deviations[1] - 2.0 * 10f64.ln()).abs() < 1e-12);
    let es = Optimizer::new(&settings.clone().x0([0.0, 1.0, 5.0])).unwrap();
    assert_eq!((es.mean(), es.standard_deviations()), (&[0.0, 1.0, 5.0][..], deviations));
    let es = Optimizer::new(&settings.sigma0(0.1)).unwrap();
    assert_eq!(es.standard_deviations(), [0.1, 0.1, 0.0]);
}

#[test]
fn restarts_begin_anywhere_in_the_box() {
    // The first coordinate is boxed, the second is not.
    let settings = Settings::new([0.1, 0.0], [0.01, 0.01]).bounds([(0.0, 1.0), (-INF, INF)]);
    let settings =
        settings.target(-1.0).max_restarts(40).restarts(enes::Restarts::Bipop).tolflatfitness(1).seed(2);
    let mut es = Optimizer::new(&settings).unwrap();
    let mut starts: Vec<Vec<f64>> = Vec::new();
    while es.stop_reason().is_none() {
        let values = vec![1.0; es.ask().len()];
        es.tell(&values).unwrap();
        if es.restarts().len() > starts.len() {
            starts.push(es.mean().to_vec());
        }
    }
    assert_eq!(starts.len(), 40);
    // 40 uniform draws: the chance that a tenth of the interval has none is 0.9^40 = 1.5 %, of either end 3 %.
    let low = starts.iter().fold(INF, |m, s| m.min(s[0]));
    let high = starts.iter().fold(-INF, |m, s| m.max(s[0]));
    assert!((0.0..0.1).contains(&low) && (0.9..=1.0).contains(&high), "{low} {high}");
    // Some begin at a point that an earlier search has evaluated, which may be some deviations farther away.
    let farthest = starts.iter().fold(0.0, |m: f64, s| m.max(s[1].abs()));
    assert!(farthest < 0.1, "around x0 where there is no box: {farthest}");
}

#[test]
fn a_start_outside_ends_the_run_with_that_reason() {
    let starts = |run: u64| vec![if run == 0 { 0.5 } else { 1.5 }];
    let settings = Settings::with_starts(starts, 0.1).bounds([(0.0, 1.0)]).target(-1.0);
    let outcome = minimize(&settings, |x| x[0] * x[0]).unwrap();
    assert_eq!(outcome.stop.name(), "startrule");
    assert!(outcome.stop.to_string().contains("x0[0] = 1.5 lies outside"), "{}", outcome.stop);
}

#[test]
fn a_log_scale_without_bounds_stays_positive_and_finite() {
    let settings = Settings::new([1.0, 1.0], 30.0).log_scale(true).tolfacupx(None).max_evaluations(3000);
    for (settings, sign) in ways(&settings).into_iter().zip([1.0, -1.0].into_iter().cycle()) {
        let f = |x: &[f64]| {
            assert!(x.iter().all(|v| *v > 0.0 && v.is_finite()), "{x:?}");
            sign * x.iter().map(|v| v.ln()).sum::<f64>()
        };
        assert!(minimize(&settings, f).unwrap().value < -100.0);
    }
}

#[cfg(feature = "serde")]
#[test]
fn a_bounded_run_continues_bit_for_bit() {
    let bounds = [(0.0, 1.0), (1e-3, 10.0), (2.0, 2.0), (0.0, INF)];
    let settings = Settings::new([0.01, 0.002, 2.0, 0.0], 0.5).bounds(bounds).seed(8);
    let settings = settings.log_scale([false, true, false, false]).max_evaluations(400);
    let step = |es: &mut Optimizer| {
        let values: Vec<f64> = es.ask().iter().map(|x| x.iter().sum()).collect();
        es.tell(&values).unwrap();
    };
    for settings in ways(&settings) {
        let mut whole = Optimizer::new(&settings).unwrap();
        let mut resumed = whole.clone();
        for _ in 0..40 {
            resumed = Optimizer::from_checkpoint(&resumed.to_checkpoint()).unwrap();
            let asked = resumed.ask().as_slice().to_vec();
            resumed = Optimizer::from_checkpoint(&resumed.to_checkpoint()).unwrap();
            assert_eq!(resumed.ask().as_slice(), asked);
            step(&mut whole);
            step(&mut resumed);
            assert_eq!((whole.mean(), whole.best()), (resumed.mean(), resumed.best()));
            assert!(whole.to_checkpoint() == resumed.to_checkpoint());
        }
        assert_eq!(resumed.settings(), &settings);
    }
}

#[test]
fn a_flat_objective_makes_no_search_wider_than_its_box() {
    let mut es =
        Optimizer::new(&Settings::new([0.5, 0.5], 0.1).bounds([(0.0, 1.0); 2]).tolflatfitness(None)).unwrap();
    for _ in 0..30 {
        let values = vec![1.0; es.ask().len()];
        es.tell(&values).unwrap();
        let widest = es.standard_deviations().into_iter().fold(0.0, f64::max);
        assert!((0.1..=1.0).contains(&widest), "{widest}");
    }
}
