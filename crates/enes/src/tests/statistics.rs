//! Seeded statistical tests. Each states its level: the chance to fail for a random seed.

use crate::random::Generator;

/// Φ(x), to 1e-7 (Abramowitz and Stegun 7.1.26).
pub(super) fn normal_cdf(x: f64) -> f64 {
    let z = x.abs() / std::f64::consts::SQRT_2;
    let t = 1.0 / (1.0 + 0.3275911 * z);
    let poly = [1.061405429, -1.453152027, 1.421413741, -0.284496736, 0.254829592]
        .iter()
        .fold(0.0, |sum, c| (sum + c) * t);
    let erf = 1.0 - poly * (-z * z).exp();
    if x >= 0.0 { 0.5 * (1.0 + erf) } else { 0.5 * (1.0 - erf) }
}

/// The Kolmogorov-Smirnov distance of a sample from N(0, 1), times √n.
pub(super) fn ks_normal(sample: &[f64]) -> f64 {
    let mut sorted = sample.to_vec();
    sorted.sort_by(f64::total_cmp);
    let n = sorted.len() as f64;
    let distance = sorted.iter().enumerate().fold(0.0f64, |worst, (i, &x)| {
        let p = normal_cdf(x);
        worst.max((p - i as f64 / n).abs()).max(((i + 1) as f64 / n - p).abs())
    });
    distance * n.sqrt()
}

/// The two-sample Kolmogorov-Smirnov distance, times √(nm/(n+m)).
pub(super) fn ks_two_samples(a: &[f64], b: &[f64]) -> f64 {
    let below = |s: &[f64], x: f64| s.iter().filter(|&&v| v <= x).count() as f64 / s.len() as f64;
    let distance = a.iter().chain(b).fold(0.0f64, |worst, &x| worst.max((below(a, x) - below(b, x)).abs()));
    let (n, m) = (a.len() as f64, b.len() as f64);
    distance * (n * m / (n + m)).sqrt()
}

/// What a scaled Kolmogorov-Smirnov distance exceeds with this probability, for large samples.
pub(super) fn ks_critical(level: f64) -> f64 {
    (-0.5 * (0.5 * level).ln()).sqrt()
}

#[test]
fn the_generator_is_normal_and_uniform() {
    let mut g = Generator::new(5);
    let normals: Vec<f64> = (0..50_000).map(|_| g.normal()).collect();
    assert!(ks_normal(&normals) < ks_critical(1e-4)); // level 1e-4
    assert!(ks_normal(&normals.iter().map(|x| x + 0.05).collect::<Vec<_>>()) > ks_critical(1e-4));
    let mean = (0..50_000).map(|_| g.uniform()).sum::<f64>() / 50_000.0;
    assert!((mean - 0.5).abs() < 4.0 / (12.0 * 50_000f64).sqrt()); // level 6e-5
}
