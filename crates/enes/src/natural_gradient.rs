//! The exact natural gradient in closed form (paper, section "Natural Gradient").
//!
//! Write a perturbed factor as (I + M)A with M upper triangular. In the coordinates M the Fisher
//! matrix is diagonal, 2 on the diagonal of M and 1 off it, whatever A is, and the score of a
//! sample is `s_i s_j` (i < j) and `s_i² − 1` (i = j). So the paper's `F_k⁻¹ g^k(z)` is row k of
//! `M A` with `M_ij = s_i s_j`, `M_ii = ½(s_i² − 1)`, and its mean block is `Aᵀ s`. No inverse is
//! formed, nothing is lost to the condition of A, and a generation costs O(n d² + d³).

use crate::fitness_baseline::{Baseline, BlockSums, SpecificSums};
use crate::linalg::{self, parallel};

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

    /// δx and δA.
    pub(crate) fn in_coordinates(&self, factor: &[f64]) -> Gradient {
        let d = self.mean.len();
        let mut gradient = Gradient { mean: vec![0.0; d], factor: vec![0.0; d * d] };
        linalg::transpose_times(factor, &self.mean, &mut gradient.mean, d);
        linalg::upper_times_upper(&self.factor, factor, &mut gradient.factor, d);
        gradient
    }
}
