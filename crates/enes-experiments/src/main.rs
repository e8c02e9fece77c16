//! `cargo reproduce`: arguments -> a study -> words on stderr and a folder.

use std::process::ExitCode;

use clap::Parser;

fn main() -> ExitCode {
    enes_experiments::run(&enes_experiments::Arguments::parse())
}
