//! Functions of a quadratic are as easy as the quadratic itself; and so are objectives with coordinates that do not matter.

use enes::{Optimizer, Restarts, Settings, minimize};

/// Curvatures from 1 to 30, turned in every plane of two neighbouring coordinates; the least is 0, at 1, 1, ….
fn quadratic(x: &[f64]) -> f64 {
    let mut y: Vec<f64> = x.iter().map(|v| v - 1.0).collect();
    for i in 1..y.len() {
        (y[i - 1], y[i]) = (0.8 * y[i - 1] - 0.6 * y[i], 0.6 * y[i - 1] + 0.8 * y[i]);
    }
    let last = (y.len() - 1) as f64;
    y.iter().enumerate().map(|(i, v)| 30f64.powf(i as f64 / last) * v * v).sum::<f64>() / y.len() as f64
}

/// A name, and a function of q.
type Form = (&'static str, fn(f64) -> f64);

/// Cones and cusps, flat bottoms, and what saturates or grows ever more slowly; each is 2 at its optimum.
const FORMS: [Form; 8] = [
    ("q^0.4", |q| 2.0 + q.powf(0.4)),
    ("root", |q| 2.0 + q.sqrt()),
    ("root of a sum of squares with an offset", |q| 1.0 + (1.0 + q).sqrt()),
    ("q^0.9", |q| 2.0 + q.powf(0.9)),
    ("square", |q| 2.0 + q * q),
    ("logarithm", |q| 2.0 + q.ln_1p()),
    ("bell", |q| 3.0 - (-0.5 * q).exp()),
    ("ratio", |q| 2.0 + q / (1.0 + q)),
];

/// Evaluations until a value is within 1e-8 of the least, and until the search ends.
fn evaluations(f: impl Fn(&[f64]) -> f64, d: usize, seed: u64) -> (u64, u64) {
    let settings =
        Settings::new(vec![0.3; d], 1.0).seed(seed).restarts(Restarts::Off).max_evaluations(20_000);
    let mut es = Optimizer::new(&settings).unwrap();
    let (mut reached, mut spent) = (u64::MAX, 0);
    while es.stop_reason().is_none() {
        let values: Vec<f64> = es.ask().iter().map(&f).collect();
        for value in &values {
            spent += 1;
            if *value <= 2.0 + 1e-8 {
                reached = reached.min(spent);
            }
        }
        es.tell(&values).unwrap();
    }
    (reached, spent)
}

fn median(mut values: Vec<u64>) -> u64 {
    values.sort_unstable();
    values[values.len() / 2]
}

#[test]
fn a_function_of_a_quadratic_takes_hardly_more_than_its_coefficients() {
    for d in [2, 4, 8] {
        let coefficients = ((d + 1) * (d + 2) / 2) as u64;
        for (name, form) in FORMS {
            let each = (0..5).map(|seed| evaluations(|x| form(quadratic(x)), d, seed));
            let (reached, spent): (Vec<u64>, Vec<u64>) = each.unzip();
            assert!(median(reached.clone()) <= coefficients + 25, "{name}, d = {d}: {reached:?}");
            // Beside a cusp a fall of 1e-11 is one of 1e-14 in every coordinate.
            let ends = name == "q^0.4" || median(spent.clone()) <= coefficients + 40;
            assert!(ends, "{name}, d = {d}: {spent:?}");
        }
    }
}

#[test]
fn what_is_no_function_of_a_quadratic_is_not_taken_for_one() {
    // Two quadratics, and a trend across ripples: a power of neither is one.
    let halves = |x: &[f64]| 2.0 + quadratic(x).sqrt() * if x[0] > 1.0 { 3.0 } else { 1.0 };
    let ripples =
        |x: &[f64]| 2.0 + quadratic(x) + x.iter().map(|v| 0.1 - 0.1 * (20.0 * (v - 1.0)).cos()).sum::<f64>();
    let found =
        |f: &dyn Fn(&[f64]) -> f64| (0..10).filter(|&seed| evaluations(f, 3, seed).0 < u64::MAX).count();
    assert_eq!(found(&halves), 10);
    // One search alone ends where ripples lead it.
    assert!(found(&ripples) < 10);
}

#[test]
fn coordinates_that_do_not_matter_cost_nothing() {
    for (relevant, d) in [(1, 2), (1, 3), (2, 3), (3, 5), (2, 8)] {
        for width in [1.0, 100.0] {
            let bounds: Vec<_> =
                (0..d).map(|i| if i < relevant { (-20.0, 20.0) } else { (-width, width) }).collect();
            let start: Vec<f64> = (0..d).map(|i| if i < relevant { -19.0 } else { 0.3 * width }).collect();
            let f = |x: &[f64]| x[..relevant].iter().map(|v| (v - 3.0).powi(2)).sum::<f64>();
            let settings = Settings::new(start, 0.3).restarts(Restarts::Off).max_evaluations(5000);
            for settings in [settings.clone(), settings.bounds(bounds)] {
                let outcome = minimize(&settings.seed(3), f).unwrap();
                let case = format!(
                    "{relevant} of {d}, width {width}: {} after {}",
                    outcome.value, outcome.evaluations
                );
                assert!(outcome.success && outcome.value < 1e-8 && outcome.evaluations <= 100, "{case}");
            }
        }
    }
}
