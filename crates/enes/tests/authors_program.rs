//! The update equals that of the authors' own program, for the library and for the reference.

use std::io::Read;

use enes::{Baseline, SearchDistribution, Settings, Strategy};
use enes_reference as paper;
use flate2::read::GzDecoder;
use serde_json::Value;

fn numbers(value: &Value) -> Vec<f64> {
    value.as_array().unwrap().iter().map(|v| v.as_f64().unwrap()).collect()
}

fn rows(value: &Value) -> Vec<Vec<f64>> {
    value.as_array().unwrap().iter().map(numbers).collect()
}

fn cases() -> Vec<Value> {
    let compressed = &include_bytes!("data/natural-gradient.json.gz")[..];
    let mut text = String::new();
    GzDecoder::new(compressed).read_to_string(&mut text).unwrap();
    let data: Value = serde_json::from_str(&text).unwrap();
    data["cases"].as_array().unwrap().clone()
}

fn assert_close(a: &[f64], b: &[f64], what: &str) {
    assert_eq!(a.len(), b.len());
    let scale = b.iter().fold(1e-3f64, |m, v| m.max(v.abs()));
    for (x, y) in a.iter().zip(b) {
        assert!((x - y).abs() < 1e-12 * scale.max(1.0), "{what}: {x} {y}");
    }
}

#[test]
fn the_update_equals_that_of_the_authors_program() {
    let cases = cases();
    assert_eq!(cases.len(), 7);
    for case in &cases {
        let mean = numbers(&case["mean"]);
        let factor = rows(&case["factor"]);
        let points = rows(&case["points"]);
        let utilities = numbers(&case["utilities"]);
        let p = SearchDistribution::new(mean.clone(), factor.concat()).unwrap();
        let theta = paper::Theta { mean, factor };
        for (name, ours, theirs) in [
            ("none", Baseline::None, paper::Baseline::None),
            ("specific", Baseline::Specific, paper::Baseline::Specific),
            ("block", Baseline::Block, paper::Baseline::Block),
        ] {
            let what = format!("d = {}, {name}", case["d"]);
            let expected = &case["updates"][name];
            let expected_mean = numbers(&expected["mean"]);
            let expected_factor = rows(&expected["factor"]).concat();
            let gradient = p.natural_gradient(&points.concat(), &utilities, ours).unwrap();
            assert_close(&gradient.mean, &expected_mean, &what);
            assert_close(&gradient.factor, &expected_factor, &what);
            let (mean, factor) = paper::natural_gradient(&theta, &points, &utilities, theirs);
            assert_close(&mean, &expected_mean, &what);
            assert_close(&factor.concat(), &expected_factor, &what);
        }
    }
}

/// The authors' program has another uniform baseline, b = u·v/v·v with u = Σ u_i q_i and v = Σ q_i, and no update of it is
/// among the data. What can be compared: any uniform baseline takes a multiple of v/n from the update without one,
/// which is theirs, and the multiple is the paper's formula.
#[test]
fn a_uniform_baseline_takes_the_papers_multiple_of_the_summed_scores_from_the_authors_update() {
    for case in cases() {
        let p = SearchDistribution::new(numbers(&case["mean"]), rows(&case["factor"]).concat()).unwrap();
        let (points, utilities) = (rows(&case["points"]), numbers(&case["utilities"]));
        let update = |points: &[f64], utilities: &[f64], baseline| {
            let gradient = p.natural_gradient(points, utilities, baseline).unwrap();
            [gradient.mean, gradient.factor].concat()
        };
        let squares: Vec<f64> =
            points.iter().map(|z| update(z, &[1.0], Baseline::None).iter().map(|q| q * q).sum()).collect();
        let weighted: f64 = squares.iter().zip(&utilities).map(|(q, u)| q * u).sum();
        let b = weighted / squares.iter().sum::<f64>();
        let scores = update(&points.concat(), &vec![1.0; points.len()], Baseline::None);
        let none = &case["updates"]["none"];
        let theirs = [numbers(&none["mean"]), rows(&none["factor"]).concat()].concat();
        let expected: Vec<f64> = theirs.iter().zip(&scores).map(|(t, v)| t - b * v).collect();
        let ours = update(&points.concat(), &utilities, Baseline::Uniform);
        assert_close(&ours, &expected, &format!("d = {}, uniform", case["d"]));
    }
}

#[test]
fn the_shaping_equals_that_of_the_authors_program() {
    for case in cases() {
        let values = numbers(&case["values"]);
        assert_close(&paper::shaping(&values), &numbers(&case["utilities"]), "reference");
    }
}

#[test]
fn one_generation_of_the_optimizer_applies_that_update() {
    // The library's whole path from values to the new distribution: rank, weigh, move.
    let settings = Settings::new([0.5, -0.5, 0.25], 0.7).strategy(Strategy::Published).population(12).seed(4);
    let mut es = enes::Optimizer::new(&settings).unwrap();
    let before = es.distribution().clone();
    let points = es.ask().as_slice().to_vec();
    let values: Vec<f64> = points.chunks(3).map(|x| x[0].powi(2) + (x[1] - x[2]).abs()).collect();
    es.tell(&values).unwrap();
    let utilities = paper::shaping(&values);
    let gradient = before.natural_gradient(&points, &utilities, Baseline::Block).unwrap();
    let mean: Vec<f64> = before.mean().iter().zip(&gradient.mean).map(|(x, g)| x + g).collect();
    let factor: Vec<f64> = before.factor().iter().zip(&gradient.factor).map(|(a, g)| a + g).collect();
    assert_close(es.mean(), &mean, "mean");
    assert_close(es.distribution().factor(), &factor, "factor");
}
