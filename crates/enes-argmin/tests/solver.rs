//! The solver in argmin's executor: the library's own run, observers, checkpoints, budgets, refusals.

use std::path::PathBuf;
use std::sync::atomic::{AtomicU64, Ordering};
use std::sync::{Arc, Mutex};

use argmin::core::checkpointing::CheckpointingFrequency;
use argmin::core::observers::{Observe, ObserverMode};
use argmin::core::{CostFunction, Error, Executor, KV, State, TerminationReason};
use argmin_checkpointing_file::FileCheckpoint;
use enes_argmin::enes::{Direction, StopReason};
use enes_argmin::{Enes, EnesState, Settings};

fn rosenbrock(x: &[f64]) -> f64 {
    x.windows(2).map(|w| 100.0 * (w[1] - w[0] * w[0]).powi(2) + (1.0 - w[0]).powi(2)).sum()
}

/// Rosenbrock's function, which counts, and fails at this evaluation.
#[derive(Clone)]
struct Rosenbrock {
    count: Arc<AtomicU64>,
    fails_at: u64,
}

impl Rosenbrock {
    fn new() -> Self {
        Self { count: Arc::default(), fails_at: u64::MAX }
    }
}

impl CostFunction for Rosenbrock {
    type Param = Vec<f64>;
    type Output = f64;

    fn cost(&self, x: &Vec<f64>) -> Result<f64, Error> {
        match self.count.fetch_add(1, Ordering::Relaxed) + 1 {
            count if count == self.fails_at => Err(Error::msg("the simulator crashed")),
            _ => Ok(rosenbrock(x)),
        }
    }
}

fn settings() -> Settings {
    Settings::new([-1.0, 2.0, 0.5], 0.5).seed(3)
}

#[test]
fn the_run_is_the_librarys_own() {
    let outcome = enes_argmin::enes::minimize(&settings().target(1e-9), rosenbrock).unwrap();
    let problem = Rosenbrock::new();
    let executor = Executor::new(problem.clone(), Enes::new(settings().target(1e-9)));
    let result = executor.configure(|state| state.counting(true)).run().unwrap();
    let state = result.state();
    assert_eq!(state.best_param.as_ref(), Some(&outcome.point));
    assert_eq!(state.best_cost, outcome.value);
    assert_eq!(state.get_iter(), outcome.generations);
    assert_eq!(problem.count.load(Ordering::Relaxed), outcome.evaluations);
    assert_eq!(state.get_func_counts()["cost_count"], outcome.evaluations);
    assert_eq!(state.get_termination_reason(), Some(&TerminationReason::TargetCostReached));
    assert_eq!(result.solver().stop_reason(), Some(&outcome.stop));
}

#[test]
fn start_and_target_may_be_those_of_the_state() {
    let start = vec![2.0, -1.0, 0.0];
    let from_settings =
        enes_argmin::enes::minimize(&settings().x0(start.clone()).target(1e-6), rosenbrock).unwrap();
    let executor = Executor::new(Rosenbrock::new(), Enes::new(settings()));
    let result = executor.configure(|state| state.param(start).target_cost(1e-6)).run().unwrap();
    assert_eq!(result.state().best_param.as_ref(), Some(&from_settings.point));
}

#[derive(Clone, Default)]
struct Notes(Arc<Mutex<Vec<(u64, f64, KV)>>>);

impl Observe<EnesState> for Notes {
    fn observe_iter(&mut self, state: &EnesState, kv: &KV) -> Result<(), Error> {
        self.0.lock().unwrap().push((state.get_iter(), state.get_best_cost(), kv.clone()));
        Ok(())
    }
}

#[test]
fn observers_see_every_generation_and_what_moves_it() {
    let notes = Notes::default();
    let executor = Executor::new(Rosenbrock::new(), Enes::new(settings()));
    let executor = executor.configure(|state| state.max_iters(15));
    let result = executor.add_observer(notes.clone(), ObserverMode::Always).run().unwrap();
    assert_eq!(result.state().get_termination_reason(), Some(&TerminationReason::MaxItersReached));
    let notes = notes.0.lock().unwrap();
    assert_eq!(notes.len(), 15);
    assert!(notes.windows(2).all(|w| w[1].1 <= w[0].1));
    let last = &notes[14].2;
    let counted = result.solver().optimizer().unwrap().evaluations();
    assert_eq!(last.get("evaluations").unwrap().get_uint(), Some(counted));
    assert!(last.get("sigma").unwrap().get_float().unwrap() > 0.0);
    assert_eq!(last.get("restarts").unwrap().get_uint(), Some(0));
    assert!(["surrogate", "assisting", "ranks"].contains(&last.get("mode").unwrap().as_string().as_str()));
}

#[test]
fn a_run_that_continues_from_a_checkpoint_is_the_same() {
    let folder = PathBuf::from(env!("CARGO_TARGET_TMPDIR")).join(format!("argmin-{}", std::process::id()));
    let folder = folder.to_str().unwrap();
    let _ = std::fs::remove_dir_all(folder);
    let whole = Executor::new(Rosenbrock::new(), Enes::new(settings().target(1e-9))).run().unwrap();
    let run = |problem: Rosenbrock| {
        let checkpoint = FileCheckpoint::new(folder, "rosenbrock", CheckpointingFrequency::Always);
        Executor::new(problem, Enes::new(settings().target(1e-9))).checkpointing(checkpoint).run()
    };
    let crash = run(Rosenbrock { fails_at: 100, ..Rosenbrock::new() }).err().unwrap();
    assert_eq!(crash.to_string(), "the simulator crashed");
    let rest = Rosenbrock::new();
    let result = run(rest.clone()).unwrap();
    assert_eq!(result.state().best_param, whole.state().best_param);
    assert_eq!(result.state().get_iter(), whole.state().get_iter());
    let all = whole.solver().optimizer().unwrap().evaluations();
    assert!(rest.count.load(Ordering::Relaxed) + 90 < all, "it went on, and did not begin anew");
    let damaged = std::path::Path::new(folder).join("rosenbrock.arg");
    let mut bytes = std::fs::read(&damaged).unwrap();
    let middle = bytes.len() / 2;
    bytes[middle] ^= 0xff;
    std::fs::write(&damaged, bytes).unwrap();
    assert!(run(Rosenbrock::new()).is_err());
    std::fs::remove_dir_all(folder).unwrap();
}

#[test]
fn a_budget_is_exact_and_the_reason_is_a_sentence() {
    let problem = Rosenbrock::new();
    let executor = Executor::new(problem.clone(), Enes::new(settings().max_evaluations(33)));
    let result = executor.run().unwrap();
    assert_eq!(problem.count.load(Ordering::Relaxed), 33);
    let Some(TerminationReason::SolverExit(text)) = result.state().get_termination_reason() else {
        panic!("{:?}", result.state());
    };
    assert!(text.contains("33 of 33 evaluations"), "{text}");
}

#[test]
fn a_search_that_converges_says_so_in_argmins_words() {
    let result = Executor::new(Rosenbrock::new(), Enes::new(settings().tolx(1e-3))).run().unwrap();
    assert!(matches!(result.solver().stop_reason(), Some(StopReason::TolX { .. })));
    assert_eq!(result.state().get_termination_reason(), Some(&TerminationReason::SolverConverged));
}

#[test]
fn what_cannot_be_used_is_refused_with_the_remedy() {
    let refused = |settings: Settings| {
        Executor::new(Rosenbrock::new(), Enes::new(settings)).run().err().unwrap().to_string()
    };
    assert!(refused(settings().sigma0(-1.0)).contains("sigma0"));
    assert!(refused(settings().direction(Direction::Maximize)).contains("negative value"));
    assert!(refused(settings().max_time(std::time::Duration::from_secs(1))).contains("Executor::timeout"));
    let executor = Executor::new(Rosenbrock::new(), Enes::new(settings()));
    let short = executor.configure(|state| state.param(vec![f64::NAN; 3])).run().err().unwrap();
    assert!(short.to_string().contains("x0"), "{short}");
}
