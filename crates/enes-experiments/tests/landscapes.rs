//! A part of `cargo reproduce landscapes`: what it runs, writes and says.

use std::fs;

use crate::common::{Folder, command, loud, message};
use crate::peer;

const PART: &str =
    "landscapes --families asymmetric,rugged --members sphere1,lattice --jobs 1 --without-peer";

#[test]
fn a_part_of_the_landscapes_has_tables_and_a_page_and_is_run_once() {
    let folder = Folder::new("landscapes");
    let output = loud(PART, &folder.0).output().unwrap();
    assert_eq!(output.status.code(), Some(0), "{}", message(&output));
    let words = message(&output);
    assert!(words.contains("asymmetric/sphere1") && words.contains("restarts"), "{words}");
    // Two contenders and two runs, one search of both members, with restarts of one.
    let records = folder.records();
    assert_eq!(records.len(), 2 * 2 * 3);
    assert!(records.contains_key("landscapes-restarts/ranks/rugged/lattice/d2/1"));
    let page = folder.read("index.html");
    for table in ["landscapes-asymmetric", "landscapes-rugged"] {
        let csv = folder.read(&format!("{table}.csv"));
        assert!(csv.lines().count() > 1 && !csv.contains("NaN") && !csv.contains("inf"), "{csv}");
        assert!(page.contains(&format!("id=\"table-{table}\"")), "{table}");
    }
    assert_eq!(folder.read("verdicts.csv").matches("not measured").count(), 5);
    // Nothing is missing; then ours are forgotten, and come out the same.
    assert!(command(PART, &folder.0).output().unwrap().status.success());
    assert_eq!(folder.records(), records);
    assert!(command(PART, &folder.0).arg("--again").output().unwrap().status.success());
    assert_eq!(folder.records(), records);
}

#[test]
fn a_peer_that_fails_is_named_and_a_member_that_is_none_lists_them() {
    let folder = Folder::new("landscapes-peer");
    let mut words = command("landscapes --families smooth --contenders pycma --jobs 1", &folder.0);
    let output = words.arg("--python").arg(peer::fake()).env("ENES_FAKE", "raises").output().unwrap();
    assert_eq!(output.status.code(), Some(2));
    assert!(
        message(&output).contains("it says: ValueError: sigma, at smooth/quadratic d = 2"),
        "{}",
        message(&output)
    );
    let output = command("landscapes --families smooth --members sphere", &folder.0).output().unwrap();
    assert!(message(&output).contains("there are quadratic, powers, soft"), "{}", message(&output));
}

#[test]
fn development_and_the_study_have_different_seeds() {
    let folder = Folder::new("landscapes-seed");
    let output =
        command("landscapes --families smooth --contenders ranks --runs 1", &folder.0).output().unwrap();
    assert!(output.status.success(), "{}", message(&output));
    let manifest = fs::read_to_string(folder.file("manifest.json")).unwrap();
    assert!(manifest.contains("\"seed\": 1,"), "{manifest}");
}

#[test]
fn every_contender_solves_a_quadratic() {
    let folder = Folder::new("landscapes-everyone");
    let mut words = command("landscapes --families smooth --runs 1 --jobs 1", &folder.0);
    let others = match peer::with_modules("cma, cmaes, nlopt, scipy") {
        Some(python) => words.arg("--python").arg(python),
        None => words.arg("--without-peer"),
    };
    let output = others.output().unwrap();
    assert!(output.status.success(), "{}", message(&output));
    let records = folder.records();
    assert!(records.len() == 2 || records.len() == 7, "{}", records.len());
    for (key, record) in records {
        assert_eq!(record["success"], true, "{key}");
    }
}
