//! What each part buys: the same runs with one thing changed.

use enes::{Ablation as Part, ModelChoice, Restarts, Settings, Strategy};

use super::{geometric_mean, ratio_text, restarts, table};
use crate::reproduce::run::{RunRecord, RunSpec, Solver};
use crate::reproduce::section::{Section, Table};
use crate::reproduce::statistics::Cell;
use crate::reproduce::{Experiment, Plan};

pub(super) const NAME: &str = "adaptive-ablation";
const RESTARTED: &str = "adaptive-ablation-restarts";

type Change = fn(Settings) -> Settings;

/// One change of the settings, and its name.
type Ablation = (&'static str, Change);

/// Changes of a single search on the unimodal functions.
const ABLATIONS: &[Ablation] = &[
    ("independent samples, not orthogonal ones", |s| s.without(Part::Orthogonality)),
    ("an archive of two generations", |s| s.without(Part::Archive)),
    ("trust fixed at 1", |s| s.without(Part::Trust)),
    ("trust fixed at 0: no model", |s| s.without(Part::Model)),
    ("no gate against noise", |s| s.without(Part::Gate)),
    ("shape rate 1 instead of √d", |s| s.without(Part::ShapeRate)),
    ("ordinary damping of the step", |s| s.without(Part::Damping)),
    ("published strategy, the paper's populations", |s| {
        let n = if s.dimension() <= 5 { 50 } else { 250 };
        s.strategy(Strategy::Published).model(ModelChoice::Auto).population(n)
    }),
    ("twice the population", |s| {
        let n = s.population_size();
        s.population(2 * n)
    }),
    ("four times the population", |s| {
        let n = s.population_size();
        s.population(4 * n)
    }),
];

/// Changes of the restarts on the multimodal functions.
const RESTART_ABLATIONS: &[(&str, Restarts, Change)] = &[
    ("no restarts", Restarts::Off, |s| s),
    ("growing populations alone (IPOP)", Restarts::Ipop, |s| s),
    ("no rank-µ update for large populations", Restarts::Bipop, |s| s.without(Part::RankMu)),
    ("no gate against noise", Restarts::Bipop, |s| s.without(Part::Gate)),
];

/// Dimensions, and runs of each function.
fn sizes(plan: Plan) -> (&'static [usize], u64) {
    plan.pick((&[5, 15], 21), (&[5], 2))
}

pub(super) fn runs(plan: Plan) -> Vec<RunSpec> {
    let (dimensions, count) = sizes(plan);
    let mut specs = Vec::new();
    for &(variant, change) in ABLATIONS {
        for &d in dimensions {
            for &f in table::functions(plan) {
                specs.extend((0..count).map(|run| RunSpec {
                    variant: variant.to_string(),
                    change,
                    ..table::spec(NAME, f, d, run)
                }));
            }
        }
    }
    for &(variant, rule, change) in RESTART_ABLATIONS {
        specs.extend(restarts::specs(plan, RESTARTED, variant, rule, change));
    }
    specs
}

pub(super) fn section(plan: Plan, runs: &[RunRecord]) -> Section {
    let mut section = Section::new(
        Experiment::Adaptive,
        "Ablation",
        "One thing changed, everything else as above: geometric means, over the functions, of the medians of the \
         evaluations relative to pycma's and to those of the strategy as it is; and the share of runs that succeed. \
         A function that is never solved is missing from the means.",
    );
    section.part = Some("ablation");
    section.tables.push(single(plan, runs));
    section.tables.push(restarted(plan, runs));
    section
}

fn percent(good: usize, all: usize) -> String {
    if all == 0 { "-".to_string() } else { format!("{:.0}", 100.0 * good as f64 / all as f64) }
}

fn single(plan: Plan, runs: &[RunRecord]) -> Table {
    let mut rows = Vec::new();
    for &d in sizes(plan).0 {
        let names = std::iter::once("as it is").chain(ABLATIONS.iter().map(|a| a.0));
        for (i, variant) in names.enumerate() {
            let changed = |f| match i {
                0 => table::pair(runs, f, d).ours,
                _ => Cell::new(runs, |r: &RunRecord| {
                    r.experiment == NAME && r.variant == variant && r.function == f.name() && r.d == d
                }),
            };
            let functions = table::functions(plan).iter();
            let cells: Vec<_> = functions.map(|&f| (changed(f), table::pair(runs, f, d))).collect();
            let over = |of: Solver| {
                geometric_mean(
                    cells.iter().map(|(cell, pair)| cell.evaluations(0.5) / pair.by(of).evaluations(0.5)),
                )
            };
            let good = cells.iter().map(|c| c.0.successes()).sum();
            rows.push(vec![
                variant.to_string(),
                d.to_string(),
                ratio_text(over(Solver::Pycma)),
                ratio_text(over(Solver::Enes)),
                percent(good, cells.iter().map(|c| c.0.runs.len()).sum()),
            ]);
        }
    }
    Table {
        name: "adaptive-ablation",
        caption: "Unimodal functions: evaluations relative to pycma's and to the strategy as it is.".into(),
        header: vec!["changed", "d", "over pycma", "over as it is", "solved %"],
        rows,
    }
}

fn restarted(plan: Plan, runs: &[RunRecord]) -> Table {
    let mut rows = Vec::new();
    let dimensions: std::collections::BTreeSet<usize> =
        restarts::runs(plan).iter().map(|spec| spec.d).collect();
    for d in dimensions {
        let ours = |r: &RunRecord| r.solver == Solver::Enes && r.d == d;
        let names = std::iter::once("as it is (BIPOP)").chain(RESTART_ABLATIONS.iter().map(|a| a.0));
        for (i, variant) in names.enumerate() {
            let cell = match i {
                0 => Cell::new(runs, |r| r.experiment == restarts::NAME && ours(r)),
                _ => Cell::new(runs, |r| r.experiment == RESTARTED && r.variant == variant && ours(r)),
            };
            let share = percent(cell.successes(), cell.runs.len());
            rows.push(vec![variant.to_string(), d.to_string(), cell.share(), share]);
        }
    }
    Table {
        name: "adaptive-ablation-restarts",
        caption:
            "Multimodal functions, all starts together: runs that reach 1e-8 within 10,000 d evaluations."
                .into(),
        header: vec!["changed", "d", "solved", "solved %"],
        rows,
    }
}
