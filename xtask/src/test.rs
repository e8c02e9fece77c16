//! The test command: everything that guards a claim, the quick part by default.

use std::process::Command;

use crate::{cargo, cargo_command, docs, faults, python, release, step};

/// What is tested. The bindings, which are tested from Python, are named for their features: what is compiled here
/// serves the wheel.
const QUICK: &str = "--workspace --exclude enes-benchmarks --exclude enes-acceptance --exclude enes-faults";
const ALL: &str = "--workspace --features enes-experiments/long-tests";
/// What is tested where it is installed.
const LANGUAGES: [(&str, &str); 3] = [
    ("gfortran", "the example in Fortran"),
    ("julia", "the example in Julia"),
    ("Rscript", "the worker in R"),
];
/// Tests at once: many of them wait for programs of their own.
const THREADS: &str = "4";
/// Two workers, each with whole files.
const PYTEST: &[&str] = &["-n", "2", "--dist", "loadfile"];

/// Build and test. The Python packages are fetched while cargo compiles; while the tests in Rust run, which wait for their own
/// workers more than they compute, the wheel is made.
pub(crate) fn run(all: bool) -> bool {
    let what = if all { ALL } else { QUICK };
    let built = std::thread::scope(|scope| {
        let environment = scope.spawn(python::environment);
        let built = cargo("fmt --all --check") && cargo(&format!("test {what} --no-run"));
        built & environment.join().unwrap_or(false)
    });
    let passed = built
        && release::schemas()
        && (!all || lint())
        && std::thread::scope(|scope| {
            let rust = scope.spawn(|| {
                let arguments = format!("test {what}");
                step(
                    cargo_command(&arguments).env("RUST_TEST_THREADS", THREADS),
                    &format!("cargo {arguments}"),
                )
            });
            let wheel = python::wheel().is_some();
            rust.join().unwrap_or(false) & wheel
        })
        && (!all || cargo("check --package enes --no-default-features"))
        && (!all || faults::campaign(&["--minutes", "2", "--fresh"]))
        && (!all || docs::site())
        && python::test(&[PYTEST, if all { &["-m", ""] } else { &[] }].concat());
    if !["chromium", "chromium-browser", "google-chrome"].into_iter().any(is_installed) {
        println!("== there is no chromium here: the browser checks did not run");
    }
    for (program, what) in LANGUAGES {
        if !is_installed(program) {
            println!("== there is no {program} here: {what} did not run");
        }
    }
    passed
}

/// Format, clippy and the pages of the libraries, which need the same.
pub(crate) fn lint() -> bool {
    cargo("fmt --all --check")
        && cargo("clippy --workspace --all-targets --all-features -- -D warnings")
        && rustdoc("-D warnings")
}

/// The pages of the libraries that users read, with these flags of rustdoc.
pub(crate) fn rustdoc(flags: &str) -> bool {
    let arguments = format!("doc --no-deps --all-features{}", release::selection());
    step(cargo_command(&arguments).env("RUSTDOCFLAGS", flags), &format!("cargo {arguments}"))
}

fn is_installed(program: &str) -> bool {
    Command::new(program).arg("--version").output().is_ok_and(|output| output.status.success())
}
