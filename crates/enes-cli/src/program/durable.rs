//! A record on the disk: a thread that forces it there, while the run goes on.

use std::fs::File;
use std::io;
use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering};
use std::sync::mpsc::{self, Receiver, Sender};
use std::thread::JoinHandle;
use std::time::Instant;

/// What the thread is asked for.
enum Request {
    /// As soon as it can; several are one.
    Soon,
    /// And say when it is done, and whether anything went wrong since last time.
    Now(Sender<io::Result<()>>),
}

/// Forces a file to the disk.
#[derive(Debug)]
pub(crate) struct Durable {
    requests: Option<Sender<Request>>,
    thread: Option<JoinHandle<()>>,
    /// Nanoseconds that the disk took last time.
    taken: Arc<AtomicU64>,
}

impl Durable {
    /// For a file that somebody else writes.
    pub(crate) fn new(file: &File) -> io::Result<Self> {
        let file = file.try_clone()?;
        let (requests, asked) = mpsc::channel();
        let taken = Arc::new(AtomicU64::new(0));
        let clock = Arc::clone(&taken);
        let work = move || serve(&file, &asked, &clock);
        let thread = std::thread::Builder::new().name("record".into()).spawn(work)?;
        Ok(Self { requests: Some(requests), thread: Some(thread), taken })
    }

    /// How long the disk takes, as it did last time; nothing before the first.
    pub(crate) fn seconds(&self) -> f64 {
        self.taken.load(Ordering::Relaxed) as f64 * 1e-9
    }

    /// What was written until now will be on the disk soon.
    pub(crate) fn soon(&self) {
        if let Some(requests) = &self.requests {
            let _ = requests.send(Request::Soon);
        }
    }

    /// Wait until what was written is on the disk.
    pub(crate) fn now(&self) -> io::Result<()> {
        let (done, wait) = mpsc::channel();
        let gone = || io::Error::other("the thread that writes the record to the disk is gone");
        self.requests.as_ref().ok_or_else(gone)?.send(Request::Now(done)).map_err(|_| gone())?;
        wait.recv().map_err(|_| gone())?
    }
}

impl Drop for Durable {
    fn drop(&mut self) {
        drop(self.requests.take());
        if let Some(thread) = self.thread.take() {
            let _ = thread.join();
        }
    }
}

fn serve(file: &File, asked: &Receiver<Request>, taken: &AtomicU64) {
    let mut failed = None;
    while let Ok(first) = asked.recv() {
        // All that was asked while the disk was busy is one request.
        let requests: Vec<Request> = std::iter::once(first).chain(asked.try_iter()).collect();
        let start = Instant::now();
        if let Err(error) = file.sync_data() {
            failed.get_or_insert(error);
        }
        taken.store(u64::try_from(start.elapsed().as_nanos()).unwrap_or(u64::MAX), Ordering::Relaxed);
        for request in requests {
            if let Request::Now(done) = request {
                let _ = done.send(failed.take().map_or(Ok(()), Err));
            }
        }
    }
}
