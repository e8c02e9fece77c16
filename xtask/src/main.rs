//! The project's own chores: `cargo xtask test | lint | docs | faults | fuzz | python | release | bench | readme`.
#![allow(clippy::print_stdout, clippy::print_stderr)]

mod docs;
mod faults;
mod python;
mod release;
mod tables;
mod test;

use std::process::{Command, ExitCode};
use std::time::Instant;

const USAGE: &str = "\
usage: cargo xtask <chore>

  test     format check, tests and doc-tests, in Rust and in Python: what CI runs before lint
           --all adds the long statistical tests, builds the benchmarks and makes faults for two minutes: once a day
  lint     format check, clippy and rustdoc
  docs     the documentation as a site in target/site, with the Python reference and rustdoc; every link is followed
  faults   kills, failing system calls, damaged files, hostile programs and words, on the real command, and one
           table; [--minutes N] [--seed S] [--case K] [--kind NAME] [--threads N] [--fresh]
  fuzz     coverage-guided fuzzing of every reader of foreign bytes, [--inputs N] of each kind; needs a nightly compiler
  python   build the wheel, install it into .venv and run its tests; arguments go to pytest
  release  --dry-run packages the crates, builds wheel and source distribution, installs them in clean
           environments and uses them; --publish sends the crates to the registry
  bench    speed side by side with peers, memory and scaling; writes benchmarks/results/
  readme   put the tables of the studies in benchmarks between their marks in benchmarks/*/README.md";

fn main() -> ExitCode {
    let arguments: Vec<String> = std::env::args().skip(1).collect();
    let words: Vec<&str> = arguments.iter().map(String::as_str).collect();
    let start = Instant::now();
    let passed = match words[..] {
        ["test"] => test::run(false),
        ["test", "--all"] => test::run(true),
        ["lint"] => test::lint(),
        ["docs"] => docs::site(),
        ["faults", ..] => faults::campaign(&words[1..]),
        ["fuzz"] => faults::fuzz(faults::INPUTS),
        ["fuzz", "--inputs", n] if n.parse::<u64>().is_ok() => faults::fuzz(n),
        ["python", ..] => {
            cargo("build --package enes-cli") && python::environment() && python::test(&arguments[1..])
        }
        ["release", "--dry-run"] => release::dry_run(),
        ["release", "--publish"] => release::publish(),
        ["bench"] => cargo("run --release --package enes-benchmarks --bin speed"),
        ["readme"] => tables::put_all(),
        _ => {
            eprintln!("{USAGE}");
            return ExitCode::from(2);
        }
    };
    let verdict = if passed { "all passed" } else { "FAILED" };
    println!("== {verdict}: {:.0} s in all", start.elapsed().as_secs_f64());
    if passed { ExitCode::SUCCESS } else { ExitCode::FAILURE }
}

/// Run cargo with these words.
fn cargo(arguments: &str) -> bool {
    step(&mut cargo_command(arguments), &format!("cargo {arguments}"))
}

fn cargo_command(arguments: &str) -> Command {
    let mut command = Command::new(std::env::var_os("CARGO").unwrap_or_else(|| "cargo".into()));
    command.args(arguments.split_whitespace());
    command
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
