//! Densities, shapes, and steps that go too far.

use super::*;

fn normal_log_density(z: f64, mean: f64, std: f64) -> f64 {
    -0.5 * ((z - mean) / std).powi(2) - std.ln() - 0.5 * std::f64::consts::TAU.ln()
}

#[test]
fn the_density_of_a_diagonal_gaussian_is_a_product() {
    let p = SearchDistribution::new(vec![1.0, -2.0], vec![0.5, 0.0, 0.0, 3.0]).unwrap();
    let expected = normal_log_density(0.3, 1.0, 0.5) + normal_log_density(4.0, -2.0, 3.0);
    assert!((p.log_density(&[0.3, 4.0]) - expected).abs() < 1e-14);
    assert!(p.log_density(&[0.3]).is_nan());
}

#[test]
fn densities_stay_finite_at_dimension_200_and_extreme_scales() {
    let d = 200;
    for scale in [1e-9, 1.0, 1e9] {
        let mut factor = vec![0.0; d * d];
        factor.iter_mut().step_by(d + 1).for_each(|a| *a = scale);
        let p = SearchDistribution::new(vec![0.0; d], factor).unwrap();
        let expected = d as f64 * normal_log_density(scale, 0.0, scale);
        let got = p.log_density(&vec![scale; d]);
        assert!((got - expected).abs() < 1e-9 * expected.abs(), "{scale}: {got}");
    }
}

#[test]
fn covariance_and_axes_come_from_the_factor() {
    let p = SearchDistribution::new(vec![0.0; 2], vec![2.0, 1.0, 0.0, 1.0]).unwrap();
    assert_eq!(p.covariance(), [4.0, 2.0, 2.0, 2.0]);
    let axes = p.axis_lengths();
    assert!((axes[0] * axes[1] - 2.0).abs() < 1e-14); // det A
    assert!((axes[0].powi(2) + axes[1].powi(2) - 6.0).abs() < 1e-14); // trace C
    assert!((p.standard_deviations()[1] - 2f64.sqrt()).abs() < 1e-15);
}

#[test]
fn wrong_shapes_and_entries_are_named() {
    let new = |m: &[f64], f: &[f64]| SearchDistribution::new(m.to_vec(), f.to_vec());
    assert!(matches!(new(&[], &[]), Err(DistributionError::Shape { .. })));
    assert!(matches!(new(&[0.0], &[1.0, 2.0]), Err(DistributionError::Shape { .. })));
    assert!(matches!(new(&[f64::NAN], &[1.0]), Err(DistributionError::NotFinite { .. })));
    assert!(matches!(new(&[0.0], &[0.0]), Err(DistributionError::NotUpperTriangular { row: 0 })));
    let lower = new(&[0.0, 0.0], &[1.0, 0.0, 1.0, 1.0]);
    assert!(matches!(lower, Err(DistributionError::NotUpperTriangular { row: 1 })));
    let p = new(&[0.0, 0.0], &[1.0, 0.0, 0.0, 1.0]).unwrap();
    assert!(p.whiten(&[1.0]).is_err());
}

#[test]
fn a_shape_that_stays_has_the_bits_of_the_product() {
    for d in [3, 20, 50] {
        let entry = |k: usize, l: usize| if l < k { 0.0 } else { 1.0 / (1.0 + (k * d + l) as f64) };
        let factor: Vec<f64> = (0..d * d).map(|i| entry(i / d, i % d)).collect();
        let mut p = SearchDistribution::new(vec![0.0; d], factor.clone()).unwrap();
        let mut motion = Motion::none(d);
        motion.scale(1.1);
        let mut product = vec![0.0; d * d];
        linalg::upper_times_upper(&motion.factor, &factor, &mut product, d);
        p.follow(&mut motion, &mut vec![0.0; d + d * d]).unwrap();
        assert_eq!(p.factor, product);
    }
}
