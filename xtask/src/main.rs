//! The project's own chores: `cargo xtask test | lint | python | bench | readme`.
#![allow(clippy::print_stdout, clippy::print_stderr)]

mod python;

use std::process::{Command, ExitCode};
use std::time::Instant;

const USAGE: &str = "\
usage: cargo xtask <chore>

  test    format check, clippy, all tests and doc-tests, in Rust and in Python: what CI runs
  lint    format check and clippy only
  python  build the wheel, install it into .venv and run its tests; arguments go to pytest
  bench   speed side by side with peers, memory and scaling; writes benchmarks/results/
  readme  put the tables of the studies in benchmarks between their marks in benchmarks/*/README.md";

fn main() -> ExitCode {
    let chores: &[fn() -> bool] = match std::env::args().nth(1).as_deref() {
        // The environment first: tests of `cargo reproduce` look for pycma in it.
        Some("test") => &[lint, python::environment, test, docs, python],
        Some("lint") => &[lint],
        Some("python") => &[command_line, python],
        Some("bench") => &[bench],
        Some("readme") => &[readme],
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
    // The bindings are tested from Python; the library alone too, as a user without features builds it.
    cargo("test --workspace --exclude enes-python --all-features")
        && cargo("check --package enes --no-default-features")
}

/// The Python tests compare with the command line.
fn command_line() -> bool {
    cargo("build --package enes-cli")
}

fn python() -> bool {
    python::test(&std::env::args().skip(2).collect::<Vec<_>>())
}

fn docs() -> bool {
    // The command has the name of the library: their pages would overwrite each other.
    cargo(
        "doc --workspace --no-deps --all-features --exclude enes-cli --exclude enes-python --exclude enes-benchmarks --exclude xtask",
    )
}

fn bench() -> bool {
    cargo("run --release --package enes-benchmarks --bin speed")
}

/// The tables of the committed `cargo reproduce`, where the READMEs show them.
fn readme() -> bool {
    [
        ("paper", "table"),
        ("adaptive", "table"),
        ("costly", "table"),
        ("costly", "guide"),
        ("restarts", "table"),
    ]
    .into_iter()
    .all(|(study, table)| put_table(study, table))
}

fn put_table(study: &str, table: &str) -> bool {
    let (begin, end) = (&format!("<!-- {table} -->\n"), &format!("<!-- /{table} -->"));
    let page = &format!("benchmarks/{study}/README.md");
    let write = || -> std::io::Result<()> {
        let table = std::fs::read_to_string(format!("benchmarks/{study}/{table}.md"))?;
        let text = std::fs::read_to_string(page)?;
        let parts = text.split_once(begin).and_then(|(a, rest)| Some((a, rest.split_once(end)?.1)));
        let (before, after) =
            parts.ok_or_else(|| std::io::Error::other(format!("{page} has lost its marks")))?;
        std::fs::write(page, format!("{before}{begin}{table}{end}{after}"))
    };
    write().inspect_err(|error| eprintln!("cannot put {table}.md into {page}: {error}")).is_ok()
}

fn cargo(arguments: &str) -> bool {
    let mut command = Command::new(std::env::var_os("CARGO").unwrap_or_else(|| "cargo".into()));
    command.args(arguments.split_whitespace());
    if arguments.starts_with("doc ") {
        command.env("RUSTDOCFLAGS", "-D warnings");
    }
    step(&mut command, &format!("cargo {arguments}"))
}

/// Run a command and say how long it took.
fn step(command: &mut Command, what: &str) -> bool {
    println!("== {what}");
    let start = Instant::now();
    let passed = match command.status() {
        Ok(status) => status.success(),
        Err(error) => {
            eprintln!("could not run {:?}: {error}", command.get_program());
            false
        }
    };
    let verdict = if passed { "passed" } else { "FAILED" };
    println!("== {verdict} after {:.0} s: {what}", start.elapsed().as_secs_f64());
    passed
}
