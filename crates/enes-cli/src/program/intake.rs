//! Points from outside: `inject.jsonl`, where `enes inject` leaves them, and `injected.jsonl`, the log of what the run
//! has taken in, and in which generation.
//!
//! The search gets them between the `ask` and the `tell` of that generation, where any moment is as good as another.
//! So the log is all that a replay needs. Its lines are the first ones of `inject.jsonl`, in order.

use std::fs::{self, OpenOptions};
use std::io::{self, Read, Write};
use std::path::{Path, PathBuf};

use enes::{InjectError, Optimizer};
use serde::de::DeserializeOwned;
use serde::{Deserialize, Serialize};

use super::folder::failure;
use super::parameters::Space;
use crate::error::CommandError;
use crate::files;

const GIVEN: &str = "inject.jsonl";
const LOG: &str = "injected.jsonl";

/// A point and its value, which is finite: one line of `inject.jsonl`.
#[derive(Clone, Debug, Deserialize, PartialEq, Serialize)]
pub(crate) struct Given {
    pub(crate) x: Vec<f64>,
    pub(crate) value: f64,
    /// The values of the constraints that the run declares, in its order.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub(crate) constraints: Vec<f64>,
}

/// A point that was taken in: one line of the log.
#[derive(Clone, Debug, Deserialize, PartialEq, Serialize)]
pub(crate) struct Taken {
    /// Between whose `ask` and `tell`.
    pub(crate) generation: u64,
    pub(crate) x: Vec<f64>,
    pub(crate) value: f64,
    /// The values of the constraints that the run declares, in its order.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub(crate) constraints: Vec<f64>,
}

/// Both files of a run, for the process that has its lock.
#[derive(Debug)]
pub(crate) struct Intake {
    root: PathBuf,
    pub(crate) taken: Vec<Taken>,
    /// How long `inject.jsonl` was when it was last read, and when all that it had was taken in.
    read: u64,
    seen: u64,
}

impl Intake {
    pub(crate) fn open(root: &Path) -> Result<Self, CommandError> {
        let bytes = read(root, LOG)?;
        let taken = parse(root, LOG, &bytes, 0)?;
        // A line that was cut off was never taken in.
        let good = complete(&bytes).len();
        if good < bytes.len() {
            let cut = |file: fs::File| file.set_len(good as u64);
            let file = OpenOptions::new().write(true).open(root.join(LOG));
            file.and_then(cut).map_err(|e| unusable(root, LOG, &e))?;
        }
        Ok(Self { root: root.to_path_buf(), taken, read: 0, seen: 0 })
    }

    /// What was given and not taken in yet. A last line without its end waits.
    pub(crate) fn arrived(&mut self) -> Result<Vec<Given>, CommandError> {
        let length = fs::metadata(self.root.join(GIVEN)).map_or(0, |file| file.len());
        if length == 0 || length == self.seen {
            return Ok(Vec::new());
        }
        let bytes = read(&self.root, GIVEN)?;
        check_count(&self.root, &bytes, self.taken.len())?;
        let new: Vec<Given> = parse(&self.root, GIVEN, &bytes, self.taken.len())?;
        self.read = bytes.len() as u64;
        if new.is_empty() {
            self.seen = self.read;
        }
        Ok(new)
    }

    /// Write down that the search has got, in this generation, what `arrived` said last.
    pub(crate) fn log(&mut self, generation: u64, points: Vec<Given>) -> Result<(), CommandError> {
        let taken = |Given { x, value, constraints }| Taken { generation, x, value, constraints };
        let taken: Vec<Taken> = points.into_iter().map(taken).collect();
        let write = || -> io::Result<()> {
            let mut file = OpenOptions::new().create(true).append(true).open(self.root.join(LOG))?;
            file.write_all(&json_lines(&taken)?)?;
            // A checkpoint, which is forced to the disk too, must not know more than the log.
            file.sync_data()
        };
        write().map_err(|e| unusable(&self.root, LOG, &e))?;
        self.taken.extend(taken);
        self.seen = self.read;
        Ok(())
    }

    pub(crate) fn wrong(&self, reason: &str) -> CommandError {
        failure(&self.root, format!("its {LOG} {reason}"))
    }

    /// A point of `inject.jsonl` that the search refuses, by its place behind those that were taken in.
    pub(crate) fn refused(&self, place: usize, reason: &str) -> CommandError {
        damaged(&self.root, GIVEN, self.taken.len() + place + 1, reason)
    }
}

/// Give a point to a search, or say what is wrong with it.
pub(crate) fn give(
    es: &mut Optimizer,
    space: &Space,
    x: &[f64],
    value: f64,
    constraints: &[f64],
) -> Result<(), String> {
    let names = space.names();
    if x.len() == names.len()
        && let Some(i) = space.broken_integer(x)
    {
        let (name, got) = (&names[i], x[i]);
        return Err(format!("`{name}` must be a whole number, got {got}: leave the point out"));
    }
    es.inject_with_constraints(x, value, constraints).map_err(|error| match &error {
        InjectError::NotFinite { index, .. }
        | InjectError::Outside { index, .. }
        | InjectError::NotPositive { index, .. } => format!("`{}`: {error}", names[*index]),
        _ => error.to_string(),
    })
}

/// Append points to `inject.jsonl`, also while a run reads it.
pub(crate) fn leave(root: &Path, points: &[Given]) -> Result<(), CommandError> {
    let fail = |e: io::Error| unusable(root, GIVEN, &e);
    let taken = count(&read(root, LOG)?);
    let open = OpenOptions::new().create(true).read(true).append(true).open(root.join(GIVEN));
    let mut file = open.map_err(fail)?;
    // One after the other, where several give at once.
    file.lock().map_err(fail)?;
    let mut before = Vec::new();
    file.read_to_end(&mut before).map_err(fail)?;
    check_count(root, &before, taken)?;
    if complete(&before).len() < before.len() {
        let reason = format!("its {GIVEN} ends within a line: complete that line, or delete it");
        return Err(failure(root, reason));
    }
    let text = json_lines(points).map_err(fail)?;
    file.write_all(&text).map_err(|error| {
        // Whole lines may have been taken in by now; the rest of one must not stay.
        let after = read(root, GIVEN).unwrap_or_default();
        let good = complete(&after);
        let _ = file.set_len(good.len() as u64);
        let (given, all) = (count(good) - count(&before), points.len());
        failure(root, format!("{error}: {given} of {all} points were given; make room and give the others"))
    })
}

fn json_lines(records: &[impl Serialize]) -> io::Result<Vec<u8>> {
    let mut text = Vec::new();
    for record in records {
        files::append(&mut text, record)?;
    }
    Ok(text)
}

/// Nothing where there is no such file.
fn read(root: &Path, name: &str) -> Result<Vec<u8>, CommandError> {
    match fs::read(root.join(name)) {
        Err(e) if e.kind() == io::ErrorKind::NotFound => Ok(Vec::new()),
        bytes => bytes.map_err(|e| unusable(root, name, &e)),
    }
}

/// The lines that have an end.
fn complete(bytes: &[u8]) -> &[u8] {
    &bytes[..bytes.iter().rposition(|b| *b == b'\n').map_or(0, |end| end + 1)]
}

fn count(lines: &[u8]) -> usize {
    lines.iter().filter(|b| **b == b'\n').count()
}

/// The records of complete lines, without the first ones.
fn parse<T: DeserializeOwned>(
    root: &Path,
    name: &str,
    bytes: &[u8],
    skip: usize,
) -> Result<Vec<T>, CommandError> {
    let lines = complete(bytes).split_inclusive(|b| *b == b'\n').enumerate().skip(skip);
    let record = |(i, line): (usize, &[u8])| {
        if !files::is_sound(line) {
            return Err(damaged(root, name, i + 1, "its checksum does not match"));
        }
        serde_json::from_slice(line).map_err(|e| {
            damaged(root, name, i + 1, &e.to_string().replace(" at line 1 column ", ", column "))
        })
    };
    lines.map(record).collect()
}

/// The lines of `inject.jsonl` that were taken in must stay: they are counted.
fn check_count(root: &Path, given: &[u8], taken: usize) -> Result<(), CommandError> {
    let lines = count(given);
    if lines >= taken {
        return Ok(());
    }
    let reason = format!(
        "its {GIVEN} has {lines} lines, but {taken} points were taken in: copy {LOG} over it, which has them, and \
         give later points again"
    );
    Err(failure(root, reason))
}

fn damaged(root: &Path, name: &str, line: usize, reason: &str) -> CommandError {
    let remedy = match name {
        LOG => "restore the file".to_string(),
        _ => format!("mend or delete the line and continue with `enes resume {}`", root.display()),
    };
    failure(root, format!("{name}, line {line}: {reason}; {remedy}"))
}

fn unusable(root: &Path, name: &str, error: &io::Error) -> CommandError {
    failure(root, format!("{name}: {error}"))
}
