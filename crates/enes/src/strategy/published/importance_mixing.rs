//! Importance mixing: reuse old samples whose density barely changed (paper, section "Importance
//! mixing").
//!
//! Everything happens in whitened coordinates. The update is known as `A ← T A`, `x ← x + Aᵀ c`, so
//! an old sample s' has the new coordinates `s = T⁻ᵀ(s' − c)`, a new one the old coordinates
//! `s' = Tᵀ s + c`, and `ln p(z|θ)/p(z|θ') = ½(|s'|² − |s|²) − ln det T`. Neither densities nor
//! points nor A itself enter: no scale and no dimension underflows.

use crate::linalg::{
    add_then_compare_norms, norms_then_subtract, parallel, solve_transpose, subtract_norms, transpose_times,
};
use crate::random::Generator;
use crate::search::{Motion, Population};

/// Candidates drawn at a time: enough for the matrix kernels, small enough for the cache.
const BLOCK: usize = 128;

/// Candidates drawn per row of the population before the rest is taken as it comes. Each candidate
/// is accepted with the probability with which an old row was rejected, so about n are drawn; this
/// cap is reached with no noticeable probability, but a loop without a bound is no loop to ship.
pub(crate) const MAX_DRAWS_PER_ROW: usize = 1000;

/// Scratch space, allocated once.
#[derive(Clone, Debug)]
pub(crate) struct Mixing {
    refresh_rate: f64,
    old_norms: Vec<f64>,
    candidates: Vec<f64>,
    candidates_before: Vec<f64>,
    uniforms: Vec<f64>,
    norm_differences: Vec<f64>,
}

impl Mixing {
    pub(crate) fn new(n: usize, d: usize, refresh_rate: f64) -> Self {
        let block = n.min(BLOCK);
        Self {
            refresh_rate,
            old_norms: vec![0.0; n],
            candidates: vec![0.0; block * d],
            candidates_before: vec![0.0; block * d],
            uniforms: vec![0.0; block],
            norm_differences: vec![0.0; block],
        }
    }

    /// Room for populations of n; blocks are those of such a population from now on.
    pub(crate) fn resize(&mut self, n: usize, d: usize) {
        let block = n.min(BLOCK);
        self.candidates.resize(block * d, 0.0);
        self.candidates_before.resize(block * d, 0.0);
        self.uniforms.resize(block, 0.0);
        self.norm_differences.resize(block, 0.0);
    }

    pub(crate) fn refresh_rate(&self) -> f64 {
        self.refresh_rate
    }

    pub(crate) fn set_refresh_rate(&mut self, alpha: f64) {
        self.refresh_rate = alpha;
    }

    /// Turn a population of the distribution before `motion` into one of the distribution after it.
    /// Products take this many threads. Returns the number of candidates drawn. The points of fresh rows are not computed here.
    pub(crate) fn mix(
        &mut self,
        population: &mut Population,
        motion: &Motion,
        generator: &mut Generator,
        threads: usize,
    ) -> usize {
        self.keep_old(population, motion, generator, threads);
        self.draw_new(population, motion, generator, threads)
    }

    /// Step 1: keep z with probability min(1, (1 − α) p(z|θ)/p(z|θ')).
    fn keep_old(
        &mut self,
        population: &mut Population,
        motion: &Motion,
        generator: &mut Generator,
        threads: usize,
    ) {
        let d = population.dimension();
        self.old_norms.resize(population.len(), 0.0);
        let (s, norms) = (population.whitened_mut(), &mut self.old_norms[..]);
        parallel::divide(threads, d, &[], s, norms, &|_, s, norms| {
            norms_then_subtract(s, &motion.shift, norms);
            solve_transpose(&motion.factor, s, d);
            subtract_norms(s, norms, d); // |s'|² − |s|²
        });
        population.retain(|row| {
            let log_ratio = 0.5 * self.old_norms[row] - motion.log_det;
            generator.uniform() < (1.0 - self.refresh_rate) * log_ratio.exp()
        });
    }

    /// Step 2: draw from p(z|θ), accept with probability max(α, 1 − p(z|θ')/p(z|θ)), until n.
    fn draw_new(
        &mut self,
        population: &mut Population,
        motion: &Motion,
        generator: &mut Generator,
        threads: usize,
    ) -> usize {
        let (n, d) = (population.len(), population.dimension());
        let mut filled = population.kept();
        // The share of old rows that were rejected estimates the share of candidates accepted.
        let acceptance = self.refresh_rate.max((n - filled) as f64 / n as f64);
        let mut drawn = 0;
        while filled < n {
            let wanted = ((n - filled) as f64 / acceptance).ceil() as usize;
            let block = wanted.clamp(1, self.uniforms.len());
            generator.fill_rows(&mut self.candidates[..block * d], &mut self.uniforms[..block], d);
            let fresh = &self.candidates[..block * d];
            let before = &mut self.candidates_before[..block * d];
            let differences = &mut self.norm_differences[..block]; // |s|² − |s'|²
            parallel::divide(threads, d, fresh, before, differences, &|fresh, before, differences| {
                transpose_times(&motion.factor, fresh, before, d);
                add_then_compare_norms(fresh, before, &motion.shift, differences);
            });
            for (row, s) in fresh.chunks_exact(d).enumerate() {
                if filled == n {
                    break;
                }
                let log_ratio = 0.5 * differences[row] + motion.log_det;
                let accept = self.refresh_rate.max(1.0 - log_ratio.exp());
                if self.uniforms[row] < accept || drawn >= MAX_DRAWS_PER_ROW * n {
                    population.row_mut(filled).0.copy_from_slice(s);
                    filled += 1;
                }
            }
            drawn += block;
        }
        drawn
    }
}
