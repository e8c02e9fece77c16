//! One run of an experiment: what to run, and what came of it.

use std::ops::ControlFlow;

use enes::{Baseline, Run, Settings, Strategy};
use enes_problems::{Function, Problem};
use serde::{Deserialize, Serialize};

use super::Plan;

/// Points kept of a trace.
const TRACE: usize = 160;

/// Where a run starts.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(crate) enum Start {
    /// At exactly this distance from the optimum, in a random direction.
    Exactly(f64),
    /// Normally distributed around the optimum, at this distance on average (root mean square).
    OnAverage(f64),
}

impl Start {
    pub(crate) fn distance(self) -> f64 {
        match self {
            Self::Exactly(distance) | Self::OnAverage(distance) => distance,
        }
    }
}

/// What to run.
#[derive(Clone, Debug)]
pub(crate) struct RunSpec {
    pub(crate) experiment: &'static str,
    /// Tells apart what the other fields do not.
    pub(crate) variant: String,
    pub(crate) function: Function,
    pub(crate) d: usize,
    pub(crate) n: usize,
    pub(crate) start: Start,
    pub(crate) sigma: f64,
    pub(crate) refresh_rate: f64,
    pub(crate) baseline: Baseline,
    pub(crate) target: f64,
    pub(crate) max_evaluations: u64,
    pub(crate) run: u64,
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
            start: Start::Exactly(1.0),
            sigma: 1.0,
            refresh_rate: 0.01,
            baseline: Baseline::Block,
            target: function.target(),
            max_evaluations: 5_000_000,
            run,
            traced: false,
            path: false,
        }
    }

    pub(crate) fn key(&self) -> String {
        let distance = self.start.distance();
        format!(
            "{}/{}/{}/d{}/n{}/at{distance:.4}/{}",
            self.experiment, self.variant, self.function, self.d, self.n, self.run
        )
    }

    /// A rough idea of its cost, to tell the remaining time.
    pub(crate) fn weight(&self) -> f64 {
        let mixing = if self.refresh_rate < 1.0 { 1.0 } else { 3.0 };
        let hard = if self.function == Function::Rosenbrock { 8.0 } else { 1.0 };
        mixing * hard * (self.n as f64).powf(1.5) * (self.d as f64).powf(1.5)
    }

    /// Run it.
    pub(crate) fn execute(&self, plan: Plan) -> Result<RunRecord, crate::error::CommandError> {
        let seed = plan.seed.wrapping_mul(100_003).wrapping_add(self.run);
        let problem = Problem::new(self.function, self.d, seed)?;
        let start = match self.start {
            Start::Exactly(distance) => problem.start(distance),
            Start::OnAverage(distance) => problem.normal_start(distance),
        };
        let settings = Settings::new(start, self.sigma)
            .strategy(Strategy::Published)
            .population(self.n)
            .seed(seed)
            .refresh_rate(self.refresh_rate)
            .baseline(self.baseline)
            .target(self.target)
            .max_evaluations(self.max_evaluations);
        let mut trace = Vec::new();
        let mut path = Vec::new();
        let outcome = Run::new(&settings)
            .observe(|es| {
                if let (true, Some(best)) = (self.traced, es.best()) {
                    trace.push((es.evaluations(), best.value));
                }
                if self.path {
                    path.push((es.mean().to_vec(), es.distribution().factor().to_vec()));
                }
                ControlFlow::Continue(())
            })
            .minimize(|x| problem.evaluate(x))?;
        let optimum = problem.optimum();
        let squares = outcome.point.iter().zip(&optimum).map(|(a, b)| (a - b).powi(2));
        Ok(RunRecord {
            key: self.key(),
            experiment: self.experiment.to_string(),
            variant: self.variant.clone(),
            function: self.function.name().to_string(),
            d: self.d,
            n: self.n,
            distance: self.start.distance(),
            run: self.run,
            evaluations: outcome.evaluations,
            generations: outcome.generations,
            value: outcome.value,
            off: squares.sum::<f64>().sqrt(),
            success: outcome.stop.is_target(),
            stop: outcome.stop.name().to_string(),
            reused: outcome.reused_share,
            seconds: outcome.seconds,
            trace: thin(trace),
            path,
        })
    }
}

/// What came of a run: one JSON line.
#[derive(Clone, Debug, Deserialize, Serialize)]
pub(crate) struct RunRecord {
    pub(crate) key: String,
    pub(crate) experiment: String,
    pub(crate) variant: String,
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
    /// Best value against evaluations, thinned.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub(crate) trace: Vec<(u64, f64)>,
    /// Mean and factor of every generation.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub(crate) path: Vec<(Vec<f64>, Vec<f64>)>,
}

/// About `TRACE` entries, evenly spaced, the last one included.
fn thin(trace: Vec<(u64, f64)>) -> Vec<(u64, f64)> {
    let step = trace.len().div_ceil(TRACE).max(1);
    let last = trace.last().copied();
    let mut kept: Vec<_> = trace.into_iter().step_by(step).collect();
    if kept.last() != last.as_ref() {
        kept.extend(last);
    }
    kept
}
