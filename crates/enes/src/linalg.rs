//! Triangular and symmetric kernels: with `general.rs` the only file that knows a linear-algebra crate.
//!
//! Storage, everywhere in this crate: a set of n vectors of length d is one slice of n·d numbers,
//! vector after vector. An upper-triangular d × d matrix is stored by rows; what lies below its
//! diagonal is zero. Read by columns, the same memory is its lower-triangular transpose, which is
//! how the kernels below see it. Up to d = 16 `small.rs` computes the same bits with less ado.

mod blocks;
mod cholesky;
mod forms;
mod general;
mod kernel;
mod models;
mod outer;
pub(crate) mod parallel;
mod rows;
mod small;
mod solve;
mod tiles;

use std::mem::MaybeUninit;

use faer::linalg::matmul::triangular::{self, BlockStructure};
use faer::{Accum, MatMut, MatRef, Par};

pub(crate) use forms::{quadratic_scratch, subtract_quadratic};
pub(crate) use kernel::{kernel_entry, weighted_kernel_entry};
pub(crate) use models::{EigenSpace, eigen, solve_upper};
pub(crate) use rows::*;
pub(crate) use solve::{solve_squared, solve_vector, symmetric_times_vector, upper_times_vector};

/// Which kernels are for d dimensions on this processor.
enum Kernels {
    Small,
    Tiles,
    General,
}

impl Kernels {
    fn of(d: usize) -> Self {
        match (fused(), d) {
            (false, _) => Self::General,
            (true, ..=small::LIMIT) => Self::Small,
            (true, _) => Self::Tiles,
        }
    }
}

/// Whether this processor has a fused multiply-add: without one our own kernels would be slow.
fn fused() -> bool {
    #[cfg(target_arch = "x86_64")]
    return std::arch::is_x86_feature_detected!("fma");
    #[cfg(not(target_arch = "x86_64"))]
    return true;
}

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
    match Kernels::of(d) {
        Kernels::Small => small::transpose_times(upper, vectors, out, d),
        Kernels::Tiles => tiles::transpose_times(upper, vectors, out, d),
        Kernels::General => general::transpose_times(upper, vectors, out, d),
    }
}

/// `s_i ← U⁻ᵀ s_i` for every vector, in place. O(n d²).
pub(crate) fn solve_transpose(upper: &[f64], vectors: &mut [f64], d: usize) {
    match Kernels::of(d) {
        Kernels::Small => small::solve_transpose(upper, vectors, d),
        Kernels::Tiles => tiles::solve_transpose(upper, vectors, d),
        Kernels::General => general::solve_transpose(upper, vectors, d),
    }
}

/// `B ← B U⁻¹` for an upper-triangular U and a matrix B stored by rows. O(d³).
pub(crate) fn right_solve(upper: &[f64], rows: &mut [f64], d: usize) {
    // A row r of B solves rᵀ ← U⁻ᵀ rᵀ: rows stored one after another are a set of vectors.
    solve_transpose(upper, rows, d);
}

/// The upper triangle of `Σ_i t_i s_iᵀ`; the lower triangle of `out` is left alone. O(n d²).
pub(crate) fn upper_of_outer_sum(t: &[f64], s: &[f64], out: &mut [f64], d: usize) {
    match Kernels::of(d) {
        Kernels::Small => small::upper_of_outer_sum(t, s, out, d),
        Kernels::Tiles => outer::outer_sum(t, s, out, 0, false, d),
        Kernels::General => general::upper_of_outer_sum(t, s, out, d),
    }
}

/// The product `P Q` of two upper-triangular matrices. O(d³).
pub(crate) fn upper_times_upper(p: &[f64], q: &[f64], out: &mut [f64], d: usize) {
    match Kernels::of(d) {
        Kernels::Small => small::upper_times_upper(p, q, out, d),
        Kernels::Tiles => tiles::upper_times_upper(p, q, out, d),
        Kernels::General => general::upper_times_upper(p, q, out, d),
    }
}

/// The upper triangle of `U Uᵀ`, the inner products of the rows of U. O(d³).
pub(crate) fn gram_of_rows(upper: &[f64], out: &mut [f64], d: usize) {
    match Kernels::of(d) {
        Kernels::Small => small::gram_of_rows(upper, out, d),
        Kernels::Tiles => tiles::gram_of_rows(upper, out, d),
        Kernels::General => general::gram_of_rows(upper, out, d),
    }
}

/// The upper triangle, by rows, of the inner products `s_j·s_k` of n vectors. O(n² d).
pub(crate) fn gram_of_vectors(vectors: &[f64], out: &mut [f64], d: usize) {
    let n = vectors.len() / d;
    triangular::matmul(
        columns_mut(out, n),
        BlockStructure::TriangularLower,
        Accum::Replace,
        columns(vectors, d).transpose(),
        BlockStructure::Rectangular,
        columns(vectors, d),
        BlockStructure::Rectangular,
        1.0,
        Par::Seq,
    );
}

/// The upper triangle, by rows, of `1 + x + x²/2 + e_j e_k/(2d)`, x = s_j·s_k/d, e = |s|² − d, of n vectors with their
/// squared norms. O(n² d).
pub(crate) fn kernel_of_vectors(vectors: &[f64], norms: &[f64], out: &mut [f64], d: usize) {
    match fused() && norms.len() >= tiles::LANES {
        true => tiles::kernel_of_vectors(vectors, norms, out, d),
        false => general::kernel_of_vectors(vectors, norms, out, d),
    }
}

/// Add `Σ_i f_i f_iᵀ` to the upper triangle of a symmetric matrix. O(n d²).
pub(crate) fn add_outer_squares(vectors: &[f64], out: &mut [f64], d: usize) {
    if let Kernels::Tiles = Kernels::of(d) {
        return outer::outer_sum(vectors, vectors, out, 0, true, d);
    }
    triangular::matmul(
        columns_mut(out, d),
        BlockStructure::TriangularLower,
        Accum::Add,
        columns(vectors, d),
        BlockStructure::Rectangular,
        columns(vectors, d).transpose(),
        BlockStructure::Rectangular,
        1.0,
        Par::Seq,
    );
}

/// `out_i[k] = Σ_{j>k} g_kj s_i[j]` from the upper triangle of a symmetric matrix. O(n d²).
pub(crate) fn strict_upper_times(upper: &[f64], vectors: &[f64], out: &mut [f64], d: usize) {
    // The general kernel adds up a single vector in an order of its own.
    match Kernels::of(d) {
        Kernels::Small if vectors.len() > d => small::strict_upper_times(upper, vectors, out, d),
        Kernels::Tiles => tiles::strict_upper_times(upper, vectors, out, d),
        _ => general::strict_upper_times(upper, vectors, out, d),
    }
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

/// Scratch space of `cholesky_in_place`, allocated once.
#[derive(Clone, Debug)]
pub(crate) struct CholeskySpace {
    general: Vec<MaybeUninit<u8>>,
    rows: Vec<f64>,
}

impl CholeskySpace {
    /// Room for matrices of order up to n.
    pub(crate) fn new(n: usize) -> Self {
        Self {
            general: vec![MaybeUninit::uninit(); general::cholesky_scratch(n)],
            rows: vec![0.0; if n > cholesky::LIMIT { blocks::scratch(n) } else { cholesky::scratch(n) }],
        }
    }
}

/// Replace the upper triangle of a symmetric matrix M by that of U with `UᵀU = M`; the lower triangle
/// is left alone, or zero. False where M is not positive definite: it is then of no use. O(n³/6).
#[must_use]
pub(crate) fn cholesky_in_place(matrix: &mut [f64], n: usize, space: &mut CholeskySpace) -> bool {
    if cholesky::is_for(n) {
        return cholesky::cholesky_in_place(matrix, n, &mut space.rows);
    }
    if blocks::is_for(n) {
        return blocks::cholesky_in_place(matrix, n, &mut space.rows);
    }
    let done = general::cholesky_in_place(matrix, n, &mut space.general);
    // What the library has left there would be part of products: tiles reach across the diagonal.
    matrix.chunks_exact_mut(n).enumerate().for_each(|(k, row)| row[..k].fill(0.0));
    done
}

/// Scale an upper-triangular matrix with positive diagonal to determinant 1.
pub(crate) fn scale_to_unit_determinant(upper: &mut [f64], d: usize) {
    let log_det: f64 = upper.iter().step_by(d + 1).map(|u| u.ln()).sum();
    let scale = (-log_det / d as f64).exp();
    upper.iter_mut().for_each(|u| *u *= scale);
}

pub(crate) fn dot(a: &[f64], b: &[f64]) -> f64 {
    a.iter().zip(b).map(|(x, y)| x * y).sum()
}

/// The inner product in eight independent sums, so that long vectors do not wait for one chain of additions.
#[inline(always)]
pub(crate) fn wide_dot(a: &[f64], b: &[f64]) -> f64 {
    let mut sums = [0.0; 8];
    let (mut left, mut right) = (a.chunks_exact(8), b.chunks_exact(8));
    for (x, y) in (&mut left).zip(&mut right) {
        for ((sum, x), y) in sums.iter_mut().zip(x).zip(y) {
            *sum += x * y;
        }
    }
    let rest: f64 = left.remainder().iter().zip(right.remainder()).map(|(x, y)| x * y).sum();
    sum_of_eight(&sums) + rest
}

#[inline(always)]
fn sum_of_eight(sums: &[f64; 8]) -> f64 {
    ((sums[0] + sums[4]) + (sums[1] + sums[5])) + ((sums[2] + sums[6]) + (sums[3] + sums[7]))
}

/// `a ← a + c·b`.
#[inline(always)]
pub(crate) fn add_scaled(a: &mut [f64], c: f64, b: &[f64]) {
    for (x, y) in a.iter_mut().zip(b) {
        *x += c * y;
    }
}

#[cfg(test)]
mod tests;
