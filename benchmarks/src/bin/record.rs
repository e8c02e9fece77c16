//! What the record costs: durability, memory and the time to resume.
//!
//! `cargo build --release --workspace && target/release/record [--before PROGRAM] [--evaluations N] [FILE]` runs
//! `enes minimize --worker` with this program as the worker, and writes the figures (default
//! `benchmarks/results/record.json`). `--before` runs another build of enes beside it.
//!
//! Throughput: a worker that takes a millisecond, the run folder on the disk and in memory, where a sync is free, in
//! turn. Memory: a million evaluations of a rugged function in ten dimensions, a tenth of them failures, all defaults;
//! what the process holds at a tenth of them and later. Resume: of that record, with nothing left to do.
#![allow(clippy::print_stdout)]

use std::error::Error;
use std::io::{BufRead, Write};
use std::path::{Path, PathBuf};
use std::process::Command;
use std::time::{Duration, Instant};

use enes_measure::{machine, quantile};
use serde_json::{Value, json};

const ROUNDS: usize = 5;
const MILLISECOND_EVALUATIONS: u64 = 3000;

type Outcome<T> = Result<T, Box<dyn Error>>;

fn main() -> Outcome<()> {
    let mut arguments = std::env::args().skip(1);
    let (mut before, mut evaluations) = (None, 1_000_000);
    let mut file = "benchmarks/results/record.json".to_string();
    while let Some(word) = arguments.next() {
        let mut value = || arguments.next().ok_or(format!("{word} needs a value"));
        match word.as_str() {
            "--worker" => return worker(value()?.parse()?),
            "--before" => before = Some(PathBuf::from(value()?)),
            "--evaluations" => evaluations = value()?.parse()?,
            _ => file = word,
        }
    }
    let now = std::env::current_exe()?.with_file_name("enes");
    let mut builds = vec![("now", now)];
    builds.extend(before.map(|program| ("before", program)));
    let mut report = json!({"machine": machine(), "evaluations": evaluations});
    for (name, enes) in &builds {
        report[*name] = measure(enes, evaluations)?;
        println!("{name}: {:#}", report[*name]);
    }
    Ok(std::fs::write(file, format!("{report:#}\n"))?)
}

fn measure(enes: &Path, evaluations: u64) -> Outcome<Value> {
    let disk = PathBuf::from(format!("target/record-{}", std::process::id()));
    let memory = PathBuf::from(format!("/dev/shm/record-{}", std::process::id()));
    std::fs::create_dir_all(&disk)?;
    std::fs::create_dir_all(&memory)?;
    let (mut on_disk, mut in_memory) = (Vec::new(), Vec::new());
    for round in 0..ROUNDS {
        let name = format!("run{round}");
        on_disk.push(throughput(enes, &disk.join(&name))?);
        in_memory.push(throughput(enes, &memory.join(&name))?);
    }
    let long = disk.join("long");
    let (megabytes, seconds) = memory_of(enes, &long, evaluations)?;
    let start = Instant::now();
    Command::new(enes).args(["resume", "--quiet"]).arg(&long).status()?;
    let resumed = start.elapsed().as_secs_f64();
    std::fs::remove_dir_all(&disk)?;
    std::fs::remove_dir_all(&memory)?;
    Ok(json!({
        "millisecond_worker_per_second_disk": on_disk,
        "millisecond_worker_per_second_memory": in_memory,
        "durability_costs": 1.0 - quantile(&on_disk, 0.5) / quantile(&in_memory, 0.5),
        "megabytes_at_each_tenth": megabytes,
        "seconds": seconds,
        "resume_seconds": resumed,
    }))
}

fn minimize(enes: &Path, run: &Path, milliseconds: u64, evaluations: u64) -> Outcome<Command> {
    let mut command = Command::new(enes);
    command.args(["minimize", "--dim", "10", "--worker", "--quiet", "--max-failures", "1000"]);
    command.args(["--max-evaluations", &evaluations.to_string(), "--run"]).arg(run).arg("--");
    command.arg(std::env::current_exe()?).args(["--worker", &milliseconds.to_string()]);
    Ok(command)
}

/// Evaluations a second of a worker that takes a millisecond.
fn throughput(enes: &Path, run: &Path) -> Outcome<f64> {
    let start = Instant::now();
    minimize(enes, run, 1, MILLISECOND_EVALUATIONS)?.status()?;
    Ok(MILLISECOND_EVALUATIONS as f64 / start.elapsed().as_secs_f64())
}

/// What the process holds, in megabytes, at each tenth of a long run; and how long it took.
fn memory_of(enes: &Path, run: &Path, evaluations: u64) -> Outcome<(Vec<f64>, f64)> {
    let start = Instant::now();
    let mut child = minimize(enes, run, 0, evaluations)?.spawn()?;
    let mut seen: Vec<(u64, f64)> = Vec::new();
    while child.try_wait()?.is_none() {
        let status = std::fs::read_to_string(format!("/proc/{}/status", child.id())).unwrap_or_default();
        let kilobytes = status.lines().find_map(|line| line.strip_prefix("VmRSS:"));
        let kilobytes =
            kilobytes.and_then(|text| text.trim().strip_suffix(" kB")?.trim().parse::<f64>().ok());
        let bytes = std::fs::metadata(run.join("evaluations.jsonl")).map_or(0, |file| file.len());
        seen.extend(kilobytes.map(|k| (bytes, k / 1024.0)));
        std::thread::sleep(Duration::from_millis(50));
    }
    let seconds = start.elapsed().as_secs_f64();
    let recorded = std::fs::read(run.join("evaluations.jsonl"))?.iter().filter(|b| **b == b'\n').count();
    if recorded as u64 != evaluations {
        return Err(format!("{recorded} evaluations instead of {evaluations}").into());
    }
    let all = seen.last().map_or(0, |s| s.0);
    // The most within each tenth of the record.
    let tenth = |k: u64| {
        let within = seen.iter().filter(|s| (s.0 * 10).div_ceil(all.max(1)) == k);
        within.map(|s| s.1).fold(0.0, f64::max).round()
    };
    Ok(((1..=10).map(tenth).collect(), seconds))
}

/// Rastrigin's function; a tenth of the questions fail.
fn worker(milliseconds: u64) -> Outcome<()> {
    let (input, mut output) = (std::io::stdin().lock(), std::io::stdout().lock());
    for line in input.lines() {
        let question: Value = serde_json::from_str(&line?)?;
        let id = question["id"].as_u64().ok_or("no id")?;
        let x = question["x"].as_array().ok_or("no x")?.iter().filter_map(Value::as_f64);
        if milliseconds > 0 {
            std::thread::sleep(Duration::from_millis(milliseconds));
        }
        let value: f64 = x.map(|v| v * v + 10.0 * (1.0 - (std::f64::consts::TAU * v).cos())).sum();
        match id % 10 {
            7 => writeln!(output, "{}", json!({"id": id, "error": format!("diverged after {id} steps")}))?,
            _ => writeln!(output, "{}", json!({"id": id, "value": value}))?,
        }
        output.flush()?;
    }
    Ok(())
}
