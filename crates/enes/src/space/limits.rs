//! The box of the search coordinates, for a strategy that works in the box itself and not in the unbounded coordinates
//! that are folded into it.

use super::interval::Interval;
use crate::linalg;
use crate::search::SearchDistribution;

/// The interval of each coordinate that is searched.
#[derive(Clone, Debug, PartialEq)]
pub(crate) struct Limits(Vec<Interval>);

impl Limits {
    pub(super) fn new(intervals: Vec<Interval>) -> Self {
        Self(intervals)
    }

    pub(crate) fn dimension(&self) -> usize {
        self.0.len()
    }

    /// Lower and upper bound of each coordinate, infinite where there is none.
    pub(crate) fn bounds(&self) -> impl Iterator<Item = (f64, f64)> {
        let bound = |b: Option<f64>, none: f64| b.unwrap_or(none);
        self.0.iter().map(move |i| (bound(i.lower(), f64::NEG_INFINITY), bound(i.upper(), f64::INFINITY)))
    }

    /// How far the fold at the bounds of a coordinate reaches to both sides of them.
    pub(crate) fn margin(&self, j: usize) -> f64 {
        self.0[j].margin()
    }

    /// From search coordinates, as rows, to those inside the box.
    pub(crate) fn fold(&self, points: &mut [f64]) {
        for point in points.chunks_exact_mut(self.0.len()) {
            point.iter_mut().zip(&self.0).for_each(|(u, interval)| *u = interval.inside(*u));
        }
    }

    /// From a point to the search coordinates of the nearest one inside the box.
    pub(crate) fn unfold(&self, point: &mut [f64]) {
        point.iter_mut().zip(&self.0).for_each(|(x, interval)| *x = interval.outside(*x));
    }

    /// A sample of the distribution as it is inside the box: around the folded mean, so wide in each coordinate against the
    /// distribution, and moved to the nearest point of the box. The whitened coordinates become those of the point.
    /// Says whether it is another than the distribution's.
    pub(crate) fn place(
        &self,
        distribution: &SearchDistribution,
        widths: &[f64],
        s: &mut [f64],
        z: &mut [f64],
    ) -> bool {
        let mut moved = false;
        for (((z, mean), interval), width) in z.iter_mut().zip(distribution.mean()).zip(&self.0).zip(widths) {
            let inside = interval.inside(*mean);
            let by = if inside == *mean && *width == 1.0 { *z } else { inside + width * (*z - mean) };
            let to = interval.outside(by);
            moved |= to != *z;
            *z = to;
        }
        if moved {
            s.iter_mut().zip(&*z).zip(distribution.mean()).for_each(|((s, z), x)| *s = z - x);
            linalg::solve_transpose(distribution.factor(), s, z.len()); // s = A⁻ᵀ(z − x)
        }
        moved
    }
}

#[cfg(test)]
impl Limits {
    /// Plain bounds without a margin.
    pub(crate) fn plain(bounds: &[(f64, f64)]) -> Self {
        let interval = |b: &(f64, f64)| Interval::with_margin(Some(b.0), Some(b.1), 0.0).unwrap();
        Self(bounds.iter().map(interval).collect())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_sample_is_placed_around_the_folded_mean_and_within_the_box() {
        let interval = Interval::with_margin(Some(0.0), Some(10.0), 0.5).unwrap();
        let limits = Limits::new(vec![interval, interval]);
        // The first coordinate of the mean is on its bound, which is half a margin outside.
        let distribution = SearchDistribution::new(vec![-0.5, 4.0], vec![1.0, 0.5, 0.0, 2.0]).unwrap();
        let placed = |s: [f64; 2], widths: [f64; 2]| {
            let (mut s, mut z) = (s, [0.0; 2]);
            distribution.points_from(&s, &mut z);
            let moved = limits.place(&distribution, &widths, &mut s, &mut z);
            let mut again = [0.0; 2];
            distribution.points_from(&s, &mut again);
            assert!(z.iter().zip(again).all(|(a, b)| (a - b).abs() < 1e-12), "{z:?} {again:?}");
            limits.fold(&mut z);
            (moved, z)
        };
        let close = |a: [f64; 2], b: [f64; 2]| {
            assert!(a.iter().zip(b).all(|(a, b)| (a - b).abs() < 1e-12), "{a:?} {b:?}");
        };
        close(placed([1.0, 0.0], [1.0, 1.0]).1, [1.0, 4.5]);
        close(placed([-1.0, 0.0], [1.0, 1.0]).1, [0.0, 3.5]);
        close(placed([1.0, 0.0], [0.25, 1.0]).1, [0.25, 4.5]);
        close(placed([0.0, 9.0], [1.0, 1.0]).1, [0.0, 10.0]);
        let inside = SearchDistribution::new(vec![4.0, 4.0], vec![1.0, 0.5, 0.0, 2.0]).unwrap();
        let (mut s, mut z) = ([0.3, -0.2], [0.0; 2]);
        inside.points_from(&s, &mut z);
        let (before, point) = (s, z);
        assert!(!limits.place(&inside, &[1.0, 1.0], &mut s, &mut z));
        assert_eq!((s, z), (before, point));
    }
}
