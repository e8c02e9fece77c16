//! The checkpoint of a run folder: what it presupposes, and whether it can be used.
//!
//! It saves time, no evaluations: one that cannot be used is left aside with a word, and the record is replayed.

use std::fs;
use std::path::Path;

use enes::{CheckpointError, Optimizer, Settings};
use serde::{Deserialize, Serialize};

use super::folder::RunFolder;
use crate::error::CommandError;
use crate::files;

/// What a checkpoint presupposes: `checkpoint.json`.
#[derive(Clone, Debug, Deserialize, PartialEq, Serialize)]
struct Presupposed {
    /// Evaluations 0 to this one, and a checksum of theirs.
    evaluations: u64,
    record: String,
    /// The checksum of the checkpoint itself.
    checkpoint: String,
}

impl Presupposed {
    fn belongs_to(&self, checkpoint: &[u8]) -> bool {
        self.checkpoint == format!("{:016x}", files::checksum(checkpoint))
    }
}

/// What the checkpoint of a folder says that it presupposes; nothing where that is damaged.
fn presupposed(root: &Path) -> Option<Presupposed> {
    let text = fs::read_to_string(root.join("checkpoint.json")).ok()?;
    files::is_sound_object(&text).then(|| serde_json::from_str(&text).ok())?
}

/// How many evaluations the checkpoint of a folder knows.
pub(super) fn evaluations(root: &Path) -> u64 {
    presupposed(root).map_or(0, |said| said.evaluations)
}

/// What a file of a checkpoint is worth.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(crate) enum Worth {
    Sound,
    /// `checkpoint.json` of an earlier checkpoint: a kill came between the two, and nothing is damaged.
    Outdated,
    Damaged,
}

/// What the files of a checkpoint are worth, by name; one of another version is sound.
pub(crate) fn files(root: &Path) -> Vec<(&'static str, Worth)> {
    let mut files = Vec::new();
    let bytes = fs::read(root.join("checkpoint")).ok();
    if let Some(bytes) = &bytes {
        use CheckpointError::{NewerVersion, OlderVersion};
        let worth = match Optimizer::from_checkpoint(bytes) {
            Ok(_) | Err(NewerVersion { .. } | OlderVersion { .. }) => Worth::Sound,
            Err(_) => Worth::Damaged,
        };
        files.push(("checkpoint", worth));
    }
    if root.join("checkpoint.json").exists() {
        let damaged = files.iter().any(|(_, worth)| *worth == Worth::Damaged);
        let belongs = |said: &Presupposed| bytes.as_ref().is_some_and(|bytes| said.belongs_to(bytes));
        let worth = match presupposed(root) {
            None => Worth::Damaged,
            Some(said) if damaged || belongs(&said) => Worth::Sound,
            Some(_) => Worth::Outdated,
        };
        files.push(("checkpoint.json", worth));
    }
    files
}

impl RunFolder {
    /// Write a checkpoint of a run that has told so many evaluations: first they are on the disk, then it is.
    pub(crate) fn write_checkpoint(&mut self, bytes: &[u8], evaluations: u64) -> Result<(), CommandError> {
        self.record.sync().map_err(|e| self.full(&e))?;
        let presupposed = Presupposed {
            evaluations,
            record: format!("{:016x}", self.record.sum_of(evaluations).unwrap_or(0)),
            checkpoint: format!("{:016x}", files::checksum(bytes)),
        };
        let text = serde_json::to_string(&presupposed).map_err(|e| self.full(&e.into()))?;
        self.write("checkpoint", bytes)?;
        self.write("checkpoint.json", files::sealed_object(&text))
    }

    /// The search of the checkpoint with these settings; none where there is no checkpoint, and why not where it cannot
    /// be used: the record must have all that it presupposes.
    pub(crate) fn saved(&self, settings: &Settings) -> Result<Option<Optimizer>, String> {
        let Ok(bytes) = fs::read(self.path().join("checkpoint")) else { return Ok(None) };
        let mut es =
            Optimizer::from_checkpoint(&bytes).map_err(|_| "it is damaged, or of another version")?;
        let said = presupposed(self.path()).ok_or("checkpoint.json is missing or damaged")?;
        if !said.belongs_to(&bytes) {
            return Err("checkpoint.json belongs to another one, as after a kill".into());
        }
        let sum = self.record.sum_of(said.evaluations).map(|sum| format!("{sum:016x}"));
        if sum != Some(said.record) {
            return Err("it presupposes evaluations that evaluations.jsonl does not have".into());
        }
        es.change_limits(|_| settings.clone()).map_err(|e| e.to_string())?;
        if es.settings() != settings {
            return Err("it has other settings than settings.json".into());
        }
        // Generations that have vanished are told again.
        if self.latest.as_ref().map_or(0, |g| g.generation) < es.generation() {
            return Err("it is ahead of generations.jsonl".into());
        }
        Ok(Some(es))
    }
}
