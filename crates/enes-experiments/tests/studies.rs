//! Whole studies, reduced: what they run, write and judge.

use std::fs;

use crate::common::{Folder, command, loud, message, reproduce};
use crate::peer;
use serde_json::Value;

#[test]
fn all_experiments_write_data_tables_figures_and_a_page() {
    let folder = Folder::new("all");
    let output = reproduce("paper", &folder.0);
    assert_eq!(output.status.code(), Some(0), "{}", message(&output));
    let page = folder.read("index.html");
    for figure in [
        "unimodal-5",
        "unimodal-15",
        "multimodal-as-printed",
        "path-no-mixing",
        "mixing-population",
        "baselines",
        "scaling-time",
        "unimodal-5-average",
        "found-drift",
        "found-fresh",
        "found-baselines",
    ] {
        let svg = folder.read(&format!("{figure}.svg"));
        assert!(svg.starts_with("<svg") && !svg.contains("NaN"), "{figure}");
        assert!(page.contains(&format!("id=\"figure-{figure}\"")), "{figure}");
    }
    for table in [
        "unimodal",
        "rosenbrock",
        "multimodal",
        "mixing",
        "mixing-own",
        "baselines",
        "scaling",
        "luck",
        "fresh",
        "small",
        "repair",
        "signal",
        "tried",
        "verdicts",
    ] {
        let csv = folder.read(&format!("{table}.csv"));
        assert!(csv.lines().count() > 1, "{table}");
        assert!(page.contains(&format!("id=\"table-{table}\"")), "{table}");
    }
    let verdicts = folder.read("verdicts.csv");
    assert!(
        verdicts.contains("reproduced") && verdicts.contains("differs") && !verdicts.contains("NaN"),
        "{verdicts}"
    );
    // Self-contained: no address but the name of the SVG namespace.
    assert!(!page.replace("http://www.w3.org/2000/svg", "").contains("http"));
    assert!(!page.contains("src=") && !page.contains("<link"));
    for line in folder.read("measurements.jsonl").lines() {
        let record: Value = serde_json::from_str(line).unwrap();
        assert!(record["value"].as_f64().is_some(), "{record}");
    }
}

#[test]
fn the_adaptive_strategy_is_compared_with_a_peer() {
    let folder = Folder::new("adaptive");
    let arguments = peer::arguments();
    let output = command("adaptive", &folder.0).args(&arguments).output().unwrap();
    assert_eq!(output.status.code(), Some(0), "{}", message(&output));
    let page = folder.read("index.html");
    // Without the peer the figures have nothing to compare.
    let compared = if arguments[0] == "--without-peer" { 2 } else { 0 };
    for figure in &["adaptive-ratio", "adaptive-populations"][compared..] {
        let svg = folder.read(&format!("{figure}.svg"));
        assert!(svg.starts_with("<svg") && !svg.contains("NaN"), "{figure}");
        assert!(page.contains(&format!("id=\"figure-{figure}\"")), "{figure}");
    }
    for table in ["adaptive-d2", "adaptive-d5", "adaptive-populations", "adaptive-ablation"] {
        let csv = folder.read(&format!("{table}.csv"));
        assert!(csv.lines().count() > 1 && !csv.contains("NaN") && !csv.contains("inf"), "{csv}");
        assert!(page.contains(&format!("id=\"table-{table}\"")), "{table}");
    }
    let markdown = folder.read("table.md");
    assert!(markdown.starts_with("| d | | sphere") && markdown.contains("| 5 | enes |"), "{markdown}");
    let records = folder.records();
    let compared = records.values().filter(|r| r["solver"] == "pycma").count();
    if arguments[0] == "--without-peer" {
        assert_eq!(compared, 0);
        return;
    }
    assert!(compared > 0 && !folder.read("verdicts.csv").contains("not measured"));
    assert!(folder.read("peer.txt").starts_with("pycma "));
    // Both solve the sphere; ours in fewer evaluations.
    let evaluations = |key: &str| {
        assert_eq!(records[key]["success"], true, "{key}");
        records[key]["evaluations"].as_u64().unwrap()
    };
    let (ours, theirs) = (
        "adaptive-table/rank-based/sphere/d5/n0/at1.0000/0",
        "adaptive-table//sphere/d5/n0/at1.0000/0/pycma",
    );
    assert!(evaluations(ours) < evaluations(theirs));
    // Nothing is missing, so that the page alone is made again: without a peer.
    let output = command("adaptive", &folder.0).args(["--python", "/nonexistent"]).output().unwrap();
    assert_eq!(output.status.code(), Some(0), "{}", message(&output));
    assert_eq!(folder.read("index.html"), page);
}

#[test]
fn restarts_from_near_and_far_and_in_a_box_have_tables_and_verdicts() {
    let folder = Folder::new("distances");
    let arguments = peer::arguments();
    let output = command("restarts", &folder.0).args(&arguments).output().unwrap();
    assert!(output.status.success(), "{}", message(&output));
    // Four functions, two distances and a box, two runs each, and three starts in rank-based mode, four runs each, by
    // one or two programs; four ablations of the latter, by ours.
    let programs = if arguments[0] == "--without-peer" { 1 } else { 2 };
    assert_eq!(folder.records().len(), (24 + 12) * programs + 4 * 12);
    let page = folder.read("index.html");
    assert!(
        page.contains(
            "Inside a box: at least 95 % of the runs succeed with automatic restarts, in every cell."
        )
    );
    let svg = folder.read("restarts-rank-based.svg");
    assert!(svg.starts_with("<svg") && !svg.contains("NaN"));
    assert!(page.contains("id=\"figure-restarts-rank-based\""));
    for table in ["restarts-rank-based", "restarts-ablation"] {
        let csv = folder.read(&format!("{table}.csv"));
        assert!(csv.lines().count() > 1 && !csv.contains("NaN") && !csv.contains("inf"), "{csv}");
        assert!(page.contains(&format!("id=\"table-{table}\"")), "{table}");
    }
    let not_measured = folder.read("verdicts.csv").matches("not measured").count();
    assert_eq!(not_measured, if programs == 1 { 3 } else { 0 });
    assert!(folder.read("restarts-distances.csv").lines().count() == 9);
    assert!(folder.read("restarts-box.csv").lines().count() == 5);
    assert!(folder.read("table.md").contains("| from 1 | from 10 | box |"));
}

#[test]
fn the_surrogate_is_compared_with_rank_based_mode_and_peers() {
    let folder = Folder::new("surrogate");
    let arguments = peer::arguments();
    let output = loud("costly", &folder.0).args(&arguments).output().unwrap();
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
    let sphere = |who: &str| evaluations(&format!("costly-table/{who}/sphere/d5/n0/at1.0000/0"));
    assert!(sphere("serial") < sphere("rank-based") && sphere("batch") < sphere("rank-based"));
    // To ranks a transformed function is the same: the value at the end is that of the target's transformation.
    let ranks = |name: &str| {
        let key = format!("costly-transformations/rank-based/{name}/d3/n0/at1.0000/0");
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
fn a_costly_study_does_not_depend_on_jobs_or_on_where_it_was_cut() {
    let (whole, cut) = (Folder::new("whole"), Folder::new("cut"));
    assert!(reproduce("costly --without-peer --jobs 1", &whole.0).status.success());
    assert!(reproduce("costly --without-peer --jobs 2", &cut.0).status.success());
    assert_eq!(whole.records(), cut.records());
    let text = cut.read("runs.jsonl");
    fs::write(cut.0.join("runs.jsonl"), &text[..text.len() / 2]).unwrap();
    let output = loud("costly --without-peer", &cut.0).output().unwrap();
    assert!(message(&output).contains("runs are there already"), "{}", message(&output));
    assert_eq!(whole.records(), cut.records());
    assert_eq!(whole.read("table.md"), cut.read("table.md"));
}

#[test]
fn a_costly_folder_is_its_own_and_its_rank_based_runs_are_those_of_the_adaptive_study() {
    let (costly, adaptive) = (Folder::new("of-costly"), Folder::new("of-adaptive"));
    assert!(reproduce("costly --without-peer", &costly.0).status.success());
    assert!(reproduce("adaptive --without-peer", &adaptive.0).status.success());
    let output = reproduce("adaptive --without-peer", &costly.0);
    assert_eq!(output.status.code(), Some(2));
    let words = "it holds the experiments `costly`, these are `adaptive`";
    assert!(message(&output).contains(words), "{}", message(&output));
    let (ours, theirs) = (costly.records(), adaptive.records());
    let (by_ranks, by_rule) = (
        &ours["costly-table/rank-based/ellipsoid/d5/n0/at1.0000/1"],
        &theirs["adaptive-table/rank-based/ellipsoid/d5/n0/at1.0000/1"],
    );
    for field in ["evaluations", "value", "generations"] {
        assert_eq!(by_ranks[field], by_rule[field], "{field}");
    }
}
