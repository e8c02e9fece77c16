//! The model: a quadratic in whitened coordinates, which is the natural gradient of its expectation.

use crate::linalg::{dot, squared_norm, strict_upper_times};

/// `g·s + ½ sᵀHs` with `H = E + b I`: predicted score, larger is better.
///
/// If utility is this quadratic (and a constant), then for s ~ N(0, I) the natural gradient of its
/// expectation is g for the mean and H for the shape.
#[derive(Clone, Debug, PartialEq)]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize))]
pub(crate) struct Model {
    /// g.
    pub(crate) gradient: Vec<f64>,
    /// E by rows, d × d; its upper triangle alone is used.
    pub(crate) curvature: Vec<f64>,
    /// b.
    pub(crate) isotropic: f64,
}

impl Model {
    /// The model that predicts the same score everywhere.
    pub(crate) fn flat(d: usize) -> Self {
        Self { gradient: vec![0.0; d], curvature: vec![0.0; d * d], isotropic: 0.0 }
    }

    pub(crate) fn is_flat(&self) -> bool {
        self.isotropic == 0.0 && self.gradient.iter().chain(&self.curvature).all(|v| *v == 0.0)
    }

    pub(crate) fn clear(&mut self) {
        self.gradient.fill(0.0);
        self.curvature.fill(0.0);
        self.isotropic = 0.0;
    }

    /// Predictions for points given by their coordinates in the frame of the model, and ½ tᵀEt, the curvature's part of
    /// them; `products` is scratch of their size and of d more. O(n d²).
    pub(crate) fn predict(
        &self,
        t: &[f64],
        products: &mut [f64],
        predictions: &mut [f64],
        by_curvature: &mut [f64],
    ) {
        let d = self.gradient.len();
        let (diagonal, products) = products.split_at_mut(d);
        diagonal.iter_mut().zip(self.curvature.iter().step_by(d + 1)).for_each(|(h, e)| *h = 0.5 * e);
        strict_upper_times(&self.curvature, t, products, d);
        let rows = predictions.iter_mut().zip(by_curvature);
        for ((t, above), (p, part)) in t.chunks_exact(d).zip(products.chunks_exact(d)).zip(rows) {
            // ½ tᵀEt = Σ_k t_k (½ E_kk t_k + Σ_{l>k} E_kl t_l)
            let quadratic: f64 =
                t.iter().zip(above).zip(&*diagonal).map(|((t, a), half)| t * (half * t + a)).sum();
            *part = quadratic;
            *p = dot(&self.gradient, t) + quadratic + 0.5 * self.isotropic * squared_norm(t);
        }
    }

    #[cfg(feature = "serde")]
    pub(crate) fn is_consistent(&self, d: usize) -> bool {
        self.gradient.len() == d && self.curvature.len() == d * d
    }
}
