//! Settings in a file give the run that the builder gives, and a mistake is named.

use enes::{
    Baseline, BoundHandling, Direction, LinearConstraint, ModelChoice, Restarts, Settings, SettingsFile,
    Shaping, Strategy,
};

fn from_toml(text: &str) -> Settings {
    Settings::try_from(toml::from_str::<SettingsFile>(text).unwrap()).unwrap()
}

fn refused(text: &str) -> String {
    match toml::from_str::<SettingsFile>(text) {
        Err(error) => error.to_string(),
        Ok(file) => Settings::try_from(file).unwrap_err().to_string(),
    }
}

#[test]
fn every_setting_of_the_adaptive_strategy_is_that_of_the_builder() {
    let file = from_toml(
        r#"
        x0 = [1, 2.5, 3]
        sigma0 = [0.1, 1.0, 2.0]
        bounds = [[-5, 5], [1e-3, inf], [0, 9]]
        log_scale = [false, true, false]
        integer = [false, false, true]
        bound_handling = "reflect"
        strategy = "adaptive"
        direction = "maximize"
        seed = 7
        population = 12
        restarts = "ipop"
        max_restarts = 3
        model = "rank_only"
        workers = 4
        target = 0.5
        max_evaluations = 1000
        max_generations = 100
        max_seconds = 2.5
        tolx = 1e-9
        tolfun = false
        tolfunhist = true
        tolstagnation = 50
        tolconditioncov = 1e10
        tolfacupx = false
        tolflatfitness = 3
        noeffect = false
        "#,
    );
    let built = Settings::new([1.0, 2.5, 3.0], [0.1, 1.0, 2.0])
        .bounds([(-5.0, 5.0), (1e-3, f64::INFINITY), (0.0, 9.0)])
        .log_scale([false, true, false])
        .integer([false, false, true])
        .bound_handling(BoundHandling::Reflect)
        .strategy(Strategy::Adaptive)
        .direction(Direction::Maximize)
        .seed(7)
        .population(12)
        .restarts(Restarts::Ipop)
        .max_restarts(3)
        .model(ModelChoice::RankOnly)
        .workers(4)
        .target(0.5)
        .max_evaluations(1000)
        .max_generations(100)
        .max_time(std::time::Duration::from_millis(2500))
        .tolx(1e-9)
        .tolfun(None)
        .tolstagnation(50)
        .tolconditioncov(1e10)
        .tolfacupx(None)
        .tolflatfitness(3)
        .noeffect(false);
    assert_eq!(file, built);
}

#[test]
fn every_setting_of_the_published_strategy_is_that_of_the_builder() {
    let file = from_toml(
        "x0 = [1, 2]\nsigma0 = 0.5\nstrategy = \"published\"\nlearning_rate = 0.5\nlearning_rate_factor = 0.25\n\
         refresh_rate = 0.1\ndrift_correction = true\nbaseline = 1.15\nshaping = [1, 0.5, 0, 0]\ntolstagnation = false\n\
         tolfacupx = true\nalgebra_threads = 2\n",
    );
    let built = Settings::new([1.0, 2.0], 0.5)
        .strategy(Strategy::Published)
        .learning_rate(0.5)
        .learning_rate_factor(0.25)
        .refresh_rate(0.1)
        .drift_correction(true)
        .baseline(Baseline::Mean { factor: 1.15 })
        .shaping(Shaping::Table(vec![1.0, 0.5, 0.0, 0.0]))
        .tolstagnation(None)
        .algebra_threads(2);
    assert_eq!(file, built);
    let follows = "x0=[1, 2]\nsigma0=1\nstrategy='published'\npopulation='auto'\nlearning_rate='adaptive'";
    let built = Settings::new([1.0, 2.0], 1.0).strategy(Strategy::Published).auto_population(true);
    assert_eq!(from_toml(follows), built.adaptive_learning_rate(true));
    let named = from_toml("x0=[1, 2]\nsigma0=1\nstrategy='published'\nbaseline='specific'\nshaping='linear'");
    let built = Settings::new([1.0, 2.0], 1.0).strategy(Strategy::Published);
    assert_eq!(named, built.baseline(Baseline::Specific).shaping(Shaping::Linear));
}

#[test]
fn json_has_null_for_a_bound_that_is_not_there_and_the_start_may_be_left_out() {
    let file: SettingsFile = serde_json::from_str(
        r#"{"x0": [1], "bounds": [[0, null]], "sigma0": 1, "noisy": true, "log_scale": false}"#,
    )
    .unwrap();
    let built = Settings::new([1.0], 1.0).bounds([(0.0, f64::INFINITY)]).noisy(true);
    assert_eq!(Settings::try_from(file).unwrap(), built);
    assert_eq!(from_toml("bounds = [[0, 4], [1, 2]]"), Settings::within([(0.0, 4.0), (1.0, 2.0)]));
    assert_eq!(
        from_toml("x0 = [0, 0]\nsigma0 = [[1, 0.5], [0.5, 1]]"),
        Settings::new([0.0, 0.0], vec![vec![1.0, 0.5], vec![0.5, 1.0]])
    );
}

#[test]
fn what_excludes_other_settings_is_read_too() {
    assert_eq!(from_toml("x0 = [1, 2]\nsigma0 = 1\nbatch = 1"), Settings::new([1.0, 2.0], 1.0).batch(1));
    let rate = from_toml("x0 = [1, 2]\nsigma0 = 1\nstrategy = 'published'\nlearning_rate_mean = 0.5");
    assert_eq!(rate, Settings::new([1.0, 2.0], 1.0).strategy(Strategy::Published).learning_rate_mean(0.5));
    let all =
        from_toml("bounds = [[1, 9], [1, 9]]\nlog_scale = true\ninteger = true\nbound_handling = 'resample'");
    let built = Settings::within([(1.0, 9.0), (1.0, 9.0)]).log_scale(true).integer(true);
    assert_eq!(all, built.bound_handling(BoundHandling::Resample));
}

#[test]
fn a_run_from_a_file_is_the_run_of_the_builder() {
    let sphere = |x: &[f64]| x.iter().map(|v| v * v).sum();
    let file = from_toml("x0 = [3, 3, 3]\nsigma0 = 1\nseed = 5\ntarget = 1e-9");
    let built = Settings::new([3.0; 3], 1.0).seed(5).target(1e-9);
    let (a, b) = (enes::minimize(&file, sphere).unwrap(), enes::minimize(&built, sphere).unwrap());
    assert_eq!((a.point, a.evaluations), (b.point, b.evaluations));
}

#[test]
fn constraints_in_a_file_are_those_of_the_builder() {
    let file = from_toml(
        r#"
        x0 = [1, 2]
        sigma0 = 1
        inequalities = ["stress", "mass"]
        equalities = 1
        linear = [{ row = [1, 2], upper = 3 }, { row = [1, 0], lower = 0, upper = 9 }]
        catol = 1e-4
        "#,
    );
    let built = Settings::new([1.0, 2.0], 1.0).inequalities(["stress", "mass"]).equalities(1).catol(1e-4);
    let built = built.linear(LinearConstraint::at_most([[1.0, 2.0]], [3.0]));
    assert_eq!(file, built.linear(LinearConstraint::new([[1.0, 0.0]], [0.0], [9.0])));
    let wrong = refused("x0 = [1, 2]\nsigma0 = 1\nlinear = [{ row = [1], upper = 3 }]");
    assert!(wrong.contains("row 0 has 1 coefficients"), "{wrong}");
    let wrong = refused("x0 = [1, 2]\nsigma0 = 1\nequalities = true");
    assert!(wrong.contains("a number of constraints, or a list of their names"), "{wrong}");
}

#[test]
fn mistakes_are_named() {
    for (text, word) in [
        ("x0 = [1]\nsigma0 = 1\nmax_evalutions = 3", "unknown field `max_evalutions`"),
        (
            "x0 = [1]\nsigma0 = 1\nstrategy = 'adaptiv'",
            "unknown variant `adaptiv`, expected `adaptive` or `published`",
        ),
        ("x0 = [1]\nsigma0 = 'wide'", "sigma0 must be a number, a list of numbers"),
        ("x0 = [1]\nsigma0 = 1\ntolx = 'none'", "a number, or false to switch it off"),
        ("x0 = [1]\nsigma0 = 1\npopulation = 'large'", "population must be a whole number, or \"auto\""),
        ("x0 = [1]\nsigma0 = 1\nlearning_rate = 'auto'", "learning_rate must be a number, or \"adaptive\""),
        ("x0 = [1]\nsigma0 = 1\npopulation = 'auto'", "auto_population belongs to the strategy `published`"),
        ("x0 = [1]\nsigma0 = 1\nbaseline = 'blok'", "\"specific\", \"block\""),
        ("x0 = [1]\nsigma0 = 1\nseed = -1", "seed"),
        ("x0 = [1, 2]\nsigma0 = -1", "sigma0"),
        ("seed = 1", "x0"),
        ("x0 = [1]", "sigma0"),
        (
            "x0 = [1]\nsigma0 = 1\nmax_seconds = -1",
            "max_seconds must be a number of seconds, 0 or larger, got -1",
        ),
    ] {
        let message = refused(text);
        assert!(message.contains(word), "{text}: {message}");
    }
}
