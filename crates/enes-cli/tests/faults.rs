//! Damaged files, cut records, hostile names: nothing is lost, nothing is wrong without a word.

use std::fs;

use crate::runs::{Place, WORKER, evaluations, message, timeless};

const RUN: &str = "minimize --dim 3 --worker --max-evaluations 200 --restarts off --target 1e-300 --name w";

/// A finished run in the folder `r`, and its result.
fn finished(name: &str) -> (Place, serde_json::Value) {
    let place = Place::new(name);
    place.script("model.py", WORKER);
    let (result, _) = place.json(&format!("{RUN} --run r -- python3 model.py"));
    (place, result)
}

fn cut_to(place: &Place, file: &str, lines: usize) {
    let text = fs::read_to_string(place.path(file)).unwrap();
    let kept: String = text.lines().take(lines).flat_map(|line| [line, "\n"]).collect();
    fs::write(place.path(file), kept).unwrap();
}

#[test]
fn records_that_vanished_behind_a_checkpoint_are_evaluated_again() {
    let (place, expected) = finished("vanished");
    let whole = evaluations(&place.path("r"));
    cut_to(&place, "r/evaluations.jsonl", 25);
    let (again, _) = place.json("resume r");
    assert_eq!(evaluations(&place.path("r")), whole);
    assert_eq!(timeless(again), timeless(expected));
}

#[test]
fn a_changed_record_is_seen_and_nothing_is_written() {
    let (place, _) = finished("changed");
    let path = place.path("r/evaluations.jsonl");
    let text = fs::read_to_string(&path).unwrap();
    let lines: Vec<&str> = text.lines().collect();
    let digit = lines[40].find("\"value\":").unwrap() + 9;
    let mut bytes = text.clone().into_bytes();
    let at = lines[..40].iter().map(|l| l.len() + 1).sum::<usize>() + digit;
    bytes[at] = if bytes[at] == b'1' { b'2' } else { b'1' };
    fs::write(&path, &bytes).unwrap();
    let output = place.run("resume r");
    let words = message(&output);
    assert_eq!(output.status.code(), Some(2), "{words}");
    assert!(words.contains("line 41, at byte ") && words.contains("checksum does not match"), "{words}");
    assert_eq!(fs::read(&path).unwrap(), bytes, "nothing was written");
    let report = place.run("report r");
    assert!(message(&report).contains("line 41"), "{}", message(&report));
}

#[test]
fn a_torn_last_line_is_cut_off_with_a_word() {
    let (place, expected) = finished("torn");
    let path = place.path("r/evaluations.jsonl");
    let bytes = fs::read(&path).unwrap();
    fs::write(&path, &bytes[..bytes.len() - 20]).unwrap();
    let output = place.run("resume r");
    assert!(message(&output).contains("had no end"), "{}", message(&output));
    assert_eq!(evaluations(&place.path("r")).len() as u64, expected["evaluations"].as_u64().unwrap());
}

#[test]
fn a_damaged_checkpoint_or_settings_file_is_never_believed() {
    let (place, expected) = finished("rot");
    for (byte, file) in [(300usize, "checkpoint"), (20, "checkpoint.json")] {
        let path = place.path("r").join(file);
        let mut bytes = fs::read(&path).unwrap();
        bytes[byte] ^= 4;
        fs::write(&path, &bytes).unwrap();
        let (again, _) = place.json("resume r");
        assert_eq!(timeless(again), timeless(expected.clone()), "{file}");
    }
    let path = place.path("r/settings.json");
    let text = fs::read_to_string(&path).unwrap();
    for (damaged, words) in [
        (text.replace("\"seed\": 0", "\"seed\": 1"), "checksum does not match"),
        (text.replace("enes-run", "enes-ruN"), "not ours, or damaged"),
        (text.replace("\"version\": 4", "\"version\": 5"), "update enes"),
    ] {
        assert_ne!(damaged, text);
        fs::write(&path, &damaged).unwrap();
        for command in ["resume r", "report r"] {
            let output = place.run(command);
            assert_eq!(output.status.code(), Some(2), "{command}: {}", message(&output));
            assert!(message(&output).contains(words), "{command}: {}", message(&output));
        }
    }
}

#[test]
fn a_folder_of_the_first_version_continues_from_its_record() {
    let (place, expected) = finished("former");
    let plain = |file: &str| {
        let text = fs::read_to_string(place.path(file)).unwrap();
        let cut =
            |line: &str| line.rsplit_once(",\"sum\":\"").map_or(line.to_string(), |(a, _)| format!("{a}}}"));
        let lines: Vec<String> = text.lines().map(cut).collect();
        fs::write(place.path(file), lines.join("\n") + "\n").unwrap();
    };
    plain("r/evaluations.jsonl");
    plain("r/generations.jsonl");
    let settings = fs::read_to_string(place.path("r/settings.json")).unwrap();
    let (body, _) = settings.rsplit_once(",\n  \"sum\"").unwrap();
    fs::write(
        place.path("r/settings.json"),
        format!("{body}\n}}\n").replace("\"version\": 4", "\"version\": 3"),
    )
    .unwrap();
    fs::remove_file(place.path("r/checkpoint.json")).unwrap();
    let (again, _) = place.json("resume r");
    assert_eq!(timeless(again), timeless(expected));
}

#[test]
fn what_a_user_writes_never_panics() {
    let place = Place::new("words");
    place.script("model.py", WORKER);
    let file = |stop: &str| {
        let text = format!(
            "command = [\"python3\", \"model.py\"]\nworker = true\n[[parameter]]\nname = \"a\"\n[stop]\n{stop}\n"
        );
        fs::write(place.path("p.toml"), text).unwrap();
    };
    file("max_seconds = 1e300");
    let output = place.run("minimize p.toml");
    assert!(message(&output).contains("at most 3.2e9"), "{}", message(&output));
    file("max_evaluations = 3");
    let output = place.run("minimize p.toml --jobs 65535");
    assert!(message(&output).contains("`jobs` must be at most 1024"), "{}", message(&output));
}

#[test]
fn a_name_cannot_leave_the_folder_of_runs_and_never_reaches_the_terminal_raw() {
    let place = Place::new("names");
    place.script("model.py", "import sys\nsys.stderr.write('\\x1b]0;owned\\x07')\nsys.exit(3)\n");
    let output = place
        .enes("minimize --dim 2 --max-failures 2 --name ../../left-the-folder-of-runs")
        .args(["--", "python3", "model.py", "{}"])
        .output()
        .unwrap();
    let words = message(&output);
    assert!(!place.0.parent().unwrap().join("left-the-folder-of-runs").exists());
    assert_eq!(fs::read_dir(place.path("runs")).unwrap().count(), 1, "{words}");
    assert!(!words.contains('\x1b') && !words.contains('\x07'), "{words:?}");
    assert_eq!(output.status.code(), Some(2), "every evaluation failed");
}

#[test]
fn quiet_never_hides_that_everything_failed() {
    let place = Place::new("quiet");
    place.script("model.py", "import sys\nsys.exit(3)\n");
    let output =
        place.run("minimize -q --dim 2 --max-failures 50 --max-evaluations 8 --run r -- python3 model.py {}");
    assert_eq!(output.status.code(), Some(2), "{}", message(&output));
    assert!(message(&output).contains("error: 8 of 8 evaluations failed"), "{}", message(&output));
}

#[cfg(unix)]
#[test]
fn links_and_pipes_in_a_run_folder_are_not_written_to() {
    use std::os::unix::fs::symlink;
    let (place, _) = finished("links");
    fs::write(place.path("victim"), "untouched").unwrap();
    for file in ["r/report.html", "r/best.part", "r/report.part", "r/checkpoint.part"] {
        let _ = fs::remove_file(place.path(file));
        symlink(place.path("victim"), place.path(file)).unwrap();
    }
    place.run("resume r --max-evaluations 220");
    place.run("report r");
    assert_eq!(fs::read_to_string(place.path("victim")).unwrap(), "untouched");
    for file in ["r/lock", "r/evaluations.jsonl"] {
        let kept = fs::read(place.path(file)).unwrap();
        fs::remove_file(place.path(file)).unwrap();
        symlink(place.path("victim"), place.path(file)).unwrap();
        let output = place.run("resume r --max-evaluations 240");
        assert_eq!(output.status.code(), Some(2), "{file}");
        assert!(message(&output).contains("not a file"), "{file}: {}", message(&output));
        fs::remove_file(place.path(file)).unwrap();
        fs::write(place.path(file), kept).unwrap();
    }
    assert_eq!(fs::read_to_string(place.path("victim")).unwrap(), "untouched");
}

#[test]
fn a_run_that_dies_before_it_has_settings_leaves_the_name_free() {
    let place = Place::new("unborn");
    place.script("model.py", WORKER);
    // What a death on the way leaves: a folder with another name. An empty folder of the user's is as good as none.
    fs::create_dir(place.path(".r.1.part")).unwrap();
    fs::create_dir(place.path("r")).unwrap();
    // And what 0.1 left within.
    fs::write(place.path("r/lock"), "").unwrap();
    fs::write(place.path("r/settings.part"), "{").unwrap();
    let (result, _) = place.json(&format!("{RUN} --run r -- python3 model.py"));
    assert_eq!(evaluations(&place.path("r")).len() as u64, result["evaluations"].as_u64().unwrap());
}

#[test]
fn a_point_injected_after_a_death_enters_a_generation_that_is_not_recorded_yet() {
    let place = Place::new("late");
    place.script("model.py", WORKER);
    place.json(&format!("{} --run r -- python3 model.py", RUN.replace("200", "16")));
    // All is told and recorded; without its checkpoint the run is replayed, generation after generation.
    fs::remove_file(place.path("r/checkpoint")).unwrap();
    let last = |file: &str, key: &str| -> u64 {
        let text = fs::read_to_string(place.path(file)).unwrap();
        let line: serde_json::Value = serde_json::from_str(text.lines().last().unwrap()).unwrap();
        line[key].as_u64().unwrap()
    };
    let before = last("r/generations.jsonl", "generation");
    fs::write(place.path("near.jsonl"), "{\"x\": [1.5, 1.5, 1.5], \"value\": 0.75}\n").unwrap();
    let given = place.run("inject r near.jsonl");
    assert!(given.status.success(), "{}", message(&given));
    place.run("resume r --max-evaluations 40");
    assert!(last("r/injected.jsonl", "generation") > before);
}

/// A small generator: damage in random places, the same in every run.
fn next(state: &mut u64) -> u64 {
    *state = state.wrapping_mul(6364136223846793005).wrapping_add(1442695040888963407);
    *state >> 33
}

#[test]
fn a_repaired_folder_continues_to_the_same_result() {
    let (place, expected) = finished("repair");
    let whole = evaluations(&place.path("r"));
    let path = place.path("r/evaluations.jsonl");
    let mut bytes = fs::read(&path).unwrap();
    let mut state = 7;
    for _ in 0..3 {
        let at = next(&mut state) as usize % bytes.len();
        bytes[at] ^= 1 << (next(&mut state) % 8);
    }
    fs::write(&path, &bytes).unwrap();
    let verified = place.run("verify r");
    assert_eq!(verified.status.code(), Some(2));
    assert!(message(&verified).contains("evaluations.jsonl: line"), "{}", message(&verified));
    let repaired = place.run("repair r");
    assert!(repaired.status.success(), "{}", message(&repaired));
    assert_eq!(fs::read(&path).unwrap(), bytes, "the damaged folder is as it was");
    let (again, _) = place.json("resume r-repaired");
    assert_eq!(timeless(again), timeless(expected));
    assert_eq!(evaluations(&place.path("r-repaired")), whole);
    assert_eq!(place.run("verify r-repaired").status.code(), Some(0));
}

#[test]
fn random_damage_to_any_file_is_never_silently_wrong() {
    let (place, expected) = finished("campaign");
    let files = ["settings.json", "evaluations.jsonl", "generations.jsonl", "checkpoint", "checkpoint.json"];
    let whole: Vec<Vec<u8>> = files.iter().map(|f| fs::read(place.path("r").join(f)).unwrap()).collect();
    let records = evaluations(&place.path("r"));
    let mut state = 2026;
    for (file, bytes) in files.iter().zip(&whole) {
        for kind in 0..8 {
            for (f, b) in files.iter().zip(&whole) {
                fs::write(place.path("r").join(f), b).unwrap();
            }
            let mut damaged = bytes.clone();
            let at = next(&mut state) as usize % damaged.len();
            match kind % 4 {
                0 | 1 => damaged[at] ^= 1 << (next(&mut state) % 8),
                2 => damaged.truncate(at),
                _ => damaged[at..].iter_mut().take(40).for_each(|b| *b = 0),
            }
            fs::write(place.path("r").join(file), &damaged).unwrap();
            let output = place.run("resume r --json");
            let words = message(&output);
            match output.status.code() {
                Some(2) => assert!(words.contains("error: "), "{file} {kind}: {words}"),
                _ => {
                    let result: serde_json::Value = serde_json::from_slice(&output.stdout).unwrap();
                    assert_eq!(timeless(result), timeless(expected.clone()), "{file} {kind} {at}: {words}");
                    assert_eq!(evaluations(&place.path("r")), records, "{file} {kind} {at}");
                }
            }
            assert!(!words.contains("panicked"), "{words}");
        }
    }
}

#[test]
fn generations_that_vanished_are_told_again() {
    let (place, expected) = finished("untold");
    let timeless_lines = || -> Vec<serde_json::Value> {
        let text = fs::read_to_string(place.path("r/generations.jsonl")).unwrap();
        let mut lines: Vec<serde_json::Value> =
            text.lines().map(|line| serde_json::from_str(line).unwrap()).collect();
        lines
            .iter_mut()
            .for_each(|line| line.as_object_mut().unwrap().retain(|k, _| k != "seconds" && k != "sum"));
        lines
    };
    let whole = timeless_lines();
    cut_to(&place, "r/generations.jsonl", 3);
    let (again, _) = place.json("resume r");
    assert_eq!(timeless(again), timeless(expected));
    assert_eq!(timeless_lines(), whole);
}

#[test]
fn a_changed_result_or_injected_point_is_seen() {
    let place = Place::new("lies");
    place.script("model.py", WORKER);
    place.json(&format!("{} --run r -- python3 model.py", RUN.replace("200", "16")));
    fs::write(place.path("near.jsonl"), "{\"x\": [1.5, 1.5, 1.5], \"value\": -1.75}\n").unwrap();
    place.run("inject r near.jsonl");
    place.run("resume r --max-evaluations 40");
    for (file, command) in [
        ("r/injected.jsonl", "resume r --max-evaluations 40"),
        ("r/injected.jsonl", "report r"),
        ("r/best.json", "report r"),
        ("r/best.json", "verify r"),
        ("r/inject.jsonl", "verify r"),
    ] {
        let text = fs::read_to_string(place.path(file)).unwrap();
        let damaged = text.replace("-1.75", "-9.75");
        assert_ne!(damaged, text, "{file}");
        fs::write(place.path(file), &damaged).unwrap();
        let output = place.run(command);
        let words = message(&output);
        assert_eq!(output.status.code(), Some(2), "{file}, {command}: {words}");
        assert!(words.contains("checksum does not match") || words.contains("best.json: damaged"), "{words}");
        fs::write(place.path(file), text).unwrap();
    }
    assert_eq!(place.run("verify r").status.code(), Some(0));
}

#[cfg(target_os = "linux")]
#[test]
fn a_program_whose_optimizer_is_dead_is_not_started() {
    let place = Place::new("stillborn");
    // As the optimizer starts a program, but it is not process 1, which takes in orphans.
    let output = place.run("__ends-with-its-parent 1 touch started");
    assert_eq!(output.status.code(), Some(1), "{}", message(&output));
    assert!(!place.path("started").exists());
}
