//! What models are fitted to: the values, and powers of them, each of mean 0 and variance 1 on the latest points.

use super::transform::Power;
use crate::linalg::rows_times_vector;

/// Responses one after another, what they are, and how far the latest spread before they were standardised.
#[derive(Clone, Debug)]
pub(super) struct Responses {
    /// Numbers in each.
    n: usize,
    values: Vec<f64>,
    powers: Vec<Option<Power>>,
    deviations: Vec<f64>,
}

impl Responses {
    /// For at most n points.
    pub(super) fn new(n: usize) -> Self {
        let powers = Vec::with_capacity(3);
        Self { n, values: Vec::with_capacity(3 * n), powers, deviations: Vec::with_capacity(3) }
    }

    /// The costs, the latest r last, and a power of them; what cannot be standardised is left out.
    pub(super) fn set(&mut self, costs: &[f64], power: Option<Power>, r: usize) {
        self.n = costs.len();
        self.values.clear();
        self.powers.clear();
        self.deviations.clear();
        self.values.extend_from_slice(costs);
        self.standardize_last(None, r);
        if let Some(power) = power {
            self.add(power, costs, r);
        }
    }

    /// This power of the costs as one more; false where it cannot be standardised.
    pub(super) fn add(&mut self, power: Power, costs: &[f64], r: usize) -> bool {
        let from = self.values.len();
        self.values.resize(from + costs.len(), 0.0);
        power.transform(costs, &mut self.values[from..]);
        self.standardize_last(Some(power), r)
    }

    /// Keep the one that was added last if it can be standardised.
    fn standardize_last(&mut self, power: Option<Power>, r: usize) -> bool {
        let from = self.values.len() - self.n;
        let deviation = standardize_by_latest(&mut self.values[from..], r);
        match deviation {
            Some(deviation) => {
                self.powers.push(power);
                self.deviations.push(deviation);
            }
            None => self.values.truncate(from),
        }
        deviation.is_some()
    }

    pub(super) fn len(&self) -> usize {
        self.powers.len()
    }

    /// Each with its power; the values have none.
    pub(super) fn each(&self) -> impl Iterator<Item = (&[f64], Option<Power>)> {
        self.values.chunks_exact(self.n).zip(self.powers.iter().copied())
    }

    pub(super) fn of(&self, response: usize) -> &[f64] {
        &self.values[response * self.n..(response + 1) * self.n]
    }

    pub(super) fn power(&self, response: usize) -> Option<Power> {
        self.powers[response]
    }

    pub(super) fn deviation(&self, response: usize) -> f64 {
        self.deviations[response]
    }
}

/// Leave-one-out predictions of the latest r points from the rows that give their errors.
pub(super) fn predict(errors: &[f64], response: &[f64], r: usize, out: &mut Vec<f64>) {
    let n = response.len();
    out.clear();
    out.resize(errors.len() / n, 0.0);
    rows_times_vector(errors, response, out);
    response[n - r..].iter().zip(out).for_each(|(y, o)| *o = y - *o);
}

/// Mean 0 and variance 1 of the latest r responses; returns the deviation that they had, `None` where that cannot be.
pub(super) fn standardize_by_latest(response: &mut [f64], r: usize) -> Option<f64> {
    let latest = &response[response.len() - r..];
    // Scaled first, so that 1e-300 and 1e300 have a square.
    let (low, high) =
        latest.iter().fold((f64::INFINITY, f64::NEG_INFINITY), |b, y| (b.0.min(*y), b.1.max(*y)));
    let range = 0.5 * high - 0.5 * low;
    if !(range > 0.0 && range.is_finite() && range.recip().is_finite()) {
        return None;
    }
    let scale = range.recip();
    let mean = latest.iter().map(|y| (0.5 * y - 0.5 * low) * scale).sum::<f64>() / r as f64;
    let squares = latest.iter().map(|y| ((0.5 * y - 0.5 * low) * scale - mean).powi(2)).sum::<f64>();
    let deviation = (squares / r as f64).sqrt();
    for y in response.iter_mut() {
        *y = ((0.5 * *y - 0.5 * low) * scale - mean) / deviation;
    }
    response.iter().all(|y| y.is_finite()).then_some(2.0 * deviation * range)
}
