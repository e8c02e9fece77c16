//! What an earlier run is worth: evaluations to the target of an objective that has moved, d = 10.
//!
//! `cargo run --release -p enes-benchmarks --bin warm_start -- [runs]` prints one JSON line per cell.
//! The first run solves a problem from distance 1 with scale 1. Then its optimum moves by the distance given,
//! and the second run starts
//! - `cold`: where the first did;
//! - `run`: from the first run's distribution (a checkpoint is the same), `as is` without the least scale;
//! - `table`: from a distribution fitted to all points of the first, `points` with these in its first generation
//!   (their values are those of the first objective).
#![allow(clippy::print_stdout)]

use enes::{Optimizer, Restarts, Settings, Strategy, WarmStart};
use enes_measure::quantile;
use enes_problems::{Function, Problem};
use rayon::prelude::*;

const D: usize = 10;
const KINDS: [&str; 5] = ["cold", "run", "run, as is", "table", "table, points"];

fn main() {
    let runs = std::env::args().nth(1).and_then(|a| a.parse().ok()).unwrap_or(51);
    for strategy in [Strategy::Adaptive, Strategy::Published] {
        for f in [Function::Ellipsoid, Function::Rosenbrock] {
            for moved in [0.0, 0.01, 0.1, 1.0] {
                let all: Vec<Vec<Option<u64>>> =
                    (0..runs).into_par_iter().map(|seed| by_kind(strategy, f, seed, moved)).collect();
                let of =
                    |kind: usize| all.iter().filter_map(|r| r[kind]).map(|e| e as f64).collect::<Vec<_>>();
                for (kind, name) in KINDS.iter().enumerate() {
                    let (solved, median) = (of(kind), quantile(&of(kind), 0.5));
                    println!(
                        "{}",
                        serde_json::json!({
                            "strategy": strategy.name(), "function": f.name(), "d": D, "moved": moved, "start": name,
                            "runs": runs, "solved": solved.len(), "median": median,
                            "ratio": median / quantile(&of(0), 0.5),
                            "quartiles": [quantile(&solved, 0.25), quantile(&solved, 0.75)],
                        })
                    );
                }
            }
        }
    }
}

/// Evaluations of one seed for each kind of start.
fn by_kind(strategy: Strategy, f: Function, seed: u64, moved: f64) -> Vec<Option<u64>> {
    let problem = Problem::new(f, D, seed).expect("a valid dimension");
    let settings = |seed| {
        enes_benchmarks::by_ranks(Settings::new(problem.start(1.0), 1.0), strategy)
            .seed(seed)
            .target(f.target())
            .max_evaluations(500_000)
            .restarts(Restarts::Off)
    };
    let mut es = Optimizer::new(&settings(seed)).expect("valid settings");
    let (mut points, mut values) = (Vec::new(), Vec::new());
    while es.stop_reason().is_none() {
        let asked: Vec<Vec<f64>> = es.ask().iter().map(<[f64]>::to_vec).collect();
        let told: Vec<f64> = asked.iter().map(|x| problem.evaluate(x)).collect();
        es.tell(&told).expect("one value for each point");
        points.extend(asked);
        values.extend(told);
    }
    // Towards the second start of the same problem: a direction like any other.
    let away = Problem::new(f, D, seed + 1000).expect("a valid dimension");
    let by: Vec<f64> = away.start(moved).iter().zip(away.optimum()).map(|(a, b)| a - b).collect();
    let table = || WarmStart::from_table(points.clone(), values.clone());
    let second = |warm: Option<WarmStart>| {
        let outcome = enes::minimize(&settings(seed + 500).warm_start(warm), |x| {
            let there: Vec<f64> = x.iter().zip(&by).map(|(x, b)| x - b).collect();
            problem.evaluate(&there)
        });
        outcome.ok().filter(|o| o.stop.is_target()).map(|o| o.evaluations)
    };
    let run = || WarmStart::from_run(&es);
    [None, Some(run()), Some(run().widen(1.0)), Some(table().points(false)), Some(table())]
        .map(second)
        .to_vec()
}
