//! Rosenbrock's function: the order of magnitude the paper leaves out of its figure.

use enes::Strategy;
use enes_measure::quantile;
use enes_problems::Function;

use super::spec;
use crate::plan::Plan;
use crate::run::{RunRecord, RunSpec};
use crate::section::{Section, Table, Verdict};
use crate::statistics::Cell;

pub(crate) const NAME: &str = "rosenbrock";
/// The dimension of the paper's claim.
const D: usize = 15;
/// The paper's population there for figure 1. For its 150,000 evaluations it names none.
const PAPER_N: usize = 250;
/// Refresh rates at that population, besides the paper's 0.01.
const ALPHAS: [f64; 3] = [0.1, 0.5, 1.0];
const RUNS: u64 = 10;
/// A run that has not got there by then has gone astray; without mixing it takes longer.
const BUDGET: u64 = 500_000;

fn sizes(plan: Plan) -> Vec<(usize, usize, u64)> {
    let default = |d| Strategy::Published.default_population(d);
    plan.pick(
        vec![
            (5, 50, 20),
            (5, default(5), 20),
            (D, PAPER_N, RUNS),
            (D, 400, RUNS),
            (D, default(D), RUNS),
            (D, 800, RUNS),
        ],
        vec![(5, 50, 4), (5, default(5), 4)],
    )
}

pub(crate) fn runs(plan: Plan) -> Vec<RunSpec> {
    let mut specs = Vec::new();
    for (d, n, runs) in sizes(plan) {
        specs.extend((0..runs).map(|run| of(Function::Rosenbrock, d, n, run)));
        // The sphere under the same conditions: slower than what?
        let fewer = runs.min(5);
        specs.extend((0..fewer).map(|run| of(Function::Sphere, d, n, run)));
    }
    if !plan.quick {
        for alpha in ALPHAS {
            specs.extend((0..RUNS).map(|run| RunSpec {
                variant: refreshed(alpha),
                refresh_rate: alpha,
                max_evaluations: if alpha < 1.0 { BUDGET } else { 2 * BUDGET },
                ..of(Function::Rosenbrock, D, PAPER_N, run)
            }));
        }
    }
    specs
}

fn of(f: Function, d: usize, n: usize, run: u64) -> RunSpec {
    RunSpec { max_evaluations: BUDGET, ..spec(NAME, f, d, n, run) }
}

fn refreshed(alpha: f64) -> String {
    format!("α = {alpha}")
}

fn cell(runs: &[RunRecord], f: Function, d: usize, n: usize) -> Cell<'_> {
    Cell::of(runs, NAME, "", f, d, n)
}

pub(crate) fn section(runs: &[RunRecord]) -> Section {
    let mut section = Section::new(
        NAME,
        "Rosenbrock's function",
        "The paper leaves it out of figure 1: an order of magnitude slower, about 150,000 evaluations at d = 15. Runs \
         that fail become ill-conditioned, far from the optimum. The paper does not say with which population.",
    );
    let mut sizes: Vec<(usize, usize)> =
        runs.iter().filter(|r| r.experiment == NAME).map(|r| (r.d, r.n)).collect();
    sizes.sort_unstable();
    sizes.dedup();
    let row = |&(d, n): &(usize, usize)| {
        let (this, sphere) = (cell(runs, Function::Rosenbrock, d, n), cell(runs, Function::Sphere, d, n));
        let ends: Vec<f64> = this.runs.iter().filter(|r| !r.success).map(|r| r.value).collect();
        let end = quantile(&ends, 0.5);
        let mut row = vec![d.to_string(), n.to_string(), this.share()];
        row.extend(this.quartiles());
        row.push(format!("{:.1}", this.evaluations(0.5) / sphere.evaluations(0.5)).replace("NaN", "-"));
        row.push(if end.is_finite() { format!("{end:.2e}") } else { "-".into() });
        row
    };
    section.tables.push(Table::new(
        "rosenbrock",
        "Evaluations to 1e-10, and relative to the sphere with the same population.",
        &["d", "n", "solved", "quartile", "median", "quartile ", "times sphere", "value where it failed"],
        sizes.iter().map(row).collect(),
    ));
    if sizes.contains(&(D, PAPER_N)) {
        paper_claims(runs, &sizes, &mut section);
    }
    section
}

fn paper_claims(runs: &[RunRecord], sizes: &[(usize, usize)], section: &mut Section) {
    let at_paper = cell(runs, Function::Rosenbrock, D, PAPER_N);
    let best = sizes
        .iter()
        .filter(|(d, n)| *d == D && cell(runs, Function::Rosenbrock, D, *n).all_succeed())
        .map(|&(_, n)| (cell(runs, Function::Rosenbrock, D, n).evaluations(0.5), n))
        .min_by(|a, b| a.0.total_cmp(&b.0));
    let solved_at_paper = at_paper.successes();
    let at_400 = cell(runs, Function::Rosenbrock, D, 400);
    let found = best.map_or("no population here solves all runs".to_string(), |(e, n)| {
        format!("with n = {n} all runs do, in {e:.0} evaluations (median)")
    });
    section.claim(
        "About 150,000 evaluations at d = 15.",
        format!(
            "the paper names no population; with that of figure 1, n = 250, {solved_at_paper} of {} runs succeed; with \
             n = 400 {}, in {:.0} to {:.0} evaluations; {found}",
            at_paper.runs.len(),
            at_400.share(),
            at_400.evaluations(0.0),
            at_400.evaluations(1.0)
        ),
        Verdict::of(best.is_some_and(|(e, _)| (75e3..300e3).contains(&e))),
    );
    let at = |alpha: f64| Cell::of(runs, NAME, &refreshed(alpha), Function::Rosenbrock, D, PAPER_N);
    let told = |alpha: f64| format!("α = {alpha}: {}", at(alpha).short_share());
    section.claim(
        "(n = 250 at d = 15, other refresh rates)",
        format!("{}; at α = 0.01 {}", ALPHAS.map(told).join(", "), at_paper.share()),
        Verdict::NotClaimed,
    );
    if let Some((evaluations, n)) = best {
        let ratio = evaluations / cell(runs, Function::Sphere, D, n).evaluations(0.5);
        section.claim(
            "One order of magnitude slower than on the other functions.",
            format!("{ratio:.1} times the evaluations of the sphere at d = 15, n = {n}"),
            Verdict::of((5.0..30.0).contains(&ratio)),
        );
    }
}
