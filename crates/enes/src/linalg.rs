//! Triangular and symmetric kernels: the only file that knows a linear-algebra crate.
//!
//! Storage, everywhere in this crate: a set of n vectors of length d is one slice of n·d numbers,
//! vector after vector. An upper-triangular d × d matrix is stored by rows; what lies below its
//! diagonal is zero. Read by columns, the same memory is its lower-triangular transpose, which is
//! how the kernels below see it.

use faer::linalg::matmul::triangular::{self, BlockStructure};
use faer::linalg::triangular_solve::solve_lower_triangular_in_place;
use faer::{Accum, MatMut, MatRef, Par};
use multiversion::multiversion;

/// n vectors of length d as the columns of a d × n matrix.
fn columns(data: &[f64], d: usize) -> MatRef<'_, f64> {
    MatRef::from_column_major_slice(data, d, data.len() / d)
}

fn columns_mut(data: &mut [f64], d: usize) -> MatMut<'_, f64> {
    let n = data.len() / d;
    MatMut::from_column_major_slice_mut(data, d, n)
}

/// `out_i = Uᵀ s_i` for every vector. O(n d²).
pub(crate) fn transpose_times(upper: &[f64], vectors: &[f64], out: &mut [f64], d: usize) {
    triangular::matmul(
        columns_mut(out, d),
        BlockStructure::Rectangular,
        Accum::Replace,
        columns(upper, d),
        BlockStructure::TriangularLower,
        columns(vectors, d),
        BlockStructure::Rectangular,
        1.0,
        Par::Seq,
    );
}

/// `s_i ← U⁻ᵀ s_i` for every vector, in place. O(n d²).
pub(crate) fn solve_transpose(upper: &[f64], vectors: &mut [f64], d: usize) {
    solve_lower_triangular_in_place(columns(upper, d), columns_mut(vectors, d), Par::Seq);
}

/// `B ← B U⁻¹` for an upper-triangular U and a matrix B stored by rows. O(d³).
pub(crate) fn right_solve(upper: &[f64], rows: &mut [f64], d: usize) {
    // A row r of B solves rᵀ ← U⁻ᵀ rᵀ: rows stored one after another are a set of vectors.
    solve_transpose(upper, rows, d);
}

/// The upper triangle of `Σ_i t_i s_iᵀ`; the lower triangle of `out` is left alone. O(n d²).
pub(crate) fn upper_of_outer_sum(t: &[f64], s: &[f64], out: &mut [f64], d: usize) {
    triangular::matmul(
        columns_mut(out, d),
        BlockStructure::TriangularLower,
        Accum::Replace,
        columns(s, d),
        BlockStructure::Rectangular,
        columns(t, d).transpose(),
        BlockStructure::Rectangular,
        1.0,
        Par::Seq,
    );
}

/// The product `P Q` of two upper-triangular matrices. O(d³).
pub(crate) fn upper_times_upper(p: &[f64], q: &[f64], out: &mut [f64], d: usize) {
    triangular::matmul(
        columns_mut(out, d),
        BlockStructure::TriangularLower,
        Accum::Replace,
        columns(q, d),
        BlockStructure::TriangularLower,
        columns(p, d),
        BlockStructure::TriangularLower,
        1.0,
        Par::Seq,
    );
}

/// The upper triangle of `U Uᵀ`, the inner products of the rows of U. O(d³).
pub(crate) fn gram_of_rows(upper: &[f64], out: &mut [f64], d: usize) {
    triangular::matmul(
        columns_mut(out, d),
        BlockStructure::TriangularLower,
        Accum::Replace,
        columns(upper, d).transpose(),
        BlockStructure::TriangularUpper,
        columns(upper, d),
        BlockStructure::TriangularLower,
        1.0,
        Par::Seq,
    );
}

/// `out_i[k] = Σ_{j>k} g_kj s_i[j]` from the upper triangle of a symmetric matrix. O(n d²).
pub(crate) fn strict_upper_times(upper: &[f64], vectors: &[f64], out: &mut [f64], d: usize) {
    triangular::matmul(
        columns_mut(out, d),
        BlockStructure::Rectangular,
        Accum::Replace,
        columns(upper, d).transpose(),
        BlockStructure::StrictTriangularUpper,
        columns(vectors, d),
        BlockStructure::Rectangular,
        1.0,
        Par::Seq,
    );
}

/// The singular values of an upper-triangular matrix, largest first; `None` where the
/// decomposition does not converge or an entry is not finite. Allocates; O(d³).
pub(crate) fn singular_values(upper: &[f64], d: usize) -> Option<Vec<f64>> {
    if upper.iter().any(|a| !a.is_finite()) {
        return None;
    }
    columns(upper, d).singular_values().ok()
}

/// The upper-triangular U with `UᵀU = C`, or the index of the first pivot that is not positive.
pub(crate) fn cholesky(covariance: &[f64], d: usize) -> Result<Vec<f64>, usize> {
    let mut upper = vec![0.0f64; d * d];
    for k in 0..d {
        let squares: f64 = (0..k).map(|i| upper[i * d + k].powi(2)).sum();
        let pivot = covariance[k * d + k] - squares;
        // Relative to the variance: a pivot lost to cancellation is not a pivot.
        if !(pivot.is_finite() && pivot > 4.0 * d as f64 * f64::EPSILON * covariance[k * d + k]) {
            return Err(k);
        }
        upper[k * d + k] = pivot.sqrt();
        for l in k + 1..d {
            let inner: f64 = (0..k).map(|i| upper[i * d + k] * upper[i * d + l]).sum();
            upper[k * d + l] = (covariance[k * d + l] - inner) / upper[k * d + k];
        }
    }
    Ok(upper)
}

/// `out = U v`. O(d²).
pub(crate) fn upper_times_vector(upper: &[f64], v: &[f64], out: &mut [f64]) {
    let d = v.len();
    for (k, o) in out.iter_mut().enumerate() {
        *o = dot(&upper[k * d + k..(k + 1) * d], &v[k..]);
    }
}

/// `v ← U⁻¹ v`, in place. O(d²).
pub(crate) fn solve_vector(upper: &[f64], v: &mut [f64]) {
    let d = v.len();
    for k in (0..d).rev() {
        let tail = dot(&upper[k * d + k + 1..(k + 1) * d], &v[k + 1..]);
        v[k] = (v[k] - tail) / upper[k * d + k];
    }
}

pub(crate) fn dot(a: &[f64], b: &[f64]) -> f64 {
    a.iter().zip(b).map(|(x, y)| x * y).sum()
}

/// `a ← a + c·b`.
#[inline(always)]
pub(crate) fn add_scaled(a: &mut [f64], c: f64, b: &[f64]) {
    for (x, y) in a.iter_mut().zip(b) {
        *x += c * y;
    }
}

/// `|s|²` with four independent sums, so that short vectors do not wait for one chain of additions.
#[inline(always)]
pub(crate) fn squared_norm(s: &[f64]) -> f64 {
    let mut sums = [0.0; 4];
    let mut chunks = s.chunks_exact(4);
    for c in &mut chunks {
        for (sum, x) in sums.iter_mut().zip(c) {
            *sum += x * x;
        }
    }
    let rest: f64 = chunks.remainder().iter().map(|x| x * x).sum();
    (sums[0] + sums[1]) + (sums[2] + sums[3]) + rest
}

// Plain loops over many vectors, compiled for the instruction sets of today's machines. Nothing is
// reassociated or fused, so the bits are the same on every one of them.

/// `norms_i = |s_i|²`, then `s_i ← s_i − shift`.
#[multiversion(targets("x86_64+avx512f", "x86_64+avx2"))]
pub(crate) fn norms_then_subtract(vectors: &mut [f64], shift: &[f64], norms: &mut [f64]) {
    for (s, norm) in vectors.chunks_exact_mut(shift.len()).zip(norms) {
        *norm = squared_norm(s);
        add_scaled(s, -1.0, shift);
    }
}

/// `norms_i ← norms_i − |s_i|²`.
#[multiversion(targets("x86_64+avx512f", "x86_64+avx2"))]
pub(crate) fn subtract_norms(vectors: &[f64], norms: &mut [f64], d: usize) {
    for (s, norm) in vectors.chunks_exact(d).zip(norms) {
        *norm -= squared_norm(s);
    }
}

/// `t_i ← t_i + shift`, then `differences_i = |s_i|² − |t_i|²`.
#[multiversion(targets("x86_64+avx512f", "x86_64+avx2"))]
pub(crate) fn add_then_compare_norms(s: &[f64], t: &mut [f64], shift: &[f64], differences: &mut [f64]) {
    let d = shift.len();
    for ((s, t), difference) in s.chunks_exact(d).zip(t.chunks_exact_mut(d)).zip(differences) {
        add_scaled(t, 1.0, shift);
        *difference = squared_norm(s) - squared_norm(t);
    }
}

/// `sum ← Σ_i (u_i − b) s_i` and `rows_i[k] = (u_i − b_k) s_i[k]`.
#[multiversion(targets("x86_64+avx512f", "x86_64+avx2"))]
pub(crate) fn weigh_rows(
    s: &[f64],
    utilities: &[f64],
    baseline: f64,
    baselines: &[f64],
    sum: &mut [f64],
    rows: &mut [f64],
) {
    let d = baselines.len();
    sum.fill(0.0);
    for ((row, s), &u) in rows.chunks_exact_mut(d).zip(s.chunks_exact(d)).zip(utilities) {
        add_scaled(sum, u - baseline, s);
        for ((r, &s_k), b_k) in row.iter_mut().zip(s).zip(baselines) {
            *r = (u - b_k) * s_k;
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    fn upper_matrix(d: usize) -> impl Strategy<Value = Vec<f64>> {
        prop::collection::vec(-2.0..2.0f64, d * d).prop_map(move |mut a| {
            for k in 0..d {
                a[k * d..k * d + k].fill(0.0);
                a[k * d + k] = 1.0 + a[k * d + k].abs();
            }
            a
        })
    }

    fn case() -> impl Strategy<Value = (usize, Vec<f64>, Vec<f64>)> {
        (1usize..20, 1usize..12)
            .prop_flat_map(|(d, n)| (Just(d), upper_matrix(d), prop::collection::vec(-2.0..2.0f64, n * d)))
    }

    fn close(a: f64, b: f64) -> bool {
        (a - b).abs() <= 1e-11 * (1.0 + a.abs().max(b.abs()))
    }

    proptest! {
        #[test]
        fn products_agree_with_plain_sums((d, u, s) in case()) {
            let n = s.len() / d;
            let mut ut_s = vec![0.0; n * d];
            transpose_times(&u, &s, &mut ut_s, d);
            let mut strict = vec![0.0; n * d];
            strict_upper_times(&u, &s, &mut strict, d);
            for i in 0..n {
                for k in 0..d {
                    let expected: f64 = (0..=k).map(|j| u[j * d + k] * s[i * d + j]).sum();
                    prop_assert!(close(ut_s[i * d + k], expected));
                    let expected: f64 = (k + 1..d).map(|j| u[k * d + j] * s[i * d + j]).sum();
                    prop_assert!(close(strict[i * d + k], expected));
                }
            }
            let mut outer = vec![7.0; d * d];
            upper_of_outer_sum(&ut_s, &s, &mut outer, d);
            let mut gram = vec![7.0; d * d];
            gram_of_rows(&u, &mut gram, d);
            let mut square = vec![7.0; d * d];
            upper_times_upper(&u, &u, &mut square, d);
            for k in 0..d {
                for l in 0..d {
                    let at = k * d + l;
                    if l < k {
                        // Below the diagonal nothing is written.
                        prop_assert_eq!((outer[at], gram[at], square[at]), (7.0, 7.0, 7.0));
                        continue;
                    }
                    let sum: f64 = (0..n).map(|i| ut_s[i * d + k] * s[i * d + l]).sum();
                    prop_assert!(close(outer[at], sum));
                    let sum: f64 = (0..d).map(|j| u[k * d + j] * u[l * d + j]).sum();
                    prop_assert!(close(gram[at], sum));
                    let sum: f64 = (0..d).map(|j| u[k * d + j] * u[j * d + l]).sum();
                    prop_assert!(close(square[at], sum));
                }
            }
        }

        #[test]
        fn solves_undo_products((d, u, s) in case()) {
            let mut out = vec![0.0; s.len()];
            solve_transpose(&u, &mut out, d); // zero stays zero
            prop_assert!(out.iter().all(|&x| x == 0.0));
            transpose_times(&u, &s, &mut out, d);
            solve_transpose(&u, &mut out, d);
            // 1e-6: random triangular matrices of order 20 reach condition 1e8.
            prop_assert!(out.iter().zip(&s).all(|(a, b)| (a - b).abs() < 1e-6));
            let mut v = vec![0.0; d];
            upper_times_vector(&u, &s[..d], &mut v);
            solve_vector(&u, &mut v);
            prop_assert!(v.iter().zip(&s).all(|(a, b)| (a - b).abs() < 1e-6));
        }

        #[test]
        fn cholesky_inverts_the_square((d, u, _s) in case()) {
            let mut c = vec![0.0; d * d];
            for k in 0..d {
                for l in 0..d {
                    c[k * d + l] = (0..d).map(|i| u[i * d + k] * u[i * d + l]).sum();
                }
            }
            if let Ok(factor) = cholesky(&c, d) {
                prop_assert!(factor.iter().zip(&u).all(|(a, b)| (a - b).abs() < 1e-4));
            }
        }
    }

    #[test]
    fn an_indefinite_matrix_has_no_factor() {
        assert_eq!(cholesky(&[1.0, 2.0, 2.0, 1.0], 2), Err(1));
        assert_eq!(cholesky(&[f64::NAN], 1), Err(0));
        // Singular to the last bit is refused too.
        assert_eq!(cholesky(&[1.0, 1.0, 1.0, 1.0], 2), Err(1));
    }
}
