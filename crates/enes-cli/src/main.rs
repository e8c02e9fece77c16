//! The command-line tool `enes`: raw arguments -> validated plan -> run -> words and data.
//!
//! Words go to stderr, data to stdout.

#![warn(clippy::unwrap_used)]

mod arguments;
mod chart;
mod display;
mod error;
mod minimize;
mod problems;
mod reproduce;

use std::process::ExitCode;

use clap::Parser;

use arguments::{Arguments, Command};

/// Stopped short of the target.
const SHORT_OF_TARGET: u8 = 1;
/// Wrong usage, or a failure.
const FAILURE: u8 = 2;

fn main() -> ExitCode {
    let result = match Arguments::parse().command {
        Command::Minimize(arguments) => minimize::run(&arguments),
        Command::Reproduce(arguments) => reproduce::run(&arguments),
        Command::MeasureMemory { dim, reference } => reproduce::print_memory(dim, reference).map(|()| true),
        Command::Problems => problems::list().map(|()| true),
    };
    match result {
        Ok(true) => ExitCode::SUCCESS,
        Ok(false) => ExitCode::from(SHORT_OF_TARGET),
        Err(error) if error.is_closed_pipe() => ExitCode::SUCCESS,
        Err(error) => {
            display::words(&format!("error: {error}"));
            ExitCode::from(FAILURE)
        }
    }
}
