//! CPU time per generation with a surrogate, ask + tell. `benchmarks/peers/profile.py` says where it goes.
//!
//! `cargo run --release -p enes-benchmarks --bin model_speed [-- D ...]` prints a table and, for
//! the default dimensions, writes `benchmarks/results/model-speed.json`. One thread. Whole runs to 1e-10 (at most
//! 100 d evaluations, without tolerances), so that small and full windows count as often as they occur; the
//! objective's own time is subtracted.
#![allow(clippy::print_stdout)]

use std::time::Duration;

use cpu_time::ThreadTime;
use enes::{Optimizer, Settings};
use enes_measure::quantile;
use enes_problems::{Function, Problem};

const FUNCTIONS: [Function; 4] =
    [Function::Ellipsoid, Function::DiffPow, Function::Rosenbrock, Function::SharpR];
const RUNS: u64 = 3;

struct Measured {
    generations: u64,
    evaluations: u64,
    /// CPU milliseconds per generation.
    milliseconds: f64,
}

fn run(function: Function, d: usize, batch: Option<usize>, seed: u64) -> Measured {
    let problem = Problem::new(function, d, seed).expect("a valid dimension");
    let settings = Settings::new(problem.start(1.0), 1.0).seed(seed).batch(batch);
    let settings = settings.target(function.target()).max_evaluations(100 * d as u64);
    let settings = settings.restarts(enes::Restarts::Off).tolx(None).tolfun(None).tolfunhist(None);
    let mut es = Optimizer::new(&settings.tolstagnation(None)).expect("valid settings");
    let mut values = Vec::new();
    let (mut own, start) = (Duration::ZERO, ThreadTime::now());
    while es.stop_reason().is_none() {
        let points = es.ask();
        let before = start.elapsed();
        values.clear();
        values.extend(points.iter().map(|x| problem.evaluate(x)));
        own += start.elapsed() - before;
        es.tell(&values).expect("one value per point");
    }
    let generations = es.generation();
    let each = 1e3 / generations as f64;
    let milliseconds = each * (start.elapsed() - own).as_secs_f64();
    Measured { generations, evaluations: es.evaluations(), milliseconds }
}

fn main() -> std::io::Result<()> {
    let given: Vec<usize> = std::env::args().skip(1).filter_map(|a| a.parse().ok()).collect();
    let all = given.is_empty();
    let dimensions = if all { vec![2, 5, 10, 20, 30, 40] } else { given };
    let mut records = Vec::new();
    println!("CPU milliseconds per generation, ask + tell; median of {RUNS} runs");
    println!("{:>3} {:11} {:>7} {:>6} {:>8}", "d", "function", "batch", "gens", "ms/gen");
    for d in dimensions {
        for function in FUNCTIONS {
            for (name, batch) in [("1", Some(1)), ("default", None)] {
                let runs: Vec<Measured> = (0..RUNS).map(|seed| run(function, d, batch, 900 + seed)).collect();
                let median =
                    |f: &dyn Fn(&Measured) -> f64| quantile(&runs.iter().map(f).collect::<Vec<_>>(), 0.5);
                let (ms, generations) = (median(&|m| m.milliseconds), median(&|m| m.generations as f64));
                println!("{d:3} {:11} {name:>7} {generations:6} {ms:8.3}", function.name());
                let evaluations = median(&|m| m.evaluations as f64);
                records.push(
                    serde_json::json!({"d": d, "function": function.name(), "batch": name, "runs": RUNS,
                    "generations": generations, "evaluations": evaluations, "milliseconds": ms}),
                );
            }
        }
    }
    if all {
        let result = serde_json::json!({"machine": enes_measure::machine(), "rows": records});
        std::fs::write("benchmarks/results/model-speed.json", format!("{result}\n"))?;
    }
    Ok(())
}
