//! Kernels against plain sums.

mod blocks;
mod tiles;

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

proptest! {
    #[test]
    fn symmetric_kernels_agree_with_plain_sums((d, _u, s) in case()) {
        let n = s.len() / d;
        let mut gram = vec![7.0; n * n];
        gram_of_vectors(&s, &mut gram, d);
        let mut squares = vec![1.0; d * d];
        add_outer_squares(&s, &mut squares, d);
        for i in 0..n {
            for j in 0..n {
                let expected = if j < i { 7.0 } else { dot(&s[i * d..][..d], &s[j * d..][..d]) };
                prop_assert!(close(gram[i * n + j], expected));
            }
        }
        for k in 0..d {
            for l in 0..d {
                let sum: f64 = (0..n).map(|i| s[i * d + k] * s[i * d + l]).sum();
                let added = if l < k { 0.0 } else { sum };
                prop_assert!(close(squares[k * d + l], 1.0 + added));
            }
        }
        let (mut rows, mut sum) = (vec![0.0; n * d], vec![0.0; d]);
        let weights: Vec<f64> = (0..n).map(|i| i as f64 - 2.0).collect();
        scale_rows(&s, &weights, &mut rows, &mut sum);
        for k in 0..d {
            prop_assert!(close(sum[k], (0..n).map(|i| weights[i] * s[i * d + k]).sum()));
            prop_assert!((0..n).all(|i| rows[i * d + k] == weights[i] * s[i * d + k]));
        }
    }

    #[test]
    fn a_factorised_system_is_solved((d, _u, s) in case()) {
        // M = I + Σ s sᵀ, of condition up to a few hundred.
        let mut matrix = vec![0.0; d * d];
        matrix.iter_mut().step_by(d + 1).for_each(|m| *m = 1.0);
        add_outer_squares(&s, &mut matrix, d);
        let full = matrix.clone();
        let entry = |k: usize, l: usize| full[k.min(l) * d + k.max(l)];
        prop_assert!(cholesky_in_place(&mut matrix, d, &mut CholeskySpace::new(d)));
        let mut x = s[..d].to_vec();
        solve_squared(&matrix, &mut x);
        for k in 0..d {
            let product: f64 = (0..d).map(|l| entry(k, l) * x[l]).sum();
            prop_assert!(close(product, s[k]));
        }
        scale_to_unit_determinant(&mut matrix, d);
        let log_det: f64 = matrix.iter().step_by(d + 1).map(|u| u.ln()).sum();
        prop_assert!(log_det.abs() < 1e-12);
    }
}

#[test]
fn a_matrix_that_is_not_positive_definite_is_not_factorised() {
    let mut space = CholeskySpace::new(2);
    assert!(!cholesky_in_place(&mut [1.0, 2.0, 0.0, 1.0], 2, &mut space));
    assert!(!cholesky_in_place(&mut [f64::NAN], 1, &mut space));
    assert!(!cholesky_in_place(&mut [0.0], 1, &mut space));
    // In a row before the tiles, in one of the first tiles and in the last.
    for (n, bad) in [(30, 2), (30, 9), (30, 29), (100, 60), (300, 70)] {
        for pivot in [-1.0, 0.0, f64::NAN, f64::INFINITY] {
            let mut matrix = vec![0.0; n * n];
            matrix.iter_mut().step_by(n + 1).for_each(|m| *m = 1.0);
            matrix[bad * (n + 1)] = pivot;
            assert!(!cholesky_in_place(&mut matrix, n, &mut CholeskySpace::new(n)), "{n} {bad} {pivot}");
        }
    }
}

type Product = fn(&[f64], &[f64], &mut [f64], usize);

#[test]
fn small_kernels_give_the_bits_of_the_general_ones() {
    // Both are compared wherever the small ones are used at all.
    let mut generator = crate::random::Generator::new(11);
    for d in (1..=small::LIMIT).filter(|_| fused()) {
        for n in [1, 2, 3, 7, 8, 9, 4 * d, 64, 65, 129, 511, 512, 513, 1100] {
            let [mut u, mut v, mut s, mut t] = [d * d, d * d, n * d, n * d].map(|length| vec![0.0; length]);
            for numbers in [&mut u, &mut v, &mut s, &mut t] {
                generator.fill_normal(numbers);
            }
            for matrix in [&mut u, &mut v] {
                for k in 0..d {
                    matrix[k * d..k * d + k].fill(0.0);
                    matrix[k * d + k] = 0.5 + matrix[k * d + k].abs();
                }
            }
            let same = |what: &str, kernels: [Product; 2], a: &[f64], b: &[f64], length: usize| {
                let [small, general] = kernels.map(|kernel| {
                    let mut out = vec![7.0; length];
                    kernel(a, b, &mut out, d);
                    out
                });
                assert!(small == general, "{what} d = {d} n = {n}");
            };
            let kernels: [Product; 2] = [small::transpose_times, general::transpose_times];
            same("transpose_times", kernels, &u, &s, n * d);
            // Of a single vector the general kernel makes the product, see `strict_upper_times`.
            if n > 1 {
                let kernels: [Product; 2] = [small::strict_upper_times, general::strict_upper_times];
                same("strict_upper_times", kernels, &u, &s, n * d);
            }
            let kernels: [Product; 2] = [small::upper_of_outer_sum, general::upper_of_outer_sum];
            same("upper_of_outer_sum", kernels, &t, &s, d * d);
            let kernels: [Product; 2] = [small::upper_times_upper, general::upper_times_upper];
            same("upper_times_upper", kernels, &u, &v, d * d);
            let (mut ours, mut theirs) = (vec![7.0; d * d], vec![7.0; d * d]);
            small::gram_of_rows(&u, &mut ours, d);
            general::gram_of_rows(&u, &mut theirs, d);
            assert!(ours == theirs, "gram_of_rows d = {d}");
            let (mut ours, mut theirs) = (s.clone(), s.clone());
            small::solve_transpose(&u, &mut ours, d);
            general::solve_transpose(&u, &mut theirs, d);
            assert!(ours == theirs, "solve_transpose d = {d} n = {n}");
        }
    }
}
