//! Argument mode: the program is started once per evaluation; the value is what it prints.

use std::io::Read;
use std::process::Stdio;
use std::time::{Duration, Instant};

use super::child::{Tail, end, kill_group, spawn};
use super::evaluator::{Program, Reply, Stop};
use super::plan::{Plan, fill};

/// Output beyond this is no result but a flood.
const MAX_OUTPUT: u64 = 16 << 20;

/// The program of a plan, in argument mode. It keeps nothing alive between evaluations.
#[derive(Debug)]
pub(crate) struct Launcher {
    command: Vec<String>,
    names: Vec<String>,
    value_field: Option<String>,
    timeout: Option<Duration>,
}

impl Launcher {
    pub(crate) fn new(plan: &Plan) -> Self {
        Self {
            command: plan.command.clone(),
            names: plan.names.clone(),
            value_field: plan.value_field.clone(),
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
        let output = std::thread::spawn(move || {
            let mut text = Vec::new();
            let _ = stdout.take(MAX_OUTPUT).read_to_end(&mut text);
            String::from_utf8_lossy(&text).to_string()
        });
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
        let output = output.join().unwrap_or_default();
        let _ = tail_reader.join();
        if !status.success() {
            return Reply::Failure(format!("the program ended with {status}{}", tail.note()));
        }
        match value_of(&output, self.value_field.as_deref()) {
            Ok(value) => Reply::Value(value),
            Err(reason) => Reply::Failure(format!("{reason}{}", tail.note())),
        }
    }
}

/// The value in a program's output: the last number, or a field of a JSON object.
pub(crate) fn value_of(output: &str, field: Option<&str>) -> Result<f64, String> {
    let value = match field {
        None => last_number(output).ok_or_else(|| format!("no number in the output `{}`", brief(output)))?,
        Some(field) => {
            let object = output.trim();
            let object = match serde_json::from_str::<serde_json::Value>(object) {
                Ok(v) => v,
                // Words before the object are common: the last line decides.
                Err(_) => serde_json::from_str(object.lines().last().unwrap_or_default())
                    .map_err(|_| format!("no JSON object in the output `{}`", brief(output)))?,
            };
            let value = object.get(field).ok_or_else(|| format!("no field `{field}` in the JSON object"))?;
            value.as_f64().ok_or_else(|| format!("field `{field}` is not a number: {value}"))?
        }
    };
    if value.is_nan() { Err("the value is NaN".into()) } else { Ok(value) }
}

/// The last word that is a number; `loss=1.5,` counts.
fn last_number(output: &str) -> Option<f64> {
    let word = |c: char| !(c.is_alphanumeric() || matches!(c, '.' | '+' | '-'));
    output.split(word).rev().map(|w| w.trim_end_matches('.')).find_map(|w| w.parse().ok())
}

fn brief(output: &str) -> String {
    let text: String = output.trim().chars().take(60).collect();
    text.replace('\n', " / ")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_last_number_is_the_value() {
        for (output, value) in [
            ("1.5\n", 1.5),
            ("step 3\nloss=2.5e-3, done", 2.5e-3),
            ("-7", -7.0),
            ("result: (4.0)\n", 4.0),
            ("The end is 3.", 3.0),
            ("inf", f64::INFINITY),
        ] {
            assert_eq!(value_of(output, None), Ok(value), "{output}");
        }
        assert!(value_of("nothing here", None).unwrap_err().contains("no number in the output"));
        assert!(value_of("", None).is_err());
        assert_eq!(value_of("nan", None), Err("the value is NaN".into()));
    }

    #[test]
    fn a_field_of_a_json_object_is_the_value() {
        assert_eq!(value_of("{\"loss\": 1.5, \"n\": 3}", Some("loss")), Ok(1.5));
        assert_eq!(value_of("starting\n{\"loss\": 2}\n", Some("loss")), Ok(2.0));
        assert!(value_of("{\"n\": 3}", Some("loss")).unwrap_err().contains("no field `loss`"));
        assert!(value_of("{\"loss\": \"x\"}", Some("loss")).unwrap_err().contains("is not a number"));
        assert!(value_of("rubbish", Some("loss")).unwrap_err().contains("no JSON object"));
    }
}
