//! Words on stderr: live progress and the result.

use std::io::{IsTerminal, Write};
use std::time::{Duration, Instant};

use enes::{Optimizer, Optimum, Restart};

/// The live line is drawn at most this often.
const REDRAW: Duration = Duration::from_millis(100);

/// Pycma's columns, and between them what the strategy has to say of itself.
const HEADER: &str = "Iterat. #Fevals  function value axis ratio   sigma   min & max std ";

/// What the strategy makes of evaluated points, twenty-two columns wide at most. With a surrogate: the mode of the generation,
/// what the best surrogate fits and its error E. Rank-based: trust in the regression and points in its archive.
/// As published: the share of the generation that was kept.
fn reuse(es: &Optimizer) -> (&'static str, String) {
    match (es.trust(), es.archive_len()) {
        _ if es.uses_surrogate() => {
            let (mode, response, error) = model_words(es);
            ("mode      fits       E", format!("{mode:<9} {response:<6} {error:>5}"))
        }
        (Some(trust), Some(archive)) => ("    trust  archive", format!("{trust:9.2} {archive:8}")),
        _ => ("       reused", format!("{:11.1} %", 100.0 * es.last_reused_share())),
    }
}

/// Mode, response and error of the latest generation; dashes where no surrogate could be fitted.
pub(crate) fn model_words(es: &Optimizer) -> (&'static str, &'static str, String) {
    match es.model() {
        Some(model) => (model.mode.name(), model.response.name(), format!("{:.3}", model.error)),
        None => ("ranks", "-", "-".to_string()),
    }
}

/// How much of the population was reused, to end a sentence with; nothing where that is not done.
pub(crate) fn reused_words(share: f64) -> String {
    if share > 0.0 { format!(", {:.1} % of them reused", 100.0 * share) } else { String::new() }
}

/// The searches before the last one, a line each; the first few and the last few of many.
pub(crate) fn restart_words(restarts: &[Restart]) -> Vec<String> {
    let line = |(i, r): (usize, &Restart)| {
        let begin = if i == 0 { "  restarts     " } else { "               " };
        let scale = if r.scale == 1.0 { String::new() } else { format!(" at scale {:.2}", r.scale) };
        let (evaluations, population) = (grouped(r.evaluations), r.population);
        format!(
            "{begin}{}: {}, {evaluations} evaluations, {population} points{scale}, {}",
            i + 1,
            crate::program::best_words(r.value, r.violation, 6),
            r.reason.name()
        )
    };
    let mut lines: Vec<String> = restarts.iter().enumerate().map(line).collect();
    if lines.len() > 8 {
        let left_out = lines.len() - 7;
        lines.splice(4..lines.len() - 3, [format!("               … {left_out} more")]);
    }
    lines
}

/// A search that ended, for `--json`.
pub(crate) fn restart_object(restart: &Restart) -> serde_json::Value {
    serde_json::json!({
        "evaluations": restart.evaluations,
        "generations": restart.generations,
        "population": restart.population,
        "scale": restart.scale,
        "value": restart.value,
        "violation": restart.violation,
        "stop": restart.reason.name(),
        "stop_message": restart.reason.to_string(),
    })
}

/// The optima that were found, a line each, where there are several; the best of many.
pub(crate) fn optima_words(optima: &[Optimum]) -> Vec<String> {
    let most = 5;
    let line = |(i, o): (usize, &Optimum)| {
        let begin = if i == 0 { "  optima       " } else { "               " };
        let value = crate::program::best_words(o.value, o.violation, 6);
        format!(
            "{begin}{value}, found {}",
            if o.found == 1 { "once".into() } else { format!("{} times", o.found) }
        )
    };
    if optima.len() < 2 {
        return Vec::new();
    }
    let mut lines: Vec<String> = optima.iter().take(most).enumerate().map(line).collect();
    if optima.len() > most {
        lines.push(format!("               … {} more", optima.len() - most));
    }
    lines
}

/// An optimum, for `--json`.
pub(crate) fn optimum_object(optimum: &Optimum) -> serde_json::Value {
    serde_json::json!({
        "x": optimum.point,
        "value": optimum.value,
        "violation": optimum.violation,
        "found": optimum.found,
        "evaluations": optimum.evaluations,
    })
}

/// Which restart a live line belongs to; nothing in the first search.
pub(crate) fn restart_mark(es: &Optimizer) -> String {
    match es.restarts().len() {
        0 => String::new(),
        n => format!(" restart {n}"),
    }
}

/// Text of others, for a terminal: control characters and those that turn the direction of writing are shown, not
/// obeyed, and what is long is cut.
pub(crate) fn plain(text: &str) -> String {
    let most = 400;
    let obeyed = |c: char| {
        c.is_control()
            || matches!(c, '\u{200e}' | '\u{200f}' | '\u{202a}'..='\u{202e}' | '\u{2066}'..='\u{2069}')
    };
    let shown = text.chars().take(most).map(|c| if obeyed(c) && c != '\n' { '\u{fffd}' } else { c });
    let cut = if text.chars().nth(most).is_some() { "…" } else { "" };
    shown.chain(cut.chars()).collect()
}

/// One line on stderr. A closed stderr is nobody's concern.
pub(crate) fn words(text: &str) {
    let _ = writeln!(std::io::stderr().lock(), "{text}");
}

/// Draw a line over the live one, cut to the width of the terminal: a line that wraps could not be
/// drawn over.
pub(crate) fn live(text: &str) {
    let mut stderr = std::io::stderr().lock();
    #[cfg(unix)]
    let width = rustix::termios::tcgetwinsize(&stderr).map_or(80, |size| usize::from(size.ws_col));
    #[cfg(not(unix))]
    let width = 80usize;
    let cut: String = text.chars().take(width.max(2) - 1).collect();
    let _ = write!(stderr, "\r\x1b[K{cut}");
    let _ = stderr.flush();
}

/// Progress in pycma's columns and what is reused: a live line on a terminal, plain lines at
/// generations 1, 2, 3, 10, 20, 50, 100, 200, 500, … anywhere else.
pub(crate) struct Progress {
    terminal: bool,
    started: Instant,
    drawn: Option<Instant>,
    next: u64,
    header: bool,
}

impl Drop for Progress {
    /// A live line that is still standing, because time was up, becomes a line of its own.
    fn drop(&mut self) {
        if self.drawn.is_some() {
            words("");
        }
    }
}

impl Progress {
    pub(crate) fn new() -> Self {
        let terminal = std::io::stderr().is_terminal();
        Self { terminal, started: Instant::now(), drawn: None, next: 1, header: true }
    }

    /// Called once a generation; the last one is always printed.
    pub(crate) fn update(&mut self, es: &Optimizer) {
        if es.generation() >= self.next || es.stop_reason().is_some() {
            self.next = next_mark(self.next);
            self.print(es);
        } else if self.terminal && self.drawn.is_none_or(|t| t.elapsed() >= REDRAW) {
            live(&self.line(es));
            self.drawn = Some(Instant::now());
        }
    }

    fn print(&mut self, es: &Optimizer) {
        if std::mem::take(&mut self.header) {
            words(&format!("{HEADER}{} t[m:s]", reuse(es).0));
        }
        let clear = if self.drawn.take().is_some() { "\r\x1b[K" } else { "" };
        words(&format!("{clear}{}", self.line(es)));
    }

    fn line(&self, es: &Optimizer) -> String {
        let axes = es.axis_lengths();
        let ratio = match (axes.first(), axes.last()) {
            (Some(long), Some(short)) => long / short,
            _ => f64::NAN,
        };
        let deviations = es.standard_deviations();
        let least = deviations.iter().copied().fold(f64::INFINITY, f64::min);
        let largest = deviations.iter().copied().fold(0.0, f64::max);
        let sigma = (es.distribution().log_det() / deviations.len() as f64).exp();
        let seconds = self.started.elapsed().as_secs_f64();
        let minutes = (seconds / 60.0).floor();
        format!(
            "{:7} {:7} {:15.8e} {:10.1e} {:7.1e} {:7.1e} {:7.1e} {} {:.0}:{:04.1}",
            es.generation(),
            es.evaluations(),
            es.best().map_or(f64::NAN, |b| b.value),
            ratio,
            sigma,
            least,
            largest,
            reuse(es).1,
            minutes,
            seconds - 60.0 * minutes,
        ) + &restart_mark(es)
    }
}

/// 1, 2, 3, 10, 20, 50, 100, 200, 500, 1000, …
pub(crate) fn next_mark(mark: u64) -> u64 {
    match mark {
        1 => 2,
        2 => 3,
        3 => 10,
        _ if mark.to_string().starts_with('2') => mark / 2 * 5,
        _ => mark * 2,
    }
}

/// `12 345 678`, for people.
pub(crate) fn grouped(count: u64) -> String {
    let digits = count.to_string();
    let mut out = String::new();
    for (i, digit) in digits.chars().enumerate() {
        if i > 0 && (digits.len() - i).is_multiple_of(3) && digits.len() > 4 {
            out.push(' ');
        }
        out.push(digit);
    }
    out
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn marks_grow_like_coins() {
        let mut mark = 1;
        let marks: Vec<u64> = std::iter::from_fn(|| {
            let now = mark;
            mark = next_mark(mark);
            Some(now)
        })
        .take(11)
        .collect();
        assert_eq!(marks, [1, 2, 3, 10, 20, 50, 100, 200, 500, 1000, 2000]);
    }

    #[test]
    fn counts_are_grouped_from_five_digits_on() {
        assert_eq!(
            (grouped(1234), grouped(12345), grouped(1234567)),
            ("1234".into(), "12 345".into(), "1 234 567".into())
        );
    }
}
