//! The command `enes`, for the console script that the wheel installs.

use std::ffi::OsString;

use pyo3::prelude::*;

/// Run the command with these arguments, the program's name first, and return its exit code.
#[pyfunction]
pub(crate) fn run_command(py: Python<'_>, arguments: Vec<OsString>) -> u8 {
    py.detach(|| enes_cli::run(arguments))
}
