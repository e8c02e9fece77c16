//! One evaluation after another: when a step of the surrogate comes alone, and when a search begins to go so by itself.

use enes::{Mode, Optimizer, Restarts, Settings};

fn rosenbrock(x: &[f64]) -> f64 {
    x.windows(2).map(|p| 100.0 * (p[1] - p[0] * p[0]).powi(2) + (1.0 - p[0]).powi(2)).sum()
}

/// Steps of the surrogate that came alone, and those with a sample beside them.
fn steps(d: usize) -> (usize, usize) {
    let settings = Settings::new(vec![0.0; d], 0.5).seed(4).batch(1).restarts(Restarts::Off);
    let mut es = Optimizer::new(&settings.max_evaluations(60 * d as u64)).unwrap();
    let (mut alone, mut beside) = (0, 0);
    while es.stop_reason().is_none() {
        let active = es.model().is_some_and(|model| model.mode == Mode::Surrogate);
        let points = es.ask();
        match (active, points.len()) {
            (true, 1) => alone += 1,
            (true, 2) => beside += 1,
            (_, count) => assert_eq!(count, 1, "samples come one by one"),
        }
        let values: Vec<f64> = points.iter().map(rosenbrock).collect();
        es.tell(&values).unwrap();
    }
    (alone, beside)
}

#[test]
fn in_few_dimensions_steps_that_keep_their_promise_come_alone() {
    for d in [2, 3, 4] {
        let (alone, beside) = steps(d);
        assert!(alone > beside && beside > 0, "{d} dimensions: {alone} alone, {beside} with a sample");
    }
    let (alone, beside) = steps(5);
    assert!(alone == 0 && beside > 10, "{alone} alone, {beside} with a sample");
}

/// The largest generations of a search while it is wide and once it is narrow: a tenth of its initial deviations.
fn largest_generations(settings: &Settings) -> (usize, usize) {
    let mut es = Optimizer::new(&settings.clone().seed(7).restarts(Restarts::Off)).unwrap();
    let (mut wide, mut narrow) = (0, 0);
    while es.stop_reason().is_none() {
        let deviations = es.standard_deviations();
        // Far from the limit, since the rule is about the determinant.
        let largest = match deviations.iter().fold(0.0, |most: f64, s| most.max(*s)) {
            most if most < 0.05 => &mut narrow,
            _ if deviations.iter().all(|s| *s > 0.2) => &mut wide,
            _ => &mut 0,
        };
        let points = es.ask();
        *largest = points.len().max(*largest);
        let values: Vec<f64> = points.iter().map(rosenbrock).collect();
        es.tell(&values).unwrap();
    }
    (wide, narrow)
}

#[test]
fn a_narrow_search_in_few_dimensions_goes_one_by_one_unless_the_user_has_said_how() {
    for d in [2, 3, 4, 5] {
        let settings = Settings::new(vec![-1.0; d], 1.0);
        let population = settings.population_size();
        let (wide, narrow) = largest_generations(&settings);
        assert!(wide >= population, "{d} dimensions: {wide}");
        assert!(if d < 5 { narrow <= 2 } else { narrow >= population }, "{d} dimensions: {narrow}");
        let said = [settings.clone().population(population), settings.clone().workers(population)];
        assert!(said.into_iter().all(|settings| largest_generations(&settings).1 >= population));
        assert!(largest_generations(&settings.clone().batch(4)).1 >= 5);
    }
}

/// Values for each update with four points in flight, told one at a time or all four together.
fn values_of_an_update(together: bool) -> f64 {
    let settings = Settings::new([-1.0, 1.0], 1.0).seed(7).restarts(Restarts::Off);
    let mut es = Optimizer::new(&settings).unwrap();
    let mut flying = Vec::new();
    loop {
        flying.extend(es.ask_n(4 - flying.len()).unwrap());
        if flying.is_empty() {
            return es.evaluations() as f64 / es.generation() as f64;
        }
        let landed = if together { flying.len() } else { 1 };
        for proposal in flying.drain(..landed) {
            es.tell_one(proposal.id, rosenbrock(&proposal.point)).unwrap();
        }
    }
}

#[test]
fn with_points_in_flight_a_narrow_search_waits_for_as_many_values_as_before() {
    for together in [false, true] {
        let values = values_of_an_update(together);
        assert!(values > 3.0, "{values} values, together: {together}");
    }
}

#[test]
fn in_forty_dimensions_a_quadratic_takes_less_than_two_evaluations_a_coefficient_mostly_hardly_more_than_one()
{
    let (d, coefficients) = (40, 861);
    let ellipsoid = |x: &[f64]| -> f64 {
        let weight = |i: usize| 1e6f64.powf(i as f64 / (d - 1) as f64);
        x.iter().enumerate().map(|(i, x)| weight(i) * x * x).sum()
    };
    // Nothing predicts its values until there are as many points as coefficients.
    let tablet = |x: &[f64]| 1e6 * x[0] * x[0] + x[1..].iter().map(|x| x * x).sum::<f64>();
    let takes = |start: f64, seed, batch: Option<usize>, f: &dyn Fn(&[f64]) -> f64| {
        let settings = Settings::new(vec![start; d], 0.5).seed(seed).batch(batch).restarts(Restarts::Off);
        let outcome = enes::minimize(&settings.target(1e-8).max_evaluations(2 * coefficients), f).unwrap();
        (outcome.best.unwrap().1 < 1e-8).then_some(outcome.evaluations)
    };
    // The first is not solved where models that are not certain change the shape as they like, the second where an exact model that
    // failed waits for fits that do not come.
    let serial = [takes(1.3, 4, Some(1), &ellipsoid), takes(0.6, 3, Some(1), &tablet)];
    assert!(serial.iter().all(|e| e.is_some()), "{serial:?}");
    // An exact model that is not refined, or forgets, takes a tenth to a half more.
    let ellipsoids = [takes(1.3, 1, Some(1), &ellipsoid), takes(1.3, 1, None, &ellipsoid)];
    assert!(ellipsoids.iter().all(|e| e.is_some_and(|e| 100 * e < 106 * coefficients)), "{ellipsoids:?}");
}
