//! Evaluations that fail: evaluations to a true value of 1e-8 with the default and in rank-based mode.
//!
//! `cargo run --release -p enes-benchmarks --bin outliers` prints a line for each kind of failure, function and dimension: how many of 15
//! runs come to 1e-8, and the median of their evaluations. A share of the evaluations fails wherever it is, with no number, or with 10² to
//! 10⁸ more than the value; or all fail beyond a plane, which is 0 or 0.1 behind the optimum, or 0.5 in front of it: there runs are to come
//! within 1 % of the least value before the plane. σ₀ is 0.5, the start 0, the optimum at 1; 1000 d evaluations, one search.
//! `results/outliers.md` has what it printed.
#![allow(clippy::print_stdout)]

use enes::{ModelChoice, Restarts, Settings};
use enes_measure::SplitMix64;

const RUNS: u64 = 15;
const FUNCTIONS: [&str; 3] = ["sphere", "ellipsoid", "rosenbrock"];

fn weight(function: &str, i: usize, d: usize) -> f64 {
    let most: f64 = if function == "sphere" { 1.0 } else { 1e4 };
    most.powf(i as f64 / (d - 1) as f64)
}

fn evaluate(function: &str, x: &[f64]) -> f64 {
    match function {
        "sphere" | "ellipsoid" => {
            x.iter().enumerate().map(|(i, v)| weight(function, i, x.len()) * (v - 1.0).powi(2)).sum()
        }
        _ => x.windows(2).map(|p| 100.0 * (p[1] - p[0] * p[0]).powi(2) + (1.0 - p[0]).powi(2)).sum(),
    }
}

/// What fails.
#[derive(Clone, Copy)]
enum Failure {
    /// No number, in this share of the evaluations.
    Share(f64),
    /// A huge value, in this share.
    Huge(f64),
    /// No number, so far beyond the optimum.
    Wall(f64),
}

const FAILURES: [(&str, Failure); 9] = [
    ("none", Failure::Share(0.0)),
    ("2 %", Failure::Share(0.02)),
    ("5 %", Failure::Share(0.05)),
    ("10 %", Failure::Share(0.1)),
    ("2 % huge", Failure::Huge(0.02)),
    ("10 % huge", Failure::Huge(0.1)),
    ("wall at 0", Failure::Wall(0.0)),
    ("wall at 0.1", Failure::Wall(0.1)),
    ("wall at -0.5", Failure::Wall(-0.5)),
];

/// What counts as solved: 1e-8, or 1 % above the least value that does not fail. `None` where that is not known.
fn goal(function: &str, d: usize, failure: Failure) -> Option<f64> {
    let Failure::Wall(distance @ ..0.0) = failure else { return Some(1e-8) };
    let softness: f64 = (0..d).map(|i| 1.0 / weight(function, i, d)).sum::<f64>() / d as f64;
    (function != "rosenbrock").then(|| 1.01 * distance * distance / softness)
}

/// Evaluations until a point is that good; `None` where none is.
fn run(
    function: &str,
    d: usize,
    seed: u64,
    (failure, goal): (Failure, f64),
    model: ModelChoice,
) -> Option<u64> {
    let mut draw = SplitMix64(1000 * seed + d as u64);
    let (mut count, mut hit) = (0, None);
    let f = |x: &[f64]| {
        count += 1;
        let value = evaluate(function, x);
        let (chance, decades) = (draw.uniform(), draw.between(2.0, 8.0));
        let beyond = x.iter().map(|x| x - 1.0).sum::<f64>() / (d as f64).sqrt();
        let told = match failure {
            Failure::Share(share) if chance < share => f64::NAN,
            Failure::Huge(share) if chance < share => value + 10f64.powf(decades),
            Failure::Wall(distance) if beyond > distance => f64::NAN,
            _ => value,
        };
        if told < goal {
            hit = hit.or(Some(count));
        }
        told
    };
    let settings = Settings::new(vec![0.0; d], 0.5).seed(seed).target(goal).model(model);
    let settings = settings.restarts(Restarts::Off).max_evaluations(1000 * d as u64);
    enes::minimize(&settings, f).expect("valid settings");
    hit
}

fn main() {
    println!("failure\tfunction\td\tmodel\tsolved\tmedian\truns");
    for (kind, failure) in FAILURES {
        for (function, d) in FUNCTIONS.iter().flat_map(|f| [3, 5, 10, 20].map(|d| (f, d))) {
            let Some(goal) = goal(function, d, failure) else { continue };
            for (name, model) in [("default", ModelChoice::Auto), ("ranks", ModelChoice::RankOnly)] {
                let counts: Vec<Option<u64>> =
                    (0..RUNS).map(|seed| run(function, d, seed, (failure, goal), model)).collect();
                let mut sorted: Vec<u64> = counts.iter().map(|count| count.unwrap_or(u64::MAX)).collect();
                sorted.sort_unstable();
                let text = |count: u64| if count == u64::MAX { "-".to_owned() } else { count.to_string() };
                let each: Vec<String> = counts.iter().map(|n| text(n.unwrap_or(u64::MAX))).collect();
                let solved = counts.iter().flatten().count();
                let median = text(sorted[sorted.len() / 2]);
                println!("{kind}\t{function}\t{d}\t{name}\t{solved}\t{median}\t{}", each.join(" "));
            }
        }
    }
}
