//! Runs of one kind, counted.

use enes_measure::quantile;
use enes_problems::Function;

use crate::run::RunRecord;

/// A set of runs of one kind.
#[derive(Clone, Debug)]
pub(crate) struct Cell<'a> {
    pub(crate) runs: Vec<&'a RunRecord>,
}

impl<'a> Cell<'a> {
    pub(crate) fn new(runs: &'a [RunRecord], keep: impl Fn(&RunRecord) -> bool) -> Self {
        Self::of_runs(runs.iter().filter(|r| keep(r)))
    }

    pub(crate) fn of_runs(runs: impl Iterator<Item = &'a RunRecord>) -> Self {
        let mut runs: Vec<_> = runs.collect();
        runs.sort_by_key(|r| r.run);
        Self { runs }
    }

    /// The runs of one variant of an experiment, on one function, at one size.
    pub(crate) fn of(
        runs: &'a [RunRecord],
        name: &str,
        variant: &str,
        f: Function,
        d: usize,
        n: usize,
    ) -> Self {
        Self::new(runs, |r| {
            r.experiment == name && r.variant == variant && r.function == f.name() && r.d == d && r.n == n
        })
    }

    pub(crate) fn successes(&self) -> usize {
        self.runs.iter().filter(|r| r.success).count()
    }

    pub(crate) fn all_succeed(&self) -> bool {
        !self.runs.is_empty() && self.successes() == self.runs.len()
    }

    /// The share of runs that succeeded; NaN where there are none.
    pub(crate) fn success(&self) -> f64 {
        self.successes() as f64 / self.runs.len() as f64
    }

    /// Evaluations of all runs, divided by the successes.
    pub(crate) fn expected(&self) -> f64 {
        self.runs.iter().map(|r| r.evaluations as f64).sum::<f64>() / self.successes() as f64
    }

    /// Quantile of the evaluations of the runs that succeeded.
    pub(crate) fn evaluations(&self, q: f64) -> f64 {
        let solved = self.runs.iter().filter(|r| r.success);
        quantile(&solved.map(|r| r.evaluations as f64).collect::<Vec<_>>(), q)
    }

    /// Lower quartile, median and upper quartile of the evaluations, for a table.
    pub(crate) fn quartiles(&self) -> [String; 3] {
        [0.25, 0.5, 0.75].map(|q| count(self.evaluations(q)))
    }

    pub(crate) fn reused(&self) -> f64 {
        average(&self.runs.iter().map(|r| r.reused).collect::<Vec<_>>())
    }

    /// The median, with the successes where not all succeed.
    pub(crate) fn short(&self) -> String {
        match (self.successes(), self.runs.len()) {
            (_, 0) => "-".to_string(),
            (0, _) => "0 %".to_string(),
            (good, all) if good < all => {
                format!("{} ({:.0} %)", count(self.evaluations(0.5)), 100.0 * good as f64 / all as f64)
            }
            _ => count(self.evaluations(0.5)),
        }
    }

    /// The share of runs that succeeded in per cent, for a table.
    pub(crate) fn percent(&self) -> String {
        if self.runs.is_empty() { "-".to_string() } else { format!("{:.0}", 100.0 * self.success()) }
    }

    /// `20/20`, with the median evaluations where there are any.
    pub(crate) fn short_share(&self) -> String {
        let median = self.evaluations(0.5);
        if median.is_finite() { format!("{} in {median:.0}", self.share()) } else { self.share() }
    }

    /// `20/20`.
    pub(crate) fn share(&self) -> String {
        format!("{}/{}", self.successes(), self.runs.len())
    }
}

/// The average; of equal numbers it is this number, to the last bit.
pub(crate) fn average(values: &[f64]) -> f64 {
    let first = values.first().copied().unwrap_or(f64::NAN);
    first + values.iter().map(|v| v - first).sum::<f64>() / values.len() as f64
}

/// A count for people, `-` where there is none.
pub(crate) fn count(value: f64) -> String {
    if value.is_finite() { format!("{value:.0}") } else { "-".to_string() }
}
