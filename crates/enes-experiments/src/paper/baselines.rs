//! The four baselines: evaluations, success, premature convergence.

use enes::Baseline;
use enes_measure::interval;
use enes_problems::Function;

use super::spec;
use crate::plan::Plan;
use crate::run::{RunRecord, RunSpec};
use crate::section::{Section, Table, Verdict};
use crate::statistics::{Cell, count};
use enes_chart::{Axis, Chart};

pub(crate) const NAME: &str = "baselines";
const BASELINES: [(&str, Baseline); 4] = [
    ("none", Baseline::None),
    ("uniform", Baseline::Uniform),
    ("specific", Baseline::Specific),
    ("block", Baseline::Block),
];

fn functions() -> impl Iterator<Item = Function> {
    Function::ALL.into_iter().filter(|f| f.is_unimodal())
}

/// Without mixing, at the paper's populations.
const UNMIXED: [(&str, Baseline); 4] = [
    ("none, no mixing", Baseline::None),
    ("uniform, no mixing", Baseline::Uniform),
    ("block, no mixing", Baseline::Block),
    ("1.0 × mean, no mixing", Baseline::Mean { factor: 1.0 }),
];
const PAPER: [(usize, usize); 2] = [(5, 50), (15, 250)];
/// Many times what a run takes: Rosenbrock's function takes ten times as much.
const BUDGET: u64 = 60_000;

fn budget(f: Function, refresh_rate: f64) -> u64 {
    let hard = if f == Function::Rosenbrock { 5 } else { 1 };
    if refresh_rate < 1.0 { hard * BUDGET } else { 5 * hard * BUDGET }
}

/// The paper's populations, and smaller ones that are harder on the estimate.
fn sizes(plan: Plan) -> &'static [(usize, usize)] {
    plan.pick(&[(5, 25), (5, 50), (15, 120), (15, 250)], &[(5, 50)])
}

pub(crate) fn runs(plan: Plan) -> Vec<RunSpec> {
    let count = plan.pick(20, 3);
    let mut specs = Vec::new();
    for &(d, n) in sizes(plan) {
        for f in functions() {
            for (variant, baseline) in BASELINES {
                specs.extend((0..count).map(|run| RunSpec {
                    variant: variant.to_string(),
                    baseline,
                    max_evaluations: budget(f, 0.01),
                    ..spec(NAME, f, d, n, run)
                }));
            }
        }
    }
    for &(d, n) in PAPER.iter().filter(|size| sizes(plan).contains(size)) {
        for f in functions() {
            for (variant, baseline) in UNMIXED {
                specs.extend((0..plan.pick(5, 2)).map(|run| RunSpec {
                    variant: variant.to_string(),
                    baseline,
                    refresh_rate: 1.0,
                    max_evaluations: budget(f, 1.0),
                    ..spec(NAME, f, d, n, run)
                }));
            }
        }
    }
    specs
}

fn cell<'a>(runs: &'a [RunRecord], variant: &str, f: Function, d: usize, n: usize) -> Cell<'a> {
    Cell::of(runs, NAME, variant, f, d, n)
}

pub(crate) fn section(plan: Plan, runs: &[RunRecord]) -> Section {
    let mut section = Section::new(
        NAME,
        "Fitness baselines",
        "The nine unimodal functions with each baseline, at the paper's populations and at half of them. A run that \
         stops before the target has converged prematurely, or its budget is spent: 60,000 evaluations, 300,000 on \
         Rosenbrock's function, five times as many without mixing.",
    );
    let mut rows = Vec::new();
    for &(d, n) in sizes(plan) {
        for f in functions() {
            let mut row = vec![f.name().to_string(), d.to_string(), n.to_string()];
            for (variant, _) in BASELINES {
                let cell = cell(runs, variant, f, d, n);
                row.extend([cell.share(), count(cell.evaluations(0.5))]);
            }
            rows.push(row);
        }
    }
    section.tables.push(Table::new(
        "baselines",
        "Runs solved and median evaluations for each baseline.",
        &[
            "function",
            "d",
            "n",
            "none",
            "evaluations",
            "uniform",
            "evaluations ",
            "specific",
            "evaluations  ",
            "block",
            "evaluations   ",
        ],
        rows,
    ));
    section.figure("baselines", figure(plan, runs), "All functions together, by dimension and population.");
    claims(plan, runs, &mut section);
    section
}

/// Runs solved and runs made, over all functions at one size.
fn solved(runs: &[RunRecord], variant: &str, d: usize, n: usize) -> (usize, usize) {
    functions()
        .map(|f| cell(runs, variant, f, d, n))
        .fold((0, 0), |s, c| (s.0 + c.successes(), s.1 + c.runs.len()))
}

fn figure(plan: Plan, runs: &[RunRecord]) -> String {
    let axis = Axis::linear("population n").range(0.0, plan.pick(270.0, 100.0));
    let mut chart =
        Chart::new("Runs solved, by baseline", axis, Axis::linear("solved in %").range(-4.0, 104.0));
    for (colour, (variant, _)) in BASELINES.into_iter().enumerate() {
        for d in [5, 15] {
            let of_dimension = sizes(plan).iter().filter(|s| s.0 == d);
            let points: Vec<(f64, f64)> = of_dimension
                .map(|&(d, n)| {
                    let (good, all) = solved(runs, variant, d, n);
                    (n as f64, 100.0 * good as f64 / all as f64)
                })
                .collect();
            if !points.is_empty() {
                chart.marked(&format!("{variant}, d = {d}"), colour, d == 15, points);
            }
        }
    }
    chart.svg()
}

fn claims(plan: Plan, runs: &[RunRecord], section: &mut Section) {
    let total = |variant: &str| {
        sizes(plan)
            .iter()
            .map(|&(d, n)| solved(runs, variant, d, n))
            .fold((0, 0), |s, c| (s.0 + c.0, s.1 + c.1))
    };
    let share = |variant: &str| {
        let (good, all) = total(variant);
        100.0 * good as f64 / all as f64
    };
    let shares: Vec<String> = BASELINES.iter().map(|(v, _)| format!("{v} {:.0} %", share(v))).collect();
    section.claim(
        "Block fitness baselines are very robust.",
        format!("runs solved over all functions and sizes: {}", shares.join(", ")),
        Verdict::of(BASELINES.iter().all(|(v, _)| share("block") >= share(v) - 1.0)),
    );
    let at_paper = |variant: &str| {
        let there = PAPER.iter().filter(|size| sizes(plan).contains(size));
        let (good, all) =
            there.map(|&(d, n)| solved(runs, variant, d, n)).fold((0, 0), |s, c| (s.0 + c.0, s.1 + c.1));
        format!("{good} of {all}")
    };
    section.claim(
        "(at the paper's populations)",
        format!(
            "with mixing uniform {}, block {}; without mixing none {}, uniform {}, block {}, the mean utility {}",
            at_paper("uniform"),
            at_paper("block"),
            at_paper(UNMIXED[0].0),
            at_paper(UNMIXED[1].0),
            at_paper(UNMIXED[2].0),
            at_paper(UNMIXED[3].0)
        ),
        Verdict::NotClaimed,
    );
    let worse = |variant: &str| {
        let mut places = Vec::new();
        for &(d, n) in sizes(plan) {
            for f in functions() {
                let (this, block) = (cell(runs, variant, f, d, n), cell(runs, "block", f, d, n));
                // Beyond chance: the 95 % intervals do not meet.
                let high = interval(this.successes(), this.runs.len()).1;
                if high < interval(block.successes(), block.runs.len()).0 {
                    places.push(format!("{f} d = {d} n = {n} ({} against {})", this.share(), block.share()));
                }
            }
        }
        places
    };
    for variant in ["uniform", "specific"] {
        let places = worse(variant);
        let measured = match places.len() {
            0 => "nowhere worse than block baselines beyond chance (95 % intervals)".to_string(),
            _ => format!("fewer runs solved than with block baselines on {}", places.join(", ")),
        };
        section.claim(
            &format!("{variant} baselines sometimes led to premature convergence."),
            measured,
            Verdict::of(!places.is_empty()),
        );
    }
}
