//! One coordinate: its bounds, its scale, and the way from the search's number to the user's.

use super::bounds::BoundHandling;
use super::integers::{LARGEST_INTEGER, whole_bounds};
use super::interval::Interval;
use crate::error::SettingsError;

/// Ranges narrower than this have no parabola in floating-point numbers.
const NARROWEST: f64 = f64::MIN_POSITIVE / 0.04;

#[derive(Clone, Debug, PartialEq)]
pub(super) enum Coordinate {
    Fixed(f64),
    Free(Free),
}

/// A coordinate that is searched.
#[derive(Clone, Debug, PartialEq)]
pub(super) struct Free {
    /// The user's bounds; infinite where there are none.
    pub(super) lower: f64,
    pub(super) upper: f64,
    pub(super) log: bool,
    /// Values are rounded; the bounds of the search are half a step wider.
    pub(super) integer: bool,
    /// The category of which it is one choice.
    pub(super) group: Option<usize>,
    /// The bounds in search coordinates.
    pub(super) interval: Interval,
}

impl Coordinate {
    /// The coordinate with these bounds, or what is wrong with them.
    pub(super) fn new(lower: f64, upper: f64, log: bool, integer: bool) -> Result<Self, &'static str> {
        if lower.is_nan() || upper.is_nan() {
            return Err("a bound is NaN: use infinity for none");
        }
        if lower > upper {
            return Err("the lower exceeds the upper, no number lies between: swap them");
        }
        if lower == f64::INFINITY || upper == f64::NEG_INFINITY {
            return Err("no finite number lies between: none is -infinity below and infinity above");
        }
        if log && upper <= 0.0 || log && lower.is_finite() && lower <= 0.0 {
            return Err(
                "on a log scale bounds must be above 0, since the range of ln x would be infinite or \
                        empty: give the smallest and the largest value of interest, or none",
            );
        }
        let (lower, upper) = if integer { whole_bounds(lower, upper, log) } else { (lower, upper) };
        if lower > upper {
            return Err(
                "no integer lies between them: widen them, or search the coordinate as a real number",
            );
        }
        if integer && [lower, upper].iter().any(|b| b.is_finite() && b.abs() > LARGEST_INTEGER) {
            return Err("beyond 2^53 floating-point numbers skip integers: search the coordinate as a real \
                        number, or in another unit");
        }
        if lower == upper {
            return Ok(Self::Fixed(lower));
        }
        let search = |x: f64| if log { x.ln() } else { x };
        // Every integer has a cell of the same width, also at the ends.
        let half = if integer { 0.5 } else { 0.0 };
        // The logarithm of an absent lower bound is absent, too.
        let low = if lower == f64::NEG_INFINITY { lower } else { search(lower - half) };
        let high = search(upper + half);
        if low.is_finite() && high.is_finite() {
            if !(high - low).is_finite() {
                return Err("the range is too wide for floating-point numbers: narrow it");
            }
            if high - low < NARROWEST {
                return Err(
                    "the range is too narrow for floating-point numbers: widen it, fix the coordinate \
                            with equal bounds, or search it on a linear scale",
                );
            }
        }
        let interval = Interval::with_margin(Some(low), Some(high), 0.0)
            .map_err(|_| "the lower must be below the upper")?;
        Ok(Self::Free(Free { lower, upper, log, integer, group: None, interval }))
    }

    /// One choice of a category.
    pub(super) fn choice(group: usize) -> Self {
        let interval = Interval::with_margin(Some(-0.5), Some(1.5), 0.0).expect("invariant: in order");
        Self::Free(Free { lower: 0.0, upper: 1.0, log: false, integer: true, group: Some(group), interval })
    }

    /// Whether the user's number is the search's.
    pub(super) fn is_plain(&self) -> bool {
        self.free().is_some_and(|f| !f.log && !f.integer && f.lower == -f.upper && f.upper.is_infinite())
    }

    pub(super) fn free(&self) -> Option<&Free> {
        match self {
            Self::Fixed(_) => None,
            Self::Free(free) => Some(free),
        }
    }

    /// The search coordinate of a start value, not unfolded; `None` for a fixed one.
    pub(super) fn of(&self, index: usize, value: f64) -> Result<Option<f64>, SettingsError> {
        let (lower, upper, log) = match self {
            Self::Fixed(only) => (*only, *only, false),
            Self::Free(free) => (free.lower, free.upper, free.log),
        };
        if log && value <= 0.0 {
            return Err(SettingsError::StartNotPositive { index, value });
        }
        if !(lower..=upper).contains(&value) {
            return Err(SettingsError::StartOutside { index, value, lower, upper });
        }
        Ok(self.free().map(|_| if log { value.ln() } else { value }))
    }
}

impl Free {
    /// Both bounds in search coordinates, where there are both.
    pub(super) fn range(&self) -> Option<(f64, f64)> {
        self.interval.lower().zip(self.interval.upper())
    }

    /// A search coordinate within the bounds.
    pub(super) fn inside(&self, u: f64, handling: BoundHandling) -> f64 {
        match handling {
            BoundHandling::Resample => self.interval.clamped(u),
            BoundHandling::Smooth | BoundHandling::Reflect => self.interval.inside(u),
        }
    }

    /// The user's value of a search coordinate: within the bounds, exactly. What a category has is seen by all its choices.
    pub(super) fn user(&self, u: f64, handling: BoundHandling) -> f64 {
        let v = self.inside(u, handling);
        if self.integer {
            // Adding 0 takes the sign from a zero.
            return (if self.log { v.exp() } else { v }).round().clamp(self.lower, self.upper) + 0.0;
        }
        if !self.log {
            return v;
        }
        // A rounding beyond a bound is taken back; positive and finite also where the exponential is not.
        let least = if self.lower.is_finite() { self.lower } else { f64::MIN_POSITIVE };
        v.exp().max(least).min(self.upper.min(f64::MAX))
    }
}
