//! Files that survive a kill and a power cut: JSON lines that are appended, files that are replaced whole.
//!
//! A sealed line ends with its own checksum. Only a last line without its end, as a kill leaves it, is cut off. Anything
//! else that does not fit is damage: it is named, and nothing is written. Links and pipes in the place of a file are
//! refused.

use std::fs::{self, File, OpenOptions};
use std::io::{self, BufRead, BufReader, Write};
use std::path::Path;

use serde::Serialize;
use serde::de::DeserializeOwned;

/// What a sealed line ends with, around sixteen hexadecimal digits.
const SEAL: (&[u8], &[u8]) = (b",\"sum\":\"", b"\"}");

/// A checksum of 64 bits, a word of eight bytes at a time.
pub(crate) fn checksum(bytes: &[u8]) -> u64 {
    chain(0xcbf2_9ce4_8422_2325, bytes)
}

/// Go on with a checksum. Every step is a bijection of what came before, so that no change within a word goes unseen;
/// the shift carries high bits down, so that changes in two words do not cancel.
pub(crate) fn chain(sum: u64, bytes: &[u8]) -> u64 {
    let step = |h: u64, word: u64| {
        let h = (h ^ word).wrapping_mul(0x9e37_79b9_7f4a_7c15);
        h ^ (h >> 32)
    };
    let (words, rest) = bytes.as_chunks::<8>();
    let sum = words.iter().fold(sum, |h, word| step(h, u64::from_le_bytes(*word)));
    let mut last = [0; 8];
    last[..rest.len()].copy_from_slice(rest);
    // The length tells a last word from one that ends in zeros.
    step(step(sum, u64::from_le_bytes(last)), bytes.len() as u64)
}

/// Append a record as one sealed JSON line, in one write; returns its checksum.
pub(crate) fn append(file: &mut impl Write, record: &impl Serialize) -> io::Result<u64> {
    let mut line = serde_json::to_vec(record)?;
    line.pop(); // the last brace, which the seal has
    let sum = checksum(&line);
    line.extend_from_slice(SEAL.0);
    line.extend_from_slice(format!("{sum:016x}").as_bytes());
    line.extend_from_slice(SEAL.1);
    line.push(b'\n');
    file.write_all(&line)?;
    Ok(sum)
}

/// The checksum of a line, and whether its seal says the same, to the letter; `None` where it has no seal.
fn seal_of(line: &[u8]) -> Option<(u64, bool)> {
    let line = line.strip_suffix(b"\n").unwrap_or(line).strip_suffix(SEAL.1)?;
    let (body, digits) = line.split_at_checked(line.len().checked_sub(16)?)?;
    let record = body.strip_suffix(SEAL.0)?;
    let sum = checksum(record);
    Some((sum, digits == format!("{sum:016x}").as_bytes()))
}

/// Whether a line has the checksum that it says it has, if it says so.
pub(crate) fn is_sound(line: &[u8]) -> bool {
    seal_of(line).is_none_or(|(_, same)| same)
}

/// Whether a line has a checksum.
pub(crate) fn is_sealed(line: &[u8]) -> bool {
    seal_of(line).is_some()
}

/// What a sealed object ends with, around sixteen hexadecimal digits.
const OBJECT_SEAL: (&str, &str) = (",\n  \"sum\": \"", "\"\n}\n");

/// The text of a JSON object with its checksum as the last field.
pub(crate) fn sealed_object(object: &str) -> String {
    let trimmed = object.trim_end();
    let body = trimmed.strip_suffix('}').unwrap_or(trimmed).trim_end();
    format!("{body}{}{:016x}{}", OBJECT_SEAL.0, checksum(body.as_bytes()), OBJECT_SEAL.1)
}

/// Whether an object has the checksum that it says it has, if it says so.
pub(crate) fn is_sound_object(text: &str) -> bool {
    text.rsplit_once(OBJECT_SEAL.0)
        .is_none_or(|(body, seal)| seal == format!("{:016x}{}", checksum(body.as_bytes()), OBJECT_SEAL.1))
}

/// Whether an object has a checksum.
pub(crate) fn is_sealed_object(text: &str) -> bool {
    text.contains(OBJECT_SEAL.0)
}

/// A file of JSON lines, open for appending.
#[derive(Debug)]
pub(crate) struct Lines {
    pub(crate) file: File,
    /// Bytes of a last line without its end, which were cut off.
    pub(crate) torn: usize,
}

/// Read every line, with its checksum; `sealed` where all must have one. Returns how many bytes are sound: the rest is a
/// last line without its end.
///
/// # Errors
/// The first line that is damaged: its number, the byte at which it begins, and what is wrong; or what the system says.
pub(crate) fn read_lines(
    mut from: impl BufRead,
    sealed: bool,
    mut each: impl FnMut(&[u8], u64) -> Result<(), String>,
) -> io::Result<u64> {
    let (mut line, mut good) = (Vec::new(), 0);
    for number in 1.. {
        line.clear();
        from.read_until(b'\n', &mut line)?;
        if !line.ends_with(b"\n") {
            break;
        }
        let damaged =
            |what: &str| io::Error::other(format!("line {number}, at byte {good}, is damaged: {what}"));
        let sum = match seal_of(&line) {
            Some((sum, true)) => sum,
            Some(_) => return Err(damaged("its checksum does not match")),
            None if sealed => return Err(damaged("it has no checksum")),
            None => checksum(&line),
        };
        each(&line, sum).map_err(|what| damaged(&what))?;
        good += line.len() as u64;
    }
    Ok(good)
}

/// The record of a line, or what is wrong with it.
pub(crate) fn from_slice<T: DeserializeOwned>(line: &[u8]) -> Result<T, String> {
    serde_json::from_slice(line).map_err(|e| e.to_string())
}

/// Open a file of JSON lines for appending, and read those it has.
///
/// # Errors
/// A damaged line, or what the system says; nothing was written.
pub(crate) fn open_lines(
    path: &Path,
    sealed: bool,
    each: impl FnMut(&[u8], u64) -> Result<(), String>,
) -> io::Result<Lines> {
    refuse_special(path)?;
    let name = path.file_name().unwrap_or_default().to_string_lossy().to_string();
    let good = match File::open(path) {
        Ok(file) => read_lines(BufReader::with_capacity(1 << 16, file), sealed, each)
            .map_err(|e| io::Error::other(format!("its {name}: {e}")))?,
        Err(e) if e.kind() == io::ErrorKind::NotFound => 0,
        Err(e) => return Err(e),
    };
    let file = OpenOptions::new().create(true).append(true).open(path)?;
    let torn = file.metadata()?.len() - good;
    if torn > 0 {
        file.set_len(good)?;
    }
    Ok(Lines { file, torn: usize::try_from(torn).unwrap_or(usize::MAX) })
}

/// A link, a pipe or a device in the place of a file of ours is nothing to write to.
pub(crate) fn refuse_special(path: &Path) -> io::Result<()> {
    match fs::symlink_metadata(path) {
        Ok(there) if !there.is_file() => {
            let name = path.file_name().unwrap_or_default().to_string_lossy().to_string();
            Err(io::Error::other(format!("its {name} is a link, a pipe or a folder, not a file: remove it")))
        }
        _ => Ok(()),
    }
}

/// Write a file whole or not at all: to a temporary file first, then in its place, both on the disk. What stood there,
/// a link included, is replaced, never followed.
pub(crate) fn write_whole(path: &Path, bytes: impl AsRef<[u8]>) -> io::Result<()> {
    let temporary = path.with_extension("part");
    match fs::remove_file(&temporary) {
        Err(e) if e.kind() != io::ErrorKind::NotFound => return Err(e),
        _ => {}
    }
    let mut file = OpenOptions::new().write(true).create_new(true).open(&temporary)?;
    let written = file.write_all(bytes.as_ref()).and_then(|()| file.sync_all());
    // What could not be written whole, as on a full disk, is not left behind.
    written.and_then(|()| fs::rename(&temporary, path)).inspect_err(|_| {
        let _ = fs::remove_file(&temporary);
    })?;
    sync_folder(path.parent())
}

/// A new name is on the disk once its folder is.
pub(crate) fn sync_folder(folder: Option<&Path>) -> io::Result<()> {
    let folder = folder.filter(|f| !f.as_os_str().is_empty()).unwrap_or(Path::new("."));
    if cfg!(unix) { File::open(folder)?.sync_all() } else { Ok(()) }
}

#[cfg(test)]
mod tests {
    use super::*;
    use serde_json::Value;

    fn parse(bytes: &[u8], sealed: bool) -> Result<(Vec<Value>, usize), String> {
        let mut records = Vec::new();
        let good = read_lines(bytes, sealed, |line, _| {
            records.push(from_slice(line)?);
            Ok(())
        });
        good.map(|good| (records, good as usize)).map_err(|e| e.to_string())
    }

    fn lines() -> Vec<u8> {
        let mut bytes = Vec::new();
        for i in 0..20 {
            let record = serde_json::json!({"id": i, "x": [0.5 * f64::from(i), -1e-300], "failure": null});
            append(&mut bytes, &record).unwrap();
        }
        bytes
    }

    #[test]
    fn sealed_lines_are_read_back() {
        let (records, good) = parse(&lines(), true).unwrap();
        assert_eq!((records.len(), good), (20, lines().len()));
        assert_eq!(records[7]["x"][0], 3.5);
    }

    #[test]
    fn every_flipped_bit_is_seen_and_every_truncation_loses_the_torn_line_only() {
        let bytes = lines();
        for byte in 0..bytes.len() - 1 {
            for bit in 0..8 {
                let mut damaged = bytes.clone();
                damaged[byte] ^= 1 << bit;
                let error = parse(&damaged, true).expect_err("a flipped bit");
                assert!(error.contains("line ") && error.contains("damaged"), "{error}");
            }
        }
        for cut in 0..bytes.len() {
            let whole = bytes[..cut].iter().filter(|b| **b == b'\n').count();
            let (records, good) = parse(&bytes[..cut], true).unwrap();
            assert_eq!(records.len(), whole);
            assert!(good <= cut);
        }
    }

    #[test]
    fn a_flipped_bit_in_an_object_is_seen_or_changes_nothing() {
        let object = serde_json::json!({"value": 1.5, "x": [2.25, -1e-300], "stop": "target"});
        let text = sealed_object(&format!("{object:#}\n"));
        let mut without: Value = serde_json::from_str(&text).unwrap();
        assert!(is_sound_object(&text) && is_sound_object(&object.to_string()));
        without.as_object_mut().unwrap().remove("sum");
        assert_eq!(without, object);
        for byte in 0..text.len() {
            for bit in 0..8 {
                let mut damaged = text.clone().into_bytes();
                damaged[byte] ^= 1 << bit;
                let Ok(damaged) = String::from_utf8(damaged) else { continue };
                let Some(read) =
                    serde_json::from_str::<Value>(&damaged).ok().filter(|_| is_sound_object(&damaged))
                else {
                    continue;
                };
                assert!(["value", "x", "stop"].iter().all(|key| read[*key] == object[*key]), "{damaged}");
            }
        }
    }

    #[test]
    fn lines_of_an_earlier_version_need_no_seal() {
        let line = b"{\"id\":1}\n";
        assert!(parse(line, true).unwrap_err().contains("no checksum"));
        assert_eq!(parse(line, false).unwrap().0.len(), 1);
    }
}
