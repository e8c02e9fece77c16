//! Landscapes with many optima, drawn at random, in boxes: how many are solved within 200 d and 2000 d evaluations.
//!
//! `cargo run --release -p enes-benchmarks --bin rugged -- [seed] [runs] [dimension ...]`, a seed and runs for each family.
//! A run is solved when a value within 1e-6 of the least was evaluated; only the box and the budget are given. With
//! RUGGED_FAMILIES=a,b these alone; with RUGGED_TRACE=1 the searches of every run; with RUGGED_TARGET=1 the
//! target is given, too; with RUGGED_DONE=1 runs
//! go on until enes ends them, and all evaluations count.
#![allow(clippy::print_stdout)]

use std::f64::consts::TAU;

use enes::{Optimizer, Settings};
use enes_measure::{SplitMix64, quantile};

const CLOSE: f64 = 1e-6;
const BUDGETS: [usize; 2] = [200, 2000];

/// Numbers that make a landscape.
struct Draw(SplitMix64);

impl Draw {
    /// Ten to a power between these.
    fn power(&mut self, low: f64, high: f64) -> f64 {
        10f64.powf(self.0.between(low, high))
    }

    /// The identity or a rotation, equally often.
    fn axes(&mut self, d: usize) -> Vec<Vec<f64>> {
        if self.0.uniform() < 0.5 {
            return (0..d).map(|i| (0..d).map(|j| f64::from(i == j)).collect()).collect();
        }
        let mut rows: Vec<Vec<f64>> = Vec::new();
        while rows.len() < d {
            let mut row: Vec<f64> = (0..d).map(|_| self.0.normal()).collect();
            for other in &rows {
                let along: f64 = row.iter().zip(other).map(|(a, b)| a * b).sum();
                row.iter_mut().zip(other).for_each(|(a, b)| *a -= along * b);
            }
            let length = row.iter().map(|a| a * a).sum::<f64>().sqrt();
            rows.push(row.iter().map(|a| a / length).collect());
        }
        rows
    }
}

type Function = Box<dyn Fn(&[f64]) -> f64>;

/// Around 0, where its least value 0 is, and half the width of the box.
type Make = fn(usize, &mut Draw) -> (Function, f64);

const FAMILIES: [(&str, Make); 8] = [
    ("griewank", griewank),
    ("drop wave", drop_wave),
    ("rings", rings),
    ("schaffer", schaffer),
    ("rastrigin", rastrigin),
    ("peaks", peaks),
    ("wells", wells),
    ("smooth", smooth),
];

fn sum(y: &[f64], each: impl Fn(usize, f64) -> f64) -> f64 {
    y.iter().enumerate().map(|(i, v)| each(i, *v)).sum()
}

fn factors(d: usize, draw: &mut Draw, low: f64, high: f64) -> Vec<f64> {
    (0..d).map(|_| draw.power(low, high)).collect()
}

/// A bowl that is flat beside its ripples, a product of cosines.
fn griewank(d: usize, draw: &mut Draw) -> (Function, f64) {
    let (bowl, w) = (draw.power(-4.0, -3.0), factors(d, draw, -0.4, 0.0));
    let ripples = move |y: &[f64]| 1.0 - y.iter().zip(&w).map(|(v, w)| (w * v).cos()).product::<f64>();
    (Box::new(move |y| bowl * sum(y, |_, v| v * v) + ripples(y)), draw.power(1.5, 2.8))
}

/// Waves around a point that grow weaker away from it.
fn drop_wave(d: usize, draw: &mut Draw) -> (Function, f64) {
    let (a, b, w) = (draw.0.between(4.0, 14.0), draw.0.between(0.2, 1.0), factors(d, draw, -0.2, 0.2));
    let f = move |y: &[f64]| {
        let square = sum(y, |i, v| w[i] * v * v);
        1.0 - (1.0 + (a * square.sqrt()).cos()) / (b * square + 2.0)
    };
    (Box::new(f), draw.0.between(3.0, 6.0))
}

/// The same with waves that are as high everywhere beside a flat trend.
fn rings(d: usize, draw: &mut Draw) -> (Function, f64) {
    let (k, w) = (draw.power(-3.5, -2.5), factors(d, draw, -0.2, 0.2));
    let f = move |y: &[f64]| {
        let square = sum(y, |i, v| w[i] * v * v);
        0.5 + (square.sqrt().sin().powi(2) - 0.5) / (1.0 + k * square).powi(2)
    };
    (Box::new(f), draw.power(1.0, 2.0))
}

/// Waves that are the shorter the further away, along hyperbolas.
fn schaffer(d: usize, draw: &mut Draw) -> (Function, f64) {
    let (k, w) = (draw.power(-3.5, -2.5), factors(d, draw, -0.2, 0.2));
    let f = move |y: &[f64]| {
        let square = sum(y, |i, v| w[i] * v * v);
        let signed = sum(y, |i, v| if i % 2 == 0 { w[i] * v * v } else { -w[i] * v * v });
        0.5 + (signed.sin().powi(2) - 0.5) / (1.0 + k * square).powi(2)
    };
    (Box::new(f), draw.power(0.8, 2.0))
}

/// A bowl with ripples, a sum of cosines.
fn rastrigin(d: usize, draw: &mut Draw) -> (Function, f64) {
    let (a, w) = (draw.power(0.0, 1.2), factors(d, draw, -0.3, 0.0));
    let f = move |y: &[f64]| sum(y, |i, v| w[i] * v * v + a * (1.0 - (TAU * v).cos()));
    (Box::new(f), draw.power(0.4, 0.9))
}

/// Place, bottom, axes and power of wells, the best one first, in a box from -4 to 4.
fn draw_wells(d: usize, draw: &mut Draw, round: bool) -> Vec<(Vec<f64>, f64, Vec<f64>, f64)> {
    let (count, k) = (draw.0.between(3.0, 13.0) as usize, draw.0.between(0.0, 1.5));
    let one = |i: usize, draw: &mut Draw| {
        let place = (0..d).map(|_| if i == 0 { 0.0 } else { draw.0.between(-4.0, 4.0) }).collect();
        let bottom = if i == 0 { 0.0 } else { draw.0.between(0.05, 0.8) };
        let width = draw.power(-0.5, 0.3);
        let axes = (0..d).map(|_| width * draw.power(0.0, k)).collect();
        (place, bottom, axes, if round { 1.0 } else { draw.0.between(0.4, 1.0) })
    };
    (0..=count).map(|i| one(i, draw)).collect()
}

fn distance(y: &[f64], place: &[f64], axes: &[f64]) -> f64 {
    sum(y, |i, v| axes[i] * (v - place[i]).powi(2)) / y.len() as f64
}

/// Gaussian wells in a plain.
fn peaks(d: usize, draw: &mut Draw) -> (Function, f64) {
    let wells = draw_wells(d, draw, true);
    let f = move |y: &[f64]| {
        let value = |(p, b, a, _): &(Vec<f64>, f64, Vec<f64>, f64)| {
            b - (1.0 - b) * (-0.5 * distance(y, p, a)).exp_m1()
        };
        wells.iter().map(value).fold(f64::INFINITY, f64::min)
    };
    (Box::new(f), 4.0)
}

/// The lowest of bowls, from pointed to round.
fn wells(d: usize, draw: &mut Draw) -> (Function, f64) {
    let wells = draw_wells(d, draw, false);
    let value = |y: &[f64], (p, b, a, e): &(Vec<f64>, f64, Vec<f64>, f64)| b + distance(y, p, a).powf(*e);
    (Box::new(move |y| wells.iter().map(|w| value(y, w)).fold(f64::INFINITY, f64::min)), 4.0)
}

/// A sum of quartics with two optima each, coupled.
fn smooth(d: usize, draw: &mut Draw) -> (Function, f64) {
    // (v² − 2 b v)² + t v²: least at 0, another optimum beside 2b where t is small.
    let (b, t) = (factors(d, draw, -0.2, 0.3), factors(d, draw, -1.5, -0.3));
    let signs: Vec<f64> = (0..d).map(|_| if draw.0.between(-1.0, 1.0) < 0.0 { -1.0 } else { 1.0 }).collect();
    let coupling = draw.0.between(0.0, 0.3);
    let f = move |y: &[f64]| {
        let parts = sum(y, |i, v| (v * v - 2.0 * signs[i] * b[i] * v).powi(2) + t[i] * v * v);
        parts + coupling * y.windows(2).map(|p| (p[0] - p[1]).powi(2)).sum::<f64>()
    };
    (Box::new(f), draw.0.between(3.0, 6.0))
}

struct Run {
    solved: Option<u64>,
    evaluations: u64,
}

fn run(make: Make, d: usize, seed: u64, trace: bool) -> Run {
    let mut draw = Draw(SplitMix64(seed));
    let (f, half) = make(d, &mut draw);
    let (axes, at) = (draw.axes(d), (0..d).map(|_| draw.0.between(-0.9, 0.9) * half).collect::<Vec<_>>());
    let value = |x: &[f64]| {
        let y: Vec<f64> =
            axes.iter().map(|row| row.iter().zip(x).zip(&at).map(|((r, x), c)| r * (x - c)).sum()).collect();
        f(&y)
    };
    let bounds: Vec<(f64, f64)> = vec![(-half, half); d];
    let budget = (BUDGETS[1] * d) as u64;
    let settings = Settings::within(bounds).seed(seed ^ 0x5eed).max_evaluations(budget);
    let settings = if std::env::var("RUGGED_TARGET").is_ok() { settings.target(CLOSE) } else { settings };
    let mut es = Optimizer::new(&settings).expect("valid settings");
    let (mut evaluations, mut solved) = (0, None);
    let to_the_end = std::env::var("RUGGED_DONE").is_ok();
    while es.stop_reason().is_none() && (to_the_end || solved.is_none()) {
        let values: Vec<f64> = es.ask().iter().map(value).collect();
        for value in &values {
            evaluations += 1;
            if *value <= CLOSE && solved.is_none() && evaluations <= budget {
                solved = Some(evaluations);
            }
        }
        es.tell(&values).expect("as many values as points");
    }
    if trace {
        println!("  seed {seed}: solved {solved:?} of {evaluations}, half {half:.3}, {:?}", es.stop_reason());
        for r in es.restarts() {
            println!(
                "    {:14} {:5} evaluations {:4} generations λ {:3} scale {:.4} value {:.6}",
                r.reason.name(),
                r.evaluations,
                r.generations,
                r.population,
                r.scale,
                r.value
            );
        }
    }
    if to_the_end {
        return Run { solved, evaluations };
    }
    Run { solved, evaluations: solved.unwrap_or(evaluations.min(budget)) }
}

fn main() {
    let mut arguments = std::env::args().skip(1).filter_map(|a| a.parse::<u64>().ok());
    let (seed, runs) = (arguments.next().unwrap_or(1), arguments.next().unwrap_or(40));
    let dimensions: Vec<usize> = arguments.map(|d| d as usize).collect();
    let dimensions = if dimensions.is_empty() { vec![2, 5] } else { dimensions };
    let wanted = std::env::var("RUGGED_FAMILIES").unwrap_or_default();
    let trace = std::env::var("RUGGED_TRACE").is_ok();
    for d in dimensions {
        let mut total = [0.0; 2];
        for (number, (name, make)) in FAMILIES.into_iter().enumerate() {
            if !wanted.is_empty() && !wanted.split(',').any(|w| w == name) {
                continue;
            }
            let each: Vec<Run> = (0..runs)
                .map(|i| run(make, d, seed * 1_000_000 + number as u64 * 10_000 + i, trace))
                .collect();
            let within = |times: usize| {
                each.iter().filter(|r| r.solved.is_some_and(|s| s <= (times * d) as u64)).count()
            };
            let (few, many) = (within(BUDGETS[0]), within(BUDGETS[1]));
            let spent: u64 = each.iter().map(|r| r.evaluations).sum();
            let solved: Vec<f64> = each.iter().filter_map(|r| r.solved).map(|s| s as f64).collect();
            println!(
                "{name:10} d {d:2}: {few:3} and {many:3} of {runs}, median {:6.0}, expected {:8.0}",
                quantile(&solved, 0.5),
                spent as f64 / many.max(1) as f64
            );
            total[0] += few as f64 / runs as f64;
            total[1] += many as f64 / runs as f64;
        }
        println!("all        d {d:2}: {:.2} and {:.2}", total[0], total[1]);
    }
}
