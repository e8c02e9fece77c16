//! Changes of a distribution after an update: the update becomes one that led to the result, exactly, so that
//! importance mixing and predictions see densities of what there is.
//!
//! A change that acts along coordinate j needs `r = A'⁻ᵀe_j`, A' the factor from before the update. With A = TA' that is
//! `TᵀA⁻ᵀe_j`.

use super::{Motion, Search, SearchDistribution};
use crate::linalg;

impl Search {
    /// Add independent variance to a coordinate and move its mean. O(d²).
    ///
    /// C grows by wwᵀ, w = √variance e_j: rotations of [A; wᵀ], row by row, that take w to zero leave the
    /// factor of the sum. The same rotations of [T; wᵀA'⁻¹] leave the motion; its last row is √variance rᵀ, and a
    /// move of the mean by m is a shift by m r.
    ///
    /// With limited memory the coordinate keeps its correlations, as it does when it is narrowed: O(k).
    pub(crate) fn widen(&mut self, j: usize, variance: f64, by: f64) {
        let deviation = self.distribution.deviation(j);
        if let Some(factor) = &mut self.distribution.limited {
            self.distribution.mean[j] += by;
            factor.scales[j] *= (1.0 + variance.max(0.0) / (deviation * deviation)).sqrt();
            return;
        }
        let Self { distribution, motion, scratch, .. } = self;
        let d = distribution.dimension();
        let (w, r) = scratch[..2 * d].split_at_mut(d);
        coordinate_before(distribution, motion, j, w, r);
        distribution.mean[j] += by;
        linalg::add_scaled(&mut motion.shift, by, r);
        if variance <= 0.0 {
            return;
        }
        let deviation = variance.sqrt();
        w.fill(0.0);
        w[j] = deviation;
        r.iter_mut().for_each(|r| *r *= deviation);
        for k in j..d {
            let diagonal = distribution.factor[k * d + k];
            let long = diagonal.hypot(w[k]);
            let (cos, sin) = (diagonal / long, w[k] / long);
            let row = k * d + k..(k + 1) * d;
            for (rows, last) in [(&mut distribution.factor, &mut *w), (&mut motion.factor, &mut *r)] {
                for (a, b) in rows[row.clone()].iter_mut().zip(&mut last[k..]) {
                    (*a, *b) = (cos * *a + sin * *b, cos * *b - sin * *a);
                }
            }
            motion.log_det += (long / diagonal).ln();
        }
    }

    /// Multiply the deviation of a coordinate, which keeps its correlations. O(d²).
    ///
    /// Column j of A is multiplied by c, so A ← AD, and TA'DA'⁻¹ is T + (c − 1) A e_j rᵀ.
    pub(crate) fn narrow(&mut self, j: usize, by: f64) {
        if let Some(factor) = &mut self.distribution.limited {
            factor.scales[j] *= by;
            return;
        }
        let Self { distribution, motion, scratch, .. } = self;
        let d = distribution.dimension();
        let (w, r) = scratch[..2 * d].split_at_mut(d);
        coordinate_before(distribution, motion, j, w, r);
        for i in 0..=j {
            let entry = distribution.factor[i * d + j];
            linalg::add_scaled(&mut motion.factor[i * d + j..(i + 1) * d], (by - 1.0) * entry, &r[j..]);
            distribution.factor[i * d + j] = by * entry;
        }
        motion.log_det += by.ln();
    }

    /// Multiply all deviations. O(d²).
    pub(crate) fn shrink(&mut self, by: f64) {
        if let Some(factor) = &mut self.distribution.limited {
            return factor.scale(by);
        }
        self.distribution.factor.iter_mut().for_each(|a| *a *= by);
        self.motion.scale(by);
        self.motion.log_det += self.dimension() as f64 * by.ln();
    }

    /// Move the mean to where `nearest` takes each coordinate, one after the other. O(d²).
    pub(crate) fn move_mean(&mut self, mut nearest: impl FnMut(usize, f64) -> f64) {
        let Self { distribution, motion, scratch, .. } = self;
        let d = distribution.dimension();
        let (by, before) = scratch[..2 * d].split_at_mut(d);
        for (j, (x, by)) in distribution.mean.iter_mut().zip(&mut *by).enumerate() {
            let to = nearest(j, *x);
            *by = to - *x;
            *x = to;
        }
        if distribution.is_limited() {
            return;
        }
        linalg::solve_transpose(&distribution.factor, by, d);
        linalg::transpose_times(&motion.factor, by, before, d);
        linalg::add_scaled(&mut motion.shift, 1.0, before);
    }
}

/// r = TᵀA⁻ᵀe_j; w is scratch.
fn coordinate_before(p: &SearchDistribution, motion: &Motion, j: usize, w: &mut [f64], r: &mut [f64]) {
    let d = p.dimension();
    w.fill(0.0);
    w[j] = 1.0;
    linalg::solve_transpose(&p.factor, w, d);
    linalg::transpose_times(&motion.factor, w, r, d);
}

#[cfg(test)]
mod tests {
    use super::*;

    fn upper(entries: [f64; 6]) -> Vec<f64> {
        let [a, b, c, d, e, f] = entries;
        vec![a, b, c, 0.0, d, e, 0.0, 0.0, f]
    }

    /// A search that has moved, and the distribution from before.
    fn moved() -> (SearchDistribution, Search) {
        let before =
            SearchDistribution::new(vec![1.0, -2.0, 0.5], upper([2.0, 0.3, -0.7, 0.5, 0.2, 1.5])).unwrap();
        let mut search = Search::new(before.clone(), 4);
        search.motion.shift = vec![0.2, -0.1, 0.4];
        search.motion.factor = upper([0.9, 0.1, -0.2, 1.2, 0.05, 0.8]);
        search.follow_motion().unwrap();
        (before, search)
    }

    /// What mixing computes from the motion is the ratio of the densities of the two distributions.
    fn the_motion_leads_there(before: &SearchDistribution, Search { distribution, motion, .. }: &Search) {
        for s in [[0.0, 0.0, 0.0], [1.0, -0.5, 2.0], [-1.5, 0.7, 0.1]] {
            let (mut point, mut old) = ([0.0; 3], [0.0; 3]);
            distribution.points_from(&s, &mut point);
            motion.coordinates_before(&s, &mut old, 3);
            let expected = before.whiten(&point).unwrap();
            for (a, b) in old.iter().zip(&expected) {
                assert!((a - b).abs() < 1e-12, "{old:?} {expected:?}");
            }
            // ln p'(z) − ln p(z) = ½(|s|² − |s'|²) + ln det T
            let ratio = before.log_density(&point) - distribution.log_density(&point);
            let norms = linalg::squared_norm(&s) - linalg::squared_norm(&old);
            assert!((ratio - (0.5 * norms + motion.log_det)).abs() < 1e-12, "{ratio}");
        }
    }

    #[test]
    fn the_motion_is_that_of_the_widened_distribution() {
        let (before, mut search) = moved();
        for (j, variance, by) in [(1, 3.0, 0.25), (2, 1.7, -0.4), (0, 10.0, 0.0), (1, 0.0, 0.1)] {
            let (mut covariance, mean) = (search.distribution.covariance(), search.distribution.mean()[j]);
            search.widen(j, variance, by);
            covariance[j * 4] += variance;
            let after = &search.distribution;
            for (a, b) in after.covariance().iter().zip(&covariance) {
                assert!((a - b).abs() < 1e-13, "{:?} {covariance:?}", after.covariance());
            }
            assert_eq!(after.mean()[j], mean + by);
            let motion = &search.motion.factor;
            assert_eq!([motion[3], motion[6], motion[7], after.factor()[3]], [0.0; 4]);
        }
        the_motion_leads_there(&before, &search);
    }

    #[test]
    fn the_motion_is_that_of_the_narrowed_distribution() {
        let (before, mut search) = moved();
        for (j, by) in [(1, 0.5), (2, 0.1), (0, 0.9)] {
            let was = search.distribution.standard_deviations();
            search.narrow(j, by);
            for (k, (a, b)) in search.distribution.standard_deviations().iter().zip(&was).enumerate() {
                let expected = if k == j { by * b } else { *b };
                assert!((a - expected).abs() < 1e-14);
            }
        }
        the_motion_leads_there(&before, &search);
    }

    #[test]
    fn the_motion_is_that_of_the_shrunk_and_shifted_distribution() {
        let (before, mut search) = moved();
        search.shrink(0.4);
        search.move_mean(|j, x| if j == 1 { 0.25 } else { x });
        assert_eq!(search.distribution.mean()[1], 0.25);
        the_motion_leads_there(&before, &search);
    }

    #[test]
    fn deviations_are_those_of_the_distribution() {
        for scale in [1e-200, 1.0, 1e200] {
            let factor = upper([2.0, 0.3, -0.7, 0.5, 0.2, 1.5]).iter().map(|a| a * scale).collect();
            let p = SearchDistribution::new(vec![0.0; 3], factor).unwrap();
            for (j, s) in p.standard_deviations().iter().enumerate() {
                assert!((p.deviation(j) / s - 1.0).abs() < 1e-15);
            }
        }
    }
}
