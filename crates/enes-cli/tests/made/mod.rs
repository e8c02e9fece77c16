//! Run folders made up, for tests of `enes report`.
#![allow(dead_code)] // each test file uses its part

use std::fmt::Write;
use std::fs;
use std::path::{Path, PathBuf};
use std::process::{Command, Output};
use std::sync::atomic::{AtomicUsize, Ordering};

use serde_json::json;

/// Tests of one program, of which two may choose the same name.
static NUMBER: AtomicUsize = AtomicUsize::new(0);

/// A folder of a run, and a small generator of numbers for what is in it.
pub(crate) struct Made {
    pub(crate) folder: PathBuf,
    state: u64,
}

impl Made {
    pub(crate) fn new(test: &str) -> Self {
        let folder = std::env::temp_dir().join(format!(
            "enes-report-{}-{}-{test}",
            std::process::id(),
            NUMBER.fetch_add(1, Ordering::Relaxed)
        ));
        let _ = fs::remove_dir_all(&folder);
        fs::create_dir_all(&folder).unwrap();
        Self { folder, state: 7 }
    }

    /// Roughly normal.
    pub(crate) fn normal(&mut self) -> f64 {
        let mut sum = -6.0;
        for _ in 0..12 {
            self.state = self.state.wrapping_mul(6364136223846793005).wrapping_add(1442695040888963407);
            sum += (self.state >> 11) as f64 / (1u64 << 53) as f64;
        }
        sum
    }

    pub(crate) fn write(&self, run: &str, file: &str, text: &str) {
        fs::create_dir_all(self.folder.join(run)).unwrap();
        fs::write(self.folder.join(run).join(file), text).unwrap();
    }

    pub(crate) fn settings(&self, run: &str, name: &str, names: &[String]) {
        let settings = json!({"name": name, "names": names, "dim": names.len(), "population": 40, "seed": 3, "extra": {}});
        self.write(run, "settings.json", &settings.to_string());
    }

    /// A whole run whose search closes in on 1, 2, 3, …; `failing` of a hundred evaluations fail.
    pub(crate) fn run(&mut self, run: &str, name: &str, names: &[String], failing: u64) -> PathBuf {
        let dim = names.len();
        self.settings(run, name, names);
        let (mut evaluations, mut generations) = (String::new(), String::new());
        let (mut count, mut failures, mut best) = (0u64, 0u64, f64::INFINITY);
        let mut best_x = vec![0.0; dim];
        for generation in 0..30u64 {
            let scale = 0.75f64.powi(generation as i32);
            let mean: Vec<f64> = (0..dim).map(|i| (i as f64 + 1.0) * (1.0 - scale)).collect();
            for _ in 0..20 {
                let x: Vec<f64> = mean.iter().map(|m| m + scale * self.normal()).collect();
                let value: f64 = x.iter().enumerate().map(|(i, v)| (v - i as f64 - 1.0).powi(2)).sum();
                let failed = count * 37 % 100 < failing;
                let reason =
                    if count.is_multiple_of(2) { "exit status 1: <nan> & more" } else { "time was up" };
                let seconds = 0.1 * (0.8 * self.normal()).exp();
                let line = json!({"id": count, "generation": generation, "x": x, "value": (!failed).then_some(value),
                    "seconds": seconds, "failure": failed.then_some(reason)});
                writeln!(evaluations, "{line}").unwrap();
                count += 1;
                failures += u64::from(failed);
                if !failed && value < best {
                    (best, best_x) = (value, x);
                }
            }
            let axes: Vec<f64> = (0..dim).map(|i| 2.0 * scale / (i as f64 + 1.0)).collect();
            let line = json!({"generation": generation + 1, "evaluations": count, "failures": failures,
                "best": best.is_finite().then_some(best), "mean": mean, "stds": vec![scale; dim], "axes": axes,
                "reused": 0.5 * (1.0 - scale), "trust": 1.0 - scale, "seconds": count as f64 * 0.13});
            writeln!(generations, "{line}").unwrap();
        }
        self.write(run, "evaluations.jsonl", &evaluations);
        self.write(run, "generations.jsonl", &generations);
        let scale = 0.75f64.powi(29);
        let mean: Vec<f64> = (0..dim).map(|i| (i as f64 + 1.0) * (1.0 - scale)).collect();
        let entry = |i: usize, j: usize| {
            let sign = if (i + j).is_multiple_of(3) { -1.0 } else { 1.0 };
            scale * scale * if i == j { 1.0 } else { sign * 0.6f64.powi(i.abs_diff(j) as i32) }
        };
        let rows: Vec<Vec<f64>> = (0..dim).map(|i| (0..dim).map(|j| entry(i, j)).collect()).collect();
        self.write(run, "covariance.json", &json!({"mean": mean, "covariance": rows}).to_string());
        if best.is_finite() {
            let named: serde_json::Map<_, _> =
                names.iter().zip(&best_x).map(|(n, v)| (n.clone(), json!(v))).collect();
            let best = json!({"value": best, "x": best_x, "named": named, "evaluations": count,
                "stop": "the target was met"});
            self.write(run, "best.json", &best.to_string());
        }
        self.folder.join(run)
    }

    /// A run whose points below a = 1 violate a constraint, and that has found three optima.
    pub(crate) fn constrained(&mut self, run: &str) -> PathBuf {
        let folder = self.run(run, "constrained", &words(&["a", "b"]), 0);
        let mut lines = String::new();
        for line in fs::read_to_string(folder.join("evaluations.jsonl")).unwrap().lines() {
            let mut evaluation: serde_json::Value = serde_json::from_str(line).unwrap();
            let violation = 1.0 - evaluation["x"][0].as_f64().unwrap();
            evaluation["violation"] = violation.max(0.0).into();
            evaluation["constraints"] = json!([violation]);
            writeln!(lines, "{evaluation}").unwrap();
        }
        self.write(run, "evaluations.jsonl", &lines);
        let optimum =
            |value: f64| json!({"x": [1.0 + value, 2.0], "value": value, "found": 2, "evaluations": 90});
        let constraint =
            json!({"name": "stress", "kind": "inequality", "value": 0.0, "multiplier": 0.5, "active": true});
        let best = json!({"value": 0.5, "x": [1.5, 2.0], "named": {"a": 1.5, "b": 2.0}, "evaluations": 600,
            "constraints": [constraint], "optima": [optimum(0.5), optimum(1.5), optimum(1.5)]});
        self.write(run, "best.json", &best.to_string());
        folder
    }

    /// One generation of numbers that no chart has room for.
    pub(crate) fn extreme(&self, run: &str) -> PathBuf {
        self.settings(run, "extreme", &coordinates(2));
        let mut lines = String::new();
        for (i, v) in [1e308_f64, -1e308, 1e-308, 0.0, -1.7e308].iter().enumerate() {
            let x = [*v, -v];
            writeln!(lines, "{}", json!({"id": i, "x": x, "value": v, "seconds": v.abs(), "failure": null}))
                .unwrap();
        }
        self.write(run, "evaluations.jsonl", &lines);
        let line = "{\"generation\":1,\"evaluations\":5,\"best\":-1e308,\"mean\":[null,1e308],\"stds\":[0,1e308],\
                    \"axes\":[],\"reused\":null,\"seconds\":1e308}\n";
        self.write(run, "generations.jsonl", line);
        self.write(run, "covariance.json", "{\"mean\":[0,0],\"covariance\":[[0,1e308],[1e308,null]]}");
        self.folder.join(run)
    }

    /// One evaluation of one coordinate, and one generation.
    pub(crate) fn single(&self, run: &str) -> PathBuf {
        self.settings(run, "single", &coordinates(1));
        let line =
            json!({"id": 0, "generation": 1, "x": [0.5], "value": 1e-9, "seconds": 0, "failure": null});
        self.write(run, "evaluations.jsonl", &format!("{line}\n"));
        let line = json!({"generation": 1, "evaluations": 1, "failures": 0, "best": 1e-9, "mean": [0.5],
            "stds": [1e-200], "axes": [1e-200], "reused": 0, "seconds": 0.001});
        self.write(run, "generations.jsonl", &format!("{line}\n"));
        self.folder.join(run)
    }
}

impl Drop for Made {
    fn drop(&mut self) {
        // ENES_KEEP leaves the pages for a look at them.
        if std::env::var_os("ENES_KEEP").is_none() {
            let _ = fs::remove_dir_all(&self.folder);
        }
    }
}

pub(crate) fn coordinates(dim: usize) -> Vec<String> {
    (1..=dim).map(|i| format!("x{i}")).collect()
}

pub(crate) fn words(list: &[&str]) -> Vec<String> {
    list.iter().map(|w| w.to_string()).collect()
}

pub(crate) fn report(folders: &[&Path], more: &[&str]) -> Output {
    Command::new(env!("CARGO_BIN_EXE_enes")).arg("report").args(folders).args(more).output().unwrap()
}

pub(crate) fn page_of(folder: &Path) -> String {
    let output = report(&[folder], &[]);
    assert!(output.status.success(), "{}", String::from_utf8_lossy(&output.stderr));
    checked(fs::read_to_string(folder.join("report.html")).unwrap())
}

/// No page refers to the network or shows what is not a number.
pub(crate) fn checked(page: String) -> String {
    let refers = page.replace("http://www.w3.org/2000/svg", "");
    assert!(!refers.contains("http:") && !refers.contains("https:") && !refers.contains("src="));
    let shown = page.split("<script>").next().unwrap();
    for wrong in ["NaN", "\"inf", "-inf", " inf", "Minf", "Linf"] {
        assert!(!shown.contains(wrong), "{wrong} in {shown}");
    }
    page
}

pub(crate) fn error_of(folders: &[&Path]) -> String {
    let output = report(folders, &[]);
    let text = String::from_utf8_lossy(&output.stderr).to_string();
    assert_eq!(output.status.code(), Some(2), "{text}");
    assert!(text.starts_with("error: cannot read the run folder "), "{text}");
    text
}
