//! Quadratic models of a response over a window of the archive, by a kernel with a ridge.
//!
//! With the kernel of `math/quadratic.rs`, `D_i = max(1, |s_i|²/d)^η`,
//! `G = D^{-½}KD^{-½} + νI = UᵀU` and a response y, `α = D^{-½}G⁻¹D^{-½}y`, and the prediction of point i by a
//! model that has not seen it is `y_i − α_i D_i/(G⁻¹)_ii`. The latest points come last, so that all this needs
//! of the inverse is the trailing block of U.

use multiversion::multiversion;

use super::step::Quadratic;
use crate::archive::Archive;
use crate::linalg::{
    CholeskySpace, add_scaled, cholesky_in_place, gram_of_vectors, solve_transpose, solve_upper,
    squared_norms, weighted_kernel_entry,
};
use crate::math::quadratic;
use crate::search::SearchDistribution;
use crate::space::Limits;
use crate::strategy::adaptive::tuning::Configuration;

/// A pivot at or below this is lost to rounding.
pub(super) const LEAST_PIVOT: f64 = 1e-15;

/// Where a pivot is lost an interpolating ridge grows by this factor, up to a limit.
const MORE_RIDGE: f64 = 30.0;
const MOST_RIDGE: f64 = 1e-9;

/// What stands for infinity where a model leaves constant, slope and mean curvature free: that part of the kernel counts
/// so much more.
const FREE: f64 = 1e4;

/// A window of the archive in whitened coordinates.
#[derive(Clone, Debug)]
pub(super) struct Frame {
    dimension: usize,
    /// s_i as rows, and |s_i|².
    pub(super) whitened: Vec<f64>,
    pub(super) norms: Vec<f64>,
    /// s_i·s_j of the latest points, as many as models look at; upper triangle.
    gram: Vec<f64>,
    pub(super) window: usize,
    rows: Vec<f64>,
    /// Points by their distance, and their numbers on the way to that order.
    order: Vec<usize>,
    numbers: Vec<f64>,
}

impl Frame {
    pub(super) fn new(capacity: usize, d: usize) -> Self {
        Self {
            dimension: d,
            // Twice as many before those near the best are chosen.
            whitened: Vec::with_capacity(2 * capacity * d),
            norms: Vec::with_capacity(2 * capacity),
            gram: Vec::with_capacity(capacity * capacity),
            window: 0,
            rows: Vec::with_capacity(2 * capacity * d),
            order: Vec::with_capacity(2 * capacity),
            numbers: Vec::with_capacity(2 * capacity),
        }
    }

    /// Take in rows of the archive. n d²/2 multiply-adds; false where a coordinate is not finite.
    pub(super) fn whiten(
        &mut self,
        rows: &[usize],
        archive: &Archive,
        distribution: &SearchDistribution,
    ) -> bool {
        self.whitened.resize(rows.len() * self.dimension, 0.0);
        self.norms.resize(rows.len(), 0.0);
        archive.whiten(rows, distribution, &mut self.whitened, &mut self.norms);
        self.norms.iter().all(|q| q.is_finite())
    }

    /// The same inside a box, around the folded mean of the distribution.
    pub(super) fn whiten_inside(
        &mut self,
        rows: &[usize],
        archive: &Archive,
        distribution: &SearchDistribution,
        (limits, mean): (&Limits, &[f64]),
    ) -> bool {
        let d = self.dimension;
        self.whitened.resize(rows.len() * d, 0.0);
        self.norms.resize(rows.len(), 0.0);
        archive.points_of(rows, &mut self.whitened);
        limits.fold(&mut self.whitened);
        self.whitened.chunks_exact_mut(d).for_each(|z| add_scaled(z, -1.0, mean));
        solve_transpose(distribution.factor(), &mut self.whitened, d);
        squared_norms(&self.whitened, &mut self.norms, d);
        self.norms.iter().all(|q| q.is_finite())
    }

    /// The point of the least cost; of equal ones the latest.
    pub(super) fn best_of(&self, costs: &[f64]) -> usize {
        (0..costs.len()).rev().min_by(|&i, &j| costs[i].total_cmp(&costs[j])).unwrap_or(0)
    }

    /// Which points were kept, of those there were: n, the nearest last.
    pub(super) fn nearest(&self, n: usize) -> &[usize] {
        &self.order[self.order.len() - n..]
    }

    /// Make the best point the origin and keep the n points that are nearest to it, the nearest last; of equal ones the first
    /// where they are to be distinct. `center` is where the origin was moved to.
    pub(super) fn keep_nearest(
        &mut self,
        n: usize,
        distinct: bool,
        costs: &mut Vec<f64>,
        center: &mut [f64],
    ) {
        let d = self.dimension;
        let best = self.best_of(costs);
        center.copy_from_slice(&self.whitened[best * d..(best + 1) * d]);
        self.whitened.chunks_exact_mut(d).for_each(|s| add_scaled(s, -1.0, center));
        squared_norms(&self.whitened, &mut self.norms, d);
        let norms = &self.norms;
        self.order.clear();
        self.order.extend(0..costs.len());
        let farther = |i: usize, j: usize| norms[j].total_cmp(&norms[i]);
        if distinct {
            let row = |i: usize| &self.whitened[i * d..(i + 1) * d];
            let by_row = |i, j| row(i).partial_cmp(row(j)).unwrap_or(std::cmp::Ordering::Equal);
            self.order.sort_unstable_by(|&i, &j| farther(i, j).then_with(|| by_row(i, j)).then(i.cmp(&j)));
            self.order.dedup_by(|i, j| row(*i) == row(*j));
        } else {
            self.order.sort_unstable_by(|&i, &j| farther(i, j).then(i.cmp(&j)));
        }
        let nearest = &self.order[self.order.len().saturating_sub(n)..];
        self.rows.clear();
        nearest.iter().for_each(|&i| self.rows.extend_from_slice(&self.whitened[i * d..(i + 1) * d]));
        std::mem::swap(&mut self.rows, &mut self.whitened);
        for numbers in [&mut self.norms, costs] {
            self.numbers.clear();
            self.numbers.extend(nearest.iter().map(|&i| numbers[i]));
            numbers.clear();
            numbers.extend_from_slice(&self.numbers);
        }
    }

    /// Leave out the points that are marked.
    pub(super) fn leave_out(&mut self, marked: &[bool], costs: &mut Vec<f64>) {
        let (d, mut kept) = (self.dimension, 0);
        for row in (0..marked.len()).filter(|row| !marked[*row]) {
            self.whitened.copy_within(row * d..(row + 1) * d, kept * d);
            (self.norms[kept], costs[kept]) = (self.norms[row], costs[row]);
            kept += 1;
        }
        self.whitened.truncate(kept * d);
        self.norms.truncate(kept);
        costs.truncate(kept);
    }

    /// The inner products of the latest n points. n²d/2 multiply-adds.
    pub(super) fn multiply(&mut self, n: usize) {
        self.window = n;
        self.gram.resize(n * n, 0.0);
        let latest = &self.whitened[(self.norms.len() - n) * self.dimension..];
        gram_of_vectors(latest, &mut self.gram, self.dimension);
    }

    /// The quadratic that the α of the latest points stand for, under a kernel of this weight. n d²/2 multiply-adds.
    pub(super) fn expand(&mut self, alpha: &[f64], weight: f64, quadratic: &mut Quadratic) {
        self.expand_into(alpha, weight, &mut quadratic.gradient, &mut quadratic.hessian);
    }

    /// The same, slope and curvatures apart; returns the constant.
    pub(super) fn expand_into(
        &mut self,
        alpha: &[f64],
        weight: f64,
        gradient: &mut [f64],
        hessian: &mut [f64],
    ) -> f64 {
        let d = self.dimension;
        let first = self.norms.len() - alpha.len();
        let (s, norms) = (&self.whitened[first * d..], &self.norms[first..]);
        self.rows.resize(s.len(), 0.0);
        let isotropic = quadratic::expand(alpha, s, norms, &mut self.rows, gradient, hessian);
        gradient.iter_mut().for_each(|g| *g *= weight);
        hessian.iter_mut().step_by(d + 1).for_each(|b| *b += weight * isotropic);
        weight * (alpha.iter().sum::<f64>() - 0.5 * d as f64 * isotropic)
    }

    /// The points that models look at.
    pub(super) fn latest(&self) -> &[f64] {
        let first = self.norms.len() - self.window;
        &self.whitened[first * self.dimension..]
    }
}

/// One configuration, factorised.
#[derive(Clone, Debug)]
pub(super) struct Fit {
    configuration: Configuration,
    /// What constant, slope and mean curvature count in the kernel: 1 where the ridge shrinks them as all else.
    weight: f64,
    /// U, and w = D^{-½}.
    upper: Vec<f64>,
    weights: Vec<f64>,
    /// (G⁻¹)_ii of the latest points.
    inverse: Vec<f64>,
    block: Vec<f64>,
    space: CholeskySpace,
}

impl Fit {
    pub(super) fn new(configuration: Configuration, capacity: usize, latest: usize) -> Self {
        Self {
            configuration,
            weight: 1.0,
            upper: Vec::with_capacity(capacity * capacity),
            weights: Vec::with_capacity(capacity),
            inverse: Vec::with_capacity(latest),
            block: Vec::with_capacity(latest * latest),
            space: CholeskySpace::new(capacity),
        }
    }

    /// A model that interpolates, with the least curvature beyond the mean one: what it takes is d + 3 points, not as many as
    /// coefficients.
    pub(super) fn interpolating(configuration: Configuration, capacity: usize, latest: usize) -> Self {
        Self { weight: FREE, ..Self::new(configuration, capacity, latest) }
    }

    /// What constant, slope and mean curvature count in the kernel.
    pub(super) fn weight(&self) -> f64 {
        self.weight
    }

    /// w.
    pub(super) fn weights(&self) -> &[f64] {
        &self.weights
    }

    /// Factorise; false where G is not positive in floating-point numbers. n³/6 multiply-adds.
    pub(super) fn factorize(&mut self, frame: &Frame, latest: usize) -> bool {
        let Configuration { mut ridge, falloff } = self.configuration;
        let (n, d) = (frame.window, frame.dimension);
        let norms = &frame.norms[frame.norms.len() - n..];
        let scale = |q: &f64| (q / d as f64).max(1.0).powf(-0.5 * falloff);
        self.weights.clear();
        self.weights.extend(norms.iter().map(scale));
        self.upper.resize(n * n, 0.0);
        loop {
            kernel_matrix(&frame.gram, norms, &self.weights, (ridge, self.weight), d, &mut self.upper);
            let positive = cholesky_in_place(&mut self.upper, n, &mut self.space);
            if positive && self.upper.iter().step_by(n + 1).all(|u| u * u > LEAST_PIVOT) {
                self.invert_latest(latest);
                return self.inverse.iter().all(|i| i.is_finite() && *i > 0.0);
            }
            if ridge >= MOST_RIDGE {
                return false;
            }
            ridge *= MORE_RIDGE;
        }
    }

    /// The diagonal of G⁻¹ for the latest points, from the trailing block of U. r³/6 multiply-adds.
    fn invert_latest(&mut self, latest: usize) {
        let n = self.weights.len();
        let first = n - latest;
        self.block.clear();
        for k in first..n {
            self.block.extend_from_slice(&self.upper[k * n + first..(k + 1) * n]);
        }
        // Rows of U⁻¹, by back substitution.
        self.inverse.clear();
        self.inverse.resize(latest, 0.0);
        let r = latest;
        for i in (0..r).rev() {
            // (U⁻¹)_ik for k ≥ i, in place of U_ik: it needs rows below, which are inverted already.
            let (above, below) = self.block.split_at_mut((i + 1) * r);
            let row = &mut above[i * r..];
            let pivot = row[i].recip();
            invert_row(&mut row[i..], below, pivot, i, r);
            self.inverse[i] = row[i..].iter().map(|x| x * x).sum();
        }
    }

    /// α of each of several responses, given one after another, in place. n² multiply-adds each.
    pub(super) fn solve(&self, responses: &mut [f64]) {
        let n = self.weights.len();
        self.weigh(responses);
        solve_transpose(&self.upper, responses, n);
        solve_upper(&self.upper, responses, n);
        self.weigh(responses);
    }

    fn weigh(&self, vectors: &mut [f64]) {
        for vector in vectors.chunks_exact_mut(self.weights.len()) {
            vector.iter_mut().zip(&self.weights).for_each(|(x, w)| *x *= w);
        }
    }

    /// Leave-one-out predictions of the latest points from a response and its α.
    pub(super) fn predict_latest(&self, response: &[f64], alpha: &[f64], out: &mut Vec<f64>) {
        let first = self.weights.len() - self.inverse.len();
        out.clear();
        out.extend(self.inverse.iter().enumerate().map(|(i, inverse)| {
            let (j, w) = (first + i, self.weights[first + i]);
            response[j] - alpha[j] / (w * w * inverse)
        }));
    }

    /// Rows of the matrix that takes a response to the errors y_i − prediction_i of the latest points:
    /// `D_i (D^{-½}G⁻¹D^{-½})_i / (G⁻¹)_ii`. r n²/2 multiply-adds.
    pub(super) fn errors_of_latest(&self, rows: &mut Vec<f64>) {
        let (n, r) = (self.weights.len(), self.inverse.len());
        rows.clear();
        rows.resize(r * n, 0.0);
        for (i, row) in rows.chunks_exact_mut(n).enumerate() {
            // Column i of U⁻ᵀ is row i of U⁻¹: zero but in the trailing block.
            row[n - r + i..].copy_from_slice(&self.block[i * r + i..(i + 1) * r]);
        }
        solve_upper(&self.upper, rows, n);
        self.weigh(rows);
        for (i, (row, inverse)) in rows.chunks_exact_mut(n).zip(&self.inverse).enumerate() {
            let scale = 1.0 / (self.weights[n - r + i] * inverse);
            row.iter_mut().for_each(|x| *x *= scale);
        }
    }
}

/// Row i of U⁻¹ from row i of U and the rows of U⁻¹ below it.
fn invert_row(row: &mut [f64], below: &[f64], pivot: f64, i: usize, r: usize) {
    // (U⁻¹)_ik = −pivot Σ_{i<j≤k} U_ij (U⁻¹)_jk; from the right, so that U_ij is still there.
    for k in (1..row.len()).rev() {
        let sum: f64 = (1..=k).map(|j| row[j] * below[(j - 1) * r + i + k]).sum();
        row[k] = -pivot * sum;
    }
    row[0] = pivot;
}

/// The upper triangle of G from the inner products.
#[multiversion(targets("x86_64+avx512f", "x86_64+avx2"))]
fn kernel_matrix(
    gram: &[f64],
    norms: &[f64],
    weights: &[f64],
    (ridge, weight): (f64, f64),
    d: usize,
    out: &mut [f64],
) {
    let n = norms.len();
    let size = d as f64;
    let inverse = 1.0 / size;
    for j in 0..n {
        let excess = 0.5 * (norms[j] - size) * inverse;
        let row = j * n + j..(j + 1) * n;
        let entries = out[row.clone()].iter_mut().zip(&gram[row]);
        for ((g, product), (q, w)) in entries.zip(norms[j..].iter().zip(&weights[j..])) {
            *g = weighted_kernel_entry(*product, inverse, excess, q - size, weight) * weights[j] * w;
        }
        out[j * n + j] += ridge;
    }
}
