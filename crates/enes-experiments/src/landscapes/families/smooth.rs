//! Smooth and convex, of moderate condition: what every method should do well.

use crate::landscapes::draw::{Draw, quadratic as weighted};
use crate::landscapes::family::Member;
use crate::landscapes::landscape::Made;

pub(crate) const MEMBERS: [Member; 3] = [
    Member { name: "quadratic", make: quadratic },
    Member { name: "powers", make: powers },
    Member { name: "soft", make: soft },
];

/// Condition 1 to 100.
pub(crate) fn quadratic(d: usize, draw: &mut Draw) -> Made {
    let k = draw.between(0.0, 2.0);
    let w = draw.spectrum(d, k);
    Made::new(move |y| weighted(&w, y))
}

/// Σ w |y|^p, each coordinate with a power of its own from 2 up.
fn powers(d: usize, draw: &mut Draw) -> Made {
    let (most, k) = (draw.between(2.5, 5.0), draw.between(0.0, 1.0));
    let w = draw.spectrum(d, k);
    let p: Vec<f64> = (0..d).map(|_| draw.between(2.0, most)).collect();
    Made::new(move |y| (0..d).map(|i| w[i] * y[i].abs().powf(p[i])).sum())
}

/// Quadratic near the optimum, linear far from it, in 2d directions: Σ s² ln cosh(a·y/s).
fn soft(d: usize, draw: &mut Draw) -> Made {
    let directions: Vec<Vec<f64>> = (0..2 * d).map(|_| draw.normals(d)).collect();
    let scales: Vec<f64> = (0..2 * d).map(|_| draw.power(-1.0, 0.5)).collect();
    Made::new(move |y| {
        let along = |a: &[f64]| a.iter().zip(y).map(|(a, v)| a * v).sum::<f64>() / (d as f64).sqrt();
        directions.iter().zip(&scales).map(|(a, s)| s * s * ln_cosh(along(a) / s)).sum()
    })
}

/// ln cosh t, exact for small t and finite for large.
fn ln_cosh(t: f64) -> f64 {
    if t.abs() < 1.0 {
        (2.0 * (0.5 * t).sinh().powi(2)).ln_1p()
    } else {
        t.abs() + (-2.0 * t.abs()).exp().ln_1p() - std::f64::consts::LN_2
    }
}
