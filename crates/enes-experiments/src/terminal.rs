//! Words on stderr.

use std::io::Write;

/// One line. A closed stderr is nobody's concern.
pub(crate) fn words(text: &str) {
    let _ = writeln!(std::io::stderr().lock(), "{text}");
}

/// Draw a line over the live one. A longer one would wrap, and could not be drawn over.
pub(crate) fn live(text: &str) {
    let cut: String = text.chars().take(79).collect();
    let mut stderr = std::io::stderr().lock();
    let _ = write!(stderr, "\r\x1b[K{cut}");
    let _ = stderr.flush();
}
