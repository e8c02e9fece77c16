//! The interface from C, C++, Fortran and Julia; the tests say so where a compiler is missing.
#![allow(clippy::print_stderr)] // what is missing

use std::path::{Path, PathBuf};
use std::process::{Command, Output};
use std::sync::atomic::{AtomicUsize, Ordering};

fn root() -> &'static Path {
    Path::new(env!("CARGO_MANIFEST_DIR"))
}

/// Where cargo has put the shared library: beside the tests.
fn library() -> PathBuf {
    let folder = std::env::current_exe().unwrap().parent().unwrap().to_path_buf();
    let names = ["libenes_c.so", "libenes_c.dylib"];
    assert!(names.iter().any(|name| folder.join(name).exists()), "no library in {}", folder.display());
    folder
}

fn is_there(program: &str) -> bool {
    let there = Command::new(program).arg("--version").output().is_ok_and(|o| o.status.success());
    if !there {
        eprintln!("there is no {program} here: its test did not run");
    }
    there
}

fn succeeds(output: &Output) -> String {
    let text = |bytes: &[u8]| String::from_utf8_lossy(bytes).to_string();
    assert!(output.status.success(), "{}{}", text(&output.stdout), text(&output.stderr));
    text(&output.stdout)
}

/// Compile a file with these flags, and run it; its words.
fn run(compiler: &str, flags: &[&str], source: &str) -> String {
    // Tests run at the same time: each has a program of its own.
    static PROGRAMS: AtomicUsize = AtomicUsize::new(0);
    let program = Path::new(env!("CARGO_TARGET_TMPDIR")).join(format!(
        "{}-{compiler}-{}-{}",
        source.replace(['/', '.'], "-"),
        std::process::id(),
        PROGRAMS.fetch_add(1, Ordering::Relaxed)
    ));
    let library = library();
    let compiled = Command::new(compiler)
        .args(flags)
        .arg(root().join(source))
        .args([&format!("-I{}", root().join("include").display()), &format!("-L{}", library.display())])
        .args(["-lenes_c", "-lm", &format!("-Wl,-rpath,{}", library.display()), "-o"])
        .arg(&program)
        .current_dir(env!("CARGO_TARGET_TMPDIR")) // Fortran leaves its modules there
        .output()
        .unwrap();
    succeeds(&compiled);
    let words = succeeds(&Command::new(&program).output().unwrap());
    std::fs::remove_file(program).unwrap();
    words
}

const STRICT: [&str; 4] = ["-Wall", "-Wextra", "-Werror", "-g"];

#[test]
fn every_function_works_from_c() {
    if is_there("gcc") {
        run("gcc", &[&STRICT[..], &["-std=c99", "-pedantic"]].concat(), "tests/c/interface.c");
    }
}

#[test]
fn no_byte_is_touched_that_is_not_ours() {
    if is_there("gcc") {
        let sanitizers = ["-fsanitize=address,undefined", "-fno-sanitize-recover=all"];
        run("gcc", &[&STRICT[..], &sanitizers].concat(), "tests/c/interface.c");
    }
}

#[test]
fn the_header_is_c_plus_plus_too() {
    if is_there("g++") {
        let source = "#include <enes.h>\nint main() { return enes_stopped(nullptr) ? 0 : 1; }\n";
        let file = Path::new(env!("CARGO_TARGET_TMPDIR")).join(format!("header-{}.cpp", std::process::id()));
        std::fs::write(&file, source).unwrap();
        run("g++", &STRICT, file.to_str().unwrap());
        std::fs::remove_file(file).unwrap();
    }
}

/// What the examples find: the decay of the data in them.
fn finds_the_decay(words: &str) {
    let last = words.lines().last().unwrap_or_default();
    assert!(last.contains("rate 0.3028"), "{words}");
}

#[test]
fn the_example_in_c_finds_its_fit() {
    if is_there("gcc") {
        finds_the_decay(&run("gcc", &["-std=c99", "-Wall", "-Werror"], "examples/fit.c"));
    }
}

#[test]
fn the_example_in_fortran_finds_the_same() {
    if is_there("gfortran") {
        finds_the_decay(&run("gfortran", &["-std=f2008", "-Wall", "-Werror"], "examples/fit.f90"));
    }
}

#[test]
fn the_example_in_julia_finds_the_same() {
    if is_there("julia") {
        let library = library();
        let name = if cfg!(target_os = "macos") { "libenes_c.dylib" } else { "libenes_c.so" };
        let output = Command::new("julia")
            .arg(root().join("examples/fit.jl"))
            .arg(library.join(name))
            .output()
            .unwrap();
        finds_the_decay(&succeeds(&output));
    }
}
