//! A population and a learning rate that follow the signal, with the published strategy: file, flags, records, resume.

use std::fs;

use crate::runs::{Place, evaluations, message, timeless};
use serde_json::Value;

/// Rastrigin's function.
const RUGGED: &str = "\
import json, math, sys
for line in sys.stdin:
    q = json.loads(line)
    value = sum(v * v + 10 - 10 * math.cos(2 * math.pi * v) for v in q['x'])
    print(json.dumps({'id': q['id'], 'value': value}), flush=True)
";

const PROBLEM: &str = "name = \"w\"\ncommand = [\"python3\", \"rugged.py\"]\nworker = true\n\
     [[parameter]]\nname = \"a\"\ninitial = 0.7\n[[parameter]]\nname = \"b\"\ninitial = 0.7\n\
     [search]\nstrategy = \"published\"\npopulation = \"auto\"\neta = \"adaptive\"\n[stop]\nmax_evaluations = 400\n";

#[test]
fn file_and_flags_say_the_same_and_a_resumed_run_is_the_same_run() {
    let place = Place::new("signal");
    place.script("rugged.py", RUGGED);
    place.script("problem.toml", PROBLEM);
    let (whole, _) = place.json("minimize problem.toml --run whole");
    let words = "minimize problem.toml --population auto --eta adaptive --max-evaluations";
    place.json(&format!("{words} 150 --run parts"));
    let (resumed, _) = place.json("resume parts --max-evaluations 400");
    assert_eq!(timeless(resumed), timeless(whole));
    assert_eq!(evaluations(&place.path("parts")), evaluations(&place.path("whole")));
    let records = fs::read_to_string(place.path("whole/generations.jsonl")).unwrap();
    let sizes: Vec<u64> = records
        .lines()
        .map(|line| serde_json::from_str::<Value>(line).unwrap()["population"].as_u64().unwrap())
        .collect();
    assert!(sizes[0] <= 34 && sizes.iter().any(|n| *n > 40), "{sizes:?}");
    place.json("minimize problem.toml --population 28 --eta 1 --run plain");
    let records = fs::read_to_string(place.path("plain/generations.jsonl")).unwrap();
    assert!(records.lines().all(|line| line.contains("\"population\":28")), "{records}");
}

#[test]
fn words_that_are_not_known_are_named() {
    let place = Place::new("signal-wrong");
    for (before, after, words) in [
        ("\"auto\"", "\"large\"", "a whole number or \"auto\" is needed"),
        ("\"adaptive\"\n[stop]", "\"fast\"\n[stop]", "a number or \"adaptive\" is needed"),
        ("\"published\"", "\"adaptive\"", "auto_population belongs to the strategy `published`"),
    ] {
        place.script("wrong.toml", &PROBLEM.replace(before, after));
        let output = place.run("minimize wrong.toml --run r");
        assert_eq!(output.status.code(), Some(2));
        assert!(message(&output).contains(words), "{}", message(&output));
    }
}
