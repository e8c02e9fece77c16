//! The record of evaluations: `evaluations.jsonl`, on the disk line by line, in memory only what is still needed.
//!
//! An evaluation stays in memory from the moment it lands, or is read, until the search has been told it. Of all others
//! the record keeps a count, the failures, the best one and a running checksum, so that a long run needs no more memory
//! than a short one.

use std::collections::{BTreeMap, HashMap};
use std::fs::File;
use std::io;
use std::path::Path;
use std::time::{Duration, Instant};

use serde::de::IgnoredAny;
use serde::{Deserialize, Serialize};

use super::answer::order;
use super::durable::Durable;
use super::evaluator::{Landed, Reply};
use crate::files::{self, append, from_slice, open_lines};

/// One evaluation: one JSON line.
#[derive(Clone, Debug, Deserialize, PartialEq, Serialize)]
pub(crate) struct Evaluation {
    pub(crate) id: u64,
    pub(crate) generation: u64,
    pub(crate) x: Vec<f64>,
    /// Null for a failure, where the value is infinite, and where an infeasible point has none.
    pub(crate) value: Option<f64>,
    /// `inf` or `-inf`, which JSON has no number for.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub(crate) infinite: Option<String>,
    /// By how much the point violates the constraints, where the program tells so; 0 or less is feasible.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub(crate) violation: Option<f64>,
    /// The values of the constraints that the program tells one by one, in the order of the settings; then `violation` is
    /// the largest violation of all, 0 where that is within the tolerance.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub(crate) constraints: Vec<f64>,
    pub(crate) seconds: f64,
    pub(crate) failure: Option<String>,
    /// In an asynchronous run, whose evaluations are numbered as they come back: which point it was, counted as they
    /// were asked for, and how many had been asked for.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub(crate) point: Option<u64>,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub(crate) asked: Option<u64>,
}

/// The same without its coordinates.
#[derive(Debug, Deserialize)]
struct Brief {
    id: u64,
    value: Option<f64>,
    infinite: Option<IgnoredAny>,
    violation: Option<f64>,
    failure: Option<IgnoredAny>,
}

/// Characters of a failure that the record keeps.
const LONGEST_REASON: usize = 2000;

/// The record is forced to the disk at least this often.
const SYNC_EVERY: Duration = Duration::from_secs(1);

impl Evaluation {
    pub(crate) fn new(landed: &Landed, generation: u64) -> Self {
        let mut constraints = Vec::new();
        let (value, violation, failure) = match &landed.reply {
            Reply::Value(answer) => {
                constraints.clone_from(&answer.constraints);
                (Some(answer.value), answer.violation, None)
            }
            Reply::Failure(reason) => (None, None, Some(reason.chars().take(LONGEST_REASON).collect())),
            Reply::Interrupted => (None, None, Some("interrupted".into())),
        };
        Self {
            id: landed.task.id,
            generation,
            x: landed.task.x.clone(),
            value: value.filter(|v| v.is_finite()),
            infinite: value.filter(|v| v.is_infinite()).map(|v| v.to_string()),
            violation,
            constraints,
            seconds: landed.seconds,
            failure,
            point: None,
            asked: None,
        }
    }

    /// The values of so many constraints, as the optimizer gets them: NaN for a failure.
    pub(crate) fn row(&self, width: usize) -> Vec<f64> {
        if self.constraints.len() == width { self.constraints.clone() } else { vec![f64::NAN; width] }
    }

    /// The value as the optimizer gets it: NaN for a failure.
    pub(crate) fn number(&self) -> f64 {
        let infinite = self.infinite.as_deref().and_then(|t| t.parse().ok());
        self.value.or(infinite).unwrap_or(f64::NAN)
    }
}

/// The best point so far: a feasible one before an infeasible one, then the least number, an injected one last.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub(crate) struct BestSoFar {
    /// Which evaluation; none for a point that was injected.
    pub(crate) id: Option<u64>,
    pub(crate) value: f64,
    /// 0 where it is feasible.
    pub(crate) violation: f64,
    pub(crate) x: Vec<f64>,
}

impl BestSoFar {
    fn is_before(&self, other: &Self) -> bool {
        let key = |b: &Self| (order(b.value, b.violation), b.id.unwrap_or(u64::MAX));
        key(self) < key(other)
    }

    fn is_below(&self, value: f64, violation: f64) -> bool {
        order(self.value, self.violation) < order(value, violation)
    }
}

/// What is known of all evaluations, told or not.
#[derive(Clone, Debug, Default)]
pub(crate) struct Tally {
    pub(crate) count: u64,
    pub(crate) failures: u64,
    /// Failures since the last value.
    pub(crate) failures_in_a_row: u64,
    pub(crate) best: Option<BestSoFar>,
}

impl Tally {
    fn count(&mut self, evaluation: &Evaluation) {
        self.count += 1;
        if evaluation.failure.is_some() {
            self.failures += 1;
            self.failures_in_a_row += 1;
            return;
        }
        self.failures_in_a_row = 0;
        let value = evaluation.number();
        let violation = evaluation.violation.unwrap_or(0.0).max(0.0);
        // The point is copied only where it may be the best.
        if self.best.as_ref().is_none_or(|best| !best.is_below(value, violation)) {
            self.compare(BestSoFar { id: Some(evaluation.id), value, violation, x: evaluation.x.clone() });
        }
    }

    /// Whether an evaluation may be the best one so far.
    fn may_lead(&self, e: &Brief) -> bool {
        let Some(best) = &self.best else { return e.failure.is_none() };
        let below = |value: f64| !best.is_below(value, e.violation.unwrap_or(0.0).max(0.0));
        e.failure.is_none() && (e.infinite.is_some() || e.value.is_none_or(below))
    }

    /// Count an evaluation that cannot be the best.
    fn skip(&mut self, e: &Brief) {
        self.count += 1;
        let failed = e.failure.is_some();
        self.failures += u64::from(failed);
        self.failures_in_a_row = if failed { self.failures_in_a_row + 1 } else { 0 };
    }

    /// Keep a point that is better than the best.
    pub(crate) fn compare(&mut self, point: BestSoFar) {
        if self.best.as_ref().is_none_or(|best| point.is_before(best)) {
            self.best = Some(point);
        }
    }
}

/// A running checksum over evaluations 0, 1, 2 and so on, which land in any order.
#[derive(Debug)]
struct Running {
    /// Evaluations 0 to this one are in it.
    next: u64,
    sum: u64,
    /// The checksums of later ones.
    waiting: BTreeMap<u64, u64>,
}

impl Running {
    fn new() -> Self {
        Self { next: 0, sum: files::checksum(b""), waiting: BTreeMap::new() }
    }

    /// Take note of an evaluation; `false` where it was there already.
    fn add(&mut self, id: u64, sum: u64) -> bool {
        id >= self.next && self.waiting.insert(id, sum).is_none()
    }

    /// Go on to the first n evaluations, or to the first that is missing.
    fn advance(&mut self, n: u64) {
        while self.next < n
            && let Some(sum) = self.waiting.remove(&self.next)
        {
            self.sum = files::chain(self.sum, &sum.to_le_bytes());
            self.next += 1;
        }
    }
}

/// The record of a run, open for appending.
#[derive(Debug)]
pub(crate) struct Record {
    file: File,
    durable: Durable,
    synced: Instant,
    /// Those that the search has not been told yet, by number.
    waiting: HashMap<u64, Evaluation>,
    pub(crate) tally: Tally,
    running: Running,
    /// Bytes of a last line without its end, which were cut off.
    pub(crate) torn: usize,
}

impl Record {
    /// Open the record of a search that has been told the first `told` evaluations.
    ///
    /// # Errors
    /// A damaged line, an evaluation that is there twice, or what the system says; nothing was written.
    pub(crate) fn open(path: &Path, sealed: bool, told: u64) -> io::Result<Self> {
        let (mut waiting, mut tally, mut running) = (HashMap::new(), Tally::default(), Running::new());
        let lines = open_lines(path, sealed, |line, sum| {
            // Of most lines the coordinates are not needed, and reading them takes the longest.
            let brief: Brief = from_slice(line)?;
            if !running.add(brief.id, sum) {
                return Err(format!("evaluation {} is there twice", brief.id));
            }
            running.advance(told);
            if brief.id < told && !tally.may_lead(&brief) {
                tally.skip(&brief);
                return Ok(());
            }
            let evaluation: Evaluation = from_slice(line)?;
            tally.count(&evaluation);
            if evaluation.id >= told {
                waiting.insert(evaluation.id, evaluation);
            }
            Ok(())
        })?;
        let durable = Durable::new(&lines.file)?;
        let (file, torn, synced) = (lines.file, lines.torn, Instant::now());
        Ok(Self { file, durable, synced, waiting, tally, running, torn })
    }

    /// An evaluation that the search has not been told yet.
    pub(crate) fn get(&self, id: u64) -> Option<&Evaluation> {
        self.waiting.get(&id)
    }

    pub(crate) fn add(&mut self, evaluation: Evaluation) -> io::Result<()> {
        let sum = append(&mut self.file, &evaluation)?;
        self.running.add(evaluation.id, sum);
        self.tally.count(&evaluation);
        // An evaluation that took longer than the disk does is worth more than the wait.
        let costly = evaluation.seconds > self.durable.seconds();
        if costly || self.synced.elapsed() > SYNC_EVERY {
            self.sync_soon();
        }
        self.waiting.insert(evaluation.id, evaluation);
        Ok(())
    }

    /// Failures among the evaluations that the search has been told, where these are the first `told`.
    pub(crate) fn failures_before(&self, told: u64) -> u64 {
        let later = self.waiting.values().filter(|e| e.id >= told && e.failure.is_some()).count();
        self.tally.failures - later as u64
    }

    /// The search knows evaluations 0 to this one: they are on the disk soon, and no longer in memory.
    pub(crate) fn told(&mut self, evaluations: u64) {
        self.waiting.retain(|id, _| *id >= evaluations);
        self.running.advance(evaluations);
        self.sync_soon();
    }

    fn sync_soon(&mut self) {
        self.durable.soon();
        self.synced = Instant::now();
    }

    /// Wait until all of it is on the disk.
    pub(crate) fn sync(&mut self) -> io::Result<()> {
        self.durable.now()?;
        self.synced = Instant::now();
        Ok(())
    }

    /// The checksum of the first n evaluations, which the search has been told; `None` where one is missing.
    pub(crate) fn sum_of(&self, n: u64) -> Option<u64> {
        (self.running.next == n).then_some(self.running.sum)
    }
}
