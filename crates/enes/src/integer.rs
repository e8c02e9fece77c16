//! Integer coordinates: which they are, and what bounds mean for them.

use crate::bounds::LogScale;
use crate::settings::Settings;

/// Beyond this a floating-point number has no neighbours at distance 1.
pub(crate) const LARGEST: f64 = 9_007_199_254_740_992.0; // 2^53

/// Which coordinates are integers: all, none, or one answer for each.
#[derive(Clone, Debug, PartialEq)]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize))]
pub struct Integers(LogScale);

impl Integers {
    /// The answer for one coordinate.
    pub(crate) fn at(&self, index: usize) -> bool {
        self.0.at(index)
    }

    /// How many answers there are, where there is one for each coordinate.
    pub(crate) fn len(&self) -> Option<usize> {
        self.0.len()
    }
}

impl From<bool> for Integers {
    fn from(all: bool) -> Self {
        Self(all.into())
    }
}

impl From<Vec<bool>> for Integers {
    fn from(each: Vec<bool>) -> Self {
        Self(each.into())
    }
}

impl<const D: usize> From<[bool; D]> for Integers {
    fn from(each: [bool; D]) -> Self {
        Self(each.into())
    }
}

impl Settings {
    /// Which coordinates are integers: every point handed out, and the mean, has whole numbers there. Default:
    /// none.
    ///
    /// The search stays continuous, and its points are rounded on the way out. So that it does not freeze on
    /// one value, a draw leaves the mean's own value with a chance of at least 1 in n d (n points, 16 at most,
    /// of d coordinates). Bounds are taken to the whole numbers within them; where there is one, it fixes the
    /// coordinate. `tolx` looks at the other coordinates only, and `tolflatfitness` waits longer: as many
    /// turnovers as `tolfunhist` looks back. Points may come again: remember values where evaluations are dear.
    ///
    /// ```
    /// use enes::Settings;
    /// let settings = Settings::within([(0.0, 9.0), (-5.0, 5.0)]).integer([true, false]).seed(1);
    /// let outcome = enes::minimize(&settings, |x| (x[0] - 6.3).powi(2) + (x[1] - 1.5).powi(2))?;
    /// assert_eq!(outcome.point[0], 6.0);
    /// assert!((outcome.point[1] - 1.5).abs() < 1e-4);
    /// # Ok::<(), enes::SettingsError>(())
    /// ```
    pub fn integer(mut self, integers: impl Into<Integers>) -> Self {
        self.integers = integers.into();
        self
    }

    /// Whether integers keep a chance of each neighbour. For measurements, not for use: without it a search
    /// freezes.
    #[doc(hidden)]
    pub fn integer_margin(mut self, on: bool) -> Self {
        self.integer_margin = on;
        self
    }

    /// The places of the integers among the coordinates that are searched; empty where all of them are.
    pub(crate) fn integers_beside_others(&self) -> Vec<usize> {
        let searched = (0..self.dimension()).filter(|&index| !self.is_fixed(index));
        let flags: Vec<bool> = searched.map(|index| self.integers.at(index)).collect();
        let places = (0..flags.len()).filter(|&place| flags[place]).collect();
        if flags.iter().all(|integer| *integer) { Vec::new() } else { places }
    }

    /// Whether bounds leave a coordinate no choice.
    pub(crate) fn is_fixed(&self, index: usize) -> bool {
        let Some(&(lower, upper)) = self.bounds.as_ref().and_then(|b| b.0.get(index)) else { return false };
        let whole = || whole_bounds(lower, upper, self.log_scale.at(index));
        let (lower, upper) = if self.integers.at(index) { whole() } else { (lower, upper) };
        lower == upper
    }
}

/// The least and the largest whole number within bounds, positive on a log scale; infinite ones stay.
pub(crate) fn whole_bounds(lower: f64, upper: f64, log: bool) -> (f64, f64) {
    // Adding 0 takes the sign from a zero.
    let (lower, upper) = (lower.ceil() + 0.0, upper.floor() + 0.0);
    (if log { lower.max(1.0) } else { lower }, upper)
}

#[cfg(test)]
mod tests {
    use super::whole_bounds;

    #[test]
    fn bounds_are_taken_to_the_whole_numbers_within() {
        assert_eq!(whole_bounds(-0.5, 2.9, false), (0.0, 2.0));
        assert!(whole_bounds(-0.5, 2.9, false).0.is_sign_positive());
        assert_eq!(whole_bounds(0.2, f64::INFINITY, true), (1.0, f64::INFINITY));
        assert_eq!(whole_bounds(f64::NEG_INFINITY, 7.0, true), (1.0, 7.0));
        assert_eq!(whole_bounds(f64::NEG_INFINITY, 7.0, false), (f64::NEG_INFINITY, 7.0));
    }
}
