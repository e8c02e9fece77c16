//! The project's own chores: `cargo xtask test | lint | bench`.
#![allow(clippy::print_stdout, clippy::print_stderr)]

use std::process::{Command, ExitCode};
use std::time::Instant;

const USAGE: &str = "\
usage: cargo xtask <chore>

  test    format check, clippy, all tests and doc-tests: what CI runs
  lint    format check and clippy only
  bench   speed side by side with peers, memory and scaling; writes benchmarks/results/";

fn main() -> ExitCode {
    let chores: &[fn() -> bool] = match std::env::args().nth(1).as_deref() {
        Some("test") => &[lint, test, docs],
        Some("lint") => &[lint],
        Some("bench") => &[bench],
        _ => {
            eprintln!("{USAGE}");
            return ExitCode::from(2);
        }
    };
    let passed = chores.iter().all(|chore| chore());
    if !["chromium", "chromium-browser", "google-chrome"].into_iter().any(is_installed) {
        println!("== there is no chromium here: the browser checks did not run");
    }
    if passed { ExitCode::SUCCESS } else { ExitCode::FAILURE }
}

fn is_installed(program: &str) -> bool {
    Command::new(program).arg("--version").output().is_ok_and(|output| output.status.success())
}

fn lint() -> bool {
    cargo("fmt --all --check") && cargo("clippy --workspace --all-targets --all-features -- -D warnings")
}

fn test() -> bool {
    // The library alone too, as a user without features builds it.
    cargo("test --workspace --all-features") && cargo("check --package enes --no-default-features")
}

fn docs() -> bool {
    // The command has the name of the library: their pages would overwrite each other.
    cargo(
        "doc --workspace --no-deps --all-features --exclude enes-cli --exclude enes-benchmarks --exclude xtask",
    )
}

fn bench() -> bool {
    cargo("run --release --package enes-benchmarks --bin speed")
}

/// Run cargo and say how long it took.
fn cargo(arguments: &str) -> bool {
    println!("== cargo {arguments}");
    let start = Instant::now();
    let mut command = Command::new(std::env::var_os("CARGO").unwrap_or_else(|| "cargo".into()));
    command.args(arguments.split_whitespace());
    if arguments.starts_with("doc ") {
        command.env("RUSTDOCFLAGS", "-D warnings");
    }
    let passed = match command.status() {
        Ok(status) => status.success(),
        Err(error) => {
            eprintln!("could not run cargo: {error}");
            false
        }
    };
    let verdict = if passed { "passed" } else { "FAILED" };
    println!("== {verdict} after {:.0} s: cargo {arguments}", start.elapsed().as_secs_f64());
    passed
}
