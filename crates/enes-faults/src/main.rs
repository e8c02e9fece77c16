//! Faults on purpose, on the real command `enes`: kills, failing system calls, damaged files, hostile programs and words.
//!
//! `cargo xtask faults`. Case K of seed S is always the same case, up to the clock; a rerun continues after the cases
//! that have ended.
#![allow(clippy::print_stdout, clippy::print_stderr)]

#[cfg(unix)]
mod calls;
#[cfg(unix)]
mod campaign;
#[cfg(unix)]
mod damage;
#[cfg(unix)]
mod hostile;
#[cfg(unix)]
mod kills;
#[cfg(unix)]
mod phrases;
#[cfg(unix)]
mod place;
#[cfg(unix)]
mod random;
#[cfg(unix)]
mod run;
#[cfg(unix)]
mod tally;
#[cfg(unix)]
mod worker;

use std::process::ExitCode;

#[cfg(unix)]
fn main() -> ExitCode {
    use std::path::Path;
    let arguments: Vec<String> = std::env::args().skip(1).collect();
    let words: Vec<&str> = arguments.iter().map(String::as_str).collect();
    ExitCode::from(match words[..] {
        ["serve", log, traits] => worker::serve(Path::new(log), &worker::Traits::new(traits)),
        ["once", log, traits, ..] => {
            worker::once(Path::new(log), &worker::Traits::new(traits), &arguments[3..])
        }
        ["hostile", log, manner] => hostile::serve(Path::new(log), manner, false),
        ["hostile-once", log, manner, ..] => hostile::serve(Path::new(log), manner, true),
        _ => campaign::main(&words),
    })
}

#[cfg(not(unix))]
fn main() -> ExitCode {
    println!("running programs needs Unix: no faults here");
    ExitCode::SUCCESS
}
