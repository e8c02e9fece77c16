//! The curvature along a step, and the shape that follows (Broyden, Fletcher, Goldfarb, Shanno), in whitened coordinates.

use crate::linalg::{self, CholeskySpace, dot, squared_norm};

/// A change of the gradient says nothing of a curvature where it is nearly orthogonal to the step.
pub(super) const LEAST: f64 = 1e-8;

/// By how much one step may lower the curvature elsewhere.
const LOWER: f64 = 0.1;

/// Whether what the gradient changes by along a step says something of the curvature.
pub(super) fn says(s: &[f64], y: &[f64]) -> bool {
    let (product, square, change) = (dot(s, y), squared_norm(s), squared_norm(y));
    product > LEAST * (square * change).sqrt() && product.is_finite() && change.is_finite()
}

/// In coordinates in which all curvatures are c, the gradient changes by y along a step s. U with UᵀU = W/det^{1/d}W,
/// `W = (I − ρsyᵀ)(I − ρysᵀ) + cρssᵀ`, ρ = 1/y·s, makes all curvatures the same again, and this is returned. W/c is the inverse
/// that is nearest to the last one of those that lead from y to s. Where the step shows less than c, c is lowered first to
/// what it shows: curvatures that were learned far away are forgotten (Oren and Luenberger). Without c, it is that along the
/// step. `None` where the step says nothing. d³/6 multiply-adds.
pub(super) fn shape(
    s: &[f64],
    y: &[f64],
    curvature: Option<f64>,
    factor: &mut [f64],
    space: &mut CholeskySpace,
) -> Option<f64> {
    let d = s.len();
    if !says(s, y) {
        return None;
    }
    let (product, square, change) = (dot(s, y), squared_norm(s), squared_norm(y));
    let along = product / square;
    let c = curvature.filter(|c| *c > 0.0).map_or(along, |c| c * (along / c).clamp(LOWER, 1.0));
    let rho = product.recip();
    let squares = rho * (rho * change + c);
    factor.fill(0.0);
    for i in 0..d {
        let row = &mut factor[i * d + i..(i + 1) * d];
        for ((w, s_j), y_j) in row.iter_mut().zip(&s[i..]).zip(&y[i..]) {
            *w = squares * s[i] * s_j - rho * (s[i] * y_j + y[i] * s_j);
        }
        row[0] += 1.0;
    }
    let log_size = |factor: &[f64]| factor.iter().step_by(d + 1).map(|u| u.ln()).sum::<f64>() / d as f64;
    let size = linalg::cholesky_in_place(factor, d, space).then(|| 2.0 * log_size(factor));
    match size.map(|size| c * (-size).exp()) {
        Some(after) if after.is_finite() && after > 0.0 => {
            linalg::scale_to_unit_determinant(factor, d);
            Some(after)
        }
        _ => {
            factor.fill(0.0);
            factor.iter_mut().step_by(d + 1).for_each(|u| *u = 1.0);
            None
        }
    }
}
