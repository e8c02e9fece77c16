//! Restarts in rank-based mode with a small budget: success compared with pycma's BIPOP.

use enes::Restarts;
use enes_chart::{Axis, Chart};

use crate::comparison::{
    Column, Contender, Contest, Kind, Part, STARTS, Tables, all_successes, listed, marks, tally,
};
use crate::plan::Plan;
use crate::run::RunSpec;
use crate::section::{Section, Verdict};

pub(super) const OURS: Contender = Contender::RankBased;
const PYCMA: Contender = Contender::Pycma;

/// These runs have the seed of the study `adaptive`, two below that of this one, so that their records stay those of
/// the same runs.
const SEED_OFFSET: i64 = -2;

pub(super) const PART: Part = Part {
    name: "restarts-rank-based",
    title: "In rank-based mode",
    intro: || {
        "Runs to 1e-8 within 10,000 d evaluations, without the surrogate, compared with cma.fmin2(restarts=9, \
         bipop=True). Restarts of both programs begin at a draw from the initial distribution."
            .into()
    },
    labels: &[(OURS, "enes")],
    kinds,
    contenders: |_| &[OURS, PYCMA],
    runs: |plan, _, _| runs(plan),
    change: |_, spec| restarted(spec),
    tables: Tables::One("Successes, and medians of the evaluations of the runs that succeeded."),
    columns: |_| {
        vec![
            Column::Function,
            Column::Distance,
            Column::Dimension,
            Column::Solved(OURS),
            Column::Solved(PYCMA),
            Column::BeyondChance(OURS, PYCMA),
            Column::Median(OURS),
            Column::Median(PYCMA),
        ]
    },
    judge,
};

pub(super) fn runs(plan: Plan) -> u64 {
    plan.pick(50, 4)
}

pub(super) fn kinds(plan: Plan) -> Vec<Kind> {
    let starts = plan.pick(&STARTS[..], &STARTS[..3]);
    let dimensions: &[usize] = plan.pick(&[2, 5], &[2]);
    dimensions.iter().flat_map(|&d| starts.iter().map(move |&start| Kind::from(start, d))).collect()
}

pub(super) fn restarted(spec: RunSpec) -> RunSpec {
    RunSpec { restarts: Restarts::Bipop, seed_offset: SEED_OFFSET, ..spec }
}

fn judge(contests: &[Contest<'_>], section: &mut Section) {
    section.figure("restarts-rank-based", figure(contests), "Share of the runs that reach 1e-8.");
    let words =
        "In rank-based mode: success on the four at least that of pycma's BIPOP from the same starts.";
    let measured: Vec<_> = contests.iter().filter(|c| c.is_between(OURS, PYCMA)).collect();
    if measured.is_empty() {
        return section.claim(words, "pycma was not run".into(), Verdict::NotMeasured);
    }
    let lost: Vec<String> = measured
        .iter()
        .filter(|c| c.by(OURS).success() < c.by(PYCMA).success())
        .map(|c| {
            let beyond = if c.is_below(OURS, PYCMA) { "" } else { ", within chance" };
            format!("{}: {}{beyond}", c.kind.name(), c.shares(OURS, PYCMA))
        })
        .collect();
    section.claim(
        words,
        format!(
            "{}; over all of them {} runs succeed, of pycma's {}; lost: {}",
            tally(measured.len(), &lost),
            all_successes(&measured, OURS),
            all_successes(&measured, PYCMA),
            listed(&lost)
        ),
        Verdict::met(lost.is_empty()),
    );
}

fn figure(contests: &[Contest<'_>]) -> String {
    let name = |c: &Contest<'_>| format!("{} {}, {}", c.kind.f, c.kind.d, c.kind.place());
    let mut chart = Chart::new(
        "Success with restarts: function, d, distance",
        Axis::linear("success in %").range(-4.0, 104.0),
        Axis::named("", &contests.iter().map(name).collect::<Vec<_>>()),
    );
    // One above the other, so that equal shares do not hide each other.
    for (colour, (who, name, up)) in [(OURS, "enes", 0.12), (PYCMA, "pycma", -0.12)].into_iter().enumerate() {
        let points = contests.iter().enumerate().map(|(i, c)| (100.0 * c.by(who).success(), i as f64 + up));
        marks(&mut chart, name, colour, points.collect());
    }
    chart.svg()
}
