//! Events of `tracing`: what a subscriber hears of a run.

use std::fmt::{Debug, Write};
use std::sync::{Arc, Mutex};

use enes::{Optimizer, Settings, StopReason};
use tracing::field::{Field, Visit};
use tracing::span::{Attributes, Id, Record};
use tracing::{Event, Level, Metadata, Subscriber};

/// Keeps every event of the library as a line.
#[derive(Clone)]
struct Lines {
    heard: Arc<Mutex<Vec<(Level, String)>>>,
    most: Level,
}

struct Line(String);

impl Visit for Line {
    fn record_debug(&mut self, field: &Field, value: &dyn Debug) {
        write!(self.0, "{}={value:?} ", field.name()).unwrap();
    }
}

impl Subscriber for Lines {
    fn enabled(&self, metadata: &Metadata<'_>) -> bool {
        metadata.target() == "enes" && *metadata.level() <= self.most
    }

    fn event(&self, event: &Event<'_>) {
        let mut line = Line(String::new());
        event.record(&mut line);
        self.heard.lock().unwrap().push((*event.metadata().level(), line.0));
    }

    fn new_span(&self, _: &Attributes<'_>) -> Id {
        Id::from_u64(1)
    }
    fn record(&self, _: &Id, _: &Record<'_>) {}
    fn record_follows_from(&self, _: &Id, _: &Id) {}
    fn enter(&self, _: &Id) {}
    fn exit(&self, _: &Id) {}
}

/// What is heard, up to this level, while something runs. It runs once before: a place that speaks for the first time in another test
/// while somebody begins to listen here may be remembered as one that nobody listens to.
fn heard(most: Level, mut run: impl FnMut()) -> Vec<(Level, String)> {
    run();
    let lines = Lines { heard: Arc::default(), most };
    tracing::subscriber::with_default(lines.clone(), run);
    lines.heard.lock().unwrap().clone()
}

fn sphere(x: &[f64]) -> f64 {
    x.iter().map(|v| v * v).sum()
}

#[test]
fn every_generation_is_an_event_and_the_last_word_is_the_reason() {
    let settings = Settings::new([3.0; 3], 1.0).seed(2).target(1e-9);
    let mut outcome = None;
    let lines = heard(Level::DEBUG, || outcome = Some(enes::minimize(&settings, sphere).unwrap()));
    let outcome = outcome.unwrap();
    let generations: Vec<_> = lines.iter().filter(|l| l.0 == Level::DEBUG).collect();
    assert_eq!(generations.len() as u64, outcome.generations);
    assert!(
        generations[0].1.contains("generation=1 ") && generations[0].1.contains("population=4 "),
        "{lines:?}"
    );
    assert!(generations.iter().any(|l| l.1.contains("mode=\"surrogate\"")), "{lines:?}");
    let (level, end) = lines.last().unwrap();
    assert_eq!(*level, Level::INFO);
    assert!(end.contains("reason=the target was reached") && end.contains("message=end"), "{end}");
}

#[test]
fn restarts_are_heard_and_generations_only_by_those_who_ask() {
    let settings = Settings::new([3.0; 2], 1.0).seed(1).max_evaluations(1500);
    let settings = settings.same_optimum(None).unseen_optima(None);
    let mut restarts = 0;
    let lines = heard(Level::INFO, || {
        let outcome = enes::minimize(&settings, |x| 1.0 + sphere(x)).unwrap();
        restarts = outcome.restarts.len();
    });
    assert!(restarts >= 1);
    assert_eq!(lines.len(), restarts + 1, "{lines:?}");
    assert!(lines[0].1.contains("restart=1 ") && lines[0].1.contains("message=restart"), "{lines:?}");
    assert!(lines[restarts].1.contains("reason=the budget is spent"), "{lines:?}");
}

#[test]
fn a_noisy_run_and_one_that_is_ended_say_why() {
    let noisy = Settings::new([3.0; 2], 1.0).noisy(true).max_evaluations(300);
    let lines = heard(Level::INFO, || drop(enes::minimize(&noisy, sphere).unwrap()));
    assert_eq!(lines.len(), 1, "{lines:?}");
    let lines = heard(Level::INFO, || {
        let mut es = Optimizer::new(&Settings::new([3.0; 2], 1.0)).unwrap();
        es.ask();
        es.tell_and_stop(&[1.0], StopReason::Observer { generation: 0 }).unwrap();
    });
    assert_eq!(lines.len(), 1, "{lines:?}");
    assert!(lines[0].1.contains("evaluations=1 best=1.0"), "{lines:?}");
}
