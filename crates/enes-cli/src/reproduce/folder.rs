//! The folder of a reproduction: a manifest, records as JSON lines, and what is made from them.
//!
//! Records are appended one line at a time, so that a kill loses at most the run in progress; a line
//! that was cut is dropped when the folder is opened again.

use std::collections::HashSet;
use std::fs::{self, File};
use std::io;
use std::path::{Path, PathBuf};

use serde::{Deserialize, Serialize};

use super::Plan;
use super::measurement::Measurement;
use super::peer::Versions;
use super::run::RunRecord;
use crate::error::CommandError;
use crate::files::{append, open_lines, write_whole};

const MANIFEST: &str = "manifest.json";
const PEER: &str = "peer.txt";
/// Changes whenever records of an older program must not be mixed with new ones.
const VERSION: u32 = 1;

#[derive(Debug, Deserialize, PartialEq, Serialize)]
struct Manifest {
    format: String,
    version: u32,
    /// Which experiments; folders that do not say so are older than the second set.
    #[serde(default = "paper")]
    set: String,
    seed: u64,
    quick: bool,
}

fn paper() -> String {
    super::Set::Paper.name().to_string()
}

/// An open folder and everything recorded in it.
#[derive(Debug)]
pub(crate) struct Folder {
    root: PathBuf,
    plan: Plan,
    runs_file: File,
    measurements_file: File,
    pub(crate) runs: Vec<RunRecord>,
    pub(crate) measurements: Vec<Measurement>,
    done: HashSet<String>,
}

impl Folder {
    /// Open a folder that is new, empty or ours, and of the same plan. Nothing foreign is touched.
    pub(crate) fn open(root: &Path, plan: Plan) -> Result<Self, CommandError> {
        let fail = |reason: String| CommandError::Folder { folder: root.display().to_string(), reason };
        let unusable = |e: io::Error| fail(format!("{e}; choose another with --out"));
        let wanted = Manifest {
            format: "enes-reproduce".into(),
            version: VERSION,
            set: plan.set.name().into(),
            seed: plan.seed,
            quick: plan.quick,
        };
        fs::create_dir_all(root).map_err(unusable)?;
        let manifest = root.join(MANIFEST);
        if manifest.exists() {
            let text = fs::read_to_string(&manifest).map_err(unusable)?;
            check_manifest(&text, &wanted).map_err(fail)?;
        } else {
            if fs::read_dir(root).map_err(unusable)?.next().is_some() {
                return Err(fail("it is not empty and not one of ours; choose another with --out".into()));
            }
            let text = serde_json::to_string_pretty(&wanted).map_err(io::Error::from)?;
            write_whole(&manifest, &text).map_err(unusable)?;
        }
        let (runs_file, runs) = open_lines(&root.join("runs.jsonl")).map_err(unusable)?;
        let (measurements_file, measurements) =
            open_lines(&root.join("measurements.jsonl")).map_err(unusable)?;
        let done = runs.iter().map(|r: &RunRecord| r.key.clone());
        let done = done.chain(measurements.iter().map(|m: &Measurement| m.key.clone())).collect();
        Ok(Self { root: root.to_path_buf(), plan, runs_file, measurements_file, runs, measurements, done })
    }

    pub(crate) fn path(&self, name: &str) -> PathBuf {
        self.root.join(name)
    }

    pub(crate) fn plan(&self) -> Plan {
        self.plan
    }

    pub(crate) fn has(&self, key: &str) -> bool {
        self.done.contains(key)
    }

    pub(crate) fn add_run(&mut self, record: RunRecord) -> io::Result<()> {
        append(&mut self.runs_file, &record)?;
        self.done.insert(record.key.clone());
        self.runs.push(record);
        Ok(())
    }

    pub(crate) fn add_measurement(&mut self, record: Measurement) -> io::Result<()> {
        append(&mut self.measurements_file, &record)?;
        self.done.insert(record.key.clone());
        self.measurements.push(record);
        Ok(())
    }

    /// Write down which peer it is. Runs of two versions are not mixed.
    pub(crate) fn note_peer(&self, versions: &Versions) -> Result<(), CommandError> {
        let Versions { cma, numpy, python } = versions;
        let text = format!("pycma {cma}, NumPy {numpy}, Python {python}");
        let version = |text: &str| text.split(',').next().unwrap_or_default().to_string();
        let earlier = self.peer().filter(|_| self.runs.iter().any(|r| !r.solver.is_enes()));
        if let Some(earlier) = earlier.filter(|earlier| version(earlier) != version(&text)) {
            return Err(CommandError::Folder {
                folder: self.root.display().to_string(),
                reason: format!(
                    "its runs of pycma are by {earlier}, this is {text}; use the same or choose another with --out"
                ),
            });
        }
        Ok(self.write(PEER, &(text + "\n"))?)
    }

    /// The peer whose runs are here: its name and versions.
    pub(crate) fn peer(&self) -> Option<String> {
        Some(fs::read_to_string(self.path(PEER)).ok()?.trim().to_string())
    }

    /// Write a file that is made from the records: whole, or not at all.
    pub(crate) fn write(&self, name: &str, text: &str) -> io::Result<()> {
        write_whole(&self.path(name), text)
    }
}

fn check_manifest(text: &str, wanted: &Manifest) -> Result<(), String> {
    let remedy = "choose another with --out";
    let found: Manifest =
        serde_json::from_str(text).map_err(|_| format!("its {MANIFEST} is not one of ours; {remedy}"))?;
    if found.format != wanted.format {
        return Err(format!("its {MANIFEST} is not one of ours; {remedy}"));
    }
    if found.version != wanted.version {
        let (a, b) = (found.version, wanted.version);
        return Err(format!("it has version {a}, this program writes version {b}; {remedy}"));
    }
    if found.set != wanted.set {
        let (a, b) = (found.set, &wanted.set);
        return Err(format!("it holds the experiments `{a}`, these are `{b}`; {remedy}"));
    }
    if found != *wanted {
        let describe = |m: &Manifest| format!("--seed {}{}", m.seed, if m.quick { " --quick" } else { "" });
        return Err(format!(
            "it was made with {}, not with {}; use the same or {remedy}",
            describe(&found),
            describe(wanted)
        ));
    }
    Ok(())
}
