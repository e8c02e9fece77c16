//! The exact natural gradient in closed form (paper, section "Natural Gradient").
//!
//! Write a perturbed factor as (I + M)A with M upper triangular. In the coordinates M the Fisher
//! matrix is diagonal, 2 on the diagonal of M and 1 off it, whatever A is, and the score of a
//! sample is `s_i s_j` (i < j) and `s_i² − 1` (i = j). So the paper's `F_k⁻¹ g^k(z)` is row k of
//! `M A` with `M_ij = s_i s_j`, `M_ii = ½(s_i² − 1)`, and its mean block is `Aᵀ s`. No inverse is
//! formed, nothing is lost to the condition of A, and a generation costs O(n d² + d³).

use super::fitness_baseline::{Baseline, BlockSums, SpecificSums};
use crate::error::DistributionError;
use crate::linalg::{self, parallel};
use crate::search::{Degenerate, Search, SearchDistribution};

/// A row of A keeps at least this share of its diagonal entry in one update.
const DIAGONAL_FLOOR: f64 = 0.1;

/// A natural gradient in the coordinates of the mean x and the factor A.
#[derive(Clone, Debug, PartialEq)]
#[non_exhaustive]
pub struct Gradient {
    /// δx, per unit learning rate.
    pub mean: Vec<f64>,
    /// δA by rows, d × d, upper triangular, per unit learning rate.
    pub factor: Vec<f64>,
}

/// A natural gradient in whitened coordinates: `δx = Aᵀ mean`, `δA = factor · A`.
#[derive(Clone, Debug)]
pub(crate) struct NaturalGradient {
    pub(crate) mean: Vec<f64>,
    pub(crate) factor: Vec<f64>,
}

/// Scratch space of the estimate, allocated once.
#[derive(Clone, Debug)]
pub(crate) enum Workspace {
    /// For a baseline per block, or one for all, or none: n × d numbers besides the sums.
    Blocks { rows: Vec<f64>, sums: BlockSums },
    /// For a baseline per parameter.
    Specific(SpecificSums),
}

impl Workspace {
    pub(crate) fn new(n: usize, d: usize, baseline: Baseline) -> Self {
        match baseline {
            Baseline::Specific => Self::Specific(SpecificSums::new(d)),
            _ => Self::Blocks { rows: vec![0.0; n * d], sums: BlockSums::new(n, d) },
        }
    }

    /// Room for populations of n.
    pub(crate) fn resize(&mut self, n: usize, d: usize) {
        if let Self::Blocks { rows, sums } = self {
            rows.resize(n * d, 0.0);
            sums.resize(n);
        }
    }

    /// The mean of (u_i − b)², after an estimate; b is the baseline of the mean, or ū where each parameter has its own.
    pub(crate) fn mean_square(&self, utilities: &[f64]) -> f64 {
        let n = utilities.len() as f64;
        let b = match self {
            Self::Blocks { sums, .. } => sums.baselines[0],
            Self::Specific(_) => utilities.iter().sum::<f64>() / n,
        };
        utilities.iter().map(|u| (u - b).powi(2)).sum::<f64>() / n
    }
}

impl NaturalGradient {
    pub(crate) fn zero(d: usize) -> Self {
        Self { mean: vec![0.0; d], factor: vec![0.0; d * d] }
    }

    /// Estimate from whitened samples and their utilities (larger is better), on this many threads.
    pub(crate) fn estimate(
        &mut self,
        whitened: &[f64],
        utilities: &[f64],
        factor: &[f64],
        baseline: Baseline,
        workspace: &mut Workspace,
        threads: usize,
    ) {
        match workspace {
            Workspace::Specific(sums) => self.estimate_specific(whitened, utilities, factor, sums),
            Workspace::Blocks { rows, sums } => {
                match baseline {
                    Baseline::None => sums.baselines.fill(0.0),
                    Baseline::Mean { factor } => sums.mean(utilities, factor),
                    Baseline::Uniform => sums.uniform(whitened, utilities, factor, rows, threads),
                    _ => sums.per_block(whitened, utilities, factor, rows, threads),
                }
                self.weigh(whitened, utilities, &sums.baselines, rows, threads);
            }
        }
    }

    /// `M = (1/n) Σ_i (u_i − b_k) × (row k of the sample's M)`, likewise the mean.
    fn weigh(
        &mut self,
        whitened: &[f64],
        utilities: &[f64],
        baselines: &[f64],
        rows: &mut [f64],
        threads: usize,
    ) {
        let d = self.mean.len();
        let n = utilities.len() as f64;
        let (b_mean, b_rows) = (baselines[0], &baselines[1..]);
        match parallel::pays(threads, utilities.len(), d) {
            false => linalg::weigh_rows(whitened, utilities, b_mean, b_rows, &mut self.mean, rows),
            true => parallel::join(
                || linalg::weighted_sum(whitened, utilities, b_mean, &mut self.mean),
                || linalg::weighted_rows(whitened, utilities, b_rows, rows),
            ),
        }
        self.mean.iter_mut().for_each(|m| *m /= n);
        parallel::upper_of_outer_sum(threads, rows, whitened, &mut self.factor, d);
        let total: f64 = utilities.iter().sum();
        for (k, b_k) in b_rows.iter().enumerate() {
            // Half the diagonal makes this the natural, not the plain, gradient.
            self.factor[k * d + k] = 0.5 * (self.factor[k * d + k] - (total - n * b_k));
            self.factor[k * d + k..(k + 1) * d].iter_mut().for_each(|m| *m /= n);
        }
    }

    /// A baseline per parameter is tied to the coordinates of x and A: estimate there, then whiten.
    fn estimate_specific(
        &mut self,
        whitened: &[f64],
        utilities: &[f64],
        factor: &[f64],
        sums: &mut SpecificSums,
    ) {
        let d = self.mean.len();
        sums.gradient(whitened, utilities, factor, &mut self.mean, &mut self.factor);
        linalg::solve_transpose(factor, &mut self.mean, d);
        linalg::right_solve(factor, &mut self.factor, d);
    }

    /// The squared length in the metric of the Fisher matrix, which is 2 on the diagonal of M and 1 elsewhere. O(d²).
    pub(crate) fn squared_length(&self) -> f64 {
        let d = self.mean.len();
        let rows = self.factor.chunks_exact(d).enumerate();
        let factor: f64 = rows.map(|(k, row)| linalg::squared_norm(&row[k..]) + row[k] * row[k]).sum();
        linalg::squared_norm(&self.mean) + factor
    }

    /// Let ln σ, the mean of the factor's log diagonal, grow by `rate` more; shape and mean stay.
    pub(crate) fn widen(&mut self, rate: f64) {
        let d = self.mean.len();
        self.factor.iter_mut().step_by(d + 1).for_each(|m| *m += rate);
    }

    /// δx and δA.
    pub(crate) fn in_coordinates(&self, factor: &[f64]) -> Gradient {
        let d = self.mean.len();
        let mut gradient = Gradient { mean: vec![0.0; d], factor: vec![0.0; d * d] };
        linalg::transpose_times(factor, &self.mean, &mut gradient.mean, d);
        linalg::upper_times_upper(&self.factor, factor, &mut gradient.factor, d);
        gradient
    }

    /// Follow the gradient: `x ← x + η_x δx`, `A ← A + η_A δA`. O(d³).
    ///
    /// Deviation: the paper's additive rule can take a diagonal entry of A through zero. Where a
    /// row would keep less than a tenth of its diagonal entry, the whole factor step is shortened
    /// (test `a_huge_step_never_passes_a_diagonal_entry_through_zero`).
    pub(crate) fn follow(
        &self,
        search: &mut Search,
        learning_rate_mean: f64,
        learning_rate_factor: f64,
    ) -> Result<(), Degenerate> {
        let d = self.mean.len();
        let largest_drop = self.factor.iter().step_by(d + 1).fold(0.0f64, |m, g| m.max(-g));
        let eta = match learning_rate_factor * largest_drop {
            drop if drop > 1.0 - DIAGONAL_FLOOR => (1.0 - DIAGONAL_FLOOR) / largest_drop,
            _ => learning_rate_factor,
        };
        let motion = &mut search.motion;
        for (m, g) in motion.factor.iter_mut().zip(&self.factor) {
            *m = eta * g;
        }
        motion.factor.iter_mut().step_by(d + 1).for_each(|m| *m += 1.0);
        for (m, g) in motion.shift.iter_mut().zip(&self.mean) {
            *m = learning_rate_mean * g;
        }
        search.follow_motion()
    }
}

impl SearchDistribution {
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
        local.estimate(&whitened, utilities, self.factor(), baseline, &mut workspace, 1);
        Ok(local.in_coordinates(self.factor()))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn search(mean: Vec<f64>, factor: Vec<f64>) -> Search {
        Search::new(SearchDistribution::new(mean, factor).unwrap(), 2)
    }

    #[test]
    fn a_huge_step_never_passes_a_diagonal_entry_through_zero() {
        let mut search = search(vec![0.0; 2], vec![1.0, 0.5, 0.0, 2.0]);
        let gradient = NaturalGradient { mean: vec![0.0; 2], factor: vec![-7.0, 3.0, 0.0, -1.0] };
        gradient.follow(&mut search, 1.0, 1.0).unwrap();
        let factor = search.distribution.factor();
        assert!((factor[0] - 0.1).abs() < 1e-15, "{factor:?}");
        assert!((factor[3] - 2.0 * (1.0 - 0.9 / 7.0)).abs() < 1e-15);
    }

    #[test]
    fn a_step_that_overflows_changes_nothing() {
        let mut search = search(vec![0.0], vec![1e300]);
        let before = search.distribution.clone();
        for (mean, factor) in [(1e300, 0.0), (0.0, 1e300), (f64::NAN, 0.0), (0.0, f64::NAN)] {
            let gradient = NaturalGradient { mean: vec![mean], factor: vec![factor] };
            assert!(gradient.follow(&mut search, 1.0, 1.0).is_err());
            assert_eq!((&search.distribution, search.motion.factor[0]), (&before, 1.0));
        }
    }

    #[test]
    fn a_mean_baseline_is_its_factor_times_the_mean_utility() {
        let p = SearchDistribution::new(vec![0.0], vec![1.0]).unwrap();
        let g = p.natural_gradient(&[-1.0, 2.0], &[0.0, 1.0], Baseline::Mean { factor: 1.2 }).unwrap();
        // u − b is −0.6 and 0.4: ½ (0.6 + 0.8), and ½ · ½ (0 + 0.4 · 3).
        assert!((g.mean[0] - 0.7).abs() < 1e-15 && (g.factor[0] - 0.3).abs() < 1e-15, "{g:?}");
    }

    #[test]
    fn lengths_that_do_not_fit_are_refused() {
        let p = SearchDistribution::new(vec![0.0, 0.0], vec![1.0, 0.0, 0.0, 1.0]).unwrap();
        assert!(p.natural_gradient(&[1.0, 2.0], &[1.0, 2.0], Baseline::None).is_err());
    }
}
