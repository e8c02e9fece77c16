//! Child processes: started in a group of their own, so that all of it can be ended.

use std::process::{Child, Command, Stdio};

use super::guard::guarded;
use super::system::{kill_group, own_group};

/// A command in its own process group with pipes for everything.
pub(crate) fn spawn(words: &[String], stdin: Stdio) -> std::io::Result<Child> {
    let words = guarded(words);
    let (program, arguments) = words.split_first().ok_or(std::io::ErrorKind::InvalidInput)?;
    let mut command = Command::new(program);
    own_group(&mut command);
    command.args(arguments).stdin(stdin).stdout(Stdio::piped()).stderr(Stdio::piped()).spawn()
}

/// End a child and everything it has started, and wait for it.
pub(crate) fn end(child: &mut Child) {
    kill_group(child);
    let _ = child.wait();
}
