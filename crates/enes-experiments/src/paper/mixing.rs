//! What importance mixing saves, and how sensitive a run is to the population with and without it.

use enes_measure::quantile;
use enes_problems::Function;

use super::spec;
use super::unimodal::functions;
use crate::plan::Plan;
use crate::run::{RunRecord, RunSpec};
use crate::section::{Section, Table, Verdict};
use crate::statistics::{Cell, count};
use enes_chart::{Axis, Chart};

pub(crate) const NAME: &str = "mixing";
const WITH: &str = "with";
const WITHOUT: &str = "without";
/// Functions and dimension of the population study.
const STUDIED: [Function; 3] = [Function::Sphere, Function::Cigar, Function::Ellipsoid];
const STUDIED_D: usize = 5;
/// Several times what a run without mixing takes.
const BUDGET: u64 = 300_000;

fn sizes(plan: Plan) -> &'static [(usize, usize)] {
    plan.pick(&[(5, 50), (15, 250)], &[(5, 50)])
}

/// Populations among which each side has its best one, for all functions.
fn own_populations(plan: Plan) -> &'static [(usize, &'static [usize])] {
    plan.pick(
        &[(5, &[6, 8, 10, 14, 20, 30, 40, 50]), (15, &[20, 28, 40, 60, 90, 130, 180, 250])],
        &[(5, &[30, 50])],
    )
}

fn populations(plan: Plan) -> &'static [usize] {
    plan.pick(&[20, 30, 40, 50, 70, 100, 150, 200, 300], &[30, 50, 100])
}

pub(crate) fn runs(plan: Plan) -> Vec<RunSpec> {
    let mut cells: Vec<(Function, usize, usize)> =
        sizes(plan).iter().flat_map(|&(d, n)| functions().map(move |f| (f, d, n))).collect();
    cells.extend(populations(plan).iter().flat_map(|&n| STUDIED.map(|f| (f, STUDIED_D, n))));
    for &(d, own) in own_populations(plan) {
        cells.extend(own.iter().flat_map(|&n| functions().map(move |f| (f, d, n))));
    }
    cells.sort_unstable_by_key(|&(f, d, n)| (f.name(), d, n));
    cells.dedup();
    let mut specs = Vec::new();
    for (f, d, n) in cells {
        // At d = 15 only the paper's population gets all runs.
        let count = plan.pick(if d == 5 || n == 250 { 20 } else { 10 }, 3);
        for (variant, refresh_rate) in [(WITH, 0.01), (WITHOUT, 1.0)] {
            specs.extend((0..count).map(|run| RunSpec {
                variant: variant.to_string(),
                refresh_rate,
                max_evaluations: BUDGET,
                ..spec(NAME, f, d, n, run)
            }));
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
        "Importance mixing",
        "The same runs with refresh rate 0.01 and with 1, which draws every generation anew.",
    );
    let mut rows = Vec::new();
    let mut factors = Vec::new();
    for &(d, n) in sizes(plan) {
        for f in functions() {
            let (with, without) = (cell(runs, WITH, f, d, n), cell(runs, WITHOUT, f, d, n));
            let factor = without.evaluations(0.5) / with.evaluations(0.5);
            factors.push(factor);
            rows.push(vec![
                f.name().to_string(),
                d.to_string(),
                n.to_string(),
                with.share(),
                count(with.evaluations(0.5)),
                without.share(),
                count(without.evaluations(0.5)),
                format!("{factor:.1}"),
                format!("{:.1}", 100.0 * with.reused()),
            ]);
        }
    }
    section.tables.push(Table::new(
        "mixing",
        "Median evaluations with and without importance mixing.",
        &["function", "d", "n", "solved with", "with", "solved without", "without", "factor", "reused %"],
        rows,
    ));
    let known: Vec<f64> = factors.into_iter().filter(|f| f.is_finite()).collect();
    section.claim(
        "It reduces the number of evaluations by a factor 5 (companion paper).",
        format!(
            "at equal n a factor of {:.1} (median over functions and dimensions), from {:.1} to {:.1}",
            quantile(&known, 0.5),
            quantile(&known, 0.0),
            quantile(&known, 1.0)
        ),
        Verdict::of(quantile(&known, 0.5) >= 4.0),
    );
    own_best(plan, runs, &mut section);
    sensitivity(plan, runs, &mut section);
    section
}

/// The fewest median evaluations at a population with which nine of ten runs succeed, and that population.
fn best(runs: &[RunRecord], variant: &str, f: Function, d: usize, own: &[usize]) -> Option<(f64, usize)> {
    let cells = own.iter().map(|&n| (n, cell(runs, variant, f, d, n)));
    let reliable = cells.filter(|(_, c)| c.successes() * 10 >= c.runs.len() * 9);
    reliable.map(|(n, c)| (c.evaluations(0.5), n)).min_by(|a, b| a.0.total_cmp(&b.0))
}

/// Without mixing a smaller population is enough: the factor where each side has its best.
fn own_best(plan: Plan, runs: &[RunRecord], section: &mut Section) {
    let mut rows = Vec::new();
    let mut factors = Vec::new();
    for &(d, own) in own_populations(plan) {
        for f in functions() {
            let sides = [WITH, WITHOUT].map(|variant| best(runs, variant, f, d, own));
            let [Some(with), Some(without)] = sides else { continue };
            factors.push(without.0 / with.0);
            let mut row = vec![f.name().to_string(), d.to_string()];
            row.extend([with, without].iter().flat_map(|(e, n)| [n.to_string(), count(*e)]));
            row.push(format!("{:.1}", without.0 / with.0));
            rows.push(row);
        }
    }
    section.tables.push(Table::new(
        "mixing-own",
        "Each side with the population that takes it the fewest evaluations (median; nine of ten runs succeed).",
        &["function", "d", "n with", "with", "n without", "without", "factor"],
        rows,
    ));
    section.claim(
        "(the factor where each side has its own best population)",
        format!(
            "{:.1} (median over functions and dimensions), from {:.1} to {:.1}",
            quantile(&factors, 0.5),
            quantile(&factors, 0.0),
            quantile(&factors, 1.0)
        ),
        Verdict::NotClaimed,
    );
}

/// Evaluations against the population size, where all runs succeed.
fn sensitivity(plan: Plan, runs: &[RunRecord], section: &mut Section) {
    let title = format!("Sensitivity to the population size, d = {STUDIED_D}");
    let mut chart = Chart::new(&title, Axis::log("population n"), Axis::log("median evaluations"));
    let mut least = [Vec::new(), Vec::new()];
    for (colour, f) in STUDIED.into_iter().enumerate() {
        for (variant, least) in [WITH, WITHOUT].into_iter().zip(&mut least) {
            let cells = populations(plan).iter().map(|&n| (n, cell(runs, variant, f, STUDIED_D, n)));
            let reliable: Vec<(f64, f64)> = cells
                .filter(|(_, c)| c.successes() * 10 >= c.runs.len() * 9)
                .map(|(n, c)| (n as f64, c.evaluations(0.5)))
                .collect();
            least.push(reliable.first().map_or(f64::INFINITY, |p| p.0));
            chart.marked(&format!("{f} {variant}"), colour, variant == WITHOUT, reliable);
        }
    }
    section.figure(
        "mixing-population",
        chart.svg(),
        "Populations at which at least nine of ten runs succeed; 20 runs each.",
    );
    let slope = |variant: &str| {
        let ratios: Vec<f64> = STUDIED
            .iter()
            .map(|f| {
                let at = |n| cell(runs, variant, *f, STUDIED_D, n).evaluations(0.5);
                at(100) / at(50)
            })
            .filter(|r| r.is_finite())
            .collect();
        quantile(&ratios, 0.5)
    };
    let smallest = |of: &[f64]| {
        let each = STUDIED.iter().zip(of).map(|(f, n)| format!("{f} {n:.0}"));
        each.collect::<Vec<_>>().join(", ")
    };
    let no_larger = least[0].iter().zip(&least[1]).all(|(with, without)| with <= without);
    section.claim(
        "It reduces the sensitivity to the population size.",
        format!(
            "twice the population (50 to 100) costs {:.2} times the evaluations with mixing, {:.2} times without; the \
             smallest population at which nine of ten runs succeed: with mixing {}, without {}",
            slope(WITH),
            slope(WITHOUT),
            smallest(&least[0]),
            smallest(&least[1])
        ),
        Verdict::of(slope(WITH) < 0.9 * slope(WITHOUT) && no_larger),
    );
}
