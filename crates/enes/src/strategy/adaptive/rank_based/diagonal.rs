//! The diagonal approximation of the regression in many dimensions: the squares of different points are taken as
//! unrelated.
//!
//! Of the kernel `(s·t)²/(2d²)` of two Gaussian points only about 1/(2d) is left where a point meets itself with
//! ½. So that part of K is replaced by a diagonal, and what remains has d + 2 features: 1, `s/√d` and
//! `(|s|² − d)/√(2d)`. Nothing of order n² is formed: n d²/2 + d³/6 multiply-adds instead of n²d/2 + n³/6. While there are
//! fewer points than features these have the smaller matrix, n²d/2 + n³/6, and the same α.

use crate::linalg::{
    CholeskySpace, add_outer_squares, add_scaled, cholesky_in_place, gram_of_vectors, scaled_features,
    solve_squared, solve_transpose, squared_norm, wide_dot,
};

/// Scratch space for up to a fixed number of points.
#[derive(Clone, Debug)]
pub(crate) struct DiagonalApproximation {
    /// 1/√D_j.
    scales: Vec<f64>,
    /// The features of every point, times its scale.
    features: Vec<f64>,
    /// The factor of I + ΦᵀD⁻¹Φ, or where there are fewer points than features that of I + D^-½ΦΦᵀD^-½.
    matrix: Vec<f64>,
    theta: Vec<f64>,
    space: CholeskySpace,
}

impl DiagonalApproximation {
    pub(crate) fn new(capacity: usize, d: usize) -> Self {
        let p = d + 2;
        Self {
            scales: vec![0.0; capacity],
            features: vec![0.0; capacity * p],
            matrix: vec![0.0; p * p],
            theta: vec![0.0; p],
            space: CholeskySpace::new(p),
        }
    }

    /// α for other scores of the points of the latest `solve`, and the errors at each point of a fit without it, α_j/(K⁻¹)_jj
    /// with `D_j(K⁻¹)_jj = 1 − |U⁻ᵀφ_j|²`. The features are used up. n d²/2 multiply-adds.
    pub(crate) fn leave_one_out(&mut self, scores: &[f64], alpha: &mut [f64], errors: &mut [f64]) {
        let (n, p) = (scores.len(), self.theta.len());
        if n < p {
            return self.leave_one_of_few_out(scores, alpha, errors);
        }
        self.theta.fill(0.0);
        for ((phi, scale), u) in self.features.chunks_exact(p).zip(&self.scales).zip(scores) {
            add_scaled(&mut self.theta, scale * u, phi);
        }
        self.solve_features(scores, alpha);
        let (scales, features) = (&self.scales[..n], &mut self.features[..n * p]);
        solve_transpose(&self.matrix, features, p);
        let rows = errors.iter_mut().zip(&*alpha).zip(scales).zip(features.chunks_exact(p));
        for (((error, alpha), scale), phi) in rows {
            *error = alpha / (scale * scale * (1.0 - squared_norm(phi)));
        }
    }

    /// The same with the matrix of the points: `D_j(K⁻¹)_jj = |U⁻ᵀe_j|²`. n³/2 multiply-adds.
    fn leave_one_of_few_out(&mut self, scores: &[f64], alpha: &mut [f64], errors: &mut [f64]) {
        let n = scores.len();
        self.solve_points(scores, alpha);
        let (matrix, units) = (&self.matrix[..n * n], &mut self.features[..n * n]);
        units.fill(0.0);
        units.iter_mut().step_by(n + 1).for_each(|x| *x = 1.0);
        solve_transpose(matrix, units, n);
        let rows = errors.iter_mut().zip(&*alpha).zip(&self.scales).zip(units.chunks_exact(n));
        for (((error, alpha), scale), unit) in rows {
            *error = alpha / (scale * scale * squared_norm(unit));
        }
    }

    /// α = (D + ΦΦᵀ)⁻¹u, D_j = r_j + ω(|s_j|²/d)², by way of `θ = (I + ΦᵀD⁻¹Φ)⁻¹ΦᵀD⁻¹u`: `α = D⁻¹(u − Φθ)`.
    /// False where there is no solution in floating-point numbers.
    pub(crate) fn solve(
        &mut self,
        whitened: &[f64],
        norms: &[f64],
        ridges: &[f64],
        scores: &[f64],
        alpha: &mut [f64],
    ) -> bool {
        let (n, p) = (scores.len(), self.theta.len());
        let size = (p - 2) as f64;
        let own = own_weight(n, p - 2);
        for ((scale, q), ridge) in self.scales.iter_mut().zip(norms).zip(ridges) {
            *scale = (ridge + own * (q / size).powi(2)).sqrt().recip();
        }
        let (scales, features) = (&self.scales[..n], &mut self.features[..n * p]);
        scaled_features(whitened, norms, scales, scores, features, &mut self.theta);
        let order = n.min(p);
        let matrix = &mut self.matrix[..order * order];
        let add_one = |matrix: &mut [f64]| matrix.iter_mut().step_by(order + 1).for_each(|m| *m += 1.0);
        matrix.fill(0.0);
        if n < p {
            gram_of_vectors(features, matrix, p);
            add_one(matrix);
        } else {
            add_one(matrix);
            add_outer_squares(features, matrix, p);
        }
        if !cholesky_in_place(matrix, order, &mut self.space) {
            return false;
        }
        if n < p {
            self.solve_points(scores, alpha)
        } else {
            self.solve_features(scores, alpha)
        }
        true
    }

    /// α from θ, which has ΦᵀD⁻¹u.
    fn solve_features(&mut self, scores: &[f64], alpha: &mut [f64]) {
        let p = self.theta.len();
        solve_squared(&self.matrix, &mut self.theta);
        let rows = alpha.iter_mut().zip(scores).zip(&self.scales).zip(self.features.chunks_exact(p));
        for (((alpha, u), scale), phi) in rows {
            *alpha = scale * (scale * u - wide_dot(phi, &self.theta));
        }
    }

    /// α from the matrix of the points.
    fn solve_points(&self, scores: &[f64], alpha: &mut [f64]) {
        let n = scores.len();
        let scaled =
            |alpha: &mut [f64]| alpha.iter_mut().zip(&self.scales).for_each(|(a, scale)| *a *= scale);
        alpha.copy_from_slice(scores);
        scaled(alpha);
        solve_squared(&self.matrix[..n * n], alpha);
        scaled(alpha);
    }
}

/// ω: what the square of a point weighs by itself, ½ for few points. Of many the squares add up instead: n points
/// show each product of two coordinates n/d² times.
fn own_weight(n: usize, d: usize) -> f64 {
    let shown = n as f64 / (d * d) as f64;
    (0.25 + shown * shown).sqrt()
}

#[cfg(test)]
mod tests {
    use super::super::model::Model;
    use super::super::regression::Regression;
    use super::*;
    use crate::linalg::{dot, squared_norms};
    use crate::random::Generator;

    fn sample(n: usize, d: usize) -> (Vec<f64>, Vec<f64>) {
        let mut generator = Generator::new(5);
        let (mut s, mut u) = (vec![0.0; n * d], vec![0.0; n]);
        generator.fill_normal(&mut s);
        generator.fill_normal(&mut u);
        s[..d].iter_mut().for_each(|x| *x *= 4.0);
        (s, u)
    }

    #[test]
    fn alpha_solves_its_equations() {
        for (n, d) in [(1, 3), (30, 4), (90, 41), (30, 41), (42, 41), (43, 41), (300, 7)] {
            let (s, u) = sample(n, d);
            let (mut q, mut alpha) = (vec![0.0; n], vec![0.0; n]);
            squared_norms(&s, &mut q, d);
            let ridges: Vec<f64> = q.iter().map(|q| 0.2 + 0.01 * q).collect();
            assert!(DiagonalApproximation::new(n, d).solve(&s, &q, &ridges, &u, &mut alpha));
            let size = d as f64;
            let own = (0.25 + (n as f64 / (size * size)).powi(2)).sqrt();
            for i in 0..n {
                let kernel = |j: usize| {
                    let linear = dot(&s[i * d..][..d], &s[j * d..][..d]) / size;
                    1.0 + linear + (q[i] - size) * (q[j] - size) / (2.0 * size)
                };
                let diagonal = ridges[i] + own * (q[i] / size).powi(2);
                let sum: f64 = (0..n).map(|j| kernel(j) * alpha[j]).sum::<f64>() + diagonal * alpha[i];
                // 1e-10: the features' matrix has a condition of about n.
                assert!((sum - u[i]).abs() < 1e-10 * (1.0 + u[i].abs()), "n {n} d {d}: {sum} {}", u[i]);
            }
        }
    }

    /// The cosine between the curvatures that a quadratic of unit curvatures has and that a fit finds.
    fn alignment(n: usize, d: usize) -> [f64; 2] {
        let (s, bend) = sample(n, d);
        // A curvature along one direction, seen through its rank one square.
        let v = &bend[..d];
        let u: Vec<f64> = s.chunks_exact(d).map(|s| dot(v, s).powi(2) - dot(v, v)).collect();
        let mut diagonal = Regression::new(n, d, 0.15);
        let mut exact = Regression::exact(n, d, 0.15);
        [&mut diagonal, &mut exact].map(|regression| {
            let mut model = Model::flat(d);
            let mut norms = vec![0.0; n];
            squared_norms(&s, &mut norms, d);
            regression.fit(&s, &norms, &u, &mut model);
            let (mut along, mut square) = (0.0, 0.0);
            for k in 0..d {
                for l in k..d {
                    let twice = if k == l { 1.0 } else { 2.0 };
                    along += twice * model.curvature[k * d + l] * v[k] * v[l];
                    square += twice * model.curvature[k * d + l].powi(2);
                }
            }
            along / (square.sqrt() * dot(v, v))
        })
    }

    #[test]
    fn in_many_dimensions_it_finds_what_the_exact_fit_finds() {
        for d in [50, 80] {
            let [diagonal, exact] = alignment(4 * d + 8, d);
            assert!(diagonal > 0.9 * exact && exact > 0.1, "d {d}: {diagonal} {exact}");
        }
    }

    #[test]
    fn of_many_points_it_finds_a_quadratic_and_does_not_overshoot() {
        let (n, d) = (20_000, 42);
        let (s, _) = sample(n, d);
        let u: Vec<f64> = s.chunks_exact(d).map(|s| s[0] * s[1]).collect();
        let mut model = Model::flat(d);
        let mut norms = vec![0.0; n];
        squared_norms(&s, &mut norms, d);
        Regression::new(n, d, 0.15).fit(&s, &norms, &u, &mut model);
        // E_01 → 1 as n/d² grows; n/d² = 11 and a ridge of about 0.15 shrink it by 2 %, the sample by about as much.
        assert!((model.curvature[1] - 1.0).abs() < 0.08, "{}", model.curvature[1]);
    }

    /// x of Mx = b, by elimination.
    fn solved(mut m: Vec<Vec<f64>>, mut b: Vec<f64>) -> Vec<f64> {
        let n = b.len();
        for k in 0..n {
            for i in k + 1..n {
                let by = m[i][k] / m[k][k];
                (k..n).for_each(|j| m[i][j] -= by * m[k][j]);
                b[i] -= by * b[k];
            }
        }
        for k in (0..n).rev() {
            let rest: f64 = (k + 1..n).map(|j| m[k][j] * b[j]).sum();
            b[k] = (b[k] - rest) / m[k][k];
        }
        b
    }

    #[test]
    fn the_errors_are_those_of_fits_without_the_point() {
        [(40, 6), (8, 6), (20, 41)].into_iter().for_each(|(n, d)| errors_without_a_point(n, d));
    }

    fn errors_without_a_point(n: usize, d: usize) {
        let (s, u) = sample(n, d);
        let mut q = vec![0.0; n];
        squared_norms(&s, &mut q, d);
        let ridges: Vec<f64> = q.iter().map(|q| 0.2 + 0.01 * q).collect();
        let (mut alpha, mut errors) = (vec![0.0; n], vec![0.0; n]);
        let mut fit = DiagonalApproximation::new(n, d);
        let other: Vec<f64> = u.iter().map(|u| u * u - 0.3).collect();
        assert!(fit.solve(&s, &q, &ridges, &u, &mut alpha));
        fit.leave_one_out(&other, &mut alpha, &mut errors);
        let (size, own) = (d as f64, own_weight(n, d));
        let kernel = |i: usize, j: usize| {
            let linear = dot(&s[i * d..][..d], &s[j * d..][..d]) / size;
            1.0 + linear + (q[i] - size) * (q[j] - size) / (2.0 * size)
        };
        let diagonal = |i: usize| ridges[i] + own * (q[i] / size).powi(2);
        for left in [0, n / 5, n - 1] {
            let rest: Vec<usize> = (0..n).filter(|i| *i != left).collect();
            let entry = |i: usize, j: usize| kernel(i, j) + if i == j { diagonal(i) } else { 0.0 };
            let matrix = rest.iter().map(|&i| rest.iter().map(|&j| entry(i, j)).collect()).collect();
            let weights = solved(matrix, rest.iter().map(|&i| other[i]).collect());
            let predicted: f64 = rest.iter().zip(&weights).map(|(&j, w)| kernel(left, j) * w).sum();
            // 1e-8: two solves of condition 1e4.
            assert!((errors[left] - (other[left] - predicted)).abs() < 1e-8, "{left}");
        }
    }

    #[test]
    fn numbers_without_a_solution_are_no_solution() {
        let mut alpha = [0.0; 2];
        let solved = DiagonalApproximation::new(2, 1).solve(
            &[f64::NAN, 1.0],
            &[f64::NAN, 1.0],
            &[1.0; 2],
            &[1.0, -1.0],
            &mut alpha,
        );
        assert!(!solved || alpha.iter().any(|a| a.is_nan()));
    }
}
