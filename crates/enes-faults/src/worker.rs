//! The program that is minimized: well-behaved or hostile, and with a log of its calls outside the run folder.

use std::fs::OpenOptions;
use std::io::{BufRead, Write};
use std::path::Path;
use std::time::Duration;

use serde_json::{Value, json};

use crate::random::mix;

/// What the objective has besides a value, in one word: any of the letters.
///
/// `n` noise, `c` constraints, `f` failures, `s` slow now and then.
#[derive(Clone, Debug)]
pub(crate) struct Traits(String);

impl Traits {
    pub(crate) fn new(letters: &str) -> Self {
        Self(letters.to_string())
    }

    fn has(&self, letter: char) -> bool {
        self.0.contains(letter)
    }
}

/// Everything follows from the point and, with noise, from the number of the evaluation.
fn hash(x: &[f64], id: u64) -> u64 {
    x.iter().fold(mix(id + 1), |h, v| mix(h ^ v.to_bits()))
}

struct Outcome {
    value: f64,
    violation: Option<f64>,
    fails: bool,
}

fn objective(x: &[f64], id: u64, traits: &Traits) -> Outcome {
    let term = |(i, v): (usize, &f64)| (i + 1) as f64 * (v - 0.3 * i as f64).powi(2);
    let mut value: f64 = x.iter().enumerate().map(term).sum();
    if traits.has('n') {
        value += 0.1 * (hash(x, id) >> 11) as f64 / (1u64 << 53) as f64;
    }
    if traits.has('s') {
        std::thread::sleep(Duration::from_micros(hash(x, 1) % 1500));
    }
    let violation = traits.has('c').then(|| x.first().map_or(0.0, |v| 0.5 - v));
    Outcome { value, violation, fails: traits.has('f') && hash(x, 2).is_multiple_of(9) }
}

/// Append a line in one write: several workers share the log.
pub(crate) fn note(log: &Path, text: &str) {
    if let Ok(mut file) = OpenOptions::new().create(true).append(true).open(log) {
        let _ = file.write_all(format!("{text}\n").as_bytes());
    }
}

/// One call, the point as arguments.
pub(crate) fn once(log: &Path, traits: &Traits, point: &[String]) -> u8 {
    note(log, &format!("{} call", std::process::id()));
    let x: Vec<f64> = point.iter().filter_map(|v| v.parse().ok()).collect();
    let outcome = objective(&x, 0, traits);
    if outcome.fails {
        return 3;
    }
    let mut out = std::io::stdout().lock();
    let _ = match outcome.violation {
        Some(violation) => writeln!(out, "{} {violation}", outcome.value),
        None => writeln!(out, "{}", outcome.value),
    };
    0
}

/// A worker, until the end of its input.
pub(crate) fn serve(log: &Path, traits: &Traits) -> u8 {
    note(log, &format!("{} start", std::process::id()));
    for line in std::io::stdin().lock().lines().map_while(Result::ok) {
        let Some((id, x)) = question(&line) else { return 1 };
        note(log, &format!("{} call", std::process::id()));
        let outcome = objective(&x, id, traits);
        let mut answer = json!({"id": id, "value": outcome.value});
        if let Some(violation) = outcome.violation {
            answer["violation"] = violation.into();
        }
        if outcome.fails {
            answer = json!({"id": id, "error": "diverged"});
        }
        if say(format!("{answer}\n").as_bytes()).is_err() {
            return 1;
        }
    }
    // Who waits here is ended from outside; who is not outlives the optimizer, and the campaign sees it.
    std::thread::sleep(Duration::from_secs(3));
    0
}

pub(crate) fn question(line: &str) -> Option<(u64, Vec<f64>)> {
    let question: Value = serde_json::from_str(line).ok()?;
    let x = question["x"].as_array()?.iter().filter_map(Value::as_f64).collect();
    Some((question["id"].as_u64()?, x))
}

pub(crate) fn say(bytes: &[u8]) -> std::io::Result<()> {
    let mut out = std::io::stdout().lock();
    out.write_all(bytes).and_then(|()| out.flush())
}
