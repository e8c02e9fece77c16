//! The command as a user meets it: output, exit codes, wrong input.

use std::process::{Command, Output};

use serde_json::Value;

fn enes(arguments: &str) -> Output {
    let words = arguments.split_whitespace();
    Command::new(env!("CARGO_BIN_EXE_enes")).args(words).output().unwrap()
}

fn text(bytes: &[u8]) -> String {
    String::from_utf8(bytes.to_vec()).unwrap()
}

fn json(arguments: &str) -> Value {
    let output = enes(arguments);
    serde_json::from_slice(&output.stdout).unwrap_or_else(|e| panic!("{e}: {}", text(&output.stderr)))
}

#[test]
fn the_first_command_solves_rosenbrock() {
    let output = enes("minimize --problem rosenbrock --dim 10 --seed 1");
    let words = text(&output.stderr);
    assert_eq!(output.status.code(), Some(0), "{words}");
    assert!(output.stdout.is_empty());
    for part in [
        "#Fevals",
        "axis ratio",
        "mode      fits       E",
        "done: rosenbrock in 10 dimensions",
        "the target was reached",
    ] {
        assert!(words.contains(part), "{part} is missing from\n{words}");
    }
    assert!(!words.contains("reused"), "{words}");
    assert!(!words.contains('\x1b') && !words.contains('\r'), "plain lines where there is no terminal");
}

#[test]
fn json_has_all_its_fields() {
    let report = json("minimize --problem ellipsoid --dim 4 --seed 3 --json");
    for field in [
        "problem",
        "dim",
        "seed",
        "strategy",
        "population",
        "evaluations",
        "generations",
        "value",
        "best_x",
        "mean",
        "stop",
        "stop_message",
        "reused_share",
        "seconds",
        "success",
    ] {
        assert!(report.get(field).is_some(), "{field} is missing from {report}");
    }
    assert_eq!(report["problem"], "ellipsoid");
    assert_eq!(report["strategy"], "adaptive");
    assert_eq!(report["stop"], "ftarget");
    assert_eq!(report["success"], true);
    assert_eq!(report["best_x"].as_array().unwrap().len(), 4);
    assert_eq!(report["population"], 4);
    assert!(report["value"].as_f64().unwrap() <= 1e-10);
}

#[test]
fn the_same_seed_gives_the_same_result() {
    let run =
        |seed: u32| json(&format!("minimize --problem cigar --dim 3 --seed {seed} --json"))["best_x"].clone();
    assert_eq!(run(0), run(0));
    assert_ne!(run(0), run(1));
}

#[test]
fn flags_reach_the_run() {
    let report =
        json("minimize --problem sphere --dim 3 --population 17 --max-evaluations 40 --target 1e-30 --json");
    assert_eq!((&report["population"], &report["evaluations"]), (&17.into(), &40.into()));
    assert_eq!(report["stop"], "maxfevals");
    let without_mixing =
        json("minimize --problem sphere --dim 3 --strategy published --refresh-rate 1 --json");
    assert_eq!(without_mixing["reused_share"], 0.0);
    let changed = |flags: &str| {
        let run = "minimize --problem tablet --dim 3 --max-evaluations 500 --target none --json";
        json(&format!("{run} --strategy published {flags}"))["mean"].clone()
    };
    let plain = changed("");
    for flags in [
        "--eta 0.5",
        "--baseline none",
        "--baseline uniform",
        "--baseline specific",
        "--baseline mean",
        "--baseline mean --baseline-factor 1.3",
        "--shaping logarithmic",
        "--shaping linear",
        "--shaping raw",
        "--population 4 --shaping 1,0.5,0,-1",
        "--drift-correction",
        "--eta adaptive",
        "--sigma0 0.5",
        "--sigma0 1,2,3",
        "--distance 2",
        "--no-rotation",
        "--refresh-rate 0.5",
    ] {
        assert_ne!(plain, changed(flags), "{flags}");
    }
    assert_eq!(plain, changed("--baseline block --eta 1 --shaping paper"));
    assert_eq!(changed("--baseline mean"), changed("--baseline mean --baseline-factor 1"));
    let adaptive = |flags: &str| {
        json(&format!("minimize --problem tablet --dim 3 --max-evaluations 99 --json {flags}"))["mean"]
            .clone()
    };
    assert_eq!(adaptive(""), adaptive("--strategy adaptive"));
    assert_ne!(adaptive(""), adaptive("--strategy published"));
    assert_eq!(json("minimize --problem sphere --target none --max-seconds 1e-9 --json")["stop"], "timeout");
}

#[test]
fn exit_codes_tell_how_it_ended() {
    let code = |arguments: &str| enes(arguments).status.code().unwrap();
    assert_eq!(code("minimize --problem sphere --dim 2"), 0);
    assert_eq!(code("minimize --problem sphere --dim 2 --target none"), 0);
    assert_eq!(code("minimize --problem sphere --dim 2 --max-evaluations 3"), 1);
    assert_eq!(code("minimize --problem parabr --dim 3"), 0);
    assert_eq!(code("minimize"), 2);
    assert_eq!(code("minimise --problem sphere"), 2);
}

#[test]
fn wrong_input_is_named_with_its_remedy() {
    for (arguments, words) in [
        ("minimize --problem rosenbrok", "did you mean `rosenbrock`"),
        ("minimize --problem sphere --dim 0", "dim must lie between 1 and 2000, got 0"),
        ("minimize --problem sphere --dim -1", "'-1'"),
        ("minimize --problem sphere --dim 100000", "dim must lie between 1 and 2000"),
        ("minimize --problem sphere --sigma0 0", "'0' for '--sigma0 <SIGMA>': a finite number above 0"),
        ("minimize --problem sphere --sigma0 1,2", "sigma0 has 2 entries, x0 has 10 coordinates"),
        ("minimize --problem sphere --sigma0 wide", "'wide'"),
        ("minimize --problem sphere --eta 0.5", "belongs to the strategy `published`"),
        (
            "minimize --problem sphere --strategy published --eta 0",
            "learning_rate_mean must be positive and finite, got 0",
        ),
        (
            "minimize --problem sphere --strategy published --refresh-rate 0",
            "refresh_rate must lie in (0, 1], got 0",
        ),
        (
            "minimize --problem sphere --algebra-threads 2",
            "algebra_threads belongs to the strategy `published`",
        ),
        ("minimize --problem sphere --strategy published --algebra-threads 0", "0 is not in 1.."),
        ("minimize --problem sphere --population 1", "population must be at least 2, got 1"),
        ("minimize --problem sphere --dim 2000 --population 99999999999", "is too large"),
        ("minimize --problem sphere --baseline blok", "'block'"),
        (
            "minimize --problem sphere --strategy published --baseline mean --baseline-factor 0",
            "finite, got 0: 1 is",
        ),
        (
            "minimize --problem sphere --baseline-factor 2",
            "baseline_factor belongs to the baseline `mean`, got 2",
        ),
        (
            "minimize --problem sphere --population auto",
            "auto_population belongs to the strategy `published`",
        ),
        (
            "minimize --problem sphere --eta adaptive",
            "adaptive_learning_rate belongs to the strategy `published`",
        ),
        ("minimize --problem sphere --population large", "a whole number or `auto` is needed"),
        ("minimize --problem sphere --strategy published --eta fast", "a number or `adaptive` is needed"),
        (
            "minimize --problem sphere --strategy published --noisy --population auto",
            "auto_population cannot be used with noisy",
        ),
        (
            "minimize --problem sphere --drift-correction",
            "drift_correction belongs to the strategy `published`",
        ),
        ("minimize --problem sphere --shaping raw", "shaping belongs to the strategy `published`"),
        (
            "minimize --problem sphere --shaping lineal",
            "`paper`, `logarithmic`, `linear`, `raw`, or a table is needed",
        ),
        (
            "minimize --problem sphere --strategy published --population 5 --shaping 1,0",
            "the utility table has 2 entries, the population 5",
        ),
        ("minimize --problem sphere --strategy adaptve", "adaptive"),
        ("minimize --problem sphere --target soon", "a number or `none` is needed"),
        ("minimize --problem sphere --target nan", "a number or `none` is needed"),
        ("minimize --problem sphere --distance nan", "a finite number, 0 or larger, is needed"),
        ("minimize --problem sphere --max-seconds 0", "a number of seconds above 0 is needed"),
        (
            "minimize --problem sphere --max-evaluations 0",
            "'0' for '--max-evaluations <COUNT>': a whole number of",
        ),
        ("minimize --problem sphere --max-evaluations -3", "'-3' for '--max-evaluations <COUNT>'"),
        ("minimize --problem sphere --seed 1.5", "'1.5'"),
    ] {
        let output = enes(arguments);
        let message = text(&output.stderr);
        assert_eq!(output.status.code(), Some(2), "{arguments}: {message}");
        assert!(message.contains(words), "`{arguments}` says\n{message}\nand not `{words}`");
        assert!(output.stdout.is_empty(), "{arguments}");
    }
}

#[test]
fn problems_are_listed_by_name() {
    let list = text(&enes("problems").stdout);
    assert_eq!(list.lines().count(), 13);
    for line in list.lines() {
        let name = line.split_whitespace().next().unwrap();
        let report = json(&format!("minimize --problem {name} --dim 2 --max-evaluations 60 --json --quiet"));
        assert_eq!(report["problem"], name);
    }
}

#[test]
fn quiet_says_nothing() {
    let output = enes("minimize --problem sphere --dim 2 --quiet");
    assert!(output.stderr.is_empty() && output.stdout.is_empty());
}

#[test]
fn help_names_every_flag_and_the_exit_codes() {
    let help = text(&enes("minimize --help").stdout);
    for flag in [
        "--problem",
        "--dim",
        "--seed",
        "--strategy",
        "--population",
        "--eta",
        "--refresh-rate",
        "--baseline",
        "--baseline-factor",
        "--shaping",
        "--drift-correction",
        "--sigma0",
        "--distance",
        "--target",
        "--max-evaluations",
        "--max-seconds",
        "--tolx",
        "--tolfun",
        "--no-rotation",
        "--json",
        "Exit codes",
        "Examples",
    ] {
        assert!(help.contains(flag), "{flag}");
    }
}
