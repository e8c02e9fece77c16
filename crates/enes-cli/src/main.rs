//! The binary `enes`: the arguments in, the exit code out.

use std::process::ExitCode;

fn main() -> ExitCode {
    ExitCode::from(enes_cli::run(std::env::args_os()))
}
