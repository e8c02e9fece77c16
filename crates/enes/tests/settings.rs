//! Settings that cannot be used are refused with the field, the value and the remedy.

use enes::{Baseline, BoundHandling, Optimizer, Scale, Settings, SettingsError, Shaping, Strategy};

fn refused(settings: Settings, words: &str) {
    let error = Optimizer::new(&settings).unwrap_err();
    assert!(error.to_string().contains(words), "`{error}` does not say `{words}`");
    assert_eq!(settings.validate().unwrap_err().to_string(), error.to_string());
}

fn base() -> Settings {
    Settings::new([1.0, 2.0], 0.5).strategy(Strategy::Published)
}

#[test]
fn what_only_the_published_strategy_looks_at() {
    let adaptive = || Settings::new([1.0, 2.0], 0.5);
    refused(adaptive().learning_rate(0.5), "learning_rate_mean belongs to the strategy `published`");
    refused(adaptive().learning_rate_factor(0.5), "choose `published`, or leave learning_rate_factor alone");
    refused(adaptive().refresh_rate(1.0), "refresh_rate belongs to the strategy `published`");
    refused(adaptive().baseline(Baseline::None), "baseline belongs to the strategy `published`");
    refused(adaptive().auto_population(true), "auto_population belongs to the strategy `published`");
    refused(
        adaptive().adaptive_learning_rate(true),
        "choose `published`, or leave adaptive_learning_rate alone",
    );
    refused(adaptive().drift_correction(true), "drift_correction belongs to the strategy `published`");
    refused(
        adaptive().shaping(Shaping::Table(vec![1.0, 0.0])),
        "shaping belongs to the strategy `published`",
    );
    // What is given as it is by default does no harm.
    adaptive().learning_rate(1.0).refresh_rate(0.01).baseline(Baseline::Block).validate().unwrap();
}

#[test]
fn beyond_the_paper() {
    for (factor, text) in
        [(0.0, "got 0"), (-1.0, "got -1"), (f64::NAN, "got NaN"), (f64::INFINITY, "got inf")]
    {
        let words =
            format!("the factor of baseline `mean` must be positive and finite, {text}: 1 is the mean");
        refused(base().baseline(Baseline::Mean { factor }), &words);
    }
    refused(
        base().shaping(Shaping::Table(vec![1.0, 0.0])).auto_population(true),
        "a table of 2 utilities fits one population, and auto_population changes it",
    );
    refused(base().noisy(true).auto_population(true), "auto_population cannot be used with noisy");
    refused(
        base().noisy(true).adaptive_learning_rate(true),
        "adaptive_learning_rate cannot be used with noisy",
    );
    base()
        .population(50)
        .auto_population(true)
        .learning_rate(0.5)
        .adaptive_learning_rate(true)
        .validate()
        .unwrap();
    base().baseline(Baseline::Mean { factor: 1.3 }).drift_correction(true).validate().unwrap();
    assert_eq!(Baseline::Mean { factor: 1.0 }, Baseline::Mean { factor: 1.0 });
    assert_ne!(Baseline::Mean { factor: 1.0 }, Baseline::Mean { factor: 1.1 });
}

#[test]
fn starts() {
    refused(Settings::new([], 1.0), "x0 is empty: give at least one coordinate");
    refused(Settings::new([1.0, f64::NAN], 1.0), "x0[1] must be finite, got NaN");
    refused(Settings::new([f64::INFINITY], 1.0), "x0[0] must be finite, got inf");
}

#[test]
fn scales() {
    for (sigma, text) in [(0.0, "got 0"), (-1.0, "got -1"), (f64::NAN, "got NaN"), (f64::INFINITY, "got inf")]
    {
        refused(Settings::new([1.0, 2.0], sigma), text);
        refused(
            Settings::new([1.0, 2.0], [1.0, sigma]),
            &format!("sigma0[1] must be positive and finite, {text}"),
        );
    }
    refused(Settings::new([1.0, 2.0], 1e-310), "sigma0 must be positive");
    refused(Settings::new([1.0, 2.0], [1.0]), "sigma0 has 1 entries, x0 has 2 coordinates");
    refused(Settings::new([1.0, 2.0], vec![vec![1.0, 0.0]]), "sigma0 has 1 rows");
    refused(Settings::new([1.0], vec![vec![1.0, 0.0]]), "2 entries in a row");
    let covariance = |a, b, c, d| Scale::Covariance(vec![vec![a, b], vec![c, d]]);
    refused(
        Settings::new([1.0, 2.0], covariance(1.0, 0.5, 0.4, 1.0)),
        "sigma0[1][0] differs from its mirror",
    );
    refused(Settings::new([1.0, 2.0], covariance(1.0, 2.0, 2.0, 1.0)), "not positive definite (pivot 1)");
    refused(
        Settings::new([1.0, 2.0], covariance(f64::NAN, 0.0, 0.0, 1.0)),
        "not positive definite (pivot 0)",
    );
}

#[test]
fn populations_and_rates() {
    refused(base().population(1), "population must be at least 2, got 1");
    refused(base().population(0), "population must be at least 2, got 0");
    refused(base().population(usize::MAX), "is too large");
    let many = Settings::new(vec![0.0; 100_000], 1.0);
    refused(many.clone().strategy(Strategy::Published).population(10), "is too large");
    refused(many.clone().population(10_000), "is too large");
    assert!(many.population(10).validate().is_ok(), "limited memory");
    for (eta, text) in [(0.0, "got 0"), (-1.0, "got -1"), (f64::NAN, "got NaN"), (f64::INFINITY, "got inf")] {
        refused(
            base().learning_rate_mean(eta),
            &format!("learning_rate_mean must be positive and finite, {text}"),
        );
        refused(
            base().learning_rate_factor(eta),
            &format!("learning_rate_factor must be positive and finite, {text}"),
        );
    }
    for (alpha, text) in [(0.0, "got 0"), (-0.1, "got -0.1"), (1.1, "got 1.1"), (f64::NAN, "got NaN")] {
        refused(base().refresh_rate(alpha), &format!("refresh_rate must lie in (0, 1], {text}"));
    }
}

#[test]
fn utility_tables() {
    refused(base().population(3).shaping(Shaping::Table(vec![1.0])), "has 1 entries, the population 3");
    refused(base().shaping(Shaping::Table(vec![])), "population must be at least 2");
    refused(base().shaping(Shaping::Table(vec![1.0, f64::NAN])), "utility[1] must be finite, got NaN");
    refused(base().shaping(Shaping::Table(vec![1.0, 2.0])), "utility[1] is larger than the one before it");
    assert_eq!(base().shaping(Shaping::Table(vec![1.0, 0.5, 0.0])).population_size(), 3);
}

#[test]
fn rules() {
    refused(base().target(f64::NAN), "target must be a number, got NaN");
    refused(base().tolx(-1.0), "tolx must not be negative or NaN, got -1");
    refused(base().tolfun(f64::NAN), "tolfun must not be negative or NaN");
    refused(base().tolfunhist(-1.0), "tolfunhist must not be negative");
    refused(base().tolconditioncov(-1.0), "tolconditioncov must not be negative");
    refused(base().tolfacupx(-1.0), "tolfacupx must not be negative");
    refused(base().max_evaluations(0), "max_evaluations must be at least 1, got 0");
    refused(base().max_generations(0), "max_generations must be at least 1, got 0");
    refused(base().tolstagnation(0), "tolstagnation must be at least 1, got 0");
    refused(base().tolflatfitness(0), "tolflatfitness must be at least 1, got 0");
}

#[test]
fn huge_but_legal_limits_do_no_harm() {
    let settings = base().max_evaluations(u64::MAX).tolstagnation(u64::MAX).tolflatfitness(u64::MAX);
    let outcome = enes::minimize(&settings, |x| x.iter().map(|v| v * v).sum()).unwrap();
    assert!(outcome.value < 1e-8);
    assert!(Strategy::Published.default_population(usize::MAX) > 0);
    assert!(Strategy::Adaptive.default_population(usize::MAX) > 0);
    assert!(matches!(
        Optimizer::new(&Settings::new(vec![0.0; 70_000], 1.0).strategy(Strategy::Published).population(10)),
        Err(SettingsError::TooLarge { .. })
    ));
}

#[test]
fn bounds() {
    const INF: f64 = f64::INFINITY;
    let bounded = |pair| Settings::new([1.0, 2.0], 0.5).bounds([(0.0, 3.0), pair]);
    refused(bounded((3.0, 1.0)), "bounds[1] = (3, 1): the lower exceeds the upper");
    refused(bounded((f64::NAN, 1.0)), "bounds[1] = (NaN, 1): a bound is NaN: use infinity for none");
    refused(bounded((0.0, f64::NAN)), "bounds[1] = (0, NaN): a bound is NaN");
    refused(bounded((INF, INF)), "bounds[1] = (inf, inf): no finite number lies between");
    refused(bounded((-INF, -INF)), "no finite number lies between");
    refused(bounded((f64::MIN, f64::MAX)), "the range is too wide for floating-point numbers: narrow it");
    refused(
        bounded((2.0, 2.0 + 0.5 * f64::EPSILON)).x0([1.0, 3.0]),
        "x0[1] = 3 lies outside its bounds [2, 2]",
    );
    refused(
        Settings::within([(0.0, 1.0), (0.0, 1e-310)]),
        "bounds[1] = (0, 0.000000000000000000000000000000000000000000000000000000000000000000000000000000000",
    );
    refused(
        Settings::new([1.0, 2.0], 0.5).bounds([(0.0, 3.0)]),
        "bounds has 1 entries, there are 2 coordinates",
    );
    refused(
        Settings::new([1.0], 0.5).bounds([(1.0, 1.0)]),
        "nothing is left to search; leave at least one free",
    );
    refused(Settings::within([]), "x0 is empty");
}

#[test]
fn starts_and_scales_within_bounds() {
    const INF: f64 = f64::INFINITY;
    let bounded = |pair| Settings::new([1.0, 2.0], 0.5).bounds([(0.0, 3.0), pair]);
    refused(bounded((2.5, 3.0)), "x0[1] = 2 lies outside its bounds [2.5, 3]: move it inside, or widen");
    refused(bounded((3.0, 3.0)), "x0[1] = 2 lies outside its bounds [3, 3]");
    let half = || Settings::within([(0.0, 1.0), (0.0, INF)]);
    refused(half(), "x0 is missing, and coordinate 1 is not bounded on both sides");
    refused(half().x0([0.5, 1.0]), "sigma0 is missing, and coordinate 1 is not bounded on both sides");
    refused(half().x0([0.5, 1.0]).sigma0([0.1]), "sigma0 has 1 entries, x0 has 2 coordinates");
    refused(half().x0([0.5, 1.0]).sigma0([0.1, 0.0]), "sigma0[1] must be positive and finite, got 0");
    half().x0([0.5, 1.0]).sigma0(0.1).validate().unwrap();
    // An error names the user's coordinate, whatever is fixed before it.
    refused(
        Settings::new([1.0, 2.0], [0.0, -1.0]).bounds([(1.0, 1.0), (0.0, 3.0)]),
        "sigma0[1] must be positive",
    );
}

#[test]
fn log_scales() {
    const INF: f64 = f64::INFINITY;
    let log = |pair| Settings::new([1.0, 2.0], 0.5).bounds([(0.1, 3.0), pair]).log_scale(true);
    refused(log((0.0, 3.0)), "bounds[1] = (0, 3): on a log scale bounds must be above 0");
    refused(log((-1.0, 3.0)), "give the smallest and the largest value of interest, or none");
    refused(log((-INF, 0.0)), "on a log scale bounds must be above 0");
    refused(log((-1.0, -1.0)), "on a log scale bounds must be above 0");
    refused(
        log((1e300, 1e300 * (1.0 + f64::EPSILON))).x0([1.0, 1e300]),
        "too narrow for floating-point numbers",
    );
    refused(
        Settings::new([1.0, -2.0], 0.5).log_scale([false, true]),
        "x0[1] must be above 0 on a log scale, got -2",
    );
    refused(Settings::new([1.0, 0.0], 0.5).log_scale(true), "x0[1] must be above 0 on a log scale, got 0");
    refused(
        Settings::new([1.0, 2.0], 0.5).log_scale([true]),
        "log_scale has 1 entries, there are 2 coordinates",
    );
    refused(Settings::within([(0.1, INF)]).log_scale(true), "x0 is missing");
    log((-INF, 3.0)).validate().unwrap();
}

#[test]
fn resampling_and_importance_mixing_exclude_each_other() {
    let resampled = base().bounds([(0.0, 3.0); 2]).bound_handling(BoundHandling::Resample);
    refused(resampled.clone(), "set refresh_rate to 1, choose `smooth` or `reflect`");
    resampled.clone().refresh_rate(1.0).validate().unwrap();
    resampled.strategy(Strategy::Adaptive).validate().unwrap();
}

#[test]
fn a_search_that_is_finer_than_the_numbers_is_refused() {
    let fine = "sigma0 of coordinate 0, 1e-8, is finer than the numbers around its start, 1000000000: give at least 2e-6";
    refused(Settings::new([1e9, 5.0], [1e-8, 1.0]), fine);
    refused(Settings::new([5.0, 5.0], [1.0, 1e-17]), "coordinate 1, 1e-17, is finer than the numbers");
    let close = "the bounds of coordinate 1, [0.3, 0.30000000000000004], are 5.6e-17 apart";
    refused(Settings::within([(0.0, 3.0), (0.3, 0.1 + 0.2)]), close);
    refused(Settings::within([(-1.0, 1.0), (1.0, 1.0 + 50.0 * f64::EPSILON)]), "make them equal to fix it");
    for sound in [
        Settings::new([1e9, 5.0], [3e-6, 1.0]),
        Settings::new([0.0, 5e-200], 1e-200),
        Settings::within([(1.0, 1.0 + 300.0 * f64::EPSILON), (0.0, 1e-9)]),
        Settings::within([(0.3, 0.3), (0.0, 1.0)]),
        Settings::new([1e16], 1.0).integer(true),
    ] {
        assert!(sound.validate().is_ok(), "{sound:?}");
    }
}
