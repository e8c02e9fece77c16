//! What each steering constant of the adaptive strategy is worth: evaluations to a target without it, compared with
//! those with it.
//!
//! `cargo run --release -p enes-benchmarks --bin constants [-- RUNS [D …]]` prints a table and writes
//! `benchmarks/results/constants.md` (with dimensions it only prints; beyond 20 the rank-based mode alone). Each constant is replaced by the number that makes it do nothing. A cell is a
//! function in a dimension; its figure is evaluations over successes, summed over the runs, so that failures count. The
//! last column is the geometric mean over cells. Rank-based mode and default are measured apart; seeds are of their own.
#![allow(clippy::print_stdout, clippy::print_stderr)]

use std::fmt::Write as _;

use enes::{ModelChoice, RankTuning, Restarts, Settings, SurrogateTuning, Tuning};
use enes_problems::{Function, Problem};
use rayon::prelude::*;

/// Seeds that no constant was chosen on.
const FIRST_SEED: u64 = 71_000;

/// What a constant is replaced by.
enum Change {
    Ranks(fn(&mut RankTuning)),
    Surrogate(fn(&mut SurrogateTuning)),
}

type Variant = (&'static str, Change);

fn variants() -> Vec<Variant> {
    use Change::{Ranks, Surrogate};
    vec![
        ("none: the default", Ranks(|_| {})),
        ("orthogonal: independent samples", Ranks(|t| t.orthogonal = false)),
        ("gain: 2.5, the prototype's", Ranks(|t| t.gain = 2.5)),
        ("gain_low: as gain", Ranks(|t| t.gain_low = t.gain)),
        ("recombination_low: 0", Ranks(|t| t.recombination_low = 0.0)),
        ("certainty: no gate", Ranks(|t| t.certainty = f64::NEG_INFINITY)),
        ("patience: 1", Ranks(|t| t.patience = 1.0)),
        ("first_evidence: 0", Ranks(|t| t.first_evidence = 0.0)),
        ("large: no rank-µ update", Ranks(|t| t.large = f64::INFINITY)),
        ("contraction: 0", Ranks(|t| t.contraction = 0.0)),
        ("damping_large: 2, as CMA-ES", Ranks(|t| t.damping_large = 2.0)),
        ("damping_by_trust: 0", Ranks(|t| t.damping_by_trust = 0.0)),
        ("root_rate: 1", Ranks(|t| t.root_rate = false)),
        ("least_diagonal: 0", Ranks(|t| t.least_diagonal = 0.0)),
        ("quality_windows: 1", Ranks(|t| t.quality_windows = 1.0)),
        ("high_ridge: as low_ridge", Surrogate(|t| t.high_ridge = t.low_ridge)),
        ("low_ridge: as high_ridge", Surrogate(|t| t.low_ridge = t.high_ridge)),
        (
            "falloff: 1.5, as the exact model",
            Surrogate(|t| (t.high_ridge.falloff, t.low_ridge.falloff) = (1.5, 1.5)),
        ),
        ("exact_error: any", Surrogate(|t| t.exact_error = f64::INFINITY)),
        ("window: all points", Surrogate(|t| t.window = 1000)),
        ("certain: never", Surrogate(|t| t.certain = 0.0)),
        ("useful: 1", Surrogate(|t| t.useful = 1.0)),
        ("worthless: 1", Surrogate(|t| t.worthless = 1.0)),
        ("credit: no lock", Surrogate(|t| t.credit = f64::INFINITY)),
        ("burn_in: 0", Surrogate(|t| t.burn_in = 0)),
        ("trust_region: the first form", Surrogate(|t| t.trust_region = false)),
        ("interpolating: as low_ridge", Surrogate(|t| t.interpolating = t.low_ridge)),
        ("kept: any step", Surrogate(|t| t.kept = f64::NEG_INFINITY)),
        ("kept_well: as kept", Surrogate(|t| t.kept_well = t.kept)),
        ("usual_step: 1", Surrogate(|t| t.usual_step = 1.0)),
        ("belief: all curvatures", Surrogate(|t| t.belief = 100.0)),
        ("least_ratio: 1", Surrogate(|t| t.least_ratio = 1.0)),
        ("beyond: any", Surrogate(|t| t.beyond = 1e9)),
        ("error_floor: 0", Surrogate(|t| t.error_floor = 0.0)),
        ("power_rounds: no power", Surrogate(|t| t.power_rounds = 0)),
        ("power_stride: 0.02", Surrogate(|t| t.power_stride = 0.02)),
    ]
}

#[derive(Clone, Copy, PartialEq)]
enum Kind {
    Paper(Function),
    /// A sphere that is steeper by a random factor on one side of every plane.
    OneSided,
    /// Restarts within a budget.
    Multimodal(Function),
}

#[derive(Clone, Copy)]
struct Cell {
    kind: Kind,
    d: usize,
    ranks: bool,
}

impl Cell {
    fn name(&self) -> String {
        let kind = match self.kind {
            Kind::Paper(f) | Kind::Multimodal(f) => f.name(),
            Kind::OneSided => "one-sided",
        };
        format!("{kind} {} {}", self.d, if self.ranks { "ranks" } else { "default" })
    }

    /// Evaluations, and whether the target was reached.
    fn run(&self, tuning: Tuning, seed: u64) -> (u64, bool) {
        let d = self.d;
        let function = match self.kind {
            Kind::Paper(f) | Kind::Multimodal(f) => f,
            Kind::OneSided => Function::Sphere,
        };
        let problem = Problem::new(function, d, seed).expect("a dimension in range");
        let steep = 10f64.powf(1.0 + 3.0 * ((seed * 7919 % 101) as f64 / 100.0));
        let one_sided = self.kind == Kind::OneSided;
        let f = |x: &[f64]| match one_sided {
            true => {
                problem.own_coordinates(x).iter().map(|y| y * y * if *y > 0.0 { steep } else { 1.0 }).sum()
            }
            false => problem.evaluate(x),
        };
        let multimodal = matches!(self.kind, Kind::Multimodal(_));
        let (target, limit) = if multimodal { (1e-8, 10_000 * d) } else { (function.target(), 1500 * d) };
        let restarts = if multimodal { Restarts::Bipop } else { Restarts::Off };
        let model = if self.ranks { ModelChoice::RankOnly } else { ModelChoice::Auto };
        let settings = Settings::new(problem.start(1.0), 1.0).seed(seed).target(target).restarts(restarts);
        let settings = settings.max_evaluations(limit as u64).model(model).tuning(tuning);
        let outcome = enes::minimize(&settings, f).expect("valid settings");
        (outcome.evaluations, outcome.stop.is_target())
    }
}

fn cells(dimensions: &[usize]) -> Vec<Cell> {
    use Function::{
        Ackley, Cigar, DiffPow, Ellipsoid, ParabR, Rastrigin, Rosenbrock, SharpR, Sphere, Tablet,
    };
    let smooth = [Sphere, Ellipsoid, Cigar, Tablet, DiffPow, ParabR, SharpR, Rosenbrock].map(Kind::Paper);
    let mut cells = Vec::new();
    let few = dimensions.iter().all(|&d| d <= 20);
    for ranks in if few { vec![true, false] } else { vec![true] } {
        for &d in dimensions {
            let kinds = smooth.into_iter().chain([Kind::OneSided]);
            cells.extend(kinds.map(|kind| Cell { kind, d, ranks }));
        }
        let multimodal = [(Rastrigin, 2), (Rastrigin, 4), (Ackley, 6)];
        cells.extend(multimodal.map(|(f, d)| Cell { kind: Kind::Multimodal(f), d, ranks }));
    }
    cells
}

/// Evaluations over successes, and successes; half a success where there was none.
fn expected(cell: Cell, tuning: Tuning, runs: u64) -> (f64, u64) {
    let results: Vec<(u64, bool)> = (0..runs).map(|run| cell.run(tuning, FIRST_SEED + run)).collect();
    let (evaluations, successes) =
        results.iter().fold((0, 0), |(e, s), (evaluations, met)| (e + evaluations, s + u64::from(*met)));
    (evaluations as f64 / (successes as f64).max(0.5), successes)
}

fn main() -> std::io::Result<()> {
    let runs: u64 = std::env::args().nth(1).and_then(|a| a.parse().ok()).unwrap_or(9);
    let given: Vec<usize> = std::env::args().skip(2).filter_map(|a| a.parse().ok()).collect();
    let few = given.iter().all(|&d| d <= 20);
    let cells = cells(if given.is_empty() { &[3, 6, 12, 20] } else { &given });
    let mut table = String::from(
        "| constant, and what stands in its place | rank-based | default | worst cell | successes |\n|---|---|---|---|---|\n",
    );
    let mut base: Vec<(f64, u64)> = Vec::new();
    for (name, change) in variants().into_iter().filter(|v| few || matches!(v.1, Change::Ranks(_))) {
        let mut tuning = Tuning::default();
        match change {
            Change::Ranks(change) => change(&mut tuning.ranks),
            Change::Surrogate(change) => change(&mut tuning.surrogate),
        }
        let surrogate_only = matches!(change, Change::Surrogate(_));
        let found: Vec<(f64, u64)> = (0..cells.len())
            .into_par_iter()
            .map(|i| match surrogate_only && cells[i].ranks {
                true => base[i],
                false => expected(cells[i], tuning, runs),
            })
            .collect();
        if base.is_empty() {
            base.clone_from(&found);
        }
        let ratios: Vec<f64> = found.iter().zip(&base).map(|(a, b)| a.0 / b.0).collect();
        let mean = |ranks: bool| {
            let logs: Vec<f64> =
                (0..cells.len()).filter(|&i| cells[i].ranks == ranks).map(|i| ratios[i].ln()).collect();
            (logs.iter().sum::<f64>() / logs.len() as f64).exp()
        };
        let worst = (0..cells.len()).max_by(|a, b| ratios[*a].total_cmp(&ratios[*b])).unwrap_or(0);
        let successes: u64 = found.iter().map(|f| f.1).sum();
        let ranks = if surrogate_only { "".to_string() } else { format!("{:.3}", mean(true)) };
        let line = format!(
            "| {name} | {ranks} | {:.3} | {} {:.2} | {successes} |",
            mean(false),
            cells[worst].name(),
            ratios[worst]
        );
        println!("{line}");
        let _ = writeln!(table, "{line}");
    }
    if !given.is_empty() {
        return Ok(());
    }
    let total = cells.len() as u64 * runs;
    let text = format!(
        "# What each steering constant is worth\n\n`cargo run --release -p enes-benchmarks --bin constants -- {runs}`: \
         {} cells of {runs} runs, {total} runs in all; {}.\n\n{table}",
        cells.len(),
        enes_measure::machine()
    );
    std::fs::write("benchmarks/results/constants.md", text)
}
