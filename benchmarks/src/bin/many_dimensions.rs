//! Over the dimension, from 10 to 100,000: what is left of four functions after 3, 10 and 30 evaluations for each coordinate,
//! and the optimizer's own time for an evaluation.
//!
//! `cargo run --release -p enes-benchmarks --bin many_dimensions > benchmarks/results/many-dimensions.tsv`
//! Numbers after it are the dimensions to run, in place of all.
#![allow(clippy::print_stdout)] // its output is the table

use std::time::{Duration, Instant};

use enes::{Optimizer, Settings};

type Objective = fn(&[f64]) -> f64;

const DIMENSIONS: [usize; 9] = [10, 30, 40, 100, 300, 1000, 1100, 10_000, 100_000];

/// A run that takes longer ends; what it has not reached is a dash.
const PATIENCE: Duration = Duration::from_secs(6);

fn sphere(x: &[f64]) -> f64 {
    x.iter().map(|v| v * v).sum()
}

fn ellipsoid(x: &[f64]) -> f64 {
    let last = (x.len() - 1) as f64;
    x.iter().enumerate().map(|(i, v)| 10f64.powf(6.0 * i as f64 / last) * v * v).sum()
}

/// One long axis, along none of the coordinates.
fn cigar(x: &[f64]) -> f64 {
    let along = x.iter().sum::<f64>().powi(2) / x.len() as f64;
    1e4 * (sphere(x) - along) + along
}

fn rosenbrock(x: &[f64]) -> f64 {
    x.windows(2).map(|w| 100.0 * (w[1] - w[0] * w[0]).powi(2) + (1.0 - w[0]).powi(2)).sum()
}

/// Log₁₀ of what is left after each mark, and microseconds for an evaluation.
fn run(f: Objective, d: usize, seed: u64) -> ([Option<f64>; 3], f64) {
    let x0: Vec<f64> = (0..d).map(|j| 4.0 * (1.0 + j as f64 + 10.0 * seed as f64).sin()).collect();
    let first = f(&x0);
    let mut es = Optimizer::new(&Settings::new(x0, 2.0).seed(seed)).expect("sound settings");
    let marks = [3, 10, 30].map(|m| (m * d) as u64);
    let (mut left, mut own, start) = ([None; 3], Duration::ZERO, Instant::now());
    while left[2].is_none() && es.stop_reason().is_none() && start.elapsed() < PATIENCE {
        let asked = Instant::now();
        let points = es.ask();
        own += asked.elapsed();
        let values: Vec<f64> = points.iter().map(f).collect();
        let told = Instant::now();
        es.tell(&values).expect("as many values as points");
        own += told.elapsed();
        let best = es.best().map_or(f64::NAN, |b| (b.value / first).log10());
        for (left, mark) in left.iter_mut().zip(marks) {
            if left.is_none() && es.evaluations() >= mark {
                *left = Some(best);
            }
        }
    }
    (left, 1e6 * own.as_secs_f64() / es.evaluations() as f64)
}

fn main() {
    let given: Vec<usize> = std::env::args().skip(1).filter_map(|d| d.parse().ok()).collect();
    let dimensions = if given.is_empty() { DIMENSIONS.to_vec() } else { given };
    println!("function\td\tseed\tlog10 after 3 d\tafter 10 d\tafter 30 d\tmicroseconds an evaluation");
    let functions: [(&str, Objective); 4] =
        [("sphere", sphere), ("ellipsoid", ellipsoid), ("cigar", cigar), ("rosenbrock", rosenbrock)];
    for d in dimensions {
        for (name, f) in functions {
            for seed in 101..104 {
                let (left, micros) = run(f, d, seed);
                let words = left.map(|l| l.map_or("-".to_string(), |l| format!("{l:.2}")));
                println!("{name}\t{d}\t{seed}\t{}\t{micros:.0}", words.join("\t"));
            }
        }
    }
}
