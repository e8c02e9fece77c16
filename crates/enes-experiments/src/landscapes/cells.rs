//! The runs of a cell: a member of a family in a dimension, one search or with restarts, by everyone.

use std::fmt::Write;

use enes_measure::interval;

use super::contender::{Contender, Search};
use super::family::Family;
use super::spec::Spec;
use crate::run::RunRecord;
use crate::statistics::{Cell as Runs, count};

/// A cell and who ran in it.
pub(super) struct Cell<'a> {
    pub(super) search: Search,
    pub(super) family: Family,
    /// `family/member`.
    pub(super) function: String,
    pub(super) d: usize,
    runs: Vec<(Contender, Runs<'a>)>,
}

impl<'a> Cell<'a> {
    /// Every cell that has records, in the order of searches, families and dimensions.
    pub(super) fn all(runs: &'a [RunRecord]) -> Vec<Self> {
        let mut cells = Vec::new();
        for search in Search::ALL {
            for family in Family::ALL {
                for member in family.members() {
                    let function = format!("{}/{}", family.name(), member.name);
                    let of_it =
                        |r: &&RunRecord| r.experiment == search.experiment() && r.function == function;
                    let mut of_it: Vec<&RunRecord> = runs.iter().filter(of_it).collect();
                    of_it.sort_by_key(|r| r.d);
                    for of_d in of_it.chunk_by(|a, b| a.d == b.d) {
                        let by = |c: Contender| {
                            (c, Runs::of_runs(of_d.iter().filter(|r| r.variant == c.name()).copied()))
                        };
                        let runs = Contender::ALL.into_iter().map(by).filter(|(_, r)| !r.runs.is_empty());
                        let (function, runs) = (function.clone(), runs.collect());
                        cells.push(Self { search, family, function, d: of_d[0].d, runs });
                    }
                }
            }
        }
        cells
    }

    /// The name without the family's.
    pub(super) fn member(&self) -> &str {
        self.function.split('/').next_back().unwrap_or_default()
    }

    pub(super) fn by(&self, contender: Contender) -> Option<&Runs<'a>> {
        self.runs.iter().find(|(c, _)| *c == contender).map(|(_, runs)| runs)
    }

    pub(super) fn contenders(&self) -> impl Iterator<Item = (Contender, &Runs<'a>)> {
        self.runs.iter().map(|(c, runs)| (*c, runs))
    }
}

/// Each dimension once, the smallest first.
pub(super) fn dimensions(all: impl Iterator<Item = usize>) -> Vec<usize> {
    let mut dimensions: Vec<usize> = all.collect();
    dimensions.sort_unstable();
    dimensions.dedup();
    dimensions
}

/// The header of a table with a column for each dimension.
pub(super) fn header(first: &str, dimensions: &[usize]) -> Vec<String> {
    let columns = dimensions.iter().map(|d| format!("d = {d}"));
    std::iter::once(first.to_string()).chain(columns).collect()
}

/// Milliseconds of a run for each of its evaluations.
pub(super) fn milliseconds(runs: &Runs<'_>) -> f64 {
    let seconds: f64 = runs.runs.iter().map(|r| r.seconds).sum();
    1e3 * seconds / runs.runs.iter().map(|r| r.evaluations as f64).sum::<f64>()
}

/// What was chosen, for the terminal: a line for each cell and contender.
pub(super) fn text(specs: &[Spec], runs: &[RunRecord]) -> String {
    let mut out = format!(
        "{:28} {:>3} {:9} {:11} {:>7} {:>8} {:>9} {:>9} {:>8}\n",
        "", "d", "", "", "solved", "95 %", "median", "expected", "ms/eval"
    );
    for cell in Cell::all(runs) {
        for (contender, runs) in cell.contenders() {
            let chosen = |s: &Spec| {
                (s.search, s.contender, s.d) == (cell.search, contender, cell.d)
                    && s.function() == cell.function
            };
            if !specs.iter().any(chosen) {
                continue;
            }
            let (low, high) = interval(runs.successes(), runs.runs.len());
            let _ = writeln!(
                out,
                "{:28} {:>3} {:9} {:11} {:>7} {:>8} {:>9} {:>9} {:>8.3}",
                cell.function,
                cell.d,
                if cell.search == Search::One { "one" } else { "restarts" },
                contender.name(),
                runs.share(),
                format!("{low:.0}-{high:.0}"),
                count(runs.evaluations(0.5)),
                count(runs.expected()),
                milliseconds(runs)
            );
        }
    }
    out
}
