//! The cases, one after the other, and the table at their end.

use std::fs::{self, OpenOptions};
use std::io::Write;
use std::path::{Path, PathBuf};
use std::sync::Mutex;
use std::sync::atomic::{AtomicU64, Ordering};
use std::time::{Duration, Instant};

use crate::place::{Place, Programs};
use crate::random::Random;
use crate::tally::{Finished, Tally, table};
use crate::{calls, damage, hostile, kills, phrases};

const USAGE: &str = "\
usage: cargo xtask faults [--minutes N] [--seed S] [--case K] [--kind NAME] [--threads N] [--fresh]

  --minutes N   how long [20]
  --seed S      which cases [1]
  --case K      this one alone
  --kind NAME   only: kills, workers, calls, files, programs, words
  --threads N   cases at the same time [1]
  --fresh       forget the cases that have ended: target/faults/S.jsonl";

/// What a case does.
type Case = fn(&Place, &mut Random) -> Tally;

/// Every case in its turn; files and kills are the most.
const WHEEL: [(&str, Case); 12] = [
    ("kills", kills::optimizer),
    ("files", damage::files),
    ("words", phrases::hostile),
    ("kills", kills::optimizer),
    ("workers", kills::workers),
    ("kills", kills::optimizer),
    ("files", damage::files),
    ("calls", calls::failing),
    ("kills", kills::optimizer),
    ("programs", hostile::programs),
    ("kills", kills::optimizer),
    ("calls", calls::failing),
];

struct Options {
    minutes: f64,
    seed: u64,
    case: Option<u64>,
    kind: Option<String>,
    threads: usize,
    fresh: bool,
}

impl Options {
    fn read(words: &[&str]) -> Option<Self> {
        let mut options = Self { minutes: 20.0, seed: 1, case: None, kind: None, threads: 1, fresh: false };
        let mut words = words.iter();
        while let Some(word) = words.next() {
            match *word {
                "--fresh" => options.fresh = true,
                "--minutes" => options.minutes = words.next()?.parse().ok()?,
                "--seed" => options.seed = words.next()?.parse().ok()?,
                "--case" => options.case = Some(words.next()?.parse().ok()?),
                "--kind" => options.kind = Some(words.next()?.to_string()),
                "--threads" => options.threads = words.next()?.parse().ok()?,
                _ => return None,
            }
        }
        let known = |kind: &String| WHEEL.iter().any(|(name, _)| name == kind);
        options.kind.as_ref().is_none_or(known).then_some(options)
    }
}

/// The whole campaign; its exit code.
pub(crate) fn main(words: &[&str]) -> u8 {
    let Some(options) = Options::read(words) else {
        eprintln!("{USAGE}");
        return 2;
    };
    let Some(programs) = programs() else {
        eprintln!("there is no `enes` beside this program: build it first, as `cargo xtask faults` does");
        return 2;
    };
    let state = PathBuf::from(format!("target/faults/{}.jsonl", options.seed));
    if options.fresh {
        let _ = fs::remove_file(&state);
    }
    let straced = calls::available();
    if !straced {
        println!("strace is not here, or may not trace: no system calls fail");
    }
    let mut finished = if options.case.is_some() { Vec::new() } else { read_state(&state) };
    let end = Instant::now() + Duration::from_secs_f64(60.0 * options.minutes);
    let done: Vec<u64> = finished.iter().map(|f| f.case).collect();
    let (next, new) = (AtomicU64::new(options.case.unwrap_or(0)), Mutex::new(Vec::new()));
    let serve = || {
        loop {
            let case = next.fetch_add(1, Ordering::Relaxed);
            if options.case.is_some_and(|only| only != case) || Instant::now() > end {
                return;
            }
            let (kind, run) = WHEEL[(case % WHEEL.len() as u64) as usize];
            let wanted = options.kind.as_ref().is_none_or(|k| k == kind) && (straced || kind != "calls");
            if options.case.is_none() && (!wanted || done.contains(&case)) {
                continue;
            }
            let result = perform(&programs, options.seed, case, kind, run);
            tell(&result, options.seed);
            let mut new = new.lock().unwrap_or_else(|e| e.into_inner());
            if options.case.is_none() {
                append(&state, &result);
            }
            new.push(result);
        }
    };
    std::thread::scope(|scope| {
        for _ in 0..options.threads.max(1) {
            scope.spawn(serve);
        }
    });
    finished.extend(new.into_inner().unwrap_or_default());
    let (text, sound) = table(&finished);
    println!("\nseed {}, {} cases\n\n{text}", options.seed, finished.len());
    u8::from(!sound)
}

/// `enes` and this program lie in one folder.
fn programs() -> Option<Programs> {
    let own = std::env::current_exe().ok()?;
    let enes = own.with_file_name("enes");
    enes.is_file().then_some(Programs { enes, own })
}

fn perform(programs: &Programs, seed: u64, case: u64, kind: &str, run: Case) -> Finished {
    let start = Instant::now();
    let mut random = Random::of_case(seed, case);
    let tally = match Place::new(programs, &format!("{seed}-{case}")) {
        Ok(place) => run(&place, &mut random),
        Err(error) => {
            let mut tally = Tally::default();
            tally.wrong(format!("no folder for the case: {error}"));
            tally
        }
    };
    Finished { case, kind: kind.into(), seconds: start.elapsed().as_secs_f64(), tally }
}

/// A word about a case that failed, and how to repeat it.
fn tell(finished: &Finished, seed: u64) {
    if finished.tally.failed() {
        println!(
            "case {} ({}) FAILED; repeat it with `cargo xtask faults --seed {seed} --case {0}`",
            finished.case, finished.kind
        );
        for note in &finished.tally.notes {
            println!("  {}", note.escape_debug());
        }
    } else if finished.case.is_multiple_of(100) {
        println!("case {}", finished.case);
    }
}

fn read_state(path: &Path) -> Vec<Finished> {
    let text = fs::read_to_string(path).unwrap_or_default();
    text.lines().filter_map(|line| serde_json::from_str(line).ok()).collect()
}

fn append(path: &Path, finished: &Finished) {
    let _ = path.parent().map(fs::create_dir_all);
    let line = serde_json::to_string(finished).unwrap_or_default();
    let file = OpenOptions::new().create(true).append(true).open(path);
    if let Err(error) = file.and_then(|mut file| file.write_all(format!("{line}\n").as_bytes())) {
        eprintln!("cannot write {}: {error}", path.display());
    }
}
