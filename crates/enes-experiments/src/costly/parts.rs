//! Transformed, noisy, asymmetric and multimodal functions: where a surrogate might do harm.

use enes::Restarts;
use enes_problems::Function;

use super::{EVERYONE, no_worse};
use crate::comparison::{Column, Contender, Contest, Kind, Part, STARTS, Tables};
use crate::objective::Perturbation;
use crate::plan::Plan;
use crate::run::{RunRecord, RunSpec};

use Contender::{Batch, Pycma, RankBased, Serial};

const OURS_AND_PYCMA: &[Contender] = &[Serial, Batch, RankBased, Pycma];

const CAPTION: &str = "Medians of the evaluations of the runs that succeeded, quartiles, successes.";

/// What the parts have in common.
const PLAIN: Part = Part {
    name: "",
    title: "",
    intro: String::new,
    labels: &[],
    kinds: |_| Vec::new(),
    contenders: |_| OURS_AND_PYCMA,
    runs: |_, _, _| 0,
    change: |_, spec| spec,
    tables: Tables::One(CAPTION),
    columns: |_| columns(OURS_AND_PYCMA),
    judge: no_worse::claims,
};

pub(super) const PARTS: [Part; 5] = [
    Part {
        name: "costly-transformations",
        title: "Transformed values",
        intro: || {
            "Powers of f, and exp(f/s) − 1, in which s is the mean of f over the start ± sigma along each axis, so \
             that values stay finite; the target 1e-10 is transformed likewise. To ranks this is the same function. \
             pycma and lq (fmin_lq_surr2, at most half a minute of processor time a run) search here without their \
             tolerances tolfun and tolfunhist, which a target of 1e-20 would not survive."
                .into()
        },
        kinds: transformations,
        contenders: |_| EVERYONE,
        columns: |_| columns(EVERYONE),
        runs: |plan, kind, who| counts(plan, kind, who, (31, 15, 15, 3)),
        ..PLAIN
    },
    Part {
        name: "costly-noise",
        title: "Noise",
        intro: || {
            "Values f (1 + εN) with a normal number N of the run's own stream at each evaluation. A run succeeds when \
             the true value of an evaluated point is at most 1e-3, within 2000 d evaluations; the searches see noisy \
             values only. Both programs keep their rule tolstagnation, which ends some runs before. lq was not run."
                .into()
        },
        kinds: noise,
        runs: |plan, kind, who| counts(plan, kind, who, (31, 15, 31, 3)),
        change: |_, spec| RunSpec { target: 1e-3, max_evaluations: 2000 * spec.d as u64, ..spec },
        ..PLAIN
    },
    Part {
        name: "costly-asymmetric",
        title: "Asymmetric functions",
        intro: || {
            "The sphere with 10,000 times the curvature where a coordinate is positive (steep sides), or where all are \
             (steep orthant): no quadratic fits across the borders. To 1e-10, one search. lq was not run."
                .into()
        },
        kinds: asymmetric,
        runs: |plan, kind, who| counts(plan, kind, who, (31, 15, 31, 3)),
        ..PLAIN
    },
    Part {
        name: "costly-multimodal",
        title: "Multimodal functions, one search",
        intro: || {
            "To 1e-8, default populations and stop rules, no restarts, at most 10,000 d evaluations, from a start near \
             the optimum (distance 1, sigma 1) and from a far one (sigma a third of the distance). lq was not run."
                .into()
        },
        kinds: multimodal,
        runs: |plan, kind, who| counts(plan, kind, who, (51, 51, 31, 3)),
        ..PLAIN
    },
    Part {
        name: "costly-restarts",
        title: "Multimodal functions, with restarts",
        intro: || {
            "The same with restarts, to 1e-8 within 10,000 d evaluations; pycma by fmin2(restarts=9, bipop=True). lq \
             was not run, nor was the serial contender, since restarts with larger populations are no serial matter."
                .into()
        },
        kinds: multimodal,
        contenders: |_| RESTARTED,
        columns: |_| columns(RESTARTED),
        runs: |plan, kind, who| counts(plan, kind, who, (21, 15, 15, 2)),
        change: |_, spec| RunSpec { restarts: Restarts::Bipop, ..spec },
        ..PLAIN
    },
];

const RESTARTED: &[Contender] = &[Batch, RankBased, Pycma];

const SMOOTH: [Function; 3] = [Function::Sphere, Function::Ellipsoid, Function::Rosenbrock];

fn columns(contenders: &[Contender]) -> Vec<Column> {
    let mut all = vec![Column::Function, Column::Dimension, Column::Distance];
    all.extend(contenders.iter().flat_map(|who| Column::all_of(*who)));
    all
}

/// Runs by us, by a peer; at most in ten dimensions and more; of a quick plan.
fn counts(plan: Plan, kind: &Kind, who: Contender, runs: (u64, u64, u64, u64)) -> u64 {
    let (ours, theirs, many_dimensions, quick) = runs;
    let full = if who.solver().is_enes() { ours } else { theirs };
    plan.pick(if kind.d >= 10 { full.min(many_dimensions) } else { full }, quick)
}

fn cells(functions: &[Function], perturbations: &[Perturbation], dimensions: &[usize]) -> Vec<Kind> {
    let mut kinds = Vec::new();
    for &perturbation in perturbations {
        for &f in functions {
            kinds.extend(dimensions.iter().map(|&d| Kind::new(f, perturbation, d)));
        }
    }
    kinds
}

fn transformations(plan: Plan) -> Vec<Kind> {
    let all = [0.1, 0.5, 2.0].map(Perturbation::Power).into_iter().chain([Perturbation::Exponential]);
    cells(plan.pick(&SMOOTH, &SMOOTH[..1]), &all.collect::<Vec<_>>(), plan.pick(&[5, 10], &[3]))
}

fn noise(plan: Plan) -> Vec<Kind> {
    let levels = [0.01, 0.1].map(Perturbation::Noise);
    cells(plan.pick(&SMOOTH, &SMOOTH[..1]), &levels, plan.pick(&[5, 10], &[3]))
}

fn asymmetric(plan: Plan) -> Vec<Kind> {
    cells(&SMOOTH[..1], &[Perturbation::Side, Perturbation::Orthant], plan.pick(&[5, 10], &[3]))
}

fn multimodal(plan: Plan) -> Vec<Kind> {
    let dimensions: &[usize] = plan.pick(&[2, 5, 10], &[2]);
    let of_one = |start| dimensions.iter().map(move |&d| Kind::from(start, d));
    plan.pick(&STARTS[..], &STARTS[2..3]).iter().flat_map(|start| of_one(*start)).collect()
}

/// What the guide shows besides the unimodal functions.
pub(super) fn noise_and_one_search(plan: Plan, runs: &[RunRecord]) -> Vec<Contest<'_>> {
    let shown = PARTS.iter().filter(|part| ["costly-noise", "costly-multimodal"].contains(&part.name));
    shown.flat_map(|part| part.contests(plan, runs)).collect()
}
