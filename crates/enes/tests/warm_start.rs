//! Warm starts: from a run, from a table, into boxes; what is refused; what is kept.

use enes::{Optimizer, Restarts, Settings, Strategy, WarmStart};

const STRATEGIES: [Strategy; 2] = [Strategy::Adaptive, Strategy::Published];

fn ellipsoid(x: &[f64]) -> f64 {
    x.iter().enumerate().map(|(i, v)| 10f64.powi(i as i32) * v * v).sum()
}

fn settings(strategy: Strategy) -> Settings {
    in_dimensions(4, strategy)
}

fn in_dimensions(d: usize, strategy: Strategy) -> Settings {
    Settings::new(vec![1.0; d], 0.5).strategy(strategy).seed(1).target(1e-10).restarts(Restarts::Off)
}

/// A whole run: the optimizer at its end, the points and the values.
fn run(settings: &Settings) -> (Optimizer, Vec<Vec<f64>>, Vec<f64>) {
    run_on(ellipsoid, settings)
}

/// The same on another function.
fn run_on(f: fn(&[f64]) -> f64, settings: &Settings) -> (Optimizer, Vec<Vec<f64>>, Vec<f64>) {
    let mut es = Optimizer::new(settings).unwrap();
    let (mut points, mut values) = (Vec::new(), Vec::new());
    while es.stop_reason().is_none() {
        let asked: Vec<Vec<f64>> = es.ask().iter().map(<[f64]>::to_vec).collect();
        let told: Vec<f64> = asked.iter().map(|x| f(x)).collect();
        es.tell(&told).unwrap();
        points.extend(asked);
        values.extend(told);
    }
    (es, points, values)
}

fn message(settings: &Settings) -> String {
    let error = Optimizer::new(settings).unwrap_err();
    assert_eq!(settings.validate().unwrap_err(), error);
    error.to_string()
}

#[test]
fn a_second_run_of_a_moved_objective_takes_fewer_evaluations() {
    // By default a quadratic takes as many evaluations as it has coefficients, wherever a search begins; a valley does not.
    let valley: fn(&[f64]) -> f64 =
        |x| x.windows(2).map(|p| 10.0 * (p[1] - p[0] * p[0]).powi(2) + p[0].powi(2)).sum();
    for (strategy, d, f) in [(Strategy::Adaptive, 8, valley), (Strategy::Published, 4, ellipsoid)] {
        let settings = |strategy| in_dimensions(d, strategy);
        let (first, points, values) = run_on(f, &settings(strategy));
        let starts = [WarmStart::from_run(&first), WarmStart::from_table(points, values).points(false)];
        for warm in starts {
            let mut ratios: Vec<f64> = (0..11)
                .map(|seed| {
                    let objective = |x: &[f64]| f(&x.iter().map(|v| v - 0.05).collect::<Vec<_>>());
                    let of = |s: Settings| {
                        let outcome = enes::minimize(&s.seed(seed), objective).unwrap();
                        assert!(outcome.stop.is_target());
                        outcome.evaluations as f64
                    };
                    of(settings(strategy).warm_start(warm.clone())) / of(settings(strategy))
                })
                .collect();
            ratios.sort_by(f64::total_cmp);
            assert!(ratios[5] < 0.9, "{strategy:?}: {ratios:?}");
        }
    }
}

#[test]
fn the_scale_has_a_floor_unless_a_factor_is_given() {
    for strategy in STRATEGIES {
        // Rank-based: a surrogate is at the optimum before its distribution is narrow.
        let settings = || match strategy {
            Strategy::Adaptive => settings(strategy).model(enes::ModelChoice::RankOnly),
            _ => settings(strategy),
        };
        let (first, ..) = run(&settings());
        let start = |warm: WarmStart| Optimizer::new(&settings().warm_start(warm)).unwrap();
        let size = |es: &Optimizer| (es.distribution().log_det() / 4.0).exp();
        assert!(size(&first) < 1e-3);
        let es = start(WarmStart::from_run(&first));
        assert!((size(&es) - 0.05).abs() < 1e-12, "a tenth of sigma0");
        assert_eq!(es.mean(), first.mean());
        let twice = start(WarmStart::from_run(&first).widen(2.0));
        assert!((size(&twice) / size(&first) - 2.0).abs() < 1e-9);
        // The shape is that of the first.
        let ratio = |es: &Optimizer| es.standard_deviations()[0] / es.standard_deviations()[3];
        assert!((ratio(&es) / ratio(&first) - 1.0).abs() < 1e-9);
    }
}

#[test]
fn the_points_of_a_table_take_part_in_the_first_generation() {
    // A generation: samples of one Gaussian, as the published strategy presumes.
    let mut first = Optimizer::new(&settings(Strategy::Published).population(60)).unwrap();
    let points: Vec<Vec<f64>> = first.ask().iter().map(<[f64]>::to_vec).collect();
    let values: Vec<f64> = points.iter().map(|x| ellipsoid(x)).collect();
    let warm = |strategy, enter| {
        let table = WarmStart::from_table(points.clone(), values.clone()).points(enter);
        Optimizer::new(&settings(strategy).population(60).warm_start(table)).unwrap()
    };
    let adaptive = warm(Strategy::Adaptive, true);
    assert!(adaptive.archive_len().unwrap() > 10);
    assert_eq!(warm(Strategy::Adaptive, false).archive_len(), Some(0));
    let mut published = warm(Strategy::Published, true);
    let fresh = published.ask().len();
    assert!(fresh > 0 && fresh < 60, "{fresh}");
    assert_eq!(warm(Strategy::Published, false).ask().len(), 60);
    // Known values are no evaluations, and not the best of this run.
    let values: Vec<f64> = published.ask().iter().map(ellipsoid).collect();
    let least = values.iter().fold(f64::INFINITY, |a, b| a.min(*b));
    published.tell(&values).unwrap();
    assert_eq!(published.evaluations(), fresh as u64);
    assert_eq!(published.best().unwrap().value, least);
}

#[test]
fn tables_of_any_size_and_quality_work() {
    let one = vec![vec![0.5, 0.5, 0.5, 0.5]];
    let line: Vec<Vec<f64>> = (0..9).map(|i| vec![0.1 * f64::from(i); 4]).collect();
    for strategy in STRATEGIES {
        for (points, values) in [
            (one.clone(), vec![3.0]),
            (vec![one[0].clone(); 50], vec![3.0; 50]),
            (line.clone(), (0..9).map(f64::from).collect()),
            (line.clone(), vec![f64::INFINITY; 9]),
            (line.clone(), [f64::NAN, 1.0, 2.0].repeat(3)),
        ] {
            let warm = settings(strategy).warm_start(WarmStart::from_table(points, values));
            let outcome = enes::minimize(&warm, ellipsoid).unwrap();
            assert!(outcome.stop.is_target(), "{strategy:?}: {}", outcome.stop);
        }
    }
}

#[test]
fn a_warm_start_stays_inside_the_bounds_and_keeps_log_scales() {
    let bounds = [(1e-4, 1.0), (7.0, 7.0), (-1.0, 1.0)];
    let objective = |x: &[f64]| (x[0] / 1e-3).ln().powi(2) + (x[2] - 0.9).powi(2);
    for strategy in STRATEGIES {
        let settings =
            Settings::within(bounds).log_scale([true, false, false]).strategy(strategy).target(1e-9).seed(3);
        // To the end of its budget: a table of the few points that the target takes says where the optimum is only roughly.
        let first = settings.clone().target(None).tolfun(None).max_evaluations(100);
        let mut first = Optimizer::new(&first).unwrap();
        let (mut points, mut values) = (Vec::new(), Vec::new());
        while first.stop_reason().is_none() {
            let asked: Vec<Vec<f64>> = first.ask().iter().map(<[f64]>::to_vec).collect();
            let told: Vec<f64> = asked.iter().map(|x| objective(x)).collect();
            first.tell(&told).unwrap();
            points.extend(asked);
            values.extend(told);
        }
        for warm in [WarmStart::from_run(&first), WarmStart::from_table(points.clone(), values.clone())] {
            let es = Optimizer::new(&settings.clone().warm_start(warm)).unwrap();
            // The optimum is (1e-3, 7, 0.9): ln x within a tenth of the range, x within a tenth of it.
            assert!((es.mean()[0] / 1e-3).ln().abs() < 0.9, "{:?}", es.mean());
            assert!(es.mean()[1] == 7.0 && (es.mean()[2] - 0.9).abs() < 0.1, "{:?}", es.mean());
        }
        let outside = WarmStart::from_table(vec![vec![0.5, 7.0, 2.0]], vec![1.0]);
        let text = message(&settings.clone().warm_start(outside));
        assert!(
            text.contains("coordinate 2 of point 0 of the table, 2, lies outside its bounds [-1, 1]"),
            "{text}"
        );
        let negative = WarmStart::from_distribution([-0.5, 7.0, 0.0], vec![vec![1.0, 0.0], vec![0.0, 1.0]]);
        assert!(message(&settings.clone().warm_start(negative)).contains("above 0 on a log scale"));
    }
}

#[test]
fn what_does_not_fit_is_named() {
    let refused = |warm: WarmStart| message(&settings(Strategy::Adaptive).warm_start(warm));
    let identity = |d: usize| (0..d).map(|i| (0..d).map(|j| f64::from(u8::from(i == j))).collect()).collect();
    let distribution = |mean: &[f64], c: Vec<Vec<f64>>| WarmStart::from_distribution(mean, c);
    assert!(
        refused(distribution(&[0.0; 3], identity(3))).contains("its mean has 3 coordinates, there are 4")
    );
    assert!(refused(distribution(&[0.0; 4], identity(3))).contains("must be 4 by 4"));
    assert!(refused(distribution(&[0.0; 4], vec![vec![0.0; 4]; 4])).contains("not positive definite"));
    assert!(
        refused(distribution(&[f64::NAN, 0.0, 0.0, 0.0], identity(4))).contains("must be finite, got NaN")
    );
    assert!(refused(distribution(&[0.0; 4], identity(4)).widen(0.0)).contains("widen must be positive"));
    assert!(refused(WarmStart::from_table(vec![], vec![])).contains("no value that is a number"));
    let nan = WarmStart::from_table(vec![vec![0.0; 4]], vec![f64::NAN]);
    assert!(refused(nan).contains("no value that is a number"));
    let uneven = WarmStart::from_table(vec![vec![0.0; 4]; 2], vec![1.0]);
    assert!(refused(uneven).contains("2 points and 1 values"));
}

#[test]
fn restarts_begin_from_the_settings_and_not_from_the_warm_start() {
    let (first, ..) = run(&settings(Strategy::Adaptive));
    let warm = settings(Strategy::Adaptive)
        .target(None)
        .restarts(Restarts::Ipop)
        .max_restarts(1)
        .warm_start(WarmStart::from_run(&first));
    let mut es = Optimizer::new(&warm).unwrap();
    while es.restarts().is_empty() {
        let values: Vec<f64> = es.ask().iter().map(ellipsoid).collect();
        es.tell(&values).unwrap();
    }
    assert_eq!(es.standard_deviations(), [0.5; 4]);
}

#[cfg(feature = "serde")]
#[test]
fn a_checkpoint_of_a_warm_run_continues_bit_for_bit() {
    for strategy in STRATEGIES {
        let (_, points, values) = run(&settings(strategy));
        let warm = settings(strategy).warm_start(WarmStart::from_table(points, values)).target(None);
        let mut es = Optimizer::new(&warm).unwrap();
        let mut again = Optimizer::from_checkpoint(&es.to_checkpoint()).unwrap();
        for _ in 0..5 {
            for es in [&mut es, &mut again] {
                let values: Vec<f64> = es.ask().iter().map(ellipsoid).collect();
                es.tell(&values).unwrap();
            }
            assert_eq!(es.distribution(), again.distribution());
        }
        assert_eq!(again.settings(), &warm);
    }
}
