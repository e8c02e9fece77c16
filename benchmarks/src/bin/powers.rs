//! Functions of a quadratic, drawn at random: how many evaluations one search takes, and when it ends.
//!
//! `cargo run --release -p enes-benchmarks --bin powers -- SEED RUNS DIMENSION ...`, a line for each form and dimension: medians until a value
//! is within 1e-8 of the least, and until the search ends, with the number of runs that came so far.
#![allow(clippy::print_stdout)]

use enes::{Optimizer, Restarts, Settings};
use enes_measure::{SplitMix64, quantile};

/// A name, and a function of q.
type Form = (&'static str, fn(f64) -> f64);

const FORMS: [Form; 10] = [
    ("q", |q| q),
    ("q^0.4", |q| q.powf(0.4)),
    ("q^0.5", f64::sqrt),
    ("q^0.9", |q| q.powf(0.9)),
    ("q^1.5", |q| q.powf(1.5)),
    ("q^2", |q| q * q),
    ("sqrt(1 + q)", |q| (1.0 + q).sqrt() - 1.0),
    ("ln(1 + q)", f64::ln_1p),
    ("1 - exp(-q/2)", |q| -(-0.5 * q).exp_m1()),
    ("q/(1 + q)", |q| q / (1.0 + q)),
];

/// What every form is at its optimum.
const LEAST: f64 = 1.0;

/// A quadratic around 0, of curvatures that differ by a factor of up to 30, turned in every plane of neighbouring coordinates.
struct Quadratic {
    curvatures: Vec<f64>,
    angles: Vec<f64>,
}

impl Quadratic {
    fn new(d: usize, draw: &mut SplitMix64) -> Self {
        let widest = draw.between(0.0, 1.5);
        let level = 10f64.powf(draw.between(-0.5, 0.3));
        let curvatures = (0..d).map(|_| level * 10f64.powf(draw.between(0.0, widest))).collect();
        Self { curvatures, angles: (1..d).map(|_| draw.between(0.0, 3.0)).collect() }
    }

    fn at(&self, x: &[f64]) -> f64 {
        let mut y = x.to_vec();
        for (i, (sine, cosine)) in self.angles.iter().map(|a| a.sin_cos()).enumerate() {
            (y[i], y[i + 1]) = (cosine * y[i] - sine * y[i + 1], sine * y[i] + cosine * y[i + 1]);
        }
        y.iter().zip(&self.curvatures).map(|(v, c)| c * v * v).sum::<f64>() / y.len() as f64
    }
}

/// Evaluations until the value, if ever, and until the end.
fn run(form: fn(f64) -> f64, d: usize, seed: u64) -> (Option<u64>, u64) {
    let mut draw = SplitMix64(seed);
    let quadratic = Quadratic::new(d, &mut draw);
    let mut start: Vec<f64> = (0..d).map(|_| draw.normal()).collect();
    let length = start.iter().map(|v| v * v).sum::<f64>().sqrt();
    start.iter_mut().for_each(|v| *v *= (d as f64).sqrt() / length);
    let settings = Settings::new(start, 1.0).seed(seed).restarts(Restarts::Off).max_evaluations(100_000);
    let mut es = Optimizer::new(&settings).expect("valid settings");
    let (mut reached, mut spent) = (None, 0);
    while es.stop_reason().is_none() {
        let values: Vec<f64> = es.ask().iter().map(|x| LEAST + form(quadratic.at(x))).collect();
        for value in &values {
            spent += 1;
            if *value <= LEAST + 1e-8 {
                reached = reached.or(Some(spent));
            }
        }
        es.tell(&values).expect("as many values as points");
    }
    (reached, spent)
}

fn main() {
    let mut arguments = std::env::args().skip(1).filter_map(|a| a.parse::<u64>().ok());
    let (seed, runs) = (arguments.next().unwrap_or(1), arguments.next().unwrap_or(30));
    let dimensions: Vec<u64> = arguments.collect();
    println!("form\td\tseed\truns\treached\tto 1e-8\tto the end");
    for d in dimensions {
        for (number, (name, form)) in FORMS.into_iter().enumerate() {
            let first = seed * 1_000_000 + number as u64 * 10_000;
            let each: Vec<_> = (first..first + runs).map(|seed| run(form, d as usize, seed)).collect();
            let reached: Vec<f64> = each.iter().filter_map(|r| r.0).map(|r| r as f64).collect();
            let spent: Vec<f64> = each.iter().map(|r| r.1 as f64).collect();
            let (count, median) = (reached.len(), quantile(&reached, 0.5));
            println!("{name}\t{d}\t{seed}\t{runs}\t{count}\t{median:.0}\t{:.0}", quantile(&spent, 0.5));
        }
    }
}
