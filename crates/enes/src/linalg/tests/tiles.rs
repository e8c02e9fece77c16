//! Kernels in tiles against plain sums, where edges, chunks of terms and blocks of vectors meet.

use super::super::*;
use crate::random::Generator;

/// Orders at and beside whole tiles, and beyond a panel.
const ORDERS: [usize; 10] = [17, 20, 23, 24, 31, 32, 33, 40, 129, 140];

fn normal(length: usize, generator: &mut Generator) -> Vec<f64> {
    let mut numbers = vec![0.0; length];
    generator.fill_normal(&mut numbers);
    numbers
}

fn upper(d: usize, generator: &mut Generator) -> Vec<f64> {
    let mut u = normal(d * d, generator);
    for k in 0..d {
        u[k * d..k * d + k].fill(0.0);
        u[k * d + k] = (d as f64).sqrt() + u[k * d + k].abs();
    }
    u
}

/// 1e-12: rounding of up to a thousand terms of size 1.
fn close(a: f64, b: f64) -> bool {
    (a - b).abs() <= 1e-12 * (1.0 + a.abs().max(b.abs()))
}

#[test]
fn products_agree_with_plain_sums_at_every_edge() {
    let mut generator = Generator::new(1);
    for d in ORDERS {
        for n in [1, 2, 3, 4, 5, 30, 139] {
            let (u, s, t) =
                (upper(d, &mut generator), normal(n * d, &mut generator), normal(n * d, &mut generator));
            let (mut product, mut strict) = (vec![7.0; n * d], vec![7.0; n * d]);
            transpose_times(&u, &s, &mut product, d);
            strict_upper_times(&u, &s, &mut strict, d);
            for i in 0..n {
                for k in 0..d {
                    let sum: f64 = (0..=k).map(|j| u[j * d + k] * s[i * d + j]).sum();
                    assert!(close(product[i * d + k], sum), "d {d} n {n}");
                    let sum: f64 = (k + 1..d).map(|j| u[k * d + j] * s[i * d + j]).sum();
                    assert!(close(strict[i * d + k], sum), "d {d} n {n}");
                }
            }
            solve_transpose(&u, &mut product, d);
            assert!(product.iter().zip(&s).all(|(a, b)| close(*a, *b)), "d {d} n {n}");
            let (mut outer, mut added) = (vec![7.0; d * d], vec![7.0; d * d]);
            upper_of_outer_sum(&t, &s, &mut outer, d);
            add_outer_squares(&s, &mut added, d);
            for k in 0..d {
                for l in 0..d {
                    let products = |t: &[f64]| (0..n).map(|i| t[i * d + k] * s[i * d + l]).sum::<f64>();
                    let expected = if l < k { (7.0, 7.0) } else { (products(&t), 7.0 + products(&s)) };
                    assert!(close(outer[k * d + l], expected.0), "d {d} n {n}");
                    assert!(close(added[k * d + l], expected.1), "d {d} n {n}");
                }
            }
        }
    }
}

#[test]
fn products_of_matrices_agree_with_plain_sums_and_leave_what_is_below_alone() {
    let mut generator = Generator::new(2);
    for d in ORDERS {
        let (p, q) = (upper(d, &mut generator), upper(d, &mut generator));
        let (mut product, mut gram) = (vec![7.0; d * d], vec![7.0; d * d]);
        upper_times_upper(&p, &q, &mut product, d);
        gram_of_rows(&p, &mut gram, d);
        for k in 0..d {
            for l in 0..d {
                let (mut a, mut b) = (7.0, 7.0);
                if l >= k {
                    a = (k..=l).map(|j| p[k * d + j] * q[j * d + l]).sum();
                    b = (l..d).map(|j| p[k * d + j] * p[l * d + j]).sum();
                }
                assert!(close(product[k * d + l], a) && close(gram[k * d + l], b), "d {d}");
            }
        }
    }
}

#[test]
fn the_number_of_vectors_does_not_change_a_bit() {
    let mut generator = Generator::new(3);
    for d in ORDERS {
        let (u, s) = (upper(d, &mut generator), normal(131 * d, &mut generator));
        let all = |vectors: &[f64]| {
            let (mut a, mut b, mut c) =
                (vec![0.0; vectors.len()], vec![0.0; vectors.len()], vectors.to_vec());
            transpose_times(&u, vectors, &mut a, d);
            strict_upper_times(&u, vectors, &mut b, d);
            solve_transpose(&u, &mut c, d);
            [a, b, c]
        };
        let whole = all(&s);
        for (part, from) in [(1, 0), (2, 7), (3, 128), (6, 1), (100, 31)] {
            let part = from * d..(from + part) * d;
            assert!(
                all(&s[part.clone()]).iter().zip(&whole).all(|(a, b)| *a == b[part.clone()]) || !fused(),
                "d {d}"
            );
        }
    }
}

#[test]
fn a_solve_is_as_accurate_as_the_condition_of_its_matrix_allows() {
    // Rows of sizes from 1 to 1e-7 with large entries beside small pivots: blocks of condition up to 1e14.
    let mut generator = Generator::new(4);
    for d in [20, 33, 140] {
        let mut u = upper(d, &mut generator);
        for k in 0..d {
            let size = 10f64.powf(-7.0 * generator.uniform());
            u[k * d + k..(k + 1) * d].iter_mut().for_each(|u| *u *= size / (d as f64).sqrt());
            u[k * d + k] *= 10f64.powf(-generator.uniform());
        }
        let truth = normal(5 * d, &mut generator);
        let mut x = vec![0.0; 5 * d];
        transpose_times(&u, &truth, &mut x, d);
        solve_transpose(&u, &mut x, d);
        // |U⁻ᵀ||Uᵀ||x| bounds the error of a solve, and what the rounding of its right-hand side makes of it.
        let mut inverse = vec![0.0; d * d];
        inverse.iter_mut().step_by(d + 1).for_each(|i| *i = 1.0);
        general::solve_transpose(&u, &mut inverse, d); // row k is U⁻ᵀe_k
        for (x, truth) in x.chunks_exact(d).zip(truth.chunks_exact(d)) {
            let sizes: Vec<f64> =
                (0..d).map(|k| (0..=k).map(|j| (u[j * d + k] * truth[j]).abs()).sum()).collect();
            for k in 0..d {
                let bound: f64 = (0..d).map(|j| inverse[j * d + k].abs() * sizes[j]).sum();
                assert!((x[k] - truth[k]).abs() <= d as f64 * f64::EPSILON * bound, "d {d}");
            }
        }
    }
}

#[test]
fn kernels_agree_with_their_formula() {
    let mut generator = Generator::new(5);
    for (n, d) in [(3, 2), (8, 1), (9, 4), (48, 10), (72, 20), (81, 33), (20, 140)] {
        let s = normal(n * d, &mut generator);
        let mut norms = vec![0.0; n];
        squared_norms(&s, &mut norms, d);
        let mut kernel = vec![7.0; n * n];
        kernel_of_vectors(&s, &norms, &mut kernel, d);
        let size = d as f64;
        for j in 0..n {
            for k in 0..n {
                let x = dot(&s[j * d..][..d], &s[k * d..][..d]) / size;
                let excess = (norms[j] - size) * (norms[k] - size) / (2.0 * size);
                let expected = if k < j { 7.0 } else { 1.0 + x + 0.5 * x * x + excess };
                assert!(close(kernel[j * n + k], expected), "n {n} d {d}");
            }
        }
    }
}

#[test]
fn nothing_is_left_below_the_diagonal_of_a_factor() {
    // A number: what is added to one that is none does not show.
    for n in [40, 256, 257, 320, 390] {
        let mut matrix = vec![0.0; n * n];
        add_outer_squares(&normal(2 * n * n, &mut Generator::new(7)), &mut matrix, n);
        assert!(cholesky_in_place(&mut matrix, n, &mut CholeskySpace::new(n)));
        let mut below = (1..n).flat_map(|k| &matrix[k * n..k * n + k]);
        assert!(below.all(|u| *u == 0.0), "n {n}");
    }
}

#[test]
fn factors_of_every_order_give_their_matrix_back() {
    let mut generator = Generator::new(6);
    for n in (1..=60).chain([88, 100, 127, 128, 255, 256, 257, 321, 390]) {
        let s = normal(2 * n * n, &mut generator);
        let mut matrix = vec![0.0; n * n];
        add_outer_squares(&s, &mut matrix, n);
        let whole = matrix.clone();
        for k in 0..n {
            matrix[k * n..k * n + k].fill(f64::NAN); // is not read
        }
        assert!(cholesky_in_place(&mut matrix, n, &mut CholeskySpace::new(n)));
        for k in 0..n {
            for l in 0..n {
                let sum: f64 = (0..=k.min(l)).map(|i| matrix[i * n + k] * matrix[i * n + l]).sum();
                // 1e-12: rounding, relative to diagonal entries of 2 n.
                assert!(l < k || (sum - whole[k * n + l]).abs() < 1e-12 * n as f64, "n {n}");
                let below = matrix[k * n + l];
                let alone = cholesky::is_for(n) || blocks::is_for(n);
                assert!(l >= k || if alone { below.is_nan() } else { below == 0.0 });
            }
        }
        let mut x = s[..n].to_vec();
        solve_squared(&matrix, &mut x);
        for k in 0..n {
            let product: f64 = (0..n).map(|l| whole[k.min(l) * n + k.max(l)] * x[l]).sum();
            // 1e-9: the condition of a random matrix of 2 n rows is below a thousand.
            assert!((product - s[k]).abs() < 1e-9 * n as f64, "n {n}");
        }
    }
}
