//! `enes reproduce costly`: what it runs, writes and judges.

#[path = "peer/mod.rs"]
mod peer;

use std::collections::BTreeMap;
use std::fs;
use std::path::{Path, PathBuf};
use std::process::{Command, Output};

use serde_json::Value;

/// A folder of this test alone, removed at its end.
struct Folder(PathBuf);

impl Folder {
    fn new(name: &str) -> Self {
        let path = std::env::temp_dir().join(format!("enes-costly-{}-{name}", std::process::id()));
        let _ = fs::remove_dir_all(&path);
        Self(path)
    }

    fn read(&self, name: &str) -> String {
        fs::read_to_string(self.0.join(name)).unwrap_or_else(|e| panic!("{name}: {e}"))
    }

    fn records(&self) -> BTreeMap<String, Value> {
        let mut all = BTreeMap::new();
        for line in self.read("runs.jsonl").lines() {
            let mut record: Value = serde_json::from_str(line).unwrap();
            record.as_object_mut().unwrap().remove("seconds");
            let key = record["key"].as_str().unwrap().to_string();
            assert!(all.insert(key.clone(), record).is_none(), "{key} was run twice");
        }
        all
    }
}

impl Drop for Folder {
    fn drop(&mut self) {
        let _ = fs::remove_dir_all(&self.0);
    }
}

fn reproduce(experiment: &str, out: &Path, more: &[&str]) -> Output {
    let mut command = Command::new(env!("CARGO_BIN_EXE_enes"));
    command.args(["reproduce", experiment, "--quick", "--out"]).arg(out).args(more);
    command.output().unwrap()
}

fn message(output: &Output) -> String {
    String::from_utf8_lossy(&output.stderr).to_string()
}

#[test]
fn the_model_is_measured_beside_ranks_and_peers() {
    let folder = Folder::new("all");
    let arguments = peer::arguments();
    let words: Vec<&str> = arguments.iter().map(String::as_str).collect();
    let output = reproduce("costly", &folder.0, &words);
    assert_eq!(output.status.code(), Some(0), "{}", message(&output));
    assert!(message(&output).contains(" min with "), "it says how long it will take: {}", message(&output));
    let page = folder.read("index.html");
    for table in [
        "costly-d3",
        "costly-d5",
        "costly-transformations",
        "costly-noise",
        "costly-asymmetric",
        "costly-multimodal",
        "costly-restarts",
    ] {
        let csv = folder.read(&format!("{table}.csv"));
        assert!(csv.lines().count() > 1 && !csv.contains("NaN") && !csv.contains("inf"), "{csv}");
        assert!(page.contains(&format!("id=\"table-{table}\"")), "{table}");
    }
    assert!(folder.read("costly-coefficients.svg").starts_with("<svg"));
    let markdown = folder.read("table.md");
    assert!(markdown.contains("| 5 (P = 21) | serial |") && markdown.contains("| batch |"), "{markdown}");
    let guide = folder.read("guide.md");
    assert!(guide.contains("| 3 | serial |") && !guide.contains("NaN"), "{guide}");
    let records = folder.records();
    let evaluations = |key: &str| {
        assert_eq!(records[key]["success"], true, "{key}");
        records[key]["evaluations"].as_u64().unwrap()
    };
    let sphere = |way: &str| evaluations(&format!("costly-table/{way}/sphere/d5/n0/at1.0000/0"));
    assert!(sphere("serial") < sphere("ranks") && sphere("batch") < sphere("ranks"));
    // To ranks a transformed function is the same: the value at the end is that of the target's transformation.
    let ranks = |name: &str| {
        let key = format!("costly-transformations/ranks/{name}/d3/n0/at1.0000/0");
        (evaluations(&key), records[&key]["value"].as_f64().unwrap())
    };
    let (power, root) = (ranks("sphere^0.1"), ranks("sphere^2"));
    assert_eq!(power.0, root.0);
    assert!((power.1.powi(20) / root.1 - 1.0).abs() < 1e-6, "{power:?} {root:?}");
    // Noise: the true value of an evaluated point.
    let noisy = &records["costly-noise/serial/sphere with 10 % noise/d3/n0/at1.0000/0"];
    assert!(noisy["value"].as_f64().unwrap() <= 1e-3 && noisy["stop"] == "ftarget", "{noisy}");
    if arguments[0] == "--without-peer" {
        assert!(folder.read("verdicts.csv").contains("not measured"));
        return;
    }
    let lq = evaluations("costly-table//sphere/d5/n0/at1.0000/0/lq");
    let pycma = evaluations("costly-table//sphere/d5/n0/at1.0000/0/pycma");
    assert!(lq < 30 && pycma > 400, "{lq} {pycma}");
    // Two runs with restarts are too few to compare medians.
    assert_eq!(folder.read("verdicts.csv").matches("not measured").count(), 1);
    assert!(folder.read("costly-ratio.svg").starts_with("<svg"));
    assert!(folder.read("peer.txt").starts_with("pycma "));
}

#[test]
fn a_run_of_it_does_not_depend_on_jobs_or_on_where_it_was_cut() {
    let (whole, cut) = (Folder::new("whole"), Folder::new("cut"));
    assert!(reproduce("costly", &whole.0, &["--without-peer", "--quiet", "--jobs", "1"]).status.success());
    assert!(reproduce("costly", &cut.0, &["--without-peer", "--quiet", "--jobs", "2"]).status.success());
    assert_eq!(whole.records(), cut.records());
    let text = cut.read("runs.jsonl");
    fs::write(cut.0.join("runs.jsonl"), &text[..text.len() / 2]).unwrap();
    let output = reproduce("costly", &cut.0, &["--without-peer"]);
    assert!(message(&output).contains("runs are there already"), "{}", message(&output));
    assert_eq!(whole.records(), cut.records());
    assert_eq!(whole.read("table.md"), cut.read("table.md"));
}

#[test]
fn its_folder_is_its_own_and_ranks_alone_are_those_of_reproduce_adaptive() {
    let (costly, adaptive) = (Folder::new("costly"), Folder::new("adaptive"));
    assert!(reproduce("costly", &costly.0, &["--without-peer", "--quiet"]).status.success());
    assert!(reproduce("adaptive", &adaptive.0, &["--without-peer", "--quiet"]).status.success());
    let output = reproduce("adaptive", &costly.0, &["--without-peer"]);
    assert_eq!(output.status.code(), Some(2));
    let words = "it holds the experiments `costly`, these are `adaptive`";
    assert!(message(&output).contains(words), "{}", message(&output));
    let (ours, theirs) = (costly.records(), adaptive.records());
    let (by_ranks, by_rule) = (
        &ours["costly-table/ranks/ellipsoid/d5/n0/at1.0000/1"],
        &theirs["adaptive-table//ellipsoid/d5/n0/at1.0000/1"],
    );
    for field in ["evaluations", "value", "generations"] {
        assert_eq!(by_ranks[field], by_rule[field], "{field}");
    }
}
