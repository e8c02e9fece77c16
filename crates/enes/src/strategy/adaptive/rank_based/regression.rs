//! The regression of scores on a quadratic in whitened coordinates, with a ridge.
//!
//! With the kernel of `math/quadratic.rs` and a ridge on the diagonal of K, `α = K⁻¹u` gives the quadratic. The same
//! α comes from the primal form, in which the kernel is an inner product of 1 + d + d(d + 1)/2 + 1 features:
//! whichever takes fewer multiply-adds is solved.

use super::diagonal::DiagonalApproximation;
use super::model::Model;
use crate::linalg::{
    CholeskySpace, add_outer_squares, add_scaled, cholesky_in_place, kernel_of_vectors, solve_squared,
    wide_dot,
};
use crate::math::quadratic;
use crate::strategy::adaptive::sizes::{FEW_DIMENSIONS, coefficients};

/// Rows of features that are built at a time.
const BLOCK: usize = 64;

/// Scratch space for up to a fixed number of points.
#[derive(Clone, Debug)]
pub(crate) struct Regression {
    dimension: usize,
    ridge: f64,
    /// |s_j|², ridges ν max(1, |s_j|²/d)², α, and α_j s_j.
    norms: Vec<f64>,
    ridges: Vec<f64>,
    alpha: Vec<f64>,
    rows: Vec<f64>,
    /// The kernel matrix, or the features' matrix and a block of features.
    matrix: Vec<f64>,
    features: Vec<f64>,
    theta: Vec<f64>,
    space: CholeskySpace,
    /// In many dimensions, instead of both.
    diagonal: Option<DiagonalApproximation>,
}

impl Regression {
    pub(crate) fn new(capacity: usize, d: usize, ridge: f64) -> Self {
        Self::with(capacity, d, ridge, (d > FEW_DIMENSIONS).then(|| DiagonalApproximation::new(capacity, d)))
    }

    /// The exact fit in any dimension.
    #[cfg(test)]
    pub(crate) fn exact(capacity: usize, d: usize, ridge: f64) -> Self {
        Self::with(capacity, d, ridge, None)
    }

    fn with(capacity: usize, d: usize, ridge: f64, diagonal: Option<DiagonalApproximation>) -> Self {
        // The dual form never pays beyond some n, so that its matrix stays small where n is large.
        let exact = if diagonal.is_none() { capacity } else { 0 };
        let dual = (1..=exact).rev().find(|&n| !primal_pays(n, d)).unwrap_or(0);
        let primal = if dual < exact { feature_count(d) } else { 0 };
        let order = dual.max(primal);
        Self {
            dimension: d,
            ridge,
            norms: vec![0.0; capacity],
            ridges: vec![0.0; capacity],
            alpha: vec![0.0; capacity],
            rows: vec![0.0; capacity * d],
            matrix: vec![0.0; order * order],
            features: vec![0.0; BLOCK * primal],
            theta: vec![0.0; primal],
            space: CholeskySpace::new(order),
            diagonal,
        }
    }

    /// Fit the model to scores of points given by their whitened coordinates and squared norms. Where there is no
    /// solution in floating-point numbers the model is flat.
    pub(crate) fn fit(&mut self, whitened: &[f64], norms: &[f64], scores: &[f64], model: &mut Model) {
        let n = scores.len();
        let d = self.dimension;
        self.norms[..n].copy_from_slice(norms);
        for (ridge, q) in self.ridges.iter_mut().zip(&self.norms[..n]) {
            *ridge = self.ridge * (q / d as f64).max(1.0).powi(2);
        }
        let solved = match &mut self.diagonal {
            Some(diagonal) => {
                let (norms, ridges) = (&self.norms[..n], &self.ridges[..n]);
                diagonal.solve(whitened, norms, ridges, scores, &mut self.alpha[..n])
            }
            None if primal_pays(n, d) => self.primal(whitened, scores),
            None => self.dual(whitened, scores),
        };
        match solved && self.alpha[..n].iter().all(|a| a.is_finite()) {
            true => self.expand(whitened, n, model),
            false => model.clear(),
        }
    }

    /// The same points, of the latest fit, with other scores: the error of the constant, linear and isotropic part of their model at
    /// each point where that was left out. Only beyond 40 dimensions.
    pub(crate) fn errors_of(&mut self, scores: &[f64]) -> Option<&[f64]> {
        let n = scores.len();
        let (alpha, errors) = (&mut self.alpha[..n], &mut self.ridges[..n]);
        self.diagonal.as_mut()?.leave_one_out(scores, alpha, errors);
        Some(errors)
    }

    /// α = K⁻¹u. n²d/2 + n³/6 multiply-adds.
    fn dual(&mut self, whitened: &[f64], scores: &[f64]) -> bool {
        let n = scores.len();
        let k = &mut self.matrix[..n * n];
        kernel_of_vectors(whitened, &self.norms[..n], k, self.dimension);
        k.iter_mut().step_by(n + 1).zip(&self.ridges).for_each(|(k, ridge)| *k += ridge);
        if !cholesky_in_place(k, n, &mut self.space) {
            return false;
        }
        let alpha = &mut self.alpha[..n];
        alpha.copy_from_slice(scores);
        solve_squared(k, alpha);
        true
    }

    /// The same α from `θ = (I + Σ_j φ_jφ_jᵀ/r_j)⁻¹ Σ_j φ_j u_j/r_j` with ridges r:
    /// `α_j = (u_j − φ_j·θ)/r_j`. n P²/2 + P³/6 multiply-adds for P features.
    fn primal(&mut self, whitened: &[f64], scores: &[f64]) -> bool {
        let (d, p) = (self.dimension, self.theta.len());
        let matrix = &mut self.matrix[..p * p];
        matrix.fill(0.0);
        matrix.iter_mut().step_by(p + 1).for_each(|m| *m = 1.0);
        self.theta.fill(0.0);
        for (block, s) in whitened.chunks(BLOCK * d).enumerate() {
            let phi = &mut self.features[..s.len() / d * p];
            for (i, (s, phi)) in s.chunks_exact(d).zip(phi.chunks_exact_mut(p)).enumerate() {
                let j = block * BLOCK + i;
                let scale = self.ridges[j].sqrt().recip();
                features(s, self.norms[j], scale, phi);
                add_scaled(&mut self.theta, scale * scores[j], phi);
            }
            add_outer_squares(phi, matrix, p);
        }
        if !cholesky_in_place(matrix, p, &mut self.space) {
            return false;
        }
        solve_squared(matrix, &mut self.theta);
        for (j, s) in whitened.chunks_exact(d).enumerate() {
            let phi = &mut self.features[..p];
            features(s, self.norms[j], 1.0, phi);
            self.alpha[j] = (scores[j] - wide_dot(phi, &self.theta)) / self.ridges[j];
        }
        true
    }

    /// The model from α. n d²/2 multiply-adds.
    fn expand(&mut self, whitened: &[f64], n: usize, model: &mut Model) {
        let (alpha, rows) = (&self.alpha[..n], &mut self.rows[..n * self.dimension]);
        let Model { gradient, curvature, isotropic } = model;
        *isotropic = quadratic::expand(alpha, whitened, &self.norms[..n], rows, gradient, curvature);
    }
}

/// Constant, linear, squares, products, and the isotropic one.
fn feature_count(d: usize) -> usize {
    coefficients(d) + 1
}

/// Whether the primal form takes fewer multiply-adds for n points.
fn primal_pays(n: usize, d: usize) -> bool {
    let (n, d, p) = (n as f64, d as f64, feature_count(d) as f64);
    n * p * p / 2.0 + p * p * p / 6.0 < n * n * d / 2.0 + n * n * n / 6.0
}

/// Features whose inner product is the kernel, times `scale`.
fn features(s: &[f64], norm: f64, scale: f64, out: &mut [f64]) {
    let d = s.len();
    let size = d as f64;
    out[0] = scale;
    let linear = scale / size.sqrt();
    for (o, s) in out[1..=d].iter_mut().zip(s) {
        *o = linear * s;
    }
    let mut rest = &mut out[d + 1..];
    for (k, &s_k) in s.iter().enumerate() {
        let (row, tail) = rest.split_at_mut(d - k);
        let product = scale * s_k / size;
        row[0] = product * s_k * std::f64::consts::FRAC_1_SQRT_2;
        for (o, s_l) in row[1..].iter_mut().zip(&s[k + 1..]) {
            *o = product * s_l;
        }
        rest = tail;
    }
    rest[0] = scale * (norm - size) / (2.0 * size).sqrt();
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::linalg;
    use crate::random::Generator;

    fn fit(regression: &mut Regression, s: &[f64], u: &[f64], model: &mut Model) {
        let mut norms = vec![0.0; u.len()];
        linalg::squared_norms(s, &mut norms, regression.dimension);
        regression.fit(s, &norms, u, model);
    }

    fn sample(n: usize, d: usize, seed: u64) -> (Vec<f64>, Vec<f64>) {
        let mut generator = Generator::new(seed);
        let (mut s, mut u) = (vec![0.0; n * d], vec![0.0; n]);
        generator.fill_normal(&mut s);
        generator.fill_normal(&mut u);
        // A few far points, whose ridge is larger.
        s[..d].iter_mut().for_each(|x| *x *= 5.0);
        (s, u)
    }

    #[test]
    fn primal_and_dual_solutions_agree() {
        for (n, d) in [(3, 1), (40, 1), (16, 2), (90, 3), (28, 5), (70, 5), (30, 12), (150, 12)] {
            let (s, u) = sample(n, d, 1);
            let mut regression = Regression::new(n, d, 0.2);
            let order = n.max(feature_count(d));
            regression.matrix = vec![0.0; order * order];
            regression.space = CholeskySpace::new(order);
            regression.features = vec![0.0; BLOCK * feature_count(d)];
            regression.theta = vec![0.0; feature_count(d)];
            linalg::squared_norms(&s, &mut regression.norms, d);
            for j in 0..n {
                regression.ridges[j] = 0.2 * (regression.norms[j] / d as f64).max(1.0).powi(2);
            }
            assert!(regression.dual(&s, &u));
            let dual = regression.alpha.clone();
            assert!(regression.primal(&s, &u));
            for (a, b) in dual.iter().zip(&regression.alpha) {
                // 1e-10: the ridge bounds the condition by about 1e4.
                assert!((a - b).abs() < 1e-10 * (1.0 + a.abs()), "n {n} d {d}: {a} {b}");
            }
        }
    }

    #[test]
    fn a_quadratic_score_gives_the_exact_natural_gradient_as_the_ridge_vanishes() {
        // Of f = c + g·s + ½sᵀHs the natural gradient of the expectation under N(0, I) is (g, H).
        for (d, n) in [(1, 12), (2, 30), (4, 40), (6, 60)] {
            let (s, coefficients) = sample(n, d, 7);
            let g = &coefficients[..d];
            let h = |k: usize, l: usize| ((k + l) as f64).sin() + if k == l { k as f64 } else { 0.0 };
            let score = |s: &[f64]| -> f64 {
                let quadratic: f64 =
                    (0..d).map(|k| (0..d).map(|l| 0.5 * s[k] * h(k, l) * s[l]).sum::<f64>()).sum();
                0.7 + linalg::dot(g, s) + quadratic
            };
            let u: Vec<f64> = s.chunks_exact(d).map(score).collect();
            let error = |ridge: f64| {
                let mut model = Model::flat(d);
                fit(&mut Regression::new(n, d, ridge), &s, &u, &mut model);
                let mut worst = 0f64;
                for k in 0..d {
                    worst = worst.max((model.gradient[k] - g[k]).abs());
                    for l in k..d {
                        let found = model.curvature[k * d + l] + if k == l { model.isotropic } else { 0.0 };
                        worst = worst.max((found - h(k, l)).abs());
                    }
                }
                worst
            };
            // The error is the ridge's: it falls with it, down to rounding over a ridge of 1e-6.
            assert!(error(1e-6) < 1e-4, "{d}: {}", error(1e-6));
            assert!(error(1e-6) < 0.02 * error(1e-4), "{d}: {} {}", error(1e-6), error(1e-4));
        }
    }

    #[test]
    fn the_model_predicts_what_the_kernel_does() {
        let (n, d) = (30, 4);
        let (s, u) = sample(n, d, 3);
        let mut regression = Regression::new(n, d, 0.2);
        let mut model = Model::flat(d);
        fit(&mut regression, &s, &u, &mut model);
        let t = &s[2 * d..6 * d];
        let (mut products, mut predictions, mut part) = (vec![0.0; 5 * d], [0.0; 4], [0.0; 4]);
        model.predict(t, &mut products, &mut predictions, &mut part);
        let size = d as f64;
        let by_kernel = |t: &[f64]| -> f64 {
            let term = |(j, s): (usize, &[f64])| {
                let (x, q) = (linalg::dot(s, t), linalg::dot(s, s));
                // Without the constant: 1, and the part of the last term that has no t in it.
                let isotropic = (q - size) * linalg::dot(t, t) / (2.0 * size);
                regression.alpha[j] * (x / size + x * x / (2.0 * size * size) + isotropic)
            };
            s.chunks_exact(d).enumerate().map(term).sum()
        };
        for (p, t) in predictions.iter().zip(t.chunks_exact(d)) {
            assert!((p - by_kernel(t)).abs() < 1e-13);
        }
    }

    #[test]
    fn numbers_without_a_solution_give_the_flat_model() {
        let mut model = Model::flat(2);
        fit(&mut Regression::new(4, 2, 0.2), &[f64::NAN; 8], &[1.0, -1.0, 1.0, -1.0], &mut model);
        assert!(model.is_flat());
    }
}
