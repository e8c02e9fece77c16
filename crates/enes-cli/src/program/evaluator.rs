//! Evaluations at the same time: threads that each own a program, results as they land.

use std::sync::Arc;
use std::sync::Mutex;
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::mpsc::{Receiver, Sender, channel};
use std::thread::JoinHandle;
use std::time::Instant;

use super::answer::Answer;
use super::launch::Launcher;
use super::plan::{Mode, Plan};
use super::worker::Worker;

/// What came of one evaluation.
#[derive(Clone, Debug, PartialEq)]
pub(crate) enum Reply {
    Value(Answer),
    Failure(String),
    /// The run is to stop; nothing is known of this point.
    Interrupted,
}

/// The wish to stop, shared with signal handlers.
#[derive(Clone, Debug, Default)]
pub(crate) struct Stop(pub(crate) Arc<AtomicBool>);

impl Stop {
    pub(crate) fn is_set(&self) -> bool {
        self.0.load(Ordering::Relaxed)
    }

    pub(crate) fn set(&self) {
        self.0.store(true, Ordering::Relaxed);
    }
}

/// Something that evaluates one point at a time.
pub(crate) trait Program: Send {
    fn evaluate(&mut self, id: u64, x: &[f64], stop: &Stop) -> Reply;
}

/// A point to evaluate.
#[derive(Clone, Debug)]
pub(crate) struct Task {
    pub(crate) id: u64,
    pub(crate) x: Vec<f64>,
}

/// A point that was evaluated.
#[derive(Clone, Debug)]
pub(crate) struct Landed {
    pub(crate) task: Task,
    pub(crate) reply: Reply,
    pub(crate) seconds: f64,
}

/// Threads that wait for tasks, each with a program of its own.
#[derive(Debug)]
pub(crate) struct Pool {
    tasks: Option<Sender<Task>>,
    landed: Receiver<Landed>,
    threads: Vec<JoinHandle<()>>,
    stop: Stop,
}

impl Pool {
    pub(crate) fn new(plan: &Plan, stop: &Stop) -> Self {
        let (tasks, queue) = channel::<Task>();
        let queue = Arc::new(Mutex::new(queue));
        let (sender, landed) = channel();
        let threads = (0..plan.jobs.max(1))
            .map(|_| {
                let (queue, sender, stop) = (Arc::clone(&queue), sender.clone(), stop.clone());
                let mut program: Box<dyn Program> = match plan.mode {
                    Mode::Arguments => Box::new(Launcher::new(plan)),
                    Mode::Worker => Box::new(Worker::new(plan)),
                };
                std::thread::spawn(move || serve(program.as_mut(), &queue, &sender, &stop))
            })
            .collect();
        Self { tasks: Some(tasks), landed, threads, stop: stop.clone() }
    }

    /// How many tasks are evaluated at the same time.
    pub(crate) fn size(&self) -> usize {
        self.threads.len()
    }

    /// Begin an evaluation; false where the threads are gone.
    pub(crate) fn begin(&self, task: Task) -> bool {
        self.tasks.as_ref().is_some_and(|queue| queue.send(task).is_ok())
    }

    /// Wait for the next evaluation to end.
    pub(crate) fn next(&self) -> Option<Landed> {
        self.landed.recv().ok()
    }

    /// One that has ended already.
    pub(crate) fn ready(&self) -> Option<Landed> {
        self.landed.try_recv().ok()
    }

    /// Evaluate all tasks; `see` gets each as it lands and may end the rest. A task is handed out when
    /// one has landed and was seen, so that nothing runs ahead of the record.
    pub(crate) fn evaluate<E>(
        &self,
        tasks: Vec<Task>,
        mut see: impl FnMut(Landed) -> Result<(), E>,
    ) -> Result<(), E> {
        let mut waiting = tasks.into_iter();
        let hand_out = |task: Option<Task>| -> usize {
            let sent = task.zip(self.tasks.as_ref()).is_some_and(|(task, queue)| queue.send(task).is_ok());
            usize::from(sent)
        };
        let mut open: usize = (0..self.threads.len()).map(|_| hand_out(waiting.next())).sum();
        let mut result = Ok(());
        while open > 0 {
            let Ok(landed) = self.landed.recv() else { break };
            open -= 1;
            // After an error the rest is waited for, not looked at.
            if result.is_ok() {
                result = see(landed);
                if result.is_err() {
                    self.stop.set();
                }
            }
            if !self.stop.is_set() {
                open += hand_out(waiting.next());
            }
        }
        result
    }
}

/// One thread: take a task, evaluate it, report. Once the run is to stop, tasks are handed back.
fn serve(program: &mut dyn Program, queue: &Mutex<Receiver<Task>>, sender: &Sender<Landed>, stop: &Stop) {
    loop {
        let task = match queue.lock().unwrap_or_else(|e| e.into_inner()).recv() {
            Ok(task) => task,
            Err(_) => return,
        };
        let start = Instant::now();
        let reply = if stop.is_set() { Reply::Interrupted } else { program.evaluate(task.id, &task.x, stop) };
        let seconds = start.elapsed().as_secs_f64();
        if sender.send(Landed { task, reply, seconds }).is_err() {
            return;
        }
    }
}

impl Drop for Pool {
    fn drop(&mut self) {
        self.tasks = None; // the threads see the end of the queue
        for thread in self.threads.drain(..) {
            let _ = thread.join();
        }
    }
}
