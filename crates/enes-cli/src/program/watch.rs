//! A signal is answered while the optimizer computes, too.
//!
//! Between evaluations the session looks at the wish to stop. A long computation does not; but all that it works on is
//! in the record, so that it can be left where it is and made again by `enes resume`.

use std::path::Path;
use std::sync::atomic::{AtomicU64, AtomicUsize, Ordering};
use std::sync::{Arc, mpsc};
use std::time::{Duration, Instant};

use super::evaluator::Stop;
use crate::display::words;

/// A computation may go on for so long after a signal.
const PATIENCE: Duration = Duration::from_millis(400);

/// How often the watch looks.
const LOOK: Duration = Duration::from_millis(100);

/// Since when the optimizer computes.
#[derive(Clone, Debug)]
pub(crate) struct Computing {
    origin: Instant,
    /// Milliseconds after the origin, plus one; 0 while it does not.
    since: Arc<AtomicU64>,
}

impl Computing {
    pub(crate) fn new() -> Self {
        Self { origin: Instant::now(), since: Arc::new(AtomicU64::new(0)) }
    }

    pub(crate) fn begin(&self) {
        let now = u64::try_from(self.origin.elapsed().as_millis()).unwrap_or(u64::MAX - 1);
        self.since.store(now + 1, Ordering::Relaxed);
    }

    pub(crate) fn end(&self) {
        self.since.store(0, Ordering::Relaxed);
    }

    fn is_long(&self) -> bool {
        let since = self.since.load(Ordering::Relaxed);
        since > 0 && self.origin.elapsed() > Duration::from_millis(since - 1) + PATIENCE
    }
}

/// Watches until it is dropped.
#[derive(Debug)]
pub(crate) struct Watch {
    _alive: mpsc::Sender<()>,
}

impl Watch {
    /// End the process where a signal finds the optimizer at a long computation.
    pub(crate) fn new(stop: &Stop, signal: &Arc<AtomicUsize>, computing: &Computing, folder: &Path) -> Self {
        let (stop, signal, computing) = (stop.clone(), Arc::clone(signal), computing.clone());
        let folder = folder.to_path_buf();
        let (alive, ended) = mpsc::channel();
        std::thread::spawn(move || {
            while ended.recv_timeout(LOOK) == Err(mpsc::RecvTimeoutError::Timeout) {
                if stop.is_set() && signal.load(Ordering::Relaxed) > 0 && computing.is_long() {
                    words(&format!(
                        "interrupted while the optimizer computed; every evaluation is recorded: continue with \
                         `enes resume {}`",
                        folder.display()
                    ));
                    std::process::exit(i32::from(super::exit_code_of(&signal)));
                }
            }
        });
        Self { _alive: alive }
    }
}
