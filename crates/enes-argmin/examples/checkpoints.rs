//! A fit with argmin's executor: an observer of one's own, a checkpoint every tenth generation.
//!
//! Run it twice: the second run finds the checkpoint of the first and has nothing left to do.
#![allow(clippy::print_stdout)]

use argmin::core::checkpointing::CheckpointingFrequency;
use argmin::core::observers::{Observe, ObserverMode};
use argmin::core::{CostFunction, Error, Executor, KV, State};
use argmin_checkpointing_file::FileCheckpoint;
use enes_argmin::{Enes, EnesState, Settings};

/// A decay, measured at these times.
struct Decay;

const TIMES: [f64; 6] = [0.0, 1.0, 2.0, 4.0, 8.0, 16.0];
const VALUES: [f64; 6] = [5.02, 3.91, 3.09, 2.02, 1.18, 0.79];

impl CostFunction for Decay {
    type Param = Vec<f64>;
    type Output = f64;

    /// The sum of squares of amplitude · exp(−rate · t) + floor against the values.
    fn cost(&self, x: &Vec<f64>) -> Result<f64, Error> {
        let model = |t: f64| x[0] * (-x[1] * t).exp() + x[2];
        Ok(TIMES.iter().zip(VALUES).map(|(t, v)| (model(*t) - v).powi(2)).sum())
    }
}

struct Print;

impl Observe<EnesState> for Print {
    fn observe_iter(&mut self, state: &EnesState, kv: &KV) -> Result<(), Error> {
        let word = |key: &str| kv.get(key).map_or_else(String::new, |v| v.as_string());
        println!(
            "generation {:>3}  {:>4} evaluations  best {:.6e}  {}",
            state.get_iter(),
            word("evaluations"),
            state.get_best_cost(),
            word("mode")
        );
        Ok(())
    }
}

fn main() -> Result<(), Error> {
    let folder = std::env::temp_dir().join("enes-argmin-example");
    let folder = folder.to_string_lossy().into_owned();
    let checkpoint = FileCheckpoint::new(folder, "decay".to_string(), CheckpointingFrequency::Every(10));
    // A rate is positive: it is searched by its logarithm.
    let settings = Settings::new([4.0, 0.1, 0.0], [1.0, 1.0, 0.5]).log_scale([false, true, false]).seed(1);
    let result = Executor::new(Decay, Enes::new(settings))
        .configure(|state| state.max_iters(200))
        .add_observer(Print, ObserverMode::Every(10))
        .checkpointing(checkpoint)
        .run()?;
    let state = result.state();
    println!("{}: {:?}, cost {:.6}", state.get_termination_status(), state.best_param, state.best_cost);
    Ok(())
}
