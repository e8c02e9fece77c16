//! Transformed, noisy, asymmetric and multimodal functions: where a model of the values might do harm.

use enes::Restarts;
use enes_problems::Function;

use super::{Contest, Kind, Way, header, never_worse};
use crate::reproduce::experiments::adaptive::{STARTS, TARGET};
use crate::reproduce::objective::Twist;
use crate::reproduce::run::{RunRecord, RunSpec};
use crate::reproduce::section::{Section, Table};
use crate::reproduce::{Experiment, Plan};

/// Half a dozen cells or dozens, and what they have in common.
struct Part {
    /// Of the experiment, the table and its file.
    name: &'static str,
    part: &'static str,
    title: &'static str,
    intro: &'static str,
    kinds: fn(Plan) -> Vec<Kind>,
    ways: &'static [Way],
    /// Runs of each kind by us, and by a peer; in ten dimensions and more; of a quick plan.
    runs: (u64, u64, u64, u64),
    /// What differs from a single search to the end.
    change: fn(RunSpec) -> RunSpec,
}

const OURS_AND_PYCMA: &[Way] = &[Way::Serial, Way::Batch, Way::Ranks, Way::Pycma];

const PARTS: [Part; 5] = [
    Part {
        name: "costly-transformations",
        part: "transformations",
        title: "Transformed values",
        intro: "Powers of f, and exp(f/s) − 1, in which s is the mean of f over the start ± sigma along each axis, so \
                that values stay finite; the target 1e-10 is transformed likewise. To ranks this is the same function. \
                pycma and lq (fmin_lq_surr2, at most half a minute of processor time a run) search here without their \
                tolerances tolfun and tolfunhist, which a target of 1e-20 would not survive.",
        kinds: transformations,
        ways: &Way::ALL,
        runs: (31, 15, 15, 3),
        change: |spec| spec,
    },
    Part {
        name: "costly-noise",
        part: "noise",
        title: "Noise",
        intro: "Values f (1 + εN) with a normal number N of the run's own stream at each evaluation. A run succeeds \
                when the true value of an evaluated point is at most 1e-3, within 2000 d evaluations; the searches \
                see noisy values only. Both programs keep their rule tolstagnation, which ends some runs before. lq was \
                not run.",
        kinds: noise,
        ways: OURS_AND_PYCMA,
        runs: (31, 15, 31, 3),
        change: |spec| RunSpec { target: 1e-3, max_evaluations: 2000 * spec.d as u64, ..spec },
    },
    Part {
        name: "costly-asymmetric",
        part: "asymmetric",
        title: "Asymmetric functions",
        intro: "The sphere with 10,000 times the curvature where a coordinate is positive (steep sides), or where all \
                are (steep orthant): no quadratic fits across the borders. To 1e-10, one search. lq was not run.",
        kinds: asymmetric,
        ways: OURS_AND_PYCMA,
        runs: (31, 15, 31, 3),
        change: |spec| spec,
    },
    Part {
        name: "costly-multimodal",
        part: "multimodal",
        title: "Multimodal functions, one search",
        intro: "To 1e-8, default populations and stop rules, no restarts, at most 10,000 d evaluations, from a start \
                near the optimum (distance 1, sigma 1) and from a far one (sigma a third of the distance). lq was not \
                run.",
        kinds: multimodal,
        ways: OURS_AND_PYCMA,
        runs: (51, 51, 31, 3),
        change: |spec| RunSpec { target: TARGET, to_the_end: false, ..spec },
    },
    Part {
        name: "costly-restarts",
        part: "restarts",
        title: "Multimodal functions, with restarts",
        intro: "The same with restarts, to 1e-8 within 10,000 d evaluations; pycma by fmin2(restarts=9, bipop=True). \
                lq was not run, nor was the serial way, since restarts with larger populations are no serial matter.",
        kinds: multimodal,
        ways: &[Way::Batch, Way::Ranks, Way::Pycma],
        runs: (21, 15, 15, 2),
        change: |spec| RunSpec { target: TARGET, to_the_end: false, restarts: Restarts::Bipop, ..spec },
    },
];

const SMOOTH: [Function; 3] = [Function::Sphere, Function::Ellipsoid, Function::Rosenbrock];

fn cells(functions: &[Function], twists: &[Twist], dimensions: &[usize]) -> Vec<Kind> {
    let mut kinds = Vec::new();
    for &twist in twists {
        for &f in functions {
            kinds.extend(dimensions.iter().map(|&d| Kind::new(f, twist, d)));
        }
    }
    kinds
}

fn transformations(plan: Plan) -> Vec<Kind> {
    let all = &[Twist::Power(0.1), Twist::Power(0.5), Twist::Power(2.0), Twist::Exponential];
    cells(plan.pick(&SMOOTH, &SMOOTH[..1]), all, plan.pick(&[5, 10], &[3]))
}

fn noise(plan: Plan) -> Vec<Kind> {
    cells(
        plan.pick(&SMOOTH, &SMOOTH[..1]),
        &[Twist::Noise(0.01), Twist::Noise(0.1)],
        plan.pick(&[5, 10], &[3]),
    )
}

fn asymmetric(plan: Plan) -> Vec<Kind> {
    cells(&SMOOTH[..1], &[Twist::Side, Twist::Orthant], plan.pick(&[5, 10], &[3]))
}

fn multimodal(plan: Plan) -> Vec<Kind> {
    let mut kinds = Vec::new();
    for &(f, distance, sigma) in plan.pick(&STARTS[..], &STARTS[2..3]) {
        let dimensions: &[usize] = plan.pick(&[2, 5, 10], &[2]);
        kinds.extend(dimensions.iter().map(|&d| Kind { distance, sigma, ..Kind::new(f, Twist::None, d) }));
    }
    kinds
}

impl Part {
    fn count(&self, plan: Plan, kind: Kind, way: Way) -> u64 {
        let (ours, theirs, many_dimensions, quick) = self.runs;
        let full = if way.solver().is_enes() { ours } else { theirs };
        plan.pick(if kind.d >= 10 { full.min(many_dimensions) } else { full }, quick)
    }

    fn specs(&self, plan: Plan) -> Vec<RunSpec> {
        let mut specs = Vec::new();
        for kind in (self.kinds)(plan) {
            for &way in self.ways {
                let spec = |run| way.of((self.change)(kind.spec(self.name, run)));
                specs.extend((0..self.count(plan, kind, way)).map(spec));
            }
        }
        specs
    }

    fn contests<'a>(&self, plan: Plan, runs: &'a [RunRecord]) -> Vec<Contest<'a>> {
        (self.kinds)(plan).into_iter().map(|kind| Contest::new(runs, self.name, kind)).collect()
    }

    fn section(&self, plan: Plan, runs: &[RunRecord]) -> Section {
        let mut section = Section::new(Experiment::Costly, self.title, self.intro);
        section.part = Some(self.part);
        let contests = self.contests(plan, runs);
        section.tables.push(Table {
            name: self.name,
            caption: "Medians of the evaluations of the runs that succeeded, quartiles, successes.".into(),
            header: header(self.ways),
            rows: contests.iter().map(|c| c.row(self.ways)).collect(),
        });
        never_worse::claims(&contests, &mut section);
        section
    }
}

/// What the guide shows besides the unimodal functions.
pub(super) fn noise_and_one_search(plan: Plan, runs: &[RunRecord]) -> Vec<Contest<'_>> {
    let shown = PARTS.iter().filter(|part| ["noise", "multimodal"].contains(&part.part));
    shown.flat_map(|part| part.contests(plan, runs)).collect()
}

pub(super) fn runs(plan: Plan) -> Vec<RunSpec> {
    PARTS.iter().flat_map(|part| part.specs(plan)).collect()
}

pub(super) fn sections(plan: Plan, runs: &[RunRecord]) -> Vec<Section> {
    let has = |part: &&Part| runs.iter().any(|r| r.experiment == part.name);
    PARTS.iter().filter(has).map(|part| part.section(plan, runs)).collect()
}
