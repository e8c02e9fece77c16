//! Bounds and how points are kept within them: what the user says.

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
