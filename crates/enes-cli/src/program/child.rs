//! Child processes: started in a group of their own, so that all of it can be ended.

use std::collections::VecDeque;
use std::io::{BufRead, BufReader, Read};
use std::process::{Child, Command, Stdio};
use std::sync::{Arc, Mutex};

use super::system::{kill_group, own_group};

/// Lines of stderr kept for the record of a failure.
const TAIL: usize = 5;

/// A command in its own process group with pipes for everything.
pub(crate) fn spawn(words: &[String], stdin: Stdio) -> std::io::Result<Child> {
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

/// The last lines of a stream, read on a thread of its own so that the writer never waits.
#[derive(Clone, Debug, Default)]
pub(crate) struct Tail(Arc<Mutex<VecDeque<String>>>);

impl Tail {
    pub(crate) fn of(stream: impl Read + Send + 'static) -> (Self, std::thread::JoinHandle<()>) {
        let tail = Self::default();
        let lines = tail.clone();
        let reader = std::thread::spawn(move || {
            let mut stream = BufReader::new(stream);
            let mut line = Vec::new();
            while stream.read_until(b'\n', &mut line).is_ok_and(|n| n > 0) {
                let text = String::from_utf8_lossy(&line).trim_end().chars().take(500).collect();
                let mut kept = lines.0.lock().unwrap_or_else(|e| e.into_inner());
                kept.push_back(text);
                if kept.len() > TAIL {
                    kept.pop_front();
                }
                line.clear();
            }
        });
        (tail, reader)
    }

    /// ` (stderr: …)`, or nothing.
    pub(crate) fn note(&self) -> String {
        let lines = self.0.lock().unwrap_or_else(|e| e.into_inner());
        match lines.is_empty() {
            true => String::new(),
            false => format!(" (stderr: {})", lines.iter().cloned().collect::<Vec<_>>().join(" / ")),
        }
    }
}
