//! `enes verify` and `enes repair`: what a run folder is worth.

use std::fs;
use std::path::{Path, PathBuf};

use serde_json::Value;

use super::folder::{RunFolder, failure};
use super::plan::SEALED;
use super::saved::{self, Worth};
use crate::display::words;
use crate::error::CommandError;
use crate::files::{
    from_slice, is_sealed, is_sealed_object, is_sound, is_sound_object, read_lines, sync_folder, write_whole,
};

/// The files of JSON lines that a run writes.
const LINES: [&str; 2] = ["evaluations.jsonl", "generations.jsonl"];

/// Points from outside, and what was taken in.
const INJECTED: [&str; 2] = ["inject.jsonl", "injected.jsonl"];

/// What a run writes at its end.
const OBJECTS: [&str; 2] = ["covariance.json", "best.json"];

/// Files that a repaired folder takes over as they are.
const AS_THEY_ARE: [&str; 3] = ["settings.json", "inject.jsonl", "injected.jsonl"];

/// Say of every file whether it is sound. Returns whether all are.
pub(crate) fn verify(root: &Path) -> Result<bool, CommandError> {
    let plan = RunFolder::plan(root)?;
    words("settings.json: sound");
    let mut sound = true;
    for name in LINES.into_iter().chain(INJECTED) {
        let bytes = read(root, name)?;
        if INJECTED.contains(&name) && bytes.is_empty() {
            continue;
        }
        let mut count = 0;
        let counted = read_lines(&bytes[..], plan.version >= SEALED, |line, _| {
            count += 1;
            from_slice::<Value>(line).map(|_| ())
        });
        match counted {
            Ok(good) => {
                let torn = bytes.len() as u64 - good;
                let end = if torn > 0 {
                    format!(", and {torn} bytes without an end, which resume cuts off")
                } else {
                    String::new()
                };
                words(&format!("{name}: sound, {count} records{end}"));
            }
            Err(what) => {
                sound = false;
                words(&format!("{name}: {what}"));
            }
        }
    }
    for name in OBJECTS {
        let Some(text) = Some(read(root, name)?).filter(|bytes| !bytes.is_empty()) else { continue };
        let whole = std::str::from_utf8(&text).is_ok_and(|text| {
            let sealed = plan.version < SEALED || is_sealed_object(text);
            sealed && is_sound_object(text) && serde_json::from_str::<Value>(text).is_ok()
        });
        sound &= whole;
        words(&match whole {
            true => format!("{name}: sound"),
            false => format!("{name}: damaged; delete it: `enes resume` writes it again"),
        });
    }
    // A checkpoint saves time, no evaluations: `enes resume` mends it, a repair need not.
    let mut mended = true;
    for (name, worth) in saved::files(root) {
        mended &= worth != Worth::Damaged;
        let said = match worth {
            Worth::Sound => "sound",
            Worth::Outdated => "of an earlier checkpoint, as after a kill; `enes resume` writes it again",
            Worth::Damaged => "damaged; `enes resume` does without it and writes it again",
        };
        words(&format!("{name}: {said}"));
    }
    if !sound {
        words(&format!("`enes repair {}` writes a new folder with what is sound", root.display()));
    }
    Ok(sound && mended)
}

/// Write a new folder with the sound lines of a damaged one, which stays as it is: `enes resume` evaluates again what is
/// missing.
pub(crate) fn repair(root: &Path, out: Option<&Path>) -> Result<(), CommandError> {
    let plan = RunFolder::plan(root)?;
    if RunFolder::is_running(root) {
        return Err(failure(root, "a run is at it; wait for its end".into()));
    }
    let default = || PathBuf::from(format!("{}-repaired", root.display().to_string().trim_end_matches('/')));
    let out = out.map_or_else(default, Path::to_path_buf);
    let fail = |e: std::io::Error| failure(&out, e.to_string());
    fs::create_dir(&out).map_err(|e| failure(&out, format!("{e}; name another with --out")))?;
    for name in AS_THEY_ARE {
        let bytes = read(root, name)?;
        if !bytes.is_empty() {
            write_whole(&out.join(name), bytes).map_err(fail)?;
        }
    }
    for name in LINES {
        let bytes = read(root, name)?;
        let lines = bytes.split_inclusive(|&b| b == b'\n');
        let is_good = |line: &&[u8]| {
            let sealed = plan.version < SEALED || is_sealed(line);
            line.ends_with(b"\n") && sealed && is_sound(line) && serde_json::from_slice::<Value>(line).is_ok()
        };
        let count = lines.clone().count();
        // Generations are a story: what follows a gap is told again by the replay.
        let good: Vec<&[u8]> = match name {
            "generations.jsonl" => lines.take_while(is_good).collect(),
            _ => lines.filter(is_good).collect(),
        };
        words(&format!("{name}: {} of {count} lines are sound", good.len()));
        write_whole(&out.join(name), good.concat()).map_err(fail)?;
    }
    sync_folder(out.parent()).map_err(fail)?;
    words(&format!("wrote {}; {} is as it was; next: `enes resume {0}`", out.display(), root.display()));
    Ok(())
}

fn read(root: &Path, name: &str) -> Result<Vec<u8>, CommandError> {
    match fs::read(root.join(name)) {
        Ok(bytes) => Ok(bytes),
        Err(e) if e.kind() == std::io::ErrorKind::NotFound => Ok(Vec::new()),
        Err(e) => Err(failure(root, format!("its {name} cannot be read: {e}"))),
    }
}
