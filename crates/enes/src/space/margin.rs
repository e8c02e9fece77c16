//! The margin of integer coordinates: each value next to the mean's own keeps a chance to be drawn.
//!
//! A rounded search that has found a value draws nothing else once its deviation is small against 1, and
//! nothing tells it to widen again: it is frozen. The idea against that is the margin's of CMA-ES with Margin:
//! after each update the probability of leaving the mean's cell, the numbers that round to one value, is
//! brought up to α where it is below. α = 1/(n d), n at most 16: about one integer coordinate a generation is
//! tried elsewhere, often enough to notice a better value, and too rarely to disturb the ranks of the rest.
//!
//! The variance that is missing is added, independent of the other coordinates. To multiply the column of the
//! factor instead would keep correlations, which grow to ±1 while the update narrows what the margin widens, and
//! the search ends ill-conditioned. With a margin the mean of a coordinate wanders in its cell and is thrown
//! back from the edges, which shortens the adaptive strategy's path: where there are other coordinates, integers that
//! are as narrow as that say nothing of the step. `tests/integers.rs` holds success with the margin against
//! success without it.

use super::coordinate::Coordinate;
use super::{BoundHandling, Free, Space};
use crate::math::quantile::normal_quantile;
use crate::search::{Search, SearchDistribution};

/// α at most: tiny populations in few dimensions would have their deviations blown up.
const MOST_CHANCE: f64 = 0.1;

/// Populations beyond this count as this many: with the published strategy's 56 points in 4 dimensions some
/// searches stopped before they had tried every neighbour.
const CROWD: usize = 16;

/// Lattices of so many points are counted out.
const MOST_POINTS: f64 = 4096.0;

/// How many deviations from the mean an edge of its cell may lie, so that the chance beyond it is enough:
/// where there is a neighbour on both sides, and where on one.
#[derive(Clone, Copy, Debug)]
struct Reach {
    both: f64,
    one: f64,
}

impl Reach {
    fn new(n: usize, d: usize) -> Self {
        let alpha = (1.0 / (n.min(CROWD) as f64 * d as f64)).min(MOST_CHANCE);
        Self { both: -normal_quantile(0.5 * alpha), one: -normal_quantile(alpha) }
    }
}

/// The numbers that round to the value of the mean, in search coordinates inside the bounds.
#[derive(Clone, Copy, Debug)]
struct Cell {
    lower: f64,
    upper: f64,
    /// Whether there is another value on that side.
    below: bool,
    above: bool,
}

impl Cell {
    /// A deviation and a mean at which neighbours have their chance; the same where they have it already.
    fn kept(self, mean: f64, sigma: f64, reach: Reach) -> (f64, f64) {
        let width = self.upper - self.lower;
        let (down, up) = (mean - self.lower, self.upper - mean);
        match (self.below, self.above) {
            (false, false) => (mean, sigma),
            (true, true) => {
                let most = reach.both;
                if down <= most * sigma && up <= most * sigma {
                    return (mean, sigma);
                }
                // The chance of a side that has enough stays as it is.
                let (down, up) = ((down / sigma).min(most), (up / sigma).min(most));
                let sigma = width / (down + up);
                (self.lower + sigma * down, sigma)
            }
            // At the end of the range: wide enough for a mean in the middle of the cell, and the mean no
            // farther from the edge than the deviation reaches.
            (true, false) => {
                let sigma = sigma.max(0.5 * width / reach.one);
                (self.lower + down.min(reach.one * sigma), sigma)
            }
            (false, true) => {
                let sigma = sigma.max(0.5 * width / reach.one);
                (self.upper - up.min(reach.one * sigma), sigma)
            }
        }
    }
}

impl Free {
    /// The cell of a search coordinate, where there are neighbours, and the coordinate folded inside.
    fn cell(&self, u: f64, handling: BoundHandling) -> Option<(Cell, f64)> {
        let search = |x: f64| if self.log { x.ln() } else { x };
        let value = self.user(u, handling);
        let (lower, upper) = (search(value - 0.5), search(value + 0.5));
        let inside = self.inside(u, handling);
        let cell = Cell { lower, upper, below: value > self.lower, above: value < self.upper };
        (upper - lower > 0.0).then(|| (cell, inside.clamp(lower, upper)))
    }
}

impl Space {
    /// Which coordinates of the search are integers; empty where none is.
    pub(crate) fn integers(&self) -> Vec<bool> {
        let each: Vec<bool> = self.each_free().map(|f| f.integer).collect();
        if each.contains(&true) { each } else { Vec::new() }
    }

    /// How many coordinates of the search are integers.
    pub(crate) fn count_integers(&self) -> usize {
        self.each_free().filter(|f| f.integer).count()
    }

    /// Whether all coordinates that are searched are integers.
    pub(crate) fn is_lattice(&self) -> bool {
        self.each_free().all(|f| f.integer)
    }

    /// How many points there are, where all coordinates that are searched are integers between bounds, and these are few.
    pub(crate) fn lattice_points(&self) -> Option<u64> {
        let choices = |group| self.each_free().filter(|f| f.group == Some(group)).count() as f64;
        let count = |(j, f): (usize, &Free)| match f.group {
            None => f.integer.then_some(f.upper - f.lower + 1.0),
            // The first choice of a category counts for all.
            Some(group) if self.each_free().take(j).all(|f| f.group != Some(group)) => Some(choices(group)),
            Some(_) => Some(1.0),
        };
        let mut counts = self.each_free().enumerate().map(count);
        let points = counts.try_fold(1.0, |all, values| values.map(|v| all * v))?;
        (points <= MOST_POINTS).then_some(points as u64)
    }

    /// Whether one of the user's coordinates is an integer that can have this value.
    pub(crate) fn has_value(&self, index: usize, value: f64) -> bool {
        let free = self.coordinates.get(index).and_then(Coordinate::free);
        free.is_some_and(|f| f.integer && (f.lower..=f.upper).contains(&value))
    }

    /// A distribution to begin with, whose integer coordinates have the margin of populations of n.
    pub(crate) fn with_margin(&self, distribution: SearchDistribution, n: usize) -> SearchDistribution {
        let mut search = Search::new(distribution, 0);
        self.keep_margin(n, &mut search);
        search.distribution
    }

    /// Widen the distribution of a search with populations of n, and move its mean, until every integer
    /// coordinate has its margin. O(d²) for each coordinate that lacks it.
    pub(super) fn keep_margin(&self, n: usize, search: &mut Search) {
        if !self.margin {
            return;
        }
        let mut reach = None;
        for (j, f) in self.each_free().enumerate().filter(|(_, f)| f.integer) {
            let distribution = &search.distribution;
            let reach = *reach.get_or_insert_with(|| Reach::new(n, distribution.dimension()));
            let (u, sigma) = (distribution.mean()[j], distribution.deviation(j));
            let Some((cell, mean)) = f.cell(u, self.handling) else { continue };
            let (to, wider) = cell.kept(mean, sigma, reach);
            let mirrored = self.handling != BoundHandling::Resample && f.interval.is_mirrored(u);
            let by = if mirrored { mean - to } else { to - mean };
            if wider > sigma || by != 0.0 {
                let variance = (wider - sigma) * (wider + sigma);
                search.widen(j, variance, by);
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    fn cells() -> impl Strategy<Value = Cell> {
        (-5.0..5.0f64, 0.1..2.0f64, 0..3u8).prop_map(|(lower, width, sides)| Cell {
            lower,
            upper: lower + width,
            below: sides != 1,
            above: sides != 2,
        })
    }

    /// Deviations from the mean to the edge on a side, or none where there is no neighbour.
    fn distances(cell: Cell, mean: f64, sigma: f64) -> (Option<f64>, Option<f64>) {
        let (down, up) = ((mean - cell.lower) / sigma, (cell.upper - mean) / sigma);
        (cell.below.then_some(down), cell.above.then_some(up))
    }

    proptest! {
        #[test]
        fn every_neighbour_has_its_chance(
            cell in cells(), at in 0.0..1.0f64, log_sigma in -30.0..3.0f64, n in 2..500usize, d in 1..50usize,
        ) {
            let (reach, sigma) = (Reach::new(n, d), log_sigma.exp());
            let mean = cell.lower + at * (cell.upper - cell.lower);
            let (to, wider) = cell.kept(mean, sigma, reach);
            prop_assert!((cell.lower..=cell.upper).contains(&to), "{to} {cell:?}");
            prop_assert!(wider >= sigma * (1.0 - 1e-12) && wider <= sigma.max(cell.upper - cell.lower), "{wider}");
            let most = if cell.below && cell.above { reach.both } else { reach.one };
            let (down, up) = distances(cell, to, wider);
            prop_assert!([down, up].iter().flatten().all(|z| *z <= most * (1.0 + 1e-9)), "{down:?} {up:?}");
            // Twice is once.
            let (again, same) = cell.kept(to, wider, reach);
            prop_assert!((again - to).abs() < 1e-9 && (same / wider - 1.0).abs() < 1e-9);
        }
    }

    #[test]
    fn a_wide_search_is_left_alone() {
        let cell = Cell { lower: 2.5, upper: 3.5, below: true, above: true };
        assert_eq!(cell.kept(3.2, 0.7, Reach::new(7, 10)), (3.2, 0.7));
        let end = Cell { below: false, ..cell };
        assert_eq!(end.kept(2.9, 0.7, Reach::new(7, 10)), (2.9, 0.7));
    }
}
