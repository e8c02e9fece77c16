//! Bounds, log scales and how bounds are kept: what the user says about each coordinate.

use crate::scale::Scale;
use crate::settings::Settings;

/// Lower and upper bound of each coordinate; an infinite one is none. Equal bounds fix a coordinate.
///
/// ```
/// use enes::Settings;
/// let bounds = [(0.0, 1.0), (0.0, f64::INFINITY), (7.0, 7.0)];
/// let outcome = enes::minimize(&Settings::new([0.5, 3.0, 7.0], 0.3).bounds(bounds), |x| x.iter().sum())?;
/// assert!(outcome.value >= 7.0 && outcome.value < 7.0 + 1e-6);
/// # Ok::<(), enes::SettingsError>(())
/// ```
#[derive(Clone, Debug, Default, PartialEq)]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize))]
pub struct Bounds(pub(crate) Vec<(f64, f64)>);

impl From<Vec<(f64, f64)>> for Bounds {
    fn from(pairs: Vec<(f64, f64)>) -> Self {
        Self(pairs)
    }
}

impl From<&[(f64, f64)]> for Bounds {
    fn from(pairs: &[(f64, f64)]) -> Self {
        Self(pairs.to_vec())
    }
}

impl<const D: usize> From<[(f64, f64); D]> for Bounds {
    fn from(pairs: [(f64, f64); D]) -> Self {
        Self(pairs.to_vec())
    }
}

/// Which coordinates are searched on a logarithmic scale: all, none, or one answer for each.
#[derive(Clone, Debug, PartialEq)]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize))]
pub struct LogScale(Answer);

#[derive(Clone, Debug, PartialEq)]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize))]
enum Answer {
    All(bool),
    Each(Vec<bool>),
}

impl LogScale {
    /// The answer for one coordinate.
    pub(crate) fn at(&self, index: usize) -> bool {
        match &self.0 {
            Answer::All(log) => *log,
            Answer::Each(logs) => logs.get(index).copied().unwrap_or(false),
        }
    }

    /// How many answers there are, where there is one for each coordinate.
    pub(crate) fn len(&self) -> Option<usize> {
        match &self.0 {
            Answer::All(_) => None,
            Answer::Each(logs) => Some(logs.len()),
        }
    }
}

impl From<bool> for LogScale {
    fn from(log: bool) -> Self {
        Self(Answer::All(log))
    }
}

impl From<Vec<bool>> for LogScale {
    fn from(logs: Vec<bool>) -> Self {
        Self(Answer::Each(logs))
    }
}

impl<const D: usize> From<[bool; D]> for LogScale {
    fn from(logs: [bool; D]) -> Self {
        Self(Answer::Each(logs.to_vec()))
    }
}

/// How the points of a search are kept within the bounds.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash)]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize))]
#[non_exhaustive]
pub enum BoundHandling {
    /// The search runs in an unbounded space, and a smooth map brings its points into the box: identity in
    /// the inside, a parabola near a bound, mirrored beyond. Samples, densities and mixing live in the
    /// unbounded space and stay exact. The parabola reaches a fifth of the initial deviation to both sides
    /// of the bound, and a twentieth of the range at most.
    #[default]
    Smooth,
    /// The same with a plain mirror at each bound: identity everywhere inside, a kink at the bound. A
    /// density on the inside is the sum over all mirror images; the mathematics stays exact.
    Reflect,
    /// A point outside is drawn again, at most 100 times, and then moved to the nearest point of the box.
    /// What is evaluated follows the normal law truncated to the box, not the one whose gradient the
    /// strategies follow: the search is biased away from the bounds, and may stop short of an optimum where
    /// several of them meet. The mean is kept in the box, and deviations below half the range. The ratio of two truncated densities
    /// is not known, so that importance mixing would be wrong: the strategy `Published` needs a refresh
    /// rate of 1 with it.
    Resample,
}

impl BoundHandling {
    /// The name, as the command line and Python write it.
    pub fn name(self) -> &'static str {
        match self {
            Self::Smooth => "smooth",
            Self::Reflect => "reflect",
            Self::Resample => "resample",
        }
    }
}

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
}
