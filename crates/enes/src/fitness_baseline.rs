//! Fitness baselines of least variance (paper, section "Optimal Fitness Baselines").
//!
//! A baseline b replaces utilities u_i by u_i − b: the expectation of the gradient stays, its
//! variance falls. With `q_i^k = F_k⁻¹ g^k(z_i)` the best b for a group k of parameters is
//! `Σ u_i |q_i^k|² / Σ |q_i^k|²`. In whitened coordinates `q_i^k = s_k t_k + ½(s_k² − 1) A_k` with
//! row k of A and `t_k = Σ_{j>k} s_j A_j`, so that with the inner products G = A Aᵀ
//! `|q^k|² = s_k² |t_k|² + s_k (s_k² − 1) t_k·A_k + ¼ (s_k² − 1)² G_kk`:
//! no gradient is ever formed, and all groups of a sample cost O(d²).

use crate::linalg;

/// Which utilities share a baseline.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash)]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize))]
#[non_exhaustive]
pub enum Baseline {
    /// No baseline.
    None,
    /// One baseline for all parameters.
    Uniform,
    /// One baseline for each parameter. The paper warns of premature convergence.
    Specific,
    /// One baseline for the mean and one for each row of the factor: the paper's choice.
    #[default]
    Block,
}

/// The block baselines: `baselines[0]` for the mean, `baselines[1 + k]` for row k of A.
///
/// `gram` holds the upper triangle of A Aᵀ, `products_i[k] = t_k·A_k`; `weights` is scratch of the
/// length of `baselines`. O(n d).
pub(crate) fn block(
    whitened: &[f64],
    utilities: &[f64],
    gram: &[f64],
    products: &[f64],
    baselines: &mut [f64],
    weights: &mut [f64],
) {
    let d = baselines.len() - 1;
    baselines.fill(0.0);
    weights.fill(0.0);
    for ((s, w), &u) in whitened.chunks_exact(d).zip(products.chunks_exact(d)).zip(utilities) {
        let mut t = 0.0; // |t_k|², from the last row up
        for k in (0..d).rev() {
            let (s_k, w_k, g_kk) = (s[k], w[k], gram[k * d + k]);
            let square = s_k * s_k;
            let m = square - 1.0;
            // Rounding may leave a negative number where all terms cancel.
            let q = (square * t + s_k * m * w_k + 0.25 * m * m * g_kk).max(0.0);
            baselines[k + 1] += u * q;
            weights[k + 1] += q;
            t += 2.0 * s_k * w_k + square * g_kk;
        }
        let t = t.max(0.0); // now |z − x|²
        baselines[0] += u * t;
        weights[0] += t;
    }
}

/// Turn the sums of `block` into one baseline per block.
pub(crate) fn per_block(baselines: &mut [f64], weights: &[f64]) {
    for (b, &w) in baselines.iter_mut().zip(weights) {
        *b = ratio(*b, w);
    }
}

/// Turn the sums of `block` into one baseline for all.
pub(crate) fn uniform(baselines: &mut [f64], weights: &[f64]) {
    let b = ratio(baselines.iter().sum(), weights.iter().sum());
    baselines.fill(b);
}

fn ratio(numerator: f64, denominator: f64) -> f64 {
    if denominator > 0.0 { numerator / denominator } else { 0.0 }
}

/// Sums for the parameter-specific baselines: of u q, q, u q² and q² for every parameter.
#[derive(Clone, Debug)]
pub(crate) struct SpecificSums {
    /// Four sums for each entry of A, then four for each coordinate of x.
    sums: Vec<[f64; 4]>,
    tail: Vec<f64>,
}

impl SpecificSums {
    pub(crate) fn new(d: usize) -> Self {
        Self { sums: vec![[0.0; 4]; d * d + d], tail: vec![0.0; d] }
    }

    /// The natural gradient with a baseline for each parameter, in the coordinates of x and A.
    pub(crate) fn gradient(
        &mut self,
        whitened: &[f64],
        utilities: &[f64],
        factor: &[f64],
        mean_out: &mut [f64],
        factor_out: &mut [f64],
    ) {
        let d = mean_out.len();
        self.sums.fill([0.0; 4]);
        for (s, &u) in whitened.chunks_exact(d).zip(utilities) {
            self.tail.fill(0.0);
            for k in (0..d).rev() {
                let half = 0.5 * (s[k] * s[k] - 1.0);
                let row = &factor[k * d..(k + 1) * d];
                for l in k..d {
                    add_sample(&mut self.sums[k * d + l], u, s[k] * self.tail[l] + half * row[l]);
                }
                linalg::add_scaled(&mut self.tail[k..], s[k], &row[k..]);
            }
            for (sums, &q) in self.sums[d * d..].iter_mut().zip(&self.tail) {
                add_sample(sums, u, q);
            }
        }
        let n = utilities.len() as f64;
        for (out, [uq, q, uqq, qq]) in factor_out.iter_mut().chain(mean_out).zip(&self.sums) {
            *out = (uq - ratio(*uqq, *qq) * q) / n;
        }
    }
}

fn add_sample(sums: &mut [f64; 4], u: f64, q: f64) {
    sums[0] += u * q;
    sums[1] += q;
    sums[2] += u * q * q;
    sums[3] += q * q;
}

/// What `block` needs: `gram` = A Aᵀ and `products_i[k] = Σ_{j>k} s_j G_jk`. O(n d² + d³).
pub(crate) fn inner_products(
    factor: &[f64],
    whitened: &[f64],
    gram: &mut [f64],
    products: &mut [f64],
    d: usize,
) {
    linalg::gram_of_rows(factor, gram, d);
    linalg::strict_upper_times(gram, whitened, products, d);
}
