//! CPU time per evaluation of the adaptive strategy in rank-based mode, ask + tell, default population, by dimension;
//! `model_speed` measures the surrogate.
//!
//! `cargo run --release -p enes-benchmarks --bin adaptive_speed [-- D ...]` prints a table and, for the
//! default dimensions, writes `benchmarks/results/adaptive-speed.json`. One thread; an ellipsoid, whose own cost
//! is measured and subtracted; the archive is full before the clock starts.
#![allow(clippy::print_stdout)]

use std::hint::black_box;
use std::time::Duration;

use cpu_time::ThreadTime;
use enes::{ModelChoice, Optimizer, Settings};
use enes_measure::quantile;

const BLOCKS: usize = 11;
const BLOCK_TIME: Duration = Duration::from_millis(60);

fn ellipsoid(x: &[f64]) -> f64 {
    x.iter().enumerate().map(|(i, v)| (1 + i % 10) as f64 * v * v).sum()
}

fn generation(es: &mut Optimizer, values: &mut Vec<f64>) -> usize {
    values.clear();
    values.extend(es.ask().iter().map(ellipsoid));
    es.tell(values).expect("one value per point");
    values.len()
}

fn microseconds(d: usize) -> (usize, Vec<f64>, f64) {
    let settings = Settings::new(vec![1.0; d], 1.0).model(ModelChoice::RankOnly);
    let mut warm = Optimizer::new(&settings).expect("valid settings");
    let mut values = Vec::with_capacity(warm.population_size());
    while warm.evaluations() < 5 * d as u64 + 30 {
        generation(&mut warm, &mut values);
    }
    let mut es = warm.clone();
    let mut blocks = Vec::new();
    while blocks.len() < BLOCKS {
        let (mut evaluations, start) = (0, ThreadTime::now());
        while start.elapsed() < BLOCK_TIME || evaluations == 0 {
            // A run that has ended gives way to a copy with a full archive: the copy is cheap.
            if es.stop_reason().is_some() {
                es = warm.clone();
            }
            // The clock is a system call: not too often.
            for _ in 0..1 + 300 / d {
                evaluations += generation(&mut es, &mut values);
            }
        }
        blocks.push(1e6 * start.elapsed().as_secs_f64() / evaluations as f64);
    }
    let points: Vec<f64> = (0..64 * d).map(|i| (i as f64).sin()).collect();
    let (mut calls, start) = (0, ThreadTime::now());
    while start.elapsed() < BLOCK_TIME {
        points.chunks_exact(d).for_each(|x| {
            black_box(ellipsoid(black_box(x)));
        });
        calls += 64;
    }
    let objective = 1e6 * start.elapsed().as_secs_f64() / f64::from(calls);
    (es.population_size(), blocks.iter().map(|b| b - objective).collect(), objective)
}

fn main() -> std::io::Result<()> {
    let given: Vec<usize> = std::env::args().skip(1).filter_map(|a| a.parse().ok()).collect();
    let all = given.is_empty();
    let dimensions = if all { vec![1, 2, 3, 5, 10, 15, 20, 40, 100, 200, 400] } else { given };
    let mut records = Vec::new();
    println!("CPU microseconds per evaluation, ask + tell, default population; median of {BLOCKS} blocks");
    println!("{:>5} {:>4} {:>10} {:>14}", "d", "n", "enes", "(objective)");
    for d in dimensions {
        let (n, blocks, objective) = microseconds(d);
        println!("{d:5} {n:4} {:10.2} {objective:14.3}", quantile(&blocks, 0.5));
        records.push(serde_json::json!({"d": d, "population": n, "microseconds": blocks}));
    }
    if all {
        let result = serde_json::json!({"machine": enes_measure::machine(), "blocks": records});
        std::fs::write("benchmarks/results/adaptive-speed.json", format!("{result}\n"))?;
    }
    Ok(())
}
