//! Files of JSON, whole or a line at a time, with errors that name the file and the line.

use std::fs::File;
use std::io::{BufRead, BufReader, ErrorKind};
use std::path::Path;

use serde::de::DeserializeOwned;
use serde::{Deserialize, Deserializer};

use crate::error::CommandError;

/// What is wrong with a run folder.
pub(super) fn wrong(folder: &Path, reason: String) -> CommandError {
    CommandError::RunFolder { folder: folder.display().to_string(), reason }
}

/// A file that holds one JSON object; `None` where there is no such file.
pub(super) fn object<T: DeserializeOwned>(folder: &Path, name: &str) -> Result<Option<T>, CommandError> {
    let text = match std::fs::read_to_string(folder.join(name)) {
        Ok(text) => text,
        Err(e) if e.kind() == ErrorKind::NotFound => return Ok(None),
        Err(e) => return Err(unreadable(folder, name, &e)),
    };
    if name != "settings.json" && !crate::files::is_sound_object(&text) {
        return Err(wrong(
            folder,
            format!("{name} is damaged: its checksum does not match; restore or delete it"),
        ));
    }
    serde_json::from_str(&text).map(Some).map_err(|e| {
        wrong(folder, format!("{name} is not what a run writes: {e}; restore it, or give another folder"))
    })
}

/// The text of a file.
pub(super) fn text(folder: &Path, name: &str) -> Result<String, CommandError> {
    std::fs::read_to_string(folder.join(name)).map_err(|e| unreadable(folder, name, &e))
}

/// Every line of a file of JSON lines, in order, to `each`; `false` where there is no such file.
///
/// A run that is writing, or was killed, leaves a last line without its end: that one is ignored.
pub(super) fn each<T: DeserializeOwned>(
    folder: &Path,
    name: &str,
    mut each: impl FnMut(T) -> Result<(), String>,
) -> Result<bool, CommandError> {
    let file = match File::open(folder.join(name)) {
        Ok(file) => file,
        Err(e) if e.kind() == ErrorKind::NotFound => return Ok(false),
        Err(e) => return Err(unreadable(folder, name, &e)),
    };
    let mut reader = BufReader::new(file);
    let mut line = Vec::new();
    for number in 1.. {
        line.clear();
        reader.read_until(b'\n', &mut line).map_err(|e| unreadable(folder, name, &e))?;
        if line.is_empty() {
            break;
        }
        let cut = line.last() != Some(&b'\n');
        if line.trim_ascii().is_empty() {
            continue;
        }
        if !cut && !crate::files::is_sound(&line) {
            return Err(wrong(
                folder,
                format!("{name}, line {number}, is damaged: its checksum does not match; restore the file"),
            ));
        }
        let taken = match serde_json::from_slice::<T>(&line) {
            Ok(value) => each(value),
            Err(_) if cut => break,
            Err(e) => Err(e.to_string().replace(" at line 1 column ", ", column ")),
        };
        taken.map_err(|reason| {
            wrong(
                folder,
                format!(
                    "{name}, line {number}: {reason}; the line is damaged: restore the file or delete the line"
                ),
            )
        })?;
    }
    Ok(true)
}

fn unreadable(folder: &Path, name: &str, e: &std::io::Error) -> CommandError {
    wrong(folder, format!("{name} cannot be read: {e}; check its permissions"))
}

/// Numbers of which some may be `null`, as JSON has no infinity: those become NaN and are not drawn.
pub(super) fn numbers<'de, D: Deserializer<'de>>(from: D) -> Result<Vec<f64>, D::Error> {
    let numbers = Vec::<Option<f64>>::deserialize(from)?;
    Ok(numbers.into_iter().map(|v| v.unwrap_or(f64::NAN)).collect())
}

/// Rows of such numbers.
pub(super) fn matrix<'de, D: Deserializer<'de>>(from: D) -> Result<Vec<Vec<f64>>, D::Error> {
    let rows = Vec::<Vec<Option<f64>>>::deserialize(from)?;
    Ok(rows.into_iter().map(|r| r.into_iter().map(|v| v.unwrap_or(f64::NAN)).collect()).collect())
}
