//! The Python of the peer: one that the user names, or an environment in the folder, made once.

use std::path::{Path, PathBuf};
use std::process::Command;

use crate::error::ReproduceError;
use crate::terminal::words;

/// What an environment holds. Pinned: another version is another peer.
pub(crate) struct Requirements(&'static [&'static str]);

/// Of the comparisons with pycma.
pub(crate) const PYCMA: Requirements = Requirements(&["cma==4.5.0", "numpy==2.4.6"]);

/// Of the landscapes, where there are more peers.
pub(crate) const LANDSCAPES: Requirements =
    Requirements(&["cma==4.5.0", "numpy==2.4.6", "scipy==1.17.1", "cmaes==0.13.1", "nlopt==2.11.0"]);

/// Whether the environment is complete: every argument is a pinned requirement.
const PROBE: &str = "import sys; from importlib.metadata import version
sys.exit(any(version(name) != pin for name, pin in (r.split('==') for r in sys.argv[1:])))";

/// The named Python, else that of the environment variable, else our own in `folder/.venv`.
pub(crate) fn python(
    requirements: &Requirements,
    named: Option<&Path>,
    folder: &Path,
    quiet: bool,
) -> Result<PathBuf, ReproduceError> {
    if let Some(path) = named {
        return Ok(path.to_path_buf());
    }
    match std::env::var_os("ENES_PEER_PYTHON").filter(|path| !path.is_empty()) {
        Some(path) => Ok(path.into()),
        None => environment(requirements, folder, quiet),
    }
}

fn environment(wanted: &Requirements, folder: &Path, quiet: bool) -> Result<PathBuf, ReproduceError> {
    let home = folder.join(".venv");
    let python = home.join("bin").join("python");
    if !python.exists() {
        step(wanted, Command::new("python3").args(["-m", "venv"]).arg(&home), "python3 -m venv")?;
    }
    let complete =
        Command::new(&python).args(["-c", PROBE]).args(wanted.0).output().is_ok_and(|o| o.status.success());
    if !complete {
        if !quiet {
            words(&format!("installing {} into {}", wanted.0.join(" and "), home.display()));
        }
        let mut install = Command::new(&python);
        step(wanted, install.args(["-m", "pip", "install", "--quiet"]).args(wanted.0), "pip install")?;
    }
    Ok(python)
}

fn step(wanted: &Requirements, command: &mut Command, what: &str) -> Result<(), ReproduceError> {
    let reason = match command.output() {
        Ok(output) if output.status.success() => return Ok(()),
        Ok(output) => {
            let text = String::from_utf8_lossy(&output.stderr);
            text.lines().rfind(|line| !line.trim().is_empty()).unwrap_or("no word on stderr").to_string()
        }
        Err(error) => error.to_string(),
    };
    Err(ReproduceError::Environment { what: what.to_string(), requirements: wanted.0.join(" and "), reason })
}
