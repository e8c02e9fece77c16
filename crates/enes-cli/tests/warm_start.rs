//! `enes minimize --warm-start`: from run folders, checkpoints and tables; what is recorded and what is refused.

use std::fs;

use crate::runs::{Place, WORKER, evaluations, message, timeless};

const RUN: &str = "minimize --dim 3 --worker --target 1e-10";

fn count(result: &serde_json::Value) -> u64 {
    result["evaluations"].as_u64().unwrap()
}

#[test]
fn a_run_folder_its_checkpoint_and_a_table_save_evaluations() {
    let place = Place::new("warm");
    place.script("model.py", WORKER);
    let (cold, code) = place.json(&format!("{RUN} --model rank-only --run first -- python3 model.py"));
    assert_eq!(code, 0);
    let rows = evaluations(&place.path("first"));
    let row = |e: &serde_json::Value| {
        let x: Vec<String> = e["x"].as_array().unwrap().iter().map(ToString::to_string).collect();
        format!("{},{}\n", x.join(","), e["value"])
    };
    let table: String = rows.values().map(row).collect();
    place.script("plain.csv", &table).script("named.csv", &format!("x0,x1,x2,value\n{table}"));
    for (i, source) in ["first", "first/checkpoint", "plain.csv", "named.csv"].into_iter().enumerate() {
        // Rank-based: with a surrogate a bowl takes a dozen evaluations, warm or cold.
        for strategy in ["adaptive --model rank-only", "published"] {
            let words = format!("{RUN} --strategy {strategy} --seed 5");
            let strategy = &strategy[..8];
            let (warm, code) = place
                .json(&format!("{words} --warm-start {source} --run w{i}{strategy} -- python3 model.py"));
            let (cold, _) = place.json(&format!("{words} --run c{i}{strategy} -- python3 model.py"));
            assert_eq!(code, 0);
            assert!(count(&warm) < count(&cold), "{source} {strategy}: {} of {}", count(&warm), count(&cold));
        }
    }
    assert!(count(&cold) > 0);
}

#[test]
fn a_warm_run_continues_without_its_source_and_without_its_checkpoint() {
    let place = Place::new("warm-resume");
    place.script("model.py", WORKER);
    place.json(&format!("{RUN} --model rank-only --run first -- python3 model.py"));
    for strategy in ["adaptive", "published"] {
        let words = format!("minimize --dim 3 --worker --tolfun 0 --strategy {strategy} --warm-start first");
        let (whole, _) =
            place.json(&format!("{words} --max-evaluations 90 --run whole-{strategy} -- python3 model.py"));
        let part = format!("part-{strategy}");
        place.json(&format!("{words} --max-evaluations 45 --run {part} -- python3 model.py"));
        fs::rename(place.path("first"), place.path("gone")).unwrap();
        fs::remove_file(place.path(&part).join("checkpoint")).unwrap();
        let (again, _) = place.json(&format!("resume {part} --max-evaluations 90"));
        fs::rename(place.path("gone"), place.path("first")).unwrap();
        assert_eq!(timeless(again), timeless(whole));
    }
}

#[test]
fn a_built_in_problem_starts_from_a_table() {
    let place = Place::new("warm-problem");
    place.script("near.csv", "1,1,3\n2,2,1\n");
    let output = place.run("minimize --problem sphere --dim 2 --warm-start near.csv --warm-widen 2");
    assert!(output.status.success(), "{}", message(&output));
}

#[test]
fn what_holds_nothing_is_named_with_its_line() {
    let place = Place::new("warm-refused");
    place.script("model.py", WORKER).script("bad.csv", "1,2,3,4\n1,2,x,4\n").script("short.csv", "1,2\n");
    place.script("nan.csv", "a,b,c,value\n1,2,3,nan\n").script("old", "enes-checkpoint 1 3 00\nabc");
    let refused = |source: &str| {
        let output = place.run(&format!("{RUN} --warm-start {source} -- python3 model.py"));
        assert_eq!(output.status.code(), Some(2));
        message(&output)
    };
    assert!(refused("bad.csv").contains("cannot start from bad.csv: line 2: `x` is no number"));
    assert!(refused("nan.csv").contains("no value that is a finite number"));
    assert!(refused("short.csv").contains("point 0 of the table has 1 coordinates, there are 3"));
    assert!(refused("old").contains("version 1"));
    assert!(refused("nowhere").contains("cannot start from nowhere"));
    assert!(refused(".").contains("no evaluations.jsonl"));
    let alone = place.run(&format!("{RUN} --warm-widen 2 -- python3 model.py"));
    assert!(message(&alone).contains("--warm-start"), "{}", message(&alone));
}
