//! Tables and verdicts of the study.

use std::fmt::Write;

use enes_measure::quantile;

use super::clock::{Durations, makespan};
use super::{FUNCTIONS, MODES, Mode, NAME, SIGMAS, Schedule, WORKERS, dimensions, runs_of};
use crate::comparison::geometric_mean;
use crate::measurement::Numbers;
use crate::plan::Plan;
use crate::run::{RunRecord, Solver};
use crate::section::{Section, Table, Verdict};

const ASYNCHRONOUS: Mode = MODES[0];
const BARRIER: Mode = MODES[1];

/// Generations of pycma whose span is drawn.
const SPANS: u64 = 300;

/// What is required of the speed-up over one worker.
const SPEED_UPS: [(usize, f64); 4] = [(4, 3.6), (8, 6.8), (16, 12.0), (32, 18.0)];

/// A function in a dimension, with the runs of everyone.
struct Cell<'a> {
    function: String,
    d: usize,
    runs: Vec<&'a RunRecord>,
}

impl<'a> Cell<'a> {
    fn all(plan: Plan, runs: &'a [RunRecord]) -> Vec<Self> {
        let mut cells = Vec::new();
        for &d in dimensions(plan) {
            for (function, perturbation) in FUNCTIONS {
                let function = perturbation.named(function.name());
                let runs: Vec<_> = runs.iter().filter(|r| r.function == function && r.d == d).collect();
                if !runs.is_empty() {
                    cells.push(Self { function, d, runs });
                }
            }
        }
        cells
    }

    fn ours(&self, mode: Mode, workers: usize, sigma: f64) -> Vec<&'a RunRecord> {
        // With one worker all of them are one run, but for its model.
        let (mode, sigma) = if workers == 1 { (Mode { barrier: false, ..mode }, 0.0) } else { (mode, sigma) };
        let variant = Schedule { mode, workers, durations: Durations(sigma) }.variant();
        self.runs.iter().filter(|r| r.variant == variant).copied().collect()
    }

    /// Those that cells with any number of workers have.
    fn timed(&self, mode: Mode, workers: usize, sigma: f64) -> impl Iterator<Item = &'a RunRecord> {
        let count = runs_of(self.d, mode.ranks);
        self.ours(mode, workers, sigma).into_iter().filter(move |r| r.run < count)
    }

    /// The median of the wall time, infinite where half of the runs failed; NaN where there are none.
    fn time(&self, mode: Mode, workers: usize, sigma: f64) -> f64 {
        let of = |r: &RunRecord| if r.success { r.seconds } else { f64::INFINITY };
        median(self.timed(mode, workers, sigma).map(of))
    }

    /// The same of the evaluations, over all runs that there are.
    fn evaluations(&self, mode: Mode, workers: usize, sigma: f64) -> f64 {
        let of = |r: &&RunRecord| if r.success { r.evaluations as f64 } else { f64::INFINITY };
        median(self.ours(mode, workers, sigma).iter().map(of))
    }

    /// pycma's wall time with a pool: generations of its own population, or of one for each worker where these are more.
    fn pycma(&self, workers: usize, sigma: f64) -> f64 {
        let own = 4 + (3.0 * (self.d as f64).ln()) as usize;
        let runs = self.runs.iter().filter(|r| r.solver == Solver::Pycma && r.n == own.max(workers));
        median(runs.map(|r| {
            let mut numbers = Numbers::new(r.run ^ 0x706f_6f6c);
            let generations = r.evaluations.div_ceil(r.n as u64);
            // A few hundred generations give the mean span to some per cent.
            let drawn = generations.clamp(1, SPANS);
            let spans = (0..drawn).map(|_| makespan(r.n, workers, Durations(sigma), &mut numbers).0);
            let mean = spans.sum::<f64>() / drawn as f64;
            if r.success { mean * generations as f64 } else { f64::INFINITY }
        }))
    }
}

fn median(values: impl Iterator<Item = f64>) -> f64 {
    let mut values: Vec<f64> = values.collect();
    values.sort_by(f64::total_cmp);
    match values.get(values.len() / 2) {
        Some(middle) if middle.is_infinite() => f64::INFINITY,
        Some(_) => quantile(&values.iter().map(|v| v.min(f64::MAX)).collect::<Vec<_>>(), 0.5),
        None => f64::NAN,
    }
}

/// The speed-up over one worker, in geometric mean over the cells that both solve.
fn speed_up(cells: &[Cell<'_>], mode: Mode, workers: usize, sigma: f64) -> f64 {
    geometric_mean(cells.iter().map(|c| c.time(mode, 1, 0.0) / c.time(mode, workers, sigma)))
}

pub(crate) fn sections(plan: Plan, runs: &[RunRecord]) -> Vec<Section> {
    let cells = Cell::all(plan, runs);
    if cells.is_empty() {
        return Vec::new();
    }
    let intro = "Workers on a virtual clock: evaluations take a time that is lognormal with mean 1 and the given \
                 deviation of its logarithm; nobody sleeps. A time is the median over the runs of a cell of the wall \
                 time to the target, in mean durations.";
    let mut section = Section::new(NAME, "Asynchronous evaluation", intro);
    claim_busy(runs, &mut section);
    claim_constant(&cells, &mut section);
    claim_speed_up(&cells, &mut section);
    claim_evaluations(&cells, &mut section);
    claim_pycma(&cells, &mut section);
    section.tables.push(times(&cells));
    vec![section]
}

fn claim_busy(runs: &[RunRecord], section: &mut Section) {
    let busy =
        runs.iter().filter(|r| r.variant.starts_with("asynchronous") && !r.variant.ends_with("sigma0"));
    let shares: Vec<f64> = busy.map(|r| r.reused).collect();
    let least = shares.iter().copied().fold(1.0, f64::min);
    section.claim(
        "workers are busy at least 0.95 of the time with lognormal durations",
        format!("at least {least:.3} in each of {} runs", shares.len()),
        Verdict::met(least >= 0.95 && !shares.is_empty()),
    );
}

fn claim_constant(cells: &[Cell<'_>], section: &mut Section) {
    for &sigma in &SIGMAS[1..] {
        let ratio = |c: &Cell<'_>, w| c.time(ASYNCHRONOUS, w, sigma) / c.time(BARRIER, w, 0.0);
        let mut worst = Vec::new();
        let means: Vec<(usize, f64)> = WORKERS[1..]
            .iter()
            .map(|&w| {
                let all = cells.iter().map(|c| (ratio(c, w), c));
                worst.extend(
                    all.clone()
                        .filter(|(r, _)| *r > 1.0)
                        .map(|(r, c)| format!("{} d = {} with {w}: {r:.2}", c.function, c.d)),
                );
                (w, geometric_mean(all.map(|(r, _)| r)))
            })
            .filter(|(_, mean)| mean.is_finite())
            .collect();
        let text: Vec<String> = means.iter().map(|(w, mean)| format!("{mean:.2} with {w}")).collect();
        section.claim(
            &format!("no more wall time, σ = {sigma}, than with the barrier and constant durations"),
            format!(
                "{} of it in geometric mean; more in {} cells: {}",
                text.join(", "),
                worst.len(),
                worst.join(", ")
            ),
            Verdict::met(means.iter().all(|(_, mean)| *mean <= 1.0) && !means.is_empty()),
        );
    }
}

fn claim_speed_up(cells: &[Cell<'_>], section: &mut Section) {
    for &sigma in &SIGMAS {
        let measured: Vec<_> = SPEED_UPS
            .iter()
            .map(|&(w, wanted)| (w, wanted, speed_up(cells, ASYNCHRONOUS, w, sigma)))
            .collect();
        let measured: Vec<_> = measured.into_iter().filter(|m| m.2.is_finite()).collect();
        let text: Vec<String> = measured.iter().map(|(w, _, got)| format!("{got:.1} with {w}")).collect();
        section.claim(
            &format!("speed-up over one worker, σ = {sigma}: 3.6, 6.8, 12 and 18 with 4, 8, 16 and 32"),
            text.join(", "),
            Verdict::met(measured.iter().all(|(_, wanted, got)| got >= wanted) && !measured.is_empty()),
        );
    }
}

fn claim_evaluations(cells: &[Cell<'_>], section: &mut Section) {
    let smooth = cells.iter().filter(|c| c.function == "ellipsoid" || c.function == "rosenbrock");
    let ratio = |c: &Cell<'_>| c.evaluations(ASYNCHRONOUS, 8, 1.0) / c.evaluations(ASYNCHRONOUS, 1, 0.0);
    let ratios: Vec<(f64, String)> =
        smooth.map(|c| (ratio(c), format!("{} d = {}", c.function, c.d))).collect();
    let text: Vec<String> = ratios.iter().map(|(ratio, name)| format!("{name}: {ratio:.2}")).collect();
    section.claim(
        "at most 1.25 times the serial evaluations with 8 workers on smooth functions",
        text.join(", "),
        Verdict::met(!ratios.is_empty() && ratios.iter().all(|(ratio, _)| *ratio <= 1.25)),
    );
}

fn claim_pycma(cells: &[Cell<'_>], section: &mut Section) {
    let words = "at most a third of the wall time of pycma with a pool, σ = 1, in geometric mean";
    let ratio = |c: &Cell<'_>, w| c.time(ASYNCHRONOUS, w, 1.0) / c.pycma(w, 1.0);
    let means: Vec<(usize, f64)> = WORKERS[1..]
        .iter()
        .map(|&w| (w, geometric_mean(cells.iter().map(|c| ratio(c, w)))))
        .filter(|(_, mean)| mean.is_finite())
        .collect();
    if means.is_empty() {
        return section.claim(words, "pycma was not run".into(), Verdict::NotMeasured);
    }
    let text: Vec<String> = means.iter().map(|(w, mean)| format!("{mean:.2} with {w}")).collect();
    let met = means.iter().all(|(_, mean)| *mean <= 1.0 / 3.0);
    section.claim(words, text.join(", "), Verdict::met(met));
}

/// Every cell: times of everyone.
fn times(cells: &[Cell<'_>]) -> Table {
    let mut rows = Vec::new();
    for cell in cells {
        for sigma in SIGMAS {
            let mut row = |name: &str, time: &dyn Fn(usize) -> f64| {
                let times = WORKERS.map(|w| text(time(w)));
                if times.iter().any(|t| !t.is_empty()) {
                    let head =
                        [cell.function.clone(), cell.d.to_string(), sigma.to_string(), name.to_string()];
                    rows.push(head.into_iter().chain(times).collect());
                }
            };
            for mode in MODES {
                row(mode.name(), &|w| cell.time(mode, w, sigma));
            }
            row("pycma", &|w| cell.pycma(w, sigma));
        }
    }
    let header = ["function", "d", "σ", "who", "W = 1", "2", "4", "8", "16", "32", "64"];
    Table::new("asynchronous-times", "Wall time to the target, in mean durations.", &header, rows)
}

fn text(time: f64) -> String {
    match time {
        _ if time.is_nan() => String::new(),
        _ if time.is_infinite() => "∞".into(),
        _ if time < 100.0 => format!("{time:.1}"),
        _ => format!("{time:.0}"),
    }
}

/// The table of the README: geometric means over the cells, with the speed-up over one worker.
pub(crate) fn markdown(plan: Plan, runs: &[RunRecord]) -> String {
    let cells = Cell::all(plan, runs);
    let mut out = String::from("| who | σ |");
    WORKERS.iter().for_each(|w| _ = write!(out, " W = {w} |"));
    out.push_str(" runs lost |\n|---|---|");
    out.push_str(&"---|".repeat(WORKERS.len() + 1));
    out.push('\n');
    for mode in MODES {
        for sigma in SIGMAS {
            let mut line = format!("| {} | {sigma} |", mode.name());
            let mut lost = 0;
            for w in WORKERS {
                let runs = cells.iter().flat_map(|c| c.timed(mode, w, sigma));
                lost += runs.filter(|r| !r.success).count();
                let time = geometric_mean(cells.iter().map(|c| c.time(mode, w, sigma)));
                let gain = speed_up(&cells, mode, w, sigma);
                _ = match time.is_nan() {
                    true => write!(line, " |"),
                    false if w == 1 => write!(line, " {} |", text(time)),
                    false => write!(line, " {} ({gain:.1}) |", text(time)),
                };
            }
            if cells.iter().any(|c| !c.ours(mode, 8, sigma).is_empty()) {
                _ = writeln!(out, "{line} {lost} |");
            }
        }
    }
    for sigma in SIGMAS {
        let times = WORKERS.map(|w| text(geometric_mean(cells.iter().map(|c| c.pycma(w, sigma)))));
        _ = writeln!(out, "| pycma | {sigma} | {} | |", times.join(" | "));
    }
    out
}
