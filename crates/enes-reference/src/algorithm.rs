//! The algorithm box, line by line (paper, section "Efficient NES").

use crate::baselines::{Baseline, natural_gradient};
use crate::mixing::{RandomNumbers, draw, importance_mixing};
use crate::{Matrix, Theta};

/// The shaping function of the paper's experiments: relative rank i from 0 (worst) to 1 (best);
/// 2i − 1 above ½, else 0. Smaller values are better.
pub fn shaping(values: &[f64]) -> Vec<f64> {
    let n = values.len();
    (0..n)
        .map(|i| {
            let worse = (0..n).filter(|&j| (values[j], j) > (values[i], i)).count();
            let relative = worse as f64 / (n - 1) as f64;
            if relative > 0.5 { 2.0 * relative - 1.0 } else { 0.0 }
        })
        .collect()
}

/// The state between two generations.
#[derive(Clone, Debug)]
pub struct Generation {
    /// The present parameters.
    pub theta: Theta,
    /// The parameters the population was drawn from.
    pub before: Theta,
    /// The population.
    pub points: Matrix,
    /// Its values.
    pub values: Vec<f64>,
    /// Points evaluated so far.
    pub evaluations: usize,
}

impl Generation {
    /// Line 1, with the start's mean and factor given; no population yet.
    pub fn new(theta: Theta) -> Self {
        Self { before: theta.clone(), theta, points: Vec::new(), values: Vec::new(), evaluations: 0 }
    }

    /// Lines 3 to 20 once, for a function to be minimised.
    #[allow(clippy::too_many_arguments)]
    pub fn advance(
        &mut self,
        n: usize,
        eta: f64,
        refresh_rate: f64,
        baseline: Baseline,
        f: impl Fn(&[f64]) -> f64,
        random: &mut dyn RandomNumbers,
    ) {
        // 4: update population using importance mixing
        let mixed = if self.points.is_empty() {
            (0..n).map(|_| (draw(&self.theta, random), None)).collect()
        } else {
            importance_mixing(&self.points, &self.before, &self.theta, refresh_rate, random)
        };
        // 5: evaluate f(z_i) for new z_i
        let old_values = std::mem::take(&mut self.values);
        for (z, old) in &mixed {
            self.evaluations += usize::from(old.is_none());
            self.values.push(old.map_or_else(|| f(z), |i| old_values[i]));
        }
        self.points = mixed.into_iter().map(|(z, _)| z).collect();
        // 6: compute rank-based fitness shaping
        let utilities = shaping(&self.values);
        // 7 to 19: natural gradient by blocks
        let (delta_x, delta_a) = natural_gradient(&self.theta, &self.points, &utilities, baseline);
        // 20: θ ← θ + η δθ
        self.before = self.theta.clone();
        for (x, delta) in self.theta.mean.iter_mut().zip(&delta_x) {
            *x += eta * delta;
        }
        for (row, delta) in self.theta.factor.iter_mut().zip(&delta_a) {
            for (a, delta) in row.iter_mut().zip(delta) {
                *a += eta * delta;
            }
        }
    }
}
