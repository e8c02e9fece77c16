//! Score and Fisher matrix (paper, sections "Evolution Gradients" and "Natural Gradient").

use crate::{Matrix, Theta};

/// A⁻ by back substitution.
pub fn inverse_upper(a: &Matrix) -> Matrix {
    let d = a.len();
    let mut inverse = vec![vec![0.0; d]; d];
    for column in 0..d {
        for row in (0..=column).rev() {
            let mut sum = if row == column { 1.0 } else { 0.0 };
            for k in row + 1..=column {
                sum -= a[row][k] * inverse[k][column];
            }
            inverse[row][column] = sum / a[row][row];
        }
    }
    inverse
}

/// C⁻ = A⁻ A⁻ᵀ (line 3 of the box).
pub fn precision(a_inverse: &Matrix) -> Matrix {
    let d = a_inverse.len();
    let mut c = vec![vec![0.0; d]; d];
    for i in 0..d {
        for j in 0..d {
            for k in 0..d {
                c[i][j] += a_inverse[i][k] * a_inverse[j][k];
            }
        }
    }
    c
}

/// The score g(z|θ) = ∇_θ ln p(z|θ), as blocks g⁰ (for x), g¹ … g^d (for the rows of A).
pub fn score(theta: &Theta, z: &[f64]) -> Matrix {
    let d = theta.dimension();
    let a_inverse = inverse_upper(&theta.factor);
    let c_inverse = precision(&a_inverse);
    let difference: Vec<f64> = z.iter().zip(&theta.mean).map(|(z, x)| z - x).collect();
    // A⁻ᵀ(z − x) and C⁻(z − x)
    let mut whitened = vec![0.0; d];
    let mut weighted = vec![0.0; d];
    for i in 0..d {
        for j in 0..d {
            whitened[i] += a_inverse[j][i] * difference[j];
            weighted[i] += c_inverse[i][j] * difference[j];
        }
    }
    let mut blocks = vec![weighted.clone()];
    for k in 0..d {
        // r_ij of R = A⁻ᵀ(z − x)(z − x)ᵀC⁻, less δ(i, j) a_ii⁻¹
        let mut block: Vec<f64> = (k..d).map(|j| whitened[k] * weighted[j]).collect();
        block[0] -= 1.0 / theta.factor[k][k];
        blocks.push(block);
    }
    blocks
}

/// F_k: block 0 is C⁻, block k ≥ 1 is D_k with a_kk⁻² added to its first entry, and D_k the
/// lower-right square submatrix of C⁻ of order d + 1 − k.
pub fn fisher_block(factor: &Matrix, c_inverse: &Matrix, k: usize) -> Matrix {
    let first = k.max(1) - 1;
    let mut block: Matrix = c_inverse[first..].iter().map(|row| row[first..].to_vec()).collect();
    if k > 0 {
        block[0][0] += 1.0 / (factor[first][first] * factor[first][first]);
    }
    block
}

/// All F_k⁻, k = 0 … d, by the paper's iteration from k = d down; F_0⁻ = D_1⁻ since F_0 = D_1 = C⁻.
pub fn fisher_inverses_iterative(factor: &Matrix, c_inverse: &Matrix) -> Vec<Matrix> {
    iterate(factor, c_inverse).0
}

/// All D_k⁻, k = 1 … d, by the paper's iteration from k = d down.
pub fn submatrix_inverses_iterative(factor: &Matrix, c_inverse: &Matrix) -> Vec<Matrix> {
    iterate(factor, c_inverse).1
}

/// "Iterative Computation of FIM Inverse": F_k⁻ and D_k⁻ from D_{k+1}⁻.
fn iterate(factor: &Matrix, c_inverse: &Matrix) -> (Vec<Matrix>, Vec<Matrix>) {
    let d = factor.len();
    let last = d - 1;
    let a2 = |k: usize| 1.0 / (factor[k][k] * factor[k][k]);
    let mut f_inverses = vec![vec![vec![1.0 / (c_inverse[last][last] + a2(last))]]];
    let mut d_inverses = vec![vec![vec![1.0 / c_inverse[last][last]]]];
    for k in (0..last).rev() {
        let previous = &d_inverses[d_inverses.len() - 1];
        let v: Vec<f64> = (k + 1..d).map(|row| c_inverse[row][k]).collect();
        let w = c_inverse[k][k];
        let w_f = w + a2(k);
        let mut u = vec![0.0; v.len()];
        for i in 0..v.len() {
            for j in 0..v.len() {
                u[i] += previous[i][j] * v[j];
            }
        }
        let s: f64 = v.iter().zip(&u).map(|(v, u)| v * u).sum();
        let (q, q_f) = (1.0 / (w - s), 1.0 / (w_f - s));
        let (c, c_f) = (-(1.0 + q * s) / w, -(1.0 + q_f * s) / w_f);
        f_inverses.push(bordered(previous, &u, q_f, c_f));
        let d_inverse = bordered(previous, &u, q, c);
        d_inverses.push(d_inverse);
    }
    // F_0⁻ = (C⁻)⁻ = D_1⁻
    f_inverses.push(d_inverses[last].clone());
    f_inverses.reverse();
    d_inverses.reverse();
    (f_inverses, d_inverses)
}

/// [ q, c uᵀ ; c u, D + q u uᵀ ]
fn bordered(inner: &Matrix, u: &[f64], q: f64, c: f64) -> Matrix {
    let mut first = vec![q];
    first.extend(u.iter().map(|u| c * u));
    let mut out = vec![first];
    for (i, row) in inner.iter().enumerate() {
        let mut entries = vec![c * u[i]];
        entries.extend(row.iter().zip(u).map(|(d, u_j)| d + q * u[i] * u_j));
        out.push(entries);
    }
    out
}
