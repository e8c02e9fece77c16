//! The search distribution N(x, AᵀA) (paper, section "Evolution Gradients").

use super::limited::LimitedFactor;
use super::motion::{Degenerate, Motion};
use crate::error::DistributionError;
use crate::linalg::{self, parallel};

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
    pub(super) mean: Vec<f64>,
    /// A by rows; zero below the diagonal. Empty where the next field has A.
    pub(super) factor: Vec<f64>,
    /// A in O(k d), in many dimensions.
    pub(super) limited: Option<Box<LimitedFactor>>,
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
        Ok(Self { mean, factor, limited: None })
    }

    /// The distribution with this mean and independent coordinates of these deviations, in O(d) numbers.
    pub(crate) fn limited(mean: Vec<f64>, deviations: Vec<f64>) -> Result<Self, DistributionError> {
        let (d, got) = (mean.len(), deviations.len());
        if d == 0 || got != d {
            return Err(DistributionError::Shape { mean: d, factor: got });
        }
        for (what, entries) in [("mean", &mean), ("factor", &deviations)] {
            if let Some(index) = entries.iter().position(|v| !v.is_finite()) {
                return Err(DistributionError::NotFinite { what, index, value: entries[index] });
            }
        }
        let factor = LimitedFactor::diagonal(deviations);
        match factor.first_unsound() {
            Some(row) => Err(DistributionError::NotUpperTriangular { row }),
            None => Ok(Self { mean, factor: Vec::new(), limited: Some(Box::new(factor)) }),
        }
    }

    /// The same shape around another mean, with deviations multiplied by `scale`.
    pub(crate) fn moved_to(&self, mean: Vec<f64>, scale: f64) -> Result<Self, DistributionError> {
        let Some(limited) = &self.limited else {
            return Self::new(mean, self.factor.iter().map(|a| a * scale).collect());
        };
        let mut moved = Self::limited(mean, limited.scales.iter().map(|s| s * scale).collect())?;
        if let Some(factor) = &mut moved.limited {
            factor.set_directions(&limited.directions, &limited.stretches);
        }
        Ok(moved)
    }

    /// Mean and covariance of points given as rows; `None` where there are not more than twice as many as
    /// coordinates, or where they have no density.
    pub(crate) fn of_points(points: &[f64], d: usize) -> Option<Self> {
        let n = points.len() / d;
        if n <= 2 * d {
            return None;
        }
        let mut mean = vec![0.0; d];
        points.chunks_exact(d).for_each(|z| linalg::add_scaled(&mut mean, 1.0 / n as f64, z));
        let mut c = vec![0.0; d * d];
        let mut row = vec![0.0; d];
        for z in points.chunks_exact(d) {
            row.copy_from_slice(z);
            linalg::add_scaled(&mut row, -1.0, &mean);
            (0..d)
                .for_each(|i| linalg::add_scaled(&mut c[i * d..(i + 1) * d], row[i] / (n - 1) as f64, &row));
        }
        Self::new(mean, linalg::cholesky(&c, d).ok()?).ok()
    }

    /// The number of coordinates.
    pub fn dimension(&self) -> usize {
        self.mean.len()
    }

    /// The mean x.
    pub fn mean(&self) -> &[f64] {
        &self.mean
    }

    /// Whether the covariance has limited memory: a diagonal and a few directions, as the adaptive strategy has it in
    /// more than 1000 dimensions. [`SearchDistribution::factor`], [`SearchDistribution::covariance`] and
    /// [`SearchDistribution::axis_lengths`] are empty then; all else is there.
    ///
    /// ```
    /// let es = enes::Optimizer::new(&enes::Settings::new(vec![0.0; 100_000], 0.5))?;
    /// assert!(es.distribution().is_limited() && es.distribution().covariance().is_empty());
    /// assert_eq!(es.distribution().standard_deviations()[99_999], 0.5);
    /// # Ok::<(), enes::SettingsError>(())
    /// ```
    pub fn is_limited(&self) -> bool {
        self.limited.is_some()
    }

    /// A, where it has limited memory.
    pub(crate) fn limited_factor(&self) -> Option<&LimitedFactor> {
        self.limited.as_deref()
    }

    /// The factor A by rows, d × d, upper triangular; empty where the covariance has limited memory.
    pub fn factor(&self) -> &[f64] {
        &self.factor
    }

    /// The covariance C = AᵀA by rows, d × d; empty where it has limited memory. O(d³).
    pub fn covariance(&self) -> Vec<f64> {
        if self.is_limited() {
            return Vec::new();
        }
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
        if let Some(limited) = &self.limited {
            return limited.deviations(out);
        }
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

    /// The standard deviation of one coordinate. O(d).
    pub(crate) fn deviation(&self, j: usize) -> f64 {
        if let Some(limited) = &self.limited {
            return limited.deviation(j);
        }
        let d = self.dimension();
        let column = || self.factor[j..].iter().step_by(d).take(j + 1);
        let scale = column().fold(f64::MIN_POSITIVE, |m, a| m.max(a.abs()));
        scale * column().map(|a| (a / scale).powi(2)).sum::<f64>().sqrt()
    }

    /// The lengths of the principal axes (standard deviations along them), longest first. O(d³).
    ///
    /// Empty where the decomposition did not converge, and where the covariance has limited memory.
    pub fn axis_lengths(&self) -> Vec<f64> {
        if self.is_limited() {
            return Vec::new();
        }
        linalg::singular_values(&self.factor, self.dimension()).unwrap_or_default()
    }

    /// ln det A = ½ ln det C.
    pub fn log_det(&self) -> f64 {
        if let Some(limited) = &self.limited {
            return limited.log_det();
        }
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
        self.solve_transpose(&mut s);
        Ok(s)
    }

    /// The whitened coordinates of one point. O(d²).
    pub(crate) fn whiten_into(&self, point: &[f64], whitened: &mut [f64]) {
        whitened.copy_from_slice(point);
        linalg::add_scaled(whitened, -1.0, &self.mean);
        self.solve_transpose(whitened);
    }

    /// `v ← A⁻ᵀv` for every row: differences of points become differences of whitened coordinates.
    pub(crate) fn solve_transpose(&self, rows: &mut [f64]) {
        match &self.limited {
            Some(limited) => limited.solve_transpose(rows),
            None => linalg::solve_transpose(&self.factor, rows, self.mean.len()),
        }
    }

    /// `v ← A⁻¹v`.
    pub(crate) fn solve(&self, v: &mut [f64]) {
        match &self.limited {
            Some(limited) => limited.solve(v),
            None => linalg::solve_vector(&self.factor, v),
        }
    }

    /// `out = Av`; v is scratch then.
    pub(crate) fn times(&self, v: &mut [f64], out: &mut [f64]) {
        match &self.limited {
            Some(limited) => {
                limited.times(v);
                out.copy_from_slice(v);
            }
            None => linalg::upper_times_vector(&self.factor, v, out),
        }
    }

    /// `out_i = Aᵀv_i` for every row.
    pub(crate) fn transpose_times(&self, rows: &[f64], out: &mut [f64]) {
        match &self.limited {
            Some(limited) => {
                out.copy_from_slice(rows);
                limited.transpose_times(out);
            }
            None => linalg::transpose_times(&self.factor, rows, out, self.mean.len()),
        }
    }

    /// `points_i = x + Aᵀ s_i`. O(n d²); O(n k d) with limited memory.
    pub(crate) fn points_from(&self, whitened: &[f64], points: &mut [f64]) {
        self.points_from_on(1, whitened, points);
    }

    /// The same on several threads.
    pub(crate) fn points_from_on(&self, threads: usize, whitened: &[f64], points: &mut [f64]) {
        let d = self.mean.len();
        parallel::divide(threads, d, whitened, points, &mut [], &|whitened, points, _| match &self.limited {
            Some(limited) => limited.points_from(whitened, &self.mean, points),
            None => {
                self.transpose_times(whitened, points); // z − x ~ N(0, AᵀA)
                points.chunks_exact_mut(d).for_each(|row| linalg::add_scaled(row, 1.0, &self.mean));
            }
        });
    }

    /// `x ← x + Aᵀ shift`, `A ← factor · A`; scratch is d + d² numbers. O(d³). Where the result would
    /// be no distribution, nothing changes and the motion becomes none.
    pub(crate) fn follow(&mut self, motion: &mut Motion, scratch: &mut [f64]) -> Result<(), Degenerate> {
        let d = self.dimension();
        let (mean, factor) = scratch.split_at_mut(d);
        linalg::transpose_times(&self.factor, &motion.shift, mean, d);
        linalg::add_scaled(mean, 1.0, &self.mean);
        match motion.growth() {
            // A shape that stays: the same bits as the product, in O(d²).
            Some(by) => factor.iter_mut().zip(&self.factor).for_each(|(out, a)| *out = by * a),
            None => linalg::upper_times_upper(&motion.factor, &self.factor, factor, d),
        }
        for row in 0..d {
            let entries = &factor[row * d + row..(row + 1) * d];
            let sound = entries[0] >= f64::MIN_POSITIVE && entries.iter().all(|a| a.is_finite());
            if !(sound && mean[row].is_finite()) {
                let diagonal = entries[0];
                motion.clear();
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
}

#[cfg(test)]
mod tests;
