//! The kernels of `linalg.rs` for any dimension: triangular products and solves of the linear-algebra crate.

use std::mem::MaybeUninit;

use faer::dyn_stack::MemStack;
use faer::linalg::cholesky::llt::factor as llt;
use faer::linalg::matmul::triangular::{self, BlockStructure};
use faer::linalg::triangular_solve::solve_lower_triangular_in_place;
use faer::{Accum, Par};

use super::{columns, columns_mut, gram_of_vectors, kernel_entry};

/// From this many vectors on a product with a triangular matrix is the same sum for each of them, whatever their
/// number: a block of at most 4096 products is added up in the other direction.
pub(super) fn least_vectors(d: usize) -> usize {
    4096 / smallest_block(d).pow(2) + 1
}

/// The smallest block that is left of d rows when they are halved until at most 16 are left.
fn smallest_block(d: usize) -> usize {
    match d {
        0..=16 => d.max(1),
        _ => smallest_block(d / 2).min(smallest_block(d - d / 2)),
    }
}

pub(super) fn transpose_times(upper: &[f64], vectors: &[f64], out: &mut [f64], d: usize) {
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

pub(super) fn solve_transpose(upper: &[f64], vectors: &mut [f64], d: usize) {
    solve_lower_triangular_in_place(columns(upper, d), columns_mut(vectors, d), Par::Seq);
}

pub(super) fn upper_of_outer_sum(t: &[f64], s: &[f64], out: &mut [f64], d: usize) {
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

pub(super) fn upper_times_upper(p: &[f64], q: &[f64], out: &mut [f64], d: usize) {
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

pub(super) fn gram_of_rows(upper: &[f64], out: &mut [f64], d: usize) {
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

pub(super) fn strict_upper_times(upper: &[f64], vectors: &[f64], out: &mut [f64], d: usize) {
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

pub(super) fn kernel_of_vectors(vectors: &[f64], norms: &[f64], out: &mut [f64], d: usize) {
    gram_of_vectors(vectors, out, d);
    let (n, size) = (norms.len(), d as f64);
    let inverse = 1.0 / size;
    for (j, row) in out.chunks_exact_mut(n).enumerate() {
        let excess = 0.5 * (norms[j] - size) * inverse;
        for (k, q) in row[j..].iter_mut().zip(&norms[j..]) {
            *k = kernel_entry(*k, inverse, excess, q - size);
        }
    }
}

/// Bytes of scratch that a Cholesky factor of order n needs.
pub(super) fn cholesky_scratch(n: usize) -> usize {
    llt::cholesky_in_place_scratch::<f64>(n, Par::Seq, Default::default()).unaligned_bytes_required()
}

/// The Cholesky factor in place; the lower triangle is written over, too. False where there is none.
pub(super) fn cholesky_in_place(matrix: &mut [f64], n: usize, scratch: &mut [MaybeUninit<u8>]) -> bool {
    let (matrix, stack) = (columns_mut(matrix, n), MemStack::new(scratch));
    llt::cholesky_in_place(matrix, Default::default(), Par::Seq, stack, Default::default()).is_ok()
}
