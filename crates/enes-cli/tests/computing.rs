//! What the optimizer itself takes: it is said beforehand, refused where it is too much, and a signal ends it.

use std::fs;
use std::process::{Command, Stdio};
use std::time::{Duration, Instant};

use crate::runs::{Place, WORKER, message};

#[test]
fn a_run_says_what_a_generation_costs() {
    let place = Place::new("cost");
    place.script("model.py", WORKER);
    let output = place.run("minimize --dim 3 --worker --max-evaluations 8 --run r -- python3 model.py");
    assert!(message(&output).contains("a generation is 4 points; the optimizer itself holds about"));
}

#[test]
fn the_published_strategy_says_beforehand_how_large_its_generations_are() {
    let place = Place::new("published");
    let words = "minimize --problem sphere --dim 201 --strategy published --max-evaluations 10";
    let said = message(&place.run(words));
    let expected = "warning: a generation of the published strategy has 8136 points in 201 dimensions, and a budget of \
                    10 evaluations does not complete one: the adaptive strategy has 19 there";
    assert!(said.contains(expected), "{said}");
    let quiet = message(&place.run(&format!("{words} --quiet")));
    assert!(!quiet.contains("warning"), "{quiet}");
    let adaptive = message(&place.run("minimize --problem sphere --dim 201 --max-evaluations 10"));
    assert!(!adaptive.contains("warning"), "{adaptive}");
}

#[test]
fn what_exceeds_memory_is_refused_before_anything_is_there() {
    let place = Place::new("memory");
    for words in ["--dim 2000 --worker --run r -- true", "--problem sphere --dim 2000"] {
        let words = format!("--strategy published {words}");
        let enes = env!("CARGO_BIN_EXE_enes");
        let limited = format!("ulimit -v 500000; exec {enes} minimize {words}");
        let output = Command::new("sh").args(["-c", &limited]).current_dir(&place.0).output().unwrap();
        let said = message(&output);
        assert_eq!(output.status.code(), Some(2), "{said}");
        assert!(said.contains("of memory, and 512 MB are free: search fewer coordinates"), "{said}");
        assert!(!place.path("r").exists());
    }
}

#[test]
fn a_signal_ends_a_long_computation_within_a_second() {
    let place = Place::new("computing");
    place.script("model.py", WORKER);
    let words =
        "minimize --dim 1500 --strategy published --population 40 --worker --run r -- python3 model.py";
    let mut child = place.enes(words).stderr(Stdio::piped()).spawn().unwrap();
    let recorded =
        || fs::read_to_string(place.path("r/evaluations.jsonl")).unwrap_or_default().lines().count();
    while recorded() < 40 {
        std::thread::sleep(Duration::from_millis(2));
    }
    // All points of the generation are there: now it computes.
    std::thread::sleep(Duration::from_millis(20));
    let start = Instant::now();
    let sent = Command::new("sh").args(["-c", &format!("kill -INT {}", child.id())]).status().unwrap();
    assert!(sent.success());
    assert_eq!(child.wait().unwrap().code(), Some(130));
    // One second, and two more for a busy machine.
    assert!(start.elapsed() < Duration::from_secs(3), "{:?}", start.elapsed());
    assert!(place.run("verify r").status.success());
    assert!(recorded() >= 40);
}
