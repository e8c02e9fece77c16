//! The space between the user's coordinates and the search's: bounds, log scales, fixed coordinates, integers.
//!
//! Strategies, stop rules and checkpoints live in search coordinates, which are free and unbounded. A fixed
//! coordinate has none; one on a log scale has ln x; a bounded one is folded into its interval on the way out.
//! Where the user's coordinates are the search's, everything here does nothing.

mod bounds;
mod coordinate;
mod flags;
mod integers;
mod interval;
mod limits;
mod margin;
mod one_hot;
mod resample;
mod scale;
mod width;

pub use bounds::{BoundHandling, Bounds};
pub use flags::{Integers, LogScale};
pub(crate) use integers::whole_bounds;
pub use interval::{Interval, IntervalError};
pub(crate) use limits::Limits;
pub use scale::Scale;

use crate::error::SettingsError;
use crate::random::Generator;
use crate::search::Search;
use coordinate::{Coordinate, Free};
use limits::{Limit, Whole};

/// Of the initial deviation, how far the parabola at a bound reaches: with a quarter of the range as the
/// deviation a twentieth of the range.
const PARABOLA: f64 = 0.2;

/// How search coordinates become the user's.
#[derive(Clone, Debug, PartialEq)]
pub(crate) struct Space {
    coordinates: Vec<Coordinate>,
    handling: BoundHandling,
    /// Whether integers keep a chance of each neighbour.
    margin: bool,
    /// Whether the user's coordinates are the search's.
    plain: bool,
}

impl Space {
    /// The space of d coordinates, each checked. The parabolas at the bounds wait for `set_margins`.
    ///
    /// # Errors
    /// Answers for another number of coordinates, or bounds that hold no number to search.
    pub(crate) fn new(
        d: usize,
        bounds: Option<&Bounds>,
        log_scale: &LogScale,
        integers: &Integers,
        one_hot: &[Vec<usize>],
        handling: BoundHandling,
        margin: bool,
    ) -> Result<Self, SettingsError> {
        let fits = |field, got: Option<usize>| match got {
            Some(got) if got != d => Err(SettingsError::CoordinateCount { field, got, dimension: d }),
            _ => Ok(()),
        };
        fits("bounds", bounds.map(|b| b.0.len()))?;
        fits("log_scale", log_scale.len())?;
        fits("integer", integers.len())?;
        one_hot::check(one_hot, d, bounds, log_scale)?;
        let coordinate = |index| {
            if let Some(group) = one_hot.iter().position(|members| members.contains(&index)) {
                return Ok(Coordinate::choice(group));
            }
            let none = (f64::NEG_INFINITY, f64::INFINITY);
            let (lower, upper) = bounds.map_or(none, |b| b.0[index]);
            Coordinate::new(lower, upper, log_scale.at(index), integers.at(index))
                .map_err(|reason| SettingsError::Bounds { index, lower, upper, reason })
        };
        let coordinates: Vec<Coordinate> = (0..d).map(coordinate).collect::<Result<_, _>>()?;
        let plain = coordinates.iter().all(Coordinate::is_plain);
        Ok(Self { coordinates, handling, margin, plain })
    }

    /// The number of coordinates that the user sees.
    pub(crate) fn dimension(&self) -> usize {
        self.coordinates.len()
    }

    /// The number of coordinates that are searched.
    pub(crate) fn search_dimension(&self) -> usize {
        self.each_free().count()
    }

    /// Which of the user's coordinates are searched.
    pub(crate) fn free(&self) -> Vec<usize> {
        let each = self.coordinates.iter().enumerate();
        each.filter(|(_, c)| c.free().is_some()).map(|(i, _)| i).collect()
    }

    fn each_free(&self) -> impl Iterator<Item = &Free> {
        self.coordinates.iter().filter_map(Coordinate::free)
    }

    /// Whether the user's coordinates are the search's.
    pub(crate) fn is_plain(&self) -> bool {
        self.plain
    }

    /// Whether every point of the box can be evaluated: no whole numbers, and none is drawn again.
    pub(crate) fn is_continuous(&self) -> bool {
        let bounded = |f: &Free| f.interval.lower().or(f.interval.upper()).is_some();
        let drawn_again = self.handling == BoundHandling::Resample;
        self.each_free().all(|f| !(f.integer || drawn_again && bounded(f)))
    }

    /// The centre of the box, not unfolded.
    pub(crate) fn centre(&self) -> Result<Vec<f64>, SettingsError> {
        let middle = |(index, c): (usize, &Coordinate)| {
            let free = c.free()?;
            Some(free.range().map(|(a, b)| a + 0.5 * (b - a)).ok_or(SettingsError::NoStart { index }))
        };
        self.coordinates.iter().enumerate().filter_map(middle).collect()
    }

    /// A quarter of each range; 1 stands for the fixed coordinates.
    pub(crate) fn quarter(&self) -> Result<Scale, SettingsError> {
        let quarter = |(index, c): (usize, &Coordinate)| match c.free() {
            None => Ok(1.0),
            Some(f) => f.range().map(|(a, b)| 0.25 * (b - a)).ok_or(SettingsError::NoScale { index }),
        };
        let sigmas = self.coordinates.iter().enumerate().map(quarter).collect::<Result<Vec<_>, _>>()?;
        Ok(sigmas.into())
    }

    /// The margins follow from the initial deviations: a scale without a unit would be none.
    pub(crate) fn set_margins(&mut self, deviations: &[f64]) {
        let smooth = self.handling == BoundHandling::Smooth;
        let free = self.coordinates.iter_mut().filter_map(|c| match c {
            Coordinate::Fixed(_) => None,
            Coordinate::Free(free) => Some(free),
        });
        for (f, sigma) in free.zip(deviations) {
            // What is rounded needs no smooth map.
            let margin = if smooth && !f.integer { PARABOLA * sigma } else { 0.0 };
            f.interval = Interval::with_margin(f.interval.lower(), f.interval.upper(), margin)
                .expect("invariant: these were bounds before");
        }
    }

    /// From coordinates inside the box to those that are mapped there.
    pub(crate) fn unfold(&self, coordinates: &mut [f64]) {
        for (u, f) in coordinates.iter_mut().zip(self.each_free()) {
            *u = f.interval.outside(*u);
        }
    }

    /// The range of each coordinate that is searched; `None` for one without two bounds.
    pub(crate) fn widths(&self) -> Vec<Option<f64>> {
        self.each_free().map(|f| f.range().map(|(a, b)| b - a)).collect()
    }

    /// Search coordinates inside the box, where a start is before it is unfolded.
    pub(crate) fn folded(&self, coordinates: &[f64]) -> Vec<f64> {
        coordinates.iter().zip(self.each_free()).map(|(&u, f)| f.interval.inside(u)).collect()
    }

    /// The ranges of coordinates inside the box; for one without two bounds, as far as `reach` to both sides of where it is.
    pub(crate) fn ranges_around(&self, inside: &[f64], reach: &[f64]) -> Vec<(f64, f64)> {
        let each = inside.iter().zip(reach).zip(self.each_free());
        each.map(|((x, reach), f)| {
            f.range().unwrap_or_else(|| (f.interval.clamped(x - reach), f.interval.clamped(x + reach)))
        })
        .collect()
    }

    /// The one of all coordinates that are mapped to the same point which a start there would have; and whether the map is
    /// mirrored where they are.
    pub(crate) fn canonical(&self, coordinates: &[f64]) -> Vec<(f64, bool)> {
        let each = coordinates.iter().zip(self.each_free());
        each.map(|(&u, f)| (f.interval.outside(f.interval.inside(u)), f.interval.is_mirrored(u))).collect()
    }

    /// The search coordinates of a start, not unfolded.
    pub(crate) fn coordinates_of(&self, x0: &[f64]) -> Result<Vec<f64>, SettingsError> {
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

    /// The same for a point within the bounds, into the coordinates of a sample.
    pub(crate) fn place(&self, point: &[f64], out: &mut [f64]) {
        let free = self.coordinates.iter().zip(point).filter_map(|(c, &value)| c.free().map(|f| (f, value)));
        for (u, (f, value)) in out.iter_mut().zip(free) {
            *u = f.interval.outside(if f.log { value.ln() } else { value });
        }
    }

    /// The coefficients of the coordinates that are searched, of a function that is linear in the user's; `None` where it is
    /// not linear in them.
    pub(crate) fn coefficients(&self, users: &[f64]) -> Option<Vec<f64>> {
        let each = self.coordinates.iter().zip(users).filter_map(|(c, &a)| c.free().map(|free| (free, a)));
        each.map(|(free, a)| (a == 0.0 || !(free.log || free.integer)).then_some(a)).collect()
    }

    /// The points that are evaluated, where search coordinates are folded into a box or rounded.
    pub(crate) fn limits(&self) -> Option<Limits> {
        let folds = self.handling != BoundHandling::Resample;
        let limited = |f: &Free| f.integer || f.interval.lower().or(f.interval.upper()).is_some();
        let limit = |f: &Free| {
            let whole = f.integer.then_some(Whole { lower: f.lower, upper: f.upper, log: f.log });
            Limit { interval: f.interval, whole, group: f.group }
        };
        (folds && self.each_free().any(limited)).then(|| Limits::new(self.each_free().map(limit).collect()))
    }

    /// Where coordinates lie between two bounds, from 0 to 1; `None` for those without.
    pub(crate) fn between_bounds(&self, coordinates: &[f64]) -> Vec<Option<f64>> {
        let each = coordinates.iter().zip(self.each_free());
        each.map(|(&u, f)| f.range().map(|(a, b)| (f.interval.inside(u) - a) / (b - a))).collect()
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
        let has_groups = self.has_groups();
        for row in out.chunks_exact_mut(self.dimension()) {
            for (x, coordinate) in row.iter_mut().zip(&self.coordinates) {
                let mut next = || search.next().copied().unwrap_or(f64::NAN);
                *x = match coordinate {
                    Coordinate::Fixed(value) => *value,
                    Coordinate::Free(f) if f.group.is_some() => f.inside(next(), self.handling),
                    Coordinate::Free(f) => f.user(next(), self.handling),
                };
            }
            if has_groups {
                self.choose(row);
            }
        }
    }

    /// One number for each of the user's coordinates from one for each of the search's; 0 for a fixed one.
    pub(crate) fn spread(&self, numbers: &[f64]) -> Vec<f64> {
        let mut search = numbers.iter();
        let each = self.coordinates.iter();
        each.map(|c| c.free().and_then(|_| search.next()).copied().unwrap_or(0.0)).collect()
    }
}

impl Space {
    /// After an update: nothing gets wider than the box, a mean outside is moved to it where points outside are
    /// drawn again, and integers that an update has narrowed get their margin back.
    pub(crate) fn restrain(&self, search: &mut Search) {
        if self.plain {
            return;
        }
        self.keep_inside(search);
        self.keep_margin(search.population.len(), search);
    }

    /// Nothing gets wider than the box, and a mean outside is moved to it where points outside are drawn again.
    pub(crate) fn keep_inside(&self, search: &mut Search) {
        self.keep_width(search);
        self.keep_mean_inside(search);
    }
}
