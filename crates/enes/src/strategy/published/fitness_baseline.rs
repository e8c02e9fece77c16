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
#[derive(Clone, Copy, Debug, Default)]
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
    /// Beyond the paper: `factor` times the mean utility, the same for all parameters, whatever the samples are.
    /// With importance mixing 1 to 1.3 converges prematurely less often than [`Baseline::Block`] where the
    /// population is small, and takes more evaluations (docs/method/published.md).
    ///
    /// ```
    /// use enes::{Baseline, Settings, Strategy};
    /// let settings = Settings::new([3.0; 5], 1.0).strategy(Strategy::Published).population(25);
    /// settings.baseline(Baseline::Mean { factor: 1.15 }).validate()?;
    /// # Ok::<(), enes::SettingsError>(())
    /// ```
    Mean {
        /// Positive; 1 is the mean utility itself.
        factor: f64,
    },
}

impl Baseline {
    /// The bits tell factors apart, so that equality is one and hashing fits it.
    fn identity(self) -> (std::mem::Discriminant<Self>, u64) {
        let bits = if let Self::Mean { factor } = self { factor.to_bits() } else { 0 };
        (std::mem::discriminant(&self), bits)
    }
}

impl PartialEq for Baseline {
    fn eq(&self, other: &Self) -> bool {
        self.identity() == other.identity()
    }
}

impl Eq for Baseline {}

impl std::hash::Hash for Baseline {
    fn hash<H: std::hash::Hasher>(&self, state: &mut H) {
        self.identity().hash(state);
    }
}

/// Samples whose running sums advance side by side.
const TILE: usize = 4;

/// Rows of A whose sums are kept at a time.
const CHUNK: usize = 64;

/// Scratch space of the block baselines.
#[derive(Clone, Debug)]
pub(crate) struct BlockSums {
    /// Upper triangle of A Aᵀ, and its diagonal by itself.
    gram: Vec<f64>,
    diagonal: Vec<f64>,
    /// |z − x|² of every sample.
    distances: Vec<f64>,
    /// Σ u |q|² and Σ |q|²: entry 0 is the mean's, entry 1 + k that of row k of A.
    pub(crate) baselines: Vec<f64>,
    weights: Vec<f64>,
}

impl BlockSums {
    pub(crate) fn new(n: usize, d: usize) -> Self {
        Self {
            gram: vec![0.0; d * d],
            diagonal: vec![0.0; d],
            distances: vec![0.0; n],
            baselines: vec![0.0; d + 1],
            weights: vec![0.0; d + 1],
        }
    }

    /// Room for populations of n.
    pub(crate) fn resize(&mut self, n: usize) {
        self.distances.resize(n, 0.0);
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

    /// `factor` times the mean utility.
    pub(crate) fn mean(&mut self, u: &[f64], factor: f64) {
        self.baselines.fill(factor * u.iter().sum::<f64>() / u.len() as f64);
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
        for (g, g_kk) in self.diagonal.iter_mut().zip(self.gram.iter().step_by(d + 1)) {
            *g = *g_kk;
        }
        self.baselines.fill(0.0);
        self.weights.fill(0.0);
        let Self { gram, diagonal, distances, baselines, weights } = self;
        let squares = |s: &[f64], products: &mut [f64], distances: &mut [f64]| {
            linalg::strict_upper_times(gram, s, products, d); // t_k·A_k
            squares_of_samples(s, products, diagonal, distances);
        };
        parallel::divide(threads, d, whitened, products, distances, &squares);
        let ([b_mean, b_rows @ ..], [w_mean, w_rows @ ..]) = (&mut baselines[..], &mut weights[..]) else {
            return;
        };
        for (t, u) in distances.iter().zip(utilities) {
            *b_mean += u * t;
            *w_mean += t;
        }
        let threads = if parallel::pays(threads, utilities.len(), d) { threads } else { 1 };
        parallel::bands(threads, utilities.len(), 0, b_rows, w_rows, &|from, sums, weights| {
            add_squares(products, d, utilities, from, sums, weights);
        });
    }
}

/// From `t_k·A_k` in `products` to |q^k|² there, and |z − x|² for every sample, a tile at a time. Plain loops for several
/// instruction sets, as those of `linalg/rows.rs`.
#[multiversion(targets("x86_64+avx512f", "x86_64+avx2"))]
fn squares_of_samples(whitened: &[f64], products: &mut [f64], diagonal: &[f64], distances: &mut [f64]) {
    let d = diagonal.len();
    let mut tails = [[0.0; CHUNK]; TILE];
    let whole = distances.len() / TILE * TILE;
    let tiles = (0..whole).step_by(TILE).map(|first| (first, TILE));
    for (first, rows) in tiles.chain((whole..distances.len()).map(|first| (first, 1))) {
        let (s, w) = (&whitened[first * d..], &mut products[first * d..]);
        match rows {
            TILE => squares_of_tile::<TILE>(s, w, diagonal, &mut distances[first..], &mut tails),
            _ => squares_of_tile::<1>(s, w, diagonal, &mut distances[first..], &mut [[0.0; CHUNK]]),
        }
    }
}

/// L samples. Their sums over rows of A are chains of dependent additions: side by side they do not wait for each other.
#[inline(always)]
fn squares_of_tile<const L: usize>(
    s: &[f64],
    w: &mut [f64],
    diagonal: &[f64],
    distances: &mut [f64],
    tails: &mut [[f64; CHUNK]; L],
) {
    let d = diagonal.len();
    let mut t = [0.0; L]; // |t_k|², from the last row up
    let mut end = d;
    while end > 0 {
        let first = end.saturating_sub(CHUNK);
        let (g, size) = (&diagonal[first..end], end - first);
        for (row, tail) in tails.iter_mut().enumerate() {
            let (s, w) = (&s[row * d + first..][..size], &w[row * d + first..][..size]);
            for (((tail, s), w), g) in tail.iter_mut().zip(s).zip(w).zip(g) {
                *tail = s * (2.0 * w + s * g);
            }
        }
        for k in (0..size).rev() {
            for (t, tail) in t.iter_mut().zip(tails.iter_mut()) {
                *t += std::mem::replace(&mut tail[k], *t);
            }
        }
        for (row, tail) in tails.iter().enumerate() {
            let (s, w) = (&s[row * d + first..][..size], &mut w[row * d + first..][..size]);
            for (((t, s), w), g) in tail.iter().zip(s).zip(w).zip(g) {
                let square = s * s;
                let m = square - 1.0;
                let q = square * t + m * (s * *w + 0.25 * m * g);
                *w = q.max(0.0); // rounding may leave less where all terms cancel
            }
        }
        end = first;
    }
    for (distance, t) in distances.iter_mut().zip(t) {
        *distance = t.max(0.0); // now |z − x|²
    }
}

/// `sums_k ← sums_k + Σ_i u_i q_ik` and `weights_k ← weights_k + Σ_i q_ik` for a band of columns.
#[multiversion(targets("x86_64+avx512f", "x86_64+avx2"))]
fn add_squares(
    squares: &[f64],
    d: usize,
    utilities: &[f64],
    from: usize,
    sums: &mut [f64],
    weights: &mut [f64],
) {
    for (row, u) in squares.chunks_exact(d).zip(utilities) {
        for ((q, sum), weight) in row[from..].iter().zip(sums.iter_mut()).zip(weights.iter_mut()) {
            *sum += u * q;
            *weight += q;
        }
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
