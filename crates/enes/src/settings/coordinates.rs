//! What the user says about each coordinate: bounds, scales, integers, start.

use super::Settings;
use crate::space::{BoundHandling, Bounds, Integers, LogScale, Scale, whole_bounds};

impl Settings {
    /// Search a box: start at its centre with a quarter of the range as the initial deviation of each
    /// coordinate; on a log scale both of ln x. [`Settings::x0`] and [`Settings::sigma0`] say otherwise, and
    /// must where a coordinate lacks a bound. Restarts begin anywhere in the box.
    ///
    /// ```
    /// use enes::Settings;
    /// let settings = Settings::within([(-5.0, 5.0), (1e-6, 1.0)]).log_scale([false, true]).seed(1);
    /// let outcome = enes::minimize(&settings, |x| x[0].powi(2) + (x[1] / 1e-4).ln().powi(2))?;
    /// assert!((outcome.point[1] / 1e-4 - 1.0).abs() < 1e-4);
    /// # Ok::<(), enes::SettingsError>(())
    /// ```
    pub fn within(bounds: impl Into<Bounds>) -> Self {
        Self { x0: None, scale: None, ..Self::new([0.0], 1.0).bounds(bounds) }
    }

    /// Lower and upper bound of each coordinate; an infinite one is none, equal ones fix a coordinate, which
    /// then takes no dimension of the search. Every point handed out lies within, both bounds included.
    /// Default: none.
    pub fn bounds(mut self, bounds: impl Into<Bounds>) -> Self {
        self.bounds = Some(bounds.into());
        self
    }

    /// Which coordinates are positive and searched by their logarithm: for them `sigma0`, and every deviation
    /// told, is that of ln x. Default: none.
    pub fn log_scale(mut self, log: impl Into<LogScale>) -> Self {
        self.log_scale = log.into();
        self
    }

    /// How points are kept within the bounds. Default: [`BoundHandling::Smooth`].
    pub fn bound_handling(mut self, handling: BoundHandling) -> Self {
        self.bound_handling = handling;
        self
    }

    /// Where to start, in place of the centre of the box.
    pub fn x0(mut self, x0: impl Into<Vec<f64>>) -> Self {
        self.x0 = Some(x0.into());
        self
    }

    /// The initial scale, in place of a quarter of the range of each coordinate.
    pub fn sigma0(mut self, sigma0: impl Into<Scale>) -> Self {
        self.scale = Some(sigma0.into());
        self
    }

    /// Which coordinates are integers: every point handed out, and the mean, has whole numbers there. Default:
    /// none.
    ///
    /// The search stays continuous, and its points are rounded on the way out. So that it does not freeze on
    /// one value, a draw leaves the mean's own value with a chance of at least 1 in n d (n points, 16 at most,
    /// of d coordinates). Bounds are taken to the whole numbers within them; where there is one, it fixes the
    /// coordinate. `tolx` looks at the other coordinates only, and `tolflatfitness` waits longer: as long
    /// as `tolfunhist` looks back. Points may come again: remember values where evaluations are dear.
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

    /// Categories: groups of coordinates of which exactly one is 1 and the others are 0, one coordinate for each choice. Default:
    /// none.
    ///
    /// Choices have no order, so that none lies between two others; what else is said of [`Settings::integer`] holds for them, too.
    /// Bounds of such a coordinate are 0 and 1, whether they are given or not.
    ///
    /// ```
    /// use enes::Settings;
    /// // A number, and one of three materials.
    /// let settings = Settings::new([0.0, 1.0, 0.0, 0.0], 0.5).one_hot([[1, 2, 3]]).seed(1);
    /// let price = |x: &[f64]| 3.0 * x[1] + 1.0 * x[2] + 2.0 * x[3];
    /// let outcome = enes::minimize(&settings, |x| (x[0] - 1.5).powi(2) + price(x))?;
    /// assert_eq!(outcome.point[1..], [0.0, 1.0, 0.0]);
    /// # Ok::<(), enes::SettingsError>(())
    /// ```
    pub fn one_hot<G>(mut self, groups: impl IntoIterator<Item = G>) -> Self
    where
        G: Into<Vec<usize>>,
    {
        self.one_hot = groups.into_iter().map(Into::into).collect();
        self
    }

    /// Whether a coordinate has whole numbers only.
    pub(crate) fn is_integer(&self, index: usize) -> bool {
        self.integers.at(index) || self.is_choice(index)
    }

    /// Whether a coordinate is a choice of a category.
    pub(crate) fn is_choice(&self, index: usize) -> bool {
        self.one_hot.iter().any(|members| members.contains(&index))
    }

    /// The number of coordinates, fixed ones included.
    pub fn dimension(&self) -> usize {
        let bounded = || self.bounds.as_ref().map_or(0, |b| b.0.len());
        self.x0.as_ref().map_or_else(bounded, Vec::len)
    }

    /// The number of coordinates that are searched: all but those that bounds fix.
    pub fn search_dimension(&self) -> usize {
        let d = self.dimension();
        d - (0..d).filter(|&index| self.is_fixed(index)).count()
    }

    /// Whether bounds leave a coordinate no choice.
    pub(crate) fn is_fixed(&self, index: usize) -> bool {
        if self.is_choice(index) {
            return false;
        }
        let Some(&(lower, upper)) = self.bounds.as_ref().and_then(|b| b.0.get(index)) else { return false };
        let whole = || whole_bounds(lower, upper, self.log_scale.at(index));
        let (lower, upper) = if self.integers.at(index) { whole() } else { (lower, upper) };
        lower == upper
    }
}
