//! Evaluations in a box beyond 40 dimensions, with the gradient by differences and by ranks alone: rotated functions whose optimum lies
//! inside the box, or on faces of it, and the same without a box.
//!
//! `cargo run --release -p enes-benchmarks --bin gradient_boxes -- 901 3 60 120 > benchmarks/results/gradient-boxes.tsv`
//! The numbers are the first seed, the number of runs, and the dimensions. `benchmarks/python/gradient_boxes_peers.py` has L-BFGS-B.
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

/// A run ends after so many evaluations for each coordinate.
const MOST: u64 = 300;

/// What is left, as a part of what the start is above the least value: the run has succeeded.
const TARGET: f64 = 1e-6;

/// Where the optimum lies: nowhere near a bound, there is none; inside; on faces in a quarter of the coordinates; in most of them.
#[derive(Clone, Copy, PartialEq)]
enum Place {
    Free,
    Inside,
    Faces,
    Corner,
}

const PLACES: [(Place, &str); 4] =
    [(Place::Free, "free"), (Place::Inside, "inside"), (Place::Faces, "faces"), (Place::Corner, "corner")];

/// f = ½zᵀz and functions of it, z = D R(x − o): curvatures up to a condition, rotated, or not.
struct Function {
    name: &'static str,
    /// R by rows; `None` where it is none.
    turn: Option<Vec<f64>>,
    weights: Vec<f64>,
    o: Vec<f64>,
    box_: Option<(f64, f64)>,
}

const NAMES: [&str; 6] = ["sphere", "bowl 1e2", "bowl 1e4", "separable 1e4", "quartic", "valley"];

impl Function {
    fn new(name: &'static str, place: Place, d: usize, rng: &mut Numbers) -> Self {
        let turn = (name != "separable 1e4" && name != "valley").then(|| rotation(d, rng));
        let decades = match name {
            "bowl 1e2" => 2.0,
            "bowl 1e4" | "separable 1e4" => 4.0,
            _ => 0.0,
        };
        let weights = (0..d).map(|_| 10f64.powf(decades * rng.uniform())).collect();
        let outside = match place {
            Place::Faces => 0.25,
            Place::Corner => 0.9,
            _ => 0.0,
        };
        let o = (0..d)
            .map(|_| {
                let side = if rng.uniform() < 0.5 { -1.0 } else { 1.0 };
                if rng.uniform() < outside {
                    side * (1.0 + 2.0 * rng.uniform())
                } else {
                    1.2 * rng.uniform() - 0.6
                }
            })
            .collect();
        let box_ = (place != Place::Free).then_some((-1.0, 1.0));
        Self { name, turn, weights, o, box_ }
    }

    fn turned(&self, x: &[f64]) -> Vec<f64> {
        let d = x.len();
        let away: Vec<f64> = x.iter().zip(&self.o).map(|(x, o)| x - o).collect();
        let Some(turn) = &self.turn else { return away };
        turn.chunks_exact(d).map(|row| row.iter().zip(&away).map(|(r, a)| r * a).sum()).collect()
    }

    fn value(&self, x: &[f64]) -> f64 {
        let z = self.turned(x);
        let bowl = || z.iter().zip(&self.weights).map(|(z, w)| 0.5 * w * z * z).sum::<f64>();
        match self.name {
            "quartic" => z.iter().map(|z| 0.5 * z * z + z.powi(4)).sum(),
            "valley" => z.windows(2).map(|w| 10.0 * (w[1] - w[0] * w[0]).powi(2) + w[0] * w[0]).sum(),
            _ => bowl(),
        }
    }

    /// The gradient, to find the least value in the box.
    fn slope(&self, x: &[f64]) -> Vec<f64> {
        let (d, z) = (x.len(), self.turned(x));
        let own: Vec<f64> = match self.name {
            "quartic" => z.iter().map(|z| z + 4.0 * z.powi(3)).collect(),
            "valley" => {
                let mut g = vec![0.0; d];
                for (i, w) in z.windows(2).enumerate() {
                    let miss = w[1] - w[0] * w[0];
                    g[i] += 2.0 * w[0] - 40.0 * miss * w[0];
                    g[i + 1] += 20.0 * miss;
                }
                g
            }
            _ => z.iter().zip(&self.weights).map(|(z, w)| w * z).collect(),
        };
        let Some(turn) = &self.turn else { return own };
        let mut slope = vec![0.0; d];
        for (row, g) in turn.chunks_exact(d).zip(own) {
            slope.iter_mut().zip(row).for_each(|(s, r)| *s += g * r);
        }
        slope
    }

    /// The least value in the box: by projected gradients with momentum and restarts.
    fn least(&self) -> f64 {
        let Some((a, b)) = self.box_ else { return 0.0 };
        let d = self.o.len();
        let steepest = match self.name {
            "quartic" => 400.0,
            "valley" => 600.0,
            _ => self.weights.iter().fold(1.0f64, |m, w| m.max(*w)),
        };
        let clip = |v: f64| v.clamp(a, b);
        let mut x: Vec<f64> = self.o.iter().map(|v| clip(*v)).collect();
        let (mut y, mut t, mut last) = (x.clone(), 1.0f64, self.value(&x));
        for _ in 0..20_000 {
            let g = self.slope(&y);
            let next: Vec<f64> = y.iter().zip(&g).map(|(y, g)| clip(y - g / steepest)).collect();
            let value = self.value(&next);
            let grown = 0.5 * (1.0 + (1.0 + 4.0 * t * t).sqrt());
            let by = if value > last { 0.0 } else { (t - 1.0) / grown };
            t = if value > last { 1.0 } else { grown };
            y = (0..d).map(|j| clip(next[j] + by * (next[j] - x[j]))).collect();
            let still = x.iter().zip(&next).all(|(x, n)| (x - n).abs() < 1e-13);
            (x, last) = (next, value);
            if still {
                break;
            }
        }
        self.value(&x)
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

/// Evaluations to the target, log₁₀ of what is left after 5, 10, 30 and 100 evaluations for each coordinate, microseconds for one.
fn run(f: &Function, x0: &[f64], seed: u64, model: ModelChoice) -> (Option<u64>, [Option<f64>; 4], f64) {
    let d = x0.len();
    let (least, marks) = (f.least(), [5, 10, 30, 100].map(|m| m * d as u64));
    let first = f.value(x0) - least;
    let settings = Settings::new(x0.to_vec(), 0.5).seed(seed).model(model).restarts(enes::Restarts::Off);
    let settings = match f.box_ {
        Some((a, b)) => settings.bounds(vec![(a, b); d]),
        None => settings,
    };
    let mut es = Optimizer::new(&settings).expect("sound settings");
    let (mut n, mut best, mut hit, mut left) = (0, f64::INFINITY, None, [None; 4]);
    let mut own = Duration::ZERO;
    while hit.is_none() && n < MOST * d as u64 && es.stop_reason().is_none() {
        let asked = Instant::now();
        let points: Vec<Vec<f64>> = es.ask().iter().map(<[f64]>::to_vec).collect();
        own += asked.elapsed();
        let mut values = Vec::with_capacity(points.len());
        for point in &points {
            let value = f.value(point);
            n += 1;
            best = value.min(best);
            let part = (best - least).max(0.0) / first;
            hit = hit.or((part <= TARGET).then_some(n));
            for (left, mark) in left.iter_mut().zip(marks) {
                *left = left.or((n == mark).then(|| part.max(1e-16).log10()));
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
    let given: Vec<u64> = std::env::args().skip(1).filter_map(|word| word.parse().ok()).collect();
    let (seed, runs) = (given.first().copied().unwrap_or(901), given.get(1).copied().unwrap_or(3));
    let dimensions = if given.len() > 2 { given[2..].to_vec() } else { vec![60, 120] };
    println!(
        "function\toptimum\td\tseed\tmodel\tevaluations\tafter 5 d\tafter 10 d\tafter 30 d\tafter 100 d\tmicroseconds"
    );
    for d in dimensions.into_iter().map(|d| d as usize) {
        for name in NAMES {
            for (place, word) in PLACES {
                for seed in seed..seed + runs {
                    let mut rng = Numbers(SplitMix64(seed));
                    let f = Function::new(name, place, d, &mut rng);
                    let x0: Vec<f64> = (0..d).map(|_| 1.8 * rng.uniform() - 0.9).collect();
                    for (model, choice) in [("gradient", ModelChoice::Auto), ("ranks", ModelChoice::RankOnly)]
                    {
                        let (hit, left, micros) = run(&f, &x0, seed, choice);
                        let words = left.map(|l| l.map_or("-".to_string(), |l| format!("{l:.2}")));
                        let hit = hit.map_or("-".to_string(), |n| n.to_string());
                        println!(
                            "{name}\t{word}\t{d}\t{seed}\t{model}\t{hit}\t{}\t{micros:.0}",
                            words.join("\t")
                        );
                    }
                }
            }
        }
    }
}
