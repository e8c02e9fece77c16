//! `enes inject`: points from outside, into a run that goes on and into one that was stopped.

use std::fs;
use std::io::Write;
use std::process::{Child, Stdio};
use std::time::{Duration, Instant};

use crate::runs::{Place, WORKER, evaluations, message, timeless};
use serde_json::Value;

const RUN: &str = "minimize --dim 3 --worker --max-evaluations 120 --name w --run r";
/// Better than what these runs have found by then; the minimum is at 1, 1, 1.
const NEAR: &str = "{\"x\": [1.01, 1, 1], \"value\": 0.0001}\n";

fn place(name: &str) -> Place {
    let place = Place::new(name);
    place.script("model.py", WORKER).script("near.jsonl", NEAR);
    place
}

/// A rank-based run that has spent the first part of its budget.
fn begun(name: &str, strategy: &str) -> Place {
    let place = place(name);
    let words = RUN.replace("120", "40");
    let (_, code) = place.json(&format!("{words} --tolfun 0 --strategy {strategy} -- python3 model.py"));
    assert_eq!(code, 0);
    place
}

fn said(place: &Place, words: &str) -> String {
    let output = place.run(words);
    assert_eq!(output.status.code(), Some(0), "{}", message(&output));
    message(&output)
}

fn refused(place: &Place, words: &str) -> String {
    let output = place.run(words);
    assert_eq!(output.status.code(), Some(2), "{}", message(&output));
    message(&output)
}

fn log(place: &Place) -> Vec<Value> {
    let text = fs::read_to_string(place.path("r/injected.jsonl")).unwrap_or_default();
    text.lines().map(|line| serde_json::from_str(line).unwrap()).collect()
}

/// Another folder of the same run with the first evaluations only, and without a checkpoint.
fn cut(place: &Place, evaluations: usize) {
    let _ = fs::remove_dir_all(place.path("cut"));
    fs::create_dir(place.path("cut")).unwrap();
    for file in ["settings.json", "inject.jsonl", "injected.jsonl"] {
        fs::copy(place.path("r").join(file), place.path("cut").join(file)).unwrap();
    }
    let text = fs::read_to_string(place.path("r/evaluations.jsonl")).unwrap();
    let lines: Vec<&str> = text.split_inclusive('\n').take(evaluations).collect();
    fs::write(place.path("cut/evaluations.jsonl"), lines.concat()).unwrap();
}

/// A worker that takes a while for each evaluation after the first twenty.
fn slow(place: &Place) -> Child {
    let wait = "    import time; time.sleep(0.05 if q['id'] >= 20 else 0)\n    print";
    place.script("slow.py", &WORKER.replace("    print", wait));
    let words = format!("{RUN} --model rank-only -- python3 slow.py");
    place.enes(&words).stderr(Stdio::null()).stdout(Stdio::null()).spawn().unwrap()
}

fn wait_until(child: &mut Child, done: impl Fn() -> bool) {
    let patience = Instant::now();
    while !done() && child.try_wait().unwrap().is_none() {
        assert!(patience.elapsed() < Duration::from_secs(60), "nothing happens");
        std::thread::yield_now();
    }
}

fn count(place: &Place, file: &str) -> usize {
    fs::read(place.path(file)).map_or(0, |b| b.iter().filter(|&&c| c == b'\n').count())
}

#[test]
fn points_given_before_a_resume_change_the_run_and_its_replays_are_the_same() {
    for strategy in ["adaptive --model rank-only", "published --population 20"] {
        let place = begun("inject-resume", strategy);
        place.script("far.csv", "x1,value,x0,x2\n1.2,0.08,1.2,1\n,nan,,\n");
        let words = said(&place, "inject r near.jsonl");
        assert!(words.contains("gave 1 point to the run in r; taken in when"), "{words}");
        assert!(words.contains("continued with `enes resume r --max-evaluations N`"), "{words}");
        let words = said(&place, "inject r far.csv");
        assert!(words.contains("left out 1 without a finite value"), "{words}");
        // The record is replayed without them, as it came about.
        fs::remove_file(place.path("r/checkpoint")).unwrap();
        let (result, _) = place.json("resume r --max-evaluations 120");
        assert_eq!((&result["injected"], &result["evaluations"]), (&2.into(), &120.into()));
        assert_eq!(log(&place)[0]["value"], 0.0001);
        assert_eq!(log(&place)[1]["x"], serde_json::json!([1.2, 1.2, 1.0]));
        // Another run than without the points.
        let other = begun("not-injected", strategy);
        other.json("resume r --max-evaluations 120");
        let (with, without) = (evaluations(&place.path("r")), evaluations(&other.path("r")));
        assert!(with[&39] == without[&39] && with[&119] != without[&119]);
        // Each beginning of the record leads to the same run.
        for recorded in [0, 3, 40, 41, 77, 120] {
            cut(&place, recorded);
            let (again, _) = place.json("resume cut --max-evaluations 120");
            assert_eq!(timeless(again), timeless(result.clone()), "{recorded}");
            assert_eq!(evaluations(&place.path("cut")), with, "{recorded}");
        }
    }
}

#[test]
fn a_run_that_goes_on_takes_points_in_and_survives_kills() {
    let place = place("inject-live");
    let mut child = slow(&place);
    wait_until(&mut child, || count(&place, "r/evaluations.jsonl") >= 22);
    let words = said(&place, "inject r near.jsonl");
    assert!(words.contains("taken in before the next generation"), "{words}");
    wait_until(&mut child, || count(&place, "r/injected.jsonl") >= 1);
    assert!(child.try_wait().unwrap().is_none(), "it was taken in while the run went on");
    child.kill().unwrap();
    child.wait().unwrap();
    // Given while nothing runs; the generation under way takes it in.
    place.script("more.csv", "1.02,1.0,1.0,0.0004\n");
    assert!(said(&place, "inject r more.csv").contains("with `enes resume r`"));
    place.script("slow.py", WORKER);
    let (result, _) = place.json("resume r");
    assert_eq!((log(&place).len(), &result["injected"]), (2, &2.into()));
    for recorded in [0, 30, 120] {
        cut(&place, recorded);
        let (again, _) = place.json("resume cut");
        assert_eq!(timeless(again), timeless(result.clone()));
        assert_eq!(evaluations(&place.path("cut")), evaluations(&place.path("r")));
    }
}

#[test]
fn a_point_given_to_an_interrupted_run_does_not_depend_on_its_checkpoint() {
    // The checkpoint of an interruption lies within a generation.
    let place = place("inject-interrupted");
    let mut child = slow(&place);
    wait_until(&mut child, || count(&place, "r/evaluations.jsonl") >= 21);
    let kill = format!("kill -INT {}", child.id());
    assert!(std::process::Command::new("sh").args(["-c", &kill]).status().unwrap().success());
    child.wait().unwrap();
    said(&place, "inject r near.jsonl");
    place.script("slow.py", WORKER);
    let (result, _) = place.json("resume r");
    cut(&place, 0);
    let (again, _) = place.json("resume cut");
    assert_eq!(timeless(again), timeless(result));
    assert_eq!(evaluations(&place.path("cut")), evaluations(&place.path("r")));
}

#[test]
fn a_point_that_meets_the_target_ends_the_run_and_is_the_result() {
    // 40 evaluations end within a generation, 36 with one.
    for (budget, more) in [("40", ""), ("36", ""), ("40", " --max-evaluations 80")] {
        let place = place("inject-target");
        let words = RUN.replace("120", budget);
        let words = format!("{words} --population 6 --model rank-only --target 1e-300");
        let (before, code) = place.json(&format!("{words} -- python3 model.py"));
        assert!(code == 1 && before["stop"] == "maxfevals" && before["id"].is_u64(), "{before}");
        place.script("best.csv", "1,1,1,0\n");
        said(&place, "inject r best.csv");
        let output = place.run(&format!("resume r --json{more}"));
        let words = message(&output);
        assert_eq!(output.status.code(), Some(0), "{words}");
        assert!(words.contains("best value   0.000000000e0  (injected)"), "{words}");
        let result: Value = serde_json::from_slice(&output.stdout).unwrap();
        assert_eq!((&result["stop"], &result["value"]), (&"ftarget".into(), &0.0.into()), "{result}");
        assert_eq!((&result["id"], &result["best_is_injected"]), (&Value::Null, &true.into()));
        assert_eq!(result["x"], serde_json::json!([1.0, 1.0, 1.0]));
        assert_eq!(result["evaluations"], before["evaluations"]);
        let page = fs::read_to_string(place.path("r/report.html")).unwrap();
        assert!(page.contains("x2 = 1, injected") && page.contains("Points injected from outside: 1."));
        cut(&place, 200);
        for run in ["r", "cut"] {
            let (again, _) = place.json(&format!("resume {run}{more}"));
            assert_eq!(timeless(again), timeless(result.clone()));
        }
        let words = refused(&place, "inject r near.jsonl");
        assert!(words.contains("its run has ended and cannot be continued (the target was"), "{words}");
        assert!(words.contains("--warm-start"), "{words}");
    }
}

#[test]
fn under_noise_a_point_is_one_lucky_measurement() {
    let place = place("inject-noisy");
    place.json(&format!("{RUN} --noisy --target 1e-9 -- python3 model.py"));
    place.script("lucky.csv", "1,1,1,-5\n");
    said(&place, "inject r lucky.csv");
    let (result, code) = place.json("resume r --max-evaluations 200");
    assert_eq!((code, &result["evaluations"]), (1, &200.into()), "{result}");
    assert_eq!((&result["luckiest"]["id"], &result["luckiest"]["value"]), (&Value::Null, &(-5.0).into()));
    assert!(result["value"].as_f64() > Some(0.0) && result["best_is_injected"] == false, "{result}");
}

#[test]
fn standard_input_and_run_folders_are_tables_and_infeasible_points_are_left_out() {
    let place = begun("inject-stdin", "adaptive");
    let mut child = place.enes("inject r -").stdin(Stdio::piped()).stderr(Stdio::piped()).spawn().unwrap();
    let text = "{\"x\": [1, 1, 2], \"value\": 1}\n{\"x\": [1, 1, 1], \"value\": -9, \"violation\": 0.5}\n";
    child.stdin.take().unwrap().write_all(text.as_bytes()).unwrap();
    let output = child.wait_with_output().unwrap();
    assert!(message(&output).contains("gave 1 point to the run in r, left out 1"), "{}", message(&output));
    assert!(said(&place, "inject r r").contains("gave 40 points"));
    assert_eq!(said(&place, "inject --quiet r near.jsonl"), "");
    assert_eq!(count(&place, "r/inject.jsonl"), 42);
}

#[test]
fn wrong_points_are_refused_with_their_line_and_nothing_is_given() {
    let place = Place::new("inject-wrong");
    let file = "command = [\"python3\", \"model.py\"]\nworker = true\n[[parameter]]\nname = \"a\"\nlower = 0\n\
                upper = 5\n[[parameter]]\nname = \"b\"\nlower = 1e-3\nlog = true\n[[parameter]]\nname = \"c\"\n\
                integer = true\n[[parameter]]\nname = \"f\"\ninitial = 7.0\nfixed = true\n";
    place.script("model.py", WORKER).script("p.toml", file);
    place.json("minimize p.toml --max-evaluations 20 --run r");
    let good = "1,1,1,7,3\n";
    for (row, words) in [
        ("1,1,1,3", "line 2: the injected point has 3 coordinates, the search 4"),
        ("6,1,1,7,3", "line 2: `a`: coordinate 0 of the injected point, 6, lies outside its bounds [0, 5]"),
        ("nan,1,1,7,3", "line 2: `a`: coordinate 0 of the injected point must be finite, got NaN"),
        ("1,-1,1,7,3", "line 2: `b`: coordinate 1 of the injected point"),
        ("1,1,1.5,7,3", "line 2: `c` must be a whole number, got 1.5"),
        ("1,1,1,8,3", "line 2: `f`: coordinate 3 of the injected point, 8, lies outside"),
        ("1,1,x,7,3", "line 2: `x` is no number"),
    ] {
        place.script("t.csv", &format!("{good}{row}\n"));
        let said = refused(&place, "inject r t.csv");
        assert!(said.contains(&format!("cannot inject t.csv: {words}")), "{said}");
        assert!(said.contains("nothing was given to the run"), "{said}");
    }
    place.script("nan.csv", "1,1,1,7,nan\n1,1,1,7,inf\n");
    assert!(refused(&place, "inject r nan.csv").contains("no value that is a finite number"));
    assert!(refused(&place, "inject r nowhere.csv").contains("cannot inject nowhere.csv: No such file"));
    assert!(refused(&place, "inject r r/checkpoint").contains("it is a checkpoint"));
    assert!(refused(&place, "inject . t.csv").contains("is it the folder of a run?"));
    assert!(!place.path("r/inject.jsonl").exists() && !place.path("r/injected.jsonl").exists());
}

#[test]
fn damaged_files_are_named_with_their_line_and_nothing_is_lost() {
    let place = begun("inject-damaged", "adaptive");
    let untouched = evaluations(&place.path("r"));
    said(&place, "inject r near.jsonl");
    let good = fs::read_to_string(place.path("r/inject.jsonl")).unwrap();
    for (line, reason) in [
        ("rubbish\n", "inject.jsonl, line 2: expected value, column 1"),
        ("{\"x\": [1], \"value\": 2}\n", "inject.jsonl, line 2: the injected point has 1 coordinates"),
    ] {
        fs::write(place.path("r/inject.jsonl"), format!("{good}{line}")).unwrap();
        let words = refused(&place, "resume r --max-evaluations 60");
        assert!(words.contains(reason) && words.contains("mend or delete the line"), "{words}");
        assert_eq!((evaluations(&place.path("r")), log(&place).len()), (untouched.clone(), 0));
    }
    // A line without its end waits, and keeps others from being given behind it.
    fs::write(place.path("r/inject.jsonl"), format!("{good}{{\"x\": [1, 1,")).unwrap();
    assert!(refused(&place, "inject r near.jsonl").contains("inject.jsonl ends within a line"));
    place.json("resume r --max-evaluations 60");
    assert_eq!(log(&place).len(), 1);
    // What was taken in is counted by its lines.
    fs::write(place.path("r/inject.jsonl"), "").unwrap();
    assert!(refused(&place, "inject r near.jsonl").contains("copy injected.jsonl over it"));
    fs::copy(place.path("r/injected.jsonl"), place.path("r/inject.jsonl")).unwrap();
    said(&place, "inject r near.jsonl");
    let (result, _) = place.json("resume r --max-evaluations 70");
    assert_eq!(result["injected"], 2);
    // A log that is not the run's is refused, one that was cut off within a line is not.
    let text = fs::read_to_string(place.path("r/injected.jsonl")).unwrap();
    fs::write(place.path("r/injected.jsonl"), format!("{text}{{\"gener")).unwrap();
    place.json("resume r --max-evaluations 80");
    assert_eq!(fs::read_to_string(place.path("r/injected.jsonl")).unwrap(), text);
    fs::write(place.path("r/injected.jsonl"), format!("rubbish\n{text}")).unwrap();
    assert!(refused(&place, "resume r --max-evaluations 90").contains("injected.jsonl, line 1: "));
    fs::write(place.path("r/injected.jsonl"), "").unwrap();
    let words = refused(&place, "resume r --max-evaluations 90");
    assert!(words.contains("its injected.jsonl does not belong to its checkpoint"), "{words}");
}
