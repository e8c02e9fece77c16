//! Faults on purpose, and fuzzing.

use std::fs;
use std::path::Path;
use std::process::Command;

use crate::{cargo, step};

/// Inputs of each kind, where nobody says how many.
pub(crate) const INPUTS: &str = "20000";

const CARGO_FUZZ: &str = "0.13.2";

/// The readers of what others write: `enes_cli::fuzzing`.
const TARGETS: [&str; 5] = ["checkpoint", "inject_table", "problem_file", "run_record", "worker_reply"];

/// The campaign, on the command as users have it.
pub(crate) fn campaign(arguments: &[&str]) -> bool {
    let mut faults = Command::new("target/release/enes-faults");
    cargo("build --release --package enes-cli --package enes-faults")
        && step(faults.args(arguments), &format!("enes-faults {}", arguments.join(" ")))
}

/// So many inputs for each reader, beginning with the corpus; what is new of it stays in `target`.
pub(crate) fn fuzz(inputs: &str) -> bool {
    let nightly = Command::new("cargo").args(["+nightly", "--version"]).output();
    if !nightly.is_ok_and(|output| output.status.success()) {
        println!("== there is no nightly compiler here: nothing was fuzzed; the tests replay the corpus");
        return true;
    }
    installed() && TARGETS.iter().all(|target| fuzz_one(target, inputs))
}

fn installed() -> bool {
    let there = fs::read_to_string("target/tools/.crates.toml");
    there.is_ok_and(|text| text.contains(&format!("cargo-fuzz {CARGO_FUZZ} ")))
        || cargo(&format!("install cargo-fuzz@{CARGO_FUZZ} --locked --debug --root target/tools"))
}

fn fuzz_one(target: &str, inputs: &str) -> bool {
    let found = format!("target/fuzz/corpus/{target}");
    if fs::create_dir_all(&found).is_err() {
        return false;
    }
    let path = std::env::var("PATH").unwrap_or_default();
    let tools = Path::new("target/tools/bin").canonicalize().unwrap_or_default();
    let mut fuzz = Command::new("cargo");
    fuzz.env("PATH", format!("{}:{path}", tools.display()));
    fuzz.args(["+nightly", "fuzz", "run", "--sanitizer", "none", "--target-dir", "target/fuzz", target]);
    fuzz.args([found, format!("fuzz/corpus/{target}")]);
    fuzz.args(["--", &format!("-runs={inputs}"), "-max_len=4000", "-timeout=10"]);
    fuzz.args(["-rss_limit_mb=2048", "-malloc_limit_mb=1024", "-verbosity=0", "-print_final_stats=1"]);
    step(&mut fuzz, &format!("{inputs} inputs for {target}"))
}
