//! Nothing is lost: kills, signals, a full disk, two runs in one folder.

use std::fs;
use std::process::{Child, Command, Stdio};
use std::time::{Duration, Instant};

use crate::runs::{Place, WORKER, evaluations, message, timeless};

/// A worker that counts its evaluations in a file and takes a millisecond for each.
fn counting_worker() -> String {
    let count = "    import time; time.sleep(0.001)\n    with open('count', 'a') as f: f.write('%d\\n' % q['id'])\n    print";
    WORKER.replace("    print", count)
}

const RUN: &str = "minimize --dim 3 --worker --jobs 2 --sync --max-evaluations 300 --name w --same-optimum 0 --unseen-optima 0";

fn lines(place: &Place, file: &str) -> usize {
    fs::read(place.path(file)).map_or(0, |b| b.iter().filter(|&&c| c == b'\n').count())
}

fn start(place: &Place, words: &str) -> Child {
    place.enes(words).stderr(Stdio::null()).stdout(Stdio::null()).spawn().unwrap()
}

/// Wait until the run has recorded so many evaluations, or has ended.
fn wait_for(place: &Place, child: &mut Child, file: &str, count: usize) {
    let patience = Instant::now();
    while lines(place, file) < count && child.try_wait().unwrap().is_none() {
        assert!(patience.elapsed() < Duration::from_secs(60), "nothing happens");
        std::thread::yield_now();
    }
}

fn signal(child: &Child, name: &str) {
    let sent = Command::new("sh").args(["-c", &format!("kill -{name} {}", child.id())]).status().unwrap();
    assert!(sent.success());
}

#[test]
fn a_run_that_is_killed_twenty_times_ends_as_if_nothing_had_happened() {
    let whole = Place::new("whole");
    whole.script("model.py", &counting_worker());
    let (expected, _) = whole.json(&format!("{RUN} --run r -- python3 model.py"));

    let place = Place::new("killed");
    place.script("model.py", &counting_worker());
    let mut child = start(&place, &format!("{RUN} --run r -- python3 model.py"));
    let mut state = 12345u64;
    for kill in 1..=20 {
        // At a random moment between 4 and 20 evaluations from now.
        state = state.wrapping_mul(6364136223846793005).wrapping_add(1442695040888963407);
        let more = 4 + (state >> 33) as usize % 17;
        let target = (lines(&place, "r/evaluations.jsonl") + more).min(13 * kill + 5);
        wait_for(&place, &mut child, "r/evaluations.jsonl", target);
        let _ = child.kill(); // SIGKILL
        child.wait().unwrap();
        child = start(&place, "resume r");
    }
    let _ = child.kill();
    child.wait().unwrap();
    let (result, code) = place.json("resume r");
    assert_eq!(code, 0);
    assert_eq!(timeless(result), timeless(expected));
    assert_eq!(evaluations(&place.path("r")), evaluations(&whole.path("r")));
    // At most the evaluations in flight were run again: two for each of the 21 kills, and as many that
    // the workers had begun to write down.
    let extra = lines(&place, "count") - 300;
    assert!(extra <= 2 * 2 * 21, "{extra} evaluations were repeated");
}

#[test]
fn interruptions_leave_a_run_that_can_be_continued() {
    let whole = Place::new("uninterrupted");
    whole.script("model.py", &counting_worker());
    let (expected, _) = whole.json(&format!("{RUN} --run r -- python3 model.py"));
    for (name, code) in [("INT", 130), ("TERM", 143)] {
        let place = Place::new(name);
        place.script("model.py", &counting_worker());
        let mut child = start(&place, &format!("{RUN} --run r -- python3 model.py"));
        wait_for(&place, &mut child, "r/evaluations.jsonl", 60);
        signal(&child, name);
        assert_eq!(child.wait().unwrap().code(), Some(code));
        let best: serde_json::Value =
            serde_json::from_str(&fs::read_to_string(place.path("r/best.json")).unwrap()).unwrap();
        assert_eq!(best["stop"], "interrupted");
        assert!(best["value"].as_f64().is_some());
        let (result, _) = place.json("resume r");
        assert_eq!(timeless(result), timeless(expected.clone()));
    }
}

#[test]
fn a_full_disk_stops_the_run_and_loses_nothing() {
    let whole = Place::new("room");
    whole.script("model.py", WORKER);
    let (expected, _) = whole.json(&format!("{RUN} --run r -- python3 model.py"));
    let place = Place::new("full");
    place.script("model.py", WORKER);
    // Files may grow to 16 blocks of 512 or 1024 bytes; then a write fails, as on a full disk.
    let command = format!(
        "trap '' XFSZ; ulimit -f 16; exec {} {RUN} --run r -- python3 model.py",
        env!("CARGO_BIN_EXE_enes")
    );
    let output = Command::new("sh").args(["-c", &command]).current_dir(&place.0).output().unwrap();
    assert_eq!(output.status.code(), Some(2), "{}", message(&output));
    assert!(message(&output).contains("make room and continue with `enes resume r`"), "{}", message(&output));
    let (result, _) = place.json("resume r");
    assert_eq!(timeless(result), timeless(expected));
}

#[test]
fn two_runs_in_one_folder_are_refused() {
    let place = Place::new("two");
    place.script("slow.py", &WORKER.replace("    print", "    import time; time.sleep(0.2)\n    print"));
    let mut child = start(&place, "minimize --dim 2 --worker --run r -- python3 slow.py");
    wait_for(&place, &mut child, "r/evaluations.jsonl", 1);
    let output = place.run("resume r");
    assert_eq!(output.status.code(), Some(2));
    assert!(
        message(&output).contains("another enes is running in it; wait for its end"),
        "{}",
        message(&output)
    );
    assert!(!message(&output).contains("--run"), "resume has no such flag");
    let _ = child.kill();
    child.wait().unwrap();
    let output = place.run("minimize --dim 2 --worker --run r -- python3 slow.py");
    assert!(message(&output).contains("continue it with `enes resume`"), "{}", message(&output));
}

#[test]
fn a_damaged_checkpoint_costs_time_and_no_evaluations() {
    let place = Place::new("damaged");
    place.script("model.py", &counting_worker());
    place.json(&format!("{RUN} --run r -- python3 model.py"));
    let before = lines(&place, "count");
    let bytes = fs::read(place.path("r/checkpoint")).unwrap();
    for damage in [bytes[..bytes.len() / 2].to_vec(), b"rubbish".to_vec(), Vec::new()] {
        fs::write(place.path("r/checkpoint"), damage).unwrap();
        assert_eq!(place.json("resume r").0["evaluations"], 300);
    }
    assert_eq!(lines(&place, "count"), before, "the record was replayed, not run again");
    assert_eq!(place.json("resume r --max-evaluations 320").0["evaluations"], 320);
}

#[test]
fn a_record_of_another_run_is_refused() {
    let place = Place::new("foreign");
    place.script("model.py", WORKER);
    place.json(&format!("{RUN} --run r -- python3 model.py"));
    place.json(&format!("{RUN} --seed 5 --run other -- python3 model.py"));
    fs::copy(place.path("other/evaluations.jsonl"), place.path("r/evaluations.jsonl")).unwrap();
    let output = place.run("resume r");
    assert_eq!(output.status.code(), Some(2));
    assert!(message(&output).contains("is not a point of this run"), "{}", message(&output));
}

const BOUNDED: &str = "[[parameter]]\nname = \"a\"\nlower = 0\nupper = 5\n\n[[parameter]]\nname = \"b\"\n\
    lower = 3\nupper = 3\n\n[[parameter]]\nname = \"c\"\nlower = 1e-3\nupper = 1e3\nlog = true\n";

/// A run with bounds, a log scale and a coordinate that equal bounds fix, in the folder `r`.
fn bounded_run(name: &str, evaluations: usize) -> Place {
    let place = Place::new(name);
    place.script("model.py", WORKER);
    place.script("problem.toml", BOUNDED);
    let run =
        format!("minimize problem.toml --worker --max-evaluations {evaluations} --run r -- python3 model.py");
    place.json(&run);
    place
}

#[test]
fn a_bounded_run_continues_from_its_checkpoint_and_from_its_record() {
    let whole = bounded_run("bounded-whole", 200);
    let points = evaluations(&whole.path("r"));
    let place = bounded_run("bounded", 90);
    place.json("resume r --max-evaluations 150");
    fs::remove_file(place.path("r/checkpoint")).unwrap();
    place.json("resume r --max-evaluations 200");
    assert_eq!(evaluations(&place.path("r")), points);
}

#[test]
fn bounds_of_an_earlier_version_are_not_continued_and_the_rest_is() {
    let older = |place: &Place| {
        let file = place.path("r/settings.json");
        let text = fs::read_to_string(&file).unwrap();
        let (plan, _) = text.rsplit_once(",\n  \"sum\"").unwrap();
        fs::write(file, format!("{plan}\n}}").replace("\"version\": 4", "\"version\": 1")).unwrap();
    };
    let bounded = bounded_run("older-bounded", 30);
    older(&bounded);
    let out = bounded.enes("resume r --max-evaluations 60").output().unwrap();
    assert!(!out.status.success());
    assert!(message(&out).contains("kept bounds in another way"), "{}", message(&out));
    let free = Place::new("older-free");
    free.script("model.py", WORKER);
    free.json("minimize --dim 2 --worker --max-evaluations 30 --tolfun 0 --run r -- python3 model.py");
    older(&free);
    let (result, _) = free.json("resume r --max-evaluations 60");
    assert_eq!(result["evaluations"], 60);
}
