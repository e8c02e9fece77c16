//! The least value of a quadratic between bounds, by projected Newton steps (Bertsekas 1982).

use crate::linalg::{self, CholeskySpace, add_scaled, dot};

/// Steps at most; nearly always a handful is enough, and each leads down.
const MOST_STEPS: usize = 30;

/// Halvings of a step at most.
const MOST_HALVINGS: usize = 20;

/// The share of the slope that a step must keep.
const KEPT: f64 = 1e-4;

/// A step that is shorter than this, against the longest, is none.
const STILL: f64 = 1e-12;

/// Scratch space.
#[derive(Clone, Debug)]
pub(super) struct Projection {
    /// The slope where the steps have led to.
    slope: Vec<f64>,
    /// The coordinates that no bound holds.
    free: Vec<usize>,
    /// The matrix of these.
    part: Vec<f64>,
    newton: Vec<f64>,
    next: Vec<f64>,
    change: Vec<f64>,
    product: Vec<f64>,
    space: CholeskySpace,
}

impl Projection {
    pub(super) fn new(d: usize) -> Self {
        let zeros = || vec![0.0; d];
        Self {
            slope: zeros(),
            free: Vec::with_capacity(d),
            part: vec![0.0; d * d],
            newton: zeros(),
            next: zeros(),
            change: zeros(),
            product: zeros(),
            space: CholeskySpace::new(d),
        }
    }

    /// The t between the bounds with the least g·t + ½tᵀMt, from the upper triangle of M; bounds lie on both sides of 0. O(d³) a
    /// step.
    pub(super) fn solve(&mut self, matrix: &[f64], g: &[f64], lower: &[f64], upper: &[f64], t: &mut [f64]) {
        t.fill(0.0);
        self.slope.copy_from_slice(g);
        for _ in 0..MOST_STEPS {
            let held = |j: usize| {
                t[j] <= lower[j] && self.slope[j] >= 0.0 || t[j] >= upper[j] && self.slope[j] <= 0.0
            };
            self.free.clear();
            self.free.extend((0..g.len()).filter(|&j| !held(j)));
            if self.free.is_empty() || !self.newton_step(matrix, g.len()) {
                return;
            }
            if !self.go(matrix, lower, upper, t) {
                return;
            }
        }
    }

    /// From where the steps have led to, with the coordinates that are held; false where the matrix of the others is of no use.
    fn newton_step(&mut self, matrix: &[f64], d: usize) -> bool {
        let n = self.free.len();
        for (row, &j) in self.part.chunks_exact_mut(n).zip(&self.free) {
            for (entry, &k) in row.iter_mut().zip(&self.free) {
                *entry = if j <= k { matrix[j * d + k] } else { 0.0 };
            }
        }
        let part = &mut self.part[..n * n];
        if !linalg::cholesky_in_place(part, n, &mut self.space) {
            return false;
        }
        let newton = &mut self.newton[..n];
        newton.iter_mut().zip(&self.free).for_each(|(step, &j)| *step = -self.slope[j]);
        linalg::solve_squared(part, newton);
        newton.iter().all(|step| step.is_finite())
    }

    /// Go along the step, bent by the bounds, as far as it leads down; false at the end.
    fn go(&mut self, matrix: &[f64], lower: &[f64], upper: &[f64], t: &mut [f64]) -> bool {
        let mut by = 1.0;
        for _ in 0..MOST_HALVINGS {
            self.next.copy_from_slice(t);
            for (step, &j) in self.newton.iter().zip(&self.free) {
                self.next[j] = (t[j] + by * step).clamp(lower[j], upper[j]);
            }
            let changes = self.change.iter_mut().zip(&self.next).zip(&*t);
            changes.for_each(|((change, next), t)| *change = next - t);
            linalg::symmetric_times_vector(matrix, &self.change, &mut self.product);
            let promised = dot(&self.slope, &self.change);
            if promised + 0.5 * dot(&self.change, &self.product) <= KEPT * promised && promised < 0.0 {
                t.copy_from_slice(&self.next);
                add_scaled(&mut self.slope, 1.0, &self.product);
                let longest = linalg::largest_entry(t);
                return linalg::largest_entry(&self.change) > STILL * longest;
            }
            by *= 0.5;
        }
        false
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::random::Generator;

    /// At the least value every slope is 0, or points out of the box at a bound.
    #[test]
    fn no_step_within_the_box_leads_down_from_where_it_ends() {
        let mut generator = Generator::new(4);
        for (d, scale) in [(3, 1.0), (20, 1.0), (60, 1e3), (130, 1.0)] {
            let mut vectors = vec![0.0; d * 2 * d];
            generator.fill_normal(&mut vectors);
            let mut matrix = vec![0.0; d * d];
            for (k, v) in vectors.chunks_exact(d).enumerate() {
                let weight = if k == 0 { scale } else { 1.0 } / d as f64;
                for i in 0..d {
                    (i..d).for_each(|j| matrix[i * d + j] += weight * v[i] * v[j]);
                }
            }
            let mut g = vec![0.0; d];
            generator.fill_normal(&mut g);
            // Some coordinates begin on a bound, and some have none.
            let lower: Vec<f64> = (0..d).map(|j| [0.0, -0.1, f64::NEG_INFINITY][j % 3]).collect();
            let upper: Vec<f64> = (0..d).map(|j| [0.3, 0.0, 0.2, f64::INFINITY][j % 4]).collect();
            let mut t = vec![f64::NAN; d];
            Projection::new(d).solve(&matrix, &g, &lower, &upper, &mut t);
            let mut slope = vec![0.0; d];
            linalg::symmetric_times_vector(&matrix, &t, &mut slope);
            add_scaled(&mut slope, 1.0, &g);
            for j in 0..d {
                assert!((lower[j]..=upper[j]).contains(&t[j]), "{d} {j}");
                let held = t[j] <= lower[j] && slope[j] > 0.0 || t[j] >= upper[j] && slope[j] < 0.0;
                // 1e-8: rounding of a factor of condition up to 1e5.
                assert!(held || slope[j].abs() < 1e-8 * scale, "{d} {j} {} {}", t[j], slope[j]);
            }
        }
    }
}
