//! Baselines with populations that are too small for the paper's: a multiple of the mean utility, which is beyond it.

use enes::Baseline;
use enes_problems::Function;

use super::spec;
use crate::plan::Plan;
use crate::run::{RunRecord, RunSpec};
use crate::section::{Section, Table, Verdict};
use crate::statistics::{Cell, count};
use enes_chart::{Axis, Chart};

pub(crate) const NAME: &str = "small";
const BASELINES: [(&str, Baseline); 5] = [
    ("block", Baseline::Block),
    ("uniform", Baseline::Uniform),
    ("1.0 × mean", Baseline::Mean { factor: 1.0 }),
    ("1.15 × mean", Baseline::Mean { factor: 1.15 }),
    ("1.3 × mean", Baseline::Mean { factor: 1.3 }),
];
/// Function, dimension, populations, budget; the third population is the one that the claim is about.
const CELLS: [(Function, usize, [usize; 5], u64); 2] = [
    (Function::Cigar, 5, [15, 20, 25, 35, 50], 20_000),
    (Function::Ellipsoid, 15, [50, 65, 80, 120, 250], 60_000),
];

pub(crate) fn runs(plan: Plan) -> Vec<RunSpec> {
    let count = plan.pick(60, 3);
    let mut specs = Vec::new();
    for (f, d, populations, max_evaluations) in CELLS {
        for n in populations {
            for (variant, baseline) in BASELINES {
                specs.extend((0..count).map(|run| RunSpec {
                    variant: variant.to_string(),
                    baseline,
                    max_evaluations,
                    ..spec(NAME, f, d, n, run)
                }));
            }
        }
    }
    specs
}

pub(super) fn cell<'a>(runs: &'a [RunRecord], variant: &str, f: Function, d: usize, n: usize) -> Cell<'a> {
    Cell::of(runs, NAME, variant, f, d, n)
}

pub(super) fn figure(runs: &[RunRecord]) -> String {
    let mut chart = Chart::new(
        "Baselines with small populations",
        Axis::log("population n").range(13.0, 290.0),
        Axis::linear("solved in %").range(-4.0, 104.0),
    );
    for (colour, (variant, _)) in BASELINES.into_iter().enumerate() {
        for (f, d, populations, _) in CELLS {
            let share = |n: usize| (n as f64, 100.0 * cell(runs, variant, f, d, n).success());
            let name = format!("{f} d = {d}, {variant}");
            chart.marked(&name, colour, d == 15, populations.into_iter().map(share).collect());
        }
    }
    chart.svg()
}

pub(crate) fn section(plan: Plan, runs: &[RunRecord]) -> Section {
    let mut section = Section::new(
        NAME,
        "Baselines with small populations",
        format!(
            "Two functions and {} runs a cell, from populations at which most baselines fail up to the paper's. Beyond the \
             paper: c times the mean utility.",
            plan.pick(60, 3)
        ),
    );
    let mut rows = Vec::new();
    for (f, d, populations, _) in CELLS {
        for n in populations {
            let mut row = vec![f.name().to_string(), d.to_string(), n.to_string()];
            for (variant, _) in BASELINES {
                let cell = cell(runs, variant, f, d, n);
                row.extend([cell.share(), count(cell.evaluations(0.5))]);
            }
            rows.push(row);
        }
    }
    let mut header = vec!["function", "d", "n"];
    header.extend(BASELINES.iter().flat_map(|(name, _)| [*name, "evaluations"]));
    section.tables.push(Table::new("small", "Runs solved and median evaluations.", &header, rows));
    for (f, d, populations, _) in CELLS {
        let n = populations[2];
        let told = |variant: &str| format!("{variant} {}", cell(runs, variant, f, d, n).share());
        let cost = |variant: &str| {
            let at = |v: &str| cell(runs, v, f, d, populations[4]).evaluations(0.5);
            at(variant) / at("block")
        };
        section.claim(
            &format!("(a constant baseline solves more with small populations: {f}, d = {d}, n = {n})"),
            format!(
                "runs solved: {}; evaluations at n = {}, where block solves all: {:.2}, {:.2} and {:.2} times block's",
                BASELINES.map(|(v, _)| told(v)).join(", "),
                populations[4],
                cost("1.0 × mean"),
                cost("1.15 × mean"),
                cost("1.3 × mean")
            ),
            Verdict::NotClaimed,
        );
    }
    section
}
