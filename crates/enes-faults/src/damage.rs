//! Damaged files: flipped bits, truncations, zeroed ranges in every file of a run folder. The right result, or an error.

use std::collections::BTreeMap;
use std::fs;

use crate::place::{Ended, Place, words};
use crate::random::Random;
use crate::run::{Expected, Run, record_of, result_of};
use crate::tally::Tally;

/// Damages to the files of one run.
const DAMAGES: usize = 10;

type Files = BTreeMap<String, Vec<u8>>;

/// What was done to a file.
#[derive(Clone, Copy, Debug, PartialEq)]
enum Damage {
    Flip,
    Truncate,
    Zero,
}

/// Damage one file after the other, and look what verify, report and resume make of it.
pub(crate) fn files(place: &Place, random: &mut Random) -> Tally {
    let mut tally = Tally::default();
    let Some((expected, again)) = base(place, random, &mut tally) else { return tally };
    let whole = read_all(place);
    let page = whole.get("report.html").cloned().unwrap_or_default();
    let names: Vec<&String> = whole.keys().filter(|name| *name != "report.html").collect();
    for _ in 0..DAMAGES {
        restore(place, &whole);
        let name = random.pick(&names).as_str();
        let bytes = &whole[name];
        if bytes.is_empty() {
            continue;
        }
        let (damaged, kind, at) = damage(bytes, random);
        fs::write(place.path("r").join(name), &damaged).unwrap_or_default();
        tally.faults += 1;
        let what = format!("{kind:?} at {at} of {} in {name}", bytes.len());
        let torn = kind == Damage::Truncate || (name.ends_with("jsonl") && !damaged.ends_with(b"\n"));
        verify(place, name, torn, &what, &mut tally);
        report(place, torn, &what, &page, &mut tally);
        if kind == Damage::Truncate || random.chance(0.7) {
            resume(place, &again, &what, &expected, &mut tally);
        }
    }
    tally
}

/// A finished run, half of them with points from outside, and the command that resumes it.
fn base(place: &Place, random: &mut Random, tally: &mut Tally) -> Option<(Expected, Vec<String>)> {
    let run = Run::with(random, 60, true);
    let expected = run.expected(place, tally)?;
    let injected = random.chance(0.5);
    let again = words(&format!("resume r --json --max-evaluations {}", run.evaluations));
    let all = run.minimize(place, "r", "calls.log");
    let ended = if injected {
        // Half of the run, then a point, then the rest.
        let mut half = all;
        let at = half.iter().position(|w| w == "--max-evaluations").unwrap_or(0) + 1;
        half[at] = (run.evaluations / 2).max(1).to_string();
        place.run(&half);
        let d = record_of(place, "r").coordinates();
        // A target that a point from outside meets would end the run where it is.
        let best = if run.has_target() { "8.5" } else { *random.pick(&["8.5", "-1.5"]) };
        let point: Vec<String> = (0..d).map(|_| "2.0".to_string()).collect();
        place.write("points.csv", format!("{0},7.5\n{0},{best}\n", point.join(",")));
        place.run(&words("inject r points.csv"));
        place.run(&again)
    } else {
        place.run(&all)
    };
    if !tally.behaved("the run to be damaged", &ended) {
        return None;
    }
    let result = result_of(&ended)?;
    Some((Expected { result, record: record_of(place, "r"), ..expected }, again))
}

fn read_all(place: &Place) -> Files {
    let entries = fs::read_dir(place.path("r")).into_iter().flatten().flatten();
    let named = entries.map(|e| (e.file_name().to_string_lossy().to_string(), e.path()));
    named.filter_map(|(name, path)| Some((name, fs::read(path).ok()?))).collect()
}

fn restore(place: &Place, files: &Files) {
    let root = place.path("r");
    let _ = fs::remove_dir_all(&root);
    let _ = fs::create_dir(&root);
    for (name, bytes) in files {
        let _ = fs::write(root.join(name), bytes);
    }
}

fn damage(bytes: &[u8], random: &mut Random) -> (Vec<u8>, Damage, usize) {
    let mut damaged = bytes.to_vec();
    let at = random.below(damaged.len());
    let kind = *random.pick(&[Damage::Flip, Damage::Flip, Damage::Truncate, Damage::Zero]);
    match kind {
        Damage::Flip => damaged[at] ^= 1 << random.below(8),
        Damage::Truncate => damaged.truncate(at),
        Damage::Zero => {
            let length = random.between(1, 512);
            damaged[at..].iter_mut().take(length).for_each(|b| *b = 0);
        }
    }
    (damaged, kind, at)
}

/// A clear error: the code, and a word about it.
fn is_refusal(ended: &Ended) -> bool {
    ended.code() == Some(2) && ended.words().contains("error: ")
}

/// What verify calls sound must be so, up to an end that is missing.
fn verify(place: &Place, name: &str, torn: bool, what: &str, tally: &mut Tally) {
    let ended = place.run(&words("verify r"));
    if !tally.behaved(&format!("verify, {what}"), &ended) {
        return;
    }
    if ended.words().contains(&format!("{name}: sound")) && !torn {
        tally.wrong(format!("verify calls it sound: {what}"));
    }
}

/// A page must be the same, or there is an error. What is missing at the end may be a run under way.
fn report(place: &Place, torn: bool, what: &str, page: &[u8], tally: &mut Tally) {
    let ended = place.run(&words("report r"));
    if !tally.behaved(&format!("report, {what}"), &ended) || is_refusal(&ended) {
        return;
    }
    let written = fs::read(place.path("r").join("report.html")).unwrap_or_default();
    if ended.code() != Some(0) || (written != page && !torn) {
        tally.wrong(format!("report, {what}: {:?}, {}", ended.code(), ended.words()));
    }
}

fn resume(place: &Place, again: &[String], what: &str, expected: &Expected, tally: &mut Tally) {
    let ended = place.run(again);
    if !tally.behaved(&format!("resume, {what}"), &ended) || is_refusal(&ended) {
        return;
    }
    let before = tally.notes.len();
    expected.compare(place, "r", &ended, tally);
    if tally.notes.len() > before {
        tally.note(format!("resume, {what}: {}", ended.words()));
    }
}
