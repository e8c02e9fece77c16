//! The gradient by differences beyond 40 dimensions: where it leads, where it does not, and that a run is one run.

use enes::{BoundHandling, Mode, ModelChoice, Optimizer, Settings};

const D: usize = 60;

fn sphere(x: &[f64]) -> f64 {
    x.iter().map(|v| v * v).sum()
}

fn ellipsoid(x: &[f64]) -> f64 {
    let last = (x.len() - 1) as f64;
    // Along no coordinate: each is mixed with its neighbour.
    let mixed = |i: usize| 0.6 * x[i] + 0.8 * x[(i + 1) % x.len()];
    (0..x.len()).map(|i| 1e3f64.powf(i as f64 / last) * mixed(i).powi(2)).sum()
}

fn rastrigin(x: &[f64]) -> f64 {
    x.iter().map(|v| 10.0 + v * v - 10.0 * (std::f64::consts::TAU * v).cos()).sum()
}

fn start() -> Settings {
    let x0: Vec<f64> = (0..D).map(|j| 3.0 * (1.0 + j as f64).sin()).collect();
    Settings::new(x0, 1.5).seed(5)
}

fn leads(es: &Optimizer) -> bool {
    es.model().is_some_and(|model| model.mode == Mode::Surrogate)
}

fn tell(es: &mut Optimizer, f: impl Fn(&[f64]) -> f64) {
    let values: Vec<f64> = es.ask().iter().map(f).collect();
    es.tell(&values).unwrap();
}

/// The best value after so many evaluations, and how many of them the gradient led.
fn run(settings: &Settings, evaluations: u64, f: impl Fn(&[f64]) -> f64) -> (f64, u64) {
    let mut es = Optimizer::new(settings).unwrap();
    let mut led = 0;
    while es.evaluations() < evaluations && es.stop_reason().is_none() {
        let (leads, before) = (leads(&es), es.evaluations());
        tell(&mut es, &f);
        led += if leads { es.evaluations() - before } else { 0 };
    }
    (es.best().unwrap().value, led)
}

#[test]
fn a_smooth_function_is_followed_by_its_gradient() {
    let n = 5 * D as u64;
    let (value, led) = run(&start(), n, sphere);
    assert!(value < 1e-9 && led > n / 2, "{value} {led}");
    // By ranks alone a hundredth is left of it.
    let (by_ranks, led) = run(&start().model(ModelChoice::RankOnly), n, sphere);
    assert!(by_ranks > 1.0 && led == 0, "{by_ranks}");
    let n = 40 * D as u64;
    let (value, led) = run(&start(), n, ellipsoid);
    let (by_ranks, _) = run(&start().model(ModelChoice::RankOnly), n, ellipsoid);
    assert!(value < 0.1 * by_ranks && led > n / 2, "{value} {by_ranks} {led}");
}

/// Initial deviations say what a coordinate is measured in.
#[test]
fn coordinates_may_have_any_units() {
    let led = |unit: f64| {
        let scales = |j: usize| if j == 0 { unit } else { 1.0 };
        let sigma0: Vec<f64> = (0..D).map(|j| 0.3 * scales(j)).collect();
        let x0: Vec<f64> = (0..D).map(|j| 0.5 * scales(j)).collect();
        let settings = Settings::new(x0, sigma0).seed(5);
        let quartic = |x: &[f64]| {
            x.iter().enumerate().map(|(j, x)| (x / scales(j)).powi(2)).map(|y| y + y * y).sum::<f64>()
        };
        let boxed: Vec<(f64, f64)> = (0..D).map(|j| (-scales(j), scales(j))).collect();
        [settings.clone(), settings.bounds(boxed)].map(|settings| run(&settings, 20 * D as u64, quartic))
    };
    let (alike, mixed) = (led(1.0), led(1e7));
    for ((value, led), (mixed, mixed_led)) in alike.into_iter().zip(mixed) {
        assert!(value < 1e-6 && mixed < 1e-6, "{value} {mixed}");
        assert!(mixed_led > led / 2, "{led} {mixed_led}");
    }
}

/// Where whole stretches fail, samples wait for others.
#[test]
fn a_run_in_which_evaluations_fail_for_a_while_can_always_be_saved() {
    for settings in [start(), start().bounds(vec![(-5.0, 5.0); D])] {
        let mut es = Optimizer::new(&settings.max_evaluations(500)).unwrap();
        let mut flying = Vec::new();
        while es.stop_reason().is_none() {
            while flying.len() < 8
                && let Some(proposal) = es.ask_one().unwrap()
            {
                flying.push(proposal);
            }
            let proposal = flying.remove(es.evaluations() as usize % flying.len());
            let down = (es.evaluations() / 60) % 2 == 1;
            es.tell_one(proposal.id, if down { f64::NAN } else { sphere(&proposal.point) }).unwrap();
            let again = Optimizer::from_checkpoint(&es.to_checkpoint());
            assert!(again.is_ok(), "after {}: {}", es.evaluations(), again.unwrap_err());
        }
    }
}

#[test]
fn a_stiff_axis_among_some_hundred_coordinates_costs_a_few_gradients() {
    let d = 260;
    let stiff = |x: &[f64]| sphere(x) + 1e6 * x.iter().sum::<f64>().powi(2) / x.len() as f64;
    for seed in [3, 4] {
        let x0: Vec<f64> = (0..d).map(|j| 3.0 * ((1 + j) as f64 * seed as f64).sin()).collect();
        let first = stiff(&x0);
        let (value, _) = run(&Settings::new(x0, 1.5).seed(seed), 8 * d as u64, stiff);
        assert!(value < 1e-8 * first, "{value} of {first}");
    }
}

#[test]
fn a_rugged_function_is_left_to_ranks() {
    let n = 30 * D as u64;
    let (_, led) = run(&start(), n, rastrigin);
    // Two tries of d + 1 points and what follows them.
    assert!(led <= 3 * D as u64, "{led}");
}

#[test]
fn a_run_that_is_resumed_is_the_same_run() {
    let mut es = Optimizer::new(&start()).unwrap();
    let mut phases = 0;
    for _ in 0..40 {
        let bytes = es.to_checkpoint();
        let mut again = Optimizer::from_checkpoint(&bytes).unwrap();
        assert_eq!(es.ask(), again.ask());
        // Between ask and tell, too.
        let mut again = Optimizer::from_checkpoint(&es.to_checkpoint()).unwrap();
        tell(&mut es, ellipsoid);
        tell(&mut again, ellipsoid);
        assert_eq!(es.to_checkpoint(), again.to_checkpoint());
        phases += usize::from(leads(&es));
    }
    assert!(phases > 10, "{phases}");
}

#[test]
fn one_point_in_flight_gives_the_run_of_generations() {
    let (mut whole, mut single) = (Optimizer::new(&start()).unwrap(), Optimizer::new(&start()).unwrap());
    for _ in 0..20 {
        let rows = whole.ask().len();
        tell(&mut whole, ellipsoid);
        for _ in 0..rows {
            let proposal = single.ask_one().unwrap().unwrap();
            single.tell_one(proposal.id, ellipsoid(&proposal.point)).unwrap();
        }
        assert_eq!(whole.mean(), single.mean());
    }
    assert!(leads(&whole));
}

#[test]
fn values_that_come_late_and_in_any_order_are_used() {
    let mut es = Optimizer::new(&start()).unwrap();
    let mut flying = Vec::new();
    let mut led = 0;
    while es.evaluations() < 15 * D as u64 && es.stop_reason().is_none() {
        flying.extend(es.ask_one().unwrap());
        if flying.len() > 7 {
            let proposal = flying.remove((es.evaluations() % 7) as usize);
            es.tell_one(proposal.id, sphere(&proposal.point)).unwrap();
            led += u32::from(leads(&es));
        }
    }
    let best = es.best().unwrap().value;
    assert!(led > 100 && best < 1e-6, "{led} {best}");
}

#[test]
fn failures_are_left_to_ranks() {
    // Half of all points fail, among them most steps.
    let f = |x: &[f64]| if x[0] + x[1] > 0.5 { f64::NAN } else { sphere(x) };
    let settings = Settings::new(vec![-1.0; D], 0.5).seed(2);
    let (value, _) = run(&settings, 60 * D as u64, f);
    assert!(value < 0.1 * D as f64, "{value}");
}

#[test]
fn there_is_none_where_points_are_drawn_again_with_noise_with_integers_and_up_to_forty() {
    let never = |settings: Settings| {
        let mut es = Optimizer::new(&settings).unwrap();
        while es.evaluations() < 3 * D as u64 {
            assert!(!leads(&es));
            tell(&mut es, sphere);
        }
    };
    never(start().bounds(vec![(-9.0, 9.0); D]).bound_handling(BoundHandling::Resample));
    never(start().noisy(true));
    never(start().integer((0..D).map(|j| j == 0).collect::<Vec<_>>()));
    never(start().model(ModelChoice::RankOnly));
}

#[test]
fn a_linear_model_that_explains_half_is_not_worth_differences() {
    // What a linear model cannot know is larger than what it can: a number made from the bits of the point.
    let half = |x: &[f64]| {
        let bits =
            x.iter().fold(0u64, |h, v| (h ^ v.to_bits()).wrapping_mul(0x9E37_79B9_7F4A_7C15).rotate_left(23));
        let noise = (bits >> 11) as f64 / (1u64 << 53) as f64 - 0.5;
        let slope: f64 = x.iter().sum();
        slope + 2.4 * (D as f64).sqrt() * 12f64.sqrt() * noise
    };
    let mut es = Optimizer::new(&start()).unwrap();
    let mut least = f64::INFINITY;
    while es.evaluations() < 4 * D as u64 {
        tell(&mut es, half);
        assert!(!leads(&es), "after {} evaluations: {:?}", es.evaluations(), es.model());
        least = es.model().map_or(least, |model| least.min(model.error));
    }
    assert!(least < 0.7, "the model explains too little to say anything: {least}");
}
