//! `enes reproduce`: what it writes, how it continues, what it refuses.

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
