//! `enes minimize` with real programs: arguments, workers, problem files, and everything that fails.

use std::fs;
use std::path::Path;
use std::process::{Command, Stdio};
use std::time::{Duration, Instant};

use crate::runs::{Place, WORKER, evaluations, message, timeless};

const SIMULATE: &str = "x=$1; y=$2; awk \"BEGIN { printf \\\"value %.17g\\\\n\\\", ($x-1)^2 + ($y+2)^2 }\"\n";

fn last_generation(run: &Path) -> serde_json::Value {
    let text = fs::read_to_string(run.join("generations.jsonl")).unwrap();
    serde_json::from_str(text.lines().last().unwrap()).unwrap()
}

#[test]
fn a_shell_script_is_minimized() {
    let place = Place::new("shell");
    place.script("simulate.sh", SIMULATE);
    let (result, code) = place.json("minimize --dim 2 --jobs 2 --target 1e-4 --run r -- sh simulate.sh {}");
    assert_eq!((code, &result["stop"]), (0, &"ftarget".into()), "{result}");
    assert!((result["x"][0].as_f64().unwrap() - 1.0).abs() < 0.02, "{result}");
    let best: serde_json::Value =
        serde_json::from_str(&fs::read_to_string(place.path("r/best.json")).unwrap()).unwrap();
    for field in ["value", "x", "named", "evaluations", "stop"] {
        assert_eq!(best[field], result[field]);
    }
    assert_eq!(best["named"]["x1"], best["x"][1]);
    assert!(fs::read_to_string(place.path("r/report.html")).unwrap().contains("<svg"));
    let last = last_generation(&place.path("r"));
    assert!(last["trust"].as_f64().is_some_and(|a| (0.0..=1.0).contains(&a)), "{last}");
    assert!(last["archive"].as_u64().is_some_and(|n| n > 0) && last.get("reused").is_none(), "{last}");
    assert_eq!(evaluations(&place.path("r")).len() as u64, best["evaluations"].as_u64().unwrap());
}

#[test]
fn a_c_program_is_minimized_by_name() {
    let place = Place::new("c");
    let source = "#include <stdio.h>\n#include <stdlib.h>\nint main(int n, char **a) { double k = atof(a[1] + 5);\n\
                  printf(\"{\\\"loss\\\": %.17g, \\\"n\\\": 99}\\n\", (k - 3) * (k - 3)); return 0; }\n";
    place.script("plant.c", source);
    let compiled =
        Command::new("gcc").args(["plant.c", "-o", "plant"]).current_dir(&place.0).status().unwrap();
    assert!(compiled.success());
    let (result, code) =
        place.json("minimize --names gain --value-field loss --target 1e-4 --run r -- ./plant gain={gain}");
    assert_eq!(code, 0, "{result}");
    assert!((result["named"]["gain"].as_f64().unwrap() - 3.0).abs() < 0.02, "{result}");
}

#[test]
fn the_result_does_not_depend_on_the_number_of_jobs() {
    let place = Place::new("jobs");
    // Answers come out of order: the first of each pair waits.
    let slow = WORKER.replace("    print", "    import time; time.sleep(0.002 * (q['id'] % 3))\n    print");
    place.script("model.py", &slow);
    let run = |jobs: usize| {
        let words = format!(
            "minimize --dim 3 --worker --jobs {jobs} --sync --max-evaluations 150 --tolfun 0 --run r{jobs} -- python3 model.py"
        );
        timeless(place.json(&words).0)
    };
    let (one, four) = (run(1), run(4));
    assert_eq!(one, four);
    assert_eq!(evaluations(&place.path("r1")), evaluations(&place.path("r4")));
}

#[test]
fn failures_rank_last_and_are_recorded() {
    let place = Place::new("failures");
    // One evaluation in five crashes, one prints rubbish, one NaN, one says so.
    place.script(
        "model.py",
        "import sys\nx = float(sys.argv[1]); y = float(sys.argv[2]); k = int(abs(x) * 1e6) % 11\n\
         if k == 0: sys.exit('out of licences')\nif k == 1: print('rubbish'); sys.exit()\n\
         if k == 2: print('nan'); sys.exit()\nif k == 3: import os; os.abort()\nprint((x - 1) ** 2 + y ** 2)\n",
    );
    let (result, code) = place.json("minimize --dim 2 --jobs 2 --target 1e-3 --run r -- python3 model.py {}");
    assert_eq!(code, 0, "{result}");
    let record = evaluations(&place.path("r"));
    let reasons: Vec<String> =
        record.values().filter_map(|e| Some(e["failure"].as_str()?.to_string())).collect();
    assert_eq!(reasons.len() as u64, result["failures"].as_u64().unwrap());
    for part in ["out of licences", "no number in the output `rubbish`", "the value is NaN", "signal: 6"] {
        assert!(reasons.iter().any(|r| r.contains(part)), "{part}: {reasons:?}");
    }
}

#[test]
fn too_many_failures_in_a_row_stop_the_run() {
    let place = Place::new("broken");
    let output = place.run("minimize --dim 2 --max-failures 7 --run r -- false {}");
    assert_eq!(output.status.code(), Some(2), "{}", message(&output));
    assert!(message(&output).contains("7 evaluations in a row have failed"), "{}", message(&output));
    assert_eq!(evaluations(&place.path("r")).len(), 7);
    let output = place.run("minimize --dim 2 --max-failures 3 --run r2 -- ./nowhere {}");
    assert!(message(&output).contains("cannot start `./nowhere`"), "{}", message(&output));
}

/// How many processes, dead ones that nobody has waited for aside, have this word in their command. A
/// killed process takes its time to vanish on a busy machine: it has five seconds.
fn processes_with(word: &str) -> usize {
    let now = || {
        let commands = fs::read_dir("/proc")
            .unwrap()
            .filter_map(|entry| fs::read(entry.ok()?.path().join("cmdline")).ok());
        commands.filter(|c| c.split(|b| *b == 0).any(|w| w == word.as_bytes())).count()
    };
    let start = Instant::now();
    while now() > 0 && start.elapsed() < Duration::from_secs(5) {
        std::thread::sleep(Duration::from_millis(20));
    }
    now()
}

#[test]
fn a_program_that_hangs_is_ended_with_all_its_children() {
    let place = Place::new("hang");
    // Leaves a child behind that holds the pipe open, then sleeps itself.
    place.script("hang.sh", "sleep 987654 &\nsleep 987654\n");
    let start = Instant::now();
    let output = place.run("minimize --dim 1 --timeout 0.2 --max-failures 2 --run r -- sh hang.sh {}");
    assert_eq!(output.status.code(), Some(2));
    assert!(message(&output).contains("no answer after 0.2 s"), "{}", message(&output));
    assert!(start.elapsed() < Duration::from_secs(20));
    assert_eq!(processes_with("987654"), 0, "orphans");
}

#[test]
fn a_program_that_forks_does_not_hold_the_run() {
    let place = Place::new("fork");
    place.script("fork.sh", "sleep 876543 &\necho $1\n");
    let start = Instant::now();
    let (result, _) = place.json("minimize --dim 1 --max-evaluations 5 --run r -- sh fork.sh {}");
    assert_eq!((&result["evaluations"], &result["failures"]), (&5.into(), &0.into()));
    assert!(start.elapsed() < Duration::from_secs(20));
    assert_eq!(processes_with("876543"), 0, "orphans");
}

#[test]
fn a_worker_that_dies_is_started_again_and_asked_once_more() {
    let place = Place::new("dying");
    // Dies over every tenth question the first time it is asked.
    let dying = WORKER.replace(
        "    print",
        "    import os\n    mark = 'seen-%d' % q['id']\n    if q['id'] % 10 == 3 and not os.path.exists(mark):\n\
         \x20       open(mark, 'w').close(); sys.exit(1)\n    print",
    );
    place.script("model.py", WORKER).script("dying.py", &dying);
    let run = |script: &str, folder: &str| {
        let words = format!(
            "minimize --dim 2 --worker --jobs 2 --sync --max-evaluations 90 --tolfun 0 --name w --run {folder} -- python3 {script}"
        );
        place.json(&words).0
    };
    let (sound, mended) = (run("model.py", "a"), run("dying.py", "b"));
    assert_eq!(mended["failures"], 0);
    assert_eq!(timeless(sound), timeless(mended));
    // One that always dies is a failure, tried twice.
    place.script("dead.py", "import sys\nsys.stdin.readline()\nsys.exit('no GPU')\n");
    let output = place.run("minimize --dim 1 --worker --max-failures 2 --run c -- python3 dead.py");
    assert!(
        message(&output).contains("the worker died (stderr: no GPU); tried twice"),
        "{}",
        message(&output)
    );
}

#[test]
fn a_workers_error_and_rubbish_are_failures() {
    let place = Place::new("errors");
    place.script(
        "model.py",
        "import sys, json\nfor line in sys.stdin:\n    q = json.loads(line); k = q['id'] % 4\n\
         \x20   if k == 0: print('hello', flush=True)\n\
         \x20   elif k == 1: print(json.dumps({'id': q['id'], 'error': 'diverged'}), flush=True)\n\
         \x20   elif k == 2: print(json.dumps({'id': q['id']}), flush=True)\n\
         \x20   else: print(json.dumps({'id': q['id'], 'value': q['named']['a'] ** 2}), flush=True)\n",
    );
    let (result, _) =
        place.json("minimize --names a --worker --max-evaluations 40 --run r -- python3 model.py");
    assert_eq!(result["failures"], 30);
    let reasons: Vec<String> = evaluations(&place.path("r"))
        .values()
        .filter_map(|e| Some(e["failure"].as_str()?.to_string()))
        .collect();
    for part in ["the worker's line is no answer: `hello`", "diverged", "neither `value` nor `error`"] {
        assert!(reasons.iter().any(|r| r.contains(part)), "{part}");
    }
}

#[test]
fn a_problem_file_says_it_all_and_flags_override_it() {
    let place = Place::new("file");
    assert_eq!(place.run("init").status.code(), Some(0));
    assert!(message(&place.run("init")).contains("exists already"));
    let output = place.run("evaluate problem.toml");
    assert_eq!(
        (output.status.code(), String::from_utf8_lossy(&output.stdout).trim()),
        (Some(0), "9.008099999999999")
    );
    let (result, code) = place.json("minimize problem.toml --max-evaluations 60 --run r");
    assert_eq!((code, &result["evaluations"], &result["name"]), (0, &60.into(), &"example".into()));
    assert_eq!(result["named"]["size"], 5.0);
    for record in evaluations(&place.path("r")).values() {
        let x: Vec<f64> = record["x"].as_array().unwrap().iter().map(|v| v.as_f64().unwrap()).collect();
        assert!((0.0..=10.0).contains(&x[0]) && (1e-4..=1.0).contains(&x[1]) && x[2] == 5.0, "{x:?}");
    }
}

#[test]
fn problem_files_that_are_wrong_point_at_line_and_key() {
    let place = Place::new("wrong");
    for (text, parts) in [
        (
            "command = [\"x\", \"{}\"]\n[[parameter]]\nname = \"a\"\nupper = \"high\"\n",
            vec!["line 4", "upper"],
        ),
        ("command = [\"x\", \"{}\"]\nspeed = 3\n", vec!["line 2", "speed"]),
        (
            "[[parameter]]\nname = \"a\"\n\n[[parameter]]\nname = \"b\"\nlower = 2\nupper = 1\n",
            vec!["line 4", "`lower` 2 must be below `upper` 1"],
        ),
        ("[[parameter]]\nname = \"a\"\nlower = 0\nlog = true\n", vec!["line 1", "above 0 on a log scale"]),
        ("name = \n", vec!["line 1"]),
        ("[search]\nbaseline = \"blok\"\n", vec!["line 2", "blok"]),
    ] {
        place.script("p.toml", text);
        let output = place.run("minimize p.toml");
        assert_eq!(output.status.code(), Some(2));
        for part in parts {
            assert!(message(&output).contains(part), "`{part}` is missing from\n{}", message(&output));
        }
    }
    assert!(message(&place.run("minimize missing.toml")).contains("`enes init` writes one"));
}

#[test]
fn wrong_flags_are_named_with_their_remedy() {
    let place = Place::new("flags");
    for (words, part) in [
        ("minimize", "Give a command after `--`, a problem file, or --problem NAME"),
        ("minimize -- true {}", "Give --dim, --x0, --names"),
        ("minimize --dim 2 -- true", "put `{}` where they belong"),
        ("minimize --dim 2 --x0 1,2,3 -- true {}", "--dim is 2, there are 3 coordinates"),
        ("minimize --dim 2 --names a,a -- true {}", "`name` is used twice"),
        ("minimize --dim 2 --sigma0 1,2,3 -- true {}", "--sigma0 has 3 entries, there are 2 coordinates"),
        ("minimize --dim 2 --sigma0 0 -- true {}", "'0' for '--sigma0 <SIGMA>': a finite number above 0"),
        ("minimize --dim 2 --x0 nan,1 -- true {}", "'nan' for '--x0 <VALUES>': a finite number"),
        ("minimize --dim 2 --jobs 0 -- true {}", "0 is not in 1.."),
        ("minimize --dim 2 --timeout 0 -- true {}", "a number of seconds above 0 is needed"),
        ("minimize --problem sphere -- true {}", "cannot be used with"),
        ("resume nowhere", "is it the folder of a run?"),
    ] {
        let output = place.run(words);
        assert_eq!(output.status.code(), Some(2), "{words}");
        assert!(message(&output).contains(part), "`{words}` says\n{}", message(&output));
    }
}

#[test]
fn evaluate_says_what_came_back() {
    let place = Place::new("evaluate");
    place.script("simulate.sh", SIMULATE);
    let output = place.run("evaluate --x0 3,4 -- sh simulate.sh {}");
    assert_eq!(String::from_utf8_lossy(&output.stdout).trim(), "40");
    assert!(message(&output).contains("x1 = 4"), "{}", message(&output));
    let output = place.run("evaluate --x0 3,4 -- false {}");
    assert_eq!(output.status.code(), Some(2));
    assert!(
        message(&output).contains("the evaluation failed: the program ended with exit status: 1"),
        "{}",
        message(&output)
    );
    assert!(!place.path("runs").exists());
}

#[test]
fn completions_and_manual_are_made() {
    let place = Place::new("generated");
    for shell in ["bash", "zsh", "fish"] {
        let output = place.enes(&format!("completions {shell}")).stderr(Stdio::null()).output().unwrap();
        assert!(String::from_utf8_lossy(&output.stdout).contains("minimize"), "{shell}");
    }
    let manual = String::from_utf8_lossy(&place.run("manual").stdout).to_string();
    assert!(manual.contains(".TH enes") && manual.contains("refresh\\-rate"), "{}", &manual[..200]);
}

#[test]
fn the_documented_workers_speak_the_protocol() {
    let place = Place::new("documented");
    let docs = concat!(env!("CARGO_MANIFEST_DIR"), "/../../docs/workers");
    let compiled = Command::new("gcc")
        .args([&format!("{docs}/worker.c"), "-o", "worker"])
        .current_dir(&place.0)
        .status();
    assert!(compiled.unwrap().success());
    let mut workers = vec![
        ("p", format!("python3 {docs}/worker.py")),
        ("s", format!("sh {docs}/worker.sh")),
        ("c", "./worker".into()),
    ];
    match Command::new("Rscript").arg("--version").output() {
        Ok(_) => workers.push(("r", format!("Rscript --vanilla {docs}/worker.R"))),
        Err(_) => eprintln!("there is no Rscript here: the worker in R did not run"),
    }
    // Ranks alone are not done when the budget is, so that the value is not 0.
    let goal = "--max-evaluations 40 --model rank_only";
    let mut values = Vec::new();
    for (run, command) in workers {
        let words =
            format!("minimize --dim 2 --worker --jobs 2 --sync {goal} --name w --run {run} -- {command}");
        let (result, code) = place.json(&words);
        assert_eq!((code, &result["failures"]), (0, &0.into()), "{command}: {result}");
        values.push(result["value"].as_f64().unwrap());
    }
    // awk and Python may round the last digit differently.
    assert!(values.iter().all(|v| (v / values[0] - 1.0).abs() < 1e-9), "{values:?}");
}

#[test]
fn restarts_are_recorded_and_listed_and_can_be_switched_off() {
    let place = Place::new("restarts");
    // Two valleys: from the start the wrong one is found first.
    place.script(
        "valleys.sh",
        "awk -v x=$1 'BEGIN { a = (x - 3)^2 + 1; b = (x + 3)^2; print a < b ? a : b }'\n",
    );
    let run = |more: &str, folder: &str| {
        let common =
            "minimize --x0 3 --sigma0 1 --max-evaluations 500 --seed 2 --same-optimum 0 --unseen-optima 0";
        place.json(&format!("{common} {more} --run {folder} -- sh valleys.sh {{}}")).0
    };
    let result = run("", "r");
    let restarts = result["restarts"].as_array().unwrap();
    assert!(!restarts.is_empty() && restarts.iter().all(|r| r["stop_message"].is_string()), "{result}");
    let spent: u64 = restarts.iter().map(|r| r["evaluations"].as_u64().unwrap()).sum();
    assert!(spent < 500 && result["evaluations"] == 500, "{result}");
    let last = last_generation(&place.path("r"));
    assert_eq!(last["restarts"].as_u64(), Some(restarts.len() as u64), "{last}");
    let result = run("--restarts off", "off");
    assert!(result["restarts"].as_array().unwrap().is_empty() && result["evaluations"].as_u64() < Some(500));
}
