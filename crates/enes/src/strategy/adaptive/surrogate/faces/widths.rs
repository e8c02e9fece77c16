//! How wide a search is across the bounds that its step rests on.

use super::super::step::Quadratic;
use super::Faces;
use crate::linalg::{add_scaled, squared_norm};

/// Samples at a bound are so wide at least.
const NARROWEST: f64 = 1e-3;

impl Faces {
    /// How wide samples beside the step are, against a distribution whose σ changes by e^log_step. Where the step rests on a
    /// bound the response rises across it as the multiplier λ says, not with a curvature: samples reach so far that it
    /// rises as much as on the face, λw = ½Ld, L the mean curvature.
    pub(in super::super) fn narrow(&self, curvature: f64, log_step: f64, widths: &mut [f64]) {
        let d = self.dimension();
        widths.fill(1.0);
        if curvature <= 0.0 {
            return;
        }
        for (rest, multiplier) in self.rests.iter().zip(&self.multipliers) {
            let j = rest.coordinate;
            // Whole numbers keep their margin.
            if self.limits.is_whole(j) {
                continue;
            }
            let deviation = squared_norm(&self.rows[j * d..=j * d + j]).sqrt();
            let width = 0.5 * curvature * d as f64 * log_step.exp() / (multiplier.abs() * deviation);
            widths[j] = width.clamp(NARROWEST, 1.0);
        }
    }

    /// What the shape of an active model follows whose step rests on bounds: the folded response. At a bound it rises as λv²/4m, v
    /// the distance in unbounded coordinates, m the margin of the fold, which is a curvature λ/2m. `None` where the shape is
    /// the model's own.
    pub(in super::super) fn folded(&mut self, quadratic: &Quadratic) -> Option<&mut Quadratic> {
        let d = self.dimension();
        let Quadratic { gradient, hessian, .. } = &mut self.face;
        let mut bends = false;
        for (rest, multiplier) in self.rests.iter().zip(&self.multipliers) {
            let margin = self.limits.margin(rest.coordinate);
            if margin <= 0.0 {
                continue;
            }
            if !bends {
                hessian.copy_from_slice(&quadratic.hessian);
                gradient.copy_from_slice(&quadratic.gradient);
                bends = true;
            }
            let row = &self.rows[rest.coordinate * d..(rest.coordinate + 1) * d];
            let weight = 0.5 * multiplier.abs() / margin;
            for i in 0..=rest.coordinate {
                add_scaled(&mut hessian[i * d + i..(i + 1) * d], weight * row[i], &row[i..]);
            }
        }
        (bends && self.face.diagonalize()).then_some(&mut self.face)
    }
}
