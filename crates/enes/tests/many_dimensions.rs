//! More than 1000 dimensions: a covariance of limited memory behind the same ask and tell.

use enes::{BoundHandling, Mode, ModelChoice, Optimizer, Settings, Strategy, WarmStart};

const D: usize = 1200;

fn sphere(x: &[f64]) -> f64 {
    x.iter().map(|v| (v - 0.5) * (v - 0.5)).sum()
}

fn tell(es: &mut Optimizer, f: impl FnMut(&[f64]) -> f64) {
    let values: Vec<f64> = es.ask().iter().map(f).collect();
    es.tell(&values).unwrap();
}

/// Every bit of a checkpoint, but the counters of the machine.
fn resumes(settings: &Settings, generations: usize) {
    let mut es = Optimizer::new(settings).unwrap();
    (0..generations).for_each(|_| tell(&mut es, sphere));
    let _asked = es.ask(); // in the middle of a generation
    let mut again = Optimizer::from_checkpoint(&es.to_checkpoint()).unwrap();
    for _ in 0..5 {
        assert_eq!(es.ask(), again.ask());
        tell(&mut es, sphere);
        tell(&mut again, sphere);
    }
    assert_eq!(es.to_checkpoint(), again.to_checkpoint());
}

#[test]
fn a_run_resumes_bit_for_bit() {
    let settings = Settings::new(vec![1.0; D], 0.3).seed(4);
    resumes(&settings, 0);
    resumes(&settings, 30);
    resumes(&settings.clone().bounds(vec![(0.0, 2.0); D]), 10);
    resumes(&settings.noisy(true).max_evaluations(100_000), 10);
}

#[test]
fn the_population_is_that_of_cma_es_and_the_covariance_is_limited() {
    let es = Optimizer::new(&Settings::new(vec![0.0; D], 1.0)).unwrap();
    assert_eq!(es.population_size(), 4 + (3.0 * (D as f64).ln()) as usize);
    let p = es.distribution();
    assert!(p.is_limited() && p.factor().is_empty() && p.covariance().is_empty());
    assert!(p.axis_lengths().is_empty() && es.covariance().is_empty());
    assert_eq!(p.standard_deviations(), vec![1.0; D]);
    assert!((p.log_density(&[0.0; D]) + 0.5 * D as f64 * std::f64::consts::TAU.ln()).abs() < 1e-9);
    let full = Optimizer::new(&Settings::new(vec![0.0; 1000], 1.0)).unwrap();
    assert!(!full.distribution().is_limited());
    let published = Settings::new(vec![0.0; 1001], 1.0).strategy(Strategy::Published).population(4);
    assert!(!Optimizer::new(&published).unwrap().distribution().is_limited());
    // Coordinates that are fixed take no dimension.
    let bounds: Vec<(f64, f64)> = (0..1100).map(|i| if i < 200 { (1.0, 1.0) } else { (0.0, 2.0) }).collect();
    assert!(!Optimizer::new(&Settings::within(bounds)).unwrap().distribution().is_limited());
}

#[test]
fn a_sphere_shrinks_and_deviations_follow_units() {
    // Coordinate j in units of 1 to 100: known to the optimizer by sigma0.
    let units: Vec<f64> = (0..D).map(|j| 10f64.powf(2.0 * j as f64 / D as f64)).collect();
    let f = |x: &[f64]| x.iter().zip(&units).map(|(x, u)| (x / u).powi(2)).sum::<f64>();
    let settings = Settings::new(units.clone(), units.clone()).seed(1).max_evaluations(20 * D as u64);
    let outcome = enes::minimize(&settings, f).unwrap();
    // log₁₀ of the decrease is 2.3 to 2.5 with other seeds; theory says 2.9 at the best step from the first on.
    assert!(outcome.value < 10f64.powf(-2.0) * D as f64, "{}", outcome.value);
}

#[test]
fn points_stay_within_bounds_by_every_handling() {
    for handling in [BoundHandling::Smooth, BoundHandling::Reflect, BoundHandling::Resample] {
        let settings = Settings::new(vec![0.5; D], 0.1).bounds(vec![(0.0, 1.0); D]).bound_handling(handling);
        let mut es = Optimizer::new(&settings).unwrap();
        for _ in 0..60 {
            assert!(es.ask().iter().flatten().all(|x| (0.0..=1.0).contains(x)));
            tell(&mut es, |x| -x.iter().sum::<f64>());
        }
        let mean = es.mean().iter().sum::<f64>() / D as f64;
        assert!(mean > 0.55, "{handling:?}: {mean}");
    }
}

#[test]
fn integers_keep_their_margin() {
    let integers: Vec<bool> = (0..D).map(|j| j % 2 == 0).collect();
    let settings = Settings::new(vec![3.0; D], 1.0).integer(integers).seed(2);
    let mut es = Optimizer::new(&settings).unwrap();
    let before = sphere(es.mean());
    for _ in 0..200 {
        let points: Vec<Vec<f64>> = es.ask().iter().map(<[f64]>::to_vec).collect();
        assert!(points.iter().all(|x| x.iter().step_by(2).all(|v| v.fract() == 0.0)));
        let values: Vec<f64> = points.iter().map(|x| sphere(x)).collect();
        es.tell(&values).unwrap();
    }
    assert!(sphere(es.mean()) < before);
    assert!(es.standard_deviations().iter().step_by(2).all(|s| *s > 0.05));
}

#[test]
fn searches_follow_each_other() {
    // Flat values end a search at once.
    let settings = Settings::new(vec![1.0; D], 1.0).max_evaluations(2000).tolflatfitness(Some(1));
    let mut es = Optimizer::new(&settings).unwrap();
    while es.stop_reason().is_none() {
        tell(&mut es, |_| 1.0);
    }
    assert!(!es.restarts().is_empty() && es.distribution().is_limited());
    resumes(&settings.max_evaluations(100_000).target(-1.0), 3);
}

#[test]
fn one_point_in_flight_gives_the_run_of_generations() {
    let settings = Settings::new(vec![1.0; D], 0.3).seed(4);
    let (mut whole, mut single) = (Optimizer::new(&settings).unwrap(), Optimizer::new(&settings).unwrap());
    for _ in 0..4 {
        tell(&mut whole, sphere);
        for _ in 0..whole.population_size() {
            let proposal = single.ask_one().unwrap().unwrap();
            single.tell_one(proposal.id, sphere(&proposal.point)).unwrap();
        }
        assert_eq!(whole.mean(), single.mean());
    }
}

#[test]
fn many_points_in_flight_move_on() {
    let mut es = Optimizer::new(&Settings::new(vec![1.0; D], 0.3)).unwrap();
    let first = sphere(es.mean());
    let mut flying = Vec::new();
    for _ in 0..1500 {
        flying.push(es.ask_one().unwrap().unwrap());
        if flying.len() > 60 {
            let proposal = flying.remove(7);
            es.tell_one(proposal.id, sphere(&proposal.point)).unwrap();
        }
    }
    assert!(sphere(es.mean()) < first);
}

#[test]
fn an_injected_point_draws_the_mean() {
    let mut es = Optimizer::new(&Settings::new(vec![1.0; D], 0.1)).unwrap();
    tell(&mut es, sphere);
    let before = sphere(es.mean());
    es.inject(&[0.5; D], 0.0).unwrap();
    tell(&mut es, sphere);
    assert!(sphere(es.mean()) < 0.9 * before);
    assert_eq!(es.best().unwrap().value, 0.0);
}

#[test]
fn a_warm_start_takes_deviations_and_tables() {
    let settings = Settings::new(vec![1.0; D], 0.3);
    let mut es = Optimizer::new(&settings).unwrap();
    (0..50).for_each(|_| tell(&mut es, sphere));
    let warm = WarmStart::from_run(&es);
    let (mean, deviations) = warm.deviations().unwrap();
    assert_eq!((mean, deviations), (es.mean(), &es.standard_deviations()[..]));
    let again = Optimizer::new(&settings.clone().warm_start(warm)).unwrap();
    assert_eq!(again.mean(), es.mean());
    let points: Vec<Vec<f64>> = (1..9).map(|i| vec![0.5 + 0.01 * f64::from(i); D]).collect();
    let values: Vec<f64> = points.iter().map(|x| sphere(x)).collect();
    let table = Optimizer::new(&settings.clone().warm_start(WarmStart::from_table(points, values))).unwrap();
    assert!((table.mean()[0] - 0.52).abs() < 0.01, "{}", table.mean()[0]);
    let mut rows = vec![vec![0.0; D]; D];
    (0..D).for_each(|i| rows[i][i] = 0.04);
    let given =
        settings.clone().warm_start(WarmStart::from_distribution(vec![2.0; D], rows.clone()).widen(1.0));
    assert!((Optimizer::new(&given).unwrap().standard_deviations()[7] - 0.2).abs() < 1e-15);
    let covariance = Optimizer::new(&Settings::new(vec![0.0; D], rows)).unwrap();
    assert!((covariance.standard_deviations()[7] - 0.2).abs() < 1e-15);
}

#[test]
fn warm_starts_that_do_not_fit_are_refused_by_name() {
    for d in [3, D] {
        let settings = Settings::new(vec![1.0; d], 0.3);
        let said = |deviations: Vec<f64>| {
            let warm = WarmStart::from_deviations(vec![1.0; d], deviations);
            settings.clone().warm_start(warm).validate().unwrap_err().to_string()
        };
        assert!(said(vec![1.0; 2]).contains("2 deviations"), "{}", said(vec![1.0; 2]));
        let mut negative = vec![1.0; d];
        negative[1] = -1.0;
        assert!(said(negative.clone()).contains("deviation 1 must be positive"), "{}", said(negative));
    }
    for sigma in [f64::NAN, 0.0, -1.0] {
        assert!(Settings::new(vec![0.0; D], sigma).validate().is_err());
        let mut each = vec![1.0; D];
        each[17] = sigma;
        assert!(Settings::new(vec![0.0; D], each).validate().unwrap_err().to_string().contains("17"));
    }
    assert!(Settings::new(vec![0.0; D], vec![1.0; D - 1]).validate().is_err());
}

#[test]
fn equal_values_widen_the_search_and_failures_move_nothing() {
    let mut es = Optimizer::new(&Settings::new(vec![1.0; D], 0.3)).unwrap();
    tell(&mut es, |_| f64::NAN);
    assert_eq!((es.mean()[0], es.standard_deviations()[0]), (1.0, 0.3));
    tell(&mut es, |_| 3.0);
    assert_eq!((es.mean()[0], es.standard_deviations()[0]), (1.0, 0.6));
    // One value that is a number is enough.
    let mut i = 0;
    tell(&mut es, |_| {
        i += 1;
        if i == 3 { 1.0 } else { f64::NAN }
    });
    assert!(es.mean().iter().any(|x| *x != 1.0) && es.mean().iter().all(|x| x.is_finite()));
}

#[test]
fn a_hundred_thousand_coordinates_take_less_than_a_gigabyte() {
    let settings = Settings::new(vec![1.0; 100_000], 0.3);
    // tests/generation_cost.rs holds the estimate against what is held.
    assert!(settings.generation_cost().bytes < 500_000_000);
    let mut es = Optimizer::new(&settings).unwrap();
    (0..3).for_each(|_| tell(&mut es, sphere));
    assert_eq!(es.generation(), 3);
}

fn leads(es: &Optimizer) -> bool {
    es.model().is_some_and(|model| model.mode == Mode::Surrogate)
}

/// Coordinates are mixed with their neighbours, and differ by a hundred.
fn ellipsoid(x: &[f64]) -> f64 {
    let mixed = |i: usize| 0.6 * x[i] + 0.8 * x[(i + 1) % x.len()];
    (0..x.len()).map(|i| 100f64.powf(i as f64 / D as f64) * mixed(i).powi(2)).sum()
}

fn afar() -> Settings {
    Settings::new((0..D).map(|j| 3.0 * (1.0 + j as f64).sin()).collect::<Vec<_>>(), 1.5).seed(5)
}

#[test]
fn a_smooth_function_is_followed_by_its_gradient() {
    let stiff = |x: &[f64]| sphere(x) + 1e4 * x.iter().map(|v| v - 0.5).sum::<f64>().powi(2) / D as f64;
    for (f, left) in [(sphere as fn(&[f64]) -> f64, 1e-6), (ellipsoid, 0.7), (stiff, 1e-4)] {
        let run =
            |settings: Settings| enes::minimize(&settings.max_evaluations(7 * D as u64), f).unwrap().value;
        let (value, by_ranks) = (run(afar()), run(afar().model(ModelChoice::RankOnly)));
        assert!(value < left * by_ranks, "{value} {by_ranks}");
    }
}

#[test]
fn a_sphere_takes_one_gradient_and_one_line() {
    let mut es = Optimizer::new(&afar()).unwrap();
    let first = sphere(&afar_mean());
    // 1.25 d samples, d differences, and what looks and lines take.
    while es.evaluations() < 5 * D as u64 / 2 {
        tell(&mut es, sphere);
    }
    let best = es.best().unwrap().value;
    assert!(best < 1e-9 * first, "{best} of {first}");
}

#[test]
fn the_first_look_shortens_a_step_that_is_too_long() {
    let scale = |f: fn(&[f64]) -> f64| {
        let mut es = Optimizer::new(&afar()).unwrap();
        tell(&mut es, f);
        assert!(!leads(&es) && es.mean() == afar_mean());
        es.standard_deviations()[0] / 1.5
    };
    // µ/d times the distance, 3√(d/2)/1.5: √2 samples' distances.
    let expected = 7.3 / (D as f64).sqrt() * 2f64.sqrt();
    let seen = scale(|x| x.iter().map(|v| v * v).sum());
    assert!((0.6..1.5).contains(&(seen / expected)), "{seen} {expected}");
    // Ripples hide the bowl; a slope has none.
    assert_eq!(scale(|x| x.iter().map(|v| v * v + 3.0 * (30.0 * v).sin()).sum()), 1.0);
    assert_eq!(scale(|x| x.iter().sum()), 1.0);
}

fn afar_mean() -> Vec<f64> {
    Optimizer::new(&afar()).unwrap().mean().to_vec()
}

#[test]
fn a_rugged_function_is_left_to_ranks() {
    let mut es = Optimizer::new(&afar()).unwrap();
    while es.evaluations() < 5 * D as u64 {
        assert!(!leads(&es));
        tell(&mut es, |x| x.iter().map(|v| v * v + 3.0 * (30.0 * v).sin()).sum());
    }
    assert!(es.model().is_some_and(|model| model.error > 0.3), "{:?}", es.model());
}

#[test]
fn a_run_that_a_gradient_leads_resumes_bit_for_bit() {
    let mut es = Optimizer::new(&afar()).unwrap();
    let mut led = 0;
    for generation in 0..220 {
        if generation % 9 == 0 {
            let mut again = Optimizer::from_checkpoint(&es.to_checkpoint()).unwrap();
            assert_eq!(es.ask(), again.ask());
            let mut between = Optimizer::from_checkpoint(&es.to_checkpoint()).unwrap();
            tell(&mut again, ellipsoid);
            tell(&mut between, ellipsoid);
            tell(&mut es, ellipsoid);
            assert!(
                es.to_checkpoint() == again.to_checkpoint() && es.to_checkpoint() == between.to_checkpoint()
            );
        } else {
            tell(&mut es, ellipsoid);
        }
        led += usize::from(leads(&es));
    }
    assert!(led > 100, "{led}");
}

#[test]
fn values_of_differences_that_come_late_and_in_any_order_are_used() {
    let mut es = Optimizer::new(&afar()).unwrap();
    let mut flying = Vec::new();
    while es.evaluations() < 5 * D as u64 {
        flying.extend(es.ask_one().unwrap());
        if flying.len() > 7 {
            let proposal = flying.remove((es.evaluations() % 7) as usize);
            es.tell_one(proposal.id, sphere(&proposal.point)).unwrap();
        }
    }
    let best = es.best().unwrap().value;
    assert!(best < 1e-4, "{best}");
}

#[test]
fn coordinates_that_change_nothing_neither_end_a_search_nor_its_gradient() {
    let f = |x: &[f64]| x[..300].iter().map(|v| v * v).sum::<f64>();
    let mut es = Optimizer::new(&afar().tolflatfitness(Some(2))).unwrap();
    let first = f(es.mean());
    while es.evaluations() < 5 * D as u64 && es.stop_reason().is_none() {
        tell(&mut es, f);
    }
    assert!(es.restarts().is_empty(), "{:?}", es.restarts().len());
    let best = es.best().unwrap().value;
    assert!(best < 1e-6 * first, "{best} {first}");
}

#[test]
fn there_is_no_gradient_where_points_are_drawn_again_with_noise_or_by_ranks_alone() {
    let never = |settings: Settings| {
        let mut es = Optimizer::new(&settings).unwrap();
        tell(&mut es, sphere);
        assert!(es.model().is_none());
        assert!(es.population_size() == 25 && es.standard_deviations()[0] > 1.0);
    };
    never(afar().bounds(vec![(-9.0, 9.0); D]).bound_handling(BoundHandling::Resample));
    never(afar().noisy(true));
    never(afar().model(ModelChoice::RankOnly));
}
