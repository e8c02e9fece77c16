//! What `enes minimize --worker` adds to the pipe itself, per evaluation.
//!
//! `cargo build --release --workspace && target/release/worker_overhead [FILE]` compiles the C worker of
//! the documentation, asks it 10,000 questions through a bare pipe, then lets enes ask as many, five
//! times in turn, and writes the times (default `benchmarks/results/worker-overhead.json`).
#![allow(clippy::print_stdout)]

use std::error::Error;
use std::io::{BufRead, BufReader, Write};
use std::path::Path;
use std::process::{Command, Stdio};
use std::time::Instant;

use enes_measure::{machine, quantile};
use serde_json::json;

const QUESTIONS: usize = 10_000;
const ROUNDS: usize = 5;

fn main() -> Result<(), Box<dyn Error>> {
    let file =
        std::env::args().nth(1).unwrap_or_else(|| "benchmarks/results/worker-overhead.json".to_string());
    let enes = std::env::current_exe()?.with_file_name("enes");
    let place = std::env::temp_dir().join(format!("enes-overhead-{}", std::process::id()));
    std::fs::create_dir_all(&place)?;
    let worker = place.join("worker");
    let source = concat!(env!("CARGO_MANIFEST_DIR"), "/../docs/workers/worker.c");
    if !Command::new("gcc").args(["-O2", source, "-o"]).arg(&worker).status()?.success() {
        return Err("the worker does not compile".into());
    }
    let (mut bare, mut whole) = (Vec::new(), Vec::new());
    for round in 0..ROUNDS {
        bare.push(1e6 * pipe_seconds(&worker)?);
        whole.push(1e6 * enes_seconds(&enes, &worker, &place.join(format!("run{round}")))?);
    }
    let overhead = quantile(&whole, 0.5) - quantile(&bare, 0.5);
    println!(
        "microseconds per evaluation: bare pipe {:.1}, enes {:.1}, overhead {overhead:.1}",
        quantile(&bare, 0.5),
        quantile(&whole, 0.5)
    );
    let report = json!({"machine": machine(), "questions": QUESTIONS, "pipe_us": bare, "enes_us": whole, "overhead_us": overhead});
    std::fs::write(file, format!("{report:#}\n"))?;
    Ok(std::fs::remove_dir_all(&place)?)
}

/// Seconds per question through a pipe and nothing else.
fn pipe_seconds(worker: &Path) -> Result<f64, Box<dyn Error>> {
    let mut child = Command::new(worker).stdin(Stdio::piped()).stdout(Stdio::piped()).spawn()?;
    let mut input = child.stdin.take().ok_or("no stdin")?;
    let mut output = BufReader::new(child.stdout.take().ok_or("no stdout")?);
    let mut line = String::new();
    let start = Instant::now();
    for id in 0..QUESTIONS {
        writeln!(input, "{{\"id\":{id},\"x\":[0.1234567890123,1.2345678901234,-2.3456789012345]}}")?;
        line.clear();
        output.read_line(&mut line)?;
    }
    let seconds = start.elapsed().as_secs_f64() / QUESTIONS as f64;
    drop(input);
    child.wait()?;
    Ok(seconds)
}

/// Seconds per evaluation of a whole run of enes, start and end included.
fn enes_seconds(enes: &Path, worker: &Path, run: &Path) -> Result<f64, Box<dyn Error>> {
    let start = Instant::now();
    // A population as large as a tenth of the budget, drawn anew each time: nothing stops it early.
    let status = Command::new(enes)
        .args([
            "minimize",
            "--dim",
            "3",
            "--worker",
            "--quiet",
            "--refresh-rate",
            "1",
            "--population",
            "1000",
        ])
        .args(["--max-evaluations", &QUESTIONS.to_string(), "--run"])
        .arg(run)
        .arg("--")
        .arg(worker)
        .status()?;
    if !status.success() {
        return Err(format!("enes ended with {status}").into());
    }
    let recorded = std::fs::read_to_string(run.join("evaluations.jsonl"))?.lines().count();
    if recorded != QUESTIONS {
        return Err(format!("{recorded} evaluations instead of {QUESTIONS}").into());
    }
    Ok(start.elapsed().as_secs_f64() / QUESTIONS as f64)
}
