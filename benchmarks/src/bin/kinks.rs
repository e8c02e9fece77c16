//! Functions with kinks, one-sided ones and smooth ones, drawn at random: evaluations to 1e-8 with all default rules, one search.
//!
//! `cargo run --release -p enes-benchmarks --bin kinks -- MODE D SEED RUNS [FUNCTION ...]`, MODE one of `default`, `serial`
//! (one evaluation after another) and `ranks`; prints a line for each function. Rotation, shift and numbers are drawn for each run; the start is √d away, σ₀ = 1
//! (on the ridge 1, and to −1000). A run has 4000 d evaluations and no `tolx`. `results/kinks.md` has what it printed.
#![allow(clippy::print_stdout)]

use std::f64::consts::TAU;

use enes::{ModelChoice, Restarts, Settings};
use enes_measure::SplitMix64;

const FUNCTIONS: [&str; 10] = [
    "ridge",
    "sides",
    "weighted l1",
    "one-sided",
    "powers",
    "rosenbrock",
    "max",
    "p-norm",
    "ellipsoid",
    "tablet",
];

/// Numbers that make a problem.
struct Draw(SplitMix64);

impl Draw {
    fn normal(&mut self) -> f64 {
        let (length, angle) = (self.0.uniform().max(1e-300), self.0.uniform());
        (-2.0 * length.ln()).sqrt() * (TAU * angle).cos()
    }

    fn normals(&mut self, d: usize) -> Vec<f64> {
        (0..d).map(|_| self.normal()).collect()
    }

    /// Orthonormal rows.
    fn rotation(&mut self, d: usize) -> Vec<Vec<f64>> {
        let mut rows: Vec<Vec<f64>> = Vec::new();
        while rows.len() < d {
            let mut row = self.normals(d);
            for _ in 0..2 {
                for other in &rows {
                    let along = dot(other, &row);
                    row.iter_mut().zip(other).for_each(|(a, b)| *a -= along * b);
                }
            }
            let length = dot(&row, &row).sqrt();
            row.iter_mut().for_each(|a| *a /= length);
            rows.push(row);
        }
        rows
    }
}

fn dot(a: &[f64], b: &[f64]) -> f64 {
    a.iter().zip(b).map(|(a, b)| a * b).sum()
}

type Objective = Box<dyn Fn(&[f64]) -> f64>;

/// A function of its own coordinates, with the optimum at 0.
fn make(name: &str, d: usize, draw: &mut Draw) -> Objective {
    let weights = |decades: f64| -> Vec<f64> {
        (0..d).map(|i| 10f64.powf(decades * i as f64 / (d.max(2) - 1) as f64)).collect()
    };
    let steep = |y: f64, by: f64| if y > 0.0 { by } else { 1.0 };
    match name {
        "ridge" => Box::new(|y| -y[0] + 100.0 * dot(&y[1..], &y[1..]).sqrt()),
        "sides" => {
            let (decades, power, most) =
                (draw.0.between(0.0, 2.0), draw.0.between(0.7, 1.2), draw.0.between(2.0, 4.5));
            let (part, w) = (1 + (draw.0.uniform() * d as f64) as usize, weights(decades));
            let by: Vec<f64> =
                (0..d).map(|i| if i < part { 10f64.powf(draw.0.between(1.0, most)) } else { 1.0 }).collect();
            let signs: Vec<f64> = (0..d).map(|_| if draw.0.uniform() < 0.5 { 1.0 } else { -1.0 }).collect();
            Box::new(move |y| {
                (0..d).map(|i| w[i] * y[i] * y[i] * steep(signs[i] * y[i], by[i])).sum::<f64>().powf(power)
            })
        }
        "weighted l1" => {
            let w = weights(draw.0.between(0.0, 1.5));
            Box::new(move |y| y.iter().zip(&w).map(|(y, w)| y.abs() * w).sum())
        }
        "one-sided" => Box::new(move |y| y.iter().map(|y| y * y * steep(*y, 1e2)).sum()),
        "powers" => Box::new(move |y| {
            y.iter().enumerate().map(|(i, y)| y.abs().powf(2.0 + 10.0 * i as f64 / (d - 1) as f64)).sum()
        }),
        "rosenbrock" => Box::new(|y| {
            let pair = |p: &[f64]| {
                let (a, b) = (1.0 + p[0], 1.0 + p[1]);
                100.0 * (b - a * a).powi(2) + (1.0 - a).powi(2)
            };
            y.windows(2).map(pair).sum()
        }),
        "max" => Box::new(|y| y.iter().fold(0.0f64, |most, y| most.max(y.abs()))),
        "p-norm" => {
            let power = draw.0.between(1.2, 1.8);
            Box::new(move |y| y.iter().map(|y| y.abs().powf(power)).sum())
        }
        "ellipsoid" => {
            let w = weights(draw.0.between(4.0, 6.0));
            Box::new(move |y| y.iter().zip(&w).map(|(y, w)| w * y * y).sum())
        }
        "tablet" => {
            let steep = 10f64.powf(draw.0.between(4.0, 6.0));
            Box::new(move |y| steep * y[0] * y[0] + dot(&y[1..], &y[1..]))
        }
        other => panic!("{other}: no such function; there are {}", FUNCTIONS.join(", ")),
    }
}

/// Evaluations, and whether they were enough.
fn run(mode: &str, name: &str, d: usize, seed: u64, run: u64) -> (u64, bool) {
    let mut draw = Draw(SplitMix64(seed * 1000 + run));
    draw.0.uniform();
    let function = make(name, d, &mut draw);
    let rotation = draw.rotation(d);
    let (optimum, direction) = (draw.normals(d), draw.normals(d));
    let (far, target) = if name == "ridge" { (1.0, -1000.0) } else { ((d as f64).sqrt(), 1e-8) };
    let stretch = far / dot(&direction, &direction).sqrt();
    let start: Vec<f64> = optimum.iter().zip(&direction).map(|(o, s)| o + stretch * s).collect();
    let f = |x: &[f64]| {
        let off: Vec<f64> = x.iter().zip(&optimum).map(|(x, o)| x - o).collect();
        function(&rotation.iter().map(|row| dot(row, &off)).collect::<Vec<_>>())
    };
    let settings =
        Settings::new(start, 1.0).seed(seed + run).target(target).restarts(Restarts::Off).tolx(None);
    let settings = settings.max_evaluations(4000 * d as u64);
    let settings = match mode {
        "ranks" => settings.model(ModelChoice::RankOnly),
        "serial" => settings.batch(1),
        _ => settings,
    };
    let outcome = enes::minimize(&settings, f).expect("valid settings");
    (outcome.evaluations, outcome.stop.is_target())
}

fn main() {
    let arguments: Vec<String> = std::env::args().skip(1).collect();
    let [mode, d, seed, runs, names @ ..] = &arguments[..] else {
        panic!("kinks MODE D SEED RUNS [FUNCTION ...]");
    };
    let number = |text: &String| text.parse::<u64>().expect("a number");
    let (d, seed, runs) = (number(d) as usize, number(seed), number(runs));
    let all = FUNCTIONS.map(String::from);
    for name in if names.is_empty() { &all[..] } else { names } {
        let counts: Vec<(u64, bool)> = (0..runs).map(|k| run(mode, name, d, seed, k)).collect();
        let solved = counts.iter().filter(|(_, hit)| *hit).count();
        let spent: u64 = counts.iter().map(|(n, _)| n).sum();
        let each: Vec<String> =
            counts.iter().map(|(n, hit)| if *hit { n.to_string() } else { format!("-{n}") }).collect();
        let expected = spent as f64 / solved.max(1) as f64;
        println!("{mode}\t{name}\t{d}\t{seed}\t{runs}\t{solved}\t{expected:.0}\t{}", each.join(" "));
    }
}
