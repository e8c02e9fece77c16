//! The nine unimodal functions: medians compared with the prototype's, with rank-based mode and with the peers.

use enes_problems::Function;

use super::{EVERYONE, no_worse};
use crate::comparison::{
    Baseline, Column, Contender, Contest, Kind, LQ_SECONDS, Part, Tables, chart_by_dimension, functions,
    geometric_mean, medians_below, ratio_text, success,
};
use crate::objective::Perturbation;
use crate::plan::Plan;
use crate::run::RunSpec;
use crate::section::Section;

use Contender::{Batch, Lq, Pycma, RankBased, Serial};

/// Medians of the prototype of the surrogate.
const PROTOTYPE: Baseline = Baseline(&[
    (Serial, 3, [11.0, 13.0, 15.0, 15.0, 15.0, 134.0, 279.0, 23.0, 89.0]),
    (Serial, 5, [19.0, 23.0, 25.0, 25.0, 25.0, 234.0, 387.0, 32.0, 155.0]),
    (Serial, 10, [32.0, 70.0, 73.0, 90.0, 83.0, 515.0, 511.0, 78.0, 419.0]),
    (Serial, 15, [37.0, 140.0, 145.0, 167.0, 157.0, 922.0, 1245.0, 145.0, 755.0]),
    (Serial, 20, [59.0, 233.0, 247.0, 269.0, 263.0, 1234.0, 1559.0, 243.0, 1739.0]),
    (Batch, 5, [25.0, 25.0, 25.0, 26.0, 29.0, 225.0, 493.0, 43.0, 167.0]),
    (Batch, 10, [46.0, 72.0, 76.0, 77.0, 77.0, 528.0, 1311.0, 95.0, 506.0]),
    (Batch, 15, [49.0, 140.0, 157.0, 177.0, 158.0, 933.0, 2875.0, 165.0, 913.0]),
]);

/// The stated range of Rosenbrock's function at d = 15, serially, ends here.
const ROSENBROCK_15: f64 = 2900.0;

/// Cells in which the serial medians must stay below lq's: 40 of the 45 up to d = 20.
const SHARE_BELOW_LQ: f64 = 40.0 / 45.0;

/// Beyond this dimension neither lq nor the serial contender is run: both spend more time on their models than fits here.
const SERIAL_UP_TO: usize = 20;

/// From d = 10 on lq spends minutes on a run of these: so many runs, no more.
const LONG: [Function; 3] = [Function::DiffPow, Function::Rosenbrock, Function::SharpR];
const LONG_RUNS: u64 = 5;

pub(super) const PART: Part = Part {
    name: "costly-table",
    title: "Unimodal functions",
    intro: || {
        format!(
            "Evaluations to 1e-10 (ridges to −1000) of the runs that reached it. Start at distance 1, sigma 1, one \
             search. serial: one sample besides the surrogate's point in a generation; batch: the default, λ points in \
             a generation; rank-based: without the surrogate. lq is cma.fmin_lq_surr2 with its defaults, pycma CMA-ES \
             with its defaults. enes and pycma count whole generations, lq its evaluations up to the one that reaches \
             the target. At most 10,000 d evaluations, and 1000 d of ours beyond d = {SERIAL_UP_TO}; a run of lq also \
             ends after {LQ_SECONDS} s of processor time, and has then failed. Beyond d = {SERIAL_UP_TO} lq and serial \
             are not run. A quadratic has P = (d + 1)(d + 2)/2 coefficients."
        )
    },
    labels: &[],
    kinds: |plan| {
        let of_one = |d: usize| functions(plan).iter().map(move |&f| Kind::new(f, Perturbation::None, d));
        sizes(plan).iter().flat_map(|s| of_one(s.0)).collect()
    },
    contenders,
    runs: |plan, kind, who| {
        let (ours, theirs) = counts(plan, kind.d);
        match who {
            Lq if kind.d >= 10 && LONG.contains(&kind.f) => theirs.min(LONG_RUNS),
            _ if who.solver().is_enes() => ours,
            _ => theirs,
        }
    },
    change: |who, spec| match spec.d > SERIAL_UP_TO && who.solver().is_enes() {
        true => RunSpec { max_evaluations: 1000 * spec.d as u64, ..spec },
        false => spec,
    },
    tables: Tables::ByDimension("costly", |plan, d| {
        let (ours, theirs) = counts(plan, d);
        format!(
            "d = {d}, P = {}: medians of the evaluations, quartiles, successes; {ours} runs of each function, {theirs} \
             by a peer.",
            coefficients(d)
        )
    }),
    columns: |d| {
        let mut columns = vec![Column::Function, Column::Dimension, Column::Distance];
        columns.extend(contenders(d).iter().flat_map(|who| Column::all_of(*who)));
        columns.extend([Serial, Batch].map(|who| Column::OverBaseline(PROTOTYPE, who)));
        columns
    },
    judge,
};

/// Dimension, runs of each function by us and by each peer.
fn sizes(plan: Plan) -> &'static [(usize, u64, u64)] {
    plan.pick(
        &[(3, 51, 15), (5, 51, 15), (10, 51, 15), (15, 21, 15), (20, 15, 15), (30, 5, 5), (40, 5, 5)],
        &[(3, 5, 3), (5, 3, 3)],
    )
}

fn counts(plan: Plan, d: usize) -> (u64, u64) {
    sizes(plan).iter().find(|s| s.0 == d).map_or((0, 0), |s| (s.1, s.2))
}

fn contenders(d: usize) -> &'static [Contender] {
    if d <= SERIAL_UP_TO { EVERYONE } else { &[Batch, RankBased, Pycma] }
}

pub(super) fn coefficients(d: usize) -> usize {
    (d + 1) * (d + 2) / 2
}

fn judge(contests: &[Contest<'_>], section: &mut Section) {
    figures(contests, section);
    PROTOTYPE.claim(
        "Medians not above the prototype's baseline by more than 15 % (Rosenbrock's at d = 15, serially, within its \
         stated range, up to 2900).",
        contests,
        |who, kind, median| match who == Serial && kind.f == Function::Rosenbrock && kind.d == 15 {
            true => ROSENBROCK_15,
            false => 1.15 * median,
        },
        section,
    );
    success(
        "Success at least 98 %, serial and batch, but for Rosenbrock's local minimum: over all runs, and no cell below \
         it beyond its 95 % interval.",
        contests,
        &[Serial, Batch],
        false,
        section,
    );
    medians_below(
        "Medians below those of fmin_lq_surr2 in at least 40 of the 45 cells up to d = 20.",
        contests,
        &[Serial, Batch],
        Lq,
        SHARE_BELOW_LQ,
        section,
    );
    no_worse::claims(contests, section);
}

fn figures(contests: &[Contest<'_>], section: &mut Section) {
    section.figure(
        "costly-coefficients",
        chart_by_dimension("Evaluations for each coefficient of a quadratic", "median over P", contests, &|c| {
            c.median(Batch) / coefficients(c.kind.d) as f64
        }),
        "In batches. A quadratic that nothing is known of has P coefficients: near 1 there is little left to save.",
    );
    if contests.iter().any(|c| c.is_measured(Lq)) {
        let ratio = |c: &Contest<'_>| c.ratio(Serial, Lq);
        let title = "Evaluations relative to lq's, by dimension";
        section.figure(
            "costly-ratio",
            chart_by_dimension(title, "serial median over lq's median", contests, &ratio),
            format!(
                "Below 1 is better than lq. A function that one of them never solves has no point. The geometric mean \
                 is {}.",
                ratio_text(geometric_mean(contests.iter().map(ratio)))
            ),
        );
    }
}
