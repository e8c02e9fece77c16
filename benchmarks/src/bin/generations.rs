//! A fixed number of generations of one strategy on a sphere: the run behind `instructions.py` and the profiles.
//!
//! `cargo run --release -p enes-benchmarks --bin generations -- STRATEGY D N GENERATIONS` with N = 0 for the default
//! population. Prints one JSON object; `fingerprint` is made of the bits of the final mean and factor, so that two
//! versions that print the same one compute the same run.
#![allow(clippy::print_stdout)]

use enes::{Optimizer, Settings, Strategy};
use serde_json::json;

fn settings(strategy: Strategy, d: usize, n: usize) -> Settings {
    let settings = enes_benchmarks::by_ranks(Settings::new(vec![1.0; d], 1.0), strategy);
    if n > 0 { settings.population(n) } else { settings }
}

fn main() {
    let arguments: Vec<String> = std::env::args().skip(1).collect();
    let number = |i: usize| arguments.get(i).and_then(|a| a.parse::<usize>().ok());
    let strategy = match arguments.first().map(String::as_str) {
        Some("published") => Strategy::Published,
        Some("adaptive") => Strategy::Adaptive,
        _ => panic!("usage: generations published|adaptive D N GENERATIONS"),
    };
    let (Some(d), Some(n), Some(generations)) = (number(1), number(2), number(3)) else {
        panic!("usage: generations published|adaptive D N GENERATIONS");
    };
    let settings = settings(strategy, d, n);
    let mut es = Optimizer::new(&settings).expect("valid settings");
    let mut values = Vec::with_capacity(es.population_size());
    let (mut evaluations, mut fingerprint) = (0, 0u64);
    for generation in 1..=generations {
        values.clear();
        values.extend(es.ask().iter().map(|x| x.iter().map(|v| v * v).sum::<f64>()));
        evaluations += values.len();
        es.tell(&values).expect("one value per point");
        // A run that has ended gives way to a new one with another seed.
        if es.stop_reason().is_some() || generation == generations {
            let p = es.distribution();
            for x in p.mean().iter().chain(p.factor()) {
                fingerprint = fingerprint.rotate_left(5).wrapping_mul(0x9e37_79b9_7f4a_7c15) ^ x.to_bits();
            }
            es = Optimizer::new(&settings.clone().seed(generation as u64)).expect("valid settings");
        }
    }
    println!(
        "{}",
        json!({"strategy": arguments[0], "d": d, "population": es.population_size(), "generations": generations,
               "evaluations": evaluations, "fingerprint": format!("{fingerprint:016x}")})
    );
}
