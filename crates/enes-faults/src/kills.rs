//! Kills at random moments, of the optimizer and of its workers: the run ends as if nothing had happened.

use std::collections::BTreeSet;
use std::fs;
use std::time::{Duration, Instant};

use crate::place::{PATIENCE, Place, Signal, finish, is_alive, lines, signal, start};
use crate::random::Random;
use crate::run::{Expected, Run, calls, check_orphans, next_words, pids, result_of};
use crate::tally::Tally;

/// Kills of one run.
const KILLS: usize = 6;

/// Kill the optimizer a few times, continue it each time, and compare.
pub(crate) fn optimizer(place: &Place, random: &mut Random) -> Tally {
    let mut tally = Tally::default();
    let run = Run::draw(random, 120);
    let Some(expected) = run.expected(place, &mut tally) else { return tally };
    let mut allowed = 0;
    for _ in 0..KILLS {
        let jobs = random.chance(0.3).then(|| random.between(1, 4));
        let words = next_words(&run, place, jobs);
        let begun = !words[0].starts_with("minimize");
        let Some(mut child) = start(&mut place.enes(&words)) else { return tally };
        let ended = wait(place, random, &mut child, &run, &expected);
        if ended {
            break; // before the fault came
        }
        let how =
            *random.pick(&[Signal::KILL, Signal::KILL, Signal::KILL, Signal::TERM, Signal::INT, Signal::HUP]);
        signal(child.id(), how);
        let patience = Instant::now();
        let status = loop {
            if let Ok(Some(status)) = child.try_wait() {
                break status;
            }
            if patience.elapsed() > Duration::from_secs(2) {
                tally.hangs += 1;
                tally.note(format!("two seconds after {how:?} it is still there"));
                let _ = child.kill();
                let _ = child.wait();
                return tally;
            }
            std::thread::sleep(Duration::from_micros(200));
        };
        if !matches!(status.code(), Some(0 | 1)) {
            tally.faults += 1;
            allowed += if begun { jobs.unwrap_or(run.jobs) } else { run.jobs };
        }
        if status.code() == Some(101) {
            tally.panics += 1;
            tally.note("it panicked when it was to end");
        }
        check_orphans(place, "calls.log", &mut tally);
    }
    conclude(place, &run, &expected, allowed, &mut tally);
    tally
}

/// Wait for a moment of the run that is drawn by lot. Whether it has ended before.
fn wait(
    place: &Place,
    random: &mut Random,
    child: &mut std::process::Child,
    run: &Run,
    expected: &Expected,
) -> bool {
    let record = place.path("r").join("evaluations.jsonl");
    let length = || fs::metadata(&record).map_or(0, |file| file.len());
    let start = Instant::now();
    let before = length();
    // About two hundred bytes a record.
    let more = if random.chance(0.35) { 0 } else { 100 + random.below(200 * run.evaluations / 4) as u64 };
    let also = match more {
        0 => Duration::from_secs_f64(random.unit() * 0.02f64.max(0.2 * expected.took.as_secs_f64())),
        _ => Duration::from_micros(random.below(2500) as u64),
    };
    let ended = |child: &mut std::process::Child| child.try_wait().ok().flatten().is_some();
    while length() < before + more {
        if ended(child) || start.elapsed() > PATIENCE {
            return true;
        }
        std::thread::sleep(Duration::from_micros(100));
    }
    std::thread::sleep(also);
    ended(child)
}

/// Continue to the end and compare everything.
fn conclude(place: &Place, run: &Run, expected: &Expected, allowed: usize, tally: &mut Tally) {
    let ended = finish(&mut place.enes(&next_words(run, place, None)), PATIENCE);
    expected.compare(place, "r", &ended, tally);
    check_orphans(place, "calls.log", tally);
    let verified = place.run(&["verify".into(), "r".into()]);
    if verified.code() != Some(0) {
        tally.wrong(format!("the folder is not sound at the end: {}", verified.words()));
    }
    if let Some(result) = result_of(&ended) {
        let needed = result["evaluations"].as_u64().unwrap_or(0) as usize;
        let twice = calls(place, "calls.log").saturating_sub(needed);
        tally.twice += twice as u64;
        if twice > allowed {
            tally.too_often += (twice - allowed) as u64;
            tally.note(format!("{twice} evaluations were run twice, {allowed} are allowed"));
        }
    }
}

/// Whether a program that was not there before has had two questions, so that the first of them is answered.
fn has_answered(place: &Place, before: &BTreeSet<u32>) -> bool {
    let new = pids(place, "calls.log").into_iter().filter(|pid| !before.contains(pid));
    let log = lines(&place.path("calls.log"));
    new.into_iter().any(|pid| log.iter().filter(|line| **line == format!("{pid} call")).count() > 1)
}

/// Kill workers, none twice over one question: they are started again, and nobody sees it in the result.
pub(crate) fn workers(place: &Place, random: &mut Random) -> Tally {
    let mut tally = Tally::default();
    let run = Run::with(random, 120, true);
    let Some(expected) = run.expected(place, &mut tally) else { return tally };
    let Some(mut child) = start(&mut place.enes(&run.minimize(place, "r", "calls.log"))) else {
        return tally;
    };
    let begin = Instant::now();
    // Calls at the last kill, and the programs that were there before its successor.
    let (mut seen, mut before) = (0, BTreeSet::new());
    while child.try_wait().ok().flatten().is_none() {
        let now = calls(place, "calls.log");
        if now > seen + run.jobs + random.below(10) && (before.is_empty() || has_answered(place, &before)) {
            (seen, before) = (now, pids(place, "calls.log"));
            std::thread::sleep(Duration::from_micros(random.below(800) as u64));
            let alive: Vec<u32> = pids(place, "calls.log").into_iter().filter(|pid| is_alive(*pid)).collect();
            if !alive.is_empty() {
                signal(*random.pick(&alive), Signal::KILL);
                tally.faults += 1;
            }
        }
        if begin.elapsed() > PATIENCE {
            tally.hangs += 1;
            tally.note("it hangs after a worker was killed");
            let _ = child.kill();
            let _ = child.wait();
            return tally;
        }
        std::thread::sleep(Duration::from_micros(300));
    }
    let killed = tally.faults as usize;
    conclude(place, &run, &expected, killed, &mut tally);
    tally
}
