//! Argument mode: the program is started once per evaluation; the value is what it prints.

use std::process::Stdio;
use std::time::{Duration, Instant};

use super::answer::Reading;
use super::child::{end, spawn};
use super::evaluator::{Program, Reply, Stop};
use super::plan::{Plan, fill};
use super::stream::{Output, Tail};
use super::system::kill_group;

/// Output beyond this is no result but a flood.
const MAX_OUTPUT: usize = 16 << 20;

/// The program of a plan, in argument mode. It keeps nothing alive between evaluations.
#[derive(Debug)]
pub(crate) struct Launcher {
    command: Vec<String>,
    names: Vec<String>,
    reading: Reading,
    timeout: Option<Duration>,
}

impl Launcher {
    pub(crate) fn new(plan: &Plan) -> Self {
        Self {
            command: plan.command.clone(),
            names: plan.names.clone(),
            reading: Reading::new(plan),
            timeout: plan.timeout.and_then(|s| Duration::try_from_secs_f64(s).ok()),
        }
    }
}

impl Program for Launcher {
    fn evaluate(&mut self, _id: u64, x: &[f64], stop: &Stop) -> Reply {
        let words: Vec<String> = self.command.iter().flat_map(|w| fill(w, x, &self.names)).collect();
        let mut child = match spawn(&words, Stdio::null()) {
            Ok(child) => child,
            Err(e) => return Reply::Failure(format!("cannot start `{}`: {e}", words[0])),
        };
        let (Some(stdout), Some(stderr)) = (child.stdout.take(), child.stderr.take()) else {
            end(&mut child);
            return Reply::Failure("the program has no output to read".into());
        };
        let (tail, tail_reader) = Tail::of(stderr);
        let (output, output_reader) = Output::of(stdout, MAX_OUTPUT);
        let flood =
            || Reply::Failure(format!("the program printed more than {MAX_OUTPUT} bytes: that is no answer"));
        let start = Instant::now();
        let mut pause = Duration::from_micros(100);
        let status = loop {
            match child.try_wait() {
                Ok(Some(status)) => break status,
                Ok(None) => {}
                Err(e) => {
                    end(&mut child);
                    return Reply::Failure(format!("cannot wait for the program: {e}"));
                }
            }
            if output.len() > MAX_OUTPUT {
                end(&mut child);
                return flood();
            }
            let late = self.timeout.filter(|t| start.elapsed() >= *t);
            if stop.is_set() || late.is_some() {
                end(&mut child);
                return match late {
                    Some(t) => {
                        Reply::Failure(format!("no answer after {} s{}", t.as_secs_f64(), tail.note()))
                    }
                    None => Reply::Interrupted,
                };
            }
            std::thread::sleep(pause);
            pause = (pause * 2).min(Duration::from_millis(5));
        };
        // What the program has left running would hold its pipes open.
        kill_group(&child);
        output_reader.wait();
        tail_reader.wait();
        if output.len() > MAX_OUTPUT {
            return flood();
        }
        if !status.success() {
            return Reply::Failure(format!("the program ended with {status}{}", tail.note()));
        }
        match self.reading.answer(&output.text()) {
            Ok(answer) => Reply::Value(answer),
            Err(reason) => Reply::Failure(format!("{reason}{}", tail.note())),
        }
    }
}
