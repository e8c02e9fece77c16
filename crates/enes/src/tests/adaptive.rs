//! The adaptive strategy as a whole: against a plain program, its trust, its volume, what must not move it.

use super::plain::Plain;
use crate::{ModelChoice, Optimizer, Settings};

fn tell(es: &mut Optimizer, f: impl FnMut(&[f64]) -> f64) {
    let values: Vec<f64> = es.ask().iter().map(f).collect();
    es.tell(&values).unwrap();
}

fn ellipsoid(x: &[f64]) -> f64 {
    x.iter().enumerate().map(|(i, v)| 10f64.powi(i as i32 % 4) * (v - 0.3) * (v - 0.3)).sum()
}

/// Coarse values, so that many are equal, and some that are no numbers.
fn steps(x: &[f64]) -> f64 {
    let f = (2.0 * ellipsoid(x)).floor();
    if f % 7.0 == 3.0 { f64::NAN } else { f }
}

/// Zero far and wide: whole generations are flat.
fn plateau(x: &[f64]) -> f64 {
    (x[0] - 2.0).floor().max(0.0)
}

/// The plain program is right about what it shares with the update it was made from.
#[test]
fn the_plain_program_meets_the_trajectories_of_the_design() {
    let data = super::oracle_data(include_bytes!("../../tests/data/rank-regression.json.gz"));
    let numbers = |v: &serde_json::Value| -> Vec<f64> {
        v.as_array().unwrap().iter().map(|x| x.as_f64().unwrap()).collect()
    };
    for case in data["cases"].as_array().unwrap() {
        let lambda = case["lam"].as_u64().unwrap() as usize;
        let mut plain = Plain::by_first_rule(numbers(&case["x0"]), case["sigma0"].as_f64().unwrap(), lambda);
        for expected in case["generations"].as_array().unwrap() {
            let normals: Vec<Vec<f64>> =
                expected["normals"].as_array().unwrap().iter().map(numbers).collect();
            let values = numbers(&expected["values"]);
            let points: Vec<Vec<f64>> = expected["points"].as_array().unwrap().iter().map(numbers).collect();
            // The value belongs to the point that is nearest: theirs and ours differ by rounding.
            let value = |y: &[f64]| {
                let off = |p: &Vec<f64>| p.iter().zip(y).map(|(a, b)| (a - b).powi(2)).sum::<f64>();
                let nearest = (0..points.len()).min_by(|i, j| off(&points[*i]).total_cmp(&off(&points[*j])));
                values[nearest.unwrap()]
            };
            plain.generation(&normals, value);
            let ours = [&plain.mean[..], &plain.path, &[plain.sigma, plain.quality, plain.trust()]].concat();
            let rest = ["sigma", "rho", "trust"].map(|name| expected[name].as_f64().unwrap());
            let theirs = [&numbers(&expected["mean"])[..], &numbers(&expected["path"]), &rest].concat();
            for (a, b) in ours.iter().zip(&theirs) {
                assert!((a - b).abs() < 1e-8 * (1.0 + b.abs()), "{a} {b}");
            }
        }
    }
}

fn equal_runs(d: usize, lambda: Option<usize>, generations: usize, f: fn(&[f64]) -> f64) {
    let x0: Vec<f64> = (0..d).map(|k| 1.0 + 0.1 * (k as f64).sin()).collect();
    let settings =
        Settings::new(x0.clone(), 0.8).model(ModelChoice::RankOnly).population(lambda).seed(d as u64);
    // The plain program's populations stay as they are.
    let settings = settings.clone().population(settings.population_size());
    let mut es = Optimizer::new(&settings).unwrap();
    let mut plain = Plain::new(x0, 0.8, es.population_size());
    for generation in 1..=generations {
        let mut numbers = es.generator.clone();
        let normals: Vec<Vec<f64>> =
            (0..es.population_size()).map(|_| (0..d).map(|_| numbers.normal()).collect()).collect();
        tell(&mut es, f);
        plain.generation(&normals, f);
        let scaled: Vec<f64> = plain.shape.concat().iter().map(|a| a * plain.sigma).collect();
        let ours = [es.mean(), es.distribution().factor(), &[es.trust().unwrap()]].concat();
        let theirs = [&plain.mean[..], &scaled, &[plain.trust()]].concat();
        for (a, b) in ours.iter().zip(&theirs) {
            // 1e-8: rounding, carried from generation to generation.
            assert!((a - b).abs() < 1e-8 * (1.0 + b.abs()), "d {d}, generation {generation}: {a} {b}");
        }
    }
}

#[test]
fn runs_equal_those_of_a_plain_program() {
    for (d, lambda, generations) in [
        (1, None, 20),
        (2, None, 25),
        (2, Some(20), 15),
        (3, Some(30), 12),  // the primal form, blocks of samples
        (10, Some(24), 15), // between a small and a large population
        (10, Some(60), 12),
        (5, None, 25),
        (9, Some(2), 30),
        (12, None, 25),
        (24, None, 15),      // a smaller archive
        (45, None, 12),      // squares of different points unrelated
        (42, Some(150), 10), // and many of them
        (50, Some(5), 24),   // a fit for three generations, half of what many dimensions have
        (90, Some(12), 14),  // all of what many dimensions have
        (90, Some(30), 13),  // fewer than four points a dimension
    ] {
        equal_runs(d, lambda, generations, ellipsoid);
    }
}

#[test]
fn runs_with_ties_failures_and_plateaus_equal_those_of_a_plain_program() {
    for f in [steps, plateau] {
        for (d, lambda) in [(1, None), (2, None), (3, Some(20)), (6, None)] {
            equal_runs(d, lambda, 20, f);
        }
    }
}

#[test]
fn a_model_of_a_smooth_function_earns_trust_and_a_wrong_one_loses_it() {
    let mut es =
        Optimizer::new(&Settings::new([1.0, -1.0, 2.0, 0.5], 1.0).model(ModelChoice::RankOnly).seed(1))
            .unwrap();
    assert_eq!((es.trust(), es.archive_len()), (Some(0.0), Some(0)));
    (0..40).for_each(|_| tell(&mut es, ellipsoid));
    assert_eq!(es.archive_len(), Some(24));
    assert!(es.trust().unwrap() > 0.9, "{:?}", es.trust());
    // From now on the opposite is true of every prediction: quality falls below zero, trust to it.
    let (mut sign, mut least) = (1.0, 1f64);
    for _ in 0..60 {
        sign = -sign;
        tell(&mut es, |x| sign * ellipsoid(x));
        least = least.min(es.trust().unwrap());
    }
    assert_eq!(least, 0.0);
}

#[test]
fn noise_is_hardly_trusted() {
    for d in [2, 5, 20] {
        let mut noise = crate::random::Generator::new(3);
        let mut es = Optimizer::new(&Settings::new(vec![0.0; d], 1.0).seed(5)).unwrap();
        let mut sum = 0.0;
        for _ in 0..400 {
            tell(&mut es, |_| noise.normal());
            sum += es.trust().unwrap();
        }
        // Correlations of λ values average to a quality of variance c_r/(2 − c_r)/(λ − 1), about 0.01, of
        // which trust is 6.25 times the positive half: 0.03 in the mean.
        assert!(sum / 400.0 < 0.1, "d {d}: {}", sum / 400.0);
    }
}

#[test]
fn any_initial_covariance_is_a_scale_and_a_shape() {
    // The run of a transformed problem with the transformed scale is the transformed run.
    let diagonal = [4.0, 0.25, 8.0]; // powers of two: the transformation is exact
    let mut plain = Optimizer::new(&Settings::new([1.0; 3], 1.0).seed(4)).unwrap();
    let mut scaled = Optimizer::new(&Settings::new(diagonal, diagonal).seed(4)).unwrap();
    for _ in 0..30 {
        tell(&mut plain, ellipsoid);
        tell(&mut scaled, |x| ellipsoid(&[x[0] / 4.0, x[1] / 0.25, x[2] / 8.0]));
        for ((a, b), s) in plain.mean().iter().zip(scaled.mean()).zip(diagonal) {
            assert!((a * s - b).abs() < 1e-10 * s, "{a} {b}");
        }
    }
}

#[test]
fn failures_at_random_leave_the_search_where_it_was() {
    // Nine in ten evaluations fail, the others are equal: nothing can be learned.
    let mut state = 1u64;
    let mut es = Optimizer::new(&Settings::new([1.0, 2.0], 0.5).seed(6)).unwrap();
    let before = es.distribution().clone();
    for _ in 0..50 {
        tell(&mut es, |_| {
            state = state.wrapping_mul(6364136223846793005).wrapping_add(1442695040888963407);
            if state >> 33 & 0xff < 230 { f64::NAN } else { f64::INFINITY }
        });
    }
    assert_eq!(es.distribution(), &before);
    // And it goes on from there as soon as there are values.
    (0..80).for_each(|_| tell(&mut es, ellipsoid));
    assert!(es.best().unwrap().value < 1e-6, "{:?}", es.best());
}
