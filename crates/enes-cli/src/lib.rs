//! The command-line tool `enes`: raw arguments -> validated plan -> run -> words and data.
//!
//! Words go to stderr, data to stdout. [`run`] is the whole of it: the binary and the Python package call it.

#![warn(clippy::unwrap_used)]

mod arguments;
mod cost;
mod display;
mod error;
mod files;
mod generated;
mod hints;
mod limits;
mod minimize;
mod names;
mod numbers;
mod problems;
mod program;
mod report;
mod sample;
mod stopping;
mod warm_start;

#[cfg(feature = "fuzzing")]
#[doc(hidden)]
pub use program::fuzzing;

use std::ffi::OsString;
use std::io::Write;

use clap::Parser;

use arguments::{Arguments, Command};

/// Stopped short of the target.
pub(crate) const SHORT_OF_TARGET: u8 = 1;
/// Wrong usage, or a failure.
pub(crate) const FAILURE: u8 = 2;

/// Run the command with these arguments, the program's name first, and return its exit code.
///
/// While a program of the user's runs, SIGINT and SIGTERM end it in order; a second one ends the process at once.
pub fn run(arguments: impl IntoIterator<Item = OsString>) -> u8 {
    let arguments: Vec<OsString> = arguments.into_iter().collect();
    if let Some(code) = program::becomes(&arguments) {
        return code;
    }
    let code = match Arguments::try_parse_from(&arguments) {
        Ok(arguments) => execute(arguments.command),
        Err(error) => {
            let error = hints::explained(error, &arguments);
            let _ = error.print();
            u8::try_from(error.exit_code()).unwrap_or(FAILURE)
        }
    };
    // A process that is not ours to end may not flush what Rust has buffered.
    let _ = std::io::stdout().flush();
    code
}

fn execute(command: Command) -> u8 {
    let result = match command {
        Command::Minimize(arguments) if arguments.problem.is_some() => {
            minimize::run(&arguments).map(|met| if met { 0 } else { SHORT_OF_TARGET })
        }
        Command::Minimize(arguments) => program::minimize(&arguments),
        Command::Resume(arguments) => program::resume(&arguments),
        Command::Inject(arguments) => program::inject(&arguments).map(|()| 0),
        Command::Verify { folder } => program::verify(&folder).map(|sound| if sound { 0 } else { FAILURE }),
        Command::Repair { folder, out } => program::repair(&folder, out.as_deref()).map(|()| 0),
        Command::Report(arguments) => report::run(&arguments).map(|_| 0),
        Command::Evaluate(arguments) => program::evaluate(&arguments),
        Command::Init { file } => program::init(&file).map(|()| 0),
        Command::Problems => problems::list().map(|()| 0),
        Command::Completions { shell } => generated::completions(shell).map(|()| 0),
        Command::Manual => generated::manual().map(|()| 0),
    };
    match result {
        Ok(code) => code,
        Err(error) if error.is_closed_pipe() => 0,
        Err(error) => {
            display::words(&format!("error: {}", display::plain(&error.to_string())));
            FAILURE
        }
    }
}
