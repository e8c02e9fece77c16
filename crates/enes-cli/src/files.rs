//! Files that survive a kill: JSON lines that are appended, files that are replaced whole.

use std::fs::{self, File, OpenOptions};
use std::io::{self, Write};
use std::path::Path;

use serde::Serialize;
use serde::de::DeserializeOwned;

/// Append a record as one JSON line, in one write.
pub(crate) fn append(file: &mut File, record: &impl Serialize) -> io::Result<()> {
    let mut line = serde_json::to_vec(record)?;
    line.push(b'\n');
    file.write_all(&line)
}

/// Open a file of JSON lines for appending, with the records it has; a cut last line is removed.
pub(crate) fn open_lines<T: DeserializeOwned>(path: &Path) -> io::Result<(File, Vec<T>)> {
    let bytes = match fs::read(path) {
        Ok(bytes) => bytes,
        Err(e) if e.kind() == io::ErrorKind::NotFound => Vec::new(),
        Err(e) => return Err(e),
    };
    let mut records = Vec::new();
    let mut good = 0;
    for line in bytes.split_inclusive(|&b| b == b'\n') {
        match serde_json::from_slice(line) {
            Ok(record) if line.ends_with(b"\n") => records.push(record),
            _ => break,
        }
        good += line.len() as u64;
    }
    let file = OpenOptions::new().create(true).append(true).open(path)?;
    file.set_len(good)?;
    Ok((file, records))
}

/// Write a file whole or not at all: to a temporary file first, then in its place.
pub(crate) fn write_whole(path: &Path, bytes: impl AsRef<[u8]>) -> io::Result<()> {
    let temporary = path.with_extension("part");
    let mut file = File::create(&temporary)?;
    file.write_all(bytes.as_ref())?;
    file.sync_all()?;
    fs::rename(&temporary, path)
}
