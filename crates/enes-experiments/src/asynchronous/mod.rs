//! Asynchronous evaluation on a virtual clock: wall time to the target with many workers, against the barrier of whole
//! generations and against pycma with a pool.

mod clock;
mod report;
#[cfg(test)]
mod tests;

use enes::{ModelChoice, Settings};
use enes_problems::{Function, Problem};

use crate::error::ReproduceError;
use crate::objective::{Objective, Perturbation};
use crate::plan::Plan;
use crate::run::{OWN_POPULATION, RunRecord, RunSpec, Solver, Start};
use clock::{Durations, Workers};
pub(crate) use report::{markdown, sections};

pub(crate) const NAME: &str = "asynchronous";

/// Smooth, valley, ridge, asymmetric, rugged.
const FUNCTIONS: [(Function, Perturbation); 5] = [
    (Function::Ellipsoid, Perturbation::None),
    (Function::Rosenbrock, Perturbation::None),
    (Function::SharpR, Perturbation::None),
    (Function::Sphere, Perturbation::Side),
    (Function::Ackley, Perturbation::None),
];

/// Deviations of the logarithm of durations.
const SIGMAS: [f64; 3] = [0.0, 1.0, 1.5];

/// Who waits for whom, and which model searches.
#[derive(Clone, Copy, Debug, PartialEq)]
struct Mode {
    barrier: bool,
    ranks: bool,
}

/// The asynchronous default, with the barrier, and both in rank-based mode.
const MODES: [Mode; 4] = [
    Mode { barrier: false, ranks: false },
    Mode { barrier: true, ranks: false },
    Mode { barrier: false, ranks: true },
    Mode { barrier: true, ranks: true },
];

impl Mode {
    fn name(self) -> &'static str {
        match (self.barrier, self.ranks) {
            (false, false) => "asynchronous",
            (true, false) => "barrier",
            (false, true) => "asynchronous, rank-based",
            (true, true) => "barrier, rank-based",
        }
    }
}

/// A cell of the study.
#[derive(Clone, Copy, Debug, PartialEq)]
struct Schedule {
    mode: Mode,
    workers: usize,
    durations: Durations,
}

impl Schedule {
    fn variant(self) -> String {
        format!("{}/W{}/sigma{}", self.mode.name(), self.workers, self.durations.0)
    }

    /// Whether its evaluations are compared on smooth functions: eight workers, and one.
    fn has_ratio(self) -> bool {
        self.mode == MODES[0] && [(1, 0.0), (8, 1.0)].contains(&(self.workers, self.durations.0))
    }

    fn parse(variant: &str) -> Option<Self> {
        all().find(|schedule| schedule.variant() == variant)
    }
}

const WORKERS: [usize; 7] = [1, 2, 4, 8, 16, 32, 64];

fn all() -> impl Iterator<Item = Schedule> {
    MODES.into_iter().flat_map(|mode| {
        WORKERS.into_iter().flat_map(move |workers| {
            SIGMAS.map(|sigma| Schedule { mode, workers, durations: Durations(sigma) })
        })
    })
}

/// Runs of a cell: in 20 dimensions one takes up to some seconds; the default, whose runs differ most, has more of them.
fn runs_of(d: usize, ranks: bool) -> u64 {
    match (d < 20, ranks) {
        (true, false) => 25,
        (true, true) => 9,
        (false, false) => 7,
        (false, true) => 3,
    }
}

/// The same where evaluations with eight workers are compared with serial ones: medians of 25 differ by more than a tenth.
fn runs_of_ratios(d: usize) -> u64 {
    if d < 20 { 301 } else { 61 }
}

fn is_smooth(function: Function) -> bool {
    matches!(function, Function::Ellipsoid | Function::Rosenbrock)
}

fn dimensions(plan: Plan) -> &'static [usize] {
    plan.pick(&[5, 10, 20], &[5])
}

fn schedules(plan: Plan) -> impl Iterator<Item = Schedule> {
    let few = |s: &Schedule| !s.mode.ranks && [1, 8].contains(&s.workers) && s.durations.0 != 1.5;
    // With one worker nobody waits for anybody, whatever takes how long.
    // What the barrier costs is seen with σ = 1; with 1.5 it costs more.
    let needed = |s: &Schedule| match s.workers {
        1 => !s.mode.barrier && s.durations.0 == 0.0,
        _ => s.mode.ranks || !s.mode.barrier || s.durations.0 != 1.5,
    };
    all().filter(move |s| needed(s) && plan.pick(true, few(s)))
}

/// Every run of the study.
pub(crate) fn runs(plan: Plan) -> Vec<RunSpec> {
    let mut specs = Vec::new();
    for &d in dimensions(plan) {
        for (function, perturbation) in FUNCTIONS {
            let count = |ranks| plan.pick(runs_of(d, ranks), 3);
            let most = if is_smooth(function) { plan.pick(runs_of_ratios(d), 3) } else { count(false) };
            for run in 0..most {
                let spec = |variant, n| RunSpec {
                    variant,
                    perturbation,
                    start: Start::Exactly((d as f64).sqrt()),
                    target: if function == Function::SharpR { -100.0 } else { 1e-6 },
                    max_evaluations: 20_000 * d as u64,
                    to_the_end: true,
                    ..RunSpec::new(NAME, function, d, n, run)
                };
                let ours =
                    schedules(plan).filter(|s| run < count(s.mode.ranks) || s.has_ratio()).map(|schedule| {
                        RunSpec {
                            program: Some(execute),
                            seconds: Some(0.02 * (d as f64 / 5.0).powi(2)),
                            ..spec(schedule.variant(), OWN_POPULATION)
                        }
                    });
                specs.extend(ours);
                let own = 4 + (3.0 * (d as f64).ln()) as usize;
                let mut populations: Vec<usize> = WORKERS.iter().map(|w| own.max(*w)).collect();
                populations.dedup();
                // pycma takes most of the time, and differs less from run to run.
                let populations = populations.into_iter().filter(|n| run < 3 && plan.pick(true, *n == own));
                specs.extend(populations.map(|n| RunSpec {
                    solver: Solver::Pycma,
                    max_seconds: Some(8.0),
                    seconds: Some(0.5 * d as f64 / 5.0),
                    ..spec(String::new(), n)
                }));
            }
        }
    }
    specs
}

/// One run on the clock: its `seconds` are virtual, its `reused` is the share in which workers were busy.
fn execute(spec: &RunSpec, seed: u64) -> Result<RunRecord, ReproduceError> {
    let Some(Schedule { mode, workers, durations }) = Schedule::parse(&spec.variant) else {
        return Err(ReproduceError::Usage(format!("no schedule is called {}", spec.variant)));
    };
    let problem = Problem::new(spec.function, spec.d, seed)?;
    let start = problem.start(spec.start.distance());
    let objective = Objective::new(&problem, spec.perturbation, &start, spec.sigma, seed);
    let settings = Settings::new(start, spec.sigma)
        .model(if mode.ranks { ModelChoice::RankOnly } else { ModelChoice::Auto })
        .restarts(enes::Restarts::Off)
        .seed(seed)
        .target(spec.target)
        .max_evaluations(spec.max_evaluations)
        .workers(mode.barrier.then_some(workers))
        .tolx(None)
        .tolfun(None)
        .tolfunhist(None)
        .noeffect(false);
    let f = |x: &[f64]| objective.evaluate(x);
    let clock_workers = Workers { count: workers, durations, seed };
    let clocked = match mode.barrier {
        true => clock::with_barrier(&settings, clock_workers, f)?,
        false => clock::asynchronous(&settings, clock_workers, f)?,
    };
    Ok(RunRecord {
        n: settings.population_size(),
        evaluations: clocked.evaluations,
        generations: clocked.generations,
        value: clocked.value,
        success: clocked.success,
        stop: if clocked.success { "ftarget" } else { "other" }.into(),
        reused: clocked.busy,
        seconds: clocked.time,
        ..spec.blank()
    })
}
