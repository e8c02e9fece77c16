//! The model whose axes all have the same curvature: d + 2 coefficients, learnt from as many points.
//!
//! Weighted least squares on the features 1, (|s|² − d)/√(2d), s/√d.

use super::kernel::LEAST_PIVOT;
use super::step::Quadratic;
use crate::linalg::{
    CholeskySpace, add_outer_squares, add_scaled, cholesky_in_place, rows_times_vector, solve_squared,
};
use crate::strategy::adaptive::tuning::Configuration;

/// The share of its own prediction that a point must leave open; below it nothing is known without it.
const LEAST_OPEN: f64 = 1e-10;

#[derive(Clone, Debug)]
pub(super) struct Isotropic {
    /// As the exact model: the ridge lets the normal equations have a solution, weights fall with the distance.
    configuration: Configuration,
    features: Vec<f64>,
    weighted: Vec<f64>,
    weights: Vec<f64>,
    /// U of the normal equations, and solutions.
    upper: Vec<f64>,
    solution: Vec<f64>,
    space: CholeskySpace,
}

impl Isotropic {
    pub(super) fn new(configuration: Configuration, capacity: usize, d: usize) -> Self {
        let k = d + 2;
        Self {
            configuration,
            features: Vec::with_capacity(capacity * k),
            weighted: Vec::with_capacity(capacity * k),
            weights: Vec::with_capacity(capacity),
            upper: vec![0.0; k * k],
            solution: vec![0.0; k],
            space: CholeskySpace::new(k),
        }
    }

    /// Points it was fitted to.
    pub(super) fn len(&self) -> usize {
        self.weights.len()
    }

    /// Fit to points given by whitened coordinates and |s|²; false where they are too few or dependent.
    /// n d²/2 multiply-adds.
    pub(super) fn factorize(&mut self, whitened: &[f64], norms: &[f64]) -> bool {
        let (n, k) = (norms.len(), self.solution.len());
        let size = (k - 2) as f64;
        if n <= k {
            return false;
        }
        self.features.clear();
        self.weights.clear();
        self.weighted.clear();
        for (s, q) in whitened.chunks_exact(k - 2).zip(norms) {
            let weight = (q / size).max(1.0).powf(-self.configuration.falloff);
            self.weights.push(weight);
            self.features.extend([1.0, (q - size) / (2.0 * size).sqrt()]);
            self.features.extend(s.iter().map(|s| s / size.sqrt()));
            let row = &self.features[self.features.len() - k..];
            self.weighted.extend(row.iter().map(|f| weight.sqrt() * f));
        }
        let ridge = self.configuration.ridge;
        self.upper.fill(0.0);
        self.upper.iter_mut().step_by(k + 1).for_each(|m| *m = ridge);
        add_outer_squares(&self.weighted, &mut self.upper, k);
        cholesky_in_place(&mut self.upper, k, &mut self.space)
            && self.upper.iter().step_by(k + 1).all(|u| u * u > LEAST_PIVOT)
    }

    /// Rows of the matrix that takes a response to the leave-one-out errors of the latest r points.
    /// r n d multiply-adds.
    pub(super) fn errors_of_latest(&mut self, r: usize, rows: &mut Vec<f64>) {
        let n = self.weights.len();
        rows.clear();
        rows.resize(r * n, 0.0);
        for (i, row) in rows.chunks_exact_mut(n).enumerate() {
            self.error_of(n - r + i, row);
        }
    }

    /// The row of one point.
    pub(super) fn error_of(&mut self, point: usize, row: &mut [f64]) {
        let k = self.solution.len();
        self.solution.copy_from_slice(&self.features[point * k..][..k]);
        solve_squared(&self.upper, &mut self.solution);
        rows_times_vector(&self.features, &self.solution, row);
        row.iter_mut().zip(&self.weights).for_each(|(x, weight)| *x *= -weight);
        row[point] += 1.0;
        let open = row[point].max(LEAST_OPEN);
        row.iter_mut().for_each(|x| *x /= open);
    }

    /// The quadratic that fits this response.
    pub(super) fn expand(&mut self, response: &[f64], quadratic: &mut Quadratic) {
        let k = self.solution.len();
        let (d, size) = (k - 2, (k - 2) as f64);
        self.solution.fill(0.0);
        for ((features, weight), y) in self.features.chunks_exact(k).zip(&self.weights).zip(response) {
            add_scaled(&mut self.solution, weight * y, features);
        }
        solve_squared(&self.upper, &mut self.solution);
        for (g, c) in quadratic.gradient.iter_mut().zip(&self.solution[2..]) {
            *g = c / size.sqrt();
        }
        let curvature = self.solution[1] * (2.0 / size).sqrt();
        quadratic.hessian.fill(0.0);
        quadratic.hessian.iter_mut().step_by(d + 1).for_each(|b| *b = curvature);
    }
}
