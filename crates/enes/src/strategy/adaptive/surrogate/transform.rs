//! A power of the values as response: it undoes an unknown monotone transformation of a quadratic.
//!
//! `u = (f − c)/s`, `y = (u^p − 1)/p`. Offset and exponent are found by pattern search on the leave-one-out
//! errors of the latest points, a few rounds a generation, from where the last one ended.

use super::error::Latest;
use super::responses::{predict, standardize_by_latest};
use crate::strategy::adaptive::tuning::SurrogateTuning;

/// u is kept within these, so that a value below the offset, or far above it, stays a number.
const RANGE: (f64, f64) = (1e-12, 1e12);

/// The same where the power is exact: no value lies below the offset, and those next to it count.
const EXACT_RANGE: (f64, f64) = (1e-100, 1e100);

/// y is kept within ±this.
const LARGEST_RESPONSE: f64 = 1e30;

/// Below this an exponent is 0: the logarithm.
const LEAST_EXPONENT: f64 = 1e-6;

/// A search begins with at least this stride, shrinks it by a factor where no move helps, and ends below the least.
const LEAST_FIRST_STRIDE: f64 = 0.02;
const SHRINK: f64 = 0.4;
const LEAST_STRIDE: f64 = 1e-7;

/// c, p and s.
#[derive(Clone, Copy, Debug, PartialEq)]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize))]
pub(super) struct Power {
    pub(super) offset: f64,
    pub(super) exponent: f64,
    /// Negative where the offset lies above the values, y increases with them all the same.
    pub(super) scale: f64,
    /// Whether y is a quadratic, as far as all points say.
    pub(super) exact: bool,
}

impl Power {
    /// Whether values look like a cone, whose square is a bowl, rather than like a bowl.
    pub(super) fn is_tip(self) -> bool {
        self.exponent > 1.5 && self.scale > 0.0
    }

    /// y for each value.
    pub(super) fn transform(self, costs: &[f64], out: &mut [f64]) {
        let Self { offset, exponent, scale, exact } = self;
        let logarithm = exponent.abs() < LEAST_EXPONENT;
        let (range, one) = (if exact { EXACT_RANGE } else { RANGE }, offset + scale);
        for (y, f) in out.iter_mut().zip(costs) {
            let more = (f - one) / scale;
            let log = match exact && more.abs() < 0.5 {
                // The offset may be so far away that u says nothing any more of how values differ.
                true => more.ln_1p(),
                false => ((f - offset) / scale).clamp(range.0, range.1).ln(),
            };
            let power = match logarithm {
                true => log,
                false if exact => (exponent * log).exp_m1() / exponent,
                false => ((exponent * log).exp() - 1.0) / exponent,
            };
            *y = (scale.signum() * power).clamp(-LARGEST_RESPONSE, LARGEST_RESPONSE);
        }
    }

    #[cfg(feature = "serde")]
    pub(super) fn is_consistent(self) -> bool {
        [self.offset, self.exponent, self.scale].iter().all(|v| v.is_finite()) && self.scale != 0.0
    }

    /// The value of a y; the offset where y lies below all of them.
    pub(super) fn value(self, y: f64) -> f64 {
        let Self { offset, exponent, scale, .. } = self;
        let (logarithm, y) = (exponent.abs() < LEAST_EXPONENT, scale.signum() * y);
        let log = if logarithm { y } else { (exponent * y).max(-1.0).ln_1p() / exponent };
        let more = log.exp_m1();
        if more.abs() < 0.5 { offset + scale + scale * more } else { offset + scale * log.exp() }
    }
}

/// The search's coordinates: t sets how far the offset lies below the best value, e^t against the middle of
/// the latest; a bends.
#[derive(Clone, Copy, Debug)]
struct Place {
    t: f64,
    a: f64,
}

impl Place {
    /// `None` where it is out of range.
    fn power(self, best: f64, spread: f64) -> Option<Power> {
        let depth = self.t.exp();
        let exponent = 1.0 + self.a * (1.0 + depth);
        let feasible = (-9.3..=7.0).contains(&self.t) && exponent > -1.0 && exponent < 12.0;
        let (offset, scale) = (best - depth * spread, (1.0 + depth) * spread);
        (feasible && offset.is_finite() && scale.is_finite()).then_some(Power {
            offset,
            exponent,
            scale,
            exact: false,
        })
    }

    fn of(power: Power, best: f64, spread: f64) -> Self {
        let depth = ((best - power.offset) / spread).clamp(1e-4, 1e3);
        Self { t: depth.ln(), a: (power.exponent - 1.0) / (1.0 + depth) }
    }

    fn moved(self, (dt, da): (f64, f64)) -> Self {
        Self { t: self.t + dt, a: self.a + da }
    }
}

/// What a pattern search looks at, and its scratch space.
#[derive(Debug)]
pub(super) struct PatternSearch<'a> {
    pub(super) costs: &'a [f64],
    /// Rows that take a response to the errors of the latest points.
    pub(super) errors: &'a [f64],
    pub(super) latest: &'a mut Latest,
    pub(super) response: &'a mut [f64],
    pub(super) predictions: &'a mut Vec<f64>,
}

impl PatternSearch<'_> {
    /// A better power, and the stride at which the search ended. `None` where the values do not spread.
    pub(super) fn improve(
        &mut self,
        old: Option<Power>,
        stride: f64,
        tuning: &SurrogateTuning,
    ) -> Option<(Power, f64)> {
        let first = self.costs.len() - self.latest.len();
        let best = self.costs.iter().fold(f64::INFINITY, |b, &c| b.min(c));
        let spread = self.costs[first + self.latest.middle()] - best;
        if !(spread > 0.0 && spread.is_finite()) {
            return None;
        }
        let loss = |search: &mut Self, place: Place| {
            place.power(best, spread).map_or(f64::INFINITY, |power| search.loss(power))
        };
        let mut place = Place { t: 0.0, a: 0.0 };
        let mut least = loss(self, place);
        if let Some(old) = old.filter(|old| old.scale > 0.0) {
            let before = Place::of(old, best, spread);
            let then = loss(self, before);
            if then <= least {
                (place, least) = (before, then);
            }
        }
        let mut stride = (4.0 * stride).clamp(LEAST_FIRST_STRIDE, tuning.power_stride);
        let mut last = (0.0, 0.0);
        for _ in 0..tuning.power_rounds {
            if stride < LEAST_STRIDE {
                break;
            }
            let again = (1.5 * last.0, 1.5 * last.1);
            let moves = [again, (2.0 * stride, 0.0), (-2.0 * stride, 0.0), (0.0, stride), (0.0, -stride)];
            let tried = moves.into_iter().filter(|m| *m != (0.0, 0.0));
            let found = tried.map(|m| (m, loss(self, place.moved(m)))).find(|(_, l)| *l < least);
            match found {
                Some((by, less)) => (place, least, last) = (place.moved(by), less, by),
                None => (stride, last) = (SHRINK * stride, (0.0, 0.0)),
            }
        }
        let power = place.power(best, spread).filter(|_| least.is_finite())?;
        Some((power, stride))
    }

    fn loss(&mut self, power: Power) -> f64 {
        let (n, r) = (self.costs.len(), self.latest.len());
        power.transform(self.costs, self.response);
        if standardize_by_latest(self.response, r).is_none() {
            return f64::INFINITY;
        }
        predict(self.errors, self.response, r, self.predictions);
        let loss = self.latest.loss(&self.response[n - r..], self.predictions);
        if loss.is_nan() { f64::INFINITY } else { loss }
    }
}
