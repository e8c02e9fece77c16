//! The Python package: its environment, its wheel, its tests.

use std::fs;
use std::path::{Path, PathBuf};
use std::process::Command;

use crate::step;

const REQUIREMENTS: &str = "crates/enes-python/tests/requirements.txt";

/// Build the wheel, install it into `.venv` and run its tests there; `pytest` gets the arguments.
pub(crate) fn test(arguments: &[String]) -> bool {
    let Some(wheel) = environment().then(build_wheel).flatten() else { return false };
    let install = ["-m", "pip", "install", "--quiet", "--force-reinstall", "--no-deps"];
    step(python().args(install).arg(&wheel), "pip install the wheel") && pytest(&wheel, arguments)
}

/// The project's own environment, with pinned versions; made once, and again when they change.
pub(crate) fn environment() -> bool {
    let Ok(wanted) = fs::read_to_string(REQUIREMENTS) else { return false };
    let stamp = Path::new(".venv/requirements.txt");
    if fs::read_to_string(stamp).is_ok_and(|there| there == wanted) {
        return true;
    }
    let made = Path::new(".venv/bin/python").exists()
        || step(Command::new("python3").args(["-m", "venv", ".venv"]), "python3 -m venv .venv");
    let install = ["-m", "pip", "install", "--quiet", "--disable-pip-version-check", "-r", REQUIREMENTS];
    made && step(python().args(install), "pip install the pinned requirements")
        && fs::write(stamp, wanted).is_ok()
}

fn python() -> Command {
    Command::new(".venv/bin/python")
}

fn build_wheel() -> Option<PathBuf> {
    let folder = Path::new("target/wheels");
    let _ = fs::remove_dir_all(folder);
    let mut maturin = Command::new(".venv/bin/maturin");
    maturin.args(["build", "--release", "--locked", "--quiet", "--out"]).arg(folder);
    if !step(&mut maturin, "maturin build --release") {
        return None;
    }
    let wheels = fs::read_dir(folder).ok()?.flatten().map(|entry| entry.path());
    wheels.into_iter().find(|path| path.extension().is_some_and(|e| e == "whl"))?.canonicalize().ok()
}

fn pytest(wheel: &Path, arguments: &[String]) -> bool {
    let mut command = python();
    command.args(["-m", "pytest"]).args(arguments).env("ENES_WHEEL", wheel);
    step(&mut command, "pytest")
}
