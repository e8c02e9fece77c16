//! The Python of the peer: one that the user names, or an environment in the folder, made once.

use std::path::{Path, PathBuf};
use std::process::Command;

use crate::error::ReproduceError;
use crate::terminal::words;

/// What the environment holds. Pinned: another version is another peer.
const REQUIREMENTS: [&str; 2] = ["cma==4.5.0", "numpy==2.4.6"];

/// Whether the environment is complete.
const PROBE: &str =
    "import sys, cma, numpy; sys.exit((cma.__version__, numpy.__version__) != ('4.5.0', '2.4.6'))";

/// The named Python, else that of the environment variable, else our own in `folder/.venv`.
pub(crate) fn python(named: Option<&Path>, folder: &Path, quiet: bool) -> Result<PathBuf, ReproduceError> {
    if let Some(path) = named {
        return Ok(path.to_path_buf());
    }
    match std::env::var_os("ENES_PEER_PYTHON").filter(|path| !path.is_empty()) {
        Some(path) => Ok(path.into()),
        None => environment(folder, quiet),
    }
}

fn environment(folder: &Path, quiet: bool) -> Result<PathBuf, ReproduceError> {
    let home = folder.join(".venv");
    let python = home.join("bin").join("python");
    if !python.exists() {
        step(Command::new("python3").args(["-m", "venv"]).arg(&home), "python3 -m venv")?;
    }
    let complete = Command::new(&python).args(["-c", PROBE]).output().is_ok_and(|o| o.status.success());
    if !complete {
        if !quiet {
            words(&format!("installing {} into {}", REQUIREMENTS.join(" and "), home.display()));
        }
        step(
            Command::new(&python).args(["-m", "pip", "install", "--quiet"]).args(REQUIREMENTS),
            "pip install",
        )?;
    }
    Ok(python)
}

fn step(command: &mut Command, what: &str) -> Result<(), ReproduceError> {
    let reason = match command.output() {
        Ok(output) if output.status.success() => return Ok(()),
        Ok(output) => {
            let text = String::from_utf8_lossy(&output.stderr);
            text.lines().rfind(|line| !line.trim().is_empty()).unwrap_or("no word on stderr").to_string()
        }
        Err(error) => error.to_string(),
    };
    Err(ReproduceError::Environment {
        what: what.to_string(),
        requirements: REQUIREMENTS.join(" and "),
        reason,
    })
}
