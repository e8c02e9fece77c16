//! What a running session shows: one live line on a terminal, plain lines elsewhere.

use std::io::IsTerminal;
use std::time::{Duration, Instant};

use super::answer::best_words;
use super::plan::Schedule;
use super::session::{DRAWN, Session};
use crate::display::{live, model_words, next_mark, plain, restart_mark, words};
use crate::sample::Sample;

const REDRAW: Duration = Duration::from_millis(100);
/// Without a terminal a line at least this often, while anything happens.
const SPEAK: Duration = Duration::from_secs(30);
const SPARKS: [char; 8] = ['▁', '▂', '▃', '▄', '▅', '▆', '▇', '█'];
/// So many best values are kept for the sparkline.
const HISTORY: usize = 1024;
/// Width of the sparkline.
const SPARK_WIDTH: usize = 16;

/// The state of the display.
#[derive(Debug)]
pub(crate) struct Status {
    quiet: bool,
    terminal: bool,
    started: Instant,
    /// Evaluations that were there when this session began.
    before: Option<u64>,
    shown: Instant,
    live: bool,
    next: u64,
    history: Sample<f64>,
}

impl Status {
    pub(crate) fn new(quiet: bool) -> Self {
        let now = Instant::now();
        let terminal = std::io::stderr().is_terminal();
        Self {
            quiet,
            terminal,
            started: now,
            before: None,
            shown: now,
            live: false,
            next: 1,
            history: Sample::new(HISTORY),
        }
    }

    /// An evaluation has landed.
    pub(crate) fn evaluation(&mut self, session: &Session<'_>) {
        self.before.get_or_insert(session.evaluations().saturating_sub(1));
        if self.quiet {
            return;
        }
        if self.terminal && self.shown.elapsed() >= REDRAW {
            live(&self.line(session));
            (self.shown, self.live) = (Instant::now(), true);
        } else if !self.terminal && self.shown.elapsed() >= SPEAK {
            self.say(&self.line(session));
        }
    }

    /// A generation is complete.
    pub(crate) fn generation(&mut self, session: &Session<'_>) {
        if let Some(best) = session.best().filter(|best| best.violation == 0.0) {
            self.history.push(best.value);
        }
        if !self.quiet && session.es.generation() >= self.next {
            while self.next <= session.es.generation() {
                self.next = next_mark(self.next);
            }
            self.say(&self.line(session));
        }
    }

    pub(crate) fn failure(&mut self, id: u64, reason: &str) {
        if !self.quiet {
            self.say(&format!("evaluation {id} failed: {}", plain(reason)));
        }
    }

    pub(crate) fn injected(&mut self, points: usize) {
        if !self.quiet {
            let word = if points == 1 { "point" } else { "points" };
            self.say(&format!("took in {points} injected {word}"));
        }
    }

    /// From here on no job waits for another. Who asked for it knows.
    pub(crate) fn asynchronous(&mut self, session: &Session<'_>) {
        if !self.quiet && session.plan.schedule == Schedule::Auto {
            self.say(
                "evaluations take different times: from here on no job waits for another, and another run with this seed \
                 may differ; --sync keeps whole generations",
            );
        }
    }

    /// A line for good; a live line gives way to it.
    fn say(&mut self, text: &str) {
        let clear = if std::mem::take(&mut self.live) { "\r\x1b[K" } else { "" };
        words(&format!("{clear}{text}"));
        self.shown = Instant::now();
    }

    fn line(&self, session: &Session<'_>) -> String {
        let es = &session.es;
        // In many dimensions the axes would take longer than a generation.
        let axes = if es.distribution().dimension() <= DRAWN { es.axis_lengths() } else { Vec::new() };
        let ratio = axes.first().zip(axes.last()).map(|(a, b)| format!(" axes {:.1e}", a / b));
        let sigma = (es.distribution().log_det() / es.distribution().dimension() as f64).exp();
        let fresh = session.evaluations() - self.before.unwrap_or(session.evaluations());
        let best = session.best().map_or((f64::NAN, 0.0), |b| (b.value, b.violation));
        let best = best_words(best.0, best.1, 6);
        // How far the budget is spent, where there is one.
        let budget = session.plan.max_evaluations.map_or_else(String::new, |limit| format!("/{limit}"));
        let counted = format!("{}{budget}", session.evaluations());
        format!(
            "gen {:<4} of {:<3} evals {:<9} best {best} failed {} {:.1}/s {} sigma {sigma:.1e}{} {}",
            es.generation(),
            es.population_size(),
            counted,
            session.tally().failures,
            fresh as f64 / self.started.elapsed().as_secs_f64().max(1e-9),
            sparkline(self.history.items()),
            ratio.unwrap_or_default(),
            reuse(es),
        ) + &busy(session)
            + &restart_mark(es)
    }
}

impl Drop for Status {
    fn drop(&mut self) {
        if self.live {
            words("");
        }
    }
}

/// How many jobs are at work, where they do not wait for each other.
fn busy(session: &Session<'_>) -> String {
    match session.busy {
        0 => String::new(),
        busy => format!(" busy {busy}/{}", session.plan.jobs),
    }
}

/// The mode, what is fitted and its error; or trust and points in the archive; or the share of the generation that
/// was kept.
fn reuse(es: &enes::Optimizer) -> String {
    match (es.trust(), es.archive_len()) {
        _ if es.uses_surrogate() => {
            let (mode, response, error) = model_words(es);
            format!("mode {mode} fits {response} E {error}")
        }
        (Some(trust), Some(archive)) => format!("trust {trust:.2} archive {archive}"),
        _ => format!("reused {:.0} %", 100.0 * es.last_reused_share()),
    }
}

/// The latest best values as bars; logarithmic where all are positive.
fn sparkline(history: &[f64]) -> String {
    let step = history.len().div_ceil(SPARK_WIDTH).max(1);
    let positive = history.iter().all(|v| *v > 0.0);
    let shown: Vec<f64> = history
        .iter()
        .step_by(step)
        .map(|v| if positive { v.ln() } else { *v })
        .filter(|v| v.is_finite())
        .collect();
    let low = shown.iter().copied().fold(f64::INFINITY, f64::min);
    let high = shown.iter().copied().fold(f64::NEG_INFINITY, f64::max);
    let bar = |v: &f64| match high > low {
        true => SPARKS[(7.0 * (v - low) / (high - low)).round() as usize],
        false => SPARKS[0],
    };
    shown.iter().map(bar).collect()
}

#[cfg(test)]
mod tests {
    use super::sparkline;

    #[test]
    fn sparklines_fall_with_the_values() {
        assert_eq!(sparkline(&[1e3, 1.0, 1e-3]), "█▅▁");
        assert_eq!(sparkline(&[5.0, 5.0]), "▁▁");
        assert_eq!(sparkline(&[]), "");
        assert_eq!(sparkline(&[-1.0, f64::INFINITY, -2.0]), "█▁");
    }
}
