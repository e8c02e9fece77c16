//! Trajectories of an independent program.

use serde_json::Value;

use super::*;

/// Part A of the design, generation by generation, from a program that shares no code with this one.
const TRAJECTORIES: &str = include_str!("../../../tests/data/rank-regression.json");

fn numbers(value: &Value) -> Vec<f64> {
    match value {
        Value::Array(items) => items.iter().flat_map(numbers).collect(),
        number => vec![number.as_f64().unwrap()],
    }
}

/// The upper triangle, which is what the library fills.
fn upper(full: &[f64], d: usize) -> Vec<f64> {
    full.iter().enumerate().map(|(i, v)| if i % d < i / d { 0.0 } else { *v }).collect()
}

#[test]
fn runs_equal_those_of_an_independent_program() {
    let data: Value = serde_json::from_str(TRAJECTORIES).unwrap();
    for case in data["cases"].as_array().unwrap() {
        let d = case["d"].as_u64().unwrap() as usize;
        let lambda = case["lam"].as_u64().unwrap() as usize;
        let x0 = numbers(&case["x0"]);
        let sigma0 = case["sigma0"].as_f64().unwrap();
        let factor = (0..d * d).map(|i| if i % (d + 1) == 0 { sigma0 } else { 0.0 }).collect();
        let start = SearchDistribution::new(x0, factor).unwrap();
        let mut strategy = Adaptive::new(State::new(start, lambda));
        assert_eq!(strategy.state.archive.capacity() as u64, case["archive"].as_u64().unwrap());
        for (generation, expected) in case["generations"].as_array().unwrap().iter().enumerate() {
            let check = |what: &str, ours: &[f64]| {
                let theirs = numbers(&expected[what]);
                assert_eq!(ours.len(), theirs.len());
                for (a, b) in ours.iter().zip(&theirs) {
                    // 1e-8 of the scale: rounding, carried through fourteen generations.
                    let tolerance = 1e-8 * (1.0 + b.abs());
                    assert!((a - b).abs() < tolerance, "d {d}, generation {generation}, {what}: {a} {b}");
                }
            };
            strategy.state.population.whitened = numbers(&expected["normals"]);
            strategy.place_samples();
            check("points", &strategy.state.population.points);
            strategy.state.population.costs = numbers(&expected["values"]);
            strategy.update().unwrap();
            let State { distribution, model, path, quality, .. } = &strategy.state;
            check("g", &model.gradient);
            let curvature = upper(&numbers(&expected["E"]), d);
            for (a, b) in model.curvature.iter().zip(&curvature) {
                assert!((a - b).abs() < 1e-8 * (1.0 + b.abs()), "d {d}, generation {generation}, E: {a} {b}");
            }
            check("rho", &[*quality]);
            check("trust", &[strategy.trust()]);
            check("mean", distribution.mean());
            check("path", path);
            let sigma = (distribution.log_det() / d as f64).exp();
            check("sigma", &[sigma]);
            let shape: Vec<f64> = distribution.factor().iter().map(|a| a / sigma).collect();
            check("factor", &shape);
        }
    }
}
