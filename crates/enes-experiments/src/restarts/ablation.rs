//! What each part of the restarts buys: the rank-based runs with one thing changed.

use enes::{Restarts, Settings};

use super::rank_based::{self, OURS};
use crate::adaptive::without;
use crate::comparison::{Contest, dimensions};
use crate::plan::Plan;
use crate::run::{RunRecord, RunSpec};
use crate::section::{Section, Table};
use crate::statistics::Cell;

const NAME: &str = "restarts-ablation";

/// A name, and what is changed.
type Ablation = (&'static str, Restarts, fn(Settings) -> Settings);

const ABLATIONS: &[Ablation] = &[
    ("no restarts", Restarts::Off, |s| s),
    ("growing populations alone (IPOP)", Restarts::Ipop, |s| s),
    ("no rank-µ update for large populations", Restarts::Bipop, |s| without(s, |t| t.large = f64::INFINITY)),
    ("no gate against noise", Restarts::Bipop, |s| without(s, |t| t.certainty = f64::NEG_INFINITY)),
];

pub(super) fn runs(plan: Plan) -> Vec<RunSpec> {
    let mut specs = Vec::new();
    for &(variant, restarts, change) in ABLATIONS {
        for kind in rank_based::kinds(plan) {
            specs.extend((0..rank_based::runs(plan)).map(|run| RunSpec {
                variant: variant.to_string(),
                restarts,
                change,
                ..OURS.of(rank_based::restarted(kind.spec(NAME, run)))
            }));
        }
    }
    specs
}

pub(super) fn section(plan: Plan, runs: &[RunRecord]) -> Option<Section> {
    runs.iter().any(|r| r.experiment == NAME).then(|| {
        let intro = "The runs in rank-based mode with one thing changed, all starts together.";
        let mut section = Section::new(NAME, "Ablation of the restarts", intro);
        section.tables.push(table(plan, runs));
        section
    })
}

fn table(plan: Plan, runs: &[RunRecord]) -> Table {
    let contests: Vec<Contest<'_>> = rank_based::PART.contests(plan, runs);
    let mut rows = Vec::new();
    for d in dimensions(&contests) {
        let as_it_is =
            contests.iter().filter(|c| c.kind.d == d).flat_map(|c| c.by(OURS).runs.iter().copied());
        let mut cells = vec![("as it is (BIPOP)", Cell::of_runs(as_it_is))];
        cells.extend(ABLATIONS.iter().map(|&(variant, ..)| {
            (variant, Cell::new(runs, |r| r.experiment == NAME && r.variant == variant && r.d == d))
        }));
        for (variant, cell) in cells {
            rows.push(vec![variant.to_string(), d.to_string(), cell.share(), cell.percent()]);
        }
    }
    let caption = "Runs that reach 1e-8 within 10,000 d evaluations.";
    Table::new(NAME, caption, &["changed", "d", "solved", "solved %"], rows)
}
