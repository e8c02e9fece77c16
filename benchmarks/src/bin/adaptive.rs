//! Evaluations of the adaptive strategy to the target on the unimodal functions, by dimension.
//!
//! `cargo run --release -p enes-benchmarks --bin adaptive -- RUNS D ...` prints medians, and the share of
//! successful runs where it is not 1 (why the others stopped goes to stderr). Rotated and shifted, start at distance 1, sigma 1, to 1e-10 (ridges
//! to −1000), seeds 0, 1, …
#![allow(clippy::print_stdout, clippy::print_stderr)]

use enes::{Outcome, Settings};
use enes_measure::quantile;
use enes_problems::{Function, Problem};
use rayon::prelude::*;

fn run(f: Function, d: usize, seed: u64) -> Outcome {
    let problem = Problem::new(f, d, seed).expect("a dimension in range");
    let settings = Settings::new(problem.start(1.0), 1.0)
        .seed(seed)
        .population(std::env::var("POPULATION").ok().and_then(|v| v.parse::<usize>().ok()))
        .target(f.target())
        .max_evaluations(100_000 + 20_000 * d as u64);
    enes::minimize(&settings, |x| problem.evaluate(x)).expect("valid settings")
}

fn main() {
    let mut arguments = std::env::args().skip(1).filter_map(|a| a.parse::<usize>().ok());
    let runs = arguments.next().unwrap_or(20);
    let given: Vec<usize> = arguments.collect();
    let dimensions = if given.is_empty() { vec![1, 2, 3, 5, 10, 15, 20, 40] } else { given };
    let wanted = std::env::var("FUNCTIONS").unwrap_or_default();
    let functions: Vec<Function> = Function::ALL
        .into_iter()
        .filter(|f| f.is_unimodal() && (wanted.is_empty() || wanted.split(',').any(|w| w == f.name())))
        .collect();
    print!("{:>4}", "d");
    functions.iter().for_each(|f| print!(" {:>14}", f.name()));
    println!();
    for d in dimensions {
        print!("{d:4}");
        for f in &functions {
            let outcomes: Vec<Outcome> = (0..runs as u64).into_par_iter().map(|s| run(*f, d, s)).collect();
            for o in outcomes.iter().filter(|o| !o.stop.is_target()) {
                eprintln!("{f} d = {d}: {:e} after {} evaluations, {}", o.value, o.evaluations, o.stop);
            }
            let solved: Vec<f64> =
                outcomes.iter().filter(|o| o.stop.is_target()).map(|o| o.evaluations as f64).collect();
            let share = match solved.len() == runs {
                true => String::new(),
                false => format!(" ({}%)", 100 * solved.len() / runs),
            };
            let median = if solved.is_empty() { f64::NAN } else { quantile(&solved, 0.5) };
            print!(" {:>14}", format!("{median:.0}{share}"));
        }
        println!();
    }
}
