//! The multimodal functions with equal populations, one search each.

use enes_chart::{Axis, Chart};
use enes_measure::interval;
use enes_problems::Function;

use super::{OURS, PYCMA};
use crate::comparison::{
    Column, Contest, Kind, Part, STARTS, Tables, all_successes, geometric_mean, listed, marks, ratio_text,
    tally,
};
use crate::plan::Plan;
use crate::run::RunSpec;
use crate::section::{Section, Verdict};

/// With fewer successes than this on either side a median says little.
const ENOUGH: usize = 5;

/// The largest ratio of medians that is allowed.
const ALLOWED: f64 = 1.2;

pub(super) const PART: Part = Part {
    name: "adaptive-populations",
    title: "Multimodal functions, equal populations",
    intro: || {
        "Runs to 1e-8, one search each, both programs with the same population, from a start near the optimum \
         (distance 1, sigma 1) and from a far one (sigma a third of the distance); at most 20,000 d evaluations. \
         Success is compared by Newcombe's 95 % interval for the difference of two shares."
            .into()
    },
    labels: &[(OURS, "enes")],
    kinds,
    contenders: |_| &[OURS, PYCMA],
    runs: |plan, _, _| plan.pick(50, 5),
    change: |_, spec| RunSpec { max_evaluations: 20_000 * spec.d as u64, ..spec },
    tables: Tables::One("Successes, and medians of the evaluations of the runs that succeeded."),
    columns: |_| {
        vec![
            Column::Function,
            Column::Distance,
            Column::Dimension,
            Column::Population,
            Column::Solved(OURS),
            Column::Solved(PYCMA),
            Column::BeyondChance(OURS, PYCMA),
            Column::Median(OURS),
            Column::Median(PYCMA),
            Column::Ratio(OURS, PYCMA),
        ]
    },
    judge,
};

fn kinds(plan: Plan) -> Vec<Kind> {
    let (dimensions, populations): (&[usize], &[usize]) =
        plan.pick((&[2, 5, 10], &[20, 50, 100]), (&[2], &[20]));
    let mut all = Vec::new();
    for &start in plan.pick(&STARTS[..], &STARTS[..3]) {
        for &d in dimensions {
            all.extend(populations.iter().map(|&n| Kind { n, ..Kind::from(start, d) }));
        }
    }
    all
}

fn judge(contests: &[Contest<'_>], section: &mut Section) {
    let measured: Vec<_> = contests.iter().filter(|c| c.is_between(OURS, PYCMA)).collect();
    let (below, slow) = (
        "Success not below pycma's at equal population beyond the 95 % interval of 50 runs.",
        "Median evaluations of successful runs not above 1.2 times pycma's.",
    );
    if measured.is_empty() {
        // Nothing to compare, and nothing to draw.
        section.claim(below, "pycma was not run".into(), Verdict::NotMeasured);
        return section.claim(slow, "pycma was not run".into(), Verdict::NotMeasured);
    }
    section.figure(
        "adaptive-populations",
        figure(&measured),
        "Every dot is a function, a start, a dimension and a population; above the line more of our runs succeed.",
    );
    success_claim(below, &measured, section);
    evaluations_claim(slow, &measured, section);
}

fn figure(contests: &[&Contest<'_>]) -> String {
    let axis = |label: &str| Axis::linear(label).range(-4.0, 104.0);
    let mut chart =
        Chart::new("Success at equal populations", axis("pycma: success in %"), axis("enes: success in %"));
    chart.line("", 7, true, vec![(0.0, 0.0), (100.0, 100.0)]);
    let functions = [Function::Rastrigin, Function::Ackley, Function::Griewank, Function::Weierstrass];
    for (colour, f) in functions.into_iter().enumerate() {
        let of_f = contests.iter().filter(|c| c.kind.f == f);
        let point = |c: &&Contest<'_>| (100.0 * c.by(PYCMA).success(), 100.0 * c.by(OURS).success());
        marks(&mut chart, f.name(), colour, of_f.map(point).collect());
    }
    chart.svg()
}

fn success_claim(words: &str, contests: &[&Contest<'_>], section: &mut Section) {
    let below = contests.iter().filter(|c| c.is_below(OURS, PYCMA));
    let lost: Vec<String> = below.map(|c| format!("{}: {}", c.kind.name(), c.shares(OURS, PYCMA))).collect();
    // The stricter reading takes pycma's share as known.
    let stricter = contests.iter().filter(|c| {
        let ours = c.by(OURS);
        interval(ours.successes(), ours.runs.len()).1 < 100.0 * c.by(PYCMA).success()
    });
    section.claim(
        words,
        format!(
            "{}; over all of them {} runs succeed, of pycma's {}; pycma's share lies above our own interval in {}; \
             lost: {}",
            tally(contests.len(), &lost),
            all_successes(contests, OURS),
            all_successes(contests, PYCMA),
            stricter.count(),
            listed(&lost)
        ),
        Verdict::met(lost.is_empty()),
    );
}

fn evaluations_claim(words: &str, contests: &[&Contest<'_>], section: &mut Section) {
    let ratio = |c: &Contest<'_>| c.ratio(OURS, PYCMA);
    let enough = |c: &Contest<'_>| [OURS, PYCMA].iter().all(|who| c.by(*who).successes() >= ENOUGH);
    let exceeds = |enough_successes: bool| {
        let chosen = contests.iter().filter(|c| enough(c) == enough_successes && ratio(c) > ALLOWED);
        chosen.map(|c| format!("{}: {}", c.kind.name(), ratio_text(ratio(c)))).collect::<Vec<_>>()
    };
    let (lost, few) = (exceeds(true), exceeds(false));
    let judged: Vec<_> = contests.iter().filter(|c| enough(c)).collect();
    section.claim(
        words,
        format!(
            "{} in which both succeed at least {ENOUGH} times; the geometric mean of the ratios is {}; lost: {}; above \
             it with fewer successes, not judged: {}",
            tally(judged.len(), &lost),
            ratio_text(geometric_mean(judged.iter().map(|c| ratio(c)))),
            listed(&lost),
            listed(&few)
        ),
        Verdict::met(lost.is_empty()),
    );
}
