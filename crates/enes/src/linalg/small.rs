//! The kernels of `linalg.rs` for few dimensions, where a call of a general library costs more than its work.
//!
//! Every entry of a result is the same chain of fused multiply-adds that the general kernels make of it, in the
//! same order, so that both give the same bits (test `small_kernels_give_the_bits_of_the_general_ones`).

use multiversion::multiversion;

/// The largest dimension of these kernels: the size of the blocks down to which the general ones divide.
pub(super) const LIMIT: usize = 16;

/// Vectors that a triangular solve takes side by side.
const LANES: usize = 8;

/// Products that the general kernels add up before they round into the result.
const CHAIN: usize = 512;

/// Beyond this many products the general kernels sum `Uᵀ s` from the last term to the first.
const BACKWARDS: usize = 4096;

/// Call a kernel that is compiled for each dimension.
macro_rules! by_dimension {
    ($d:expr, $kernel:ident($($argument:expr),*)) => {
        match $d {
            1 => $kernel::<1>($($argument),*),
            2 => $kernel::<2>($($argument),*),
            3 => $kernel::<3>($($argument),*),
            4 => $kernel::<4>($($argument),*),
            5 => $kernel::<5>($($argument),*),
            6 => $kernel::<6>($($argument),*),
            7 => $kernel::<7>($($argument),*),
            8 => $kernel::<8>($($argument),*),
            9 => $kernel::<9>($($argument),*),
            10 => $kernel::<10>($($argument),*),
            11 => $kernel::<11>($($argument),*),
            12 => $kernel::<12>($($argument),*),
            13 => $kernel::<13>($($argument),*),
            14 => $kernel::<14>($($argument),*),
            15 => $kernel::<15>($($argument),*),
            _ => $kernel::<16>($($argument),*),
        }
    };
}

/// `out_i = Uᵀ s_i`.
#[multiversion(targets("x86_64+avx512f", "x86_64+avx2+fma"))]
pub(super) fn transpose_times(upper: &[f64], vectors: &[f64], out: &mut [f64], d: usize) {
    by_dimension!(d, transpose_times_of(upper, vectors, out));
}

#[inline(always)]
fn transpose_times_of<const D: usize>(upper: &[f64], vectors: &[f64], out: &mut [f64]) {
    let upper = upper_of::<D>(upper);
    match vectors.len() * D > BACKWARDS {
        true => rows_times_backwards(vectors, &upper, out),
        false => rows_times(vectors, &upper, out),
    }
}

/// `out_i[k] = Σ_{j>k} g_kj s_i[j]`.
#[multiversion(targets("x86_64+avx512f", "x86_64+avx2+fma"))]
pub(super) fn strict_upper_times(upper: &[f64], vectors: &[f64], out: &mut [f64], d: usize) {
    by_dimension!(d, strict_upper_times_of(upper, vectors, out));
}

#[inline(always)]
fn strict_upper_times_of<const D: usize>(upper: &[f64], vectors: &[f64], out: &mut [f64]) {
    let mut lower = transpose(&upper_of::<D>(upper));
    for k in 0..D {
        lower[k][k] = 0.0;
    }
    rows_times(vectors, &lower, out);
}

/// The upper triangle of `P Q`.
#[multiversion(targets("x86_64+avx512f", "x86_64+avx2+fma"))]
pub(super) fn upper_times_upper(p: &[f64], q: &[f64], out: &mut [f64], d: usize) {
    by_dimension!(d, upper_times_upper_of(p, q, out));
}

#[inline(always)]
fn upper_times_upper_of<const D: usize>(p: &[f64], q: &[f64], out: &mut [f64]) {
    let mut product = [[0.0; D]; D];
    rows_times(upper_of::<D>(p).as_flattened(), &upper_of::<D>(q), product.as_flattened_mut());
    store_upper(&product, out);
}

/// The upper triangle of `U Uᵀ`.
#[multiversion(targets("x86_64+avx512f", "x86_64+avx2+fma"))]
pub(super) fn gram_of_rows(upper: &[f64], out: &mut [f64], d: usize) {
    by_dimension!(d, gram_of_rows_of(upper, out));
}

#[inline(always)]
fn gram_of_rows_of<const D: usize>(upper: &[f64], out: &mut [f64]) {
    let rows = upper_of::<D>(upper);
    let mut product = [[0.0; D]; D];
    rows_times_backwards(rows.as_flattened(), &transpose(&rows), product.as_flattened_mut());
    store_upper(&product, out);
}

/// The upper triangle of `Σ_i t_i s_iᵀ`.
#[multiversion(targets("x86_64+avx512f", "x86_64+avx2+fma"))]
pub(super) fn upper_of_outer_sum(t: &[f64], s: &[f64], out: &mut [f64], d: usize) {
    by_dimension!(d, upper_of_outer_sum_of(t, s, out));
}

#[inline(always)]
fn upper_of_outer_sum_of<const D: usize>(t: &[f64], s: &[f64], out: &mut [f64]) {
    /// Rows of the sum that stay in registers.
    const ROWS: usize = 4;
    let mut sum = [[0.0; D]; D];
    for (i, (t, s)) in t.chunks(CHAIN * D).zip(s.chunks(CHAIN * D)).enumerate() {
        for (first, rows) in sum.chunks_mut(ROWS).enumerate() {
            let mut part = [[0.0; D]; ROWS];
            for (t, s) in t.as_chunks::<D>().0.iter().zip(s.as_chunks::<D>().0) {
                for (k, part) in part.iter_mut().enumerate() {
                    // Rows beyond the last are computed from the last and dropped.
                    let t_k = t[(first * ROWS + k).min(D - 1)];
                    for (p, s_l) in part.iter_mut().zip(s) {
                        *p = t_k.mul_add(*s_l, *p);
                    }
                }
            }
            for (row, part) in rows.iter_mut().zip(&part) {
                for (r, p) in row.iter_mut().zip(part) {
                    *r = if i == 0 { *p } else { *r + p };
                }
            }
        }
    }
    store_upper(&sum, out);
}

/// `s_i ← U⁻ᵀ s_i`.
#[multiversion(targets("x86_64+avx512f", "x86_64+avx2+fma"))]
pub(super) fn solve_transpose(upper: &[f64], vectors: &mut [f64], d: usize) {
    let (steps, count) = &STEPS[d];
    let mut inverses = [0.0; LIMIT];
    for k in 0..d {
        inverses[k] = 1.0 / upper[k * d + k];
    }
    // A single vector is not worth a sum of its own for what is taken off.
    let alone = vectors.len() == d;
    for tile in vectors.chunks_mut(LANES * d) {
        let mut x = [[0.0; LANES]; LIMIT];
        for (lane, s) in tile.chunks_exact(d).enumerate() {
            for k in 0..d {
                x[k][lane] = s[k];
            }
        }
        for step in &steps[..*count] {
            match *step {
                Step::Solve { from, to } => solve_few(upper, &inverses, &mut x, from, to, d),
                Step::TakeOff { from, to, end } if alone => take_off_one(upper, &mut x, from, to, end, d),
                Step::TakeOff { from, to, end } => take_off(upper, &mut x, from, to, end, d),
            }
        }
        for (lane, s) in tile.chunks_exact_mut(d).enumerate() {
            for k in 0..d {
                s[k] = x[k][lane];
            }
        }
    }
}

/// A step of a triangular solve. The general kernels divide a block of unknowns until at most four are left.
#[derive(Clone, Copy)]
enum Step {
    /// Solve for the unknowns from..to.
    Solve { from: usize, to: usize },
    /// Take the unknowns from..to, which are known now, off the equations to..end.
    TakeOff { from: usize, to: usize, end: usize },
}

/// The steps in d dimensions, and how many they are.
static STEPS: [([Step; LIMIT], usize); LIMIT + 1] = {
    let mut all = [([Step::Solve { from: 0, to: 0 }; LIMIT], 0); LIMIT + 1];
    let mut d = 0;
    while d <= LIMIT {
        all[d] = with_steps(all[d], 0, d);
        d += 1;
    }
    all
};

/// The steps of a solve for the unknowns from..end, added to a list.
const fn with_steps(
    (mut steps, mut count): ([Step; LIMIT], usize),
    from: usize,
    end: usize,
) -> ([Step; LIMIT], usize) {
    let n = end - from;
    if n <= 4 {
        steps[count] = Step::Solve { from, to: end };
        return (steps, count + 1);
    }
    // How the general kernels divide: the second part is a multiple of 4 from 8 on, of 8 from 16 on.
    let multiple = if n >= 16 {
        8
    } else if n >= 8 {
        4
    } else {
        1
    };
    let to = end - (n / 2).next_multiple_of(multiple);
    (steps, count) = with_steps((steps, count), from, to);
    steps[count] = Step::TakeOff { from, to, end };
    with_steps((steps, count + 1), to, end)
}

/// Forward substitution with the inverse of each diagonal entry. Nothing is fused, as in the general kernels.
#[inline(always)]
fn solve_few(
    upper: &[f64],
    inverses: &[f64; LIMIT],
    x: &mut [[f64; LANES]; LIMIT],
    from: usize,
    to: usize,
    d: usize,
) {
    for k in from..to {
        let mut x_k = x[k].map(|x| x * inverses[k]);
        for j in from..k {
            let factor = -upper[j * d + k] * inverses[k];
            for (x_k, x_j) in x_k.iter_mut().zip(&x[j]) {
                *x_k += factor * x_j;
            }
        }
        x[k] = x_k;
    }
}

/// `x_k ← x_k − Σ_j u_jk x_j` for k in to..end and j in from..to.
#[inline(always)]
fn take_off(upper: &[f64], x: &mut [[f64; LANES]; LIMIT], from: usize, to: usize, end: usize, d: usize) {
    for k in to..end {
        let mut sum = [0.0; LANES];
        for j in from..to {
            let u = upper[j * d + k];
            for (sum, x_j) in sum.iter_mut().zip(&x[j]) {
                *sum = u.mul_add(*x_j, *sum);
            }
        }
        for (x_k, sum) in x[k].iter_mut().zip(&sum) {
            *x_k -= sum;
        }
    }
}

/// The same for the first lane, term by term.
#[inline(always)]
fn take_off_one(upper: &[f64], x: &mut [[f64; LANES]; LIMIT], from: usize, to: usize, end: usize, d: usize) {
    for j in from..to {
        let x_j = -x[j][0];
        for k in to..end {
            x[k][0] = upper[j * d + k].mul_add(x_j, x[k][0]);
        }
    }
}

/// Row i of `out` is row i of `rows` times a matrix.
#[inline(always)]
fn rows_times<const D: usize>(rows: &[f64], matrix: &[[f64; D]; D], out: &mut [f64]) {
    for (row, out) in rows.as_chunks::<D>().0.iter().zip(out.as_chunks_mut::<D>().0) {
        let mut sum = [0.0; D];
        for (r, m) in row.iter().zip(matrix) {
            for (sum, m) in sum.iter_mut().zip(m) {
                *sum = r.mul_add(*m, *sum);
            }
        }
        *out = sum;
    }
}

/// The same, summed from the last term to the first.
#[inline(always)]
fn rows_times_backwards<const D: usize>(rows: &[f64], matrix: &[[f64; D]; D], out: &mut [f64]) {
    for (row, out) in rows.as_chunks::<D>().0.iter().zip(out.as_chunks_mut::<D>().0) {
        let mut sum = [0.0; D];
        for (r, m) in row.iter().zip(matrix).rev() {
            for (sum, m) in sum.iter_mut().zip(m) {
                *sum = r.mul_add(*m, *sum);
            }
        }
        *out = sum;
    }
}

/// A copy of an upper triangle, zero below the diagonal.
#[inline(always)]
fn upper_of<const D: usize>(upper: &[f64]) -> [[f64; D]; D] {
    let mut copy = [[0.0; D]; D];
    for (k, (copy, row)) in copy.iter_mut().zip(upper.as_chunks::<D>().0).enumerate() {
        for l in 0..D {
            copy[l] = if l < k { 0.0 } else { row[l] };
        }
    }
    copy
}

#[inline(always)]
fn transpose<const D: usize>(matrix: &[[f64; D]; D]) -> [[f64; D]; D] {
    let mut out = [[0.0; D]; D];
    for k in 0..D {
        for l in 0..D {
            out[l][k] = matrix[k][l];
        }
    }
    out
}

/// Write the upper triangle, leave the rest alone.
#[inline(always)]
fn store_upper<const D: usize>(matrix: &[[f64; D]; D], out: &mut [f64]) {
    for (k, (row, out)) in matrix.iter().zip(out.as_chunks_mut::<D>().0).enumerate() {
        out[k..].copy_from_slice(&row[k..]);
    }
}
