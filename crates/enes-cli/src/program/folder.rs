//! The run folder: settings, every evaluation as it lands, a record of each generation, a checkpoint.
//!
//! `evaluations.jsonl` is the truth: an evaluation has a number, its place in the run, so that a run can
//! be continued from any checkpoint, or from none, by replaying what is there. It is on the disk before any checkpoint
//! that presupposes it, and a checkpoint names what it presupposes (`checkpoint.json`): where the record has less, or
//! something else, the checkpoint is left aside and what is missing is evaluated again.

use std::ffi::OsStr;
use std::fs::{self, File};
use std::io;
use std::path::{Path, PathBuf};
use std::time::Duration;

use serde::{Deserialize, Serialize};

use super::intake::Intake;
use super::plan::{Plan, SEALED, read_plan, sealed_text};
use super::record::{Evaluation, Record};
use super::saved;
use crate::display::words;
use crate::error::CommandError;
use crate::files::{append, from_slice, open_lines, refuse_special, sync_folder, write_whole};

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
    /// Points of a generation, λ; 0 in records of 0.1.
    #[serde(default)]
    pub(crate) population: usize,
    pub(crate) mean: Vec<f64>,
    pub(crate) stds: Vec<f64>,
    pub(crate) axes: Vec<f64>,
    /// The geometric mean of the axes.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub(crate) sigma: Option<f64>,
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

/// What 0.1 left of a run that died before it had settings.
const LEFTOVERS: [&str; 2] = ["lock", "settings.part"];

fn is_leftover(name: &OsStr) -> bool {
    LEFTOVERS.iter().any(|leftover| name == *leftover)
}

/// An open run folder, locked for this process.
#[derive(Debug)]
pub(crate) struct RunFolder {
    root: PathBuf,
    pub(crate) record: Record,
    sealed: bool,
    generations_file: File,
    /// The generation that was recorded last.
    pub(crate) latest: Option<GenerationRecord>,
    /// Points from outside.
    pub(crate) intake: Intake,
    _lock: File,
}

impl RunFolder {
    /// A new run in a folder that does not hold one. It appears whole: a death on the way leaves nothing there.
    pub(crate) fn create(root: &Path, plan: &Plan) -> Result<Self, CommandError> {
        let unusable = |e: io::Error| failure(root, format!("{e}; choose another with --run"));
        if root.join("settings.json").exists() {
            let reason =
                "it holds a run already; continue it with `enes resume`, or choose another with --run";
            return Err(failure(root, reason.into()));
        }
        let empty = match fs::read_dir(root) {
            Ok(mut entries) => entries.all(|entry| entry.is_ok_and(|e| is_leftover(&e.file_name()))),
            Err(e) if e.kind() == io::ErrorKind::NotFound => true,
            Err(e) => return Err(unusable(e)),
        };
        if !empty {
            return Err(failure(
                root,
                "it is not empty and not one of ours; choose another with --run".into(),
            ));
        }
        for name in LEFTOVERS {
            let _ = fs::remove_file(root.join(name));
        }
        let parent = root.parent().filter(|p| !p.as_os_str().is_empty()).unwrap_or(Path::new("."));
        let name = root.file_name().unwrap_or_default().to_string_lossy();
        let begun = parent.join(format!(".{name}.{}.part", std::process::id()));
        let lock = Self::begin(&begun, plan).map_err(unusable)?;
        // Over an empty folder, too; the lock goes along.
        if let Err(error) = fs::rename(&begun, root).and_then(|()| sync_folder(Some(parent))) {
            let _ = fs::remove_dir_all(&begun);
            return Err(unusable(error));
        }
        Self::open_files(root, lock, true)
    }

    /// A folder with the plan of a run and its lock.
    fn begin(folder: &Path, plan: &Plan) -> io::Result<File> {
        let _ = fs::remove_dir_all(folder); // of a process that had the same number and died
        fs::create_dir_all(folder)?;
        let lock = File::create_new(folder.join("lock"))?;
        lock.try_lock().map_err(io::Error::from)?;
        write_whole(&folder.join("settings.json"), sealed_text(plan)?)?;
        Ok(lock)
    }

    /// A run that is there, and its plan.
    pub(crate) fn open(root: &Path) -> Result<(Self, Plan), CommandError> {
        let plan = Self::plan(root)?;
        let lock = take_lock(root)?;
        Ok((Self::open_files(root, lock, plan.version >= SEALED)?, plan))
    }

    /// The plan of a run that is there; another process may be at it.
    pub(crate) fn plan(root: &Path) -> Result<Plan, CommandError> {
        let settings = root.join("settings.json");
        let text = fs::read_to_string(&settings).map_err(|e| {
            failure(root, format!("its settings.json cannot be read ({e}); is it the folder of a run?"))
        })?;
        let plan = read_plan(&text).map_err(|reason| failure(root, reason))?;
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

    fn open_files(root: &Path, lock: File, sealed: bool) -> Result<Self, CommandError> {
        let told = saved::evaluations(root);
        let record = open_record(root, sealed, told)?;
        let mut latest = None;
        let generations = open_lines(&root.join("generations.jsonl"), sealed, |line, _| {
            latest = Some(from_slice(line)?);
            Ok(())
        });
        if record.torn > 0 {
            words(&format!(
                "the last line of evaluations.jsonl had no end ({} bytes) and was cut off; its evaluation is made again if the run goes on",
                record.torn
            ));
        }
        Ok(Self {
            root: root.to_path_buf(),
            record,
            sealed,
            generations_file: generations.map_err(|e| unusable(root, &e))?.file,
            latest,
            intake: Intake::open(root)?,
            _lock: lock,
        })
    }

    pub(crate) fn path(&self) -> &Path {
        &self.root
    }

    pub(crate) fn add_evaluation(&mut self, evaluation: Evaluation) -> Result<(), CommandError> {
        self.record.add(evaluation).map_err(|e| self.full(&e))
    }

    /// Replayed generations are there already.
    pub(crate) fn add_generation(&mut self, record: GenerationRecord) -> Result<(), CommandError> {
        self.record.told(record.evaluations);
        if self.latest.as_ref().is_none_or(|last| last.generation < record.generation) {
            append(&mut self.generations_file, &record).map_err(|e| self.full(&e))?;
            self.latest = Some(record);
        }
        Ok(())
    }

    pub(crate) fn write(&self, name: &str, bytes: impl AsRef<[u8]>) -> Result<(), CommandError> {
        write_whole(&self.root.join(name), bytes).map_err(|e| self.full(&e))
    }

    /// The plan has other limits now: who goes on without naming any has these.
    pub(crate) fn keep_limits(&self, plan: &Plan) -> Result<(), CommandError> {
        // A folder of an older build stays one.
        if !self.sealed {
            return Ok(());
        }
        self.write("settings.json", sealed_text(plan).map_err(|e| self.full(&e))?)
    }

    /// The search begins anew: it will be told every evaluation again.
    pub(crate) fn replay_from_the_start(&mut self) -> Result<(), CommandError> {
        self.record = open_record(&self.root, self.sealed, 0)?;
        Ok(())
    }

    pub(super) fn full(&self, error: &io::Error) -> CommandError {
        let remedy = match self.root.is_dir() {
            true => format!("make room and continue with `enes resume {}`", self.root.display()),
            false => "the folder is gone: somebody has moved or deleted it, and the run ends".to_string(),
        };
        failure(&self.root, format!("{error}; {remedy}"))
    }
}

pub(crate) fn failure(root: &Path, reason: String) -> CommandError {
    CommandError::Folder { folder: root.display().to_string(), reason }
}

fn open_record(root: &Path, sealed: bool, told: u64) -> Result<Record, CommandError> {
    Record::open(&root.join("evaluations.jsonl"), sealed, told).map_err(|e| unusable(root, &e))
}

/// A file that cannot be used, and the remedy where it is damaged.
fn unusable(root: &Path, e: &io::Error) -> CommandError {
    let remedy = match e.to_string().contains("is damaged") {
        true => {
            format!(
                "; nothing was changed: restore the file from a copy, or `enes repair {}`",
                root.display()
            )
        }
        false => String::new(),
    };
    failure(root, format!("{e}{remedy}"))
}

/// The lock goes with the process, however it ends.
fn take_lock(root: &Path) -> Result<File, CommandError> {
    let path = root.join("lock");
    let open = || fs::OpenOptions::new().create(true).write(true).truncate(false).open(&path);
    let lock = refuse_special(&path).and_then(|()| open()).map_err(|e| failure(root, e.to_string()))?;
    for _ in 0..LOCK_TRIES {
        if lock.try_lock().is_ok() {
            return Ok(lock);
        }
        // `enes inject` looks at the lock for a moment.
        std::thread::sleep(Duration::from_millis(10));
    }
    Err(failure(root, "another enes is running in it; wait for its end, or end it with Ctrl-C".into()))
}
