//! Whole numbers in problem files and by a flag.

use std::fs;

use crate::runs::{Place, evaluations, message, timeless};

/// Refuses anything that is not written as a whole number in its first and third argument.
const MODEL: &str = "case \"$1$3\" in *[!0-9]*) echo not whole >&2; exit 1;; esac\n\
    awk \"BEGIN { print ($1 - 3)^2 + ($2 - 0.3)^2 + ($3 / 64 - 1)^2 }\"\n";

const FILE: &str = "\
command = [\"sh\", \"model.sh\", \"{}\"]
[stop]
max_evaluations = 400
[search]
restarts = \"off\"
[[parameter]]
name = \"layers\"
lower = 0.5
upper = 9.9
integer = true
[[parameter]]
name = \"rate\"
lower = 0
upper = 1
[[parameter]]
name = \"width\"
lower = 1
upper = 1024
log = true
integer = true
";

#[test]
fn parameters_of_a_file_are_whole_numbers_and_a_run_continues() {
    let place = Place::new("integer-file");
    place.script("model.sh", MODEL).script("p.toml", FILE);
    let output = place.run("evaluate p.toml");
    assert!(output.status.success(), "{}", message(&output));
    let (result, _) = place.json("minimize p.toml --jobs 2 --run r");
    assert_eq!((&result["failures"], &result["named"]["layers"]), (&0.into(), &3.0.into()), "{result}");
    let width = result["named"]["width"].as_f64().unwrap();
    assert!((62.0..=66.0).contains(&width), "{result}");
    assert!(result["mean"][0].as_f64().is_some_and(|m| m.fract() == 0.0), "{result}");
    for record in evaluations(&place.path("r")).values() {
        let x = |i: usize| record["x"][i].as_f64().unwrap();
        assert!((1.0..=9.0).contains(&x(0)) && x(0).fract() == 0.0, "{record}");
        assert!((1.0..=1024.0).contains(&x(2)) && x(2).fract() == 0.0, "{record}");
    }
    fs::remove_file(place.path("r/checkpoint")).unwrap();
    let (again, _) = place.json("resume r");
    assert_eq!(timeless(again), timeless(result));
}

#[test]
fn a_flag_names_the_integers() {
    let place = Place::new("integer-flag");
    place.script("model.sh", "awk \"BEGIN { print ($1 - 2.4)^2 + ($2 - 2.4)^2 }\"\n");
    let words = "minimize --names a,b --sigma0 1 --integer b --max-evaluations 150 --restarts off --run r -- sh model.sh {}";
    let (result, _) = place.json(words);
    assert_eq!(result["named"]["b"], 2.0, "{result}");
    assert!((result["named"]["a"].as_f64().unwrap() - 2.4).abs() < 1e-3, "{result}");
    let (all, _) = place.json(&words.replace("--integer b", "--integer all").replace("--run r", "--run s"));
    assert_eq!((&all["named"]["a"], &all["named"]["b"]), (&2.0.into(), &2.0.into()));
    let output = place.run("minimize --names a,b --integer c -- sh model.sh {}");
    assert!(message(&output).contains("there is no coordinate `c`"), "{}", message(&output));
    assert_eq!(output.status.code(), Some(2));
}

#[test]
fn a_range_without_whole_numbers_is_refused_with_its_line() {
    let place = Place::new("integer-none");
    place.script("p.toml", &FILE.replace("lower = 0.5\nupper = 9.9", "lower = 0.2\nupper = 0.9"));
    let said = message(&place.run("minimize p.toml"));
    assert!(said.contains("line 6, parameter `layers`: no integer lies between `lower` 0.2"), "{said}");
}

#[test]
fn of_a_category_the_program_gets_one_choice() {
    let place = Place::new("category");
    place.script(
        "model.py",
        "import sys, json
for line in sys.stdin:
    q = json.loads(line)
    thickness, *choice = q['x']
    assert sorted(choice) == [0, 0, 1], choice
    print(json.dumps({'id': q['id'], 'value': (thickness - 2) ** 2 + choice[0] * 3 + choice[1] + choice[2] * 2}), flush=True)
",
    );
    let names = "minimize --names thickness,steel,copper,glass --worker --target 1.0001 --max-evaluations 400 --seed 1";
    let (result, code) =
        place.json(&format!("{names} --one-hot steel,copper,glass --run r -- python3 model.py"));
    let choice: Vec<f64> = (1..4).map(|i| result["x"][i].as_f64().unwrap()).collect();
    assert_eq!((code, choice), (0, vec![0.0, 1.0, 0.0]), "{result}");
    for (wrong, words) in [
        ("--one-hot steel,gold", "there is no coordinate `gold`"),
        ("--one-hot steel,copper --one-hot copper,glass", "`copper` is in two categories"),
        ("--one-hot steel", "at least two are needed"),
    ] {
        let output = place.run(&format!("{names} {wrong} --run w -- python3 model.py"));
        assert!(!output.status.success() && message(&output).contains(words), "{}", message(&output));
    }
}
