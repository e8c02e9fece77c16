//! The quadratic that a kernel model stands for.
//!
//! With the kernel `k(s, t) = 1 + s·t/d + (s·t)²/(2d²) + (|s|² − d)(|t|² − d)/(2d)`, whose matrix
//! `linalg::kernel_of_vectors` builds, a model `Σ α_j k(s_j, ·)` is the quadratic `g·t + ½ tᵀ(E + bI)t` and a constant,
//! with `g = Σα_j s_j/d`, `E = Σα_j s_j s_jᵀ/d²` and `b = Σα_j(|s_j|² − d)/d`.

use crate::linalg::{scale_rows, upper_of_outer_sum};

/// g, and the upper triangle of E, of points given by their coordinates and squared norms; returns b. `rows` is
/// scratch of the points' size. n d²/2 multiply-adds.
pub(crate) fn expand(
    alpha: &[f64],
    points: &[f64],
    norms: &[f64],
    rows: &mut [f64],
    gradient: &mut [f64],
    curvature: &mut [f64],
) -> f64 {
    let d = gradient.len();
    let size = d as f64;
    scale_rows(points, alpha, rows, gradient);
    gradient.iter_mut().for_each(|g| *g /= size);
    upper_of_outer_sum(rows, points, curvature, d);
    let squares = size * size;
    for (k, row) in curvature.chunks_exact_mut(d).enumerate() {
        row[k..].iter_mut().for_each(|e| *e /= squares);
    }
    alpha.iter().zip(norms).map(|(a, q)| a * (q - size)).sum::<f64>() / size
}
