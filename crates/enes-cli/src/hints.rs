//! What to say to words that the parser does not know, where it would guess wrong.

use std::ffi::OsString;

use clap::builder::StyledStr;
use clap::error::{ContextKind, ContextValue, ErrorKind};

/// Names that others give to bounds.
const BOUNDS: [&str; 8] = ["--bound", "--bounds", "--lower", "--upper", "--min", "--max", "--lb", "--ub"];

const BOUNDS_ARE_IN_A_FILE: &str = "bounds stand in a problem file, `lower` and `upper` of each [[parameter]]: \
    `enes init` writes one, `enes minimize problem.toml` reads it";
const PROGRAM_AFTER_DASHES: &str =
    "your program and its arguments stand after `--`: enes minimize --dim 2 -- ./simulate {}";

/// The error with the hint that fits what was typed.
pub(crate) fn explained(mut error: clap::Error, typed: &[OsString]) -> clap::Error {
    let unknown = match error.get(ContextKind::InvalidArg) {
        Some(ContextValue::String(word)) if error.kind() == ErrorKind::UnknownArgument => word.clone(),
        _ => return error,
    };
    let runs_a_program = typed.get(1).is_some_and(|word| word == "minimize" || word == "evaluate");
    let hint = match &unknown {
        word if !runs_a_program || typed.iter().any(|t| t == "--") && !word.starts_with("--") => {
            return error;
        }
        word if BOUNDS.contains(&word.as_str()) => BOUNDS_ARE_IN_A_FILE,
        word if !word.starts_with("--") => PROGRAM_AFTER_DASHES,
        _ => return error,
    };
    // The usage names what was guessed, too.
    for guess in [ContextKind::SuggestedArg, ContextKind::Suggested, ContextKind::Usage] {
        error.remove(guess);
    }
    error.insert(ContextKind::Suggested, ContextValue::StyledStrs(vec![StyledStr::from(hint)]));
    error
}
