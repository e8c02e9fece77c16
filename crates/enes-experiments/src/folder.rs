//! The folder of a reproduction: a manifest, records as JSON lines, and what is made from them.
//!
//! Runs are appended to `runs.jsonl` one line at a time, so that a kill loses at most the one in progress; a line
//! that was cut is dropped when the folder is opened again. A folder that is committed has them packed in
//! `runs.jsonl.gz`, and continues from there.

use std::collections::HashSet;
use std::fs;
use std::io;
use std::path::{Path, PathBuf};

use serde::{Deserialize, Serialize};

use crate::error::ReproduceError;
use crate::measurement::Measurement;
use crate::packed;
use crate::peer::Versions;
use crate::plan::{Plan, Study};
use crate::records::{Lines, replace};
use crate::run::RunRecord;
use crate::terminal::words;

const MANIFEST: &str = "manifest.json";
const MACHINE: &str = "machine.txt";
const PEER: &str = "peer.txt";
const RUNS: &str = "runs.jsonl";
const PACKED: &str = "runs.jsonl.gz";
const MEASUREMENTS: &str = "measurements.jsonl";
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
    Study::Paper.name().to_string()
}

/// An open folder and everything recorded in it.
#[derive(Debug)]
pub(crate) struct Folder {
    root: PathBuf,
    plan: Plan,
    runs_file: Lines,
    measurements_file: Lines,
    pub(crate) runs: Vec<RunRecord>,
    pub(crate) measurements: Vec<Measurement>,
    done: HashSet<String>,
    /// Something was added to what the folder had.
    grew: bool,
}

impl Folder {
    /// Open a folder that is new, empty or ours, and of the same plan. Nothing foreign is touched.
    pub(crate) fn open(root: &Path, plan: Plan) -> Result<Self, ReproduceError> {
        let fail = |reason: String| ReproduceError::Folder { folder: root.display().to_string(), reason };
        let unusable = |e: io::Error| fail(format!("{e}; choose another with --out"));
        let wanted = Manifest {
            format: "enes-reproduce".into(),
            version: VERSION,
            set: plan.study.name().into(),
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
            replace(&manifest, text.as_bytes()).map_err(unusable)?;
        }
        let (runs_file, runs) = open_runs(root).map_err(unusable)?;
        let (measurements_file, measurements) = Lines::open(&root.join(MEASUREMENTS)).map_err(unusable)?;
        let done = runs.iter().map(|r: &RunRecord| r.key.clone());
        let done = done.chain(measurements.iter().map(|m: &Measurement| m.key.clone())).collect();
        Ok(Self {
            root: root.to_path_buf(),
            plan,
            runs_file,
            measurements_file,
            runs,
            measurements,
            done,
            grew: false,
        })
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
        self.runs_file.append(&record)?;
        (self.grew, _) = (true, self.done.insert(record.key.clone()));
        self.runs.push(record);
        Ok(())
    }

    pub(crate) fn add_measurement(&mut self, record: Measurement) -> io::Result<()> {
        self.measurements_file.append(&record)?;
        (self.grew, _) = (true, self.done.insert(record.key.clone()));
        self.measurements.push(record);
        Ok(())
    }

    /// Drop the records with these keys: what they say is to be measured again.
    pub(crate) fn forget(&mut self, keys: &HashSet<String>) -> io::Result<()> {
        self.runs.retain(|r| !keys.contains(&r.key));
        self.done.retain(|key| !keys.contains(key));
        // All that is left as plain lines: the packed file, if there is one, holds what is to be forgotten.
        let line = |r| serde_json::to_vec(r).map(|line| [line, b"\n".to_vec()].concat());
        let lines: Vec<Vec<u8>> = self.runs.iter().map(line).collect::<Result<_, _>>()?;
        replace(&self.path(RUNS), &lines.concat())?;
        if self.path(PACKED).exists() {
            fs::remove_file(self.path(PACKED))?;
        }
        Ok(())
    }

    /// Write down which peer it is. Runs of two versions are not mixed.
    pub(crate) fn note_peer(&self, versions: &Versions) -> Result<(), ReproduceError> {
        let text = versions.to_string();
        let version = |text: &str| text.split(',').next().unwrap_or_default().to_string();
        let earlier = self.peer().filter(|_| self.runs.iter().any(|r| !r.solver.is_enes()));
        if let Some(earlier) = earlier.filter(|earlier| version(earlier) != version(&text)) {
            return Err(ReproduceError::Folder {
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

    /// The machine that the records are from: this one, unless none of them is new.
    pub(crate) fn note_machine(&self) -> io::Result<String> {
        match fs::read_to_string(self.path(MACHINE)) {
            Ok(text) if !self.grew => Ok(text),
            _ => {
                let text = format!("{}\nenes {}\n", enes_measure::machine(), env!("CARGO_PKG_VERSION"));
                self.write(MACHINE, &text).map(|()| text)
            }
        }
    }

    /// Write a file that is made from the records: whole, or not at all.
    pub(crate) fn write(&self, name: &str, text: &str) -> io::Result<()> {
        replace(&self.path(name), text.as_bytes())
    }
}

/// The file to append to, and every run that a folder has, packed or not, once.
fn open_runs(root: &Path) -> io::Result<(Lines, Vec<RunRecord>)> {
    let mut runs = packed::read(&root.join(PACKED))?;
    let (file, loose) = Lines::open::<RunRecord>(&root.join(RUNS))?;
    let there: HashSet<String> = runs.iter().map(|r| r.key.clone()).collect();
    runs.extend(loose.into_iter().filter(|r| !there.contains(&r.key)));
    Ok((file, runs))
}

/// Every run that a folder has.
pub(crate) fn runs_in(root: &Path) -> io::Result<Vec<RunRecord>> {
    Ok(open_runs(root)?.1)
}

/// The seed of a folder that is there.
pub(crate) fn seed_of(root: &Path) -> Option<u64> {
    let text = fs::read_to_string(root.join(MANIFEST)).ok()?;
    Some(serde_json::from_str::<Manifest>(&text).ok()?.seed)
}

/// Put all runs of a folder into its packed file.
pub(crate) fn pack(root: &Path) -> Result<(), ReproduceError> {
    if seed_of(root).is_none() {
        let reason = format!("it has no {MANIFEST} of ours");
        return Err(ReproduceError::Folder { folder: root.display().to_string(), reason });
    }
    let runs = runs_in(root)?;
    // First the packed file, then away with the lines: a kill between the two leaves runs twice, not lost.
    packed::write(&root.join(PACKED), &runs)?;
    if root.join(RUNS).exists() {
        fs::remove_file(root.join(RUNS))?;
    }
    words(&format!("{} runs are in {}", runs.len(), root.join(PACKED).display()));
    Ok(())
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
