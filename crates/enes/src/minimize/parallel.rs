//! The loops on several threads: asynchronous, each thread with a point of its own, and in whole generations.

use std::any::Any;
use std::panic::{AssertUnwindSafe, catch_unwind, resume_unwind};
use std::sync::mpsc::{Receiver, Sender, channel};
use std::sync::{Mutex, PoisonError};
use std::thread;
use std::time::Instant;

use rayon::prelude::*;

use super::{Run, pool};
use crate::error::SettingsError;
use crate::optimizer::{Optimizer, Proposal};
use crate::outcome::Outcome;
use crate::settings::{Settings, Strategy};
use crate::stopping::StopReason;

/// Minimize an objective on several threads (0: as many as the machine has cores), none of which waits for another:
/// where evaluations take different times, all of them are busy.
///
/// Which values come back first decides how the run goes on, so with more than one thread two runs differ. Use
/// [`minimize_parallel_sync`] for runs that repeat. With one thread it is the run of [`minimize`](crate::minimize). The
/// published strategy needs whole generations and gets them.
///
/// # Errors
/// A setting that cannot be used, or threads that could not be started.
///
/// ```
/// let settings = enes::Settings::new([3.0; 4], 1.0).target(1e-8);
/// let outcome = enes::minimize_parallel(&settings, 2, |x| x.iter().map(|v| v * v).sum())?;
/// assert!(outcome.value <= 1e-8);
/// # Ok::<(), enes::SettingsError>(())
/// ```
pub fn minimize_parallel(
    settings: &Settings,
    threads: usize,
    objective: impl Fn(&[f64]) -> f64 + Sync,
) -> Result<Outcome, SettingsError> {
    Run::new(settings).minimize_parallel(threads, objective)
}

/// Minimize an objective on several threads (0: as many as the machine has cores) in whole generations, each of which
/// waits for its slowest point. The number of threads never changes the run.
///
/// # Errors
/// A setting that cannot be used, or threads that could not be started.
///
/// ```
/// let settings = enes::Settings::new([3.0; 4], 1.0);
/// let sphere = |x: &[f64]| x.iter().map(|v| v * v).sum();
/// let outcome = enes::minimize_parallel_sync(&settings, 2, sphere)?;
/// assert_eq!(outcome.value, enes::minimize(&settings, sphere)?.value);
/// # Ok::<(), enes::SettingsError>(())
/// ```
pub fn minimize_parallel_sync(
    settings: &Settings,
    threads: usize,
    objective: impl Fn(&[f64]) -> f64 + Sync,
) -> Result<Outcome, SettingsError> {
    Run::new(settings).minimize_parallel_sync(threads, objective)
}

/// What came of a point.
type Landed = (u64, Result<f64, Box<dyn Any + Send>>);

impl Run<'_> {
    /// Evaluate on several threads (0: as many as the machine has cores), none of which waits for another.
    ///
    /// # Errors
    /// A setting that cannot be used, or threads that could not be started.
    pub fn minimize_parallel(
        self,
        threads: usize,
        objective: impl Fn(&[f64]) -> f64 + Sync,
    ) -> Result<Outcome, SettingsError> {
        if self.settings.summary().strategy == Strategy::Published {
            return self.minimize_parallel_sync(threads, objective);
        }
        let threads =
            if threads > 0 { threads } else { thread::available_parallelism().map_or(1, usize::from) };
        if threads == 1 {
            return self.minimize(objective);
        }
        super::Beside::Nothing.check(self.settings)?;
        let optimizer = Optimizer::new(self.settings)?;
        let (tasks, queue) = channel::<Proposal>();
        let (sender, landed) = channel::<Landed>();
        let queue = Mutex::new(queue);
        thread::scope(|scope| {
            for _ in 0..threads {
                let (queue, sender, objective) = (&queue, sender.clone(), &objective);
                let started =
                    thread::Builder::new().spawn_scoped(scope, move || serve(queue, &sender, objective));
                started.map_err(|e| SettingsError::Threads { threads, reason: e.to_string() })?;
            }
            // The queue ends with this call, and with it the threads.
            Ok(self.follow(optimizer, threads, tasks, &landed))
        })
    }

    /// Hand out a point to each free thread, and tell what comes back.
    fn follow(
        mut self,
        mut optimizer: Optimizer,
        threads: usize,
        tasks: Sender<Proposal>,
        landed: &Receiver<Landed>,
    ) -> Outcome {
        let start = Instant::now();
        loop {
            while optimizer.in_flight().len() < threads {
                let proposal = optimizer.ask_one().expect("invariant: the strategy is the adaptive one");
                let Some(proposal) = proposal else { break };
                tasks.send(proposal).expect("invariant: the threads wait for the end of the queue");
            }
            let first =
                landed.recv().expect("invariant: something is in flight until there is a reason to stop");
            // All that is there is told before more is asked: the next points know of it.
            for (id, value) in std::iter::once(first).chain(landed.try_iter()) {
                let value = match value {
                    Ok(value) => value,
                    Err(panic) => {
                        drop(tasks);
                        resume_unwind(panic)
                    }
                };
                let before = optimizer.generation();
                optimizer.tell_one(id, value).expect("invariant: each point comes back once");
                let asked_to_stop =
                    (optimizer.generation() > before).then(|| self.notify(&optimizer)).flatten();
                let seconds = start.elapsed().as_secs_f64();
                let stop: Option<StopReason> = optimizer.stop_reason().cloned().or(asked_to_stop);
                if let Some(stop) = stop.or_else(|| self.time_is_up(seconds)) {
                    return Outcome::new(&optimizer, stop, seconds);
                }
            }
        }
    }

    /// Evaluate whole generations on several threads (0: as many as the machine has cores).
    ///
    /// # Errors
    /// A setting that cannot be used, or threads that could not be started.
    pub fn minimize_parallel_sync(
        self,
        threads: usize,
        objective: impl Fn(&[f64]) -> f64 + Sync,
    ) -> Result<Outcome, SettingsError> {
        let pool = pool(threads)?;
        self.minimize_batch(|points, values| {
            let rows = points.as_slice().par_chunks_exact(points.dimension());
            pool.install(|| {
                rows.zip(values.par_iter_mut()).for_each(|(x, value)| *value = objective(x));
            });
        })
    }
}

/// One thread: take a point, evaluate it, hand back what came of it.
fn serve(queue: &Mutex<Receiver<Proposal>>, sender: &Sender<Landed>, objective: &impl Fn(&[f64]) -> f64) {
    loop {
        let task = queue.lock().unwrap_or_else(PoisonError::into_inner).recv();
        let Ok(Proposal { id, point, .. }) = task else { return };
        let value = catch_unwind(AssertUnwindSafe(|| objective(&point)));
        if sender.send((id, value)).is_err() {
            return;
        }
    }
}
