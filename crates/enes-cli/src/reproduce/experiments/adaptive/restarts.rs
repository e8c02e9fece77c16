//! The multimodal functions with restarts, beside pycma's BIPOP.

use enes::{Restarts, Settings};
use enes_problems::Function;

use super::{Pair, STARTS, by_both, listed, marks, multimodal};
use crate::chart::{Axis, Chart};
use crate::reproduce::run::{OWN_POPULATION, RunRecord, RunSpec, Solver};
use crate::reproduce::section::{Section, Table, Verdict};
use crate::reproduce::statistics::{Cell, count};
use crate::reproduce::{Experiment, Plan};

pub(super) const NAME: &str = "adaptive-restarts";

/// Dimensions and runs.
fn sizes(plan: Plan) -> (&'static [usize], u64) {
    plan.pick((&[2, 5], 50), (&[2], 4))
}

fn starts(plan: Plan) -> &'static [(Function, f64, f64)] {
    plan.pick(&STARTS, &STARTS[..3])
}

/// Our runs, with this rule of restarts, as part of this experiment.
pub(super) fn specs(
    plan: Plan,
    name: &'static str,
    variant: &str,
    restarts: Restarts,
    change: fn(Settings) -> Settings,
) -> Vec<RunSpec> {
    let (dimensions, count) = sizes(plan);
    let mut specs = Vec::new();
    for &start in starts(plan) {
        for &d in dimensions {
            specs.extend((0..count).map(|run| RunSpec {
                variant: variant.to_string(),
                restarts,
                change,
                max_evaluations: 10_000 * d as u64,
                ..multimodal(name, start, d, OWN_POPULATION, run)
            }));
        }
    }
    specs
}

pub(super) fn runs(plan: Plan) -> Vec<RunSpec> {
    specs(plan, NAME, "", Restarts::Bipop, |settings| settings).into_iter().flat_map(by_both).collect()
}

/// A cell: function, distance of the start, dimension.
type Kind = (Function, f64, usize);

fn name((f, distance, d): &Kind) -> String {
    format!("{f} d = {d} from {distance}")
}

pub(super) fn section(plan: Plan, runs: &[RunRecord]) -> Section {
    let mut section = Section::new(
        Experiment::Adaptive,
        "Multimodal functions, with restarts",
        "Runs to 1e-8 within 10,000 d evaluations, beside cma.fmin2(restarts=9, bipop=True). Restarts of both programs \
         begin at a draw from the initial distribution.",
    );
    section.part = Some("restarts");
    let mut cells: Vec<(Kind, Pair<'_>)> = Vec::new();
    for &d in sizes(plan).0 {
        for &(f, distance, _) in starts(plan) {
            let same = |r: &RunRecord| {
                r.experiment == NAME
                    && r.function == f.name()
                    && r.d == d
                    && (r.distance - distance).abs() < 1e-9
            };
            cells.push(((f, distance, d), Pair::new(runs, same)));
        }
    }
    section.figure("adaptive-restarts", figure(&cells), "Share of the runs that reach 1e-8.");
    section.tables.push(table(&cells));
    claims(&cells, &mut section);
    section
}

fn figure(cells: &[(Kind, Pair<'_>)]) -> String {
    let names: Vec<String> = cells.iter().map(|c| format!("{} {}, {}", c.0.0, c.0.2, c.0.1)).collect();
    let mut chart = Chart::new(
        "Success with restarts: function, d, distance",
        Axis::linear("success in %").range(-4.0, 104.0),
        Axis::named("", &names),
    );
    let points = |of: Solver, up: f64| {
        let share = |cell: &Cell<'_>| 100.0 * cell.successes() as f64 / cell.runs.len() as f64;
        // Side by side, so that equal shares do not hide each other.
        cells.iter().enumerate().map(|(i, c)| (share(c.1.by(of)), i as f64 + up)).collect::<Vec<_>>()
    };
    marks(&mut chart, Solver::Enes.name(), 0, points(Solver::Enes, 0.12));
    marks(&mut chart, Solver::Pycma.name(), 1, points(Solver::Pycma, -0.12));
    chart.svg()
}

fn table(cells: &[(Kind, Pair<'_>)]) -> Table {
    let row = |((f, distance, d), pair): &(Kind, Pair<'_>)| {
        vec![
            f.name().to_string(),
            format!("{distance}"),
            d.to_string(),
            pair.ours.share(),
            pair.theirs.share(),
            if pair.is_below() { "below" } else { "" }.to_string(),
            count(pair.ours.evaluations(0.5)),
            count(pair.theirs.evaluations(0.5)),
        ]
    };
    Table {
        name: "adaptive-restarts",
        caption: "Successes, and medians of the evaluations of the runs that succeeded.".into(),
        header: vec!["function", "distance", "d", "enes", "pycma", "beyond chance", "enes ", "pycma "],
        rows: cells.iter().map(row).collect(),
    }
}

fn claims(cells: &[(Kind, Pair<'_>)], section: &mut Section) {
    let words = "With restarts, success on the four at least that of pycma's BIPOP from the same starts.";
    let measured: Vec<_> = cells.iter().filter(|c| c.1.is_measured()).collect();
    if measured.is_empty() {
        section.claim(words, "pycma was not run".into(), Verdict::NotMeasured);
        return;
    }
    let share = |cell: &Cell<'_>| cell.successes() as f64 / cell.runs.len() as f64;
    let lost: Vec<_> = measured.iter().filter(|c| share(&c.1.ours) < share(&c.1.theirs)).collect();
    let texts: Vec<String> = lost
        .iter()
        .map(|(kind, pair)| {
            let beyond = if pair.is_below() { "" } else { ", within chance" };
            format!("{}: {}{beyond}", name(kind), pair.shares())
        })
        .collect();
    let sum = |of: fn(&Pair<'_>) -> usize| measured.iter().map(|c| of(&c.1)).sum::<usize>();
    section.claim(
        words,
        format!(
            "{} of {} cells; over all of them {} runs succeed, of pycma's {}; lost: {}",
            measured.len() - lost.len(),
            measured.len(),
            sum(|p| p.ours.successes()),
            sum(|p| p.theirs.successes()),
            listed(&texts)
        ),
        Verdict::met(lost.is_empty()),
    );
}
