//! The exact natural gradient in closed form (paper, section "Natural Gradient").
//!
//! Write a perturbed factor as (I + M)A with M upper triangular. In the coordinates M the Fisher
//! matrix is diagonal, 2 on the diagonal of M and 1 off it, whatever A is, and the score of a
//! sample is `s_i s_j` (i < j) and `s_i² − 1` (i = j). So the paper's `F_k⁻¹ g^k(z)` is row k of
//! `M A` with `M_ij = s_i s_j`, `M_ii = ½(s_i² − 1)`, and its mean block is `Aᵀ s`. No inverse is
//! formed, nothing is lost to the condition of A, and a generation costs O(n d² + d³).

use crate::fitness_baseline::{self as baseline, Baseline, SpecificSums};
use crate::linalg;

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
pub(crate) struct Workspace {
    gram: Vec<f64>,
    rows: Vec<f64>,
    baselines: Vec<f64>,
    weights: Vec<f64>,
    specific: Option<SpecificSums>,
}

impl Workspace {
    pub(crate) fn new(n: usize, d: usize, baseline: Baseline) -> Self {
        let specific = baseline == Baseline::Specific;
        Self {
            gram: vec![0.0; if specific { 0 } else { d * d }],
            rows: vec![0.0; if specific { 0 } else { n * d }],
            baselines: vec![0.0; d + 1],
            weights: vec![0.0; d + 1],
            specific: specific.then(|| SpecificSums::new(d)),
        }
    }
}

impl NaturalGradient {
    pub(crate) fn zero(d: usize) -> Self {
        Self { mean: vec![0.0; d], factor: vec![0.0; d * d] }
    }

    /// Estimate from whitened samples and their utilities (larger is better).
    pub(crate) fn estimate(
        &mut self,
        whitened: &[f64],
        utilities: &[f64],
        factor: &[f64],
        baseline: Baseline,
        workspace: &mut Workspace,
    ) {
        match &mut workspace.specific {
            Some(sums) => self.estimate_specific(whitened, utilities, factor, sums),
            None => {
                choose_baselines(whitened, utilities, factor, baseline, workspace);
                self.weigh(whitened, utilities, workspace);
            }
        }
    }

    /// `M = (1/n) Σ_i (u_i − b_k) × (row k of the sample's M)`, likewise the mean.
    fn weigh(&mut self, whitened: &[f64], utilities: &[f64], workspace: &mut Workspace) {
        let d = self.mean.len();
        let n = utilities.len() as f64;
        let (b_mean, b_rows) = workspace.baselines.split_at(1);
        self.mean.fill(0.0);
        let rows = workspace.rows.chunks_exact_mut(d);
        for ((row, s), &u) in rows.zip(whitened.chunks_exact(d)).zip(utilities) {
            linalg::add_scaled(&mut self.mean, (u - b_mean[0]) / n, s);
            for ((r, &s_k), b_k) in row.iter_mut().zip(s).zip(b_rows) {
                *r = (u - b_k) * s_k;
            }
        }
        linalg::upper_of_outer_sum(&workspace.rows, whitened, &mut self.factor, d);
        let total: f64 = utilities.iter().sum();
        for k in 0..d {
            // Half the diagonal makes this the natural, not the plain, gradient.
            let diagonal = 0.5 * (self.factor[k * d + k] - (total - n * b_rows[k]));
            self.factor[k * d + k] = diagonal;
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

/// Fill `workspace.baselines`.
fn choose_baselines(
    whitened: &[f64],
    utilities: &[f64],
    factor: &[f64],
    choice: Baseline,
    workspace: &mut Workspace,
) {
    let Workspace { gram, rows, baselines, weights, .. } = workspace;
    if choice == Baseline::None {
        baselines.fill(0.0);
        return;
    }
    baseline::inner_products(factor, whitened, gram, rows, baselines.len() - 1);
    baseline::block(whitened, utilities, gram, rows, baselines, weights);
    match choice {
        Baseline::Uniform => baseline::uniform(baselines, weights),
        _ => baseline::per_block(baselines, weights),
    }
}
