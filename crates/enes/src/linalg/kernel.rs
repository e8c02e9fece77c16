//! One entry of the quadratic kernel, the formula that regression and surrogate share.

/// `1 + x + x²/2 + e_j e_k/(2d)` with x = s_j·s_k/d and e = |s|² − d: from the inner product, 1/d, e_j/(2d) and e_k.
#[inline(always)]
pub(crate) fn kernel_entry(product: f64, inverse: f64, half_excess: f64, excess: f64) -> f64 {
    let x = product * inverse;
    1.0 + x + 0.5 * x * x + half_excess * excess
}

/// The same with a weight for all but the square: `w(1 + x + e_j e_k/(2d)) + x²/2`.
#[inline(always)]
pub(crate) fn weighted_kernel_entry(
    product: f64,
    inverse: f64,
    half_excess: f64,
    excess: f64,
    weight: f64,
) -> f64 {
    let x = product * inverse;
    weight * (1.0 + x + half_excess * excess) + 0.5 * x * x
}
