//! What each part of the rank-based update buys: the same runs with one thing changed.

use enes::{ModelChoice, RankTuning, Settings, Strategy, Tuning};
use enes_problems::Function;

use super::{OURS, PYCMA, table};
use crate::comparison::{Contest, Kind, functions, geometric_mean, ratio_text};
use crate::objective::Perturbation;
use crate::plan::Plan;
use crate::run::{RunRecord, RunSpec};
use crate::section::{Section, Table};
use crate::statistics::Cell;

const NAME: &str = "adaptive-ablation";

/// A name, and one change of the settings.
/// The same settings with other constants of the rank-based update.
pub(crate) fn without(settings: Settings, change: fn(&mut RankTuning)) -> Settings {
    let mut tuning = Tuning::default();
    change(&mut tuning.ranks);
    settings.tuning(tuning)
}

type Ablation = (&'static str, fn(Settings) -> Settings);

const ABLATIONS: &[Ablation] = &[
    ("independent samples, not orthogonal ones", |s| without(s, |t| t.orthogonal = false)),
    ("an archive of two generations", |s| without(s, |t| t.window = 0)),
    ("trust fixed at 1", |s| without(s, |t| t.fixed_trust = Some(1.0))),
    ("trust fixed at 0: no model", |s| without(s, |t| t.fixed_trust = Some(0.0))),
    ("no gate against noise", |s| without(s, |t| t.certainty = f64::NEG_INFINITY)),
    ("shape rate 1 instead of √d", |s| without(s, |t| t.root_rate = false)),
    ("ordinary damping of the step", |s| without(s, |t| t.damping_by_trust = 0.0)),
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

/// Dimensions, and runs of each function.
fn sizes(plan: Plan) -> (&'static [usize], u64) {
    plan.pick((&[5, 15], 21), (&[5], 2))
}

pub(super) fn runs(plan: Plan) -> Vec<RunSpec> {
    let (dimensions, count) = sizes(plan);
    let mut specs = Vec::new();
    for &(variant, change) in ABLATIONS {
        for &d in dimensions {
            for &f in functions(plan) {
                let kind = Kind::new(f, Perturbation::None, d);
                specs.extend((0..count).map(|run| RunSpec {
                    variant: variant.to_string(),
                    change,
                    ..OURS.of(kind.spec(NAME, run))
                }));
            }
        }
    }
    specs
}

pub(super) fn section(plan: Plan, runs: &[RunRecord]) -> Option<Section> {
    runs.iter().any(|r| r.experiment == NAME).then(|| {
        let mut section = Section::new(
            NAME,
            "Ablation",
            "One thing changed, everything else as above: geometric means, over the functions, of the medians of the \
             evaluations relative to pycma's and to those of the strategy as it is; and the share of runs that \
             succeed. A function that is never solved is missing from the means.",
        );
        section.tables.push(table(plan, runs));
        section
    })
}

fn table(plan: Plan, runs: &[RunRecord]) -> Table {
    let mut rows = Vec::new();
    for &d in sizes(plan).0 {
        let contest =
            |f: &Function| Contest::new(runs, table::PART.name, Kind::new(*f, Perturbation::None, d));
        let contests: Vec<Contest<'_>> = functions(plan).iter().map(contest).collect();
        for variant in std::iter::once(None).chain(ABLATIONS.iter().map(|a| Some(a.0))) {
            let cells: Vec<Cell<'_>> = contests.iter().map(|c| changed(runs, c, variant)).collect();
            let over = |who| {
                let ratios =
                    cells.iter().zip(&contests).map(|(cell, c)| cell.evaluations(0.5) / c.median(who));
                ratio_text(geometric_mean(ratios))
            };
            let solved = Cell::of_runs(cells.iter().flat_map(|c| c.runs.iter().copied()));
            rows.push(vec![
                variant.unwrap_or("as it is").to_string(),
                d.to_string(),
                over(PYCMA),
                over(OURS),
                solved.percent(),
            ]);
        }
    }
    let caption = "Unimodal functions: evaluations relative to pycma's and to the strategy as it is.";
    Table::new(NAME, caption, &["changed", "d", "over pycma", "over as it is", "solved %"], rows)
}

/// The runs of a contest with one thing changed; `None`: as it is.
fn changed<'a>(runs: &'a [RunRecord], contest: &Contest<'a>, variant: Option<&str>) -> Cell<'a> {
    let Some(variant) = variant else { return contest.by(OURS).clone() };
    let (f, d) = (contest.kind.f.name(), contest.kind.d);
    Cell::new(runs, |r| r.experiment == NAME && r.variant == variant && r.function == f && r.d == d)
}
