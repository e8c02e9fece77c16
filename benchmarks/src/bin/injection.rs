//! What an injected point is worth: evaluations to the target with and without one, d = 10.
//!
//! `cargo run --release -p enes-benchmarks --bin injection -- [runs]` prints one JSON line per cell.
//! Points are injected from half of the evaluations that the same seed takes without:
//! - `good`: one point, on the line from the mean to the optimum at a tenth of the distance, with its value;
//! - `same`: that point again after every generation;
//! - `far`: one point at distance 100 with its value, which is worse than all others;
//! - `false`: one point at distance 1 with a value better than it has, twice the target;
//! - `falses`: that point again after every generation.
#![allow(clippy::print_stdout)]

use enes::{Optimizer, Restarts, Settings, Strategy};
use enes_measure::quantile;
use enes_problems::{Function, Problem};
use rayon::prelude::*;

const D: usize = 10;
const KINDS: [&str; 6] = ["none", "good", "same", "far", "false", "falses"];

fn main() {
    let runs = std::env::args().nth(1).and_then(|a| a.parse().ok()).unwrap_or(51);
    for strategy in [Strategy::Adaptive, Strategy::Published] {
        for f in [Function::Sphere, Function::Ellipsoid, Function::Rosenbrock] {
            let all: Vec<Vec<Option<u64>>> =
                (0..runs).into_par_iter().map(|seed| by_kind(strategy, f, seed)).collect();
            let cold: Vec<f64> = all.iter().filter_map(|r| r[0]).map(|e| e as f64).collect();
            for (kind, name) in KINDS.iter().enumerate() {
                let solved: Vec<f64> = all.iter().filter_map(|r| r[kind]).map(|e| e as f64).collect();
                let (median, without) = (quantile(&solved, 0.5), quantile(&cold, 0.5));
                println!(
                    "{}",
                    serde_json::json!({
                        "strategy": strategy.name(), "function": f.name(), "d": D, "injected": name, "runs": runs,
                        "solved": solved.len(), "median": median, "ratio": median / without,
                        "quartiles": [quantile(&solved, 0.25), quantile(&solved, 0.75)],
                    })
                );
            }
        }
    }
}

/// Evaluations of one seed for each kind.
fn by_kind(strategy: Strategy, f: Function, seed: u64) -> Vec<Option<u64>> {
    let cold = evaluations(strategy, f, seed, "none", u64::MAX);
    let half = cold.unwrap_or(10_000) / 2;
    KINDS
        .iter()
        .map(|kind| if *kind == "none" { cold } else { evaluations(strategy, f, seed, kind, half) })
        .collect()
}

/// Own evaluations until a value of our own reaches the target.
fn evaluations(strategy: Strategy, f: Function, seed: u64, kind: &str, from: u64) -> Option<u64> {
    let problem = Problem::new(f, D, seed).expect("a valid dimension");
    let settings = enes_benchmarks::by_ranks(Settings::new(problem.start(1.0), 1.0), strategy)
        .seed(seed)
        .restarts(Restarts::Off);
    let mut es = Optimizer::new(&settings).expect("valid settings");
    let mut once = None;
    while es.stop_reason().is_none() && es.evaluations() < 500_000 {
        let values: Vec<f64> = es.ask().iter().map(|x| problem.evaluate(x)).collect();
        es.tell(&values).expect("one value for each point");
        if values.iter().any(|v| *v <= f.target()) {
            return Some(es.evaluations());
        }
        let again = matches!(kind, "same" | "falses");
        if es.evaluations() >= from && (again || once.is_none()) {
            let (point, value) = once.get_or_insert_with(|| injected(kind, &problem, es.mean(), f.target()));
            es.inject(point, *value).expect("a valid point");
        }
    }
    None
}

fn injected(kind: &str, problem: &Problem, mean: &[f64], target: f64) -> (Vec<f64>, f64) {
    let optimum = problem.optimum();
    let point: Vec<f64> = match kind {
        "good" | "same" => optimum.iter().zip(mean).map(|(o, m)| o + 0.1 * (m - o)).collect(),
        "far" => optimum.iter().map(|o| o + 100.0 / (D as f64).sqrt()).collect(),
        _ => optimum.iter().map(|o| o + 1.0 / (D as f64).sqrt()).collect(),
    };
    let value = if kind.starts_with("false") { 2.0 * target } else { problem.evaluate(&point) };
    (point, value)
}
