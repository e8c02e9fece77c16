//! Many dimensions: a study whose peers, policies and functions are NumPy's, and so is its program. Here it is started.

use std::path::{Path, PathBuf};
use std::process::Command;

use clap::Args;

use crate::error::ReproduceError;

/// Beside its data, as seen from the root of the repository.
const SCRIPT: &str = "benchmarks/many-dimensions/many_dimensions.py";

/// What `cargo xtask python` makes: enes, pycma, SepCMA and scipy, pinned.
const PYTHON: &str = ".venv/bin/python";

#[derive(Args, Debug)]
pub(crate) struct ManyDimensionsArguments {
    /// A glance of a minute that writes nothing
    #[arg(long)]
    quick: bool,

    /// The Python that has enes and its peers [default: $ENES_PEER_PYTHON, else that of `cargo xtask python`]
    #[arg(long, value_name = "FILE")]
    python: Option<PathBuf>,

    /// What the program itself takes, after `--`: --runs, --parts, --policies, --rotated, --large, --methods, --again, --minutes
    #[arg(last = true)]
    further: Vec<String>,
}

/// Run what is missing and write the table; what is printed is the program's.
pub(crate) fn reproduce(arguments: &ManyDimensionsArguments) -> Result<(), ReproduceError> {
    if !Path::new(SCRIPT).exists() {
        let what = format!("there is no {SCRIPT} here: start it from the root of the repository");
        return Err(ReproduceError::Usage(what));
    }
    let named = std::env::var_os("ENES_PEER_PYTHON").filter(|path| !path.is_empty()).map(PathBuf::from);
    let python = arguments.python.clone().or(named).unwrap_or_else(|| PYTHON.into());
    let quick = arguments.quick.then_some("--quick");
    let status = Command::new(&python).arg(SCRIPT).args(quick).args(&arguments.further).status();
    let failed = match status {
        Ok(status) if status.success() => return Ok(()),
        Ok(status) => status.to_string(),
        Err(error) => error.to_string(),
    };
    let python = python.display();
    let remedy =
        "it needs enes, cma, cmaes and scipy, as `cargo xtask python` installs them; --python names another";
    Err(ReproduceError::Usage(format!("{python} {SCRIPT} has failed ({failed}): {remedy}")))
}
