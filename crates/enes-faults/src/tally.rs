//! What a case found; the table of all.

use std::collections::BTreeMap;
use std::fmt::Write as _;

use serde::{Deserialize, Serialize};

use crate::place::Ended;

/// What one case found, or many together.
#[derive(Clone, Debug, Default, Deserialize, Serialize)]
pub(crate) struct Tally {
    /// Kills, failed calls, damaged files, hostile programs, hostile words.
    pub(crate) faults: u64,
    pub(crate) lost: u64,
    pub(crate) duplicated: u64,
    pub(crate) wrong: u64,
    pub(crate) panics: u64,
    pub(crate) hangs: u64,
    /// Programs that outlived their optimizer.
    pub(crate) orphans: u64,
    /// Evaluations that were run again, and those beyond what is promised.
    pub(crate) twice: u64,
    pub(crate) too_often: u64,
    /// What went wrong, in words.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub(crate) notes: Vec<String>,
}

impl Tally {
    pub(crate) fn failed(&self) -> bool {
        let bad =
            [self.lost, self.duplicated, self.wrong, self.panics, self.hangs, self.orphans, self.too_often];
        bad.iter().any(|n| *n > 0)
    }

    pub(crate) fn note(&mut self, text: impl Into<String>) {
        self.notes.push(text.into().chars().take(600).collect());
    }

    pub(crate) fn wrong(&mut self, text: impl Into<String>) {
        self.wrong += 1;
        self.note(text);
    }

    /// Count a panic, a hang or control characters. Whether the command behaved.
    pub(crate) fn behaved(&mut self, what: &str, ended: &Ended) -> bool {
        let tail = || {
            ended.words().chars().rev().take(300).collect::<Vec<_>>().into_iter().rev().collect::<String>()
        };
        if ended.hung {
            self.hangs += 1;
            self.note(format!("{what}: hangs: {}", tail()));
        } else if ended.panicked() {
            self.panics += 1;
            self.note(format!("{what}: died with {:?}: {}", ended.status, tail()));
        } else if let Some(c) = ended.raw_controls() {
            self.wrong(format!("{what}: prints the raw character {c:?}"));
        } else {
            return true;
        }
        false
    }

    fn add(&mut self, other: &Self) {
        self.faults += other.faults;
        self.lost += other.lost;
        self.duplicated += other.duplicated;
        self.wrong += other.wrong;
        self.panics += other.panics;
        self.hangs += other.hangs;
        self.orphans += other.orphans;
        self.twice += other.twice;
        self.too_often += other.too_often;
    }
}

/// A finished case: one line of the state file.
#[derive(Clone, Debug, Deserialize, Serialize)]
pub(crate) struct Finished {
    pub(crate) case: u64,
    pub(crate) kind: String,
    pub(crate) seconds: f64,
    #[serde(flatten)]
    pub(crate) tally: Tally,
}

/// The table of these cases, and whether nothing went wrong.
pub(crate) fn table(cases: &[Finished]) -> (String, bool) {
    let mut kinds: BTreeMap<&str, (u64, Tally)> = BTreeMap::new();
    for case in cases {
        let (count, sum) = kinds.entry(&case.kind).or_default();
        *count += 1;
        sum.add(&case.tally);
    }
    let mut text = String::from(
        "| kind | cases | faults | lost | duplicated | silently wrong | panics | hangs | orphans | run twice | beyond the promise |\n\
         |---|---|---|---|---|---|---|---|---|---|---|\n",
    );
    for (kind, (count, t)) in &kinds {
        let _ = writeln!(
            text,
            "| {kind} | {count} | {} | {} | {} | {} | {} | {} | {} | {} | {} |",
            t.faults, t.lost, t.duplicated, t.wrong, t.panics, t.hangs, t.orphans, t.twice, t.too_often
        );
    }
    (text, !cases.iter().any(|case| case.tally.failed()))
}
