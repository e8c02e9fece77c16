//! Programs with constraints, and the flag for bounds: told, recorded, replayed, shown.

use std::fs;

use crate::runs::{Place, evaluations, message, timeless};
use serde_json::Value;

/// The sphere where the first coordinate is at least 1, by two numbers on a line.
const PLAIN: &str = "awk \"BEGIN { x = $1; y = $2; print \\\"step 3 of 3:\\\", x * x + y * y, 1 - x }\"\n";

const WORKER: &str = "\
import sys, json
for line in sys.stdin:
    q = json.loads(line)
    x = q['x']
    answer = {'id': q['id'], 'violation': 1 - x[0]}
    if x[0] >= 1: answer['value'] = sum(v * v for v in x)
    print(json.dumps(answer), flush=True)
";

fn last_generation(place: &Place) -> Value {
    let text = fs::read_to_string(place.path("r/generations.jsonl")).unwrap();
    serde_json::from_str(text.lines().last().unwrap()).unwrap()
}

#[test]
fn a_program_that_prints_value_and_violation_is_minimized_on_the_boundary() {
    let place = Place::new("plain-constraint");
    place.script("model.sh", PLAIN);
    let output = place.run("evaluate --x0 0.5,2 --constrained -- sh model.sh {}");
    assert_eq!(String::from_utf8_lossy(&output.stdout), "4.25 0.5\n", "{}", message(&output));
    assert!(message(&output).contains("infeasible with violation 0.5"), "{}", message(&output));
    let words = "minimize --x0 3,3 --constrained --target 1.01 --jobs 2 --run r -- sh model.sh {}";
    let (result, code) = place.json(words);
    assert_eq!((code, &result["violation"]), (0, &0.0.into()), "{result}");
    assert!(result["value"].as_f64().is_some_and(|v| (1.0..=1.01).contains(&v)), "{result}");
    // Without the flag the last number is the value, as ever.
    let output = place.run("evaluate --x0 0.5,2 -- sh model.sh {}");
    assert_eq!(String::from_utf8_lossy(&output.stdout), "0.5\n");
}

#[test]
fn a_worker_tells_its_violation_and_infeasible_points_need_no_value() {
    let place = Place::new("worker-constraint");
    place.script("model.py", WORKER);
    // On an edge in two dimensions the surrogate is slower than the rank-based mode, for which 300 evaluations are few: half
    // of its runs get there.
    for (model, budget) in [("rank-only", 300), ("auto", 900)] {
        let words = format!(
            "minimize --x0 -4,2 --worker --max-evaluations {budget} --restarts off --model {model} --seed 1 --run {model} \
             -- python3 model.py"
        );
        let (result, _) = place.json(&words);
        assert!(result["value"].as_f64().is_some_and(|v| (1.0..1.001).contains(&v)), "{result}");
        assert_eq!((&result["violation"], &result["failures"]), (&0.0.into(), &0.into()));
        let records = evaluations(&place.path(model));
        assert!(records[&0]["violation"].as_f64().is_some_and(|v| v > 3.0), "{}", records[&0]);
        assert!(records[&0]["value"].is_null() && records[&0]["failure"].is_null());
        // The record alone continues the run: nothing is asked again.
        fs::remove_file(place.path(model).join("checkpoint")).unwrap();
        let (again, _) = place.json(&format!("resume {model}"));
        assert_eq!(timeless(again), timeless(result));
        assert_eq!(evaluations(&place.path(model)), records);
    }
}

#[test]
fn a_run_without_feasible_points_says_so_everywhere() {
    let place = Place::new("infeasible");
    place.script("model.sh", &PLAIN.replace("1 - x", "0.25 + x * x"));
    let words = "minimize --x0 3,3 --constrained --max-evaluations 60 --run r -- sh model.sh {}";
    let output = place.run(words);
    let said = message(&output);
    assert_eq!(output.status.code(), Some(1), "{said}");
    assert!(said.contains("best value   infeasible, violation") && !said.contains("e303"), "{said}");
    assert!(said.contains("best infeasible, violation"), "{said}");
    let last = last_generation(&place);
    assert!(last["best"].is_null() && last["violation"].as_f64().is_some_and(|v| v >= 0.25), "{last}");
    let page = fs::read_to_string(place.path("r/report.html")).unwrap();
    assert!(page.contains("none: infeasible, violation") && page.contains("and none was feasible"));
    assert!(!page.contains("e303") && page.contains("No evaluation failed."));
}

#[test]
fn fields_of_an_object_are_value_and_violation() {
    let place = Place::new("field-constraint");
    let object = "awk \"BEGIN { x = $1; printf \\\"{\\\\\\\"loss\\\\\\\": %.17g, \\\\\\\"excess\\\\\\\": %.17g}\\\", x * x, 1 - x }\"\n";
    place.script("model.sh", object);
    let words =
        "minimize --x0 3 --value-field loss --violation-field excess --target 1.05 --run r -- sh model.sh {}";
    let (result, code) = place.json(words);
    assert_eq!((code, &result["violation"]), (0, &0.0.into()), "{result}");
}

#[test]
fn a_second_way_to_tell_a_violation_is_refused() {
    let place = Place::new("two-ways");
    for (flags, words) in [
        ("--violation-field g", "--violation-field needs --value-field"),
        ("--constrained --value-field f", "cannot be used with"),
        ("--constrained --worker", "cannot be used with"),
    ] {
        let output = place.run(&format!("minimize --dim 2 {flags} -- sh model.sh {{}}"));
        assert!(message(&output).contains(words), "{flags}: {}", message(&output));
        assert_eq!(output.status.code(), Some(2));
    }
    let file =
        "command = [\"sh\", \"m.sh\"]\nworker = true\nconstrained = true\n[[parameter]]\nname = \"a\"\n";
    place.script("p.toml", file);
    let output = place.run("minimize p.toml");
    assert!(message(&output).contains("in the field `violation` of its answer"), "{}", message(&output));
}

#[test]
fn bounds_are_kept_as_the_flag_or_the_file_says() {
    let place = Place::new("handling");
    place.script("model.sh", "awk \"BEGIN { print $1 * $1 + $2 * $2 }\"\n");
    let file = "command = [\"sh\", \"model.sh\", \"{}\"]\n[search]\nbound_handling = \"reflect\"\n\
                [[parameter]]\nname = \"a\"\nlower = 1.0\nupper = 3.0\n[[parameter]]\nname = \"b\"\nlower = 0.5\n";
    place.script("p.toml", file);
    let points = |run: &str, flags: &str| {
        let words = format!("minimize p.toml --max-evaluations 40 --restarts off --run {run} {flags}");
        assert!(place.run(&words).status.code().is_some_and(|code| code < 2));
        let records = evaluations(&place.path(run));
        for record in records.values() {
            let x = |i: usize| record["x"][i].as_f64().unwrap();
            assert!((1.0..=3.0).contains(&x(0)) && x(1) >= 0.5, "{record}");
        }
        records.values().map(|record| record["x"].clone()).collect::<Vec<_>>()
    };
    let (file, smooth) = (points("file", ""), points("smooth", "--bound-handling smooth"));
    let (resample, reflect) =
        (points("resample", "--bound-handling resample"), points("reflect", "--bound-handling reflect"));
    assert_eq!(file, reflect);
    assert!(file != smooth && file != resample && smooth != resample);
    let output = place.run("minimize p.toml --bound-handling fold");
    assert!(message(&output).contains("smooth, reflect, resample"), "{}", message(&output));
    let output = place.run("minimize p.toml --bound-handling resample --strategy published --run x");
    assert!(message(&output).contains("refresh_rate"), "{}", message(&output));
}
