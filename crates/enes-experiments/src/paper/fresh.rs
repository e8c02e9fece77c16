//! Rastrigin's function: success follows the number of fresh points in a generation, however they come about.

use enes_measure::interval;
use enes_problems::Function;

use super::spec;
use crate::plan::Plan;
use crate::run::{RunRecord, RunSpec};
use crate::section::{Section, Table, Verdict};
use crate::statistics::{Cell, count};
use enes_chart::{Axis, Chart};

pub(crate) const NAME: &str = "fresh";
const ALPHAS: [f64; 8] = [0.01, 0.05, 0.1, 0.2, 0.3, 0.5, 0.7, 1.0];
const MIXED: [usize; 6] = [20, 50, 100, 200, 400, 800];
const UNMIXED: [usize; 6] = [5, 10, 20, 40, 60, 100];
/// The paper's other population, at the refresh rates that agree with its words.
const SMALL: usize = 20;

fn cells() -> Vec<(f64, usize)> {
    let mut cells: Vec<(f64, usize)> = ALPHAS.iter().flat_map(|&a| [(a, 100), (a, SMALL)]).collect();
    cells.extend(MIXED.map(|n| (0.01, n)));
    cells.extend(UNMIXED.map(|n| (1.0, n)));
    cells.sort_by(|a, b| a.0.total_cmp(&b.0).then(a.1.cmp(&b.1)));
    cells.dedup();
    cells
}

pub(crate) fn runs(plan: Plan) -> Vec<RunSpec> {
    let count = plan.pick(200, 10);
    let of = |(alpha, n): (f64, usize)| {
        (0..count).map(move |run| RunSpec {
            variant: format!("{alpha}"),
            refresh_rate: alpha,
            target: 0.01,
            max_evaluations: 100_000,
            ..spec(NAME, Function::Rastrigin, 2, n, run)
        })
    };
    cells().into_iter().flat_map(of).collect()
}

fn cell(runs: &[RunRecord], alpha: f64, n: usize) -> Cell<'_> {
    Cell::of(runs, NAME, &format!("{alpha}"), Function::Rastrigin, 2, n)
}

/// Fresh points a generation, and success in per cent.
fn point(runs: &[RunRecord], alpha: f64, n: usize) -> (f64, f64) {
    let cell = cell(runs, alpha, n);
    let fresh = n as f64 * (1.0 - cell.reused());
    (fresh, 100.0 * cell.success())
}

/// Success in per cent, as words have it.
pub(super) fn success(runs: &[RunRecord], alpha: f64, n: usize) -> f64 {
    100.0 * cell(runs, alpha, n).success()
}

pub(super) fn figure(runs: &[RunRecord]) -> String {
    let mut chart = Chart::new(
        "Rastrigin, d = 2, from distance 1",
        Axis::log("fresh points a generation").range(0.8, 150.0),
        Axis::linear("success in %").range(-4.0, 104.0),
    );
    let line = |cells: Vec<(f64, usize)>| cells.into_iter().map(|(a, n)| point(runs, a, n)).collect();
    chart.marked("n = 100, α = 0.01 to 1", 0, false, line(ALPHAS.map(|a| (a, 100)).to_vec()));
    chart.marked("α = 0.01, n = 20 to 800", 1, false, line(MIXED.map(|n| (0.01, n)).to_vec()));
    chart.marked("no mixing, n = 5 to 100", 2, true, line(UNMIXED.map(|n| (1.0, n)).to_vec()));
    chart.svg()
}

pub(crate) fn section(plan: Plan, runs: &[RunRecord]) -> Section {
    let mut section = Section::new(
        NAME,
        "Rastrigin's function and fresh points",
        "The refresh rate α and the population n are varied, with mixing and without: d = 2, start at distance 1, target \
         0.01.",
    );
    let row = |(alpha, n): (f64, usize)| {
        let cell = cell(runs, alpha, n);
        let (low, high) = interval(cell.successes(), cell.runs.len());
        vec![
            alpha.to_string(),
            n.to_string(),
            cell.percent(),
            format!("{low:.0}"),
            format!("{high:.0}"),
            format!("{:.1}", point(runs, alpha, n).0),
            count(cell.evaluations(0.5)),
        ]
    };
    section.tables.push(Table::new(
        "fresh",
        format!(
            "Success with its 95 % interval, {} runs, fresh points a generation, median evaluations.",
            plan.pick(200, 10)
        ),
        &["α", "n", "success %", "low", "high", "fresh points", "evaluations"],
        cells().into_iter().map(row).collect(),
    ));
    let list = |n: usize| ALPHAS.map(|a| format!("{:.0}", success(runs, a, n))).join(", ");
    section.claim(
        "(Rastrigin's optimum is only found reliably with n = 100: at which refresh rate?)",
        format!(
            "success at α = {}: {} % with n = 100, {} % with n = 20. From α = 0.3 or 0.5 on the paper's words hold; at 0.01 \
             n = 800 reaches {:.0} %",
            ALPHAS.map(|a| a.to_string()).join(", "),
            list(100),
            list(SMALL),
            success(runs, 0.01, 800)
        ),
        Verdict::NotClaimed,
    );
    section
}
