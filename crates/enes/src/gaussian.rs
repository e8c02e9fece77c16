//! The search distribution N(x, AᵀA) (paper, section "Evolution Gradients").

mod adjust;
mod narrow;

use crate::error::DistributionError;
use crate::fitness_baseline::Baseline;
use crate::interval::Interval;
use crate::linalg::{self, parallel};
use crate::natural_gradient::{Gradient, NaturalGradient, Workspace};

/// A row of A keeps at least this share of its diagonal entry in one update.
const DIAGONAL_FLOOR: f64 = 0.1;

/// The Gaussian N(x, AᵀA) with mean x and an upper-triangular factor A with positive diagonal.
///
/// A point is `z = x + Aᵀs` with `s ~ N(0, I)`; s are its whitened coordinates.
///
/// ```
/// let p = enes::SearchDistribution::new(vec![1.0, 2.0], vec![3.0, 0.0, 0.0, 4.0])?;
/// assert_eq!(p.standard_deviations(), [3.0, 4.0]);
/// assert_eq!(p.covariance(), [9.0, 0.0, 0.0, 16.0]);
/// # Ok::<(), enes::DistributionError>(())
/// ```
#[derive(Clone, Debug, PartialEq)]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize))]
pub struct SearchDistribution {
    mean: Vec<f64>,
    /// A by rows; zero below the diagonal.
    factor: Vec<f64>,
}

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
    pub(crate) fn stand_still(&mut self) {
        let d = self.shift.len();
        self.shift.fill(0.0);
        self.factor.fill(0.0);
        self.factor.iter_mut().step_by(d + 1).for_each(|a| *a = 1.0);
        self.log_det = 0.0;
    }

    /// Multiply the factor.
    pub(crate) fn scale(&mut self, by: f64) {
        self.factor.iter_mut().for_each(|a| *a *= by);
    }

    /// From the whitened coordinates after the motion to those before it: `s' = Tᵀs + c`. O(n d²).
    pub(crate) fn coordinates_before(&self, after: &[f64], before: &mut [f64], d: usize) {
        linalg::transpose_times(&self.factor, after, before, d);
        for row in before.chunks_exact_mut(d) {
            linalg::add_scaled(row, 1.0, &self.shift);
        }
    }
}

impl SearchDistribution {
    /// The distribution with this mean and this upper-triangular factor, given by rows.
    ///
    /// # Errors
    /// Lengths that do not fit, entries that are not finite, a factor that is not upper triangular
    /// with a positive diagonal.
    pub fn new(mean: Vec<f64>, factor: Vec<f64>) -> Result<Self, DistributionError> {
        let d = mean.len();
        if d == 0 || factor.len() != d * d {
            return Err(DistributionError::Shape { mean: d, factor: factor.len() });
        }
        for (what, entries) in [("mean", &mean), ("factor", &factor)] {
            if let Some(index) = entries.iter().position(|v| !v.is_finite()) {
                return Err(DistributionError::NotFinite { what, index, value: entries[index] });
            }
        }
        for row in 0..d {
            let left = &factor[row * d..row * d + row];
            if left.iter().any(|&a| a != 0.0) || factor[row * d + row] <= 0.0 {
                return Err(DistributionError::NotUpperTriangular { row });
            }
        }
        Ok(Self { mean, factor })
    }

    /// The number of coordinates.
    pub fn dimension(&self) -> usize {
        self.mean.len()
    }

    /// The mean x.
    pub fn mean(&self) -> &[f64] {
        &self.mean
    }

    /// The factor A by rows, d × d, upper triangular.
    pub fn factor(&self) -> &[f64] {
        &self.factor
    }

    /// The covariance C = AᵀA by rows, d × d. O(d³).
    pub fn covariance(&self) -> Vec<f64> {
        let d = self.dimension();
        let mut c = vec![0.0; d * d];
        for k in 0..d {
            let row = &self.factor[k * d..(k + 1) * d];
            for i in k..d {
                linalg::add_scaled(&mut c[i * d + k..(i + 1) * d], row[i], &row[k..]);
            }
        }
        c
    }

    /// The standard deviation of each coordinate. O(d²).
    pub fn standard_deviations(&self) -> Vec<f64> {
        let mut out = vec![0.0; self.dimension()];
        self.standard_deviations_into(&mut out);
        out
    }

    pub(crate) fn standard_deviations_into(&self, out: &mut [f64]) {
        let d = self.dimension();
        out.fill(0.0);
        // Scaled by the largest entry, so that 1e-200 and 1e200 have a square.
        let scale = linalg::largest_entry(&self.factor).max(f64::MIN_POSITIVE);
        for k in 0..d {
            for (o, a) in out[k..].iter_mut().zip(&self.factor[k * d + k..(k + 1) * d]) {
                *o += (a / scale).powi(2);
            }
        }
        out.iter_mut().for_each(|o| *o = scale * o.sqrt());
    }

    /// The lengths of the principal axes (standard deviations along them), longest first. O(d³).
    ///
    /// Empty where the decomposition did not converge.
    pub fn axis_lengths(&self) -> Vec<f64> {
        linalg::singular_values(&self.factor, self.dimension()).unwrap_or_default()
    }

    /// ln det A = ½ ln det C.
    pub fn log_det(&self) -> f64 {
        self.factor.iter().step_by(self.dimension() + 1).map(|a| a.ln()).sum()
    }

    /// ln p(z): finite for every finite z, whatever the scale. NaN where `z` has another length.
    pub fn log_density(&self, z: &[f64]) -> f64 {
        let d = self.dimension();
        match self.whiten(z) {
            Ok(s) if s.len() == d => {
                let constant = 0.5 * d as f64 * std::f64::consts::TAU.ln();
                -0.5 * linalg::squared_norm(&s) - self.log_det() - constant
            }
            _ => f64::NAN,
        }
    }

    /// The whitened coordinates s = A⁻ᵀ(z − x) of one or more points. O(n d²).
    ///
    /// # Errors
    /// A slice that is not a whole number of points.
    pub fn whiten(&self, points: &[f64]) -> Result<Vec<f64>, DistributionError> {
        let d = self.dimension();
        if points.is_empty() || !points.len().is_multiple_of(d) {
            let values = points.len() / d;
            return Err(DistributionError::Points { points: points.len(), values, dimension: d });
        }
        let mut s = points.to_vec();
        for row in s.chunks_exact_mut(d) {
            linalg::add_scaled(row, -1.0, &self.mean);
        }
        linalg::solve_transpose(&self.factor, &mut s, d);
        Ok(s)
    }

    /// `points_i = x + Aᵀ s_i`. O(n d²).
    pub(crate) fn points_from(&self, whitened: &[f64], points: &mut [f64]) {
        self.points_from_on(1, whitened, points);
    }

    /// The same on several threads.
    pub(crate) fn points_from_on(&self, threads: usize, whitened: &[f64], points: &mut [f64]) {
        let d = self.mean.len();
        parallel::divide(threads, d, whitened, points, &mut [], &|whitened, points, _| {
            linalg::transpose_times(&self.factor, whitened, points, d); // z − x ~ N(0, AᵀA)
            points.chunks_exact_mut(d).for_each(|row| linalg::add_scaled(row, 1.0, &self.mean));
        });
    }

    /// The natural gradient of expected utility, estimated from these points with the exact
    /// Fisher matrix: the paper's `F⁻¹ (1/n) Σ (u_i − b) ∇ ln p(z_i)`.
    ///
    /// `points` are rows, `utilities` one per point, larger is better. O(n d² + d³).
    ///
    /// # Errors
    /// Lengths that do not fit.
    ///
    /// ```
    /// use enes::{Baseline, SearchDistribution};
    /// let p = SearchDistribution::new(vec![0.0], vec![1.0])?;
    /// let g = p.natural_gradient(&[-1.0, 2.0], &[0.0, 1.0], Baseline::None)?;
    /// assert_eq!(g.mean, [1.0]); // ½ (2 − 0)
    /// assert_eq!(g.factor, [0.75]); // ½ · ½ (2² − 1)
    /// # Ok::<(), enes::DistributionError>(())
    /// ```
    pub fn natural_gradient(
        &self,
        points: &[f64],
        utilities: &[f64],
        baseline: Baseline,
    ) -> Result<Gradient, DistributionError> {
        let d = self.dimension();
        let n = utilities.len();
        if n == 0 || points.len() != n * d {
            return Err(DistributionError::Points { points: points.len(), values: n, dimension: d });
        }
        let whitened = self.whiten(points)?;
        let mut workspace = Workspace::new(n, d, baseline);
        let mut local = NaturalGradient::zero(d);
        local.estimate(&whitened, utilities, &self.factor, baseline, &mut workspace, 1);
        Ok(local.in_coordinates(&self.factor))
    }

    /// Follow a natural gradient: `x ← x + η_x δx`, `A ← A + η_A δA`. O(d³).
    ///
    /// Deviation: the paper's additive rule can take a diagonal entry of A through zero. Where a
    /// row would keep less than a tenth of its diagonal entry, the whole factor step is shortened
    /// (test `a_huge_step_never_passes_a_diagonal_entry_through_zero`).
    pub(crate) fn advance(
        &mut self,
        gradient: &NaturalGradient,
        learning_rate_mean: f64,
        learning_rate_factor: f64,
        motion: &mut Motion,
        scratch: &mut [f64],
    ) -> Result<(), Degenerate> {
        let d = self.dimension();
        let largest_drop = gradient.factor.iter().step_by(d + 1).fold(0.0f64, |m, g| m.max(-g));
        let eta = match learning_rate_factor * largest_drop {
            drop if drop > 1.0 - DIAGONAL_FLOOR => (1.0 - DIAGONAL_FLOOR) / largest_drop,
            _ => learning_rate_factor,
        };
        for (m, g) in motion.factor.iter_mut().zip(&gradient.factor) {
            *m = eta * g;
        }
        motion.factor.iter_mut().step_by(d + 1).for_each(|m| *m += 1.0);
        for (m, g) in motion.shift.iter_mut().zip(&gradient.mean) {
            *m = learning_rate_mean * g;
        }

        self.follow(motion, scratch)
    }

    /// `x ← x + Aᵀ shift`, `A ← factor · A`; scratch is d + d² numbers. O(d³). Where the result would
    /// be no distribution, nothing changes and the motion becomes none.
    pub(crate) fn follow(&mut self, motion: &mut Motion, scratch: &mut [f64]) -> Result<(), Degenerate> {
        let d = self.dimension();
        let (mean, factor) = scratch.split_at_mut(d);
        linalg::transpose_times(&self.factor, &motion.shift, mean, d);
        linalg::add_scaled(mean, 1.0, &self.mean);
        linalg::upper_times_upper(&motion.factor, &self.factor, factor, d);
        for row in 0..d {
            let entries = &factor[row * d + row..(row + 1) * d];
            let sound = entries[0] >= f64::MIN_POSITIVE && entries.iter().all(|a| a.is_finite());
            if !(sound && mean[row].is_finite()) {
                let diagonal = entries[0];
                motion.stand_still();
                return Err(Degenerate { row, diagonal });
            }
        }
        self.mean.copy_from_slice(mean);
        for row in 0..d {
            let upper = row * d + row..(row + 1) * d;
            self.factor[upper.clone()].copy_from_slice(&factor[upper]);
        }
        motion.log_det = motion.factor.iter().step_by(d + 1).map(|a| a.ln()).sum();
        Ok(())
    }

    /// Multiply all deviations after an update, which becomes one that led there. O(d²).
    pub(crate) fn shrink(&mut self, by: f64, motion: &mut Motion) {
        self.factor.iter_mut().for_each(|a| *a *= by);
        motion.scale(by);
        motion.log_det += self.dimension() as f64 * by.ln();
    }

    /// Move the mean to the nearest point of a box after an update, which becomes one that led there;
    /// scratch is 2 d numbers. O(d²).
    pub(crate) fn move_into<'a>(
        &mut self,
        intervals: impl Iterator<Item = &'a Interval>,
        motion: &mut Motion,
        scratch: &mut [f64],
    ) {
        let d = self.dimension();
        let (by, before) = scratch[..2 * d].split_at_mut(d);
        for ((x, interval), by) in self.mean.iter_mut().zip(intervals).zip(&mut *by) {
            let to = interval.clamped(*x);
            *by = to - *x;
            *x = to;
        }
        // In whitened coordinates after the update, then before it: A⁻ᵀ for A from before is Tᵀ(TA)⁻ᵀ.
        linalg::solve_transpose(&self.factor, by, d);
        linalg::transpose_times(&motion.factor, by, before, d);
        linalg::add_scaled(&mut motion.shift, 1.0, before);
    }
}

#[cfg(test)]
mod tests;
