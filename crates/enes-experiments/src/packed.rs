//! Run records as they are committed: a compressed line of JSON for each cell, with a column for each field.
//!
//! Columns of like numbers take a fraction of the space of a line for each run. Counts are exact; values and distances
//! keep three significant digits, shares, traces and paths four, seconds one, virtual ones four: no table shows more.

use std::collections::BTreeMap;
use std::fs::File;
use std::io::{self, BufRead, BufReader, Write};
use std::path::Path;

use flate2::Compression;
use flate2::read::GzDecoder;
use flate2::write::GzEncoder;
use serde::{Deserialize, Serialize};

use crate::asynchronous;
use crate::records::replace;
use crate::run::{RunRecord, Solver};

/// Runs that differ in nothing but their number.
#[derive(Debug, Deserialize, Serialize)]
struct Cell {
    /// The keys of the runs, with `*` for the number.
    key: String,
    experiment: String,
    variant: String,
    #[serde(default, skip_serializing_if = "Solver::is_enes")]
    solver: Solver,
    function: String,
    d: usize,
    n: usize,
    distance: f64,
    run: Vec<u64>,
    evaluations: Vec<u64>,
    generations: Vec<u64>,
    value: Vec<f64>,
    off: Vec<f64>,
    success: Vec<bool>,
    stop: Vec<String>,
    reused: Vec<f64>,
    seconds: Vec<f64>,
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    trace: Vec<Vec<(u64, f64)>>,
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    path: Vec<Vec<(Vec<f64>, Vec<f64>)>>,
}

/// Read all runs; none where there is no file.
pub(crate) fn read(path: &Path) -> io::Result<Vec<RunRecord>> {
    if !path.exists() {
        return Ok(Vec::new());
    }
    let mut records = Vec::new();
    for line in BufReader::new(GzDecoder::new(File::open(path)?)).lines() {
        let cell: Cell = serde_json::from_str(&line?)?;
        records.extend((0..cell.run.len()).map(|i| cell.record(i)));
    }
    Ok(records)
}

/// Write all runs, the same bytes for the same runs.
pub(crate) fn write(path: &Path, records: &[RunRecord]) -> io::Result<()> {
    let mut cells: BTreeMap<(String, usize), Vec<&RunRecord>> = BTreeMap::new();
    for record in records {
        cells.entry((template(record), record.n)).or_default().push(record);
    }
    let mut out = GzEncoder::new(Vec::new(), Compression::best());
    for ((key, _), mut runs) in cells {
        runs.sort_by_key(|r| r.run);
        serde_json::to_writer(&mut out, &Cell::of(key, &runs))?;
        out.write_all(b"\n")?;
    }
    replace(path, &out.finish()?)
}

/// The key with `*` for the number of the run: it is the last part, but for a peer's name.
fn template(record: &RunRecord) -> String {
    let peer = if record.solver.is_enes() { String::new() } else { format!("/{}", record.solver.name()) };
    let rest = record.key.strip_suffix(&peer).unwrap_or(&record.key);
    let rest = rest.strip_suffix(&record.run.to_string()).unwrap_or(rest);
    format!("{rest}*{peer}")
}

impl Cell {
    fn of(key: String, runs: &[&RunRecord]) -> Self {
        fn column<T>(runs: &[&RunRecord], field: impl Fn(&RunRecord) -> T) -> Vec<T> {
            runs.iter().map(|r| field(r)).collect()
        }
        let first = runs[0];
        let measured = |field: fn(&RunRecord) -> f64, digits| column(runs, |r| rounded(field(r), digits));
        let numbers = |all: &[f64]| all.iter().map(|v| rounded(*v, 4)).collect::<Vec<f64>>();
        let traced = runs.iter().any(|r| !r.trace.is_empty());
        let with_path = runs.iter().any(|r| !r.path.is_empty());
        let trace = |r: &RunRecord| r.trace.iter().map(|(e, v)| (*e, rounded(*v, 4))).collect();
        let path = |r: &RunRecord| r.path.iter().map(|(mean, a)| (numbers(mean), numbers(a))).collect();
        Self {
            key,
            experiment: first.experiment.clone(),
            variant: first.variant.clone(),
            solver: first.solver,
            function: first.function.clone(),
            d: first.d,
            n: first.n,
            distance: first.distance,
            run: column(runs, |r| r.run),
            evaluations: column(runs, |r| r.evaluations),
            generations: column(runs, |r| r.generations),
            value: measured(|r| r.value, 3),
            off: measured(|r| r.off, 3),
            success: column(runs, |r| r.success),
            stop: column(runs, |r| r.stop.clone()),
            reused: measured(|r| r.reused, 4),
            // On a virtual clock they are the result.
            seconds: measured(|r| r.seconds, if first.experiment == asynchronous::NAME { 4 } else { 1 }),
            trace: if traced { column(runs, trace) } else { Vec::new() },
            path: if with_path { column(runs, path) } else { Vec::new() },
        }
    }

    fn record(&self, i: usize) -> RunRecord {
        RunRecord {
            key: self.key.replacen('*', &self.run[i].to_string(), 1),
            experiment: self.experiment.clone(),
            variant: self.variant.clone(),
            solver: self.solver,
            function: self.function.clone(),
            d: self.d,
            n: self.n,
            distance: self.distance,
            run: self.run[i],
            evaluations: self.evaluations[i],
            generations: self.generations[i],
            value: self.value[i],
            off: self.off[i],
            success: self.success[i],
            stop: self.stop[i].clone(),
            reused: self.reused[i],
            seconds: self.seconds[i],
            trace: self.trace.get(i).cloned().unwrap_or_default(),
            path: self.path.get(i).cloned().unwrap_or_default(),
        }
    }
}

/// A number with so many significant digits.
fn rounded(value: f64, digits: usize) -> f64 {
    format!("{value:.*e}", digits - 1).parse().unwrap_or(value)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn record(run: u64, solver: Solver) -> RunRecord {
        let peer = if solver.is_enes() { String::new() } else { format!("/{}", solver.name()) };
        RunRecord {
            key: format!("table/a/sphere^2/d2/n0/at1.0000/{run}{peer}"),
            experiment: "table".into(),
            variant: "a".into(),
            solver,
            function: "sphere^2".into(),
            d: 2,
            n: 6,
            distance: 1.0 / 3.0,
            run,
            evaluations: 123_456 + run,
            generations: 7,
            value: 1.0 / 3.0,
            off: 0.0,
            success: run == 1,
            stop: "ftarget".into(),
            reused: 0.25,
            seconds: 0.123_456,
            trace: vec![(1, 2.0 / 3.0)],
            path: vec![(vec![1.0], vec![0.5])],
        }
    }

    #[test]
    fn packed_runs_come_back_with_exact_counts_and_rounded_measurements() {
        let path = std::env::temp_dir().join(format!("enes-packed-{}.gz", std::process::id()));
        let all = [record(11, Solver::Enes), record(1, Solver::Enes), record(1, Solver::Pycma)];
        write(&path, &all).unwrap();
        let back = read(&path).unwrap();
        let keys: Vec<&str> = back.iter().map(|r| r.key.as_str()).collect();
        assert_eq!(keys, [&all[1].key, &all[0].key, &all[2].key]);
        let (before, after) = (&all[1], &back[0]);
        assert_eq!((after.evaluations, after.success, after.n), (before.evaluations, true, 6));
        assert_eq!((after.value, after.seconds, after.distance), (0.333, 0.1, before.distance));
        assert_eq!((&after.trace, &after.path), (&vec![(1, 0.6667)], &before.path));
        assert_eq!(back[2].solver, Solver::Pycma);
        // What was rounded stays as it is: packing again changes no byte.
        let bytes = std::fs::read(&path).unwrap();
        write(&path, &back).unwrap();
        assert_eq!(std::fs::read(&path).unwrap(), bytes);
        std::fs::remove_file(&path).unwrap();
    }
}
