//! The Rust side of `benchmarks/peers/speed.py`: one block for each JSON line on stdin, one JSON line back.
//!
//! A line names who is measured, the dimension, the population (null for the default) and the least CPU time; the
//! answer is CPU microseconds per candidate, the objective's taken off. `matmul` answers with the rate of a dense
//! product of d × d matrices in GFlop/s.
#![allow(clippy::print_stdout)]

use std::collections::HashMap;
use std::io::{BufRead, Write};
use std::time::Duration;

use cpu_time::ThreadTime;
use enes::Strategy;
use enes_benchmarks::{Cmaes, Enes, Peer, objective_seconds};
use faer::linalg::matmul::matmul;
use faer::{Accum, Mat, Par};
use serde_json::{Value, json};

type Key = (String, usize, Option<usize>);

fn main() -> std::io::Result<()> {
    let mut peers: HashMap<Key, Box<dyn Peer>> = HashMap::new();
    let mut out = std::io::stdout();
    writeln!(out, "{}", json!({"enes": env!("CARGO_PKG_VERSION"), "cmaes crate": "0.2.2"}))?;
    for line in std::io::stdin().lock().lines() {
        let job: Value = serde_json::from_str(&line?)?;
        writeln!(out, "{}", answer(&job, &mut peers))?;
        out.flush()?;
    }
    Ok(())
}

fn answer(job: &Value, peers: &mut HashMap<Key, Box<dyn Peer>>) -> Value {
    let (Some(name), Some(d), Some(seconds)) =
        (job["name"].as_str(), job["d"].as_u64(), job["seconds"].as_f64())
    else {
        return json!({"error": "a job needs a name, d and seconds"});
    };
    let (d, time) = (d as usize, Duration::from_secs_f64(seconds));
    let population = job["population"].as_u64().map(|n| n as usize);
    if name == "matmul" {
        return json!({"gflops": matmul_rate(d, time)});
    }
    let peer = peers.entry((name.to_string(), d, population)).or_insert_with(|| match name {
        "cmaes crate" => Box::new(Cmaes::new(d, population)),
        "enes adaptive" => Box::new(Enes::new(Strategy::Adaptive, d, population, 1)),
        _ => Box::new(Enes::new(Strategy::Published, d, population, 1)),
    });
    let before = peer.evaluated();
    let start = ThreadTime::now();
    let (mut candidates, mut generations) = (0, 0);
    while generations == 0 || start.elapsed() < time {
        // The clock is a system call: not too often.
        for _ in 0..1 + 300 / (d * d) {
            candidates += peer.generation();
            generations += 1;
        }
    }
    let total = start.elapsed().as_secs_f64();
    let evaluated = peer.evaluated() - before;
    let objective = objective_seconds(d, time / 10) * evaluated as f64;
    json!({"microseconds": 1e6 * (total - objective) / candidates as f64, "candidates": candidates,
           "generations": generations, "evaluated": evaluated})
}

/// GFlop/s of a product of two d × d matrices, one thread.
fn matmul_rate(d: usize, time: Duration) -> f64 {
    let a = Mat::from_fn(d, d, |i, j| ((i * 7 + j) as f64).sin());
    let b = Mat::from_fn(d, d, |i, j| ((i + 5 * j) as f64).cos());
    let mut c = Mat::zeros(d, d);
    matmul(&mut c, Accum::Replace, &a, &b, 1.0, Par::Seq);
    let start = ThreadTime::now();
    let mut count = 0;
    while start.elapsed() < time {
        matmul(&mut c, Accum::Replace, &a, &b, 1.0, Par::Seq);
        count += 1;
    }
    2e-9 * (d * d * d) as f64 * f64::from(count) / start.elapsed().as_secs_f64()
}
