//! Factors in blocks against those of the general library, and sums side by side against plain ones.

use super::super::*;
use crate::random::Generator;

fn normal(length: usize, generator: &mut Generator) -> Vec<f64> {
    let mut numbers = vec![0.0; length];
    generator.fill_normal(&mut numbers);
    numbers
}

/// A quadratic kernel of n points in eight dimensions, with a ridge: of rank 45 without it.
fn kernel(n: usize, ridge: f64, generator: &mut Generator) -> Vec<f64> {
    let (points, mut norms) = (normal(8 * n, generator), vec![0.0; n]);
    squared_norms(&points, &mut norms, 8);
    let mut matrix = vec![0.0; n * n];
    kernel_of_vectors(&points, &norms, &mut matrix, 8);
    matrix.iter_mut().step_by(n + 1).for_each(|m| *m += ridge);
    matrix
}

#[test]
fn blocks_give_the_bits_of_the_general_library_and_leave_what_is_below_alone() {
    // Whole blocks and squares, one more, and what is no multiple of a group; with pivots of 1, and near rounding.
    let mut generator = Generator::new(12);
    for n in [1, 7, 8, 30, 63, 64, 65, 94, 127, 128, 129, 193, 257, 300, 320, 385, 391]
        .into_iter()
        .filter(|_| fused())
    {
        for ridge in [1.0, 1e-9] {
            let mut theirs = kernel(n, ridge, &mut generator);
            let mut ours = theirs.clone();
            (0..n).for_each(|k| ours[k * n..k * n + k].fill(f64::NAN));
            let mut scratch = vec![std::mem::MaybeUninit::uninit(); general::cholesky_scratch(n)];
            assert!(general::cholesky_in_place(&mut theirs, n, &mut scratch), "n {n}");
            assert!(blocks::cholesky_in_place(&mut ours, n, &mut vec![7.0; blocks::scratch(n)]), "n {n}");
            for k in 0..n {
                assert!(ours[k * n + k..(k + 1) * n] == theirs[k * n + k..(k + 1) * n], "n {n} row {k}");
                assert!(ours[k * n..k * n + k].iter().all(|below| below.is_nan()), "n {n} row {k}");
            }
        }
    }
}

#[test]
fn blocks_refuse_what_is_not_positive_definite() {
    // In the first square, the second, the second block, and the last row.
    for bad in [3, 70, 130, 299] {
        for pivot in [-1.0, 0.0, f64::NAN, f64::INFINITY] {
            let mut matrix = kernel(300, 1.0, &mut Generator::new(13));
            matrix[bad * 301] = pivot;
            assert!(!blocks::cholesky_in_place(&mut matrix, 300, &mut vec![0.0; blocks::scratch(300)]));
        }
    }
}

#[test]
fn sums_side_by_side_have_the_bits_of_single_ones() {
    let mut generator = Generator::new(14);
    for (n, d) in [(1, 1), (3, 5), (4, 8), (5, 42), (15, 3), (16, 7), (17, 40), (49, 20)] {
        let (rows, x) = (normal(n * d, &mut generator), normal(d, &mut generator));
        let mut out = vec![7.0; n];
        rows_times_vector(&rows, &x, &mut out);
        assert!((0..n).all(|i| out[i] == wide_dot(&rows[i * d..(i + 1) * d], &x)), "n {n} d {d}");
        let (upper, values) = (normal(d * d, &mut generator), normal(n, &mut generator));
        let (mut rest, mut bent) = (values.clone(), vec![0.0; d]);
        subtract_quadratic(&upper, &x, &rows, &mut rest, &mut vec![7.0; quadratic_scratch(d)]);
        for (i, s) in rows.chunks_exact(d).enumerate() {
            symmetric_times(&upper, s, &mut bent);
            assert!(rest[i] == values[i] - dot(s, &x) - 0.5 * dot(s, &bent), "n {n} d {d}");
        }
    }
}
