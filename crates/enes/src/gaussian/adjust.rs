//! One coordinate of a distribution changed after an update, and the update with it.

use super::{Motion, SearchDistribution};
use crate::linalg;

impl SearchDistribution {
    /// The standard deviation of one coordinate. O(d).
    pub(crate) fn deviation(&self, j: usize) -> f64 {
        let d = self.dimension();
        let column = || self.factor[j..].iter().step_by(d).take(j + 1);
        let scale = column().fold(f64::MIN_POSITIVE, |m, a| m.max(a.abs()));
        scale * column().map(|a| (a / scale).powi(2)).sum::<f64>().sqrt()
    }

    /// Add independent variance to a coordinate and move its mean after an update, which becomes one that led
    /// there, exactly: mixing and models see densities of the result. Scratch is 2 d numbers. O(d²).
    ///
    /// C grows by wwᵀ, w = √variance e_j: rotations of [A; wᵀ], row by row, that take w to zero leave the
    /// factor of the sum. From before the update A' = T⁻¹A, and the same rotations of [T; wᵀA'⁻¹] leave the
    /// motion. With r = A'⁻ᵀe_j = TᵀA⁻ᵀe_j the last row is √variance rᵀ, and a move of the mean by m is a
    /// shift by m r.
    pub(crate) fn adjust(
        &mut self,
        j: usize,
        variance: f64,
        by: f64,
        motion: &mut Motion,
        scratch: &mut [f64],
    ) {
        let d = self.dimension();
        let (w, r) = scratch[..2 * d].split_at_mut(d);
        w.fill(0.0);
        w[j] = 1.0;
        linalg::solve_transpose(&self.factor, w, d);
        linalg::transpose_times(&motion.factor, w, r, d);
        self.mean[j] += by;
        linalg::add_scaled(&mut motion.shift, by, r);
        if variance <= 0.0 {
            return;
        }
        let deviation = variance.sqrt();
        w.fill(0.0);
        w[j] = deviation;
        r.iter_mut().for_each(|r| *r *= deviation);
        for k in j..d {
            let diagonal = self.factor[k * d + k];
            let long = diagonal.hypot(w[k]);
            let (cos, sin) = (diagonal / long, w[k] / long);
            let row = k * d + k..(k + 1) * d;
            for (rows, last) in [(&mut self.factor, &mut *w), (&mut motion.factor, &mut *r)] {
                for (a, b) in rows[row.clone()].iter_mut().zip(&mut last[k..]) {
                    (*a, *b) = (cos * *a + sin * *b, cos * *b - sin * *a);
                }
            }
            motion.log_det += (long / diagonal).ln();
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn upper(entries: [f64; 6]) -> Vec<f64> {
        let [a, b, c, d, e, f] = entries;
        vec![a, b, c, 0.0, d, e, 0.0, 0.0, f]
    }

    /// What mixing computes from the motion is the ratio of the densities of the two distributions.
    #[test]
    fn the_motion_is_that_of_the_widened_distribution() {
        let before =
            SearchDistribution::new(vec![1.0, -2.0, 0.5], upper([2.0, 0.3, -0.7, 0.5, 0.2, 1.5])).unwrap();
        let mut after = before.clone();
        let mut motion = Motion::none(3);
        motion.shift = vec![0.2, -0.1, 0.4];
        motion.factor = upper([0.9, 0.1, -0.2, 1.2, 0.05, 0.8]);
        after.follow(&mut motion, &mut [0.0; 12]).unwrap();
        for (j, variance, by) in [(1, 3.0, 0.25), (2, 1.7, -0.4), (0, 10.0, 0.0), (1, 0.0, 0.1)] {
            let (mut covariance, mean) = (after.covariance(), after.mean()[j]);
            after.adjust(j, variance, by, &mut motion, &mut [0.0; 6]);
            covariance[j * 4] += variance;
            for (a, b) in after.covariance().iter().zip(&covariance) {
                assert!((a - b).abs() < 1e-13, "{:?} {covariance:?}", after.covariance());
            }
            assert_eq!(after.mean()[j], mean + by);
            let lower = [motion.factor[3], motion.factor[6], motion.factor[7], after.factor()[3]];
            assert_eq!(lower, [0.0; 4]);
        }
        for s in [[0.0, 0.0, 0.0], [1.0, -0.5, 2.0], [-1.5, 0.7, 0.1]] {
            let (mut point, mut old) = ([0.0; 3], [0.0; 3]);
            after.points_from(&s, &mut point);
            motion.coordinates_before(&s, &mut old, 3);
            let expected = before.whiten(&point).unwrap();
            for (a, b) in old.iter().zip(&expected) {
                assert!((a - b).abs() < 1e-12, "{old:?} {expected:?}");
            }
            // ln p'(z) − ln p(z) = ½(|s|² − |s'|²) + ln det T
            let ratio = before.log_density(&point) - after.log_density(&point);
            let norms = crate::linalg::squared_norm(&s) - crate::linalg::squared_norm(&old);
            assert!((ratio - (0.5 * norms + motion.log_det)).abs() < 1e-12, "{ratio}");
        }
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
