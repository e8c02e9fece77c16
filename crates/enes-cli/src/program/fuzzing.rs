//! The readers of what others write, for the fuzzer and for the replay of its corpus: nothing that they get may panic.

use clap::Parser;
use enes::{Optimizer, Settings, WarmStart};

use super::answer::Reading;
use super::build::plan_with;
use super::declared::Declared;
use super::folder::GenerationRecord;
use super::inject::checked;
use super::parameters::{Parameter, Space};
use super::plan::{fill, read_plan, sealed_text};
use super::problem_file::ProblemFile;
use super::record::Evaluation;
use super::stream::first_lines;
use super::worker::read_answer;
use crate::arguments::{Arguments, Command, MinimizeArguments};
use crate::files::{from_slice, read_lines};
use crate::warm_start::rows;

/// Reads bytes that anybody may have written.
pub type Target = fn(&[u8]);

/// Every target by its name.
pub const TARGETS: [(&str, Target); 5] = [
    ("checkpoint", checkpoint),
    ("inject_table", inject_table),
    ("problem_file", problem_file),
    ("run_record", run_record),
    ("worker_reply", worker_reply),
];

/// A checkpoint, with a first line of its own or as a body without one; a search that it gives goes on.
pub fn checkpoint(bytes: &[u8]) {
    let _ = Optimizer::from_checkpoint(bytes);
    // FNV-1a, as the library has it.
    let step = |h: u64, b: &u8| (h ^ u64::from(*b)).wrapping_mul(0x0000_0100_0000_01b3);
    let sum = bytes.iter().fold(0xcbf2_9ce4_8422_2325, step);
    let mut whole = format!("enes-checkpoint 6 {} {sum:016x}\n", bytes.len()).into_bytes();
    whole.extend_from_slice(bytes);
    let Ok(mut es) = Optimizer::from_checkpoint(&whole) else { return };
    let again = es.to_checkpoint();
    assert!(Optimizer::from_checkpoint(&again).is_ok(), "a checkpoint that was read can be written and read");
    let count = es.ask().len();
    let values: Vec<f64> = (0..count).map(|i| i as f64).collect();
    let _ = es.tell(&values);
    let _ = es.ask().len();
}

/// A problem file, as far as the settings of its run.
pub fn problem_file(bytes: &[u8]) {
    let Ok(text) = std::str::from_utf8(bytes) else { return };
    let Some(arguments) = arguments() else { return };
    let Ok(file) = ProblemFile::parse(text) else { return };
    let Ok(plan) = plan_with(&arguments, file) else { return };
    let Ok(space) = plan.space() else { return };
    let x = space.initial();
    for word in &plan.command {
        fill(word, &x, &plan.names);
    }
    if plan.settings(&space).is_ok() {
        let text = sealed_text(&plan).expect("invariant: a plan is plain data");
        assert_eq!(read_plan(&text).as_ref(), Ok(&plan), "a plan that was written can be read");
    }
}

/// `enes minimize problem.toml`.
fn arguments() -> Option<MinimizeArguments> {
    match Arguments::try_parse_from(["enes", "minimize", "problem.toml"]).ok()?.command {
        Command::Minimize(arguments) => Some(*arguments),
        _ => None,
    }
}

/// What a worker or a program prints.
pub fn worker_reply(bytes: &[u8]) {
    for line in first_lines(bytes, 100) {
        let words = ["mass".to_string(), "level=0".to_string()];
        for declared in [Declared::default(), Declared::new(&words, Vec::new(), None).unwrap_or_default()] {
            let _ = read_answer(&line, 7, &declared);
        }
    }
    let text = String::from_utf8_lossy(bytes);
    for (value, violation, constrained) in
        [(None, None, false), (None, None, true), (Some("v"), None, false), (Some("v"), Some("w"), false)]
    {
        let _ = Reading::of(value, violation, constrained).answer(&text);
    }
}

/// A table of points, for `enes inject` and for `--warm-start`.
pub fn inject_table(bytes: &[u8]) {
    let names: Vec<String> = ["a", "b"].map(str::to_string).to_vec();
    let Ok(rows) = rows(bytes.to_vec(), &names, &[]) else { return };
    let (points, values) = rows.iter().map(|row| (row.x.clone(), row.value)).unzip();
    let warm = Settings::new([0.0, 0.0], 1.0).warm_start(Some(WarmStart::from_table(points, values)));
    let _ = Optimizer::new(&warm);
    let bounded = Parameter { lower: Some(-5.0), upper: Some(5.0), ..Parameter::named("a".into()) };
    let whole = Parameter { integer: true, ..Parameter::named("b".into()) };
    if let Ok(space) = Space::new(&[bounded, whole], 1.0) {
        let _ = checked(rows, &space, &Declared::default());
    }
}

/// The files of a run folder.
pub fn run_record(bytes: &[u8]) {
    for sealed in [true, false] {
        let _ = read_lines(bytes, sealed, |line, _| from_slice::<Evaluation>(line).map(|_| ()));
        let _ = read_lines(bytes, sealed, |line, _| from_slice::<GenerationRecord>(line).map(|_| ()));
    }
    if let Ok(text) = std::str::from_utf8(bytes)
        && let Ok(plan) = read_plan(text)
        && let Ok(space) = plan.space()
    {
        let _ = plan.settings(&space);
    }
}
