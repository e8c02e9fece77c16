//! Records as files: JSON lines that are appended, files that are replaced whole.

use std::fs::{self, File, OpenOptions};
use std::io::{self, Write};
use std::path::Path;

use serde::Serialize;
use serde::de::DeserializeOwned;

/// Records that grow by a line at a time, so that a kill loses at most the one in progress.
#[derive(Debug)]
pub(crate) struct Lines {
    path: std::path::PathBuf,
    file: Option<File>,
}

impl Lines {
    /// The file, and the records it has; what follows the last whole one is removed.
    pub(crate) fn open<T: DeserializeOwned>(path: &Path) -> io::Result<(Self, Vec<T>)> {
        let lines = Self { path: path.to_path_buf(), file: None };
        if !path.exists() {
            return Ok((lines, Vec::new()));
        }
        let bytes = fs::read(path)?;
        let mut whole = 0;
        let mut records = Vec::new();
        for line in bytes.split_inclusive(|&b| b == b'\n').filter(|line| line.ends_with(b"\n")) {
            let Ok(record) = serde_json::from_slice(line) else { break };
            records.push(record);
            whole += line.len();
        }
        OpenOptions::new().write(true).open(path)?.set_len(whole as u64)?;
        Ok((lines, records))
    }

    /// Append a record in one write. The file is made with its first one.
    pub(crate) fn append(&mut self, record: &impl Serialize) -> io::Result<()> {
        let file = match &mut self.file {
            Some(file) => file,
            none => none.insert(OpenOptions::new().create(true).append(true).open(&self.path)?),
        };
        file.write_all(&[serde_json::to_vec(record)?.as_slice(), b"\n"].concat())
    }
}

/// Write a file whole or not at all: next to it first, then in its place.
pub(crate) fn replace(path: &Path, bytes: &[u8]) -> io::Result<()> {
    let temporary = path.with_extension("part");
    File::create(&temporary).and_then(|mut file| file.write_all(bytes).and_then(|()| file.sync_all()))?;
    fs::rename(temporary, path)
}
