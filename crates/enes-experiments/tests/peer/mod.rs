//! Peers for the tests: the real one where it is installed, and one that fails as it is told.

use std::path::{Path, PathBuf};
use std::process::Command;

/// A Python that has these modules: that of `ENES_PEER_PYTHON`, else of the repository's `.venv`. Without one the peer is
/// left out, and the test says so.
#[allow(dead_code, clippy::print_stderr)] // each test file uses its part
pub(crate) fn with_modules(modules: &str) -> Option<PathBuf> {
    let named = std::env::var_os("ENES_PEER_PYTHON").map(PathBuf::from);
    let python =
        named.unwrap_or_else(|| Path::new(env!("CARGO_MANIFEST_DIR")).join("../../.venv/bin/python"));
    let import = format!("import {modules}");
    let has = Command::new(&python).args(["-c", &import]).output().is_ok_and(|o| o.status.success());
    if !has {
        eprintln!("no {modules} here: `cargo reproduce` was tried without its peer");
    }
    has.then_some(python)
}

/// The arguments for `cargo reproduce adaptive`: a Python that has pycma, or none.
#[allow(dead_code)]
pub(crate) fn arguments() -> Vec<String> {
    match with_modules("cma") {
        Some(python) => vec!["--python".into(), python.display().to_string()],
        None => vec!["--without-peer".into()],
    }
}

/// The peer that fails; the environment variable `ENES_FAKE` tells how.
#[allow(dead_code)]
pub(crate) fn fake() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/peer/fake.py")
}
