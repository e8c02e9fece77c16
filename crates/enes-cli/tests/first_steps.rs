//! What a newcomer stumbles over: the error names what was typed, the value and the way on.

use std::fs;
use std::process::Command;

use crate::runs::{Place, WORKER, evaluations, message};

/// What a command says, which must fail with this exit code.
fn refusal(place: &Place, words: &[&str]) -> String {
    let output = place.enes("").args(words).output().unwrap();
    assert_eq!(output.status.code(), Some(2), "{words:?}: {}", message(&output));
    message(&output)
}

fn assert_says(said: &str, parts: &[&str]) {
    for part in parts {
        assert!(said.contains(part), "`{part}` is missing from\n{said}");
    }
}

/// A run of twelve evaluations in the folder `r`.
fn finished(name: &str) -> Place {
    let place = Place::new(name);
    place.script("model.py", WORKER);
    place.json("minimize --dim 2 --worker --max-evaluations 12 --run r -- python3 model.py");
    place
}

#[test]
fn a_damaged_checkpoint_is_named_by_verify_and_by_resume() {
    let place = finished("checkpoint");
    assert_eq!(place.run("verify r").status.code(), Some(0));
    for (file, cut) in [("checkpoint", true), ("checkpoint.json", true), ("checkpoint.json", false)] {
        let mut bytes = fs::read(place.path("r").join(file)).unwrap();
        // The number of evaluations is 1 more: it can be read, and is wrong.
        let digit = bytes.iter().position(u8::is_ascii_digit).unwrap();
        if cut {
            bytes.truncate(bytes.len() / 2)
        } else {
            bytes[digit] += 1
        };
        fs::write(place.path("r").join(file), &bytes).unwrap();
        let output = place.run("verify r");
        assert_eq!(output.status.code(), Some(2), "{}", message(&output));
        assert_says(&message(&output), &[&format!("{file}: damaged; `enes resume` does without it")]);
        let said = message(&place.run("resume r --max-evaluations 14"));
        assert_says(&said, &["the checkpoint is not used: ", "damaged", "goes on from evaluations.jsonl"]);
        assert_eq!(place.run("verify r").status.code(), Some(0), "resume has written it again");
        let said = message(&place.run("resume r"));
        assert!(!said.contains("checkpoint is not used"), "{said}");
    }
}

#[test]
fn a_program_that_cannot_be_started_costs_no_evaluation() {
    let place = Place::new("nosuch");
    place.script("plain.sh", "echo 1\n");
    for (program, parts) in [
        ("./nosuch", ["cannot start `./nosuch`: there is no such file", "give its path"]),
        ("no-such-program-anywhere", ["in none of the folders of PATH", "install it"]),
        ("plain.sh", ["in none of the folders of PATH", "write ./plain.sh"]),
        ("./plain.sh", ["may not be executed", "chmod +x ./plain.sh"]),
    ] {
        for command in ["minimize", "evaluate"] {
            let said = refusal(&place, &[command, "--x0", "1,2", "--", program, "{}"]);
            assert_says(&said, &parts);
        }
    }
    assert!(!place.path("runs").exists(), "nothing was begun");
}

#[test]
fn a_run_that_is_done_needs_no_program_and_one_that_goes_on_does() {
    let place = Place::new("moved");
    place.script("value", "#!/bin/sh\necho $1\n");
    let made = Command::new("chmod").args(["+x", "value"]).current_dir(&place.0).status().unwrap();
    assert!(made.success());
    place.json("minimize --dim 1 --max-evaluations 6 --run r -- ./value {}");
    fs::remove_file(place.path("value")).unwrap();
    assert_eq!(place.json("resume r").0["evaluations"], 6);
    let said = refusal(&place, &["resume", "r", "--max-evaluations", "9"]);
    assert_says(&said, &["cannot start `./value`"]);
    assert_eq!(evaluations(&place.path("r")).len(), 6);
}

#[test]
fn numbers_are_named_as_they_were_typed() {
    let place = Place::new("numbers");
    place.script(
        "p.toml",
        "command = [\"true\", \"{}\"]\n[[parameter]]\nname = \"a\"\nlower = 0\nupper = 1\n",
    );
    for (words, parts) in [
        (vec!["--x0", "1,nan"], vec!["'nan' for '--x0 <VALUES>'", "a finite number is needed"]),
        (vec!["--x0", "1 2"], vec!["'1 2' for '--x0 <VALUES>'", "separate numbers by commas"]),
        (vec!["--x0", "1", "--sigma0", "-1"], vec!["'-1' for '--sigma0 <SIGMA>'", "above 0"]),
        (vec!["--x0", "1", "--tolx", "-1"], vec!["'-1' for '--tolx <LENGTH>'", "or 0 to switch"]),
        (vec!["--dim", "1", "--timeout", "1e300"], vec!["--timeout", "at most 3.2e9 seconds"]),
        (vec!["--dim", "1", "--max-failures", "0"], vec!["'0' for '--max-failures <COUNT>'"]),
        (vec!["p.toml", "--x0", "3"], vec!["parameter `a`: --x0 3 lies outside [0, 1]"]),
    ] {
        let words = [&["minimize"], &words[..], &["--", "true", "{}"]].concat();
        assert_says(&refusal(&place, &words), &parts);
    }
}

#[test]
fn options_that_do_not_exist_lead_to_what_does() {
    let place = Place::new("options");
    for option in ["--bounds", "--lower"] {
        let said = refusal(&place, &["minimize", "--x0", "1,2", option, "0,3", "--", "true", "{}"]);
        assert_says(&said, &[option, "`lower` and `upper` of each [[parameter]]", "enes init"]);
        assert!(!said.contains("--bound-handling"), "{said}");
    }
    for words in
        [&["minimize", "--x0", "1,2", "./simulate", "{}"][..], &["evaluate", "python3", "-c", "print(1)"]]
    {
        assert_says(&refusal(&place, words), &["stand after `--`: enes minimize --dim 2 -- ./simulate {}"]);
    }
    place.script("simulate.sh", "echo 1\n");
    assert_says(
        &refusal(&place, &["minimize", "--dim", "2", "simulate.sh"]),
        &["a program of yours stands after `--`"],
    );
}

#[test]
fn a_wrong_number_in_a_problem_file_has_file_line_and_value() {
    let place = Place::new("lines");
    for (line, parts) in [
        ("[stop]\nmax_evaluations = 0", ["line 3", "max_evaluations = 0", "at least 1, got 0"]),
        ("[stop]\nmax_failures = 0", ["line 3", "max_failures", "at least 1, got 0"]),
        ("[stop]\nmax_seconds = -1.0", ["line 3", "max_seconds", "above 0"]),
        ("[stop]\ntolx = -1.0", ["line 3", "tolx", "or 0 to switch the rule off, got -1"]),
        ("[search]\nsigma0 = 0.0", ["line 3", "sigma0", "above 0, got 0"]),
        ("tolx = 1e-3", ["line 2", "unknown field `tolx`", "it belongs under [stop]"]),
        ("[stop]\nseed = 3", ["line 3", "unknown field `seed`", "it belongs under [search]"]),
        ("lower = 0", ["line 2", "unknown field `lower`", "it belongs under [[parameter]]"]),
        ("[stop]\njobs = 2", ["line 3", "unknown field `jobs`", "it belongs above the first table"]),
        ("[stop]\ncommand = []", ["line 3", "unknown field `command`", "it belongs above the first table"]),
        ("jobs = 0", ["line 2", "jobs", "at least 1, got 0"]),
        ("timeout = 1e300", ["line 2", "timeout", "a hundred years"]),
    ] {
        place.script("p.toml", &format!("command = [\"true\", \"{{}}\"]\n{line}\n"));
        let said = refusal(&place, &["minimize", "p.toml", "--dim", "2"]);
        assert_says(&said, &[&["p.toml: "], &parts[..]].concat());
    }
}

#[test]
fn tolerances_are_flags_and_fields_of_a_problem_file() {
    let place = Place::new("tolerances");
    place.script("model.py", WORKER);
    place.script(
        "p.toml",
        "command = [\"python3\", \"model.py\"]\nworker = true\n[stop]\ntolx = 0.1\ntolfun = 0\n",
    );
    let run = |words: &str| place.json(&format!("minimize p.toml --dim 2 --restarts off {words}")).0;
    let coarse = run("--run coarse");
    assert_eq!(coarse["stop"], "tolx", "{coarse}");
    assert!(coarse["evaluations"].as_u64() < run("--run fine --tolx 1e-6")["evaluations"].as_u64());
    // What was chosen belongs to the run.
    assert_eq!(place.json("resume coarse").0["stop"], "tolx");
    assert_eq!(run("--run values --tolx 0 --tolfun 0.5 --max-evaluations 2000")["stop"], "tolfun");
}

#[test]
fn a_budget_that_is_spent_names_the_way_on() {
    let place = finished("spent");
    let said = message(&place.run("resume r"));
    assert_says(&said, &["the budget is spent: 12 of 12 evaluations", "give a larger --max-evaluations"]);
    assert!(!said.contains("continuing"), "{said}");
    assert_says(&message(&place.run("resume r --max-evaluations 15")), &["continuing after 12 evaluations"]);
    assert_says(
        &message(&place.run("resume r --max-evaluations 16 --max-seconds 1e-9")),
        &["a larger --max-seconds"],
    );
}

#[test]
fn a_budget_that_was_raised_stays_with_the_run() {
    let place = finished("raised");
    let (raised, _) = place.json("resume r --max-evaluations 20");
    assert_eq!(raised["evaluations"], 20);
    let said = message(&place.run("resume r"));
    assert_says(&said, &["the budget is spent: 20 of 20 evaluations"]);
}

#[cfg(unix)]
#[test]
fn a_report_that_does_not_fit_on_the_disk_says_how_to_write_it_later() {
    let place = finished("report-full");
    fs::remove_file(place.path("r/report.html")).unwrap();
    // Files may grow to 8 blocks of 512 or 1024 bytes: the record fits, the report does not.
    let command = format!("trap '' XFSZ; ulimit -f 8; exec {} resume r", env!("CARGO_BIN_EXE_enes"));
    let output = Command::new("sh").args(["-c", &command]).current_dir(&place.0).output().unwrap();
    let said = message(&output);
    assert_says(&said, &["cannot write the report r/report.html", "`enes report r` then writes it"]);
    assert!(!said.contains("--out") && !place.path("r/report.part").exists(), "{said}");
}

#[test]
fn the_guide_has_every_exit_code_of_the_help() {
    let help = String::from_utf8(Place::new("codes").run("--help").stdout).unwrap();
    let guide = concat!(env!("CARGO_MANIFEST_DIR"), "/../../docs/your-own-program.md");
    let guide = fs::read_to_string(guide).unwrap();
    let (_, codes) = help.split_once("Exit codes:\n").unwrap();
    for line in codes.lines() {
        let code = line.trim().split("  ").next().unwrap();
        assert!(guide.contains(&format!("| {code} |")), "`{code}` is missing from the guide");
    }
    assert!(codes.contains("129"), "{codes}");
}
