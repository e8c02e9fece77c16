//! Folders of `cargo reproduce`: how they continue, what is refused.

use std::fs;
use std::path::Path;
use std::process::{Command, Stdio};
use std::time::{Duration, Instant};

use crate::common::{Folder, command, loud, message, reproduce};

#[test]
fn the_number_of_jobs_changes_nothing_but_the_time() {
    let (one, two) = (Folder::new("one"), Folder::new("two"));
    for (folder, jobs) in [(&one, "1"), (&two, "2")] {
        let output = command("paper mixing", &folder.0).args(["--jobs", jobs]).output().unwrap();
        assert_eq!(output.status.code(), Some(0), "{}", message(&output));
    }
    assert_eq!(one.records(), two.records());
    assert_eq!(one.read("mixing.csv"), two.read("mixing.csv"));
}

#[test]
fn a_killed_reproduction_continues_where_it_was() {
    let (whole, killed) = (Folder::new("whole"), Folder::new("killed"));
    assert!(reproduce("paper baselines", &whole.0).status.success());
    let lines = |folder: &Folder| {
        fs::read(folder.file("runs.jsonl")).map_or(0, |b| b.iter().filter(|&&c| c == b'\n').count())
    };
    let total = lines(&whole);
    for part in [1, total / 4, total / 2] {
        let mut child = command("paper baselines", &killed.0)
            .args(["--jobs", "1"])
            .stderr(Stdio::null())
            .spawn()
            .unwrap();
        let patience = Instant::now();
        while lines(&killed) < part
            && child.try_wait().unwrap().is_none()
            && patience.elapsed() < Duration::from_secs(60)
        {
            std::hint::spin_loop();
        }
        let _ = child.kill(); // SIGKILL
        child.wait().unwrap();
    }
    assert!(lines(&killed) >= total / 2);
    let output = reproduce("paper baselines", &killed.0);
    assert!(output.status.success(), "{}", message(&output));
    assert_eq!(whole.records(), killed.records());
    assert_eq!(whole.read("baselines.csv"), killed.read("baselines.csv"));
}

#[test]
fn a_line_that_was_cut_is_run_again() {
    let folder = Folder::new("cut");
    assert!(reproduce("paper rosenbrock", &folder.0).status.success());
    let before = folder.records();
    let text = folder.read("runs.jsonl");
    // Within the last record; and just before its end, with the first one missing: what is appended
    // for that one must not be glued to the last.
    let first = text.find('\n').unwrap() + 1;
    for rest in [&text[..text.len() - 40], &text[first..text.len() - 1]] {
        fs::write(folder.file("runs.jsonl"), rest).unwrap();
        assert!(reproduce("paper rosenbrock", &folder.0).status.success());
        assert_eq!(folder.records(), before);
    }
}

#[test]
fn folders_that_are_not_ours_are_refused_and_left_alone() {
    let folder = Folder::new("foreign");
    fs::create_dir_all(&folder.0).unwrap();
    fs::write(folder.file("thesis.txt"), "ten years").unwrap();
    let output = reproduce("paper path", &folder.0);
    assert_eq!(output.status.code(), Some(2));
    assert!(
        message(&output).contains("it is not empty and not one of ours; choose another with --out"),
        "{}",
        message(&output)
    );
    assert_eq!(fs::read_dir(&folder.0).unwrap().count(), 1);
    assert_eq!(folder.read("thesis.txt"), "ten years");

    let output = reproduce("paper path", &folder.file("thesis.txt"));
    assert_eq!(output.status.code(), Some(2));
    assert!(message(&output).contains("cannot use the folder"), "{}", message(&output));
    let output = reproduce("paper path", Path::new("/proc/nowhere"));
    assert_eq!(output.status.code(), Some(2));
    assert!(message(&output).contains("choose another with --out"), "{}", message(&output));
}

#[test]
fn a_folder_of_another_version_or_plan_is_refused() {
    let folder = Folder::new("version");
    assert!(reproduce("paper path", &folder.0).status.success());
    let page = folder.read("index.html");
    let output = command("paper path", &folder.0).args(["--seed", "2"]).output().unwrap();
    assert_eq!(output.status.code(), Some(2));
    assert!(
        message(&output).contains("it was made with --seed 1 --quick, not with --seed 2 --quick"),
        "{}",
        message(&output)
    );
    let manifest = folder.read("manifest.json");
    fs::write(folder.file("manifest.json"), manifest.replace("\"version\": 1", "\"version\": 99")).unwrap();
    let output = reproduce("paper path", &folder.0);
    assert_eq!(output.status.code(), Some(2));
    assert!(
        message(&output).contains("it has version 99, this program writes version 1"),
        "{}",
        message(&output)
    );
    fs::write(folder.file("manifest.json"), "{}").unwrap();
    assert!(message(&reproduce("paper path", &folder.0)).contains("is not one of ours"));
    assert_eq!(folder.read("index.html"), page);
}

#[test]
fn an_unknown_experiment_suggests_the_nearest() {
    let folder = Folder::new("unknown");
    let output = reproduce("paper unimodel", &folder.0);
    assert_eq!(output.status.code(), Some(2));
    assert!(message(&output).contains("'unimodal'"), "{}", message(&output));
    assert!(!folder.0.exists());
}

#[test]
fn folders_of_the_paper_and_of_the_adaptive_strategy_are_not_mixed() {
    let (paper, adaptive) = (Folder::new("of-the-paper"), Folder::new("of-the-other"));
    assert!(reproduce("paper path", &paper.0).status.success());
    let output = command("paper path", &paper.0).arg("--without-peer").output().unwrap();
    assert_eq!(output.status.code(), Some(2));
    assert!(message(&output).contains("are for `cargo reproduce adaptive`"), "{}", message(&output));
    assert!(command("adaptive", &adaptive.0).arg("--without-peer").status().unwrap().success());
    for (experiment, folder, words) in [
        ("adaptive", &paper, "it holds the experiments `paper`, these are `adaptive`"),
        ("paper path", &adaptive, "it holds the experiments `adaptive`, these are `paper`"),
    ] {
        let page = folder.read("index.html");
        let output = reproduce(experiment, &folder.0);
        assert_eq!(output.status.code(), Some(2));
        assert!(message(&output).contains(words), "{}", message(&output));
        assert_eq!(folder.read("index.html"), page);
    }
    // A folder from before there were two sets: its manifest has none, nor have its records a solver.
    let manifest = folder_without_set(&paper);
    let before = paper.records();
    assert!(before.values().all(|r| r.get("solver").is_none()));
    assert!(reproduce("paper path", &paper.0).status.success());
    assert_eq!(paper.records(), before);
    assert_eq!(paper.read("manifest.json"), manifest);
}

fn folder_without_set(folder: &Folder) -> String {
    let manifest = folder.read("manifest.json").replace("  \"set\": \"paper\",\n", "");
    assert!(!manifest.contains("set"), "{manifest}");
    fs::write(folder.file("manifest.json"), &manifest).unwrap();
    manifest
}

#[test]
fn packed_runs_are_not_run_again_and_give_the_same_tables() {
    let folder = Folder::new("packed");
    assert!(reproduce("paper rosenbrock", &folder.0).status.success());
    let (table, page) = (folder.read("rosenbrock.csv"), folder.read("index.html"));
    let mut pack = Command::new(env!("CARGO_BIN_EXE_reproduce"));
    assert!(pack.arg("pack").arg(&folder.0).status().unwrap().success());
    assert!(!folder.file("runs.jsonl").exists() && folder.file("runs.jsonl.gz").exists());
    let output = loud("paper rosenbrock", &folder.0).output().unwrap();
    let all = message(&output).split(" of ").next().unwrap().to_string();
    assert!(
        message(&output).starts_with(&format!("{all} of {all} runs are there already")),
        "{}",
        message(&output)
    );
    assert!(!folder.file("runs.jsonl").exists(), "nothing was run");
    assert_eq!((folder.read("rosenbrock.csv"), folder.read("index.html")), (table, page));
    // What is new comes as lines, and the next packing takes it in.
    assert!(reproduce("paper path", &folder.0).status.success());
    assert!(folder.records().keys().all(|key| key.starts_with("path/")));
    assert!(pack.status().unwrap().success());
    assert!(
        loud("paper rosenbrock path", &folder.0)
            .output()
            .is_ok_and(|o| message(&o).contains("are there already"))
    );
    assert!(!folder.file("runs.jsonl").exists());
}
