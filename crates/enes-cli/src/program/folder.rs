//! The run folder: settings, every evaluation as it lands, a record of each generation, a checkpoint.
//!
//! `evaluations.jsonl` is the truth: an evaluation has a number, its place in the run, so that a run can
//! be continued from any checkpoint, or from none, by replaying what is there.

use std::collections::HashMap;
use std::fs::{self, File};
use std::io;
use std::path::{Path, PathBuf};
use std::time::Duration;

use serde::{Deserialize, Serialize};

use super::evaluator::{Landed, Reply};
use super::intake::Intake;
use super::plan::{FORMAT, Plan, VERSION};
use crate::error::CommandError;
use crate::files::{append, open_lines, write_whole};

/// One evaluation: one JSON line.
#[derive(Clone, Debug, Deserialize, PartialEq, Serialize)]
pub(crate) struct Evaluation {
    pub(crate) id: u64,
    pub(crate) generation: u64,
    pub(crate) x: Vec<f64>,
    /// Null for a failure, where the value is infinite, and where an infeasible point has none.
    pub(crate) value: Option<f64>,
    /// `inf` or `-inf`, which JSON has no number for.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub(crate) infinite: Option<String>,
    /// By how much the point violates the constraints, where the program tells so; 0 or less is feasible.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub(crate) violation: Option<f64>,
    pub(crate) seconds: f64,
    pub(crate) failure: Option<String>,
}

impl Evaluation {
    pub(crate) fn new(landed: &Landed, generation: u64) -> Self {
        let (value, violation, failure) = match &landed.reply {
            Reply::Value(answer) => (Some(answer.value), answer.violation, None),
            Reply::Failure(reason) => (None, None, Some(reason.clone())),
            Reply::Interrupted => (None, None, Some("interrupted".into())),
        };
        Self {
            id: landed.task.id,
            generation,
            x: landed.task.x.clone(),
            value: value.filter(|v| v.is_finite()),
            infinite: value.filter(|v| v.is_infinite()).map(|v| v.to_string()),
            violation,
            seconds: landed.seconds,
            failure,
        }
    }

    /// The value as the optimizer gets it: NaN for a failure.
    pub(crate) fn number(&self) -> f64 {
        let infinite = self.infinite.as_deref().and_then(|t| t.parse().ok());
        self.value.or(infinite).unwrap_or(f64::NAN)
    }
}

/// One generation: one JSON line.
#[derive(Clone, Debug, Deserialize, Serialize)]
pub(crate) struct GenerationRecord {
    pub(crate) generation: u64,
    pub(crate) evaluations: u64,
    pub(crate) failures: u64,
    /// The best value of a feasible point.
    pub(crate) best: Option<f64>,
    /// The least violation, while no point was feasible.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub(crate) violation: Option<f64>,
    pub(crate) mean: Vec<f64>,
    pub(crate) stds: Vec<f64>,
    pub(crate) axes: Vec<f64>,
    /// Share of the generation that was kept from earlier ones, where the strategy does so.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub(crate) reused: Option<f64>,
    /// Trust in the regression and points in the archive, where the strategy has them.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub(crate) trust: Option<f64>,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub(crate) archive: Option<usize>,
    /// The mode of the generation, in runs with a surrogate; what the best surrogate predicts, and its error E, where
    /// there was one.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub(crate) mode: Option<String>,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub(crate) response: Option<String>,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub(crate) error: Option<f64>,
    /// Share of noise in the differences between values, where they have noise.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub(crate) noise: Option<f64>,
    /// Searches that had ended before this one.
    #[serde(default)]
    pub(crate) restarts: usize,
    pub(crate) seconds: f64,
}

const LOCK_TRIES: usize = 5;

/// An open run folder, locked for this process.
#[derive(Debug)]
pub(crate) struct RunFolder {
    root: PathBuf,
    evaluations_file: File,
    generations_file: File,
    /// By number.
    pub(crate) evaluations: HashMap<u64, Evaluation>,
    pub(crate) generations: Vec<GenerationRecord>,
    /// Points from outside.
    pub(crate) intake: Intake,
    _lock: File,
}

impl RunFolder {
    /// A new run in a folder that does not hold one.
    pub(crate) fn create(root: &Path, plan: &Plan) -> Result<Self, CommandError> {
        let unusable = |e: io::Error| failure(root, format!("{e}; choose another with --run"));
        fs::create_dir_all(root).map_err(unusable)?;
        if root.join("settings.json").exists() {
            let reason =
                "it holds a run already; continue it with `enes resume`, or choose another with --run";
            return Err(failure(root, reason.into()));
        }
        if fs::read_dir(root).map_err(unusable)?.next().is_some() {
            return Err(failure(
                root,
                "it is not empty and not one of ours; choose another with --run".into(),
            ));
        }
        let lock = take_lock(root)?;
        let text = serde_json::to_string_pretty(plan).map_err(io::Error::from)?;
        write_whole(&root.join("settings.json"), text).map_err(unusable)?;
        Self::open_files(root, lock)
    }

    /// A run that is there, and its plan.
    pub(crate) fn open(root: &Path) -> Result<(Self, Plan), CommandError> {
        let plan = Self::plan(root)?;
        let lock = take_lock(root)?;
        Ok((Self::open_files(root, lock)?, plan))
    }

    /// The plan of a run that is there; another process may be at it.
    pub(crate) fn plan(root: &Path) -> Result<Plan, CommandError> {
        let settings = root.join("settings.json");
        let text = fs::read_to_string(&settings).map_err(|e| {
            failure(root, format!("its settings.json cannot be read ({e}); is it the folder of a run?"))
        })?;
        let plan: Plan = serde_json::from_str(&text)
            .map_err(|e| failure(root, format!("its settings.json is damaged: {e}")))?;
        if plan.format != FORMAT || plan.version > VERSION {
            let (found, ours) = (plan.version, VERSION);
            return Err(failure(
                root,
                format!("it has version {found}, this program reads up to {ours}: update enes"),
            ));
        }
        if plan.is_outdated() {
            let reason = "it was begun by an earlier enes, which kept bounds in another way: its points cannot be \
                          continued; finish it with that version, or start a new run";
            return Err(failure(root, reason.into()));
        }
        Ok(plan)
    }

    /// Whether a process is at the run now.
    pub(crate) fn is_running(root: &Path) -> bool {
        File::open(root.join("lock")).is_ok_and(|lock| lock.try_lock_shared().is_err())
    }

    fn open_files(root: &Path, lock: File) -> Result<Self, CommandError> {
        let unusable = |e: io::Error| failure(root, e.to_string());
        let (evaluations_file, evaluations) =
            open_lines::<Evaluation>(&root.join("evaluations.jsonl")).map_err(unusable)?;
        let (generations_file, generations) =
            open_lines(&root.join("generations.jsonl")).map_err(unusable)?;
        let evaluations = evaluations.into_iter().map(|e| (e.id, e)).collect();
        Ok(Self {
            root: root.to_path_buf(),
            evaluations_file,
            generations_file,
            evaluations,
            generations,
            intake: Intake::open(root)?,
            _lock: lock,
        })
    }

    pub(crate) fn path(&self) -> &Path {
        &self.root
    }

    pub(crate) fn add_evaluation(&mut self, evaluation: Evaluation) -> Result<(), CommandError> {
        append(&mut self.evaluations_file, &evaluation).map_err(|e| self.full(&e))?;
        self.evaluations.insert(evaluation.id, evaluation);
        Ok(())
    }

    /// Replayed generations are there already.
    pub(crate) fn add_generation(&mut self, record: GenerationRecord) -> Result<(), CommandError> {
        if self.generations.last().is_none_or(|last| last.generation < record.generation) {
            append(&mut self.generations_file, &record).map_err(|e| self.full(&e))?;
            self.generations.push(record);
        }
        Ok(())
    }

    pub(crate) fn write(&self, name: &str, bytes: impl AsRef<[u8]>) -> Result<(), CommandError> {
        write_whole(&self.root.join(name), bytes).map_err(|e| self.full(&e))
    }

    pub(crate) fn checkpoint(&self) -> Option<Vec<u8>> {
        fs::read(self.root.join("checkpoint")).ok()
    }

    fn full(&self, error: &io::Error) -> CommandError {
        let reason = format!("{error}; make room and continue with `enes resume {}`", self.root.display());
        failure(&self.root, reason)
    }
}

pub(crate) fn failure(root: &Path, reason: String) -> CommandError {
    CommandError::Folder { folder: root.display().to_string(), reason }
}

/// The lock goes with the process, however it ends.
fn take_lock(root: &Path) -> Result<File, CommandError> {
    let lock = File::create(root.join("lock")).map_err(|e| failure(root, e.to_string()))?;
    for _ in 0..LOCK_TRIES {
        if lock.try_lock().is_ok() {
            return Ok(lock);
        }
        // `enes inject` looks at the lock for a moment.
        std::thread::sleep(Duration::from_millis(10));
    }
    Err(failure(root, "another enes is running in it; wait for it, or choose another with --run".into()))
}
