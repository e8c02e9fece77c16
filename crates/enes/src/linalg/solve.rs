//! Products and solves of a triangular matrix with one vector.

use multiversion::multiversion;

use super::tiles::{LANES, lanes};
use super::{add_scaled, wide_dot};

/// Unknowns that are solved for at a time, so that not every row waits for the one before.
const AT_ONCE: usize = LANES;

/// `x ← (UᵀU)⁻¹ x`, in place. O(n²).
#[multiversion(targets("x86_64+avx512f", "x86_64+avx2"))]
pub(crate) fn solve_squared(upper: &[f64], x: &mut [f64]) {
    let n = x.len();
    // What is left over by whole blocks comes first, row by row.
    let first = n % AT_ONCE;
    for k in 0..first {
        let row = &upper[k * n + k..(k + 1) * n];
        x[k] /= row[0];
        let x_k = x[k];
        add_scaled(&mut x[k + 1..], -x_k, &row[1..]);
    }
    for k in (first..n).step_by(AT_ONCE) {
        let (block, inverses) = block_of(upper, k, n);
        let (some, rest) = x[k..].split_at_mut(AT_ONCE);
        for r in 0..AT_ONCE {
            some[r] *= inverses[r];
            for q in 0..AT_ONCE {
                if q > r {
                    some[q] -= block[r][q] * some[r];
                }
            }
        }
        for (c, rest) in rest.chunks_exact_mut(AT_ONCE).enumerate() {
            let mut sums = lanes(rest, 0);
            for (r, x_r) in some.iter().enumerate() {
                let row = lanes(upper, (k + r) * n + k + (c + 1) * AT_ONCE);
                sums.iter_mut().zip(&row).for_each(|(sum, u)| *sum -= x_r * u);
            }
            rest.copy_from_slice(&sums);
        }
    }
    for k in (first..n).step_by(AT_ONCE).rev() {
        let (block, inverses) = block_of(upper, k, n);
        let (some, rest) = x[k..].split_at_mut(AT_ONCE);
        let mut sums = [[0.0; AT_ONCE]; AT_ONCE];
        for (c, x) in rest.chunks_exact(AT_ONCE).enumerate() {
            for (r, sums) in sums.iter_mut().enumerate() {
                let row = lanes(upper, (k + r) * n + k + (c + 1) * AT_ONCE);
                for ((sum, u), x) in sums.iter_mut().zip(&row).zip(x) {
                    *sum += u * x;
                }
            }
        }
        for (x_r, sums) in some.iter_mut().zip(&sums) {
            *x_r -= sums.iter().sum::<f64>();
        }
        for r in (0..AT_ONCE).rev() {
            some[r] *= inverses[r];
            for q in 0..AT_ONCE {
                if q < r {
                    some[q] -= block[q][r] * some[r];
                }
            }
        }
    }
    for k in (0..first).rev() {
        let row = &upper[k * n + k..(k + 1) * n];
        x[k] = (x[k] - wide_dot(&row[1..], &x[k + 1..])) / row[0];
    }
}

/// A block at the diagonal, and the inverses of its diagonal entries.
#[inline(always)]
fn block_of(upper: &[f64], k: usize, n: usize) -> ([[f64; AT_ONCE]; AT_ONCE], [f64; AT_ONCE]) {
    let mut block = [[0.0; AT_ONCE]; AT_ONCE];
    for (r, row) in block.iter_mut().enumerate() {
        row.copy_from_slice(&upper[(k + r) * n + k..][..AT_ONCE]);
    }
    let mut inverses = [0.0; AT_ONCE];
    for (r, inverse) in inverses.iter_mut().enumerate() {
        *inverse = 1.0 / block[r][r];
    }
    (block, inverses)
}

/// `out = U v`. O(d²).
pub(crate) fn upper_times_vector(upper: &[f64], v: &[f64], out: &mut [f64]) {
    let d = v.len();
    for (k, o) in out.iter_mut().enumerate() {
        *o = wide_dot(&upper[k * d + k..(k + 1) * d], &v[k..]);
    }
}

/// `out = S v` for a symmetric S of which the upper triangle is given. O(d²).
pub(crate) fn symmetric_times_vector(upper: &[f64], v: &[f64], out: &mut [f64]) {
    let d = v.len();
    upper_times_vector(upper, v, out);
    for (k, v) in v.iter().enumerate() {
        super::add_scaled(&mut out[k + 1..], *v, &upper[k * d + k + 1..(k + 1) * d]);
    }
}

/// `v ← U⁻¹ v`, in place. O(d²).
pub(crate) fn solve_vector(upper: &[f64], v: &mut [f64]) {
    let d = v.len();
    for k in (0..d).rev() {
        let tail = wide_dot(&upper[k * d + k + 1..(k + 1) * d], &v[k + 1..]);
        v[k] = (v[k] - tail) / upper[k * d + k];
    }
}
