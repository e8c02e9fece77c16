//! Evaluations to 10⁻⁸ beyond 40 dimensions, with the gradient by differences and by ranks alone, on rotated functions: smooth
//! ones, and such on which a gradient has no say.
//!
//! `cargo run --release -p enes-benchmarks --bin gradient -- 80 > benchmarks/results/gradient.tsv`
//! Numbers are the dimensions to run, in place of all. `benchmarks/python/gradient_peers.py` has L-BFGS-B.
#![allow(clippy::print_stdout)] // its output is the table

use std::time::{Duration, Instant};

use enes::{ModelChoice, Optimizer, Settings};
use enes_measure::SplitMix64;

struct Numbers(SplitMix64);

impl Numbers {
    /// Between 0 and 1, neither of them.
    fn uniform(&mut self) -> f64 {
        ((self.0.bits() >> 11) as f64 + 0.5) / (1u64 << 53) as f64
    }

    fn normal(&mut self) -> f64 {
        (-2.0 * self.uniform().ln()).sqrt() * (std::f64::consts::TAU * self.uniform()).cos()
    }
}

const DIMENSIONS: [usize; 3] = [80, 160, 320];
const TARGET: f64 = 1e-8;
const SEEDS: std::ops::Range<u64> = 101..104;

/// A run ends after so many evaluations for each coordinate, or seconds.
const MOST: u64 = 400;
const PATIENCE: Duration = Duration::from_secs(20);

const NAMES: [&str; 13] = [
    "sphere",
    "ellipsoid",
    "cigar",
    "tablet",
    "rosenbrock",
    "different powers",
    "one-sided",
    "sharp ridge",
    "weighted l1",
    "max",
    "rastrigin",
    "ackley",
    "noisy sphere",
];

fn value(name: &str, z: &[f64], noise: &mut Numbers) -> f64 {
    let d = z.len();
    let place = |i: usize| i as f64 / (d - 1) as f64;
    let square: f64 = z.iter().map(|v| v * v).sum();
    let rest = square - z[0] * z[0];
    let wave = |v: &f64| (std::f64::consts::TAU * v).cos();
    let each = |f: &dyn Fn(usize, f64) -> f64| z.iter().enumerate().map(|(i, v)| f(i, *v)).sum::<f64>();
    match name {
        "sphere" => square,
        "ellipsoid" => each(&|i, v| 1e6f64.powf(place(i)) * v * v),
        "cigar" => z[0] * z[0] + 1e6 * rest,
        "tablet" => 1e6 * z[0] * z[0] + rest,
        "rosenbrock" => {
            z.windows(2).map(|w| 100.0 * (w[1] + 1.0 - (w[0] + 1.0).powi(2)).powi(2) + w[0] * w[0]).sum()
        }
        "different powers" => each(&|i, v| v.abs().powf(2.0 + 4.0 * place(i))),
        "one-sided" => each(&|_, v| if v < 0.0 { v * v } else { 100.0 * v * v }),
        "sharp ridge" => z[0] * z[0] + 100.0 * rest.max(0.0).sqrt(),
        "weighted l1" => each(&|i, v| 1e6f64.powf(0.25 * place(i)) * v.abs()),
        "max" => z.iter().fold(0.0, |m: f64, v| m.max(v.abs())),
        "rastrigin" => z.iter().map(|v| 10.0 + v * v - 10.0 * wave(v)).sum(),
        "ackley" => {
            let size = d as f64;
            let waves = z.iter().map(wave).sum::<f64>() / size;
            20.0 - 20.0 * (-0.2 * (square / size).sqrt()).exp() + std::f64::consts::E - waves.exp()
        }
        _ => square * (1.0 + 0.1 * noise.normal()),
    }
}

/// An orthogonal matrix, by rows.
fn rotation(d: usize, rng: &mut Numbers) -> Vec<f64> {
    let mut rows: Vec<f64> = (0..d * d).map(|_| rng.normal()).collect();
    for i in 0..d {
        let (before, row) = rows.split_at_mut(i * d);
        let row = &mut row[..d];
        for other in before.chunks_exact(d) {
            let along: f64 = other.iter().zip(&*row).map(|(a, b)| a * b).sum();
            row.iter_mut().zip(other).for_each(|(r, o)| *r -= along * o);
        }
        let size = row.iter().map(|r| r * r).sum::<f64>().sqrt();
        row.iter_mut().for_each(|r| *r /= size);
    }
    rows
}

/// Evaluations to the target, log₁₀ of what is left after 10, 30 and 100 evaluations for each coordinate, and microseconds for one.
fn run(name: &str, d: usize, seed: u64, model: ModelChoice) -> (Option<u64>, [Option<f64>; 3], f64) {
    let mut rng = Numbers(SplitMix64(seed));
    let turn = rotation(d, &mut rng);
    let optimum: Vec<f64> = (0..d).map(|_| rng.normal()).collect();
    let x0: Vec<f64> = (0..d).map(|_| 8.0 * rng.uniform() - 4.0).collect();
    let mut f = |x: &[f64]| {
        let away: Vec<f64> = x.iter().zip(&optimum).map(|(x, o)| x - o).collect();
        let z: Vec<f64> =
            turn.chunks_exact(d).map(|row| row.iter().zip(&away).map(|(r, a)| r * a).sum()).collect();
        value(name, &z, &mut rng)
    };
    let (first, marks) = (f(&x0), [10, 30, 100].map(|m| m * d as u64));
    let mut es = Optimizer::new(&Settings::new(x0, 2.0).seed(seed).model(model)).expect("sound settings");
    let (mut n, mut best, mut hit, mut left) = (0, f64::INFINITY, None, [None; 3]);
    let (mut own, start) = (Duration::ZERO, Instant::now());
    while hit.is_none() && n < MOST * d as u64 && es.stop_reason().is_none() && start.elapsed() < PATIENCE {
        let asked = Instant::now();
        let points: Vec<Vec<f64>> = es.ask().iter().map(<[f64]>::to_vec).collect();
        own += asked.elapsed();
        let mut values = Vec::with_capacity(points.len());
        for point in &points {
            let value = f(point);
            n += 1;
            best = value.min(best);
            hit = hit.or((best <= TARGET).then_some(n));
            for (left, mark) in left.iter_mut().zip(marks) {
                *left = left.or((n == mark).then(|| (best / first).log10()));
            }
            values.push(value);
        }
        let told = Instant::now();
        es.tell(&values).expect("as many values as points");
        own += told.elapsed();
    }
    (hit, left, 1e6 * own.as_secs_f64() / n as f64)
}

fn main() {
    let given: Vec<usize> = std::env::args().skip(1).filter_map(|d| d.parse().ok()).collect();
    let dimensions = if given.is_empty() { DIMENSIONS.to_vec() } else { given };
    println!(
        "function\td\tseed\tmodel\tevaluations\tlog10 after 10 d\tafter 30 d\tafter 100 d\tmicroseconds"
    );
    for d in dimensions {
        for name in NAMES {
            for seed in SEEDS {
                for (word, model) in [("gradient", ModelChoice::Auto), ("ranks", ModelChoice::RankOnly)] {
                    let (hit, left, micros) = run(name, d, seed, model);
                    let words = left.map(|l| l.map_or("-".to_string(), |l| format!("{l:.2}")));
                    let hit = hit.map_or("-".to_string(), |n| n.to_string());
                    println!("{name}\t{d}\t{seed}\t{word}\t{hit}\t{}\t{micros:.0}", words.join("\t"));
                }
            }
        }
    }
}
