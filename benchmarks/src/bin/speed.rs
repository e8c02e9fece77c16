//! CPU time per candidate of ask + tell, side by side with the `cmaes` crate, and how it grows.
//!
//! `cargo run --release -p enes-benchmarks --bin speed [-- FILE]` prints a table and writes the raw
//! data (default `benchmarks/results/speed.json`). One thread; blocks of both are interleaved; the
//! objective (a sphere) is measured by itself and subtracted.
#![allow(clippy::print_stdout)]

use std::hint::black_box;
use std::time::Duration;

use cmaes::{CMAES, CMAESOptions, DVector};
use cpu_time::ThreadTime;
use enes::{Optimizer, Settings, Strategy};
use enes_measure::{exponent, machine, quantile};
use serde_json::{Value, json};

const DIMENSIONS: [usize; 11] = [2, 3, 5, 10, 20, 40, 50, 100, 200, 400, 800];
const BLOCKS: usize = 15;
const BLOCK_TIME: Duration = Duration::from_millis(60);

fn sphere(x: &[f64]) -> f64 {
    x.iter().map(|v| v * v).sum()
}

/// Something that runs generation after generation, starting anew where a run ends.
trait Peer {
    /// Candidates of one generation, evaluated or reused.
    fn generation(&mut self) -> usize;
}

struct Enes {
    settings: Settings,
    es: Optimizer,
    values: Vec<f64>,
    /// Objective values computed, to subtract their cost.
    evaluated: usize,
}

impl Enes {
    fn new(d: usize) -> Self {
        let settings = Settings::new(vec![1.0; d], 1.0).strategy(Strategy::Published).population(4 * d);
        let es = Optimizer::new(&settings).expect("valid settings");
        Self { settings, es, values: Vec::with_capacity(4 * d), evaluated: 0 }
    }
}

impl Peer for Enes {
    fn generation(&mut self) -> usize {
        if self.es.stop_reason().is_some() {
            self.es = Optimizer::new(&self.settings).expect("valid settings");
        }
        self.values.clear();
        self.values.extend(self.es.ask().iter().map(sphere));
        self.evaluated += self.values.len();
        self.es.tell(&self.values).expect("one value per point");
        self.es.population_size()
    }
}

fn dvector_sphere(x: &DVector<f64>) -> f64 {
    sphere(x.as_slice())
}

struct Cmaes {
    d: usize,
    seed: u64,
    es: CMAES<fn(&DVector<f64>) -> f64>,
    evaluated: usize,
}

impl Cmaes {
    fn new(d: usize) -> Self {
        Self { d, seed: 0, es: Self::build(d, 0), evaluated: 0 }
    }

    fn build(d: usize, seed: u64) -> CMAES<fn(&DVector<f64>) -> f64> {
        CMAESOptions::new(vec![1.0; d], 1.0)
            .population_size(4 * d)
            .seed(seed)
            .build(dvector_sphere as fn(&DVector<f64>) -> f64)
            .expect("valid options")
    }
}

impl Peer for Cmaes {
    fn generation(&mut self) -> usize {
        if black_box(self.es.next()).is_some() {
            self.seed += 1;
            self.es = Self::build(self.d, self.seed);
        }
        self.evaluated += 4 * self.d;
        4 * self.d
    }
}

/// CPU seconds per candidate over one block.
fn block(peer: &mut impl Peer) -> f64 {
    let start = ThreadTime::now();
    let mut candidates = 0;
    while start.elapsed() < BLOCK_TIME {
        candidates += peer.generation();
    }
    start.elapsed().as_secs_f64() / candidates as f64
}

fn objective_seconds(d: usize) -> f64 {
    let points: Vec<f64> = (0..64 * d).map(|i| (i as f64).sin()).collect();
    let start = ThreadTime::now();
    let mut calls = 0;
    while start.elapsed() < BLOCK_TIME {
        for x in points.chunks_exact(d) {
            black_box(sphere(black_box(x)));
        }
        calls += 64;
    }
    start.elapsed().as_secs_f64() / f64::from(calls)
}

fn measure(d: usize) -> Value {
    let (mut enes, mut cmaes) = (Enes::new(d), Cmaes::new(d));
    block(&mut enes); // warm up
    block(&mut cmaes);
    (enes.evaluated, cmaes.evaluated) = (0, 0);
    let (mut ours, mut theirs) = (Vec::new(), Vec::new());
    for _ in 0..BLOCKS {
        ours.push(1e6 * block(&mut enes));
        theirs.push(1e6 * block(&mut cmaes));
    }
    let objective = 1e6 * objective_seconds(d);
    // Importance mixing evaluates a part of the population only.
    let share = enes.evaluated as f64 / (enes.evaluated as f64 / (1.0 - enes.es.reused_share())).max(1.0);
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
