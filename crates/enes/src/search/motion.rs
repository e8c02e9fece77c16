//! How an update moves the distribution.

use crate::linalg;

/// How an update moved the distribution, in the whitened coordinates from before it:
/// `x ← x + Aᵀ shift`, `A ← factor · A`.
#[derive(Clone, Debug, PartialEq)]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize))]
pub(crate) struct Motion {
    pub(crate) shift: Vec<f64>,
    pub(crate) factor: Vec<f64>,
    /// ln det of `factor`.
    pub(crate) log_det: f64,
}

/// An update that would leave the cone of valid distributions; nothing has changed.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(crate) struct Degenerate {
    pub(crate) row: usize,
    pub(crate) diagonal: f64,
}

impl Motion {
    pub(crate) fn none(d: usize) -> Self {
        let mut factor = vec![0.0; d * d];
        factor.iter_mut().step_by(d + 1).for_each(|a| *a = 1.0);
        Self { shift: vec![0.0; d], factor, log_det: 0.0 }
    }

    /// No movement: the next population is the present one, less what the refresh rate replaces.
    pub(crate) fn clear(&mut self) {
        self.shift.fill(0.0);
        self.keep_shape();
        self.log_det = 0.0;
    }

    /// Leave the shape as it is.
    pub(crate) fn keep_shape(&mut self) {
        let d = self.shift.len();
        self.factor.fill(0.0);
        self.factor.iter_mut().step_by(d + 1).for_each(|a| *a = 1.0);
    }

    /// Multiply the factor.
    pub(crate) fn scale(&mut self, by: f64) {
        self.factor.iter_mut().for_each(|a| *a *= by);
    }

    /// What multiplies the factor of the distribution where the shape stays; `None` where it changes.
    pub(crate) fn growth(&self) -> Option<f64> {
        let (d, by) = (self.shift.len(), *self.factor.first()?);
        let stays = |(row, entries): (usize, &[f64])| {
            entries[row] == by && entries[row + 1..].iter().all(|a| *a == 0.0)
        };
        self.factor.chunks_exact(d).enumerate().all(stays).then_some(by)
    }

    /// Leave this share of the change of scale, (det factor)^(1/d), in the logarithm.
    pub(crate) fn slow_scale(&mut self, share: f64) {
        if share < 1.0 {
            self.scale(((share - 1.0) * self.log_scale()).exp());
        }
    }

    /// The change of scale, in the logarithm.
    pub(crate) fn log_scale(&self) -> f64 {
        let d = self.shift.len();
        let log_det: f64 = self.factor.iter().step_by(d + 1).map(|a| a.abs().ln()).sum();
        log_det / d as f64
    }

    /// From the whitened coordinates after the motion to those before it: `s' = Tᵀs + c`. O(n d²).
    pub(crate) fn coordinates_before(&self, after: &[f64], before: &mut [f64], d: usize) {
        linalg::transpose_times(&self.factor, after, before, d);
        for row in before.chunks_exact_mut(d) {
            linalg::add_scaled(row, 1.0, &self.shift);
        }
    }
}

#[cfg(feature = "serde")]
impl Motion {
    pub(crate) fn is_consistent(&self, d: usize) -> bool {
        self.shift.len() == d && self.factor.len() == d * d
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_motion_that_keeps_the_shape_grows_and_others_do_not() {
        let mut motion = Motion::none(3);
        motion.scale(1.5);
        assert_eq!(motion.growth(), Some(1.5));
        for (at, entry) in [(0, 1.0), (1, 0.1), (4, 1.0), (5, -0.1), (8, f64::NAN)] {
            let mut other = motion.clone();
            other.factor[at] = entry;
            assert_eq!(other.growth(), None, "{at}");
        }
    }

    #[test]
    fn a_share_of_the_change_of_scale_is_left_and_the_shape_stays() {
        let mut motion = Motion::none(2);
        motion.factor = vec![4.0, 1.0, 0.0, 1.0]; // scale 2, the square root of the determinant
        motion.slow_scale(1.0);
        assert_eq!(motion.factor, [4.0, 1.0, 0.0, 1.0]);
        motion.slow_scale(0.5);
        let expected = [4.0, 1.0, 0.0, 1.0].map(|a: f64| a / 2f64.sqrt());
        assert!(
            motion.factor.iter().zip(expected).all(|(a, b)| (a - b).abs() < 1e-15),
            "{:?}",
            motion.factor
        );
    }
}
