//! Peak memory of an optimizer: `cargo run --release -p enes-benchmarks --bin memory -- D N`.
//!
//! Prints one JSON object: peak resident bytes beyond those of the process before it started, and
//! the same in numbers of 8 bytes relative to n d + d².
#![allow(clippy::print_stdout)]

use enes::{Optimizer, Settings, Strategy};
use enes_measure::peak_memory;

fn main() {
    let mut arguments = std::env::args().skip(1).filter_map(|a| a.parse::<usize>().ok());
    let d = arguments.next().unwrap_or(800);
    let n = arguments.next().unwrap_or(4 * d);
    // The matrix kernels keep one packing buffer for the whole process: a small run brings it in.
    run(64, 256);
    let before = peak_memory().unwrap_or(0);
    run(d, n);
    let bytes = peak_memory().unwrap_or(0) - before;
    let numbers = bytes as f64 / 8.0;
    let (nd, dd) = ((n * d) as f64, (d * d) as f64);
    println!(
        "{}",
        serde_json::json!({"d": d, "n": n, "bytes": bytes, "base_bytes": before,
            "expected_numbers": 3.0 * nd + 6.0 * dd, "numbers": numbers, "ratio": numbers / (3.0 * nd + 6.0 * dd)})
    );
}

fn run(d: usize, n: usize) {
    let mut es =
        Optimizer::new(&Settings::new(vec![1.0; d], 1.0).strategy(Strategy::Published).population(n))
            .expect("valid settings");
    let mut values = Vec::with_capacity(n);
    for _ in 0..3 {
        values.clear();
        values.extend(es.ask().iter().map(|x| x.iter().map(|v| v * v).sum::<f64>()));
        es.tell(&values).expect("one value per point");
    }
}
