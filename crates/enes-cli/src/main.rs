//! The command-line tool `enes`: raw arguments -> validated plan -> run -> words and data.
//!
//! Words go to stderr, data to stdout.

#![warn(clippy::unwrap_used)]

mod arguments;
mod display;
mod error;
mod files;
mod generated;
mod limits;
mod minimize;
mod names;
mod problems;
mod program;
mod report;
mod warm_start;

use std::process::ExitCode;

use clap::Parser;

use arguments::{Arguments, Command};

/// Stopped short of the target.
pub(crate) const SHORT_OF_TARGET: u8 = 1;
/// Wrong usage, or a failure.
pub(crate) const FAILURE: u8 = 2;

fn main() -> ExitCode {
    let result = match Arguments::parse().command {
        Command::Minimize(arguments) if arguments.problem.is_some() => {
            minimize::run(&arguments).map(|met| if met { 0 } else { SHORT_OF_TARGET })
        }
        Command::Minimize(arguments) => program::minimize(&arguments),
        Command::Resume(arguments) => program::resume(&arguments),
        Command::Inject(arguments) => program::inject(&arguments).map(|()| 0),
        Command::Report(arguments) => report::run(&arguments).map(|_| 0),
        Command::Evaluate(arguments) => program::evaluate(&arguments),
        Command::Init { file } => program::init(&file).map(|()| 0),
        Command::Problems => problems::list().map(|()| 0),
        Command::Completions { shell } => generated::completions(shell).map(|()| 0),
        Command::Manual => generated::manual().map(|()| 0),
    };
    match result {
        Ok(code) => ExitCode::from(code),
        Err(error) if error.is_closed_pipe() => ExitCode::SUCCESS,
        Err(error) => {
            display::words(&format!("error: {error}"));
            ExitCode::from(FAILURE)
        }
    }
}
