//! What the committed documents show is what the committed data says.

use std::fs;
use std::path::Path;
use std::process::Command;

use crate::common::{Folder, message};

#[test]
fn readmes_of_the_studies_show_the_committed_tables() {
    let benchmarks = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../benchmarks");
    for (study, table) in [
        ("paper", "table"),
        ("adaptive", "table"),
        ("costly", "table"),
        ("costly", "guide"),
        ("restarts", "table"),
        ("asynchronous", "table"),
        ("many-dimensions", "table"),
    ] {
        let page = format!("{study}/README.md");
        let text = fs::read_to_string(benchmarks.join(&page)).unwrap();
        let (begin, end) = (format!("<!-- {table} -->\n"), format!("<!-- /{table} -->"));
        let shown = text.split(&begin).nth(1).and_then(|rest| rest.split(&end).next());
        let table = fs::read_to_string(benchmarks.join(study).join(format!("{table}.md"))).unwrap();
        assert_eq!(shown, Some(table.as_str()), "cargo xtask readme puts it into {page}");
    }
}

#[test]
fn committed_runs_make_the_committed_tables_again_and_nothing_is_run() {
    let benchmarks = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../benchmarks");
    for study in ["paper", "adaptive", "costly", "restarts", "asynchronous"] {
        let folder = Folder::new(&format!("committed-{study}"));
        fs::create_dir_all(&folder.0).unwrap();
        let inputs = ["manifest.json", "machine.txt", "peer.txt", "runs.jsonl.gz", "measurements.jsonl"];
        for name in inputs.into_iter().filter(|name| benchmarks.join(study).join(name).exists()) {
            fs::copy(benchmarks.join(study).join(name), folder.file(name)).unwrap();
        }
        let mut command = Command::new(env!("CARGO_BIN_EXE_reproduce"));
        command.args([study, "--quiet", "--out"]).arg(&folder.0).env("ENES_PEER_PYTHON", "/nonexistent");
        let output = command.output().unwrap();
        assert!(output.status.success(), "{study}: {}", message(&output));
        assert!(!folder.file("runs.jsonl").exists() && folder.file("index.html").exists(), "{study}");
        for entry in fs::read_dir(benchmarks.join(study)).unwrap().flatten() {
            let name = entry.file_name().into_string().unwrap();
            if name.ends_with(".csv") || name == "table.md" || name == "guide.md" || name == "machine.txt" {
                assert_eq!(folder.read(&name), fs::read_to_string(entry.path()).unwrap(), "{study}/{name}");
            }
        }
    }
}

#[test]
fn the_picture_of_the_readme_is_that_of_the_committed_runs() {
    let root = Path::new(env!("CARGO_MANIFEST_DIR")).join("../..");
    let folder = Folder::new("picture");
    fs::create_dir_all(&folder.0).unwrap();
    let mut command = Command::new(env!("CARGO_BIN_EXE_reproduce"));
    command.arg("picture").arg("--from").arg(root.join("benchmarks/costly"));
    let output = command.arg("--out").arg(folder.file("evaluations.svg")).output().unwrap();
    assert!(output.status.success(), "{}", message(&output));
    let committed = fs::read_to_string(root.join("docs/evaluations.svg")).unwrap();
    assert_eq!(folder.read("evaluations.svg"), committed, "cargo reproduce picture draws it");
}
