//! System calls that fail, or that are the last: by strace, where it is installed.

use std::fs;
use std::process::Command;

use crate::place::{PATIENCE, Place, finish};
use crate::random::Random;
use crate::run::{Run, check_orphans, next_words, result_of};
use crate::tally::Tally;

/// The calls of the optimizer's main thread, and how often it makes them in such a run at most.
const CALLS: [(&str, usize); 8] = [
    ("write", 60),
    ("fsync", 12),
    ("rename", 8),
    ("openat", 40),
    ("mkdir", 2),
    ("unlink", 8),
    ("ftruncate", 1),
    ("flock", 3),
];

/// Whether strace is here and may trace.
pub(crate) fn available() -> bool {
    let traced = Command::new("strace").args(["-qq", "-o", "/dev/null", "true"]).output();
    traced.is_ok_and(|output| output.status.success())
}

/// Let a call fail in a run, or in the run that continues a killed one; then continue.
pub(crate) fn failing(place: &Place, random: &mut Random) -> Tally {
    let mut tally = Tally::default();
    let run = Run::draw(random, 40);
    let Some(expected) = run.expected(place, &mut tally) else { return tally };
    for _ in 0..3 {
        let (injection, options) = injection(place, random);
        let trace = place.path("trace");
        let mut strace = Command::new("strace");
        strace.args(["-qq", "-o"]).arg(&trace).args(options).args(["-e", &injection]);
        strace.arg(&place.programs.enes).args(next_words(&run, place, None)).current_dir(&place.root);
        let ended = finish(&mut strace, PATIENCE);
        let injected = fs::read(&trace).unwrap_or_default();
        let killed = injection.contains("signal") && ended.code().is_none();
        tally.faults += u64::from(killed || String::from_utf8_lossy(&injected).contains("INJECTED"));
        if !killed && !tally.behaved(&injection, &ended) {
            return tally;
        }
        match (ended.code(), result_of(&ended)) {
            (Some(0 | 1), Some(result)) if result != expected.result => {
                tally.wrong(format!("{injection}: success with another result"));
            }
            (Some(0), None) => tally.wrong(format!("{injection}: success without a result")),
            _ => {}
        }
        check_orphans(place, "calls.log", &mut tally);
    }
    let ended = finish(&mut place.enes(&next_words(&run, place, None)), PATIENCE);
    expected.compare(place, "r", &ended, &mut tally);
    tally
}

/// What to inject, and the options of strace that belong to it.
fn injection(place: &Place, random: &mut Random) -> (String, Vec<String>) {
    if random.chance(0.15) {
        // The thread that forces the record to the disk.
        let path = place.path("r").join("evaluations.jsonl").display().to_string();
        let when = random.between(1, 3);
        return (format!("inject=fdatasync:error=EIO:when={when}"), vec!["-f".into(), "-P".into(), path]);
    }
    let (call, most) = *random.pick(&CALLS);
    let when = random.between(1, most);
    let fault = *random.pick(&["error=ENOSPC", "error=EIO", "error=EACCES", "signal=SIGKILL"]);
    (format!("inject={call}:{fault}:when={when}"), vec!["-e".into(), format!("trace={call}")])
}
