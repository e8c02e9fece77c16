//! Run records as they are committed: a compressed object of JSON, with a column for each field and in it an entry for
//! each cell.
//!
//! Columns of like numbers take a fraction of the space of a line for each run, and no table shows more than is kept.
//! Evaluations are exact; traces and paths keep four significant digits. Value and distance, with three, are those of the
//! runs that did not reach their target, since those that did have values just below it: both are 0 when they are read.
//! Generations, what is reused and the seconds are averages of the cell. Where a table shows these of each run, they are
//! kept of each run.

use std::collections::BTreeMap;
use std::fs::File;
use std::io::{self, BufReader};
use std::path::Path;

use flate2::Compression;
use flate2::read::GzDecoder;
use flate2::write::GzEncoder;
use serde::{Deserialize, Serialize};

use crate::asynchronous;
use crate::paper;
use crate::records::replace;
use crate::run::{RunRecord, Solver};
use crate::statistics::average;

/// A trace as two columns: how far each count is from the one before it, and the values.
type Steps = (Vec<u64>, Vec<f64>);

/// The generations of a path: mean and factor.
type Way = Vec<(Vec<f64>, Vec<f64>)>;

/// All fields; an entry of a column is a cell, which is runs that differ in nothing but their number.
#[derive(Debug, Default, Deserialize, Serialize)]
struct Columns {
    /// The keys of the runs, with `*` for the number.
    key: Vec<String>,
    experiment: Vec<String>,
    variant: Vec<String>,
    solver: Vec<Solver>,
    function: Vec<String>,
    d: Vec<usize>,
    n: Vec<usize>,
    distance: Vec<f64>,
    run: Vec<Vec<u64>>,
    evaluations: Vec<Vec<u64>>,
    success: Vec<Vec<bool>>,
    stop: Vec<Vec<String>>,
    /// Of all runs or, where there are fewer, of those without success.
    value: Vec<Vec<f64>>,
    off: Vec<Vec<f64>>,
    /// One for each run, or one for all.
    generations: Vec<Vec<u64>>,
    reused: Vec<Vec<f64>>,
    seconds: Vec<Vec<f64>>,
    trace: Vec<Vec<Steps>>,
    path: Vec<Vec<Way>>,
}

/// Read all runs; none where there is no file.
pub(crate) fn read(path: &Path) -> io::Result<Vec<RunRecord>> {
    if !path.exists() {
        return Ok(Vec::new());
    }
    let columns: Columns = serde_json::from_reader(BufReader::new(GzDecoder::new(File::open(path)?)))?;
    let cells = 0..columns.run.len();
    Ok(cells
        .flat_map(|cell| (0..columns.run[cell].len()).map(move |i| (cell, i)))
        .map(|(cell, i)| columns.record(cell, i))
        .collect())
}

/// Write all runs, the same bytes for the same runs.
pub(crate) fn write(path: &Path, records: &[RunRecord]) -> io::Result<()> {
    let mut cells: BTreeMap<(String, usize), Vec<&RunRecord>> = BTreeMap::new();
    for record in records {
        cells.entry((template(record), record.n)).or_default().push(record);
    }
    let mut columns = Columns::default();
    for ((key, _), mut runs) in cells {
        runs.sort_by_key(|r| r.run);
        columns.push(key, &runs);
    }
    let mut out = GzEncoder::new(Vec::new(), Compression::best());
    serde_json::to_writer(&mut out, &columns)?;
    replace(path, &out.finish()?)
}

/// The key with `*` for the number of the run: it is the last part, but for a peer's name.
fn template(record: &RunRecord) -> String {
    let peer = if record.solver.is_enes() { String::new() } else { format!("/{}", record.solver.name()) };
    let rest = record.key.strip_suffix(&peer).unwrap_or(&record.key);
    let rest = rest.strip_suffix(&record.run.to_string()).unwrap_or(rest);
    format!("{rest}*{peer}")
}

impl Columns {
    /// Add a cell.
    fn push(&mut self, key: String, runs: &[&RunRecord]) {
        fn column<T>(runs: &[&RunRecord], field: impl Fn(&RunRecord) -> T) -> Vec<T> {
            runs.iter().map(|r| field(r)).collect()
        }
        let first = runs[0];
        let (medians, distances) = paper::shows(first);
        let told = |all: bool, field: fn(&RunRecord) -> f64| -> Vec<f64> {
            runs.iter().filter(|r| all || !r.success).map(|r| rounded(field(r), 3)).collect()
        };
        let on_virtual_clock = first.experiment == asynchronous::NAME;
        let shared = |field: fn(&RunRecord) -> f64| match on_virtual_clock {
            true => column(runs, |r| rounded(field(r), 4)),
            false => vec![rounded(average(&column(runs, field)), 6)],
        };
        let generations = match medians {
            true => column(runs, |r| r.generations),
            false => vec![average(&column(runs, |r| r.generations as f64)).round() as u64],
        };
        let traced = runs.iter().any(|r| !r.trace.is_empty());
        let with_path = runs.iter().any(|r| !r.path.is_empty());
        let numbers = |all: &[f64]| all.iter().map(|v| rounded(*v, 4)).collect::<Vec<f64>>();
        let path = |r: &RunRecord| r.path.iter().map(|(mean, a)| (numbers(mean), numbers(a))).collect();
        self.key.push(key);
        self.experiment.push(first.experiment.clone());
        self.variant.push(first.variant.clone());
        self.solver.push(first.solver);
        self.function.push(first.function.clone());
        self.d.push(first.d);
        self.n.push(first.n);
        self.distance.push(first.distance);
        self.run.push(column(runs, |r| r.run));
        self.evaluations.push(column(runs, |r| r.evaluations));
        self.generations.push(generations);
        self.success.push(column(runs, |r| r.success));
        self.stop.push(column(runs, |r| r.stop.clone()));
        self.value.push(told(medians, |r| r.value));
        self.off.push(told(distances, |r| r.off));
        self.reused.push(shared(|r| r.reused));
        self.seconds.push(shared(|r| r.seconds));
        self.trace.push(if traced { column(runs, |r| steps(&r.trace)) } else { Vec::new() });
        self.path.push(if with_path { column(runs, path) } else { Vec::new() });
    }

    /// Run `i` of a cell.
    fn record(&self, cell: usize, i: usize) -> RunRecord {
        let (run, success) = (self.run[cell][i], &self.success[cell]);
        let told = |column: &[Vec<f64>]| match &column[cell] {
            all if all.len() == success.len() => all[i],
            _ if success[i] => 0.0,
            failed => failed[success[..i].iter().filter(|s| !**s).count()],
        };
        let shared = |column: &[Vec<f64>]| *column[cell].get(i).unwrap_or(&column[cell][0]);
        RunRecord {
            key: self.key[cell].replacen('*', &run.to_string(), 1),
            experiment: self.experiment[cell].clone(),
            variant: self.variant[cell].clone(),
            solver: self.solver[cell],
            function: self.function[cell].clone(),
            d: self.d[cell],
            n: self.n[cell],
            distance: self.distance[cell],
            run,
            evaluations: self.evaluations[cell][i],
            generations: *self.generations[cell].get(i).unwrap_or(&self.generations[cell][0]),
            value: told(&self.value),
            off: told(&self.off),
            success: success[i],
            stop: self.stop[cell][i].clone(),
            reused: shared(&self.reused),
            seconds: shared(&self.seconds),
            trace: self.trace[cell].get(i).map(points).unwrap_or_default(),
            path: self.path[cell].get(i).cloned().unwrap_or_default(),
        }
    }
}

fn steps(trace: &[(u64, f64)]) -> Steps {
    let mut before = 0;
    trace
        .iter()
        .map(|&(count, value)| (count - std::mem::replace(&mut before, count), rounded(value, 4)))
        .unzip()
}

fn points((steps, values): &Steps) -> Vec<(u64, f64)> {
    let counts = steps.iter().scan(0, |count, step| {
        *count += step;
        Some(*count)
    });
    counts.zip(values.iter().copied()).collect()
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
            generations: 7 * run,
            value: 1.0 / 3.0,
            off: 0.0,
            success: run == 1,
            stop: "ftarget".into(),
            reused: 0.25,
            seconds: run as f64 + 0.123_456,
            trace: vec![(5, 2.0 / 3.0), (7, 0.25)],
            path: vec![(vec![1.0], vec![0.5])],
        }
    }

    #[test]
    fn packed_runs_come_back_with_exact_counts_and_rounded_measurements() {
        let path = std::env::temp_dir().join(format!("enes-packed-{}.gz", std::process::id()));
        let all = [
            record(11, Solver::Enes),
            record(1, Solver::Enes),
            record(2, Solver::Enes),
            record(1, Solver::Pycma),
        ];
        write(&path, &all).unwrap();
        let back = read(&path).unwrap();
        let keys: Vec<&str> = back.iter().map(|r| r.key.as_str()).collect();
        assert_eq!(keys, [&all[1].key, &all[2].key, &all[0].key, &all[3].key]);
        let (before, after) = (&all[2], &back[1]);
        assert_eq!((after.evaluations, after.success, after.n), (before.evaluations, false, 6));
        assert_eq!((after.value, after.distance), (0.333, before.distance));
        assert_eq!((&after.trace, &after.path), (&vec![(5, 0.6667), (7, 0.25)], &before.path));
        assert_eq!(back[3].solver, Solver::Pycma);
        // Run 1 has reached its target: no more is said of its value. The rest are averages.
        assert_eq!((back[0].success, back[0].value, back[2].value), (true, 0.0, 0.333));
        assert_eq!((back[0].seconds, back[2].seconds, back[2].reused), (4.79012, 4.79012, 0.25));
        assert_eq!((back[0].generations, back[2].generations), (33, 33));
        // What was rounded stays as it is: packing again changes no byte.
        let bytes = std::fs::read(&path).unwrap();
        write(&path, &back).unwrap();
        assert_eq!(std::fs::read(&path).unwrap(), bytes);
        std::fs::remove_file(&path).unwrap();
    }

    #[test]
    fn what_a_table_shows_of_each_run_is_kept_for_each_run() {
        let path = std::env::temp_dir().join(format!("enes-packed-each-{}.gz", std::process::id()));
        let of = |experiment: &str| RunRecord { experiment: experiment.into(), ..record(1, Solver::Enes) };
        write(&path, &[of("signal"), RunRecord { generations: 9, ..of("signal") }]).unwrap();
        let back = read(&path).unwrap();
        assert_eq!(
            back.iter().map(|r| (r.value, r.generations)).collect::<Vec<_>>(),
            [(0.333, 7), (0.333, 9)]
        );
        let clocked = [of(asynchronous::NAME), RunRecord { seconds: 9.0, ..of(asynchronous::NAME) }];
        write(&path, &clocked).unwrap();
        assert_eq!(read(&path).unwrap().iter().map(|r| r.seconds).collect::<Vec<_>>(), [1.123, 9.0]);
        std::fs::remove_file(&path).unwrap();
    }
}
