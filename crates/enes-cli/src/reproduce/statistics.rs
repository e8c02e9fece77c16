//! Runs of one kind, counted.

use enes_measure::quantile;

use super::run::RunRecord;

/// A set of runs of one kind.
#[derive(Clone, Debug)]
pub(crate) struct Cell<'a> {
    pub(crate) runs: Vec<&'a RunRecord>,
}

impl<'a> Cell<'a> {
    pub(crate) fn new(runs: &'a [RunRecord], keep: impl Fn(&RunRecord) -> bool) -> Self {
        let mut runs: Vec<_> = runs.iter().filter(|r| keep(r)).collect();
        runs.sort_by_key(|r| r.run);
        Self { runs }
    }

    pub(crate) fn successes(&self) -> usize {
        self.runs.iter().filter(|r| r.success).count()
    }

    pub(crate) fn all_succeed(&self) -> bool {
        !self.runs.is_empty() && self.successes() == self.runs.len()
    }

    /// Quantile of the evaluations of the runs that succeeded.
    pub(crate) fn evaluations(&self, q: f64) -> f64 {
        let solved = self.runs.iter().filter(|r| r.success);
        quantile(&solved.map(|r| r.evaluations as f64).collect::<Vec<_>>(), q)
    }

    pub(crate) fn reused(&self) -> f64 {
        self.runs.iter().map(|r| r.reused).sum::<f64>() / self.runs.len() as f64
    }

    /// `20/20`.
    pub(crate) fn share(&self) -> String {
        format!("{}/{}", self.successes(), self.runs.len())
    }
}

/// A count for people, `-` where there is none.
pub(crate) fn count(value: f64) -> String {
    if value.is_finite() { format!("{value:.0}") } else { "-".to_string() }
}
