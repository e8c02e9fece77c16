//! The closed form equals the paper's recursion where that is accurate, and the exact answer where
//! it is not; its estimate is unbiased.

use enes::{Baseline, SearchDistribution};
use enes_reference as paper;
use num_rational::BigRational;
use num_traits::{FromPrimitive, One, ToPrimitive, Zero};
use rand::rngs::Xoshiro256PlusPlus;
use rand::{RngExt, SeedableRng};
use rand_distr::StandardNormal;

const PAIRS: [(Baseline, paper::Baseline); 4] = [
    (Baseline::None, paper::Baseline::None),
    (Baseline::Uniform, paper::Baseline::Uniform),
    (Baseline::Specific, paper::Baseline::Specific),
    (Baseline::Block, paper::Baseline::Block),
];

fn split(matrix: &[f64], d: usize) -> Vec<Vec<f64>> {
    matrix.chunks(d).map(<[f64]>::to_vec).collect()
}

/// The largest error relative to the largest entry.
fn error(a: &[f64], b: &[f64]) -> f64 {
    let scale = b.iter().fold(0.0f64, |m, v| m.max(v.abs()));
    a.iter().zip(b).fold(0.0f64, |m, (x, y)| m.max((x - y).abs())) / scale
}

/// An upper-triangular factor whose condition number lies between 1 and about 100.
fn random_factor(d: usize, rng: &mut Xoshiro256PlusPlus) -> Vec<f64> {
    loop {
        let mut a = vec![0.0; d * d];
        for k in 0..d {
            for l in k + 1..d {
                a[k * d + l] = 0.4 * rng.sample::<f64, _>(StandardNormal);
            }
            a[k * d + k] = 10f64.powf(rng.random_range(-0.8..0.8));
        }
        let axes = SearchDistribution::new(vec![0.0; d], a.clone()).unwrap().axis_lengths();
        if axes[0] / axes[d - 1] <= 1e2 {
            return a;
        }
    }
}

#[test]
fn the_gradient_equals_the_papers_recursion() {
    let mut rng = Xoshiro256PlusPlus::seed_from_u64(17);
    for d in 1..=12 {
        for _ in 0..5 {
            let n = 3 * d + 4;
            let factor = random_factor(d, &mut rng);
            let mean: Vec<f64> = (0..d).map(|_| rng.sample(StandardNormal)).collect();
            let points: Vec<f64> = (0..n * d).map(|_| 2.0 * rng.sample::<f64, _>(StandardNormal)).collect();
            let utilities: Vec<f64> = (0..n).map(|_| rng.random()).collect();
            let p = SearchDistribution::new(mean.clone(), factor.clone()).unwrap();
            let theta = paper::Theta { mean, factor: split(&factor, d) };
            for (ours, theirs) in PAIRS {
                let g = p.natural_gradient(&points, &utilities, ours).unwrap();
                let (mean, factor) = paper::natural_gradient(&theta, &split(&points, d), &utilities, theirs);
                // 1e-9: the recursion squares a condition of 1e2 and iterates d times.
                assert!(error(&g.mean, &mean) < 1e-9, "d = {d}, {ours:?}");
                assert!(error(&g.factor, &factor.concat()) < 1e-9, "d = {d}, {ours:?}");
            }
        }
    }
}

type Exact = Vec<Vec<BigRational>>;

fn exact(x: f64) -> BigRational {
    BigRational::from_f64(x).unwrap()
}

fn product(a: &Exact, b: &Exact) -> Exact {
    let entry = |row: &Vec<BigRational>, j: usize| {
        row.iter().zip(b).fold(BigRational::zero(), |sum, (x, b_row)| sum + x * &b_row[j])
    };
    a.iter().map(|row| (0..b[0].len()).map(|j| entry(row, j)).collect()).collect()
}

fn transpose(a: &Exact) -> Exact {
    (0..a[0].len()).map(|j| a.iter().map(|row| row[j].clone()).collect()).collect()
}

/// X with A X = B, by Gauss-Jordan in exact arithmetic.
fn solve(a: &Exact, b: &Exact) -> Exact {
    let d = a.len();
    let mut work: Exact = a.iter().zip(b).map(|(x, y)| [x.clone(), y.clone()].concat()).collect();
    for k in 0..d {
        let pivot = (k..d).find(|&i| !work[i][k].is_zero()).unwrap();
        work.swap(k, pivot);
        let scale = work[k][k].clone();
        work[k].iter_mut().for_each(|x| *x /= &scale);
        let row = work[k].clone();
        for (i, other) in work.iter_mut().enumerate().filter(|(i, _)| *i != k) {
            let _ = i;
            let c = other[k].clone();
            other.iter_mut().zip(&row).for_each(|(x, y)| *x -= &c * y);
        }
    }
    work.into_iter().map(|row| row[d..].to_vec()).collect()
}

/// δx and δA by the paper's definition, every number a fraction: explicit F_k, exact inverse.
fn exact_gradient(mean: &[f64], a: &[Vec<f64>], points: &[Vec<f64>], u: &[f64]) -> (Vec<f64>, Vec<f64>) {
    let d = mean.len();
    let a: Exact = a.iter().map(|row| row.iter().map(|&x| exact(x)).collect()).collect();
    let identity: Exact = (0..d)
        .map(|i| (0..d).map(|j| if i == j { BigRational::one() } else { BigRational::zero() }).collect())
        .collect();
    let a_inverse = solve(&a, &identity);
    let precision = product(&a_inverse, &transpose(&a_inverse));
    let mut total = vec![vec![BigRational::zero(); d]; d + 1];
    for (z, &u) in points.iter().zip(u) {
        let difference: Exact = z.iter().zip(mean).map(|(z, x)| vec![exact(*z) - exact(*x)]).collect();
        let whitened = product(&transpose(&a_inverse), &difference);
        let weighted = product(&precision, &difference);
        for k in 0..=d {
            let first = k.max(1) - 1;
            let mut block: Exact = precision[first..].iter().map(|row| row[first..].to_vec()).collect();
            let score: Exact = if k == 0 {
                weighted.clone()
            } else {
                let inverse = BigRational::one() / &a[first][first];
                block[0][0] += &inverse * &inverse;
                let mut score: Exact =
                    (first..d).map(|j| vec![&whitened[first][0] * &weighted[j][0]]).collect();
                score[0][0] -= inverse;
                score
            };
            for (j, q) in solve(&block, &score).into_iter().enumerate() {
                total[k][first + j] += exact(u) * &q[0];
            }
        }
    }
    let n = points.len() as f64;
    let as_floats = |rows: &[Vec<BigRational>]| -> Vec<f64> {
        rows.iter().flatten().map(|x| x.to_f64().unwrap() / n).collect()
    };
    (as_floats(&total[..1]), as_floats(&total[1..]))
}

#[test]
fn at_condition_1e6_the_closed_form_is_exact_and_the_papers_recursion_is_not() {
    let d = 6;
    let mut rng = Xoshiro256PlusPlus::seed_from_u64(3);
    // Entries are multiples of 2⁻³⁴ and samples of 2⁻⁶, so that z = Aᵀs is exact in doubles: what
    // is compared is the arithmetic, not the rounding of the input.
    let grid = |x: f64, bits: i32| (x * 2f64.powi(bits)).round() / 2f64.powi(bits);
    let mut factor = vec![vec![0.0; d]; d];
    for k in 0..d {
        let scale = 10f64.powf(-6.0 * k as f64 / (d - 1) as f64);
        factor[k][k] = grid(scale, 34);
        for l in k + 1..d {
            factor[k][l] = grid(scale * rng.random_range(-1.0..1.0), 34);
        }
    }
    let n = 9;
    let samples: Vec<Vec<f64>> =
        (0..n).map(|_| (0..d).map(|_| grid(rng.sample(StandardNormal), 6)).collect()).collect();
    let points: Vec<Vec<f64>> = samples
        .iter()
        .map(|s| (0..d).map(|j| (0..=j).map(|k| factor[k][j] * s[k]).sum()).collect())
        .collect();
    let utilities: Vec<f64> = (0..n).map(|i| grid(i as f64 / 8.0, 6)).collect();
    let mean = vec![0.0; d];

    let p = SearchDistribution::new(mean.clone(), factor.concat()).unwrap();
    let axes = p.axis_lengths();
    assert!(axes[0] / axes[d - 1] > 1e6, "{axes:?}");

    let (exact_mean, exact_factor) = exact_gradient(&mean, &factor, &points, &utilities);
    let ours = p.natural_gradient(&points.concat(), &utilities, Baseline::None).unwrap();
    let theta = paper::Theta { mean, factor };
    let (paper_mean, paper_factor) =
        paper::natural_gradient(&theta, &points, &utilities, paper::Baseline::None);

    let closed = error(&ours.factor, &exact_factor).max(error(&ours.mean, &exact_mean));
    let recursion = error(&paper_factor.concat(), &exact_factor).max(error(&paper_mean, &exact_mean));
    assert!(closed < 1e-13, "{closed:e}");
    assert!(recursion > 1e-4, "{recursion:e}");
}

#[test]
fn the_estimate_is_unbiased_where_the_answer_is_known() {
    // u(z) = c·z + ½ zᵀQz under N(x, AᵀA): δx = C(c + Qx); in whitened coordinates the Hessian is
    // H = A Q Aᵀ, and M has its upper triangle, with half the diagonal.
    let (mean, a) = ([0.5, -1.0], [1.5, 0.4, 0.0, 0.7]);
    let (c, q) = ([0.3, -0.2], [0.5, 0.25, 0.25, -0.4]);
    let p = SearchDistribution::new(mean.to_vec(), a.to_vec()).unwrap();
    let covariance = p.covariance();
    let slope = [c[0] + q[0] * mean[0] + q[1] * mean[1], c[1] + q[2] * mean[0] + q[3] * mean[1]];
    let expected_mean: Vec<f64> =
        (0..2).map(|i| covariance[2 * i] * slope[0] + covariance[2 * i + 1] * slope[1]).collect();
    let row = |k: usize| [a[2 * k], a[2 * k + 1]];
    let h = |i: usize, j: usize| {
        let (r, s) = (row(i), row(j));
        (0..2).flat_map(|k| (0..2).map(move |l| (k, l))).map(|(k, l)| r[k] * q[2 * k + l] * s[l]).sum::<f64>()
    };
    let m = [0.5 * h(0, 0), h(0, 1), 0.0, 0.5 * h(1, 1)];
    let expected_factor = [m[0] * a[0], m[0] * a[1] + m[1] * a[3], 0.0, m[3] * a[3]];

    let mut rng = Xoshiro256PlusPlus::seed_from_u64(8);
    let utility = |z: &[f64]| {
        let quadratic = q[0] * z[0] * z[0] + 2.0 * q[1] * z[0] * z[1] + q[3] * z[1] * z[1];
        c[0] * z[0] + c[1] * z[1] + 0.5 * quadratic
    };
    for (baseline, _) in PAIRS {
        // 400 estimates from 500 points each; a baseline's own bias is of order 1/500, far below.
        let (batches, n) = (400, 500);
        let mut estimates = vec![Vec::new(); 6];
        for _ in 0..batches {
            let mut points = Vec::with_capacity(2 * n);
            for _ in 0..n {
                let (s, t): (f64, f64) = (rng.sample(StandardNormal), rng.sample(StandardNormal));
                points.extend([mean[0] + a[0] * s, mean[1] + a[1] * s + a[3] * t]);
            }
            let u: Vec<f64> = points.chunks(2).map(utility).collect();
            let g = p.natural_gradient(&points, &u, baseline).unwrap();
            g.mean.iter().chain(&g.factor).zip(&mut estimates).for_each(|(x, all)| all.push(*x));
        }
        for (i, sample) in estimates.iter().enumerate() {
            let expected = if i < 2 { expected_mean[i] } else { expected_factor[i - 2] };
            let mean = sample.iter().sum::<f64>() / batches as f64;
            let variance = sample.iter().map(|x| (x - mean).powi(2)).sum::<f64>() / batches as f64;
            // Four standard errors and the baseline's bias: level 6e-5 for each of 20 numbers.
            let bound = 4.0 * (variance / batches as f64).sqrt() + 6.0 / n as f64 + 1e-15;
            let bound = if baseline == Baseline::None { bound - 6.0 / n as f64 } else { bound };
            assert!((mean - expected).abs() <= bound, "{baseline:?} {i}: {mean} {expected}");
        }
    }
}

#[test]
fn block_baselines_reduce_the_variance_of_the_estimate() {
    let p = SearchDistribution::new(vec![0.0; 3], vec![1.0, 0.0, 0.0, 0.0, 1.0, 0.0, 0.0, 0.0, 1.0]).unwrap();
    let mut rng = Xoshiro256PlusPlus::seed_from_u64(9);
    let mut variance = [0.0; 2];
    for _ in 0..500 {
        let points: Vec<f64> = (0..60).map(|_| rng.sample(StandardNormal)).collect();
        let u: Vec<f64> = points.chunks(3).map(|z| 5.0 + z[0]).collect();
        for (v, baseline) in variance.iter_mut().zip([Baseline::None, Baseline::Block]) {
            let g = p.natural_gradient(&points, &u, baseline).unwrap();
            // E[δA] = 0 for a linear utility: squares are variances.
            *v += g.factor.iter().map(|x| x * x).sum::<f64>();
        }
    }
    assert!(variance[1] < 0.2 * variance[0], "{variance:?}");
}
