//! How large a population the published strategy needs: success and evaluations by dimension.
//!
//! `cargo run --release -p enes-benchmarks --bin population -- [runs] [dimension ...]`
//! prints one JSON line per cell; the default population rests on these figures.
#![allow(clippy::print_stdout)]

use enes::{Settings, Strategy};
use enes_measure::quantile;
use enes_problems::{Function, Problem};
use rayon::prelude::*;

fn main() {
    let mut arguments = std::env::args().skip(1).filter_map(|a| a.parse::<usize>().ok());
    let runs = arguments.next().unwrap_or(10);
    let dimensions: Vec<usize> = arguments.collect();
    let dimensions = if dimensions.is_empty() { vec![1, 2, 3, 5, 10, 15, 20, 30, 50] } else { dimensions };
    for d in dimensions {
        for (rule, n) in candidates(d) {
            for f in Function::ALL.into_iter().filter(|f| f.is_unimodal()) {
                println!("{}", cell(f, d, n, rule, runs));
            }
        }
    }
}

fn candidates(d: usize) -> [(&'static str, usize); 2] {
    [("10d", 10 * d), ("default", Strategy::Published.default_population(d))]
}

fn cell(f: Function, d: usize, n: usize, rule: &str, runs: usize) -> serde_json::Value {
    let outcomes: Vec<enes::Outcome> = (0..runs as u64)
        .into_par_iter()
        .map(|seed| {
            let problem = Problem::new(f, d, seed).expect("a valid dimension");
            let settings = Settings::new(problem.start(1.0), 1.0)
                .strategy(Strategy::Published)
                .population(n)
                .seed(seed)
                .target(f.target())
                .max_evaluations(50_000_000);
            enes::minimize(&settings, |x| problem.evaluate(x)).expect("valid settings")
        })
        .collect();
    let solved: Vec<f64> =
        outcomes.iter().filter(|o| o.stop.is_target()).map(|o| o.evaluations as f64).collect();
    let stops: Vec<&str> = outcomes.iter().filter(|o| !o.stop.is_target()).map(|o| o.stop.name()).collect();
    serde_json::json!({
        "function": f.name(), "d": d, "rule": rule, "n": n, "runs": runs, "solved": solved.len(),
        "median": quantile(&solved, 0.5), "failures": stops,
        "reused": outcomes.iter().map(|o| o.reused_share).sum::<f64>() / runs as f64,
    })
}
