//! Peers for the tests: the real one where it is installed, and one that fails as it is told.

use std::path::{Path, PathBuf};
use std::process::Command;

/// The arguments for `cargo reproduce adaptive`: a Python that has pycma, from `ENES_PEER_PYTHON` or the repository's
/// `.venv`; without one the peer is left out, and the test says so.
#[allow(dead_code, clippy::print_stderr)] // each test file uses its part
pub(crate) fn arguments() -> Vec<String> {
    let named = std::env::var_os("ENES_PEER_PYTHON").map(PathBuf::from);
    let python =
        named.unwrap_or_else(|| Path::new(env!("CARGO_MANIFEST_DIR")).join("../../.venv/bin/python"));
    let has = Command::new(&python).args(["-c", "import cma"]).output().is_ok_and(|o| o.status.success());
    if has {
        vec!["--python".into(), python.display().to_string()]
    } else {
        eprintln!("no pycma here: `cargo reproduce` was tried without its peer");
        vec!["--without-peer".into()]
    }
}

/// The peer that fails; the environment variable `ENES_FAKE` tells how.
#[allow(dead_code)]
pub(crate) fn fake() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/peer/fake.py")
}
