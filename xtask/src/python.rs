//! The Python package: its environment, its wheel, its tests.

use std::ffi::OsStr;
use std::fs;
use std::path::{Path, PathBuf};
use std::process::Command;

use crate::step;

const REQUIREMENTS: &str = "crates/enes-python/tests/requirements.txt";
const TOOLS: &str = "xtask/requirements.txt";

/// Build the wheel, install it into `.venv` and run its tests there; `pytest` gets the arguments.
pub(crate) fn test(arguments: &[impl AsRef<OsStr>]) -> bool {
    wheel().is_some_and(|wheel| pytest(&wheel, arguments))
}

/// Build the wheel and install it into `.venv`.
pub(crate) fn wheel() -> Option<PathBuf> {
    // Profile and features of the Rust tests: what they have compiled is not compiled again.
    let folder = Path::new("target/wheels");
    let like_tests = ["build", "--profile", "dev", "--features", "as-tested", "--locked", "--quiet"];
    let wheel = build(folder, &like_tests)?;
    let install = ["-m", "pip", "install", "--quiet", "--force-reinstall", "--no-deps"];
    step(tool("python").args(install).arg(&wheel), "pip install the wheel").then_some(wheel)
}

/// What the tests need, with pinned versions; installed once, and again when they change.
pub(crate) fn environment() -> bool {
    install(REQUIREMENTS, ".venv/requirements.txt")
}

/// What a release needs, with pinned versions.
pub(crate) fn tools() -> bool {
    install(TOOLS, ".venv/tools.txt")
}

/// Install what a file pins, once, and again when it changes.
pub(crate) fn install(requirements: &str, stamp: &str) -> bool {
    let Ok(wanted) = fs::read_to_string(requirements) else { return false };
    if fs::read_to_string(stamp).is_ok_and(|there| there == wanted) {
        return true;
    }
    let made = Path::new(".venv/bin/python").exists()
        || step(Command::new("python3").args(["-m", "venv", ".venv"]), "python3 -m venv .venv");
    // Only what is imported is compiled, when it is imported.
    let pip = ["-m", "pip", "install", "--quiet", "--disable-pip-version-check", "--no-compile"];
    made && step(
        tool("python").args(pip).args(["-r", requirements, "-c", REQUIREMENTS]),
        &format!("pip install -r {requirements}"),
    ) && fs::write(stamp, wanted).is_ok()
}

/// The tests of the package, and of this wheel.
pub(crate) fn pytest(wheel: &Path, arguments: &[impl AsRef<OsStr>]) -> bool {
    step(tool("python").args(["-m", "pytest"]).args(arguments).env("ENES_WHEEL", wheel), "pytest")
}

/// A program of the environment.
pub(crate) fn tool(name: &str) -> Command {
    Command::new(Path::new(".venv/bin").join(name))
}

/// What maturin puts into an emptied folder.
pub(crate) fn build(folder: &Path, arguments: &[&str]) -> Option<PathBuf> {
    let _ = fs::remove_dir_all(folder);
    let mut maturin = tool("maturin");
    // maturin looks for zig as a module of the first `python3` on the path.
    let path = std::env::var("PATH").unwrap_or_default();
    let here = Path::new(".venv/bin").canonicalize().unwrap_or_default();
    maturin.env("PATH", format!("{}:{path}", here.display()));
    maturin.args(arguments).arg("--out").arg(folder);
    let built = step(&mut maturin, &format!("maturin {}", arguments.join(" ")));
    let mut files = fs::read_dir(folder).ok()?.flatten().map(|entry| entry.path());
    files.next().filter(|_| built)?.canonicalize().ok()
}
