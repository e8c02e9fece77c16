//! `enes reproduce`: what it writes, how it continues, what it refuses.

#[path = "peer/mod.rs"]
mod peer;

use std::collections::BTreeMap;
use std::fs;
use std::path::{Path, PathBuf};
use std::process::{Command, Output, Stdio};
use std::time::{Duration, Instant};

use serde_json::Value;

/// A folder of this test alone, removed at its end.
struct Folder(PathBuf);

impl Folder {
    fn new(name: &str) -> Self {
        let path = std::env::temp_dir().join(format!("enes-test-{}-{name}", std::process::id()));
        let _ = fs::remove_dir_all(&path);
        Self(path)
    }

    fn file(&self, name: &str) -> PathBuf {
        self.0.join(name)
    }

    fn read(&self, name: &str) -> String {
        fs::read_to_string(self.file(name)).unwrap_or_else(|e| panic!("{name}: {e}"))
    }
}

impl Drop for Folder {
    fn drop(&mut self) {
        let _ = fs::remove_dir_all(&self.0);
    }
}

fn command(experiment: &str, out: &Path) -> Command {
    let mut command = Command::new(env!("CARGO_BIN_EXE_enes"));
    command.args(["reproduce", experiment, "--quick", "--quiet", "--out"]).arg(out);
    command
}

fn reproduce(experiment: &str, out: &Path) -> Output {
    command(experiment, out).output().unwrap()
}

fn message(output: &Output) -> String {
    String::from_utf8_lossy(&output.stderr).to_string()
}

/// Every record by its key, without what depends on the clock.
fn records(folder: &Folder) -> BTreeMap<String, Value> {
    let mut all = BTreeMap::new();
    for line in folder.read("runs.jsonl").lines() {
        let mut record: Value = serde_json::from_str(line).unwrap();
        record.as_object_mut().unwrap().remove("seconds");
        let key = record["key"].as_str().unwrap().to_string();
        assert!(all.insert(key.clone(), record).is_none(), "{key} was run twice");
    }
    all
}

#[test]
fn all_experiments_write_data_tables_figures_and_a_page() {
    let folder = Folder::new("all");
    let output = reproduce("all", &folder.0);
    assert_eq!(output.status.code(), Some(0), "{}", message(&output));
    let page = folder.read("index.html");
    for figure in [
        "unimodal-5",
        "unimodal-15",
        "multimodal-as-printed",
        "path",
        "mixing-population",
        "baselines",
        "scaling-time",
    ] {
        let svg = folder.read(&format!("{figure}.svg"));
        assert!(svg.starts_with("<svg") && !svg.contains("NaN"), "{figure}");
        assert!(page.contains(&format!("id=\"figure-{figure}\"")), "{figure}");
    }
    for table in ["unimodal", "rosenbrock", "multimodal", "mixing", "baselines", "scaling", "verdicts"] {
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
fn the_number_of_jobs_changes_nothing_but_the_time() {
    let (one, two) = (Folder::new("one"), Folder::new("two"));
    for (folder, jobs) in [(&one, "1"), (&two, "2")] {
        let output = command("mixing", &folder.0).args(["--jobs", jobs]).output().unwrap();
        assert_eq!(output.status.code(), Some(0), "{}", message(&output));
    }
    assert_eq!(records(&one), records(&two));
    assert_eq!(one.read("mixing.csv"), two.read("mixing.csv"));
}

#[test]
fn a_killed_reproduction_continues_where_it_was() {
    let (whole, killed) = (Folder::new("whole"), Folder::new("killed"));
    assert!(reproduce("baselines", &whole.0).status.success());
    let lines = |folder: &Folder| {
        fs::read(folder.file("runs.jsonl")).map_or(0, |b| b.iter().filter(|&&c| c == b'\n').count())
    };
    let total = lines(&whole);
    for part in [1, total / 4, total / 2] {
        let mut child =
            command("baselines", &killed.0).args(["--jobs", "1"]).stderr(Stdio::null()).spawn().unwrap();
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
    let output = reproduce("baselines", &killed.0);
    assert!(output.status.success(), "{}", message(&output));
    assert_eq!(records(&whole), records(&killed));
    assert_eq!(whole.read("baselines.csv"), killed.read("baselines.csv"));
}

#[test]
fn a_line_that_was_cut_is_run_again() {
    let folder = Folder::new("cut");
    assert!(reproduce("rosenbrock", &folder.0).status.success());
    let before = records(&folder);
    let text = folder.read("runs.jsonl");
    // Within the last record; and just before its end, with the first one missing: what is appended
    // for that one must not be glued to the last.
    let first = text.find('\n').unwrap() + 1;
    for rest in [&text[..text.len() - 40], &text[first..text.len() - 1]] {
        fs::write(folder.file("runs.jsonl"), rest).unwrap();
        assert!(reproduce("rosenbrock", &folder.0).status.success());
        assert_eq!(records(&folder), before);
    }
}

#[test]
fn folders_that_are_not_ours_are_refused_and_left_alone() {
    let folder = Folder::new("foreign");
    fs::create_dir_all(&folder.0).unwrap();
    fs::write(folder.file("thesis.txt"), "ten years").unwrap();
    let output = reproduce("path", &folder.0);
    assert_eq!(output.status.code(), Some(2));
    assert!(
        message(&output).contains("it is not empty and not one of ours; choose another with --out"),
        "{}",
        message(&output)
    );
    assert_eq!(fs::read_dir(&folder.0).unwrap().count(), 1);
    assert_eq!(folder.read("thesis.txt"), "ten years");

    let output = reproduce("path", &folder.file("thesis.txt"));
    assert_eq!(output.status.code(), Some(2));
    assert!(message(&output).contains("cannot use the folder"), "{}", message(&output));
    let output = reproduce("path", Path::new("/proc/nowhere"));
    assert_eq!(output.status.code(), Some(2));
    assert!(message(&output).contains("choose another with --out"), "{}", message(&output));
}

#[test]
fn a_folder_of_another_version_or_plan_is_refused() {
    let folder = Folder::new("version");
    assert!(reproduce("path", &folder.0).status.success());
    let page = folder.read("index.html");
    let output = command("path", &folder.0).args(["--seed", "2"]).output().unwrap();
    assert_eq!(output.status.code(), Some(2));
    assert!(
        message(&output).contains("it was made with --seed 1 --quick, not with --seed 2 --quick"),
        "{}",
        message(&output)
    );
    let manifest = folder.read("manifest.json");
    fs::write(folder.file("manifest.json"), manifest.replace("\"version\": 1", "\"version\": 99")).unwrap();
    let output = reproduce("path", &folder.0);
    assert_eq!(output.status.code(), Some(2));
    assert!(
        message(&output).contains("it has version 99, this program writes version 1"),
        "{}",
        message(&output)
    );
    fs::write(folder.file("manifest.json"), "{}").unwrap();
    assert!(message(&reproduce("path", &folder.0)).contains("is not one of ours"));
    assert_eq!(folder.read("index.html"), page);
}

#[test]
fn an_unknown_experiment_suggests_the_nearest() {
    let folder = Folder::new("unknown");
    let output = reproduce("unimodel", &folder.0);
    assert_eq!(output.status.code(), Some(2));
    assert!(message(&output).contains("'unimodal'"), "{}", message(&output));
    assert!(!folder.0.exists());
}

#[test]
fn the_adaptive_strategy_is_measured_beside_a_peer() {
    let folder = Folder::new("adaptive");
    let arguments = peer::arguments();
    let output = command("adaptive", &folder.0).args(&arguments).output().unwrap();
    assert_eq!(output.status.code(), Some(0), "{}", message(&output));
    let page = folder.read("index.html");
    // Without the peer two figures have nothing to compare.
    let compared = if arguments[0] == "--without-peer" { 2 } else { 0 };
    for figure in &["adaptive-ratio", "adaptive-populations", "adaptive-restarts"][compared..] {
        let svg = folder.read(&format!("{figure}.svg"));
        assert!(svg.starts_with("<svg") && !svg.contains("NaN"), "{figure}");
        assert!(page.contains(&format!("id=\"figure-{figure}\"")), "{figure}");
    }
    for table in
        ["adaptive-d2", "adaptive-d5", "adaptive-populations", "adaptive-restarts", "adaptive-ablation"]
    {
        let csv = folder.read(&format!("{table}.csv"));
        assert!(csv.lines().count() > 1 && !csv.contains("NaN") && !csv.contains("inf"), "{csv}");
        assert!(page.contains(&format!("id=\"table-{table}\"")), "{table}");
    }
    let markdown = folder.read("table.md");
    assert!(markdown.starts_with("| d | | sphere") && markdown.contains("| 5 | enes |"), "{markdown}");
    let records = records(&folder);
    let beside = records.values().filter(|r| r["solver"] == "pycma").count();
    if arguments[0] == "--without-peer" {
        assert_eq!(beside, 0);
        return;
    }
    assert!(beside > 0 && !folder.read("verdicts.csv").contains("not measured"));
    assert!(folder.read("peer.txt").starts_with("pycma "));
    // Both solve the sphere; ours in fewer evaluations.
    let evaluations = |key: &str| {
        assert_eq!(records[key]["success"], true, "{key}");
        records[key]["evaluations"].as_u64().unwrap()
    };
    let key = "adaptive-table//sphere/d5/n0/at1.0000/0";
    assert!(evaluations(key) < evaluations(&format!("{key}/pycma")));
    // Nothing is missing, so that the page alone is made again: without a peer.
    let output = command("adaptive", &folder.0).args(["--python", "/nonexistent"]).output().unwrap();
    assert_eq!(output.status.code(), Some(0), "{}", message(&output));
    assert_eq!(folder.read("index.html"), page);
}

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
        assert!(records(&folder).values().all(|r| r.get("solver").is_none()), "{how}");
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
    assert_eq!(verdicts.matches("not measured").count(), 4, "{verdicts}");
    // As if an older pycma had made one of the runs.
    let lines = folder.read("runs.jsonl");
    let line = lines.lines().find(|l| l.contains("adaptive-table//sphere/d5/n0/at1.0000/0")).unwrap();
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

#[test]
fn folders_of_the_paper_and_of_the_adaptive_strategy_are_not_mixed() {
    let (paper, adaptive) = (Folder::new("of-the-paper"), Folder::new("of-the-other"));
    assert!(reproduce("path", &paper.0).status.success());
    let output = command("path", &paper.0).arg("--without-peer").output().unwrap();
    assert_eq!(output.status.code(), Some(2));
    assert!(message(&output).contains("are for `enes reproduce adaptive`"), "{}", message(&output));
    assert!(command("adaptive", &adaptive.0).arg("--without-peer").status().unwrap().success());
    for (experiment, folder, words) in [
        ("adaptive", &paper, "it holds the experiments `paper`, these are `adaptive`"),
        ("path", &adaptive, "it holds the experiments `adaptive`, these are `paper`"),
    ] {
        let page = folder.read("index.html");
        let output = reproduce(experiment, &folder.0);
        assert_eq!(output.status.code(), Some(2));
        assert!(message(&output).contains(words), "{}", message(&output));
        assert_eq!(folder.read("index.html"), page);
    }
    // A folder from before there were two sets: its manifest has none, nor have its records a solver.
    let manifest = folder_without_set(&paper);
    let before = records(&paper);
    assert!(before.values().all(|r| r.get("solver").is_none()));
    assert!(reproduce("path", &paper.0).status.success());
    assert_eq!(records(&paper), before);
    assert_eq!(paper.read("manifest.json"), manifest);
}

fn folder_without_set(folder: &Folder) -> String {
    let manifest = folder.read("manifest.json").replace("  \"set\": \"paper\",\n", "");
    assert!(!manifest.contains("set"), "{manifest}");
    fs::write(folder.file("manifest.json"), &manifest).unwrap();
    manifest
}

#[test]
fn the_readme_and_the_guide_show_the_committed_tables() {
    let root = Path::new(env!("CARGO_MANIFEST_DIR")).join("../..");
    for (name, file, page) in [
        ("adaptive", "table.md", "README.md"),
        ("costly", "table.md", "README.md"),
        ("costly", "guide.md", "docs/costly.md"),
        ("restarts", "table.md", "docs/adaptive.md"),
    ] {
        let text = fs::read_to_string(root.join(page)).unwrap();
        let (begin, end) = (format!("<!-- {name} -->\n"), format!("<!-- /{name} -->"));
        let shown = text.split(&begin).nth(1).and_then(|rest| rest.split(&end).next());
        // Before the first result is committed there is nothing to show.
        let table = fs::read_to_string(root.join(format!("benchmarks/{name}/{file}"))).unwrap_or_default();
        assert_eq!(shown, Some(table.as_str()), "cargo xtask readme puts it into {page}");
    }
}

#[test]
fn restarts_from_near_and_far_and_in_a_box_have_tables_and_verdicts() {
    let folder = Folder::new("distances");
    let arguments = peer::arguments();
    let output = command("restarts", &folder.0).args(&arguments).output().unwrap();
    assert!(output.status.success(), "{}", message(&output));
    // Four functions, two distances and a box, two runs each, by one or two programs.
    let programs = if arguments[0] == "--without-peer" { 1 } else { 2 };
    assert_eq!(records(&folder).len(), 24 * programs);
    let page = folder.read("index.html");
    assert!(
        page.contains(
            "Inside a box: at least 95 % of the runs succeed with automatic restarts, in every cell."
        )
    );
    assert!(folder.read("restarts-distances.csv").lines().count() == 9);
    assert!(folder.read("restarts-box.csv").lines().count() == 5);
    assert!(folder.read("table.md").contains("| from 1 | from 10 | box |"));
}
