//! The multimodal functions from near and far, with the default strategy's automatic restarts, beside pycma's BIPOP.
//!
//! `enes reproduce restarts`; the folder is that of `adaptive`, which may hold both.

use enes::Restarts;
use enes_problems::Function;

use super::{Pair, by_both, listed, multimodal};
use crate::reproduce::run::{OWN_POPULATION, RunRecord, RunSpec};
use crate::reproduce::section::{Section, Table, Verdict};
use crate::reproduce::statistics::count;
use crate::reproduce::{Experiment, Plan};

pub(super) const NAME: &str = "restarts-distances";

const FUNCTIONS: [Function; 4] =
    [Function::Rastrigin, Function::Ackley, Function::Griewank, Function::Weierstrass];

/// Success that is required, in every cell.
const REQUIRED: f64 = 0.95;

/// Dimensions, distances, runs and evaluations for each dimension.
fn sizes(plan: Plan) -> (&'static [usize], &'static [f64], u64, u64) {
    plan.pick((&[2, 5, 10], &[0.1, 1.0, 10.0, 100.0], 50, 100_000), (&[2], &[1.0, 10.0], 2, 10_000))
}

/// The initial scale: a third of the distance where the paper's footnote suggests it, else its 1.
fn sigma(f: Function, distance: f64) -> f64 {
    if matches!(f, Function::Griewank | Function::Ackley) { distance / 3.0 } else { 1.0 }
}

pub(crate) fn runs(plan: Plan) -> Vec<RunSpec> {
    let (dimensions, distances, count, budget) = sizes(plan);
    let mut specs = Vec::new();
    for &d in dimensions {
        for f in FUNCTIONS {
            for &distance in distances {
                specs.extend((0..count).map(|run| RunSpec {
                    restarts: Restarts::Auto,
                    max_evaluations: budget * d as u64,
                    ..multimodal(NAME, (f, distance, sigma(f, distance)), d, OWN_POPULATION, run)
                }));
            }
        }
    }
    specs.into_iter().flat_map(by_both).collect()
}

/// A cell: function, distance of the start, dimension.
type Kind = (Function, f64, usize);

pub(super) fn section(plan: Plan, runs: &[RunRecord]) -> Section {
    let mut section = Section::new(
        Experiment::Adaptive,
        "Multimodal functions from near and far, with restarts",
        "Runs to 1e-8 within 100,000 d evaluations with all defaults, beside cma.fmin2(restarts=9, bipop=True). The \
         initial scale is 1; for Griewank's and Ackley's function a third of the distance, as the paper's footnote \
         suggests.",
    );
    section.part = Some("distances");
    let (dimensions, distances, ..) = sizes(plan);
    let mut cells: Vec<(Kind, Pair<'_>)> = Vec::new();
    for &d in dimensions {
        for f in FUNCTIONS {
            for &distance in distances {
                let same = |r: &RunRecord| {
                    r.experiment == NAME
                        && r.function == f.name()
                        && r.d == d
                        && (r.distance - distance).abs() < 1e-9
                };
                cells.push(((f, distance, d), Pair::new(runs, same)));
            }
        }
    }
    section.tables.push(table(&cells));
    claims(&cells, &mut section);
    section
}

fn table(cells: &[(Kind, Pair<'_>)]) -> Table {
    let row = |((f, distance, d), pair): &(Kind, Pair<'_>)| {
        vec![
            f.name().to_string(),
            d.to_string(),
            format!("{distance}"),
            pair.ours.share(),
            pair.theirs.share(),
            count(pair.ours.evaluations(0.5)),
            count(pair.theirs.evaluations(0.5)),
        ]
    };
    Table {
        name: "restarts-distances",
        caption: "Successes, and medians of the evaluations of the runs that succeeded.".into(),
        header: vec!["function", "d", "distance", "enes", "pycma", "enes ", "pycma "],
        rows: cells.iter().map(row).collect(),
    }
}

fn claims(cells: &[(Kind, Pair<'_>)], section: &mut Section) {
    let below = |pair: &Pair<'_>| (pair.ours.successes() as f64) < REQUIRED * pair.ours.runs.len() as f64;
    let lost: Vec<String> = cells
        .iter()
        .filter(|(_, pair)| below(pair))
        .map(|((f, distance, d), pair)| {
            let theirs =
                if pair.is_measured() { format!(", pycma {}", pair.theirs.share()) } else { String::new() };
            format!("{f} d = {d} from {distance}: {}{theirs}", pair.ours.share())
        })
        .collect();
    section.claim(
        "With automatic restarts at least 95 % of the runs succeed in every cell.",
        format!("{} of {} cells; lost: {}", cells.len() - lost.len(), cells.len(), listed(&lost)),
        Verdict::met(lost.is_empty()),
    );
}
