//! Settings that cannot be used are refused with the field, the value and the remedy.

use enes::{Baseline, Optimizer, Scale, Settings, SettingsError, Shaping, Strategy};

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
    refused(
        adaptive().shaping(Shaping::Table(vec![1.0, 0.0])),
        "shaping belongs to the strategy `published`",
    );
    // What is given as it is by default does no harm.
    adaptive().learning_rate(1.0).refresh_rate(0.01).baseline(Baseline::Block).validate().unwrap();
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
    refused(Settings::new(vec![0.0; 100_000], 1.0).population(10), "is too large");
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
        Optimizer::new(&Settings::new(vec![0.0; 70_000], 1.0)),
        Err(SettingsError::TooLarge { .. })
    ));
}
