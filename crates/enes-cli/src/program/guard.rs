//! Programs that end with the optimizer, also where it was killed and could not end them (Linux).
//!
//! A program is started by way of this command, which asks the system for a signal at the death of its parent and then
//! becomes the program. Elsewhere, and where the command is a function of the Python package, programs are started as
//! they are.

use std::ffi::OsString;

/// The first word of a command line that is meant for the guard.
const WORD: &str = "__ends-with-its-parent";

/// What a guard does, where these are the words for one; it comes back only where the program cannot be started.
pub(crate) fn becomes(arguments: &[OsString]) -> Option<u8> {
    let words = arguments.split_first()?.1;
    match words.split_first() {
        Some((first, [parent, program, rest @ ..])) if first == WORD => {
            Some(here::become_program(parent, program, rest))
        }
        _ => None,
    }
}

/// The words by which a program is started so that it ends with this process.
pub(crate) fn guarded(words: &[String]) -> Vec<OsString> {
    let plain = words.iter().map(OsString::from);
    match here::own_path() {
        Some(path) => {
            let parent = std::process::id().to_string();
            [path.into_os_string(), WORD.into(), parent.into()].into_iter().chain(plain).collect()
        }
        None => plain.collect(),
    }
}

#[cfg(target_os = "linux")]
mod here {
    use std::ffi::{OsStr, OsString};
    use std::os::unix::process::CommandExt;
    use std::path::PathBuf;
    use std::process::Command;

    use rustix::process::{Signal, getppid, set_parent_process_death_signal};

    /// Where this command is a program of its own.
    pub(super) fn own_path() -> Option<PathBuf> {
        let path = std::env::current_exe().ok()?;
        (path.file_name() == Some(OsStr::new("enes"))).then_some(path)
    }

    pub(super) fn become_program(parent: &OsStr, program: &OsStr, arguments: &[OsString]) -> u8 {
        let _ = set_parent_process_death_signal(Some(Signal::KILL));
        // It may have died before the system knew: then somebody else is the parent.
        let now = getppid().map(|pid| pid.as_raw_nonzero().to_string());
        if now.as_deref().map(OsStr::new) != Some(parent) {
            return 1;
        }
        let error = Command::new(program).args(arguments).exec();
        crate::display::words(&format!("cannot start `{}`: {error}", program.display()));
        127
    }
}

#[cfg(not(target_os = "linux"))]
mod here {
    use std::ffi::{OsStr, OsString};
    use std::path::PathBuf;

    pub(super) fn own_path() -> Option<PathBuf> {
        None
    }

    pub(super) fn become_program(_parent: &OsStr, _program: &OsStr, _arguments: &[OsString]) -> u8 {
        crate::FAILURE
    }
}
