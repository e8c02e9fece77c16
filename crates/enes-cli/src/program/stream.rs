//! What a program prints, read on threads of their own: bounded in memory, never waited for without an end.

use std::collections::VecDeque;
use std::io::{BufRead, BufReader, Read};
use std::sync::mpsc::{Receiver, SyncSender, channel, sync_channel};
use std::sync::{Arc, Mutex};
use std::time::Duration;

/// Lines of stderr kept for the record of a failure, and characters of each.
const TAIL: usize = 5;
const TAIL_WIDTH: usize = 500;

/// A line of a worker that is longer than this is no answer.
const LONGEST_LINE: usize = 1 << 20;

/// Lines of a worker that wait to be read; then the worker waits.
const WAITING: usize = 64;

/// How long a program that has ended is waited for to close its pipes: something it has left running may hold them.
const GRACE: Duration = Duration::from_millis(500);

/// The next line, at most `most` bytes of it; the rest of a longer one is read and dropped. False at the end.
fn next_line(stream: &mut impl BufRead, line: &mut Vec<u8>, most: usize) -> bool {
    line.clear();
    let mut any = false;
    loop {
        let Ok(buffer) = stream.fill_buf() else { return any };
        if buffer.is_empty() {
            return any;
        }
        any = true;
        let end = buffer.iter().position(|b| *b == b'\n');
        let part = &buffer[..end.unwrap_or(buffer.len())];
        line.extend_from_slice(&part[..part.len().min(most.saturating_sub(line.len()))]);
        let used = part.len() + usize::from(end.is_some());
        stream.consume(used);
        if end.is_some() {
            return true;
        }
    }
}

/// One line of a worker.
#[derive(Debug)]
pub(crate) enum Said {
    Line(String),
    TooLong,
}

/// The lines of a worker, as they come.
pub(crate) fn lines(stream: impl Read + Send + 'static) -> Receiver<Said> {
    let (sender, lines) = sync_channel(WAITING);
    std::thread::spawn(move || send_lines(stream, &sender));
    lines
}

fn send_lines(stream: impl Read, sender: &SyncSender<Said>) {
    let mut stream = BufReader::new(stream);
    let mut line = Vec::new();
    while next_line(&mut stream, &mut line, LONGEST_LINE + 1) {
        let said = match line.len() > LONGEST_LINE {
            true => Said::TooLong,
            false => Said::Line(String::from_utf8_lossy(&line).to_string()),
        };
        if sender.send(said).is_err() {
            return;
        }
    }
}

/// The lines of this output as a worker's are read, at most so many.
#[cfg(feature = "fuzzing")]
pub(crate) fn first_lines(bytes: &[u8], most: usize) -> Vec<String> {
    let (mut stream, mut line, mut lines) = (bytes, Vec::new(), Vec::new());
    while lines.len() < most && next_line(&mut stream, &mut line, LONGEST_LINE + 1) {
        lines.push(String::from_utf8_lossy(&line).to_string());
    }
    lines
}

/// The last lines of a stream, so that the writer never waits.
#[derive(Clone, Debug, Default)]
pub(crate) struct Tail(Arc<Mutex<VecDeque<String>>>);

impl Tail {
    pub(crate) fn of(stream: impl Read + Send + 'static) -> (Self, Finished) {
        let tail = Self::default();
        let lines = tail.clone();
        let finished = Finished::when(move || {
            let mut stream = BufReader::new(stream);
            let mut line = Vec::new();
            while next_line(&mut stream, &mut line, 4 * TAIL_WIDTH) {
                let text = String::from_utf8_lossy(&line).trim_end().chars().take(TAIL_WIDTH).collect();
                let mut kept = lines.0.lock().unwrap_or_else(|e| e.into_inner());
                kept.push_back(text);
                if kept.len() > TAIL {
                    kept.pop_front();
                }
            }
        });
        (tail, finished)
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

/// All that a stream says, up to a limit.
#[derive(Clone, Debug, Default)]
pub(crate) struct Output(Arc<Mutex<Vec<u8>>>);

impl Output {
    pub(crate) fn of(mut stream: impl Read + Send + 'static, most: usize) -> (Self, Finished) {
        let output = Self::default();
        let text = output.clone();
        let finished = Finished::when(move || {
            let mut buffer = [0; 1 << 13];
            while let Ok(read @ 1..) = stream.read(&mut buffer) {
                let mut text = text.0.lock().unwrap_or_else(|e| e.into_inner());
                text.extend_from_slice(&buffer[..read]);
                if text.len() > most {
                    return; // closes the pipe
                }
            }
        });
        (output, finished)
    }

    pub(crate) fn len(&self) -> usize {
        self.0.lock().unwrap_or_else(|e| e.into_inner()).len()
    }

    pub(crate) fn text(&self) -> String {
        String::from_utf8_lossy(&self.0.lock().unwrap_or_else(|e| e.into_inner())).to_string()
    }
}

/// A reader at work.
#[derive(Debug)]
pub(crate) struct Finished(Receiver<()>);

impl Finished {
    fn when(read: impl FnOnce() + Send + 'static) -> Self {
        let (done, wait) = channel();
        std::thread::spawn(move || {
            read();
            let _ = done.send(());
        });
        Self(wait)
    }

    /// Wait for the end of the stream, but not long.
    pub(crate) fn wait(self) {
        let _ = self.0.recv_timeout(GRACE);
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn long_lines_are_cut_and_the_next_one_is_whole() {
        let text = format!("{}\nshort\nlast", "x".repeat(100_000));
        let mut stream = BufReader::new(text.as_bytes());
        let mut line = Vec::new();
        assert!(next_line(&mut stream, &mut line, 10) && line == b"xxxxxxxxxx");
        assert!(next_line(&mut stream, &mut line, 10) && line == b"short");
        assert!(next_line(&mut stream, &mut line, 10) && line == b"last");
        assert!(!next_line(&mut stream, &mut line, 10));
    }
}
