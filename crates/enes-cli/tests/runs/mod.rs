//! What the tests of real runs share: a folder of their own, programs in it, the records of a run.
#![allow(dead_code)] // each test file uses its part

use std::collections::BTreeMap;
use std::fs;
use std::path::{Path, PathBuf};
use std::process::{Command, Output};
use std::sync::atomic::{AtomicUsize, Ordering};

use serde_json::Value;

/// Tests of one program, of which two may choose the same name.
static NUMBER: AtomicUsize = AtomicUsize::new(0);

/// A folder of one test, removed at its end.
pub(crate) struct Place(pub(crate) PathBuf);

impl Place {
    pub(crate) fn new(name: &str) -> Self {
        let path = std::env::temp_dir().join(format!(
            "enes-run-{}-{}-{name}",
            std::process::id(),
            NUMBER.fetch_add(1, Ordering::Relaxed)
        ));
        let _ = fs::remove_dir_all(&path);
        fs::create_dir_all(&path).unwrap();
        Self(path)
    }

    /// Write a program for `sh` or `python3`.
    pub(crate) fn script(&self, name: &str, text: &str) -> &Self {
        fs::write(self.0.join(name), text).unwrap();
        self
    }

    /// `enes` with these words, here.
    pub(crate) fn enes(&self, words: &str) -> Command {
        let mut command = Command::new(env!("CARGO_BIN_EXE_enes"));
        command.args(words.split_whitespace()).current_dir(&self.0);
        command
    }

    pub(crate) fn run(&self, words: &str) -> Output {
        self.enes(words).output().unwrap()
    }

    /// Run with `--json` and return its object and exit code.
    pub(crate) fn json(&self, words: &str) -> (Value, i32) {
        let (flags, command) =
            words.split_once(" -- ").map_or((words, String::new()), |(a, b)| (a, format!(" -- {b}")));
        let output = self.run(&format!("{flags} --json{command}"));
        let value =
            serde_json::from_slice(&output.stdout).unwrap_or_else(|e| panic!("{e}: {}", message(&output)));
        (value, output.status.code().unwrap())
    }

    pub(crate) fn path(&self, name: &str) -> PathBuf {
        self.0.join(name)
    }
}

impl Drop for Place {
    fn drop(&mut self) {
        let _ = fs::remove_dir_all(&self.0);
    }
}

pub(crate) fn message(output: &Output) -> String {
    String::from_utf8_lossy(&output.stderr).to_string()
}

/// Every evaluation of a run by its number, without what depends on the clock.
pub(crate) fn evaluations(run: &Path) -> BTreeMap<u64, Value> {
    let mut all = BTreeMap::new();
    for line in fs::read_to_string(run.join("evaluations.jsonl")).unwrap().lines() {
        let mut record: Value = serde_json::from_str(line).unwrap();
        record.as_object_mut().unwrap().remove("seconds");
        record.as_object_mut().unwrap().remove("sum");
        let id = record["id"].as_u64().unwrap();
        assert!(all.insert(id, record).is_none(), "evaluation {id} is there twice");
    }
    all
}

/// A result without what depends on clock and place.
pub(crate) fn timeless(mut result: Value) -> Value {
    for key in ["seconds", "run"] {
        result.as_object_mut().unwrap().remove(key);
    }
    result
}

pub(crate) const WORKER: &str = "\
import sys, json
for line in sys.stdin:
    q = json.loads(line)
    print(json.dumps({'id': q['id'], 'value': sum((v - 1) ** 2 for v in q['x'])}), flush=True)
";
