//! What the shape of the distribution follows where there are constraints.

use super::super::faces::bend_across;
use super::Models;
use crate::linalg::{add_scaled, dot, squared_norm};

impl Models {
    /// The Lagrangian of the models where the step leads, along the constraints that count: what the shape follows. Across them
    /// its curvature says nothing, and is the mean one, so that the width there stays as it is.
    pub(super) fn make_lagrangian(&mut self, gradient: &mut [f64], hessian: &mut [f64]) {
        let d = gradient.len();
        gradient.copy_from_slice(&self.models[0].gradient);
        hessian.copy_from_slice(&self.models[0].hessian);
        self.across.clear();
        for (i, model) in self.models[1..].iter().enumerate() {
            let (multiplier, penalty) = (self.lagrangian.multipliers()[i], self.penalties[i]);
            let value = model.value(&self.program.step, &mut self.slope);
            if !self.lagrangian.counts(&self.given.constraints, i, value) {
                continue;
            }
            let force = multiplier + penalty * value;
            add_scaled(gradient, force, &self.slope);
            add_scaled(hessian, force, &model.hessian);
            extend_basis(&mut self.across, &mut self.slope);
        }
        for pass in 0..2 {
            // First without any curvature across, then with the mean of what is left.
            let rest = (d - self.across.len() / d).max(1) as f64;
            let mean = if pass == 0 { 0.0 } else { squared_norm(hessian).sqrt() / rest.sqrt() };
            for q in self.across.chunks_exact(d) {
                bend_across(hessian, q, mean, &mut self.slope);
            }
        }
        // In units of its own: shapes compare curvatures, errors are relative.
        let size = hessian.iter().fold(f64::MIN_POSITIVE, |most, b| most.max(b.abs()));
        gradient.iter_mut().chain(hessian).for_each(|v| *v /= size);
    }
}

/// One more orthonormal direction from a vector, unless it has none left.
fn extend_basis(basis: &mut Vec<f64>, vector: &mut [f64]) {
    let d = vector.len();
    let length = squared_norm(vector).sqrt();
    for _ in 0..2 {
        for q in basis.chunks_exact(d) {
            let along = dot(q, vector);
            add_scaled(vector, -along, q);
        }
    }
    let left = squared_norm(vector).sqrt();
    if left > 1e-10 * length && basis.len() < d * d {
        vector.iter_mut().for_each(|v| *v /= left);
        basis.extend_from_slice(vector);
    }
}
