//! The surrogate on the command line: flags, problem file, displays, records, resume.

use std::fs;
use std::process::Command;

use crate::runs::{Place, WORKER, evaluations, message, timeless};
use serde_json::Value;

fn generations(place: &Place, run: &str) -> Vec<Value> {
    let text = fs::read_to_string(place.path(run).join("generations.jsonl")).unwrap();
    text.lines().map(|line| serde_json::from_str(line).unwrap()).collect()
}

#[test]
fn flags_and_the_problem_file_say_the_same() {
    let place = Place::new("model-file");
    place.script("model.py", WORKER);
    place.script(
        "problem.toml",
        "name = \"w\"\ncommand = [\"python3\", \"model.py\"]\nworker = true\n\
         [[parameter]]\nname = \"a\"\ninitial = 0.0\n[[parameter]]\nname = \"b\"\ninitial = 0.0\n\
         [search]\nbatch = 1\nmodel = \"auto\"\n[stop]\nmax_evaluations = 40\n",
    );
    let (by_file, _) = place.json("minimize problem.toml --run file");
    let (by_flags, _) = place.json(
        "minimize --names a,b --name w --worker --batch 1 --model auto --max-evaluations 40 --run flags -- python3 model.py",
    );
    assert_eq!(timeless(by_file), timeless(by_flags.clone()));
    assert_eq!(evaluations(&place.path("file")), evaluations(&place.path("flags")));
    // A flag overrides the file.
    let (by_ranks, _) = place.json("minimize problem.toml --model rank-only --run ranks");
    assert!(by_ranks["value"].as_f64() > by_flags["value"].as_f64(), "{by_ranks} {by_flags}");
    place.script(
        "wrong.toml",
        &fs::read_to_string(place.path("problem.toml")).unwrap().replace("\"auto\"", "\"ranks\""),
    );
    let output = place.run("minimize wrong.toml --run wrong");
    assert_eq!(output.status.code(), Some(2));
    assert!(message(&output).contains("rank_only"), "{}", message(&output));
}

#[test]
fn a_generation_records_its_mode() {
    let place = Place::new("model-records");
    place.script("model.py", WORKER);
    let words = "--dim 3 --worker --batch 2 --max-evaluations 60 --restarts off";
    let output = place.run(&format!("minimize {words} --run auto -- python3 model.py"));
    assert!(output.status.success(), "{}", message(&output));
    let shown = message(&output);
    assert!(shown.contains("mode surrogate fits values E 0.0") && !shown.contains("trust"), "{shown}");
    let records = generations(&place, "auto");
    let active: Vec<&Value> = records.iter().filter(|r| r["mode"] == "surrogate").collect();
    assert!(
        !active.is_empty()
            && records
                .iter()
                .all(|r| ["surrogate", "assisting", "ranks"].contains(&r["mode"].as_str().unwrap_or("")))
    );
    for record in active {
        assert!(record["error"].as_f64().is_some_and(|e| e >= 0.0), "{record}");
        assert!(["values", "power", "ranks"].contains(&record["response"].as_str().unwrap()), "{record}");
    }
    let page = fs::read_to_string(place.path("auto/report.html")).unwrap();
    assert!(
        page.contains("Error of the surrogate") && page.contains("The surrogate was active in "),
        "no chart"
    );
    assert!(!page.contains("Trust in the regression"));

    let words = words.replace("--batch 2 ", "");
    let output = place.run(&format!("minimize {words} --model rank-only --run ranks -- python3 model.py"));
    assert!(output.status.success() && message(&output).contains("trust "), "{}", message(&output));
    assert!(generations(&place, "ranks").iter().all(|r| r.get("mode").is_none() && r.get("error").is_none()));
    assert!(fs::read_to_string(place.path("ranks/report.html")).unwrap().contains("Trust in the regression"));
}

#[test]
fn a_resumed_run_with_other_jobs_is_the_same_run() {
    let (whole, parts) = (Place::new("model-whole"), Place::new("model-parts"));
    for place in [&whole, &parts] {
        place.script("model.py", WORKER);
    }
    // More jobs than points in a generation: generations grow, and stay as they are when others resume.
    let words = "minimize --dim 3 --worker --jobs 9 --sync --seed 3 --tolfun 0 --name w --run r";
    let (expected, _) = whole.json(&format!("{words} --max-evaluations 120 -- python3 model.py"));
    parts.json(&format!("{words} --max-evaluations 50 -- python3 model.py"));
    let (result, _) = parts.json("resume r --jobs 1 --max-evaluations 120");
    assert_eq!(timeless(result), timeless(expected));
    assert_eq!(evaluations(&parts.path("r")), evaluations(&whole.path("r")));
    let largest = generations(&whole, "r");
    let sizes: Vec<u64> = largest.iter().map(|r| r["evaluations"].as_u64().unwrap()).collect();
    assert!(sizes.windows(2).any(|w| w[1] - w[0] == 9), "{sizes:?}");
}

#[test]
fn generations_grow_where_nothing_is_predicted_unless_the_population_is_given() {
    let place = Place::new("model-need");
    // A bowl below waves far shorter than a step: no model predicts them.
    let waves = WORKER.replace("(v - 1) ** 2", "(v - 1) ** 2 + 20 * math.sin(1e5 * v)");
    place.script("model.py", &waves.replace("import sys", "import math, sys"));
    let largest = |words: &str, run: &str| {
        let words = format!("minimize --dim 3 --worker --max-evaluations 300 --restarts off {words}");
        place.json(&format!("{words} --run {run} -- python3 model.py"));
        let records = generations(&place, run);
        let counts: Vec<u64> = records.iter().map(|r| r["evaluations"].as_u64().unwrap()).collect();
        counts.windows(2).map(|pair| pair[1] - pair[0]).max().unwrap()
    };
    assert_eq!(largest("--population 4", "given"), 4);
    assert!(largest("", "default") > 4);
}

#[test]
fn what_cannot_be_used_is_refused() {
    let enes = |words: &str| {
        let command = format!("minimize --problem sphere --dim 3 {words}");
        let output =
            Command::new(env!("CARGO_BIN_EXE_enes")).args(command.split_whitespace()).output().unwrap();
        assert_eq!(output.status.code(), Some(2), "{words}");
        message(&output)
    };
    for (words, part) in [
        ("--model ranks", "possible values: auto, rank-only"),
        ("--batch 0", "batch"),
        ("--batch 1000000", "batch"),
        ("--strategy published --model rank-only", "model"),
        ("--strategy published --batch 2", "batch"),
    ] {
        assert!(enes(words).contains(part), "{words}: {}", enes(words));
    }
}

#[test]
fn built_in_problems_show_it_in_a_line_as_wide_as_before() {
    let run = |words: &str| {
        let command = format!("minimize --problem sphere --dim 4 --seed 2 {words}");
        let output =
            Command::new(env!("CARGO_BIN_EXE_enes")).args(command.split_whitespace()).output().unwrap();
        assert!(output.status.success(), "{}", message(&output));
        message(&output)
    };
    for (words, header) in [
        ("", "mode      fits       E t[m:s]"),
        ("--model rank-only", "trust  archive t[m:s]"),
        ("--strategy published", "reused t[m:s]"),
    ] {
        let shown = run(words);
        let lines: Vec<&str> = shown.lines().take_while(|line| !line.is_empty()).collect();
        assert!(lines[0].ends_with(header), "{words}: {}", lines[0]);
        for line in lines {
            assert!(line.chars().count() <= 96, "{words}: {line}");
        }
    }
}
