//! The solver: one iteration is one generation.

use argmin::core::{
    CostFunction, Error, IterState, KV, Problem, SendAlias, Solver, SyncAlias, TerminationReason,
    TerminationStatus,
};
use argmin::kv;
use enes::{Direction, Optimizer, Settings, StopReason};

/// The state of argmin that the solver works on: a point, its value, nothing of derivatives.
pub type EnesState = IterState<Vec<f64>, (), (), (), (), f64>;

/// enes as a solver of argmin.
///
/// Where the state has a parameter vector, it is the start, in place of that of the settings; its target cost is the
/// target, where the settings have none. Budgets of the settings and `max_iters` of the state both hold.
#[derive(Clone, Debug)]
pub struct Enes {
    pub(crate) settings: Settings,
    /// None until the run begins.
    pub(crate) optimizer: Option<Optimizer>,
}

impl Enes {
    /// A solver with these settings, which are checked when the run begins. Time is argmin's: `Executor::timeout`.
    ///
    /// With [`Settings::noisy`] the result is the state's `param`, the mean, not its `best_param`, which is the luckiest
    /// one; and argmin looks at the luckiest value, too, so that a target belongs into the settings, not into the state.
    pub fn new(settings: Settings) -> Self {
        Self { settings, optimizer: None }
    }

    /// The optimizer as it is now: mean, deviations, model, restarts. None until the run has begun.
    pub fn optimizer(&self) -> Option<&Optimizer> {
        self.optimizer.as_ref()
    }

    /// Why the search has ended, in the library's words; none while it goes on, or where argmin ended it.
    pub fn stop_reason(&self) -> Option<&StopReason> {
        self.optimizer.as_ref().and_then(Optimizer::stop_reason)
    }

    fn started(&mut self) -> Result<&mut Optimizer, Error> {
        self.optimizer
            .as_mut()
            .ok_or_else(|| Error::msg("Enes: the solver must be initialised by an Executor"))
    }
}

impl<O> Solver<O, EnesState> for Enes
where
    O: CostFunction<Param = Vec<f64>, Output = f64> + SyncAlias,
    Vec<f64>: SendAlias + SyncAlias,
{
    fn name(&self) -> &str {
        "enes"
    }

    fn init(
        &mut self,
        _problem: &mut Problem<O>,
        mut state: EnesState,
    ) -> Result<(EnesState, Option<KV>), Error> {
        let mut settings = self.settings.clone();
        let summary = settings.summary();
        if summary.direction == Direction::Maximize {
            return Err(Error::msg(
                "direction must be Minimize: argmin minimizes a cost; let the cost be the negative value",
            ));
        }
        if summary.max_time.is_some() {
            return Err(Error::msg("max_time has no clock here: use `Executor::timeout` in its place"));
        }
        if let Some(x0) = state.take_param() {
            settings = settings.x0(x0);
        }
        if summary.target.is_none() && state.target_cost > f64::NEG_INFINITY {
            settings = settings.target(state.target_cost);
        }
        let optimizer = Optimizer::new(&settings)?;
        let start = optimizer.mean().to_vec();
        self.optimizer = Some(optimizer);
        // Nothing has been evaluated yet: the cost stays infinite.
        Ok((state.param(start), None))
    }

    fn next_iter(
        &mut self,
        problem: &mut Problem<O>,
        state: EnesState,
    ) -> Result<(EnesState, Option<KV>), Error> {
        let budget = self.settings.summary().max_evaluations;
        let es = self.started()?;
        let done = es.evaluations();
        let mut points: Vec<Vec<f64>> = es.ask().iter().map(<[f64]>::to_vec).collect();
        let asked = points.len();
        let left = budget.map_or(u64::MAX, |limit| limit.saturating_sub(done));
        points.truncate(usize::try_from(left).unwrap_or(usize::MAX));
        let values = problem.bulk_cost(&points)?;
        match points.len() == asked {
            true => es.tell(&values)?,
            false => {
                let limit = done + points.len() as u64;
                es.tell_and_stop(&values, StopReason::MaxEvaluations { evaluations: limit, limit })?;
            }
        }
        let told = kv!(
            "evaluations" => es.evaluations();
            "population" => es.population_size() as u64;
            "sigma" => (es.distribution().log_det() / es.distribution().dimension() as f64).exp();
            "mode" => es.model().map_or("ranks", |m| m.mode.name()).to_string();
            "error" => es.model().map_or(f64::NAN, |m| m.error);
            "restarts" => es.restarts().len() as u64;
        );
        // Under noise the best value is the luckiest one: the mean is the result, as soon as there is a value for it.
        let best = es.recommendation();
        Ok(match best {
            Some(best) => (state.param(best.point).cost(best.value), Some(told)),
            None => (state, Some(told)),
        })
    }

    fn terminate(&mut self, _state: &EnesState) -> TerminationStatus {
        let Some(reason) = self.stop_reason() else { return TerminationStatus::NotTerminated };
        TerminationStatus::Terminated(match reason {
            StopReason::Target { .. } => TerminationReason::TargetCostReached,
            StopReason::MaxGenerations { .. } => TerminationReason::MaxItersReached,
            StopReason::TolX { .. } | StopReason::TolFun { .. } | StopReason::TolFunHist { .. } => {
                TerminationReason::SolverConverged
            }
            other => TerminationReason::SolverExit(other.to_string()),
        })
    }
}
