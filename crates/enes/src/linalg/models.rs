//! Kernels of the surrogate: triangular solves for several right-hand sides, eigenvectors.

use std::mem::MaybeUninit;

use faer::Par;
use faer::diag::DiagMut;
use faer::dyn_stack::MemStack;
use faer::linalg::evd::{ComputeEigenvectors, self_adjoint_evd, self_adjoint_evd_scratch};
use faer::linalg::triangular_solve::solve_upper_triangular_in_place;

use super::{columns, columns_mut};

/// `x_i ← U⁻¹ x_i` for every vector, in place. O(k n²).
pub(crate) fn solve_upper(upper: &[f64], vectors: &mut [f64], n: usize) {
    solve_upper_triangular_in_place(columns(upper, n).transpose(), columns_mut(vectors, n), Par::Seq);
}

/// Scratch space of `eigen`, allocated once.
#[derive(Clone, Debug)]
pub(crate) struct EigenSpace(Vec<MaybeUninit<u8>>);

impl EigenSpace {
    pub(crate) fn new(d: usize) -> Self {
        let need = self_adjoint_evd_scratch::<f64>(d, ComputeEigenvectors::Yes, Par::Seq, Default::default());
        Self(vec![MaybeUninit::uninit(); need.unaligned_bytes_required()])
    }
}

/// Eigenvalues, smallest first, and eigenvectors, one after another, of a symmetric matrix given by its
/// upper triangle. False where an entry is not finite or nothing was found. O(d³).
#[must_use]
pub(crate) fn eigen(
    symmetric: &[f64],
    values: &mut [f64],
    vectors: &mut [f64],
    space: &mut EigenSpace,
) -> bool {
    let d = values.len();
    let upper = (0..d).flat_map(|k| &symmetric[k * d + k..(k + 1) * d]);
    if !upper.into_iter().all(|a| a.is_finite()) {
        return false;
    }
    let diagonal = DiagMut::from_slice_mut(values);
    let vectors = columns_mut(vectors, d);
    let stack = MemStack::new(&mut space.0);
    self_adjoint_evd(columns(symmetric, d), diagonal, Some(vectors), Par::Seq, stack, Default::default())
        .is_ok()
}
