//! Worker mode: the program stays alive and answers JSON lines.

use std::io::Write;
use std::process::{Child, Stdio};
use std::sync::mpsc::{Receiver, RecvTimeoutError, Sender, channel};
use std::time::{Duration, Instant};

use serde::Deserialize;

use super::answer::Answer;
use super::child::{end, spawn};
use super::declared::Declared;
use super::evaluator::{Program, Reply, Stop};
use super::plan::Plan;
use super::stream::{Said, Tail, lines};

/// How often a waiting thread looks whether the run is to stop.
const LOOK: Duration = Duration::from_millis(50);

/// One copy of the program, started when it is first needed and again when it has died.
#[derive(Debug)]
pub(crate) struct Worker {
    command: Vec<String>,
    names: Vec<String>,
    timeout: Option<Duration>,
    declared: Declared,
    alive: Option<Alive>,
}

#[derive(Debug)]
struct Alive {
    child: Child,
    /// To a thread that writes: a worker need not read.
    questions: Sender<String>,
    lines: Receiver<Said>,
    tail: Tail,
}

/// What a worker says.
#[derive(Debug, Deserialize)]
struct Line {
    id: u64,
    value: Option<f64>,
    violation: Option<f64>,
    error: Option<String>,
    /// Constraints by name.
    #[serde(flatten)]
    others: serde_json::Map<String, serde_json::Value>,
}

impl Worker {
    pub(crate) fn new(plan: &Plan) -> Self {
        Self {
            command: plan.command.clone(),
            names: plan.names.clone(),
            timeout: plan.timeout.and_then(|s| Duration::try_from_secs_f64(s).ok()),
            declared: plan.constraints.clone(),
            alive: None,
        }
    }

    fn start(&self) -> Result<Alive, String> {
        let mut child = spawn(&self.command, Stdio::piped())
            .map_err(|e| format!("cannot start `{}`: {e}", self.command[0]))?;
        let pipes = (child.stdin.take(), child.stdout.take(), child.stderr.take());
        let (Some(mut stdin), Some(stdout), Some(stderr)) = pipes else {
            end(&mut child);
            return Err("the worker has no pipes".into());
        };
        let (questions, asked) = channel::<String>();
        std::thread::spawn(move || {
            for line in asked {
                if stdin.write_all(line.as_bytes()).and_then(|()| stdin.flush()).is_err() {
                    break;
                }
            }
        });
        Ok(Alive { child, questions, lines: lines(stdout), tail: Tail::of(stderr).0 })
    }

    /// One question, one answer; `Err` where the worker died over it.
    fn ask(&mut self, id: u64, x: &[f64], stop: &Stop) -> Result<Reply, String> {
        if self.alive.is_none() {
            match self.start() {
                Ok(alive) => self.alive = Some(alive),
                Err(reason) => return Ok(Reply::Failure(reason)),
            }
        }
        let Some(alive) = &mut self.alive else { return Err("the worker is gone".into()) };
        let named: serde_json::Map<_, _> =
            self.names.iter().cloned().zip(x.iter().map(|v| (*v).into())).collect();
        let mut line = serde_json::json!({"id": id, "x": x, "named": named}).to_string();
        line.push('\n');
        let start = Instant::now();
        let died = |alive: &Alive| format!("the worker died{}", alive.tail.note());
        if alive.questions.send(line).is_err() {
            return Err(died(alive));
        }
        loop {
            let left = self.timeout.map_or(LOOK, |t| t.saturating_sub(start.elapsed()).min(LOOK));
            let said = alive.lines.recv_timeout(left);
            match said {
                Ok(Said::Line(line)) => {
                    let reply = read_answer(&line, id, &self.declared);
                    // After an answer to something else nothing that it says can be placed.
                    if reply.is_err() {
                        self.end();
                    }
                    return Ok(reply.unwrap_or_else(Reply::Failure));
                }
                Ok(Said::TooLong) => {
                    self.end();
                    return Ok(Reply::Failure(
                        "the worker's line is longer than a megabyte: that is no answer".into(),
                    ));
                }
                Err(RecvTimeoutError::Disconnected) => return Err(died(alive)),
                Err(RecvTimeoutError::Timeout) => {}
            }
            if stop.is_set() {
                return Ok(Reply::Interrupted);
            }
            if let Some(t) = self.timeout.filter(|t| start.elapsed() >= *t) {
                let note = alive.tail.note();
                self.end();
                return Ok(Reply::Failure(format!("no answer after {} s{note}", t.as_secs_f64())));
            }
        }
    }

    fn end(&mut self) {
        if let Some(mut alive) = self.alive.take() {
            end(&mut alive.child);
        }
    }
}

/// The reply in a line; an error where it answers another question, or none at all.
pub(crate) fn read_answer(line: &str, id: u64, declared: &Declared) -> Result<Reply, String> {
    let answer: Line = match serde_json::from_str(line) {
        Ok(answer) => answer,
        Err(_) => {
            let text: String = line.chars().take(60).collect();
            return Ok(Reply::Failure(format!("the worker's line is no answer: `{text}`")));
        }
    };
    if answer.id != id {
        return Err(format!("the worker answered evaluation {}, it was asked {id}", answer.id));
    }
    Ok(match (answer.value, answer.error) {
        (_, Some(error)) => Reply::Failure(error),
        (value, None) if !declared.told.is_empty() => {
            let nested = answer.others.get("constraints");
            let find = |name: &str| {
                let field = nested.and_then(|n| n.get(name)).or_else(|| answer.others.get(name));
                field.and_then(serde_json::Value::as_f64)
            };
            let constraints = declared.values(find);
            constraints
                .and_then(|c| Answer::constrained(value, c, declared))
                .map_or_else(Reply::Failure, Reply::Value)
        }
        (value, None) => Answer::new(value, answer.violation).map_or_else(Reply::Failure, Reply::Value),
    })
}

impl Program for Worker {
    /// A worker that dies is started again and asked the same once more.
    fn evaluate(&mut self, id: u64, x: &[f64], stop: &Stop) -> Reply {
        let mut reason = String::new();
        for _ in 0..2 {
            match self.ask(id, x, stop) {
                Ok(reply) => return reply,
                Err(died) => {
                    reason = died;
                    self.end();
                }
            }
        }
        Reply::Failure(format!("{reason}; tried twice"))
    }
}

impl Drop for Worker {
    fn drop(&mut self) {
        self.end();
    }
}
