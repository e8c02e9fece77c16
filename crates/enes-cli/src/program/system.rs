//! What only the operating system can do: groups of processes, signals.

pub(crate) use here::{catch, is_executable, kill_group, memory_limit, own_group, supported};

#[cfg(unix)]
mod here {
    use std::io;
    use std::os::unix::fs::PermissionsExt;
    use std::os::unix::process::CommandExt;
    use std::path::Path;
    use std::process::{Child, Command};
    use std::sync::Arc;
    use std::sync::atomic::{AtomicBool, AtomicUsize};

    use rustix::process::{Pid, Resource, Signal, getrlimit, kill_process_group};
    use signal_hook::consts::{SIGHUP, SIGINT, SIGTERM};
    use signal_hook::flag;

    /// Whether programs can be run here.
    pub(crate) fn supported() -> io::Result<()> {
        Ok(())
    }

    /// Whether a file may be executed, by whomever.
    pub(crate) fn is_executable(path: &Path) -> bool {
        path.metadata().is_ok_and(|file| file.is_file() && file.permissions().mode() & 0o111 != 0)
    }

    /// What `ulimit -v` allows this process, in bytes.
    pub(crate) fn memory_limit() -> Option<u64> {
        getrlimit(Resource::As).current
    }

    /// The command starts in a process group of its own.
    pub(crate) fn own_group(command: &mut Command) {
        command.process_group(0);
    }

    /// SIGKILL to the whole group: also to what a child has left behind.
    pub(crate) fn kill_group(child: &Child) {
        if let Some(pid) = i32::try_from(child.id()).ok().and_then(Pid::from_raw) {
            let _ = kill_process_group(pid, Signal::KILL);
        }
    }

    /// Ctrl-C, SIGTERM and the end of the terminal set the flag and leave their number.
    pub(crate) fn catch(stop: &Arc<AtomicBool>, which: &Arc<AtomicUsize>) -> io::Result<()> {
        for signal in [SIGINT, SIGTERM, SIGHUP] {
            // A second Ctrl-C ends the program at once.
            flag::register_conditional_shutdown(signal, 128 + signal, Arc::clone(stop))?;
            flag::register(signal, Arc::clone(stop))?;
            flag::register_usize(signal, Arc::clone(which), signal as usize)?;
        }
        Ok(())
    }
}

/// Without process groups a program's children could not be ended: nothing is run.
#[cfg(not(unix))]
mod here {
    use std::io;
    use std::path::Path;
    use std::process::{Child, Command};
    use std::sync::Arc;
    use std::sync::atomic::{AtomicBool, AtomicUsize};

    pub(crate) fn is_executable(path: &Path) -> bool {
        path.is_file()
    }

    pub(crate) fn supported() -> io::Result<()> {
        Err(io::Error::other("running programs needs Unix; use the library or Python on Windows"))
    }

    pub(crate) fn memory_limit() -> Option<u64> {
        None
    }

    pub(crate) fn own_group(_command: &mut Command) {}

    pub(crate) fn kill_group(_child: &Child) {}

    pub(crate) fn catch(_stop: &Arc<AtomicBool>, _which: &Arc<AtomicUsize>) -> io::Result<()> {
        supported()
    }
}
