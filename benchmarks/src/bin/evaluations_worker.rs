//! The Rust side of `benchmarks/peers/evaluations.py`: one job for each JSON line on stdin, one JSON line back.
//!
//! A line with a `strategy` is a run of this library; one without asks for the problem itself, so that the peers
//! minimize the same function from the same start.
#![allow(clippy::print_stdout)]

use std::io::{BufRead, Write};
use std::time::Duration;

use enes::{ModelChoice, Settings, Strategy, minimize};
use enes_problems::{Function, Problem};
use serde_json::{Value, json};

fn main() -> std::io::Result<()> {
    let mut out = std::io::stdout();
    writeln!(out, "{}", json!({"enes": env!("CARGO_PKG_VERSION")}))?;
    for line in std::io::stdin().lock().lines() {
        let job: Value = serde_json::from_str(&line?)?;
        writeln!(out, "{}", answer(&job).unwrap_or_else(|error| json!({"error": error})))?;
        out.flush()?;
    }
    Ok(())
}

fn answer(job: &Value) -> Result<Value, String> {
    let function: Function =
        job["function"].as_str().unwrap_or("").parse().map_err(|e| format!("function: {e}"))?;
    let number = |field: &str| job[field].as_u64().ok_or(format!("{field} is missing"));
    let (d, seed) = (number("d")? as usize, number("seed")?);
    let problem = Problem::new(function, d, seed).map_err(|e| e.to_string())?;
    let start = problem.start(1.0);
    let strategy = match job["strategy"].as_str() {
        None => return Ok(describe(&problem, &start)),
        Some("published") => Strategy::Published,
        Some("adaptive" | "ranks") => Strategy::Adaptive,
        Some(other) => return Err(format!("strategy {other} is unknown: published, adaptive or ranks")),
    };
    let by_ranks = job["strategy"] == "ranks";
    let seconds = job["seconds"].as_f64().ok_or("seconds is missing")?;
    let settings = Settings::new(start, 1.0)
        .strategy(strategy)
        .model(if by_ranks { ModelChoice::RankOnly } else { ModelChoice::Auto })
        .seed(seed)
        .target(function.target())
        .max_evaluations(number("max_evaluations")?)
        .max_time(Duration::from_secs_f64(seconds));
    let outcome = minimize(&settings, |x| problem.evaluate(x)).map_err(|e| e.to_string())?;
    Ok(
        json!({"evaluations": outcome.evaluations, "success": outcome.stop.is_target(), "value": outcome.value,
              "stop": outcome.stop.name(), "seconds": outcome.seconds}),
    )
}

/// What a peer needs, and three points whose values both must agree on.
fn describe(problem: &Problem, start: &[f64]) -> Value {
    let check: Vec<Vec<f64>> =
        [0.0, 0.5, -1.5].map(|by| start.iter().map(|x| x + by).collect()).into_iter().collect();
    let values: Vec<f64> = check.iter().map(|x| problem.evaluate(x)).collect();
    json!({"function": problem.function().name(), "rotation": problem.rotation(), "shift": problem.shift(),
           "start": start, "sigma": 1.0, "target": problem.function().target(), "check": check, "values": values})
}
