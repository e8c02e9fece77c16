//! The paper exactly as printed: the oracle of the tests.
//!
//! Explicit Fisher blocks, the iterative inverse, the three baselines by their formulas, importance
//! mixing by its two formulas, the algorithm box line by line. Plain loops, O(n d³), no code shared
//! with `enes`; random numbers are arguments. Names and indices are the paper's; vectors and
//! matrices are nested `Vec`s, indices start at 0, so the paper's block k ≥ 1 is row k − 1 of A.
//!
//! Two places where the paper cannot be followed to the letter:
//! - `w_F` is used and never defined: it is `w + a_kk⁻²`.
//! - The box (line 18) omits the 1/n of the gradient estimate; without it the algorithm diverges.
//!   The authors' own program divides by n, and so does this crate.

#![warn(clippy::unwrap_used)]

mod algorithm;
mod baselines;
mod fisher;
mod mixing;

pub use algorithm::{Generation, shaping};
pub use baselines::{Baseline, natural_gradient};
pub use fisher::{
    fisher_block, fisher_inverses_iterative, inverse_upper, precision, score, submatrix_inverses_iterative,
};
pub use mixing::{RandomNumbers, density, importance_mixing};

/// Rows of numbers.
pub type Matrix = Vec<Vec<f64>>;

/// The parameters θ of the search distribution: mean x and upper-triangular factor A, C = AᵀA.
#[derive(Clone, Debug, PartialEq)]
pub struct Theta {
    /// The mean x.
    pub mean: Vec<f64>,
    /// The factor A, upper triangular.
    pub factor: Matrix,
}

impl Theta {
    /// The number of coordinates.
    pub fn dimension(&self) -> usize {
        self.mean.len()
    }
}
