//! Peers of `cargo reproduce` that fail, or are missing.

use std::fs;

use crate::common::{Folder, command, message};
use crate::peer;
use serde_json::Value;

#[test]
fn a_peer_that_fails_is_named_and_nothing_of_it_is_kept() {
    for (how, what) in [
        ("dies at once", "it died, exit status: 1 (stderr: no such thing as a peer)"),
        ("lacks cma", "it says: No module named 'cma'"),
        ("greets", "its line is no answer"),
        ("dies later", "it died, exit status: 1 (stderr: killed by the night watch), at "),
        ("babbles", "`42 and then some`, at "),
        ("raises", "it says: ValueError: sigma, at "),
        ("disagrees", "it does not compute the same function: 1e9 instead of "),
        ("counts badly", "its answer has not as many numbers"),
    ] {
        let folder = Folder::new(&format!("peer-{}", how.replace(' ', "-")));
        let mut command = command("adaptive", &folder.0);
        let output = command.arg("--python").arg(peer::fake()).env("ENES_FAKE", how).output().unwrap();
        assert_eq!(output.status.code(), Some(2), "{how}");
        let words = message(&output);
        assert!(words.contains(what) && words.contains("--without-peer"), "{how}: {words}");
        assert!(folder.records().values().all(|r| r.get("solver").is_none()), "{how}");
    }
    let folder = Folder::new("peer-nowhere");
    let output = command("adaptive", &folder.0).args(["--python", "/nonexistent"]).output().unwrap();
    assert!(message(&output).contains("the peer /nonexistent cannot be used"), "{}", message(&output));
}

#[test]
fn an_environment_that_cannot_be_made_names_the_remedy() {
    let folder = Folder::new("no-python");
    let mut command = command("adaptive", &folder.0);
    let output = command.env("PATH", "/nonexistent").env_remove("ENES_PEER_PYTHON").output().unwrap();
    assert_eq!(output.status.code(), Some(2));
    assert!(
        message(&output).contains("python3 -m venv") && message(&output).contains("--python"),
        "{}",
        message(&output)
    );
}

#[test]
fn without_a_peer_comparisons_are_not_claimed_and_versions_are_not_mixed() {
    let folder = Folder::new("alone");
    let output = command("adaptive", &folder.0).arg("--without-peer").output().unwrap();
    assert_eq!(output.status.code(), Some(0), "{}", message(&output));
    let verdicts = folder.read("verdicts.csv");
    assert_eq!(verdicts.matches("not measured").count(), 3, "{verdicts}");
    // As if an older pycma had made one of the runs.
    let lines = folder.read("runs.jsonl");
    let line =
        lines.lines().find(|l| l.contains("adaptive-table/rank-based/sphere/d5/n0/at1.0000/0")).unwrap();
    let mut record: Value = serde_json::from_str(line).unwrap();
    record["key"] = "adaptive-table//sphere/d5/n0/at1.0000/0/pycma".into();
    record["solver"] = "pycma".into();
    fs::write(folder.file("runs.jsonl"), format!("{lines}{record}\n")).unwrap();
    fs::write(folder.file("peer.txt"), "pycma 3.2, NumPy 1.9, Python 3.8\n").unwrap();
    let mut command = command("adaptive", &folder.0);
    let output = command.arg("--python").arg(peer::fake()).env("ENES_FAKE", "disagrees").output().unwrap();
    assert_eq!(output.status.code(), Some(2));
    assert!(
        message(&output).contains("its runs of pycma are by pycma 3.2") && message(&output).contains("4.5.0"),
        "{}",
        message(&output)
    );
}
