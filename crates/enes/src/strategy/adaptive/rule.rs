//! The rule: constants and steps, one function each, in whitened coordinates.
//!
//! What the rule needs of the world are ranks; what it gives is a motion: a shift of the mean and a
//! factor for the shape and the step.

use super::model::Model;
use super::ranks::Rank;
use crate::linalg::{self, CholeskySpace, add_scaled, cholesky_in_place, squared_norm};

/// No diagonal entry of a shape update falls below this.
const LEAST_DIAGONAL: f64 = 0.3;

/// A shape update is halved at most this often.
const HALVINGS: usize = 20;

/// Up to here the archive grows by four points a dimension, beyond by two.
///
/// A regression over N points costs N d² + N²d/2 + N³/6 multiply-adds, so with N = 4d and a handful of
/// evaluations for each fit the time per evaluation would grow as d³. Beyond this dimension a generation
/// has d/4 evaluations and the archive 2d + 88 points: then it grows as d², as it does for the published
/// strategy. Both sizes are continuous here. Measured at d = 100, medians of three runs, against N = 4d + 8
/// and λ = 10: evaluations on sphere, cigar, tablet, ellipsoid and diffpow 1.04, 1.10, 1.22, 1.04 and 1.37
/// times as many, at about a tenth of the time for each.
const FULL_ARCHIVE_UP_TO: usize = 40;

/// The default population size λ in d dimensions: 4 + ⌊1.5 ln d⌋, or d/4 where that is more.
pub(crate) fn default_population(d: usize) -> usize {
    (4 + (1.5 * (d as f64).ln()).floor() as usize).max(d / 4)
}

/// The number of points in the archive, N: 4d + 8, beyond d = 40 two more a dimension; at least 2λ.
fn archive_size(d: usize, lambda: usize) -> usize {
    let low = d.min(FULL_ARCHIVE_UP_TO);
    (4 * low + 8 + 2 * (d - low)).max(2 * lambda)
}

/// Functions of the dimension d and the population size λ alone.
#[derive(Clone, Debug)]
pub(super) struct Constants {
    /// Points in the archive, N.
    pub(super) archive: usize,
    /// The ridge ν.
    pub(super) ridge: f64,
    /// Recombination weights by rank, the best first; their sum is 1.
    pub(super) weights: Vec<f64>,
    /// Sums of the first 0, 1, … λ weights.
    cumulated: Vec<f64>,
    /// µ = 1/Σw².
    effective: f64,
    /// The rate of the path, c_s.
    path_rate: f64,
    /// The rate of the quality, c_r.
    quality_rate: f64,
}

impl Constants {
    pub(super) fn new(d: usize, lambda: usize) -> Self {
        let (size, l) = (d as f64, lambda as f64);
        let archive = archive_size(d, lambda);
        let mut weights: Vec<f64> =
            (1..=lambda).map(|i| ((0.5 * (l + 1.0)).ln() - (i as f64).ln()).max(0.0)).collect();
        let sum: f64 = weights.iter().sum();
        weights.iter_mut().for_each(|w| *w /= sum);
        let mut cumulated = vec![0.0];
        cumulated.extend(weights.iter().scan(0.0, |sum, w| {
            *sum += w;
            Some(*sum)
        }));
        let effective = 1.0 / weights.iter().map(|w| w * w).sum::<f64>();
        Self {
            archive,
            ridge: 0.2,
            cumulated,
            weights,
            effective,
            path_rate: ((effective + 2.0) / (size + effective + 5.0)).min(0.9),
            quality_rate: l / (3.0 * archive as f64),
        }
    }

    /// ρ ← (1 − c_r)ρ + c_r r, with r the rank correlation of predictions and fresh values.
    pub(super) fn quality(&self, quality: f64, correlation: f64) -> f64 {
        (1.0 - self.quality_rate) * quality + self.quality_rate * correlation
    }

    /// z = Σ w_i s_(i), weights by the ranks of the fresh values; equal values share their weights.
    pub(super) fn recombine(&self, whitened: &[f64], ranks: &[Rank], z: &mut [f64]) {
        z.fill(0.0);
        for (s, rank) in whitened.chunks_exact(z.len()).zip(ranks) {
            add_scaled(z, self.weight(*rank), s);
        }
    }

    /// The mean weight of the ranks that a value takes up with its equals.
    fn weight(&self, Rank { first, last }: Rank) -> f64 {
        let (first, last) = (first as usize, last as usize);
        match last - first {
            0 => self.weights[first],
            more => (self.cumulated[last + 1] - self.cumulated[first]) / (more + 1) as f64,
        }
    }

    /// The shift of the mean: a√d·g + ½(1 − a)z.
    pub(super) fn mean_step(&self, trust: f64, model: &Model, z: &[f64], shift: &mut [f64]) {
        let rate = trust * (z.len() as f64).sqrt();
        for ((c, g), z) in shift.iter_mut().zip(&model.gradient).zip(z) {
            *c = rate * g + 0.5 * (1.0 - trust) * z;
        }
    }

    /// p ← (1 − c_s)p + √(c_s(2 − c_s)µ)·z.
    pub(super) fn advance_path(&self, path: &mut [f64], z: &[f64]) {
        let c = self.path_rate;
        let gain = (c * (2.0 - c) * self.effective).sqrt();
        for (p, z) in path.iter_mut().zip(z) {
            *p = (1.0 - c) * *p + gain * z;
        }
    }

    /// By how much ln σ grows: (c_s/d_s)(|p|²/d − 1)/2, at most 1.
    pub(super) fn log_step(&self, trust: f64, path: &[f64]) -> f64 {
        let (size, c) = (path.len() as f64, self.path_rate);
        let excess = (((self.effective - 1.0) / (size + 1.0)).sqrt() - 1.0).max(0.0);
        let damping = (1.0 - 0.7 * trust) * (1.0 + c) + 2.0 * (1.0 - trust) * excess;
        (c / damping * (squared_norm(path) / size - 1.0) / 2.0).min(1.0)
    }
}

/// Trust a = min(1, (2.5 max(0, ρ))²).
pub(super) fn trust(quality: f64) -> f64 {
    (2.5 * quality.max(0.0)).powi(2).min(1.0)
}

/// The shape update: U with UᵀU = I + tX, X = a√d(E − (tr E/d)I), and det U scaled to 1. From t = 1
/// t is halved until every diagonal entry of U exceeds 0.3; where that never happens, U = I.
pub(super) fn shape_step(trust: f64, model: &Model, factor: &mut [f64], space: &mut CholeskySpace) {
    let d = model.gradient.len();
    let size = d as f64;
    let mean_curvature = model.curvature.iter().step_by(d + 1).sum::<f64>() / size;
    let mut rate = trust * size.sqrt();
    for _ in 0..HALVINGS {
        if rate == 0.0 {
            break;
        }
        for (u, e) in factor.iter_mut().zip(&model.curvature) {
            *u = rate * e;
        }
        factor.iter_mut().step_by(d + 1).for_each(|u| *u += 1.0 - rate * mean_curvature);
        if cholesky_in_place(factor, d, space) && factor.iter().step_by(d + 1).all(|u| *u > LEAST_DIAGONAL) {
            return linalg::scale_to_unit_determinant(factor, d);
        }
        rate *= 0.5;
    }
    factor.fill(0.0);
    factor.iter_mut().step_by(d + 1).for_each(|u| *u = 1.0);
}
