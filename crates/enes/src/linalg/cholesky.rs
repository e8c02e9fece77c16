//! The Cholesky factor in place, in tiles, for matrices that fit into the second cache.

use multiversion::multiversion;
use multiversion::target::match_target;

use super::tiles::{LANES, LEAST, ROWS, add_outer, lanes, pick_up, put_down};

/// The largest order: a larger matrix is read too often, and is for `blocks.rs`.
pub(super) const LIMIT: usize = 256;

/// How many numbers of scratch a matrix of order n needs.
pub(super) fn scratch(n: usize) -> usize {
    2 * ROWS * n.min(LIMIT)
}

/// Whether this is for matrices of order n on this processor.
#[inline]
pub(super) fn is_for(n: usize) -> bool {
    (LEAST..=LIMIT).contains(&n) && super::fused()
}

/// Replace the upper triangle of a symmetric matrix M by that of U with `UᵀU = M`; the lower triangle is left alone.
/// False where M is not positive definite.
#[multiversion(targets("x86_64+avx512f", "x86_64+avx2+fma"))]
pub(super) fn cholesky_in_place(matrix: &mut [f64], n: usize, scratch: &mut [f64]) -> bool {
    match_target! {
        "x86_64+avx512f" => factorize::<{ 2 * ROWS }>(matrix, n, scratch),
        _ => factorize::<ROWS>(matrix, n, scratch),
    }
}

/// R rows at a time: take the rows above off, then solve for them.
#[inline(always)]
fn factorize<const R: usize>(matrix: &mut [f64], n: usize, scratch: &mut [f64]) -> bool {
    // What is left over by whole tiles of columns, row by row.
    let first = (n - 1) % LANES + 1;
    if !factorize_rows(matrix, first, n) {
        return false;
    }
    let (above, _) = scratch.as_chunks_mut::<R>();
    for k in (first..n).step_by(R) {
        let above = &mut above[..k];
        for (a, row) in above.iter_mut().zip(matrix.chunks_exact(n)) {
            *a = std::array::from_fn(|r| -row[k..k + R][r]);
        }
        let corner = k - (k - first) % LANES;
        let mut sums = take_off(matrix, above, k, corner, n);
        // The corner is the tile's own where it is as wide as a tile.
        let at = if R == LANES { 0 } else { k - corner };
        let Some((steps, scales)) = factorize_corner(&mut sums, at) else { return false };
        put_down(&sums, matrix, 0, (k, 0), (corner, 0), n);
        for column in (corner + LANES..n).step_by(LANES) {
            let mut sums = take_off(matrix, above, k, column, n);
            for r in 0..R {
                for q in 0..R {
                    if q > r {
                        sums[q] = std::array::from_fn(|l| steps[r][q].mul_add(sums[r][l], sums[q][l]));
                    }
                }
            }
            for r in 0..R {
                sums[r] = sums[r].map(|x| x * scales[r]);
            }
            put_down(&sums, matrix, 0, (k, 0), (column, 0), n);
        }
    }
    true
}

/// A tile of R rows without what the rows above make of it.
#[inline(always)]
fn take_off<const R: usize>(
    matrix: &[f64],
    above: &[[f64; R]],
    row: usize,
    column: usize,
    n: usize,
) -> [[f64; LANES]; R] {
    let mut sums = pick_up::<R>(matrix, row, column, n);
    for (a, row) in above.iter().zip(matrix.chunks_exact(n)) {
        add_outer(&mut sums, a, &lanes(row, column));
    }
    sums
}

/// Solve for the rows of a tile whose lanes `at`.. begin at the diagonal: what each row, before it is scaled, takes off
/// the rows below, and by what it is scaled. None where a pivot is not positive.
#[inline(always)]
fn factorize_corner<const R: usize>(
    sums: &mut [[f64; LANES]; R],
    at: usize,
) -> Option<([[f64; R]; R], [f64; R])> {
    let (mut steps, mut scales) = ([[0.0; R]; R], [0.0; R]);
    for r in 0..R {
        let pivot = sums[r][at + r];
        if !(pivot > 0.0 && pivot.is_finite()) {
            return None;
        }
        let inverse = -pivot.recip();
        for q in 0..R {
            if q > r {
                steps[r][q] = sums[r][at + q] * inverse;
                sums[q] = std::array::from_fn(|l| steps[r][q].mul_add(sums[r][l], sums[q][l]));
            }
        }
        scales[r] = pivot.sqrt().recip();
    }
    for r in 0..R {
        sums[r] = sums[r].map(|x| x * scales[r]);
    }
    Some((steps, scales))
}

/// The first rows of the factor.
#[inline(always)]
fn factorize_rows(matrix: &mut [f64], rows: usize, n: usize) -> bool {
    for k in 0..rows {
        let (above, rest) = matrix.split_at_mut(k * n);
        let row = &mut rest[k..n];
        for above in above.chunks_exact(n) {
            for (x, u) in row.iter_mut().zip(&above[k..]) {
                *x = (-above[k]).mul_add(*u, *x);
            }
        }
        if !(row[0] > 0.0 && row[0].is_finite()) {
            return false;
        }
        let inverse = row[0].sqrt().recip();
        row.iter_mut().for_each(|x| *x *= inverse);
    }
    true
}
