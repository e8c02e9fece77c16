//! `enes problems`.

use std::io::Write;

use enes_problems::Function;

use crate::error::CommandError;

/// One line for each problem: name, kind, what it is good for.
pub(crate) fn list() -> Result<(), CommandError> {
    let mut out = std::io::stdout().lock();
    for f in Function::ALL {
        let kind = if f.is_unimodal() { "unimodal" } else { "multimodal" };
        writeln!(out, "{:12} {kind:11} {}", f.name(), f.description())?;
    }
    Ok(out.flush()?)
}
