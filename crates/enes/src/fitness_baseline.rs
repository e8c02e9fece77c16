//! Fitness baselines of least variance (paper, section "Optimal Fitness Baselines").
//!
//! A baseline b replaces utilities u_i by u_i − b: the expectation of the gradient stays, its
//! variance falls. With `q_i^k = F_k⁻¹ g^k(z_i)` the best b for a group k of parameters is
//! `Σ u_i |q_i^k|² / Σ |q_i^k|²`. In whitened coordinates `q_i^k = s_k t_k + ½(s_k² − 1) A_k` with
//! row k of A and `t_k = Σ_{j>k} s_j A_j`, so that with the inner products G = A Aᵀ
//! `|q^k|² = s_k² |t_k|² + s_k (s_k² − 1) t_k·A_k + ¼ (s_k² − 1)² G_kk`:
//! no gradient is ever formed, and all groups of a sample cost O(d²).

use multiversion::multiversion;

use crate::linalg::{self, parallel};

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

/// Samples whose running sums advance side by side.
const TILE: usize = 4;

/// Scratch space of the block baselines.
#[derive(Clone, Debug)]
pub(crate) struct BlockSums {
    /// Upper triangle of A Aᵀ, and its diagonal by itself.
    gram: Vec<f64>,
    diagonal: Vec<f64>,
    /// |t_k|² for a tile of samples.
    tails: Vec<f64>,
    /// Σ u |q|² and Σ |q|²: entry 0 is the mean's, entry 1 + k that of row k of A.
    pub(crate) baselines: Vec<f64>,
    weights: Vec<f64>,
}

impl BlockSums {
    pub(crate) fn new(d: usize) -> Self {
        Self {
            gram: vec![0.0; d * d],
            diagonal: vec![0.0; d],
            tails: vec![0.0; TILE * d],
            baselines: vec![0.0; d + 1],
            weights: vec![0.0; d + 1],
        }
    }

    /// One baseline for the mean and one for each row of A; `products` is scratch, n × d.
    /// O(n d² + d³).
    pub(crate) fn per_block(
        &mut self,
        s: &[f64],
        u: &[f64],
        factor: &[f64],
        products: &mut [f64],
        threads: usize,
    ) {
        self.sum(s, u, factor, products, threads);
        for (b, &w) in self.baselines.iter_mut().zip(&self.weights) {
            *b = ratio(*b, w);
        }
    }

    /// One baseline for all.
    pub(crate) fn uniform(
        &mut self,
        s: &[f64],
        u: &[f64],
        factor: &[f64],
        products: &mut [f64],
        threads: usize,
    ) {
        self.sum(s, u, factor, products, threads);
        let b = ratio(self.baselines.iter().sum(), self.weights.iter().sum());
        self.baselines.fill(b);
    }

    fn sum(
        &mut self,
        whitened: &[f64],
        utilities: &[f64],
        factor: &[f64],
        products: &mut [f64],
        threads: usize,
    ) {
        let d = self.diagonal.len();
        linalg::gram_of_rows(factor, &mut self.gram, d);
        parallel::strict_upper_times(threads, &self.gram, whitened, products, d); // t_k·A_k
        for (g, g_kk) in self.diagonal.iter_mut().zip(self.gram.iter().step_by(d + 1)) {
            *g = *g_kk;
        }
        self.baselines.fill(0.0);
        self.weights.fill(0.0);
        let Self { diagonal, tails, baselines, weights, .. } = self;
        add_samples(whitened, utilities, products, diagonal, tails, baselines, weights);
    }
}

/// Add every sample to the sums, a tile at a time. Plain loops for several instruction sets, as
/// those at the end of `linalg.rs`.
#[multiversion(targets("x86_64+avx512f", "x86_64+avx2"))]
fn add_samples(
    whitened: &[f64],
    utilities: &[f64],
    products: &[f64],
    diagonal: &[f64],
    tails: &mut [f64],
    baselines: &mut [f64],
    weights: &mut [f64],
) {
    let d = diagonal.len();
    let whole = utilities.len() / TILE * TILE;
    let tiles = (0..whole).step_by(TILE).map(|first| (first, TILE));
    for (first, rows) in tiles.chain((whole..utilities.len()).map(|first| (first, 1))) {
        let (s, w) = (&whitened[first * d..], &products[first * d..]);
        let u = &utilities[first..first + rows];
        match rows {
            TILE => add_tile::<TILE>(s, w, u, diagonal, tails, baselines, weights),
            _ => add_tile::<1>(s, w, u, diagonal, tails, baselines, weights),
        }
    }
}

/// Add L samples. Their sums over rows are short chains of dependent additions: side by side they
/// do not wait for each other.
#[inline(always)]
fn add_tile<const L: usize>(
    s: &[f64],
    w: &[f64],
    u: &[f64],
    diagonal: &[f64],
    tails: &mut [f64],
    baselines: &mut [f64],
    weights: &mut [f64],
) {
    let d = diagonal.len();
    let (s, w, tails) = (&s[..L * d], &w[..L * d], &mut tails[..L * d]);
    for row in 0..L {
        let (s, w, tail) = (&s[row * d..][..d], &w[row * d..][..d], &mut tails[row * d..][..d]);
        for k in 0..d {
            tail[k] = s[k] * (2.0 * w[k] + s[k] * diagonal[k]);
        }
    }
    let mut t = [0.0; L]; // |t_k|², from the last row up
    for k in (0..d).rev() {
        for row in 0..L {
            t[row] += std::mem::replace(&mut tails[row * d + k], t[row]);
        }
    }
    for row in 0..L {
        let u = u[row];
        let (s, w, t) = (&s[row * d..][..d], &w[row * d..][..d], &tails[row * d..][..d]);
        let (sums, weights) = (&mut baselines[1..][..d], &mut weights[1..][..d]);
        for k in 0..d {
            let square = s[k] * s[k];
            let m = square - 1.0;
            let q = square * t[k] + m * (s[k] * w[k] + 0.25 * m * diagonal[k]);
            let q = q.max(0.0); // rounding may leave less where all terms cancel
            sums[k] += u * q;
            weights[k] += q;
        }
    }
    for (t, u) in t.into_iter().zip(u) {
        let t = t.max(0.0); // now |z − x|²
        baselines[0] += u * t;
        weights[0] += t;
    }
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
