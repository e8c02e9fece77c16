//! What the tests of studies share: a folder of their own, the command, the records it wrote.
#![allow(dead_code)] // each test file uses its part

use std::collections::BTreeMap;
use std::fs;
use std::path::{Path, PathBuf};
use std::process::{Command, Output};
use std::sync::atomic::{AtomicUsize, Ordering};

use serde_json::Value;

/// Tests of one program, of which two may choose the same name.
static NUMBER: AtomicUsize = AtomicUsize::new(0);

/// A folder of one test alone, removed at its end.
pub(crate) struct Folder(pub(crate) PathBuf);

impl Folder {
    pub(crate) fn new(name: &str) -> Self {
        let path = std::env::temp_dir().join(format!(
            "enes-test-{}-{}-{name}",
            std::process::id(),
            NUMBER.fetch_add(1, Ordering::Relaxed)
        ));
        let _ = fs::remove_dir_all(&path);
        Self(path)
    }

    pub(crate) fn file(&self, name: &str) -> PathBuf {
        self.0.join(name)
    }

    pub(crate) fn read(&self, name: &str) -> String {
        fs::read_to_string(self.file(name)).unwrap_or_else(|e| panic!("{name}: {e}"))
    }

    /// Every record by its key, without what depends on the clock.
    pub(crate) fn records(&self) -> BTreeMap<String, Value> {
        let mut all = BTreeMap::new();
        // A study that failed at once has none.
        for line in fs::read_to_string(self.file("runs.jsonl")).unwrap_or_default().lines() {
            let mut record: Value = serde_json::from_str(line).unwrap();
            record.as_object_mut().unwrap().remove("seconds");
            let key = record["key"].as_str().unwrap().to_string();
            assert!(all.insert(key.clone(), record).is_none(), "{key} was run twice");
        }
        all
    }
}

impl Drop for Folder {
    fn drop(&mut self) {
        let _ = fs::remove_dir_all(&self.0);
    }
}

/// `cargo reproduce` with these words, a reduced study that says what it does.
pub(crate) fn loud(words: &str, out: &Path) -> Command {
    let mut command = Command::new(env!("CARGO_BIN_EXE_reproduce"));
    command.args(words.split_whitespace()).args(["--quick", "--out"]).arg(out);
    command
}

/// The same, without words.
pub(crate) fn command(words: &str, out: &Path) -> Command {
    let mut command = loud(words, out);
    command.arg("--quiet");
    command
}

pub(crate) fn reproduce(words: &str, out: &Path) -> Output {
    command(words, out).output().unwrap()
}

pub(crate) fn message(output: &Output) -> String {
    String::from_utf8_lossy(&output.stderr).to_string()
}
