//! Medians, quartiles, intervals, slopes.

use super::run::RunRecord;

/// The value at a quantile, by linear interpolation; NaN for an empty sample.
pub(crate) fn quantile(values: &[f64], q: f64) -> f64 {
    let mut sorted = values.to_vec();
    sorted.sort_by(f64::total_cmp);
    let Some(last) = sorted.len().checked_sub(1) else { return f64::NAN };
    let position = q * last as f64;
    let (low, high) = (sorted[position.floor() as usize], sorted[position.ceil() as usize]);
    low + (high - low) * position.fract()
}

/// Wilson's 95 % interval for a share of `good` among `all`, in per cent.
pub(crate) fn interval(good: usize, all: usize) -> (f64, f64) {
    let (z, n) = (1.96f64, all as f64);
    let p = good as f64 / n;
    let middle = (p + z * z / (2.0 * n)) / (1.0 + z * z / n);
    let half = z * (p * (1.0 - p) / n + z * z / (4.0 * n * n)).sqrt() / (1.0 + z * z / n);
    (100.0 * (middle - half).max(0.0), 100.0 * (middle + half).min(1.0))
}

/// The slope of a straight line through (ln x, ln y): y grows as x to this power.
pub(crate) fn exponent(points: &[(f64, f64)]) -> f64 {
    let n = points.len() as f64;
    let logs = || points.iter().map(|(x, y)| (x.ln(), y.ln()));
    let (mean_x, mean_y) = (logs().map(|p| p.0).sum::<f64>() / n, logs().map(|p| p.1).sum::<f64>() / n);
    let covariance: f64 = logs().map(|(x, y)| (x - mean_x) * (y - mean_y)).sum();
    covariance / logs().map(|(x, _)| (x - mean_x).powi(2)).sum::<f64>()
}

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

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn known_samples() {
        assert_eq!(quantile(&[3.0, 1.0, 2.0], 0.5), 2.0);
        assert!(quantile(&[], 0.5).is_nan());
        assert!((exponent(&[(1.0, 2.0), (2.0, 16.0), (4.0, 128.0)]) - 3.0).abs() < 1e-12);
        let (low, high) = interval(100, 100);
        assert!((low - 96.3).abs() < 0.1 && high == 100.0, "{low} {high}");
        let (low, high) = interval(50, 100);
        assert!((low - 40.4).abs() < 0.1 && (high - 59.6).abs() < 0.1);
    }
}
