//! `--noisy`: the mean is the result, whatever the number of jobs and whatever happens to the run.

use std::fs;

use crate::runs::{self, Place, evaluations, timeless};

/// Noise by the number of the evaluation, so that a repeated run sees the same.
const WORKER: &str = "\
import sys, json, random
for line in sys.stdin:
    q = json.loads(line)
    noise = random.Random(q['id']).gauss(0, 1)
    print(json.dumps({'id': q['id'], 'value': sum((v - 1) ** 2 for v in q['x']) + noise}), flush=True)
";

const RUN: &str = "minimize --dim 3 --noisy --worker --max-evaluations 900 --name w --run r";

fn place(name: &str) -> Place {
    let place = Place::new(name);
    place.script("model.py", WORKER);
    place
}

#[test]
fn the_result_is_the_mean_whatever_the_number_of_jobs() {
    let (one, two) = (place("noisy-one"), place("noisy-two"));
    let (result, code) = one.json(&format!("{RUN} -- python3 model.py"));
    assert_eq!(code, 0);
    assert_eq!(result["x"], result["mean"]);
    assert_eq!(result["evaluations"], 900);
    let (value, error) = (result["value"].as_f64().unwrap(), result["standard_error"].as_f64().unwrap());
    // 20 measurements of deviation 1 or more; the luckiest of 900 values lies far below.
    assert!(error < 0.4 && value > -1.0, "{result}");
    assert!(result["luckiest"]["value"].as_f64().unwrap() < value - 1.0);
    let (other, _) = two.json(&format!("{RUN} --jobs 2 --sync -- python3 model.py"));
    assert_eq!(timeless(result), timeless(other));
    assert_eq!(evaluations(&one.path("r")), evaluations(&two.path("r")));
    // The last evaluations are all of the mean.
    let last: Vec<String> =
        evaluations(&one.path("r")).values().rev().take(20).map(|e| e["x"].to_string()).collect();
    assert!(last.iter().all(|x| *x == last[0]));
    let records = fs::read_to_string(one.path("r/generations.jsonl")).unwrap();
    assert!(records.lines().all(|line| line.contains("\"noise\":")));
}

#[test]
fn a_run_goes_on_from_its_record_and_with_a_larger_budget() {
    let place = place("noisy-resumed");
    let (whole, _) = place.json(&format!("{RUN} -- python3 model.py"));
    // Half of the record, no checkpoint: the rest is run again.
    let record = place.path("r/evaluations.jsonl");
    let text = fs::read_to_string(&record).unwrap();
    let half: Vec<&str> = text.lines().take(450).collect();
    fs::write(&record, half.join("\n") + "\n").unwrap();
    fs::remove_file(place.path("r/checkpoint")).unwrap();
    let (again, _) = place.json("resume r");
    assert_eq!(timeless(whole), timeless(again));
    let (more, code) = place.json("resume r --max-evaluations 1500");
    assert_eq!((more["evaluations"].as_u64(), code), (Some(1500), 0), "{more}");
}

#[test]
fn restarts_are_refused_with_the_remedy() {
    let place = place("noisy-restarts");
    let output = place.run(&format!("{RUN} --restarts bipop -- python3 model.py"));
    assert_eq!(output.status.code(), Some(2));
    assert!(runs::message(&output).contains("leave them out"), "{}", runs::message(&output));
}

#[test]
fn a_problem_file_can_say_it() {
    let place = place("noisy-file");
    let file = "command = [\"python3\", \"model.py\"]\nworker = true\n[search]\nnoisy = true\n[stop]\n\
                max_evaluations = 300\n[[parameter]]\nname = \"a\"\n[[parameter]]\nname = \"b\"\n";
    place.script("problem.toml", file);
    let (result, _) = place.json("minimize problem.toml --run r");
    assert!(result["standard_error"].is_number(), "{result}");
    let (built_in, _) = place.json("minimize --problem sphere --dim 3 --noisy --seed 1");
    assert_eq!(built_in["standard_error"], 0.0);
}

#[test]
fn constraints_and_batches_are_refused_with_the_remedy() {
    let place = place("noisy-constraints");
    let answer = "'value': sum((v - 1) ** 2 for v in q['x']) + noise";
    place.script("violating.py", &WORKER.replace(answer, &format!("{answer}, 'violation': 0")));
    let plain = "minimize --dim 3 --noisy --max-evaluations 900 --run s";
    for (words, remedy) in [
        (format!("{plain} --constrained -- echo {{}}"), "add a penalty"),
        (format!("{plain} --value-field f --violation-field v -- echo {{}}"), "add a penalty"),
        (format!("{RUN} -- python3 violating.py"), "add a penalty"),
        (format!("{plain} --batch 2 -- echo {{}}"), "batch must be left out with noisy, got 2"),
    ] {
        let output = place.run(&words);
        assert_eq!(output.status.code(), Some(2), "{words}");
        assert!(runs::message(&output).contains(remedy), "{words}: {}", runs::message(&output));
    }
}
