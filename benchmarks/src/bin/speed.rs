//! CPU time per candidate of ask + tell, side by side with the `cmaes` crate, and how it grows.
//!
//! `cargo run --release -p enes-benchmarks --bin speed [-- FILE]` prints a table and writes the raw
//! data (default `benchmarks/results/speed.json`). One thread; blocks of both are interleaved; the
//! objective (a sphere) is measured by itself and subtracted.
#![allow(clippy::print_stdout)]

use std::time::Duration;

use cpu_time::ThreadTime;
use enes::Strategy;
use enes_benchmarks::{Cmaes, Enes, Peer, objective_seconds};
use enes_measure::{exponent, machine, quantile};
use serde_json::{Value, json};

const DIMENSIONS: [usize; 11] = [2, 3, 5, 10, 20, 40, 50, 100, 200, 400, 800];
const BLOCKS: usize = 15;
const BLOCK_TIME: Duration = Duration::from_millis(60);

/// CPU seconds per candidate over one block, and the number of candidates.
fn block(peer: &mut impl Peer) -> (f64, usize) {
    let start = ThreadTime::now();
    let mut candidates = 0;
    while start.elapsed() < BLOCK_TIME {
        candidates += peer.generation();
    }
    (start.elapsed().as_secs_f64() / candidates as f64, candidates)
}

fn measure(d: usize) -> Value {
    let mut enes = Enes::new(Strategy::Published, d, Some(4 * d), 1);
    let mut cmaes = Cmaes::new(d, Some(4 * d));
    block(&mut enes); // warm up
    block(&mut cmaes);
    let (mut ours, mut theirs) = (Vec::new(), Vec::new());
    let (before, mut candidates) = (enes.evaluated(), 0);
    for _ in 0..BLOCKS {
        let (seconds, count) = block(&mut enes);
        candidates += count;
        ours.push(1e6 * seconds);
        theirs.push(1e6 * block(&mut cmaes).0);
    }
    let objective = 1e6 * objective_seconds(d, BLOCK_TIME);
    // Importance mixing evaluates a part of the population only.
    let share = (enes.evaluated() - before) as f64 / candidates as f64;
    let (a, b) = (quantile(&ours, 0.5) - share * objective, quantile(&theirs, 0.5) - objective);
    println!("{d:5} {a:12.3} {b:12.3} {:8.2}", a / b);
    json!({"d": d, "population": 4 * d, "enes_us": a, "cmaes_us": b, "ratio": a / b, "objective_us": objective,
           "enes_blocks_us": ours, "cmaes_blocks_us": theirs})
}

fn main() -> std::io::Result<()> {
    let file = std::env::args().nth(1).unwrap_or_else(|| "benchmarks/results/speed.json".to_string());
    println!(
        "CPU microseconds per candidate, ask + tell, population 4d, one thread; median of {BLOCKS} blocks"
    );
    println!("{:>5} {:>12} {:>12} {:>8}", "d", "enes", "cmaes crate", "ratio");
    let rows: Vec<Value> = DIMENSIONS.into_iter().map(measure).collect();
    let growth: Vec<(f64, f64)> = rows
        .iter()
        .filter_map(|r| Some((r["d"].as_f64()?, r["enes_us"].as_f64()? * r["population"].as_f64()?)))
        .filter(|(d, _)| (50.0..=400.0).contains(d))
        .collect();
    let exponent = exponent(&growth);
    println!("time per generation grows as d^{exponent:.2} from d = 50 to 400");
    let report = json!({
        "machine": machine(), "enes": env!("CARGO_PKG_VERSION"), "cmaes": "0.2.2", "rows": rows,
        "exponent_50_to_400": exponent,
    });
    if let Some(folder) = std::path::Path::new(&file).parent() {
        std::fs::create_dir_all(folder)?;
    }
    std::fs::write(&file, format!("{report:#}\n"))
}
