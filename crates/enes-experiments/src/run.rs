//! One run of an experiment: what to run, and what came of it.

use std::ops::ControlFlow;

use enes::{Baseline, ModelChoice, Outcome, Restarts, Run, Settings, Strategy};
use enes_problems::{Function, Problem};
use serde::{Deserialize, Serialize};

use crate::error::ReproduceError;
use crate::objective::{Objective, Perturbation};
use crate::paper;
use crate::peer::{Job, Peers};
use crate::plan::Plan;
use crate::runner::Task;

/// Points kept of a trace.
const TRACE: usize = 160;

/// The population that a solver chooses for itself.
pub(crate) const OWN_POPULATION: usize = 0;

/// Where a run starts.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(crate) enum Start {
    /// At exactly this distance from the optimum, in a random direction.
    Exactly(f64),
    /// Normally distributed around the optimum, at this distance on average (root mean square).
    OnAverage(f64),
    /// Wherever a solver starts that is given nothing but the box from minus this to this in every coordinate.
    Within(f64),
}

impl Start {
    pub(crate) fn distance(self) -> f64 {
        match self {
            Self::Exactly(distance) | Self::OnAverage(distance) => distance,
            Self::Within(_) => 0.0,
        }
    }

    /// Half the width of the box, if there is one.
    fn half_width(self) -> Option<f64> {
        if let Self::Within(half) = self { Some(half) } else { None }
    }
}

/// Which program runs.
#[derive(Clone, Copy, Debug, Default, Deserialize, PartialEq, Eq, Serialize)]
#[serde(rename_all = "lowercase")]
pub(crate) enum Solver {
    #[default]
    Enes,
    Pycma,
    /// pycma's `fmin_lq_surr2`: CMA-ES with a linear or quadratic surrogate.
    Lq,
    /// CyberAgent's cmaes.
    Cmaes,
    /// scipy's Nelder-Mead.
    Scipy,
    /// NLopt's NEWUOA.
    Nlopt,
}

impl Solver {
    pub(crate) fn name(self) -> &'static str {
        match self {
            Self::Enes => "enes",
            Self::Pycma => "pycma",
            Self::Lq => "lq",
            Self::Cmaes => "cmaes",
            Self::Scipy => "scipy",
            Self::Nlopt => "nlopt",
        }
    }

    pub(crate) fn is_enes(&self) -> bool {
        *self == Self::Enes
    }
}

/// What makes a record of a specification and a seed.
pub(crate) type Program = fn(&RunSpec, u64) -> Result<RunRecord, ReproduceError>;

/// What to run.
#[derive(Clone, Debug)]
pub(crate) struct RunSpec {
    pub(crate) experiment: &'static str,
    /// Tells apart what the other fields do not.
    pub(crate) variant: String,
    pub(crate) function: Function,
    pub(crate) d: usize,
    /// Population; `OWN_POPULATION`: the solver's default.
    pub(crate) n: usize,
    pub(crate) solver: Solver,
    pub(crate) strategy: Strategy,
    pub(crate) model: ModelChoice,
    pub(crate) batch: Option<usize>,
    /// What is done to the function.
    pub(crate) perturbation: Perturbation,
    pub(crate) restarts: Restarts,
    /// Only the target and the budget end the run, no tolerance.
    pub(crate) to_the_end: bool,
    /// The last word on the settings: an ablation.
    pub(crate) change: fn(Settings) -> Settings,
    /// Another program than a search of a function, given its seed.
    pub(crate) program: Option<Program>,
    pub(crate) start: Start,
    pub(crate) sigma: f64,
    pub(crate) refresh_rate: f64,
    pub(crate) baseline: Baseline,
    pub(crate) target: f64,
    pub(crate) max_evaluations: u64,
    /// Processor time after which a peer is stopped; `None`: never.
    pub(crate) max_seconds: Option<f64>,
    /// What it is expected to take; `None`: no idea but `weight`.
    pub(crate) seconds: Option<f64>,
    pub(crate) run: u64,
    /// Added to the seed of the plan.
    pub(crate) seed_offset: i64,
    /// Keep best value against evaluations.
    pub(crate) traced: bool,
    /// Keep the mean and the factor of every generation.
    pub(crate) path: bool,
}

/// The paper's settings; experiments change what they are about.
impl RunSpec {
    pub(crate) fn new(experiment: &'static str, function: Function, d: usize, n: usize, run: u64) -> Self {
        Self {
            experiment,
            variant: String::new(),
            function,
            d,
            n,
            solver: Solver::Enes,
            strategy: Strategy::Published,
            model: ModelChoice::Auto,
            batch: None,
            perturbation: Perturbation::None,
            restarts: Restarts::Off,
            to_the_end: false,
            change: |settings| settings,
            program: None,
            start: Start::Exactly(1.0),
            sigma: 1.0,
            refresh_rate: 0.01,
            baseline: Baseline::Block,
            target: function.target(),
            max_evaluations: 5_000_000,
            max_seconds: None,
            seconds: None,
            run,
            seed_offset: 0,
            traced: false,
            path: false,
        }
    }

    /// The function, with what is done to it.
    pub(crate) fn function_name(&self) -> String {
        self.perturbation.named(self.function.name())
    }

    fn execute_here(
        &self,
        problem: &Problem,
        objective: &Objective<'_>,
        start: Vec<f64>,
        seed: u64,
    ) -> Result<RunRecord, ReproduceError> {
        let target = objective.transformed(self.target);
        let reached = || objective.best() <= target;
        let settings = match self.start.half_width() {
            Some(half) => Settings::within(vec![(-half, half); self.d]),
            None => Settings::new(start, self.sigma),
        };
        let settings = settings
            .strategy(self.strategy)
            .model(self.model)
            .batch(self.batch)
            .population((self.n != OWN_POPULATION).then_some(self.n))
            .restarts(self.restarts)
            .seed(seed)
            .refresh_rate(self.refresh_rate)
            .baseline(self.baseline)
            // Under noise a value at least as good says nothing: true values decide, below.
            .target((!objective.is_noisy()).then_some(target))
            .max_evaluations(self.max_evaluations);
        let settings = match self.to_the_end {
            true => settings.tolx(None).tolfun(None).tolfunhist(None).noeffect(false),
            false => settings,
        };
        let settings = (self.change)(settings);
        let mut trace = Vec::new();
        let mut path = Vec::new();
        let outcome = Run::new(&settings)
            .observe(|es| {
                if let (true, Some(best)) = (self.traced, es.best()) {
                    trace.push((es.evaluations(), best.value));
                }
                if self.path {
                    let drawn = paper::draws_after(path.len() + 1);
                    let factor = if drawn { es.distribution().factor().to_vec() } else { Vec::new() };
                    path.push((es.mean().to_vec(), factor));
                }
                if objective.is_noisy() && reached() {
                    ControlFlow::Break(())
                } else {
                    ControlFlow::Continue(())
                }
            })
            .minimize(|x| objective.evaluate(x))?;
        let success = outcome.stop.is_target() || (objective.is_noisy() && reached());
        let Outcome { point, value, evaluations, generations, stop, reused_share, seconds, .. } = outcome;
        Ok(RunRecord {
            n: settings.population_size(),
            evaluations,
            generations,
            value: if objective.is_noisy() { objective.best() } else { value },
            off: distance(&point, &problem.optimum()),
            success,
            stop: if success { "ftarget" } else { stop.name() }.to_string(),
            reused: reused_share,
            seconds,
            trace: improvements(thin(trace)),
            path,
            ..self.blank()
        })
    }

    /// The same instance from the same start, by the peer.
    fn execute_there(
        &self,
        problem: &Problem,
        objective: &Objective<'_>,
        start: &[f64],
        seed: u64,
        peers: &Peers,
    ) -> Result<RunRecord, ReproduceError> {
        let aside = |i: usize, x: &f64| x + (1.0 + 0.7 * i as f64).sin();
        let job = Job {
            solver: self.solver.name(),
            perturbation: objective.for_peer(),
            // A target beyond the default tolerances needs others.
            to_the_end: self.to_the_end && self.perturbation != Perturbation::None,
            max_seconds: self.max_seconds,
            function: self.function.name(),
            rotation: problem.rotation(),
            shift: problem.shift(),
            start,
            half_width: self.start.half_width(),
            sigma: self.sigma,
            target: objective.transformed(self.target),
            max_evaluations: self.max_evaluations,
            population: (self.n != OWN_POPULATION).then_some(self.n),
            bipop: self.restarts != Restarts::Off,
            // pycma takes 32 bits, and 0 for the clock.
            seed: 1 + seed % 0x7fff_ffff,
            check: vec![
                start.to_vec(),
                problem.start(0.4 * self.start.distance()),
                problem.shift().iter().enumerate().map(|(i, x)| aside(i, x)).collect(),
            ],
        };
        let answer = peers.run(&job, objective)?;
        Ok(RunRecord {
            n: if self.n == OWN_POPULATION { answer.population } else { self.n },
            evaluations: answer.evaluations,
            generations: answer.generations,
            value: answer.value,
            off: distance(&answer.point, &problem.optimum()),
            success: answer.success,
            stop: answer.stop,
            seconds: answer.seconds,
            ..self.blank()
        })
    }

    /// What a record says of its specification.
    pub(crate) fn blank(&self) -> RunRecord {
        RunRecord {
            key: self.key(),
            experiment: self.experiment.to_string(),
            variant: self.variant.clone(),
            solver: self.solver,
            function: self.function_name(),
            d: self.d,
            n: self.n,
            distance: self.start.distance(),
            run: self.run,
            evaluations: 0,
            generations: 0,
            value: 0.0,
            off: 0.0,
            success: false,
            stop: String::new(),
            reused: 0.0,
            seconds: 0.0,
            trace: Vec::new(),
            path: Vec::new(),
        }
    }
}

impl Task for RunSpec {
    fn key(&self) -> String {
        let distance = self.start.distance();
        let peer = if self.solver.is_enes() { String::new() } else { format!("/{}", self.solver.name()) };
        let (Self { experiment, variant, d, n, run, .. }, function) = (self, self.function_name());
        format!("{experiment}/{variant}/{function}/d{d}/n{n}/at{distance:.4}/{run}{peer}")
    }

    fn weight(&self) -> f64 {
        if let Some(seconds) = self.seconds {
            return seconds;
        }
        let hard = if self.function == Function::Rosenbrock { 8.0 } else { 1.0 };
        let d = self.d as f64;
        let mixing = if self.refresh_rate < 1.0 { 1.0 } else { 3.0 };
        mixing * hard * (self.n as f64).powf(1.5) * d.powf(1.5)
    }

    fn seconds(&self) -> Option<f64> {
        self.seconds
    }

    fn execute(&self, plan: Plan, peers: Option<&Peers>) -> Result<RunRecord, ReproduceError> {
        let seed =
            plan.seed.wrapping_add_signed(self.seed_offset).wrapping_mul(100_003).wrapping_add(self.run);
        if let Some(program) = self.program {
            return program(self, seed);
        }
        let problem = Problem::new(self.function, self.d, seed)?;
        let start = match self.start {
            Start::Exactly(distance) => problem.start(distance),
            Start::OnAverage(distance) => problem.normal_start(distance),
            Start::Within(_) => vec![0.0; self.d],
        };
        let objective = Objective::new(&problem, self.perturbation, &start, self.sigma, seed);
        match (self.solver, peers) {
            (Solver::Enes, _) => self.execute_here(&problem, &objective, start, seed),
            (_, Some(peers)) => self.execute_there(&problem, &objective, &start, seed, peers),
            (_, None) => Err(ReproduceError::Usage("a run of pycma needs a peer".into())),
        }
    }
}

fn distance(a: &[f64], b: &[f64]) -> f64 {
    a.iter().zip(b).map(|(a, b)| (a - b).powi(2)).sum::<f64>().sqrt()
}

/// What came of a run: one JSON line.
#[derive(Clone, Debug, Deserialize, Serialize)]
pub(crate) struct RunRecord {
    pub(crate) key: String,
    pub(crate) experiment: String,
    pub(crate) variant: String,
    #[serde(default, skip_serializing_if = "Solver::is_enes")]
    pub(crate) solver: Solver,
    pub(crate) function: String,
    pub(crate) d: usize,
    pub(crate) n: usize,
    pub(crate) distance: f64,
    pub(crate) run: u64,
    pub(crate) evaluations: u64,
    pub(crate) generations: u64,
    pub(crate) value: f64,
    /// Distance of the best point from the optimum.
    pub(crate) off: f64,
    pub(crate) success: bool,
    pub(crate) stop: String,
    pub(crate) reused: f64,
    pub(crate) seconds: f64,
    /// Best value against evaluations, thinned; until the next entry it stays.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub(crate) trace: Vec<(u64, f64)>,
    /// Mean of every generation, and its factor where it is drawn.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub(crate) path: Vec<(Vec<f64>, Vec<f64>)>,
}

/// About `TRACE` entries, evenly spaced, the last one included.
pub(crate) fn thin(trace: Vec<(u64, f64)>) -> Vec<(u64, f64)> {
    let step = trace.len().div_ceil(TRACE).max(1);
    let last = trace.last().copied();
    let mut kept: Vec<_> = trace.into_iter().step_by(step).collect();
    if kept.last() != last.as_ref() {
        kept.extend(last);
    }
    kept
}

/// The entries at which the best value is another one.
fn improvements(mut trace: Vec<(u64, f64)>) -> Vec<(u64, f64)> {
    trace.dedup_by(|later, earlier| later.1 == earlier.1);
    trace
}
