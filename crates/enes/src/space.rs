//! The space between the user's coordinates and the search's: bounds, log scales, fixed coordinates.
//!
//! Strategies, stop rules and checkpoints live in search coordinates, which are free and unbounded. A fixed
//! coordinate has none; one on a log scale has ln x; a bounded one is folded into its interval on the way out.

mod margin;
mod width;

use crate::bounds::BoundHandling;
use crate::error::SettingsError;
use crate::gaussian::{Motion, SearchDistribution};
use crate::integer::{self, whole_bounds};
use crate::interval::Interval;
use crate::linalg;
use crate::population::Population;
use crate::random::Generator;
use crate::settings::Settings;

/// Of the initial deviation, how far the parabola at a bound reaches: with a quarter of the range as the
/// deviation a twentieth of the range.
const MARGIN: f64 = 0.2;

/// Draws for a point that lies outside, before it is moved to the box.
const MAX_DRAWS: usize = 100;

/// A deviation of resampled points, in units of the range, at most.
const LARGEST: f64 = 0.5;

/// How search coordinates become the user's.
#[derive(Clone, Debug, PartialEq)]
pub(crate) struct Space {
    coordinates: Vec<Coordinate>,
    handling: BoundHandling,
    /// Whether integers keep a chance of each neighbour.
    margin: bool,
}

#[derive(Clone, Debug, PartialEq)]
enum Coordinate {
    Fixed(f64),
    Free(Free),
}

/// A coordinate that is searched.
#[derive(Clone, Debug, PartialEq)]
struct Free {
    /// The user's bounds; infinite where there are none.
    lower: f64,
    upper: f64,
    log: bool,
    /// Values are rounded; the bounds of the search are half a step wider.
    integer: bool,
    /// The bounds in search coordinates.
    interval: Interval,
}

/// Settings that have been checked: what a run begins with.
pub(crate) struct Prepared {
    /// `None` where the user's coordinates are the search's.
    pub(crate) space: Option<Space>,
    /// In search coordinates.
    pub(crate) distribution: SearchDistribution,
}

impl Settings {
    /// Check everything and take start and scale to search coordinates.
    pub(crate) fn prepare(&self) -> Result<Prepared, SettingsError> {
        let d = self.dimension();
        if d == 0 {
            return Err(SettingsError::EmptyStart);
        }
        if let Some((index, &value)) = self.x0.iter().flatten().enumerate().find(|(_, v)| !v.is_finite()) {
            return Err(SettingsError::StartNotFinite { index, value });
        }
        let mut space = self.space(d)?;
        let free = space.free();
        if free.is_empty() {
            return Err(SettingsError::NothingFree);
        }
        self.check_choices()?;
        let start = match &self.x0 {
            Some(x0) => space.coordinates_of(x0)?,
            None => space.centre()?,
        };
        let factor = match &self.scale {
            Some(scale) => scale.factor(d, &free)?,
            None => space.quarter()?.factor(d, &free)?,
        };
        let distribution = SearchDistribution::new(start, factor).expect("invariant: both were checked");
        if space.is_plain() {
            return Ok(Prepared { space: None, distribution });
        }
        space.set_margins(&distribution.standard_deviations());
        let mut mean = distribution.mean().to_vec();
        space.unfold(&mut mean);
        let distribution = SearchDistribution::new(mean, distribution.factor().to_vec())
            .expect("invariant: what lies inside comes from somewhere finite");
        Ok(Prepared { space: Some(space), distribution })
    }

    /// The space without margins, each coordinate checked.
    fn space(&self, d: usize) -> Result<Space, SettingsError> {
        let fits = |field, got: Option<usize>| match got {
            Some(got) if got != d => Err(SettingsError::CoordinateCount { field, got, dimension: d }),
            _ => Ok(()),
        };
        fits("bounds", self.bounds.as_ref().map(|b| b.0.len()))?;
        fits("log_scale", self.log_scale.len())?;
        fits("integer", self.integers.len())?;
        let coordinate = |index| {
            let none = (f64::NEG_INFINITY, f64::INFINITY);
            let (lower, upper) = self.bounds.as_ref().map_or(none, |b| b.0[index]);
            Coordinate::new(lower, upper, self.log_scale.at(index), self.integers.at(index))
                .map_err(|reason| SettingsError::Bounds { index, lower, upper, reason })
        };
        let coordinates = (0..d).map(coordinate).collect::<Result<_, _>>()?;
        Ok(Space { coordinates, handling: self.bound_handling, margin: self.integer_margin })
    }
}

impl Coordinate {
    /// The coordinate with these bounds, or what is wrong with them.
    fn new(lower: f64, upper: f64, log: bool, integer: bool) -> Result<Self, &'static str> {
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
        if integer && [lower, upper].iter().any(|b| b.is_finite() && b.abs() > integer::LARGEST) {
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
            if high - low < f64::MIN_POSITIVE / MARGIN / MARGIN {
                return Err(
                    "the range is too narrow for floating-point numbers: widen it, fix the coordinate \
                            with equal bounds, or search it on a linear scale",
                );
            }
        }
        let interval = Interval::with_margin(Some(low), Some(high), 0.0)
            .map_err(|_| "the lower must be below the upper")?;
        Ok(Self::Free(Free { lower, upper, log, integer, interval }))
    }

    fn free(&self) -> Option<&Free> {
        match self {
            Self::Fixed(_) => None,
            Self::Free(free) => Some(free),
        }
    }

    /// The search coordinate of a start value, not unfolded; `None` for a fixed one.
    fn of(&self, index: usize, value: f64) -> Result<Option<f64>, SettingsError> {
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
    fn range(&self) -> Option<(f64, f64)> {
        self.interval.lower().zip(self.interval.upper())
    }

    /// The user's value of a search coordinate: within the bounds, exactly.
    fn user(&self, u: f64, handling: BoundHandling) -> f64 {
        let v = match handling {
            BoundHandling::Resample => self.interval.clamped(u),
            BoundHandling::Smooth | BoundHandling::Reflect => self.interval.inside(u),
        };
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

impl Space {
    /// The number of coordinates that the user sees.
    pub(crate) fn dimension(&self) -> usize {
        self.coordinates.len()
    }

    /// Which of the user's coordinates are searched.
    fn free(&self) -> Vec<usize> {
        let each = self.coordinates.iter().enumerate();
        each.filter(|(_, c)| c.free().is_some()).map(|(i, _)| i).collect()
    }

    fn each_free(&self) -> impl Iterator<Item = &Free> {
        self.coordinates.iter().filter_map(Coordinate::free)
    }

    /// Whether the user's coordinates are the search's.
    fn is_plain(&self) -> bool {
        let plain = |c: &Coordinate| {
            c.free().is_some_and(|f| !f.log && !f.integer && f.lower == -f.upper && f.upper.is_infinite())
        };
        self.coordinates.iter().all(plain)
    }

    /// The centre of the box, not unfolded.
    fn centre(&self) -> Result<Vec<f64>, SettingsError> {
        let middle = |(index, c): (usize, &Coordinate)| {
            let free = c.free()?;
            Some(free.range().map(|(a, b)| a + 0.5 * (b - a)).ok_or(SettingsError::NoStart { index }))
        };
        self.coordinates.iter().enumerate().filter_map(middle).collect()
    }

    /// A quarter of each range; 1 stands for the fixed coordinates.
    fn quarter(&self) -> Result<crate::scale::Scale, SettingsError> {
        let quarter = |(index, c): (usize, &Coordinate)| match c.free() {
            None => Ok(1.0),
            Some(f) => f.range().map(|(a, b)| 0.25 * (b - a)).ok_or(SettingsError::NoScale { index }),
        };
        let sigmas = self.coordinates.iter().enumerate().map(quarter).collect::<Result<Vec<_>, _>>()?;
        Ok(sigmas.into())
    }

    /// The margins follow from the initial deviations: a scale without a unit would be none.
    fn set_margins(&mut self, deviations: &[f64]) {
        let smooth = self.handling == BoundHandling::Smooth;
        let free = self.coordinates.iter_mut().filter_map(|c| match c {
            Coordinate::Fixed(_) => None,
            Coordinate::Free(free) => Some(free),
        });
        for (f, sigma) in free.zip(deviations) {
            // What is rounded needs no smooth map.
            let margin = if smooth && !f.integer { MARGIN * sigma } else { 0.0 };
            f.interval = Interval::with_margin(f.interval.lower(), f.interval.upper(), margin)
                .expect("invariant: these were bounds before");
        }
    }

    /// From coordinates inside the box to those that are mapped there.
    fn unfold(&self, coordinates: &mut [f64]) {
        for (u, f) in coordinates.iter_mut().zip(self.each_free()) {
            *u = f.interval.outside(*u);
        }
    }

    /// The search coordinates of a start, not unfolded.
    fn coordinates_of(&self, x0: &[f64]) -> Result<Vec<f64>, SettingsError> {
        let each = self.coordinates.iter().zip(x0).enumerate();
        each.filter_map(|(i, (c, &value))| c.of(i, value).transpose()).collect()
    }

    /// The search coordinates of a start of the user's.
    ///
    /// # Errors
    /// A value outside the bounds.
    pub(crate) fn start_at(&self, x0: &[f64]) -> Result<Vec<f64>, SettingsError> {
        let mut start = self.coordinates_of(x0)?;
        self.unfold(&mut start);
        Ok(start)
    }

    /// Replace coordinates with two bounds by uniform draws from between them.
    pub(crate) fn draw_in_box(&self, start: &mut [f64], generator: &mut Generator) {
        for (u, f) in start.iter_mut().zip(self.each_free()) {
            if let Some((a, b)) = f.range() {
                *u = f.interval.outside(a + (b - a) * generator.uniform());
            }
        }
    }

    /// The user's coordinates of points of the search, both as rows. O(n d).
    pub(crate) fn users(&self, points: &[f64], out: &mut [f64]) {
        let mut search = points.iter();
        for row in out.chunks_exact_mut(self.dimension()) {
            for (x, coordinate) in row.iter_mut().zip(&self.coordinates) {
                *x = match coordinate {
                    Coordinate::Fixed(value) => *value,
                    Coordinate::Free(f) => search.next().map_or(f64::NAN, |&u| f.user(u, self.handling)),
                };
            }
        }
    }

    /// One number for each of the user's coordinates from one for each of the search's; 0 for a fixed one.
    pub(crate) fn spread(&self, numbers: &[f64]) -> Vec<f64> {
        let mut search = numbers.iter();
        let each = self.coordinates.iter();
        each.map(|c| c.free().and_then(|_| search.next()).copied().unwrap_or(0.0)).collect()
    }

    /// Where points outside are drawn again: do so for the fresh rows, and move to the box what 100 draws did
    /// not bring there. Whitened coordinates are those of the points, as moved.
    pub(crate) fn resample(
        &self,
        population: &mut Population,
        distribution: &SearchDistribution,
        generator: &mut Generator,
    ) {
        if self.handling != BoundHandling::Resample {
            return;
        }
        let d = population.dimension();
        for row in population.kept..population.len() {
            let z = &mut population.points[row * d..(row + 1) * d];
            let s = &mut population.whitened[row * d..(row + 1) * d];
            let contains = |z: &[f64]| z.iter().zip(self.each_free()).all(|(u, f)| f.interval.contains(*u));
            for _ in 1..MAX_DRAWS {
                if contains(z) {
                    break;
                }
                generator.fill_normal(s);
                distribution.points_from(s, z); // z = x + Aᵀs ~ N(x, AᵀA)
            }
            if !contains(z) {
                z.iter_mut().zip(self.each_free()).for_each(|(u, f)| *u = f.interval.clamped(*u));
                s.iter_mut().zip(&*z).zip(distribution.mean()).for_each(|((s, z), x)| *s = z - x);
                linalg::solve_transpose(distribution.factor(), s, d); // s = A⁻ᵀ(z − x)
            }
        }
    }

    /// Where points outside are drawn again: a mean outside is moved to the box. From a mean outside few
    /// draws land inside, and a model that saw only the inside knows nothing of where it went.
    pub(crate) fn keep_mean_inside(
        &self,
        distribution: &mut SearchDistribution,
        motion: &mut Motion,
        scratch: &mut [f64],
    ) {
        if self.handling != BoundHandling::Resample {
            return;
        }
        let free = || self.each_free();
        if distribution.mean().iter().zip(free()).any(|(u, f)| !f.interval.contains(*u)) {
            distribution.move_into(free().map(|f| &f.interval), motion, scratch);
        }
        // Truncated samples all point inwards from a bound, which the strategies take for progress: without
        // a limit the step would grow until no draw lands inside.
        let deviations = &mut scratch[..distribution.dimension()];
        distribution.standard_deviations_into(deviations);
        let ranges = free().map(|f| f.range().map_or(f64::INFINITY, |(a, b)| b - a));
        let excess = deviations.iter().zip(ranges).fold(0.0f64, |most, (s, range)| most.max(s / range));
        if excess > LARGEST {
            distribution.shrink(LARGEST / excess, motion);
        }
    }
}
