//! The points that are evaluated, for a strategy that works with these and not with the unbounded coordinates that are
//! folded into a box and rounded: bounds and whole numbers.

use super::interval::Interval;
use super::one_hot::choose;
use super::width::WIDEST;
use crate::linalg;
use crate::search::SearchDistribution;

/// What values a coordinate that is searched may have.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(super) struct Limit {
    pub(super) interval: Interval,
    pub(super) whole: Option<Whole>,
    /// The category of which it is one choice: 0 and 1 are decided by all of them.
    pub(super) group: Option<usize>,
}

/// Whole numbers, in the user's coordinates.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(super) struct Whole {
    pub(super) lower: f64,
    pub(super) upper: f64,
    /// Whether the search goes by their logarithm.
    pub(super) log: bool,
}

impl Whole {
    fn user(self, u: f64) -> f64 {
        (if self.log { u.exp() } else { u }).round().clamp(self.lower, self.upper) + 0.0
    }

    fn search(self, value: f64) -> f64 {
        if self.log { value.ln() } else { value }
    }
}

impl Limit {
    /// The value that is evaluated, in search coordinates.
    fn inside(&self, u: f64) -> f64 {
        let inside = self.interval.inside(u);
        self.whole.map_or(inside, |whole| whole.search(whole.user(inside)))
    }

    /// The search coordinate of the nearest value there is.
    fn outside(&self, x: f64) -> f64 {
        self.interval.outside(self.whole.map_or(x, |whole| whole.search(whole.user(x))))
    }

    fn bounds(&self) -> (f64, f64) {
        let bound = |b: Option<f64>, none: f64| b.unwrap_or(none);
        let (lower, upper) = (self.interval.lower(), self.interval.upper());
        let (lower, upper) = (bound(lower, f64::NEG_INFINITY), bound(upper, f64::INFINITY));
        // The interval of whole numbers is half a step wider.
        let within = |whole: Whole| {
            let first = if lower.is_finite() { whole.search(whole.lower) } else { lower };
            (first, if upper.is_finite() { whole.search(whole.upper) } else { upper })
        };
        self.whole.map_or((lower, upper), within)
    }
}

/// What values each coordinate that is searched may have.
#[derive(Clone, Debug, PartialEq)]
pub(crate) struct Limits(Vec<Limit>);

impl Limits {
    pub(super) fn new(limits: Vec<Limit>) -> Self {
        Self(limits)
    }

    pub(crate) fn dimension(&self) -> usize {
        self.0.len()
    }

    /// Lower and upper bound of each coordinate, infinite where there is none.
    pub(crate) fn bounds(&self) -> impl Iterator<Item = (f64, f64)> {
        self.0.iter().map(Limit::bounds)
    }

    /// Whether a coordinate has whole numbers only.
    pub(crate) fn is_whole(&self, j: usize) -> bool {
        self.0[j].whole.is_some()
    }

    /// Whether nothing is done to a value of a coordinate: it is not a whole number by force, and farther from the bounds than
    /// the fold reaches.
    pub(crate) fn is_free(&self, j: usize, x: f64) -> bool {
        let Limit { interval, whole, .. } = self.0[j];
        let (lower, upper) = self.0[j].bounds();
        whole.is_none() && x - lower > interval.margin() && upper - x > interval.margin()
    }

    /// Whether a search with this mean and this deviation is narrower than the way from one whole number to the next.
    pub(crate) fn is_settled(&self, j: usize, mean: f64, deviation: f64) -> bool {
        let here = self.0[j].inside(mean);
        let next = self.neighbour(j, here, true).or_else(|| self.neighbour(j, here, false));
        next.is_some_and(|next| deviation < (next - here).abs())
    }

    /// From a value of a coordinate of whole numbers to the next one up or down, where there is one.
    pub(crate) fn neighbour(&self, j: usize, x: f64, up: bool) -> Option<f64> {
        let whole = self.0[j].whole?;
        let next = whole.user(x) + if up { 1.0 } else { -1.0 };
        (whole.lower..=whole.upper).contains(&next).then(|| whole.search(next))
    }

    /// The value of a coordinate that is nearest to a number within its bounds.
    pub(crate) fn nearest(&self, j: usize, x: f64) -> f64 {
        self.0[j].whole.map_or(x, |whole| whole.search(whole.user(x)))
    }

    /// How far the fold at the bounds of a coordinate reaches to both sides of them.
    pub(crate) fn margin(&self, j: usize) -> f64 {
        self.0[j].interval.margin()
    }

    /// From search coordinates, as rows, to those of the points that are evaluated.
    pub(crate) fn fold(&self, points: &mut [f64]) {
        for point in points.chunks_exact_mut(self.0.len()) {
            for (u, limit) in point.iter_mut().zip(&self.0) {
                *u = if limit.group.is_some() { limit.interval.inside(*u) } else { limit.inside(*u) };
            }
            self.choose(point);
        }
    }

    /// The search coordinate of a number within the bounds.
    pub(crate) fn unfolded(&self, j: usize, x: f64) -> f64 {
        self.0[j].outside(x)
    }

    /// The largest deviation of a coordinate.
    pub(crate) fn widest(&self, j: usize) -> f64 {
        let (lower, upper) = self.0[j].bounds();
        WIDEST * (upper - lower)
    }

    /// The category of which a coordinate is one choice.
    pub(crate) fn group_of(&self, j: usize) -> Option<usize> {
        self.0[j].group
    }

    /// Of the coordinates of each category the largest becomes 1, the others 0.
    fn choose(&self, point: &mut [f64]) {
        if self.0.iter().any(|limit| limit.group.is_some()) {
            choose(|j| self.0[j].group, point);
        }
    }

    /// To the nearest whole numbers, and to one choice of each category, where there are such.
    pub(crate) fn round(&self, point: &mut [f64]) {
        for j in (0..point.len()).filter(|&j| self.0[j].group.is_none()) {
            point[j] = self.nearest(j, point[j]);
        }
        self.choose(point);
    }

    /// From a point to the search coordinates of the nearest one that can be evaluated.
    pub(crate) fn unfold(&self, point: &mut [f64]) {
        self.choose(point);
        point.iter_mut().zip(&self.0).for_each(|(x, limit)| *x = limit.outside(*x));
    }

    /// A sample of the distribution as it is inside the box: around the folded mean, so wide in each coordinate against the
    /// distribution, and moved to the nearest point that can be evaluated. The whitened coordinates become those of the point.
    /// Says whether it is another than the distribution's.
    pub(crate) fn place(
        &self,
        distribution: &SearchDistribution,
        widths: &[f64],
        s: &mut [f64],
        z: &mut [f64],
    ) -> bool {
        let mut moved = false;
        for (((z, mean), limit), width) in z.iter_mut().zip(distribution.mean()).zip(&self.0).zip(widths) {
            if limit.group.is_some() {
                *z = limit.interval.inside(*z);
                moved = true;
                continue;
            }
            let inside = limit.inside(*mean);
            let by = if inside == *mean && *width == 1.0 { *z } else { inside + width * (*z - mean) };
            let to = limit.outside(by);
            moved |= to != *z;
            *z = to;
        }
        self.choose(z);
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
        Self(bounds.iter().map(|b| Limit { interval: interval(b), whole: None, group: None }).collect())
    }

    /// The same, where some have whole numbers only.
    pub(crate) fn with_wholes(bounds: &[(f64, f64)], whole: impl Fn(usize) -> bool) -> Self {
        let mut limits = Self::plain(bounds);
        for (j, (limit, &(lower, upper))) in limits.0.iter_mut().zip(bounds).enumerate() {
            if whole(j) {
                limit.interval = Interval::with_margin(Some(lower - 0.5), Some(upper + 0.5), 0.0).unwrap();
                limit.whole = Some(Whole { lower, upper, log: false });
            }
        }
        limits
    }

    /// The same, where some are choices of one category.
    pub(crate) fn with_category(mut self, choices: &[usize]) -> Self {
        choices.iter().for_each(|&j| self.0[j].group = Some(0));
        self
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_sample_is_placed_around_the_folded_mean_and_within_the_box() {
        let interval = Interval::with_margin(Some(0.0), Some(10.0), 0.5).unwrap();
        let limits = Limits::new(vec![Limit { interval, whole: None, group: None }; 2]);
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

    #[test]
    fn whole_numbers_are_rounded_and_have_neighbours() {
        let log = Whole { lower: 1.0, upper: 1000.0, log: true };
        let interval = Interval::with_margin(Some(0.5f64.ln()), Some(1000.5f64.ln()), 0.0).unwrap();
        let mut limits = Limits::with_wholes(&[(0.0, 9.0), (0.0, 9.0)], |j| j == 0);
        limits.0.push(Limit { interval, whole: Some(log), group: None });
        let mut point = [3.4, 3.4, 3.4f64.ln()];
        limits.fold(&mut point);
        assert_eq!(point, [3.0, 3.4, 3f64.ln()]);
        assert_eq!(limits.bounds().collect::<Vec<_>>(), [(0.0, 9.0), (0.0, 9.0), (0.0, 1000f64.ln())]);
        assert_eq!((limits.neighbour(0, 9.0, true), limits.neighbour(0, 9.0, false)), (None, Some(8.0)));
        assert_eq!(limits.neighbour(2, 4f64.ln(), true), Some(5f64.ln()));
        assert_eq!(limits.neighbour(1, 4.0, true), None);
        assert!(limits.is_settled(0, 4.2, 0.9) && !limits.is_settled(0, 4.2, 1.1));
        assert!(limits.is_settled(2, 4f64.ln(), 0.2) && !limits.is_settled(2, 400f64.ln(), 0.2));
    }

    #[test]
    fn of_a_category_one_choice_is_1_wherever_a_point_goes() {
        let limits = Limits::with_wholes(&[(0.0, 1.0), (-9.0, 9.0), (0.0, 1.0), (0.0, 1.0)], |j| j != 1);
        let limits = limits.with_category(&[0, 2, 3]);
        // Folded at 1.5, so that the largest number is not the winner.
        let mut folded = [0.3, 2.5, 2.9, 0.4];
        limits.fold(&mut folded);
        assert_eq!(folded, [0.0, 2.5, 0.0, 1.0]);
        let mut rounded = [0.3, 2.5, 0.2, 0.1];
        limits.round(&mut rounded);
        assert_eq!(rounded, [1.0, 2.5, 0.0, 0.0]);
        let identity = (0..16).map(|k| if k % 5 == 0 { 1.0 } else { 0.0 }).collect();
        let distribution = SearchDistribution::new(vec![0.0; 4], identity).unwrap();
        let (mut s, mut z) = ([0.6, 1.0, 0.9, -0.3], [0.6, 1.0, 0.9, -0.3]);
        assert!(limits.place(&distribution, &[1.0; 4], &mut s, &mut z));
        assert_eq!((z, s), ([0.0, 1.0, 1.0, 0.0], [0.0, 1.0, 1.0, 0.0]));
    }
}
