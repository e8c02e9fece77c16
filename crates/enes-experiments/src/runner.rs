//! Runs what is missing, several at a time, and tells how long it will take.

use std::io::IsTerminal;
use std::sync::Mutex;
use std::sync::atomic::{AtomicBool, Ordering};
use std::time::{Duration, Instant};

use rayon::prelude::*;

use crate::error::ReproduceError;
use crate::folder::Folder;
use crate::peer::Peers;
use crate::plan::Plan;
use crate::run::RunRecord;
use crate::terminal::{live, words};

/// A run that a folder may lack.
pub(crate) trait Task: Sync {
    /// Its name in the records.
    fn key(&self) -> String;
    /// A rough idea of its cost, to tell the remaining time.
    fn weight(&self) -> f64;
    /// What it is expected to take; `None`: no idea but the weight.
    fn seconds(&self) -> Option<f64>;
    fn execute(&self, plan: Plan, peers: Option<&Peers>) -> Result<RunRecord, ReproduceError>;
}

/// Run every specification whose record is not in the folder yet. `jobs` 0: one per core.
pub(crate) fn run_missing<T: Task>(
    specs: &[T],
    folder: &mut Folder,
    peers: Option<&Peers>,
    jobs: usize,
    quiet: bool,
) -> Result<(), ReproduceError> {
    let plan = folder.plan();
    let mut missing: Vec<&T> = specs.iter().filter(|s| !folder.has(&s.key())).collect();
    // The longest first, so that no core idles at the end.
    missing.sort_by(|a, b| b.weight().total_cmp(&a.weight()));
    if !quiet && missing.len() < specs.len() {
        words(&format!("{} of {} runs are there already", specs.len() - missing.len(), specs.len()));
    }
    let total = missing.iter().map(|s| s.weight()).sum();
    let expected: Option<f64> = missing.iter().map(|s| s.seconds()).sum();
    if let Some(seconds) = expected.filter(|seconds| !quiet && *seconds > 0.0) {
        let jobs = if jobs > 0 { jobs } else { std::thread::available_parallelism().map_or(1, usize::from) };
        words(&format!(
            "{} runs, about {} min with {jobs} at a time",
            missing.len(),
            (seconds / 60.0 / jobs as f64).ceil()
        ));
    }
    let progress = Progress::new("runs", missing.len(), total, quiet);
    let state = Mutex::new((folder, progress));
    let failed = AtomicBool::new(false);
    let pool = rayon::ThreadPoolBuilder::new()
        .num_threads(jobs)
        .build()
        .map_err(|e| ReproduceError::Threads { jobs, reason: e.to_string() })?;
    pool.install(|| {
        // One at a time from the front of the list, whichever thread is free.
        missing.par_iter().with_max_len(1).try_for_each(|spec| -> Result<(), ReproduceError> {
            if failed.load(Ordering::Relaxed) {
                return Ok(()); // another run could not be recorded: the error is on its way
            }
            let record = spec.execute(plan, peers)?;
            let mut state = state.lock().unwrap_or_else(|poisoned| poisoned.into_inner());
            let (folder, progress) = &mut *state;
            folder.add_run(record).inspect_err(|_| failed.store(true, Ordering::Relaxed))?;
            progress.advance(spec.weight());
            Ok(())
        })
    })
}

/// A bar with the remaining time on a terminal; a line every tenth elsewhere.
pub(crate) struct Progress {
    what: &'static str,
    count: usize,
    total: f64,
    done: f64,
    done_count: usize,
    started: Instant,
    drawn: Option<Instant>,
    terminal: bool,
    quiet: bool,
    tenth: usize,
}

impl Progress {
    pub(crate) fn new(what: &'static str, count: usize, total: f64, quiet: bool) -> Self {
        let terminal = std::io::stderr().is_terminal();
        Self {
            what,
            count,
            total,
            done: 0.0,
            done_count: 0,
            started: Instant::now(),
            drawn: None,
            terminal,
            quiet,
            tenth: 0,
        }
    }

    pub(crate) fn advance(&mut self, weight: f64) {
        self.done += weight;
        self.done_count += 1;
        if self.quiet {
            return;
        }
        let last = self.done_count == self.count;
        if self.terminal {
            let due = self.drawn.is_none_or(|t| t.elapsed() > Duration::from_millis(100));
            if due || last {
                live(&self.line());
                if last {
                    words("");
                }
                self.drawn = Some(Instant::now());
            }
        } else if 10 * self.done_count / self.count > self.tenth {
            self.tenth = 10 * self.done_count / self.count;
            words(&self.line());
        }
    }

    fn line(&self) -> String {
        let share = if self.total > 0.0 { self.done / self.total } else { 1.0 };
        let filled = (30.0 * share).round() as usize;
        let elapsed = self.started.elapsed().as_secs_f64();
        let remaining = elapsed * (1.0 - share) / share.max(1e-9);
        format!(
            "[{}{}] {}/{} {}, {} gone, {} to go",
            "#".repeat(filled.min(30)),
            ".".repeat(30 - filled.min(30)),
            self.done_count,
            self.count,
            self.what,
            clock(elapsed),
            clock(remaining)
        )
    }
}

fn clock(seconds: f64) -> String {
    let seconds = seconds.round() as u64;
    format!("{}:{:02}", seconds / 60, seconds % 60)
}
