//! The reference is right by itself: score by finite differences, Fisher matrix by Monte Carlo and
//! by its trace formula, iterative inverses against the explicit blocks.

use enes_reference::*;
use rand::rngs::Xoshiro256PlusPlus;
use rand::{RngExt, SeedableRng};
use rand_distr::StandardNormal;

struct Seeded(Xoshiro256PlusPlus);

impl RandomNumbers for Seeded {
    fn normal(&mut self) -> f64 {
        self.0.sample(StandardNormal)
    }

    fn uniform(&mut self) -> f64 {
        self.0.random()
    }
}

fn random(seed: u64) -> Seeded {
    Seeded(Xoshiro256PlusPlus::seed_from_u64(seed))
}

fn some_theta(d: usize, numbers: &mut Seeded) -> Theta {
    let mut factor = vec![vec![0.0; d]; d];
    for k in 0..d {
        for l in k + 1..d {
            factor[k][l] = 0.5 * numbers.normal();
        }
        factor[k][k] = 0.5 + numbers.uniform();
    }
    Theta { mean: (0..d).map(|_| numbers.normal()).collect(), factor }
}

fn point(theta: &Theta, numbers: &mut Seeded) -> Vec<f64> {
    let s: Vec<f64> = (0..theta.dimension()).map(|_| numbers.normal()).collect();
    let column = |j: usize| (0..=j).map(|k| theta.factor[k][j] * s[k]).sum::<f64>();
    (0..s.len()).map(|j| theta.mean[j] + column(j)).collect()
}

fn times(a: &Matrix, b: &Matrix) -> Matrix {
    let entry = |row: &Vec<f64>, j: usize| row.iter().zip(b).map(|(x, r)| x * r[j]).sum();
    a.iter().map(|row| (0..b[0].len()).map(|j| entry(row, j)).collect()).collect()
}

fn assert_identity(matrix: &Matrix, what: &str) {
    for (i, row) in matrix.iter().enumerate() {
        for (j, &x) in row.iter().enumerate() {
            let expected = if i == j { 1.0 } else { 0.0 };
            assert!((x - expected).abs() < 1e-9, "{what} [{i}][{j}]: {x}");
        }
    }
}

#[test]
fn the_score_is_the_gradient_of_the_log_density() {
    let mut numbers = random(1);
    for d in 1..=5 {
        let theta = some_theta(d, &mut numbers);
        let z = point(&theta, &mut numbers);
        let g = score(&theta, &z);
        let h = 1e-5;
        let slope = |change: &dyn Fn(&mut Theta, f64)| {
            let (mut up, mut down) = (theta.clone(), theta.clone());
            change(&mut up, h);
            change(&mut down, -h);
            (density(&up, &z).ln() - density(&down, &z).ln()) / (2.0 * h)
        };
        for j in 0..d {
            let numeric = slope(&|t: &mut Theta, h| t.mean[j] += h);
            assert!((g[0][j] - numeric).abs() < 1e-6 * (1.0 + numeric.abs()), "mean {j}");
            for k in 0..=j {
                let numeric = slope(&|t: &mut Theta, h| t.factor[k][j] += h);
                // 1e-6: central differences with h = 1e-5.
                assert!((g[k + 1][j - k] - numeric).abs() < 1e-6 * (1.0 + numeric.abs()), "factor {k} {j}");
            }
        }
    }
}

/// ½ tr(C⁻ ∂C C⁻ ∂C'), the paper's definition, for the entries (i, j) and (k, l) of A.
fn trace_formula(theta: &Theta, (i, j): (usize, usize), (k, l): (usize, usize)) -> f64 {
    let d = theta.dimension();
    let precision = precision(&inverse_upper(&theta.factor));
    let derivative = |row: usize, column: usize| -> Matrix {
        let mut out = vec![vec![0.0; d]; d];
        for m in 0..d {
            // ∂(AᵀA)/∂a_rc = e_c (row r of A) + (row r of A)ᵀ e_cᵀ
            out[column][m] += theta.factor[row][m];
            out[m][column] += theta.factor[row][m];
        }
        out
    };
    let first = times(&precision, &derivative(i, j));
    let second = times(&precision, &derivative(k, l));
    let both = times(&first, &second);
    0.5 * (0..d).map(|m| both[m][m]).sum::<f64>()
}

#[test]
fn the_blocks_are_the_fisher_matrix_of_the_trace_formula() {
    let mut numbers = random(2);
    for d in 1..=4 {
        let theta = some_theta(d, &mut numbers);
        let precision = precision(&inverse_upper(&theta.factor));
        for i in 0..d {
            for k in 0..d {
                for j in i..d {
                    for l in k..d {
                        let explicit = if i == k {
                            fisher_block(&theta.factor, &precision, i + 1)[j - i][l - k]
                        } else {
                            0.0 // blocks of different rows are orthogonal
                        };
                        let trace = trace_formula(&theta, (i, j), (k, l));
                        assert!((explicit - trace).abs() < 1e-9 * (1.0 + trace.abs()), "{explicit} {trace}");
                    }
                }
            }
        }
    }
}

#[test]
fn the_fisher_matrix_is_the_covariance_of_the_score() {
    let mut numbers = random(3);
    let d = 3;
    let theta = some_theta(d, &mut numbers);
    let precision = precision(&inverse_upper(&theta.factor));
    let samples: Vec<Vec<f64>> =
        (0..200_000).map(|_| score(&theta, &point(&theta, &mut numbers)).concat()).collect();
    // Position of block k in the concatenated score, and its explicit Fisher block.
    let mut fisher = vec![vec![0.0; 9]; 9];
    let mut offset = 0;
    for k in 0..=d {
        for (i, row) in fisher_block(&theta.factor, &precision, k).iter().enumerate() {
            fisher[offset + i][offset..offset + row.len()].copy_from_slice(row);
        }
        offset += if k == 0 { d } else { d + 1 - k };
    }
    let n = samples.len() as f64;
    for i in 0..9 {
        let mean = samples.iter().map(|g| g[i]).sum::<f64>() / n;
        assert!(mean.abs() < 5.0 * (fisher[i][i] / n).sqrt(), "the score has mean {mean}");
        for j in 0..=i {
            let products: Vec<f64> = samples.iter().map(|g| g[i] * g[j]).collect();
            let mean = products.iter().sum::<f64>() / n;
            let variance = products.iter().map(|p| (p - mean).powi(2)).sum::<f64>() / n;
            // Five standard errors: level 6e-7 for each of 45 entries.
            let bound = 5.0 * (variance / n).sqrt();
            assert!((mean - fisher[i][j]).abs() < bound, "[{i}][{j}]: {mean} {}", fisher[i][j]);
        }
    }
}

#[test]
fn iterative_inverses_invert_the_explicit_blocks() {
    let mut numbers = random(4);
    for d in 1..=8 {
        let theta = some_theta(d, &mut numbers);
        let precision = precision(&inverse_upper(&theta.factor));
        let inverses = fisher_inverses_iterative(&theta.factor, &precision);
        assert_eq!(inverses.len(), d + 1);
        for (k, inverse) in inverses.iter().enumerate() {
            let block = fisher_block(&theta.factor, &precision, k);
            assert_identity(&times(&block, inverse), &format!("F_{k} of {d}"));
        }
        for (k, inverse) in submatrix_inverses_iterative(&theta.factor, &precision).iter().enumerate() {
            let block: Matrix = precision[k..].iter().map(|row| row[k..].to_vec()).collect();
            assert_identity(&times(&block, inverse), &format!("D_{} of {d}", k + 1));
        }
    }
}

#[test]
fn baselines_solve_their_definitions() {
    // For one parameter, d = 1 and the mean only: b = Σ u q² / Σ q² with q = z − x.
    let theta = Theta { mean: vec![0.0], factor: vec![vec![2.0]] };
    let points = vec![vec![1.0], vec![-2.0], vec![3.0]];
    let utilities = [0.0, 0.5, 1.0];
    let b = (0.5 * 4.0 + 9.0) / 14.0;
    let expected = (-b + (0.5 - b) * -2.0 + (1.0 - b) * 3.0) / 3.0;
    for baseline in [Baseline::Specific, Baseline::Block] {
        let (mean, _) = natural_gradient(&theta, &points, &utilities, baseline);
        assert!((mean[0] - expected).abs() < 1e-14, "{baseline:?}");
    }
    let (mean, factor) = natural_gradient(&theta, &points, &utilities, Baseline::None);
    assert!((mean[0] - (-1.0 + 3.0) / 3.0).abs() < 1e-14);
    // ½ (s² − 1) a with s = z/2: the second point has s² = 1 and counts nothing.
    assert!((factor[0][0] - 0.5 * (9.0 / 4.0 - 1.0) * 2.0 / 3.0).abs() < 1e-14);
    let (uniform, _) = natural_gradient(&theta, &points, &utilities, Baseline::Uniform);
    assert!(uniform != mean);
}

#[test]
fn shaping_gives_the_better_half_its_rank() {
    assert_eq!(shaping(&[3.0, 1.0, 2.0, 5.0, 4.0]), [0.0, 1.0, 0.5, 0.0, 0.0]);
}

#[test]
fn mixing_keeps_everything_that_did_not_move() {
    let mut numbers = random(5);
    let theta = some_theta(2, &mut numbers);
    let old: Matrix = (0..20).map(|_| point(&theta, &mut numbers)).collect();
    let mixed = importance_mixing(&old, &theta, &theta, 1e-9, &mut numbers);
    assert!(mixed.iter().enumerate().all(|(i, (z, from))| *from == Some(i) && *z == old[i]));
    let fresh = importance_mixing(&old, &theta, &theta, 1.0, &mut numbers);
    assert!(fresh.iter().all(|(_, from)| from.is_none()));
}

#[test]
fn the_box_minimises_a_sphere() {
    let mut numbers = random(6);
    let identity = vec![vec![1.0, 0.0], vec![0.0, 1.0]];
    let mut state = Generation::new(Theta { mean: vec![1.0, 1.0], factor: identity });
    let sphere = |x: &[f64]| x.iter().map(|v| v * v).sum();
    for _ in 0..150 {
        state.advance(20, 1.0, 0.01, Baseline::Block, sphere, &mut numbers);
    }
    let best = state.values.iter().copied().fold(f64::MAX, f64::min);
    assert!(best < 1e-8, "{best}");
    assert!(state.evaluations < 150 * 20 / 2, "{}", state.evaluations);
}
