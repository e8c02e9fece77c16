//! One coordinate of a distribution narrowed after an update, and the update with it.

use super::{Motion, SearchDistribution};
use crate::linalg;

impl SearchDistribution {
    /// The standard deviation of one coordinate. O(d).
    pub(crate) fn deviation_of(&self, j: usize) -> f64 {
        let d = self.dimension();
        let column = || self.factor[j..].iter().step_by(d).take(j + 1);
        let scale = column().fold(f64::MIN_POSITIVE, |m, a| m.max(a.abs()));
        scale * column().map(|a| (a / scale).powi(2)).sum::<f64>().sqrt()
    }

    /// Multiply the deviation of a coordinate, which keeps its correlations, after an update, which becomes one
    /// that led there, exactly: mixing and models see densities of the result. Scratch is 2 d numbers. O(d²).
    ///
    /// Column j of A is multiplied by c, so A ← AD. From before the update A' = T⁻¹A, and TA'DA'⁻¹ is
    /// T + (c − 1) A e_j rᵀ with r = A'⁻ᵀe_j = TᵀA⁻ᵀe_j.
    pub(crate) fn narrow(&mut self, j: usize, by: f64, motion: &mut Motion, scratch: &mut [f64]) {
        let d = self.dimension();
        let (w, r) = scratch[..2 * d].split_at_mut(d);
        w.fill(0.0);
        w[j] = 1.0;
        linalg::solve_transpose(&self.factor, w, d);
        linalg::transpose_times(&motion.factor, w, r, d);
        for i in 0..=j {
            let entry = self.factor[i * d + j];
            linalg::add_scaled(&mut motion.factor[i * d + j..(i + 1) * d], (by - 1.0) * entry, &r[j..]);
            self.factor[i * d + j] = by * entry;
        }
        motion.log_det += by.ln();
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// What mixing computes from the motion is the ratio of the densities of the two distributions.
    #[test]
    fn the_motion_is_that_of_the_narrowed_distribution() {
        let factor = vec![2.0, 0.3, -0.7, 0.0, 0.5, 0.2, 0.0, 0.0, 1.5];
        let before = SearchDistribution::new(vec![1.0, -2.0, 0.5], factor).unwrap();
        let mut after = before.clone();
        let mut motion = Motion::none(3);
        motion.shift = vec![0.2, -0.1, 0.4];
        motion.factor = vec![0.9, 0.1, -0.2, 0.0, 1.2, 0.05, 0.0, 0.0, 0.8];
        after.follow(&mut motion, &mut [0.0; 12]).unwrap();
        for (j, by) in [(1, 0.5), (2, 0.1), (0, 0.9)] {
            let was = after.standard_deviations();
            after.narrow(j, by, &mut motion, &mut [0.0; 6]);
            for (k, (a, b)) in after.standard_deviations().iter().zip(&was).enumerate() {
                let expected = if k == j { by * b } else { *b };
                assert!((a - expected).abs() < 1e-14);
            }
        }
        for s in [[0.0, 0.0, 0.0], [1.0, -0.5, 2.0], [-1.5, 0.7, 0.1]] {
            let (mut point, mut old) = ([0.0; 3], [0.0; 3]);
            after.points_from(&s, &mut point);
            motion.coordinates_before(&s, &mut old, 3);
            let expected = before.whiten(&point).unwrap();
            old.iter()
                .zip(&expected)
                .for_each(|(a, b)| assert!((a - b).abs() < 1e-12, "{old:?} {expected:?}"));
            let ratio = before.log_density(&point) - after.log_density(&point);
            let norms = crate::linalg::squared_norm(&s) - crate::linalg::squared_norm(&old);
            assert!((ratio - (0.5 * norms + motion.log_det)).abs() < 1e-12, "{ratio}");
        }
    }
}
