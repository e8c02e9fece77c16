//! Figure 1: the unimodal functions at d = 5, 15 and 50.

use enes_measure::quantile;
use enes_problems::Function;

use crate::plan::Plan;
use crate::run::{RunRecord, RunSpec};
use crate::section::{Section, Table, Verdict};
use crate::statistics::{Cell, count};
use enes_chart::{Axis, Chart};

pub(crate) const NAME: &str = "unimodal";

/// Medians of an independent prototype, for d = 5 and 15, in the order of `Function::ALL`.
const PROTOTYPE: [(usize, [f64; 8]); 2] = [
    (5, [870.0, 889.0, 1353.0, 1174.0, 1238.0, 531.0, 2709.0, 873.0]),
    (15, [8411.0, 8673.0, 12991.0, 9845.0, 11716.0, 3925.0, 11551.0, 5678.0]),
];

/// The functions of the figure: unimodal, less Rosenbrock's.
pub(crate) fn functions() -> impl Iterator<Item = Function> {
    Function::ALL.into_iter().filter(|f| f.is_unimodal() && *f != Function::Rosenbrock)
}

/// Dimension, population and number of runs.
fn sizes(plan: Plan) -> &'static [(usize, usize, u64)] {
    plan.pick(&[(5, 50, 20), (15, 250, 20), (50, 1000, 5)], &[(5, 50, 5), (15, 250, 2)])
}

pub(crate) fn runs(plan: Plan) -> Vec<RunSpec> {
    let mut specs = Vec::new();
    for &(d, n, runs) in sizes(plan) {
        for f in functions() {
            specs.extend((0..runs).map(|run| RunSpec { traced: true, ..RunSpec::new(NAME, f, d, n, run) }));
        }
    }
    specs
}

fn cell(runs: &[RunRecord], f: Function, d: usize) -> Cell<'_> {
    Cell::new(runs, |r| r.experiment == NAME && r.function == f.name() && r.d == d)
}

/// What is drawn: the value itself, for a ridge its distance from where it ends.
fn drawn(f: Function, value: f64) -> f64 {
    // A ridge falls without bound: 1000 + value is what is left to the target.
    if f.is_unbounded() { (1000.0 + value).max(1e-10) } else { value.max(1e-10) }
}

/// Best value at a number of evaluations; the last one once a run is over.
fn at(trace: &[(u64, f64)], evaluations: f64) -> Option<f64> {
    trace.iter().take_while(|(e, _)| *e as f64 <= evaluations).last().map(|(_, v)| *v)
}

pub(crate) fn section(plan: Plan, runs: &[RunRecord]) -> Section {
    let mut section = Section::new(
        NAME,
        "Figure 1: unimodal functions",
        "Best value against evaluations: median of the runs, quartiles as a band. Rotated and shifted, start at \
         distance 1, C = I, η = 1, block baselines, refresh rate 0.01. The two ridges are unbounded; they are run to \
         −1000 and drawn as what is left to it, 1000 + f.",
    );
    for &(d, n, count) in sizes(plan) {
        let caption = format!("d = {d}, n = {n}, {count} runs of each function.");
        section.figure(format!("unimodal-{d}"), figure(runs, d, n), caption);
    }
    section.tables.push(table(plan, runs));
    claims(plan, runs, &mut section);
    section
}

fn figure(runs: &[RunRecord], d: usize, n: usize) -> String {
    let title = format!("Unimodal functions, d = {d}, n = {n}");
    let mut chart =
        Chart::new(&title, Axis::linear("evaluations"), Axis::log("best value").range(1e-10, 3e7));
    for (colour, f) in functions().enumerate() {
        let cell = cell(runs, f, d);
        let longest = cell.runs.iter().map(|r| r.evaluations as f64).fold(0.0, f64::max);
        let (mut line, mut band) = (Vec::new(), Vec::new());
        for step in 0..=120 {
            let e = longest * f64::from(step) / 120.0;
            let values: Vec<f64> =
                cell.runs.iter().filter_map(|r| at(&r.trace, e)).map(|v| drawn(f, v)).collect();
            if values.len() == cell.runs.len() && !values.is_empty() {
                line.push((e, quantile(&values, 0.5)));
                band.push((e, quantile(&values, 0.25), quantile(&values, 0.75)));
            }
        }
        chart.banded(f.name(), colour, line, band);
    }
    chart.svg()
}

fn table(plan: Plan, runs: &[RunRecord]) -> Table {
    let mut rows = Vec::new();
    for &(d, n, _) in sizes(plan) {
        for (i, f) in functions().enumerate() {
            let cell = cell(runs, f, d);
            let expected = PROTOTYPE.iter().find(|p| p.0 == d).map_or(f64::NAN, |p| p.1[i]);
            let mut row = vec![f.name().to_string(), d.to_string(), n.to_string(), cell.share()];
            row.extend(cell.quartiles());
            row.extend([count(expected), format!("{:.1}", 100.0 * cell.reused())]);
            rows.push(row);
        }
    }
    Table::new(
        "unimodal",
        "Evaluations to 1e-10 (ridges −1000); the prototype is an independent program.",
        &["function", "d", "n", "solved", "quartile", "median", "quartile ", "prototype", "reused %"],
        rows,
    )
}

fn claims(plan: Plan, runs: &[RunRecord], section: &mut Section) {
    let cells: Vec<_> = sizes(plan).iter().flat_map(|s| functions().map(|f| (f, s.0))).collect();
    let total: usize = cells.iter().map(|&(f, d)| cell(runs, f, d).runs.len()).sum();
    let solved: usize = cells.iter().map(|&(f, d)| cell(runs, f, d).successes()).sum();
    let failing: Vec<String> = cells
        .iter()
        .filter(|&&(f, d)| !cell(runs, f, d).all_succeed())
        .map(|&(f, d)| format!("{f} d = {d}: {}", cell(runs, f, d).share()))
        .collect();
    let note =
        if failing.is_empty() { String::new() } else { format!("; not all of {}", failing.join(", ")) };
    section.claim(
        "The eight functions are solved to 1e-10 at d = 5, 15, 50 with n = 50, 250, 1000.",
        format!("{solved} of {total} runs reached the target{note}"),
        Verdict::of(solved == total),
    );
    // The last tenfold of a ridge, from −100 to −1000, as a share of the run.
    let shares: Vec<f64> = runs
        .iter()
        .filter(|r| {
            r.experiment == NAME
                && r.success
                && functions().any(|f| f.is_unbounded() && f.name() == r.function)
        })
        .filter_map(|r| {
            let before = r.trace.iter().find(|(_, v)| *v < -100.0)?.0;
            Some(100.0 * (r.evaluations - before) as f64 / r.evaluations as f64)
        })
        .collect();
    let share = quantile(&shares, 0.5);
    section.claim(
        "SharpR and ParabR are unbounded, which explains the abrupt drop-off.",
        format!("the last nine tenths of the way, −100 to −1000, take {share:.0} % of a run's evaluations (median)"),
        Verdict::of(share < 40.0),
    );
    section.claim(
        "eNES is competitive with CMA-ES but slower, especially in higher dimensions; faster on DiffPow.",
        "CMA-ES is not part of this command; the comparison with pycma belongs to the benchmarks".into(),
        Verdict::NotClaimed,
    );
}
