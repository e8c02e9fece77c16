//! Evaluations that fail now and then, wherever they are: evaluations to a true value of 1e-8 with the default and in rank-based mode.
//!
//! `cargo run --release -p enes-benchmarks --bin outliers -- [SHARE ...]` prints a line for each kind of failure, share (0, 0.02 and 0.1
//! by default), function and dimension: how many of 15 runs come to 1e-8, and the median of their evaluations. A failure is no
//! number, or 10² to 10⁸ more than the value. σ₀ is 0.5, the start 0, the optimum at 1; 1000 d evaluations, one search.
//! `results/outliers.md` has what it printed.
#![allow(clippy::print_stdout)]

use enes::{ModelChoice, Restarts, Settings};
use enes_measure::SplitMix64;

const RUNS: u64 = 15;
const FUNCTIONS: [&str; 3] = ["sphere", "ellipsoid", "rosenbrock"];

fn evaluate(function: &str, x: &[f64]) -> f64 {
    let weight = |i: usize| 1e4f64.powf(i as f64 / (x.len() - 1) as f64);
    match function {
        "sphere" => x.iter().map(|x| (x - 1.0).powi(2)).sum(),
        "ellipsoid" => x.iter().enumerate().map(|(i, x)| weight(i) * (x - 1.0).powi(2)).sum(),
        _ => x.windows(2).map(|p| 100.0 * (p[1] - p[0] * p[0]).powi(2) + (1.0 - p[0]).powi(2)).sum(),
    }
}

/// Evaluations until a point has a true value of 1e-8; `None` where none has.
fn run(function: &str, d: usize, seed: u64, huge: bool, share: f64, model: ModelChoice) -> Option<u64> {
    let mut draw = SplitMix64(1000 * seed + d as u64);
    let (mut count, mut hit) = (0, None);
    let f = |x: &[f64]| {
        count += 1;
        let value = evaluate(function, x);
        let (fails, decades) = (draw.uniform() < share, draw.between(2.0, 8.0));
        if value < 1e-8 && !fails {
            hit = hit.or(Some(count));
        }
        match (fails, huge) {
            (true, true) => value + 10f64.powf(decades),
            (true, false) => f64::NAN,
            (false, _) => value,
        }
    };
    let settings = Settings::new(vec![0.0; d], 0.5).seed(seed).target(1e-8).model(model);
    let settings = settings.restarts(Restarts::Off).max_evaluations(1000 * d as u64);
    enes::minimize(&settings, f).expect("valid settings");
    hit
}

fn main() {
    let given = std::env::args().skip(1).map(|share| share.parse().expect("a share from 0 to 1"));
    let mut shares: Vec<f64> = given.collect();
    if shares.is_empty() {
        shares = vec![0.0, 0.02, 0.1];
    }
    println!("failure\tshare\tfunction\td\tmodel\tsolved\tmedian\truns");
    for (huge, share) in [false, true].into_iter().flat_map(|huge| shares.iter().map(move |s| (huge, *s))) {
        if huge && share == 0.0 {
            continue;
        }
        for (function, d) in FUNCTIONS.iter().flat_map(|f| [3, 5, 10, 20].map(|d| (f, d))) {
            for (name, model) in [("default", ModelChoice::Auto), ("ranks", ModelChoice::RankOnly)] {
                let counts: Vec<Option<u64>> =
                    (0..RUNS).map(|seed| run(function, d, seed, huge, share, model)).collect();
                let mut sorted: Vec<u64> = counts.iter().map(|count| count.unwrap_or(u64::MAX)).collect();
                sorted.sort_unstable();
                let median = sorted[sorted.len() / 2];
                let median = if median == u64::MAX { "-".to_owned() } else { median.to_string() };
                let each: Vec<String> =
                    counts.iter().map(|count| count.map_or("-".to_owned(), |n| n.to_string())).collect();
                let kind = if huge { "huge" } else { "none" };
                let solved = counts.iter().flatten().count();
                println!("{kind}\t{share}\t{function}\t{d}\t{name}\t{solved}\t{median}\t{}", each.join(" "));
            }
        }
    }
}
