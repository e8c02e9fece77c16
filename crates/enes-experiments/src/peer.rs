//! Python peers as processes: one for each thread that asks, kept alive, JSON lines both ways.

use std::collections::BTreeMap;
use std::fmt;
use std::fs::File;
use std::io::{BufRead, BufReader, Write};
use std::os::unix::fs::FileExt;
use std::path::{Path, PathBuf};
use std::process::{Child, ChildStdin, ChildStdout, Command, Stdio};
use std::sync::Mutex;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::time::{Duration, Instant};

use serde::{Deserialize, Serialize};

use crate::error::ReproduceError;
use crate::objective::{Objective, PeerPerturbation};

/// pycma on the functions of enes-problems.
pub(crate) const SCRIPT: &str = include_str!("peer.py");

/// Values of both programs at the same point differ by rounding only.
const AGREEMENT: f64 = 1e-9;

/// How long the last words of a peer are waited for.
const PATIENCE: Duration = Duration::from_secs(2);

/// What to run: one line to the peer.
#[derive(Debug, Serialize)]
pub(crate) struct Job<'a> {
    /// `pycma`, or `lq` for its `fmin_lq_surr2`.
    pub(crate) solver: &'a str,
    pub(crate) perturbation: PeerPerturbation,
    /// Without pycma's tolerances.
    pub(crate) to_the_end: bool,
    /// Processor time; `None`: no limit.
    pub(crate) max_seconds: Option<f64>,
    pub(crate) function: &'a str,
    pub(crate) rotation: &'a [f64],
    pub(crate) shift: &'a [f64],
    pub(crate) start: &'a [f64],
    /// Half the width of the box around 0; `None`: no bounds.
    pub(crate) half_width: Option<f64>,
    pub(crate) sigma: f64,
    pub(crate) target: f64,
    pub(crate) max_evaluations: u64,
    /// `None`: pycma's own.
    pub(crate) population: Option<usize>,
    pub(crate) bipop: bool,
    pub(crate) seed: u64,
    /// Points whose values both programs compute.
    pub(crate) check: Vec<Vec<f64>>,
}

/// What came of it: one line from the peer.
#[derive(Debug, Deserialize)]
pub(crate) struct Answer {
    pub(crate) evaluations: u64,
    pub(crate) generations: u64,
    pub(crate) population: usize,
    pub(crate) value: f64,
    pub(crate) point: Vec<f64>,
    pub(crate) success: bool,
    pub(crate) stop: String,
    pub(crate) seconds: f64,
    check: Vec<f64>,
}

/// What a peer says of itself when it starts.
#[derive(Clone, Debug, Deserialize, PartialEq)]
pub(crate) struct Versions {
    pub(crate) cma: String,
    pub(crate) numpy: String,
    pub(crate) python: String,
    /// Peers besides pycma.
    #[serde(default)]
    others: BTreeMap<String, String>,
}

impl fmt::Display for Versions {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "pycma {}", self.cma)?;
        for (name, version) in &self.others {
            write!(f, ", {name} {version}")?;
        }
        write!(f, ", NumPy {}, Python {}", self.numpy, self.python)
    }
}

#[derive(Deserialize)]
struct Failure {
    error: String,
}

/// Peers that wait for work; there are never more than threads that ask.
#[derive(Debug)]
pub(crate) struct Peers {
    python: PathBuf,
    script: &'static str,
    idle: Mutex<Vec<Peer>>,
}

impl Peers {
    /// Start the first peer, to learn whether it works and what it is.
    pub(crate) fn start(python: &Path, script: &'static str) -> Result<(Self, Versions), ReproduceError> {
        let (peer, versions) = Peer::start(python, script).map_err(|reason| failed(python, reason))?;
        Ok((Self { python: python.to_path_buf(), script, idle: Mutex::new(vec![peer]) }, versions))
    }

    /// One run of a function.
    pub(crate) fn run(&self, job: &Job<'_>, objective: &Objective<'_>) -> Result<Answer, ReproduceError> {
        self.with(&format!("{} d = {}", job.function, job.start.len()), |peer| {
            let answer = peer.ask(job)?;
            agree(job, &answer, objective)?;
            Ok(answer)
        })
    }

    /// Work with a peer that is free, or a new one. A peer that failed is not used again.
    pub(crate) fn with<T>(
        &self,
        at: &str,
        work: impl FnOnce(&mut Peer) -> Result<T, String>,
    ) -> Result<T, ReproduceError> {
        let fail = |reason| failed(&self.python, format!("{reason}, at {at}"));
        let free = self.idle.lock().unwrap_or_else(|e| e.into_inner()).pop();
        let mut peer = match free {
            Some(peer) => peer,
            None => Peer::start(&self.python, self.script).map_err(fail)?.0,
        };
        let answer = work(&mut peer).map_err(fail)?;
        self.idle.lock().unwrap_or_else(|e| e.into_inner()).push(peer);
        Ok(answer)
    }
}

fn failed(python: &Path, reason: String) -> ReproduceError {
    ReproduceError::Peer { python: python.display().to_string(), reason }
}

/// Both programs must mean the same function.
fn agree(job: &Job<'_>, answer: &Answer, objective: &Objective<'_>) -> Result<(), String> {
    if answer.check.len() != job.check.len() || answer.point.len() != job.start.len() {
        return Err("its answer has not as many numbers as there should be".into());
    }
    for (i, (point, theirs)) in job.check.iter().zip(&answer.check).enumerate() {
        let ours = objective.true_value(point);
        let apart = (ours - theirs).abs();
        // A NaN does not agree with anything.
        if apart.is_nan() || apart > AGREEMENT * ours.abs().max(1.0) {
            return Err(format!(
                "it does not compute the same function: {theirs:e} instead of {ours:e} at point {i}"
            ));
        }
    }
    Ok(())
}

/// One Python process.
#[derive(Debug)]
pub(crate) struct Peer {
    child: Child,
    stdin: Option<ChildStdin>,
    stdout: BufReader<ChildStdout>,
    /// What it writes to stderr: a file, so that it never waits for a reader.
    stderr: File,
}

impl Peer {
    fn start(python: &Path, script: &str) -> Result<(Self, Versions), String> {
        let stderr = nameless_file().map_err(|e| format!("it has no stderr: {e}"))?;
        let mut command = Command::new(python);
        command
            .args(["-u", "-c", script])
            .stdin(Stdio::piped())
            .stdout(Stdio::piped())
            .stderr(stderr.try_clone().map_err(|e| format!("it has no stderr: {e}"))?);
        // One thread for each peer: there are as many peers as jobs.
        for name in ["OMP_NUM_THREADS", "OPENBLAS_NUM_THREADS", "MKL_NUM_THREADS"] {
            command.env(name, "1");
        }
        let mut child = command.spawn().map_err(|e| format!("it cannot be started: {e}"))?;
        let (Some(stdin), Some(stdout)) = (child.stdin.take(), child.stdout.take()) else {
            return Err("it has no pipes".into());
        };
        let mut peer = Self { child, stdin: Some(stdin), stdout: BufReader::new(stdout), stderr };
        let versions = Self::parse(&peer.line()?)?;
        Ok((peer, versions))
    }

    fn ask(&mut self, job: &Job<'_>) -> Result<Answer, String> {
        self.send(&serde_json::to_string(job).map_err(|e| e.to_string())?)?;
        Self::parse(&self.line()?)
    }

    pub(crate) fn send(&mut self, line: &str) -> Result<(), String> {
        let line = format!("{line}\n");
        let sent =
            self.stdin.as_mut().map(|pipe| pipe.write_all(line.as_bytes()).and_then(|()| pipe.flush()));
        match sent {
            Some(Ok(())) => Ok(()),
            _ => Err(self.died()),
        }
    }

    pub(crate) fn line(&mut self) -> Result<String, String> {
        let mut line = String::new();
        match self.stdout.read_line(&mut line) {
            Ok(0) | Err(_) => Err(self.died()),
            Ok(_) => Ok(line),
        }
    }

    /// What a line says, or the failure that it names.
    pub(crate) fn parse<T: serde::de::DeserializeOwned>(line: &str) -> Result<T, String> {
        if let Ok(failure) = serde_json::from_str::<Failure>(line) {
            return Err(format!("it says: {}", failure.error));
        }
        serde_json::from_str(line).map_err(|e| {
            let text: String = line.trim_end().chars().take(60).collect();
            format!("its line is no answer ({e}): `{text}`")
        })
    }

    /// Why there is no answer. A process that hides its output but lives on is not waited for.
    fn died(&mut self) -> String {
        self.stdin = None;
        let since = Instant::now();
        let mut ended = None;
        while since.elapsed() < PATIENCE && ended.is_none() {
            ended = self.child.try_wait().ok().flatten();
            std::thread::sleep(Duration::from_millis(5));
        }
        let how = ended.map_or("it has closed its output".to_string(), |status| format!("it died, {status}"));
        format!("{how}{}", self.last_words())
    }

    /// ` (stderr: …)` with its last lines, or nothing.
    fn last_words(&self) -> String {
        let length = self.stderr.metadata().map_or(0, |file| file.len());
        let mut bytes = vec![0; length.min(2000) as usize];
        let begin = length - bytes.len() as u64;
        let read = self.stderr.read_at(&mut bytes, begin).unwrap_or(0);
        let text = String::from_utf8_lossy(&bytes[..read]).to_string();
        let lines: Vec<&str> = text.lines().rev().take(5).collect();
        match lines.is_empty() {
            true => String::new(),
            false => format!(" (stderr: {})", lines.into_iter().rev().collect::<Vec<_>>().join(" / ")),
        }
    }
}

/// A file that is gone when it is closed.
fn nameless_file() -> std::io::Result<File> {
    static COUNT: AtomicUsize = AtomicUsize::new(0);
    let number = COUNT.fetch_add(1, Ordering::Relaxed);
    let path = std::env::temp_dir().join(format!("enes-peer-{}-{number}", std::process::id()));
    let file = File::options().read(true).append(true).create_new(true).open(&path)?;
    std::fs::remove_file(&path)?;
    Ok(file)
}

impl Drop for Peer {
    fn drop(&mut self) {
        self.stdin = None; // its loop ends with its input
        let _ = self.child.kill();
        let _ = self.child.wait();
    }
}
