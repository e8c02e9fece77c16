//! The trust region: what a step promised, what it kept, and how far the next one may go.

use super::transform::Power;
use crate::strategy::adaptive::tuning::SurrogateTuning;

/// A step so short against the radius leads nowhere: the optimum of the model is where the best point is.
const SHORT: f64 = 0.01;

/// What such a step leaves of the radius: the next scale at which there may be something to find.
const FINER: f64 = 0.25;

/// A fall by so much of the deviation of the response is rounding.
const ROUNDING: f64 = 1e-13;

/// What the surrogate's step promised.
#[derive(Clone, Copy, Debug, PartialEq)]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize))]
pub(in crate::strategy::adaptive) struct Promise {
    /// The response that was modelled: this power of the costs, or the costs themselves; and its deviation.
    pub(super) power: Option<Power>,
    pub(super) deviation: f64,
    /// The cost of the best point, from which the step went.
    pub(super) best: f64,
    /// By how much the response was to fall.
    pub(super) decrease: f64,
    /// How long the step was against the radius.
    pub(super) length: f64,
}

impl Promise {
    /// The share of the promised decrease that a point of this cost has kept: 1 where the model was right, below 0 where the
    /// point is worse than the best; −1 where it failed; 0 where nothing was promised.
    pub(super) fn kept(&self, cost: f64) -> f64 {
        if !cost.is_finite() {
            return -1.0;
        }
        let costs = [self.best, cost];
        let mut responses = costs;
        if let Some(power) = self.power {
            power.transform(&costs, &mut responses);
        }
        let kept = (responses[0] - responses[1]) / self.decrease;
        if kept.is_nan() || self.decrease <= 0.0 { 0.0 } else { kept }
    }

    /// By how much the cost was to fall.
    pub(super) fn fall(&self) -> f64 {
        let Some(power) = self.power else { return self.decrease.max(0.0) };
        let mut response = [0.0];
        power.transform(&[self.best], &mut response);
        (self.best - power.value(response[0] - self.decrease)).max(0.0)
    }

    /// Whether there was nothing to promise at this scale.
    pub(super) fn is_empty(&self) -> bool {
        self.length < SHORT
    }

    /// Whether nothing but rounding was promised, however long the step: where a coordinate does not matter steps along it are.
    pub(super) fn is_rounding(&self) -> bool {
        self.decrease <= ROUNDING * self.deviation
    }

    /// The change of ln σ: the radius doubles after a long step that was promised well, halves after one that did not keep its
    /// promise, and follows a short one down to the half.
    pub(super) fn log_step(&self, kept: f64, tuning: &SurrogateTuning) -> f64 {
        let factor: f64 = if self.is_empty() {
            FINER
        } else if kept >= tuning.kept_well && self.length > 0.7 {
            2.0
        } else if kept >= tuning.kept {
            (2.0 * self.length).clamp(0.5, 1.0)
        } else {
            0.5
        };
        factor.ln()
    }

    #[cfg(feature = "serde")]
    pub(super) fn is_consistent(&self) -> bool {
        [self.deviation, self.best, self.decrease, self.length].iter().all(|v| !v.is_nan())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn promise(length: f64) -> Promise {
        Promise { power: None, deviation: 1.0, best: 10.0, decrease: 4.0, length }
    }

    #[test]
    fn the_share_kept_is_the_actual_against_the_promised_decrease() {
        let exact = promise(1.0);
        assert_eq!([6.0, 8.0, 10.0, 12.0].map(|cost| exact.kept(cost)), [1.0, 0.5, 0.0, -0.5]);
        assert_eq!([f64::NAN, f64::INFINITY].map(|cost| exact.kept(cost)), [-1.0, -1.0]);
        let nothing = Promise { decrease: 0.0, ..exact };
        assert_eq!(nothing.kept(10.0), 0.0);
        // A merit that was to rise, and rose.
        assert_eq!(Promise { decrease: -2.0, ..exact }.kept(12.0), 0.0);
        // The square root of what lies above 1 was modelled: 3 was to become 1.
        let power = Some(Power { offset: 1.0, exponent: 0.5, scale: 1.0, exact: false });
        let root = Promise { power, decrease: 4.0, ..exact };
        assert!((root.kept(2.0) - 1.0).abs() < 1e-12);
        assert!((root.kept(5.0) - 0.5).abs() < 1e-12);
    }

    #[test]
    fn what_is_promised_of_a_power_is_a_fall_of_the_cost() {
        assert_eq!(promise(1.0).fall(), 4.0);
        assert_eq!(Promise { decrease: -2.0, ..promise(1.0) }.fall(), 0.0);
        let fall = |exponent, best, decrease| {
            let power = Some(Power { offset: 1.0, exponent, scale: 1.0, exact: false });
            Promise { power, decrease, best, ..promise(1.0) }.fall()
        };
        let close = |a: f64, b: f64| assert!((a - b).abs() < 1e-12, "{a} {b}");
        close(fall(0.5, 10.0, 4.0), 8.0);
        close(fall(0.0, 2.0, 2f64.ln()), 0.5);
        // Near a tip the square says little; no cost lies below the offset.
        close(fall(2.0, 1.0 + 1e-3, 0.5e-6), 1e-3);
        close(fall(2.0, 1.0 + 1e-3, 1.0), 1e-3);
    }

    #[test]
    fn a_fall_that_is_rounding_promises_nothing_however_long_the_step() {
        let fall = |decrease| Promise { decrease, deviation: 8.0, ..promise(1.0) };
        assert!(fall(8e-14).is_rounding() && fall(-1.0).is_rounding() && !fall(8e-12).is_rounding());
        assert!(!fall(0.0).is_empty());
    }

    #[test]
    fn the_radius_follows_what_was_kept() {
        let tuning = SurrogateTuning::default();
        let factor = |kept, length| promise(length).log_step(kept, &tuning).exp();
        let close = |a: f64, b: f64| assert!((a - b).abs() < 1e-12, "{a} {b}");
        close(factor(0.9, 1.0), 2.0);
        close(factor(0.9, 0.4), 0.8);
        close(factor(0.9, 0.1), 0.5);
        close(factor(0.3, 1.0), 1.0);
        close(factor(0.05, 1.0), 0.5);
        close(factor(-7.0, 0.2), 0.5);
        // Nothing was promised: the value, which may be rounding, says nothing.
        close(factor(-7.0, 0.001), 0.25);
    }
}
