//! Figure 1: the unimodal functions at d = 5, 15 and 50.

use enes_measure::quantile;
use enes_problems::Function;

use super::spec;
use crate::plan::Plan;
use crate::run::{RunRecord, RunSpec, Start};
use crate::section::{Section, Table, Verdict};
use crate::statistics::{Cell, count};
use enes_chart::{Axis, Chart};

pub(crate) const NAME: &str = "unimodal";

/// Medians of an independent prototype, for d = 5 and 15, in the order of `Function::ALL`.
const PROTOTYPE: [(usize, [f64; 8]); 2] = [
    (5, [870.0, 889.0, 1353.0, 1174.0, 1238.0, 531.0, 2709.0, 873.0]),
    (15, [8411.0, 8673.0, 12991.0, 9845.0, 11716.0, 3925.0, 11551.0, 5678.0]),
];

/// Medians of pycma on the same functions from distance 1, d = 5 and 15, from the runs in benchmarks/adaptive; in one of
/// three runs only it follows the sharp ridge at d = 15.
const PYCMA: [(usize, [f64; 8]); 2] = [
    (5, [768.0, 800.0, 1768.0, 1392.0, 1552.0, 688.0, 776.0, 1248.0]),
    (15, [2448.0, 3204.0, 6624.0, 5508.0, 7920.0, 3696.0, 2904.0, 7896.0]),
];
/// Started at distance 1 on average: the paper's word, of which the other runs take exactly 1.
const AVERAGE: &str = "average distance";

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
            let of = |run| RunSpec { max_evaluations: 500_000, ..spec(NAME, f, d, n, run) };
            specs.extend((0..runs).map(|run| RunSpec { traced: true, ..of(run) }));
            if d == 5 {
                let start = Start::OnAverage(1.0);
                specs.extend((0..runs).map(|run| RunSpec { variant: AVERAGE.into(), start, ..of(run) }));
            }
        }
    }
    specs
}

fn cell(runs: &[RunRecord], f: Function, d: usize) -> Cell<'_> {
    Cell::new(runs, |r| r.experiment == NAME && r.variant.is_empty() && r.function == f.name() && r.d == d)
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
        "Best value against evaluations: median of the runs, quartiles as a band; and the average, which the paper \
         draws, and which the slowest run decides. Rotated and shifted, start at distance exactly 1, C = I, η = 1, block baselines, refresh rate 0.01. The two ridges are unbounded; they are run to \
         −1000 and drawn as what is left to it, 1000 + f.",
    );
    for &(d, n, count) in sizes(plan) {
        let caption = format!("d = {d}, n = {n}, {count} runs of each function.");
        section.figure(format!("unimodal-{d}"), figure(runs, d, n, false), caption.clone());
        let average = format!("The average of the best values, as in the paper. {caption}");
        section.figure(format!("unimodal-{d}-average"), figure(runs, d, n, true), average);
    }
    section.tables.push(table(plan, runs));
    claims(plan, runs, &mut section);
    section
}

fn figure(runs: &[RunRecord], d: usize, n: usize, average: bool) -> String {
    let what = if average { ", average" } else { "" };
    let title = format!("Unimodal functions, d = {d}, n = {n}{what}");
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
            if values.len() != cell.runs.len() || values.is_empty() {
                continue;
            }
            if average {
                line.push((e, values.iter().sum::<f64>() / values.len() as f64));
            } else {
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
    compared_with_cma_es(plan, runs, section);
    let ratio = |f: Function| {
        let on_average = Cell::of(runs, NAME, AVERAGE, f, 5, 50);
        on_average.evaluations(0.5) / cell(runs, f, 5).evaluations(0.5)
    };
    let ratios: Vec<f64> = functions().map(ratio).filter(|r| r.is_finite()).collect();
    section.claim(
        "(starts at average distance 1; here exactly 1)",
        format!(
            "normally distributed starts, 1 on average, take {:.2} times the evaluations (median of the functions at d = 5, \
             from {:.2} to {:.2})",
            quantile(&ratios, 0.5),
            quantile(&ratios, 0.0),
            quantile(&ratios, 1.0)
        ),
        Verdict::NotClaimed,
    );
}

/// "Competitive but slower, especially on higher dimensions. However, faster on DiffPow for all dimensions."
fn compared_with_cma_es(plan: Plan, runs: &[RunRecord], section: &mut Section) {
    let there = |d: usize| sizes(plan).iter().any(|s| s.0 == d);
    let ratios = |(d, medians): &(usize, [f64; 8])| -> Vec<(Function, f64)> {
        functions().zip(medians).map(|(f, m)| (f, cell(runs, f, *d).evaluations(0.5) / m)).collect()
    };
    let measured: Vec<_> = PYCMA.iter().filter(|p| there(p.0)).map(|p| (p.0, ratios(p))).collect();
    let median = |ratios: &[(Function, f64)]| quantile(&ratios.iter().map(|r| r.1).collect::<Vec<_>>(), 0.5);
    let told = |(d, ratios): &(usize, Vec<(Function, f64)>)| {
        let each = ratios.iter().map(|(f, r)| format!("{f} {r:.2}")).collect::<Vec<_>>().join(", ");
        format!("d = {d}: {:.2} in the median ({each})", median(ratios))
    };
    let medians: Vec<f64> = measured.iter().map(|m| median(&m.1)).collect();
    section.claim(
        "eNES is competitive with CMA-ES but slower, especially in higher dimensions.",
        format!(
            "evaluations divided by pycma's (benchmarks/adaptive; there are none at d = 50), {}",
            measured.iter().map(told).collect::<Vec<_>>().join("; ")
        ),
        Verdict::of(medians.iter().all(|m| (1.0..5.0).contains(m)) && medians.is_sorted()),
    );
    let diffpow: Vec<(usize, f64)> = measured
        .iter()
        .flat_map(|(d, ratios)| ratios.iter().filter(|r| r.0 == Function::DiffPow).map(|r| (*d, r.1)))
        .collect();
    section.claim(
        "eNES is faster than CMA-ES on DiffPow for all dimensions.",
        diffpow
            .iter()
            .map(|(d, r)| format!("{r:.2} of pycma's evaluations at d = {d}"))
            .collect::<Vec<_>>()
            .join(", "),
        Verdict::of(diffpow.iter().all(|d| d.1 < 1.0)),
    );
}
