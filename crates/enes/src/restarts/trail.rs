//! The trail of a search: its best points on the way to an optimum. A later search that comes upon a trail, and whose own
//! points say that it goes on from there, ends where the trail does.

use super::basin::Scratch;
use crate::archive::Archive;
use crate::linalg::{self, CholeskySpace};
use crate::math::cost;
use crate::search::SearchDistribution;
use crate::settings::Params;

/// Points of a trail; of more every second stays.
const MOST_POINTS: usize = 64;

/// The trail is near where a better point of it lies within so many deviations, as a root mean square.
pub(super) const WITHIN: f64 = 3.0;

/// The latest points predict it where what is left of the costs of its points there is no more than their own variation.
const LEFT: f64 = 1.0;

/// Added to the diagonal of the normal equations, in which a point counts as about one.
const RIDGE: f64 = 1e-3;

/// Points as rows, and their costs.
#[derive(Clone, Debug, Default, PartialEq)]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize))]
pub(super) struct Trail {
    points: Vec<f64>,
    costs: Vec<f64>,
}

impl Trail {
    /// A generation has ended, and this is the best point of its search.
    pub(super) fn follow(&mut self, point: &[f64], cost: f64) {
        let better = self.costs.last().is_none_or(|last| cost < *last);
        if better && cost.is_finite() && !cost::is_infeasible(cost) {
            self.add(point, cost);
        }
    }

    fn add(&mut self, point: &[f64], cost: f64) {
        let d = point.len();
        if self.costs.len() == MOST_POINTS {
            for k in 0..MOST_POINTS / 2 {
                self.costs[k] = self.costs[2 * k + 1];
                self.points.copy_within((2 * k + 1) * d..(2 * k + 2) * d, k * d);
            }
            self.costs.truncate(MOST_POINTS / 2);
            self.points.truncate(MOST_POINTS / 2 * d);
        }
        self.points.extend_from_slice(point);
        self.costs.push(cost);
    }

    /// The points and their costs.
    pub(super) fn rows(&self) -> impl Iterator<Item = (&[f64], f64)> {
        let d = self.points.len() / self.costs.len().max(1);
        self.points.chunks_exact(d.max(1)).zip(self.costs.iter().copied())
    }

    pub(super) fn clear(&mut self) {
        self.points.clear();
        self.costs.clear();
    }

    /// Numbers that are kept.
    pub(super) fn size(&self) -> usize {
        self.points.len()
    }

    /// The points, given in the user's coordinates, where a start there would be.
    pub(super) fn searched(&self, params: &Params) -> Self {
        let mut searched = Self::default();
        for (point, cost) in self.rows() {
            if let Ok(start) = params.space.start_at(point) {
                searched.add(&start, cost);
            }
        }
        searched
    }

    /// Another search has come the same way, or another way to the same end.
    pub(super) fn join(&mut self, other: &Self) {
        other.rows().for_each(|(point, cost)| self.add(point, cost));
    }

    #[cfg(feature = "serde")]
    pub(super) fn is_consistent(&self, d: usize) -> bool {
        self.points.len() == self.costs.len() * d && self.costs.len() <= MOST_POINTS
    }
}

/// Where a search is.
pub(super) struct Here<'a> {
    distribution: &'a SearchDistribution,
    mean: Vec<(f64, bool)>,
}

impl<'a> Here<'a> {
    pub(super) fn new(distribution: &'a SearchDistribution, params: &Params) -> Self {
        Self { distribution, mean: params.space.canonical(distribution.mean()) }
    }

    /// The mean, in the coordinates that a start there would have, each with whether it is mirrored.
    pub(super) fn mean(&self) -> &[(f64, bool)] {
        &self.mean
    }

    /// The way from the mean to a point, which has the coordinates of a start there, in deviations; its squared length.
    pub(super) fn towards(&self, there: &[f64], way: &mut [f64]) -> f64 {
        for (w, (there, (here, mirrored))) in way.iter_mut().zip(there.iter().zip(&self.mean)) {
            *w = if *mirrored { here - there } else { there - here };
        }
        self.distribution.solve_transpose(way);
        linalg::squared_norm(way)
    }
}

/// How costs grow around the mean of a search, by its latest points: a quadratic with the shape of its distribution.
pub(super) struct Outlook<'a> {
    here: Here<'a>,
    /// Of 1, each coordinate and the squared length.
    coefficients: Vec<f64>,
    /// Mean square of the costs' differences from their mean.
    variation: f64,
}

impl<'a> Outlook<'a> {
    /// Fit it to 2d + 6 points, where there are as many, all of them feasible and finite. O(d³).
    pub(super) fn new(here: Here<'a>, archive: &Archive, scratch: &mut Scratch) -> Option<Self> {
        let d = here.distribution.dimension();
        let (whitened, norms, costs) = scratch.latest(2 * d + 6, archive, here.distribution)?;
        let (n, count) = (d + 2, costs.len() as f64);
        let mean = costs.iter().sum::<f64>() / count;
        let variation = costs.iter().map(|c| (c - mean).powi(2)).sum::<f64>() / count;
        let (mut gram, mut coefficients, mut row) = (vec![0.0; n * n], vec![0.0; n], vec![0.0; n]);
        for ((u, norm), c) in whitened.chunks_exact(d).zip(norms).zip(costs) {
            features(u, *norm, &mut row);
            linalg::add_scaled(&mut coefficients, c - mean, &row);
            for (i, g) in gram.chunks_exact_mut(n).enumerate() {
                linalg::add_scaled(&mut g[i..], row[i], &row[i..]);
            }
        }
        gram.iter_mut().step_by(n + 1).for_each(|g| *g += RIDGE);
        let solved = linalg::cholesky_in_place(&mut gram, n, &mut CholeskySpace::new(n));
        if !solved {
            return None;
        }
        linalg::solve_squared(&gram, &mut coefficients);
        coefficients[0] += mean;
        Some(Self { here, coefficients, variation })
    }

    /// Whether a trail that ends at a point with its cost goes on where the search is, below the best that it has found.
    pub(super) fn shows(&self, trail: &Trail, end: (&[f64], f64), best: f64) -> bool {
        let n = self.coefficients.len();
        let (mut way, mut row) = (vec![0.0; n - 2], vec![0.0; n]);
        let (mut count, mut left) = (0.0, 0.0);
        for (point, cost) in trail.rows().chain([end]).filter(|(_, cost)| *cost < best) {
            let length = self.here.towards(point, &mut way);
            if length <= WITHIN * WITHIN * way.len() as f64 {
                features(&way, length, &mut row);
                left += (linalg::dot(&row, &self.coefficients) - cost).powi(2);
                count += 1.0;
            }
        }
        count > 0.0 && left <= LEFT * LEFT * self.variation * count
    }
}

/// 1, the coordinates, and the squared length with mean 0 and variance 1 for normal ones.
fn features(u: &[f64], norm: f64, row: &mut [f64]) {
    let d = u.len() as f64;
    row[0] = 1.0;
    row[1..=u.len()].copy_from_slice(u);
    row[u.len() + 1] = (norm - d) / (2.0 * d).sqrt();
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::archive::{Entry, Readers};
    use crate::settings::Settings;

    fn params() -> Params {
        Params::new(&Settings::new([0.0, 0.0], 1.0).max_evaluations(100)).unwrap()
    }

    /// Twelve points around a mean, and what an objective says of them.
    fn archive(mean: [f64; 2], sigma: f64, objective: impl Fn(&[f64]) -> f64) -> Archive {
        let mut archive = Archive::new(2, 2);
        archive.begin_search(12, 12);
        for i in 0..12 {
            let (sin, cos) = (f64::from(i) * 0.9).sin_cos();
            let radius = sigma * (0.3 + 0.15 * f64::from(i));
            let point = [mean[0] + radius * cos, mean[1] + radius * sin];
            let cost = objective(&point);
            let entry = Entry { value: cost, violation: 0.0, cost, measured: 1, readers: Readers::ALL };
            archive.add(&point, None, entry);
        }
        archive
    }

    /// Whether a search at this mean and scale, with 1 as its best cost, sees a trail from (2, 2) to the origin.
    fn sees(mean: [f64; 2], sigma: f64, objective: impl Fn(&[f64]) -> f64) -> bool {
        let mut trail = Trail::default();
        for k in 0..6 {
            let at = 2.0 * 0.5f64.powi(k);
            trail.follow(&[at, at], objective(&[at, at]));
        }
        let archive = archive(mean, sigma, &objective);
        let distribution = SearchDistribution::new(mean.to_vec(), vec![sigma, 0.0, 0.0, sigma]).unwrap();
        let here = Here::new(&distribution, &params());
        let outlook = Outlook::new(here, &archive, &mut Scratch::default()).unwrap();
        outlook.shows(&trail.searched(&params()), (&[0.0, 0.0], objective(&[0.0, 0.0])), 1.0)
    }

    #[test]
    fn a_trail_is_seen_where_it_is_near_and_goes_on_as_the_latest_points_say() {
        let flat = |x: &[f64]| x[0] * x[0] + x[1].powi(6);
        assert!(sees([0.5, 0.6], 0.3, flat));
        assert!(!sees([0.5, 0.6], 0.01, flat), "too far");
        // Another basin begins on the way to the trail.
        let wells = |x: &[f64]| flat(x).min((x[0] - 1.0).powi(2) + (x[1] + 0.5).powi(2) + 0.1);
        assert!(!sees([1.0, -0.5], 0.3, wells));
    }

    #[test]
    fn a_trail_falls_and_its_last_point_stays() {
        let mut trail = Trail::default();
        for k in 0..1000 {
            trail.follow(&[f64::from(k), 0.0], -f64::from(k));
            trail.follow(&[0.0, 0.0], 0.0);
        }
        trail.follow(&[0.0, 0.0], f64::NAN);
        assert!(trail.costs.len() <= MOST_POINTS && trail.costs.is_sorted_by(|a, b| a > b));
        assert_eq!(trail.rows().last().unwrap(), (&[999.0, 0.0][..], -999.0));
    }
}
