//! Time, memory and lost digits of the paper's recursion and of the closed form.

use std::io::Write;
use std::time::Instant;

use enes::{Baseline, Optimizer, SearchDistribution, Settings, Strategy};
use enes_measure::SplitMix64;
use enes_reference as paper;
use serde::{Deserialize, Serialize};

use crate::error::ReproduceError;
use crate::folder::Folder;
use crate::plan::Plan;
use crate::runner::Progress;

/// One measured number: one JSON line.
#[derive(Clone, Debug, Deserialize, Serialize)]
pub(crate) struct Measurement {
    pub(crate) key: String,
    /// `time`, `memory` or `digits`.
    pub(crate) what: String,
    /// `closed form` or `recursion`.
    pub(crate) method: String,
    /// Dimension, or the condition number where digits are measured.
    pub(crate) x: f64,
    /// Seconds a generation, bytes, or relative error.
    pub(crate) value: f64,
}

pub(crate) const CLOSED: &str = "closed form";
pub(crate) const RECURSION: &str = "recursion";

/// Dimension of the digits experiment.
pub(crate) const DIGITS_DIMENSION: usize = 10;

/// What is to be measured: what, method, x. One after the other, while nothing else runs.
fn wanted(plan: Plan) -> Vec<(&'static str, &'static str, f64)> {
    let closed: &[usize] = plan.pick(&[4, 8, 16, 32, 50, 64, 100, 128, 200, 256, 400], &[4, 8, 12, 16]);
    let recursion: &[usize] = plan.pick(&[4, 8, 16, 24, 32, 48, 64], &[4, 8, 12, 16]);
    let mut all = Vec::new();
    for what in ["time", "memory"] {
        all.extend(closed.iter().map(|&d| (what, CLOSED, d as f64)));
        all.extend(recursion.iter().map(|&d| (what, RECURSION, d as f64)));
    }
    for power in 0..=plan.pick(7, 3) {
        let condition = 10f64.powi(power);
        all.extend([("digits", CLOSED, condition), ("digits", RECURSION, condition)]);
    }
    all
}

/// Measure what the folder does not have.
pub(crate) fn measure_missing(plan: Plan, folder: &mut Folder, quiet: bool) -> Result<(), ReproduceError> {
    let key = |(what, method, x): &(&str, &str, f64)| format!("scaling/{what}/{method}/{x}");
    let missing: Vec<_> = wanted(plan).into_iter().filter(|m| !folder.has(&key(m))).collect();
    let weight = |(what, method, x): &(&str, &str, f64)| match (*what, *method) {
        ("time", RECURSION) => 1.0 + (x / 30.0).powi(4),
        ("time", _) => 1.0 + (x / 200.0).powi(3),
        _ => 0.3,
    };
    let mut progress = Progress::new("measurements", missing.len(), missing.iter().map(weight).sum(), quiet);
    for m in missing {
        let (what, method, x) = m;
        let value = match what {
            "time" => Some(seconds_per_generation(x as usize, method)),
            "memory" => peak_memory(x as usize, method),
            _ => Some(relative_error(x, method)),
        };
        // A machine that does not tell its memory leaves a gap, not a lie.
        if let Some(value) = value {
            let (what, method) = (what.to_string(), method.to_string());
            folder.add_measurement(Measurement { key: key(&m), what, method, x, value })?;
        }
        progress.advance(weight(&m));
    }
    Ok(())
}

fn sphere(x: &[f64]) -> f64 {
    x.iter().map(|v| v * v).sum()
}

/// Anything that completes one generation of 4d points.
fn generations(d: usize, method: &str) -> Box<dyn FnMut()> {
    let n = 4 * d;
    if method == CLOSED {
        let settings = Settings::new(vec![1.0; d], 1.0).strategy(Strategy::Published).population(n);
        let mut es = Optimizer::new(&settings).expect("invariant: valid settings");
        let mut values = Vec::with_capacity(n);
        return Box::new(move || {
            values.clear();
            values.extend(es.ask().iter().map(sphere));
            es.tell(&values).expect("invariant: one value per point");
        });
    }
    let factor = (0..d).map(|k| (0..d).map(|l| f64::from(u8::from(k == l))).collect()).collect();
    let mut state = paper::Generation::new(paper::Theta { mean: vec![1.0; d], factor });
    let mut numbers = Numbers::new(0x9e37_79b9_7f4a_7c15);
    Box::new(move || state.advance(n, 1.0, 0.01, paper::Baseline::Block, sphere, &mut numbers))
}

/// The fastest of several generations: the one that was disturbed least.
fn seconds_per_generation(d: usize, method: &str) -> f64 {
    let mut generation = generations(d, method);
    generation();
    let start = Instant::now();
    let mut best = f64::INFINITY;
    let mut count = 0;
    while count < 3 || (start.elapsed().as_secs_f64() < 0.5 && count < 2000) {
        let begin = Instant::now();
        generation();
        best = best.min(begin.elapsed().as_secs_f64());
        count += 1;
    }
    best
}

/// Peak bytes of a few generations, in a process of their own.
fn peak_memory(d: usize, method: &str) -> Option<f64> {
    let mut command = std::process::Command::new(std::env::current_exe().ok()?);
    command.args(["measure-memory", "--dim", &d.to_string()]);
    if method == RECURSION {
        command.arg("--reference");
    }
    let output = command.output().ok()?;
    String::from_utf8(output.stdout).ok()?.trim().parse().ok()
}

/// The hidden command behind `peak_memory`: growth of the peak resident size, in bytes.
pub(crate) fn print_memory(d: usize, reference: bool) -> Result<(), ReproduceError> {
    let method = if reference { RECURSION } else { CLOSED };
    // Code pages and the kernels' packing buffer come in with a small run.
    generations(3, method)();
    let before = enes_measure::peak_memory();
    let mut generation = generations(d.max(1), method);
    generation();
    generation();
    if let (Some(before), Some(after)) = (before, enes_measure::peak_memory()) {
        writeln!(std::io::stdout().lock(), "{}", after - before)?;
    }
    Ok(())
}

/// Relative error of the factor's gradient for one sample, at this condition number of A.
///
/// `z` and A are chosen so that the whitened sample is known without a solve: the answer is that of
/// the closed form from the exact s. Both methods get z and A only.
fn relative_error(condition: f64, method: &str) -> f64 {
    let d = DIGITS_DIMENSION;
    let mut numbers = Numbers::new(42);
    let mut worst: Vec<f64> = Vec::new();
    for _ in 0..11 {
        // Numbers with few bits, so that z = Aᵀs is exact.
        let grid = |x: f64, bits: i32| (x * 2f64.powi(bits)).round() / 2f64.powi(bits);
        let mut a = vec![vec![0.0; d]; d];
        for k in 0..d {
            let scale = condition.powf(-(k as f64) / (d - 1) as f64);
            a[k][k] = grid(scale, 34);
            for l in k + 1..d {
                a[k][l] = grid(0.5 * scale * (2.0 * paper::RandomNumbers::uniform(&mut numbers) - 1.0), 34);
            }
        }
        let s: Vec<f64> = (0..d).map(|_| grid(paper::RandomNumbers::normal(&mut numbers), 6)).collect();
        let z: Vec<f64> = (0..d).map(|j| (0..=j).map(|k| a[k][j] * s[k]).sum()).collect();
        let exact = exact_update(&a, &s);
        let mean = vec![0.0; d];
        let computed = if method == CLOSED {
            let p = SearchDistribution::new(mean, a.concat()).expect("invariant: an upper-triangular factor");
            p.natural_gradient(&z, &[1.0], Baseline::None).expect("invariant: one point").factor
        } else {
            let theta = paper::Theta { mean, factor: a };
            paper::natural_gradient(&theta, &[z], &[1.0], paper::Baseline::None).1.concat()
        };
        let scale = exact.iter().fold(0.0f64, |m, v| m.max(v.abs()));
        let error = computed.iter().zip(&exact).fold(0.0f64, |m, (x, y)| m.max((x - y).abs()));
        worst.push((error / scale).max(f64::EPSILON));
    }
    enes_measure::quantile(&worst, 0.5)
}

/// M A with M_ij = s_i s_j above and ½(s_i² − 1) on the diagonal.
fn exact_update(a: &[Vec<f64>], s: &[f64]) -> Vec<f64> {
    let d = s.len();
    let m = |i: usize, j: usize| if i == j { 0.5 * (s[i] * s[i] - 1.0) } else { s[i] * s[j] };
    let entry = |i: usize, l: usize| (i..=l).map(|j| m(i, j) * a[j][l]).sum::<f64>();
    (0..d)
        .flat_map(|i| (0..d).map(move |l| (i, l)))
        .map(|(i, l)| if l < i { 0.0 } else { entry(i, l) })
        .collect()
}

/// Random numbers for timing and input data.
#[derive(Debug)]
pub(crate) struct Numbers(SplitMix64);

impl Numbers {
    pub(crate) fn new(seed: u64) -> Self {
        Self(SplitMix64(seed))
    }
}

impl paper::RandomNumbers for Numbers {
    fn normal(&mut self) -> f64 {
        self.0.normal()
    }

    fn uniform(&mut self) -> f64 {
        self.0.uniform()
    }
}
