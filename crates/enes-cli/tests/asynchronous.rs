//! Jobs that do not wait for each other: recorded, killed, continued, repeated.

use std::collections::BTreeSet;
use std::fs;
use std::process::{Child, Stdio};
use std::time::{Duration, Instant};

use crate::runs::{Place, WORKER, evaluations, message, timeless};
use serde_json::Value;

/// A worker that takes from 0 to 8 milliseconds, as the point has it.
fn uneven_worker() -> String {
    WORKER.replace("    print", "    import time; time.sleep(abs(hash(tuple(q['x']))) % 9 / 1000)\n    print")
}

const RUN: &str =
    "minimize --dim 3 --worker --max-evaluations 300 --name w --run r --same-optimum 0 --unseen-optima 0";

fn start(place: &Place, words: &str) -> Child {
    place.enes(words).stderr(Stdio::null()).stdout(Stdio::null()).spawn().unwrap()
}

fn lines(place: &Place) -> usize {
    fs::read(place.path("r/evaluations.jsonl")).map_or(0, |b| b.iter().filter(|&&c| c == b'\n').count())
}

fn copy(from: &Place, to: &Place) {
    fs::create_dir_all(to.path("r")).unwrap();
    for entry in fs::read_dir(from.path("r")).unwrap().flatten() {
        fs::copy(entry.path(), to.path("r").join(entry.file_name())).unwrap();
    }
    to.script("model.py", &uneven_worker());
}

/// Evaluations without the fields of an asynchronous run.
fn plain(place: &Place) -> Vec<Value> {
    let strip = |mut e: Value| {
        let object = e.as_object_mut().unwrap();
        object.remove("point");
        object.remove("asked");
        e
    };
    evaluations(&place.path("r")).into_values().map(strip).collect()
}

#[test]
fn one_job_is_the_run_with_whole_generations() {
    let (a, b) = (Place::new("one-async"), Place::new("one-sync"));
    let run = |place: &Place, flag: &str| {
        place.script("model.py", WORKER);
        place.json(&format!("{RUN} {flag} --jobs 1 -- python3 model.py"))
    };
    assert_eq!(timeless(run(&a, "--async").0), timeless(run(&b, "--sync").0));
    assert_eq!(plain(&a), plain(&b));
}

#[test]
fn a_run_that_is_killed_loses_nothing_and_counts_nothing_twice() {
    let place = Place::new("async-killed");
    place.script("model.py", &uneven_worker());
    let mut child = start(&place, &format!("{RUN} --async --jobs 4 -- python3 model.py"));
    for kill in 1..=8 {
        let patience = Instant::now();
        while lines(&place) < 30 * kill && child.try_wait().unwrap().is_none() {
            assert!(patience.elapsed() < Duration::from_secs(60), "nothing happens");
            std::thread::yield_now();
        }
        let _ = child.kill();
        child.wait().unwrap();
        child = start(&place, "resume r");
    }
    let _ = child.kill();
    child.wait().unwrap();
    // With the checkpoint, and from the record alone: one job at a time, the rest is the same run.
    let (kept, replayed) = (Place::new("async-kept"), Place::new("async-replayed"));
    copy(&place, &kept);
    copy(&place, &replayed);
    let _ = fs::remove_file(replayed.path("r/checkpoint"));
    let [a, b] = [&kept, &replayed].map(|p| p.json("resume r --jobs 1"));
    assert_eq!((timeless(a.0), a.1), (timeless(b.0), b.1));
    assert_eq!(evaluations(&kept.path("r")), evaluations(&replayed.path("r")));
    let all = evaluations(&kept.path("r"));
    assert_eq!(all.keys().copied().collect::<Vec<_>>(), (0..300).collect::<Vec<_>>());
    let points: BTreeSet<u64> = all.values().map(|e| e["point"].as_u64().unwrap()).collect();
    assert_eq!(points.len(), 300, "each point is there once");
    let out_of_order = all.values().zip(0u64..).filter(|(e, i)| e["point"] != *i).count();
    assert!(out_of_order > 10, "some came back before others: {out_of_order}");
}

#[test]
fn an_interrupted_run_goes_on_with_what_was_in_flight() {
    let place = Place::new("async-interrupted");
    place.script("model.py", &uneven_worker());
    let mut child = start(&place, &format!("{RUN} --async --jobs 3 -- python3 model.py"));
    while lines(&place) < 50 && child.try_wait().unwrap().is_none() {
        std::thread::yield_now();
    }
    let sent = std::process::Command::new("sh").args(["-c", &format!("kill -INT {}", child.id())]).status();
    assert!(sent.unwrap().success());
    assert_eq!(child.wait().unwrap().code(), Some(130));
    let (result, code) = place.json("resume r");
    assert_eq!((code, &result["evaluations"]), (0, &Value::from(300)));
    assert_eq!(evaluations(&place.path("r")).len(), 300);
}

#[test]
fn generations_give_way_where_evaluations_take_different_times_unless_sync_says_otherwise() {
    let slow =
        WORKER.replace("    print", "    import time; time.sleep(1.2 if q['id'] % 4 == 1 else 0)\n    print");
    for (flag, expected) in [("", true), ("--sync", false)] {
        let place = Place::new(&format!("auto{flag}"));
        place.script("model.py", &slow);
        let run = RUN.replace("300", "16");
        let output = place.run(&format!("{run} {flag} --jobs 3 -- python3 model.py"));
        assert!(output.status.success(), "{}", message(&output));
        let all = evaluations(&place.path("r"));
        assert_eq!(all.len(), 16);
        assert_eq!(all[&15].get("point").is_some(), expected, "{flag}");
        assert!(all[&0].get("point").is_none(), "the first generation is whole");
        for words in ["busy", "from here on no job waits for another"] {
            assert_eq!(message(&output).contains(words), expected, "{words}: {}", message(&output));
        }
    }
}

#[test]
fn an_evaluation_that_fails_costs_its_point_only() {
    let place = Place::new("async-fails");
    let text = WORKER.replace("    print", "    if q['id'] % 10 == 3: sys.exit(1)\n    print");
    place.script("model.py", &text);
    let (result, code) = place.json(&format!("{RUN} --async --jobs 4 -- python3 model.py"));
    assert_eq!((code, &result["evaluations"]), (0, &Value::from(300)));
    let failed = evaluations(&place.path("r")).values().filter(|e| !e["failure"].is_null()).count();
    assert_eq!(failed, 30);
}

#[test]
fn a_record_in_another_order_is_refused() {
    let place = Place::new("async-foreign");
    place.script("model.py", &uneven_worker());
    place.json(&format!("{RUN} --async --jobs 4 -- python3 model.py"));
    let _ = fs::remove_file(place.path("r/checkpoint"));
    let settings = fs::read_to_string(place.path("r/settings.json")).unwrap();
    assert!(settings.contains("\"schedule\": \"async\""), "{settings}");
    let other = Place::new("async-foreign-other");
    other.script("model.py", &uneven_worker());
    other.json(&format!("{RUN} --seed 9 --async --jobs 4 -- python3 model.py"));
    fs::copy(other.path("r/evaluations.jsonl"), place.path("r/evaluations.jsonl")).unwrap();
    let output = place.run("resume r --max-evaluations 400");
    assert!(!output.status.success());
    assert!(message(&output).contains("is not a point of this run"), "{}", message(&output));
}

#[test]
fn the_published_strategy_says_that_it_cannot() {
    let place = Place::new("async-published");
    place.script("model.py", WORKER);
    let output = place.run(&format!("{RUN} --async --strategy published -- python3 model.py"));
    assert_eq!(output.status.code(), Some(2));
    assert!(message(&output).contains("--async") && message(&output).contains("--strategy adaptive"));
    assert!(!place.path("r").exists());
    let both = place.run(&format!("{RUN} --async --sync -- python3 model.py"));
    assert_eq!(both.status.code(), Some(2));
}
