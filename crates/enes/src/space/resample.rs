//! Points outside the bounds are drawn again: the one handling that the search must know.

use super::{BoundHandling, Space};
use crate::random::Generator;
use crate::search::{Search, SearchDistribution};

/// Draws for a point that lies outside, before it is moved to the box.
const MOST_DRAWS: usize = 100;

/// A deviation of resampled points, in units of the range, at most.
const WIDEST_RESAMPLED: f64 = 0.5;

impl Space {
    /// Where points outside are drawn again: do so for the fresh rows, and move to the box what 100 draws did
    /// not bring there. Whitened coordinates are those of the points, as moved.
    pub(crate) fn resample(&self, search: &mut Search, generator: &mut Generator) {
        if self.handling != BoundHandling::Resample {
            return;
        }
        let Search { distribution, population, .. } = search;
        for row in population.known()..population.len() {
            let (s, z) = population.row_mut(row);
            self.draw_inside(distribution, s, z, generator);
        }
    }

    /// The same for one sample.
    pub(crate) fn resample_one(
        &self,
        distribution: &SearchDistribution,
        s: &mut [f64],
        z: &mut [f64],
        generator: &mut Generator,
    ) {
        if self.handling == BoundHandling::Resample {
            self.draw_inside(distribution, s, z, generator);
        }
    }

    fn draw_inside(
        &self,
        distribution: &SearchDistribution,
        s: &mut [f64],
        z: &mut [f64],
        generator: &mut Generator,
    ) {
        let contains = |z: &[f64]| z.iter().zip(self.each_free()).all(|(u, f)| f.interval.contains(*u));
        for _ in 1..MOST_DRAWS {
            if contains(z) {
                break;
            }
            generator.fill_normal(s);
            distribution.points_from(s, z); // z = x + Aᵀs ~ N(x, AᵀA)
        }
        if !contains(z) {
            z.iter_mut().zip(self.each_free()).for_each(|(u, f)| *u = f.interval.clamped(*u));
            s.iter_mut().zip(&*z).zip(distribution.mean()).for_each(|((s, z), x)| *s = z - x);
            distribution.solve_transpose(s); // s = A⁻ᵀ(z − x)
        }
    }

    /// Where points outside are drawn again: a mean outside is moved to the box. From a mean outside few
    /// draws land inside, and a model that saw only the inside knows nothing of where it went.
    pub(super) fn keep_mean_inside(&self, search: &mut Search) {
        if self.handling != BoundHandling::Resample {
            return;
        }
        let free = || self.each_free();
        if search.distribution.mean().iter().zip(free()).any(|(u, f)| !f.interval.contains(*u)) {
            let mut each = free();
            search.move_mean(|_, u| each.next().map_or(u, |f| f.interval.clamped(u)));
        }
        // Truncated samples all point inwards from a bound, which the strategies take for progress: without
        // a limit the step would grow until no draw lands inside.
        let ranges = free().map(|f| f.range().map_or(f64::INFINITY, |(a, b)| b - a));
        let deviations = search.standard_deviations();
        let excess = deviations.iter().zip(ranges).fold(0.0f64, |most, (s, range)| most.max(s / range));
        if excess > WIDEST_RESAMPLED {
            search.shrink(WIDEST_RESAMPLED / excess);
        }
    }
}
