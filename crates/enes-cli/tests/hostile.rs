//! Programs that flood, do not read, leave children behind or lie: time limits hold, memory is bounded, nothing hangs.

use std::fs;
use std::time::{Duration, Instant};

use crate::runs::{Place, message};

/// Run a worker for a few evaluations with a time limit, and say how long it took and what was said.
fn worker(name: &str, program: &str, flags: &str) -> (Duration, String, String) {
    let place = Place::new(name);
    place.script("model.py", program);
    let start = Instant::now();
    let words = format!(
        "minimize --dim 2 --worker --max-failures 2 --max-evaluations 4 --run r {flags} -- python3 model.py"
    );
    let output = place.run(&words);
    let record = fs::read_to_string(place.path("r/evaluations.jsonl")).unwrap_or_default();
    (start.elapsed(), message(&output), record)
}

/// Two evaluations of half a second each, two starts of an interpreter, and a wide margin for a busy machine.
const PATIENCE: Duration = Duration::from_secs(15);

#[test]
fn a_worker_that_floods_with_answers_to_others_fails_at_once() {
    let flood = "import sys, json\nfor line in sys.stdin:\n    while True: print(json.dumps({'id': 10**6, 'value': 1}))\n";
    let (took, words, _) = worker("foreign", flood, "--timeout 60");
    assert!(took < PATIENCE && words.contains("answered evaluation 1000000, it was asked 0"), "{words}");
}

#[test]
fn a_worker_that_does_not_read_meets_its_time_limit() {
    // The question is larger than a pipe: 20,000 coordinates of some 20 characters.
    let place = Place::new("deaf");
    place.script("model.py", "import time\ntime.sleep(60)\n");
    let start = Instant::now();
    let output = place.run(
        "minimize --dim 2000 --worker --timeout 0.5 --max-failures 2 --max-evaluations 4 --population 4 --run r \
         --model rank-only -- python3 model.py",
    );
    assert!(message(&output).contains("no answer after 0.5 s"), "{}", message(&output));
    assert!(start.elapsed() < Duration::from_secs(60), "{:?}", start.elapsed());
}

#[test]
fn an_endless_line_is_no_answer_and_costs_no_memory() {
    let endless = "import sys\nfor line in sys.stdin:\n    while True: sys.stdout.write('x' * 65536)\n";
    let (took, words, record) = worker("endless", endless, "--timeout 0.5");
    assert!(took < PATIENCE, "{took:?}");
    assert!(words.contains("no answer after") || words.contains("longer than a megabyte"), "{words}");
    assert!(record.len() < 20_000, "{}", record.len());
    #[cfg(target_os = "linux")]
    assert!(peak_kilobytes(endless) < 100_000, "{} kB", peak_kilobytes(endless));
}

/// The most memory that the optimizer had while it ran this worker for a second.
#[cfg(target_os = "linux")]
fn peak_kilobytes(program: &str) -> u64 {
    let place = Place::new("peak");
    place.script("model.py", program);
    let words = "minimize --dim 2 --worker --timeout 1 --max-failures 1 --run r -- python3 model.py";
    let mut child = place.enes(words).stderr(std::process::Stdio::null()).spawn().unwrap();
    let mut peak = 0;
    while child.try_wait().unwrap().is_none() {
        let status = fs::read_to_string(format!("/proc/{}/status", child.id())).unwrap_or_default();
        let line = status.lines().find_map(|line| line.strip_prefix("VmHWM:"));
        let kilobytes = line.and_then(|l| l.trim().trim_end_matches("kB").trim().parse().ok());
        peak = peak.max(kilobytes.unwrap_or(0));
        std::thread::sleep(Duration::from_millis(5));
    }
    peak
}

#[test]
fn long_error_texts_are_cut_in_the_record() {
    let loud = "import sys, json\nfor line in sys.stdin:\n    q = json.loads(line)\n    print(json.dumps({'id': q['id'], 'error': 'e' * 900000}), flush=True)\n";
    let (_, _, record) = worker("loud", loud, "--timeout 20");
    assert!(record.len() < 20_000 && record.contains("eee"), "{}", record.len());
}

#[test]
fn bytes_that_are_no_text_are_no_death() {
    let bytes = "import sys\nfor line in sys.stdin:\n    sys.stdout.buffer.write(b'\\xff\\xfe\\n'); sys.stdout.flush()\n";
    let (_, words, _) = worker("bytes", bytes, "--timeout 0.5");
    assert!(words.contains("no answer") && !words.contains("died"), "{words}");
}

#[cfg(unix)]
#[test]
fn a_child_that_left_its_group_with_the_pipe_open_holds_nothing_up() {
    let place = Place::new("left");
    let program =
        "import subprocess, sys\nsubprocess.Popen(['sleep', '20'], start_new_session=True)\nprint(3.5)\n";
    place.script("model.py", program);
    let start = Instant::now();
    let output = place.run("minimize --dim 2 --max-evaluations 2 --run r -- python3 model.py {}");
    assert!(start.elapsed() < PATIENCE, "{:?}", start.elapsed());
    assert_eq!(
        fs::read_to_string(place.path("r/evaluations.jsonl")).unwrap().matches("\"value\":3.5").count(),
        2
    );
    drop(output);
}

#[test]
fn more_than_sixteen_megabytes_are_no_answer() {
    let place = Place::new("flood");
    place.script("model.py", "import sys\nsys.stdout.write('7\\n' * (10 << 20))\nprint(1.5)\n");
    let output =
        place.run("minimize --dim 2 --max-failures 2 --max-evaluations 2 --run r -- python3 model.py {}");
    assert!(message(&output).contains("more than 16777216 bytes"), "{}", message(&output));
    assert_eq!(output.status.code(), Some(2));
}

#[test]
fn runs_have_the_name_of_their_program() {
    let place = Place::new("called");
    place.script("sim.sh", "echo 1\n").script("settings.json", "{}");
    place.run("minimize --dim 1 --max-evaluations 2 -- sh sim.sh settings.json {}");
    place.run("minimize --dim 1 --max-evaluations 2 -- printf settings.json {}");
    let names: Vec<String> = fs::read_dir(place.path("runs"))
        .unwrap()
        .map(|e| e.unwrap().file_name().to_string_lossy().to_string())
        .collect();
    assert!(
        names.iter().any(|n| n.starts_with("sim-")) && names.iter().any(|n| n.starts_with("printf-")),
        "{names:?}"
    );
}

#[cfg(unix)]
#[test]
fn the_end_of_the_terminal_ends_the_run_in_order() {
    let place = Place::new("hangup");
    place.script("model.py", "import sys, json, time\nfor line in sys.stdin:\n    q = json.loads(line)\n    time.sleep(0.05)\n    print(json.dumps({'id': q['id'], 'value': sum(v*v for v in q['x'])}), flush=True)\n");
    let mut child = place
        .enes("minimize --dim 3 --worker --target 1e-300 --run r -- python3 model.py")
        .stderr(std::process::Stdio::null())
        .spawn()
        .unwrap();
    let patience = Instant::now();
    while fs::metadata(place.path("r/evaluations.jsonl")).map_or(0, |f| f.len()) < 400 {
        assert!(patience.elapsed() < PATIENCE);
        std::thread::sleep(Duration::from_millis(10));
    }
    let sent =
        std::process::Command::new("sh").args(["-c", &format!("kill -HUP {}", child.id())]).status().unwrap();
    assert!(sent.success());
    assert_eq!(child.wait().unwrap().code(), Some(129));
    assert!(place.path("r/best.json").exists(), "the result is written");
}

#[cfg(target_os = "linux")]
#[test]
fn no_program_outlives_an_optimizer_that_was_killed() {
    let place = Place::new("orphans");
    let program = "import os, sys, json, time\nopen('pid', 'w').write(str(os.getpid()))\nfor line in sys.stdin:\n    time.sleep(60)\n";
    place.script("model.py", program);
    let mut child = place
        .enes("minimize --dim 3 --worker --run r -- python3 model.py")
        .stderr(std::process::Stdio::null())
        .spawn()
        .unwrap();
    let patience = Instant::now();
    let pid = loop {
        assert!(patience.elapsed() < PATIENCE, "the worker does not start");
        match fs::read_to_string(place.path("pid")).unwrap_or_default().parse::<u32>() {
            Ok(pid) => break pid,
            Err(_) => std::thread::sleep(Duration::from_millis(10)),
        }
    };
    child.kill().unwrap(); // SIGKILL
    child.wait().unwrap();
    // Gone, or dead and not yet buried.
    let alive = || fs::read_to_string(format!("/proc/{pid}/stat")).is_ok_and(|stat| !stat.contains(") Z "));
    while alive() {
        assert!(patience.elapsed() < PATIENCE, "the worker outlives its optimizer");
        std::thread::sleep(Duration::from_millis(10));
    }
}
