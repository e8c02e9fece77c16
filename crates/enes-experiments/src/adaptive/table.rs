//! The unimodal functions: medians compared with pycma's and with the prototype's.

use crate::comparison::{
    Baseline, Column, Contender, Contest, Kind, Part, Tables, chart_by_dimension, dimensions, functions,
    geometric_mean, listed, medians_below, ratio_text, success,
};
use crate::objective::Perturbation;
use crate::plan::Plan;
use crate::section::{Section, Verdict};

pub(crate) const OURS: Contender = Contender::RankBased;
pub(crate) const PYCMA: Contender = Contender::Pycma;
const BY_RULES: Contender = Contender::StopRules;

/// Medians of the prototype of the rank-based update.
const PROTOTYPE: Baseline = Baseline(&[
    (OURS, 3, [235.0, 240.0, 395.0, 365.0, 375.0, 210.0, 530.0, 155.0, 185.0]),
    (OURS, 5, [342.0, 384.0, 618.0, 582.0, 606.0, 324.0, 978.0, 288.0, 318.0]),
    (OURS, 10, [651.0, 805.0, 1435.0, 1197.0, 1295.0, 707.0, 2289.0, 651.0, 896.0]),
    (OURS, 15, [968.0, 1304.0, 2248.0, 1936.0, 2184.0, 1232.0, 4320.0, 1056.0, 1792.0]),
    (OURS, 20, [1280.0, 1904.0, 3072.0, 2896.0, 3528.0, 1912.0, 6704.0, 1304.0, 2808.0]),
    (OURS, 40, [2511.0, 4941.0, 6183.0, 7254.0, 10665.0, 6039.0, 22347.0, 2538.0, 9639.0]),
]);

pub(super) const PART: Part = Part {
    name: "adaptive-table",
    title: "Unimodal functions",
    intro: || {
        "In rank-based mode, without the surrogate. Evaluations to 1e-10 (ridges to −1000), whole generations, of the \
         runs that reached it. Start at distance 1, sigma 1, default populations, one search, at most 10,000 d \
         evaluations. pycma has its default options. enes runs to the target or the budget; the column \"by the \
         rules\" counts the successes of the same runs with the default stop rules, under which a sharp ridge in many \
         dimensions looks like convergence (tolx). The prototype's baseline has no row for d = 2."
            .into()
    },
    labels: &[(OURS, "enes"), (BY_RULES, "by the rules")],
    kinds,
    contenders: |_| &[OURS, PYCMA, BY_RULES],
    runs: |plan, kind, _| count(plan, kind.d),
    change: |_, spec| spec,
    tables: Tables::ByDimension("adaptive", |plan, d| {
        let runs = count(plan, d);
        format!("d = {d}, {runs} runs of each function: medians of the evaluations, quartiles, successes.")
    }),
    columns: |_| {
        let mut columns = vec![Column::Function];
        columns.extend(Column::all_of(OURS));
        columns.push(Column::Solved(BY_RULES));
        columns.extend(Column::all_of(PYCMA));
        columns.push(Column::Ratio(OURS, PYCMA));
        columns.extend([Column::Baseline(PROTOTYPE, OURS), Column::OverBaseline(PROTOTYPE, OURS)]);
        columns
    },
    judge,
};

/// Dimensions, and runs of each function.
fn sizes(plan: Plan) -> &'static [(usize, u64)] {
    plan.pick(&[(2, 51), (3, 51), (5, 51), (10, 31), (15, 21), (20, 21), (40, 21)], &[(2, 3), (5, 3)])
}

fn count(plan: Plan, d: usize) -> u64 {
    sizes(plan).iter().find(|s| s.0 == d).map_or(0, |s| s.1)
}

fn kinds(plan: Plan) -> Vec<Kind> {
    let of_one = |d: usize| functions(plan).iter().map(move |&f| Kind::new(f, Perturbation::None, d));
    sizes(plan).iter().flat_map(|s| of_one(s.0)).collect()
}

fn judge(contests: &[Contest<'_>], section: &mut Section) {
    if contests.iter().any(|c| c.is_between(OURS, PYCMA)) {
        let title = "Evaluations relative to pycma's, by dimension";
        let label = "median over pycma's median";
        let svg = chart_by_dimension(title, label, contests, &|c| c.ratio(OURS, PYCMA));
        section.figure("adaptive-ratio", svg, caption(contests));
    }
    PROTOTYPE.claim(
        "Medians not above the prototype's baseline by more than 10 % in any cell.",
        contests,
        |_, _, median| 1.1 * median,
        section,
    );
    medians_below("Medians below pycma's in every cell.", contests, &[OURS], PYCMA, 1.0, section);
    success(
        "Success at least 98 % (Rosenbrock's local minimum counted as failure only where pycma does better): over all \
         runs, and no cell below it beyond its 95 % interval.",
        contests,
        &[OURS],
        true,
        section,
    );
    stopped_early(contests, section);
}

fn caption(contests: &[Contest<'_>]) -> String {
    let mean =
        |d: usize| geometric_mean(contests.iter().filter(|c| c.kind.d == d).map(|c| c.ratio(OURS, PYCMA)));
    let means = dimensions(contests).into_iter().map(|d| format!("d = {d}: {}", ratio_text(mean(d))));
    format!(
        "Below 1 is better than pycma. A function that pycma never solves has no point. Geometric means over the \
         functions: {}.",
        means.collect::<Vec<_>>().join(", ")
    )
}

/// What the default stop rules end before the target.
fn stopped_early(contests: &[Contest<'_>], section: &mut Section) {
    let count = |c: &Contest<'_>| (c.by(BY_RULES).successes(), c.by(BY_RULES).runs.len());
    let (good, all) = contests.iter().map(count).fold((0, 0), |a, b| (a.0 + b.0, a.1 + b.1));
    let fewer = contests.iter().filter(|c| count(c).0 < c.by(OURS).successes());
    let names: Vec<String> =
        fewer.map(|c| format!("{}: {}", c.kind.name(), c.by(BY_RULES).share())).collect();
    section.claim(
        "The default stop rules end no run that would have reached the target.",
        format!("{good} of {all} runs reach it under them; fewer than to the end: {}", listed(&names)),
        Verdict::met(names.is_empty()),
    );
}
