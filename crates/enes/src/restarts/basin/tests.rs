//! Points of other searches, in the same basin and elsewhere.

use super::*;
use crate::archive::{Entry, Readers};
use crate::restarts::path::Path;
use crate::restarts::trail::Trail;

fn distribution(mean: [f64; 2], sigma: f64) -> SearchDistribution {
    SearchDistribution::new(mean.to_vec(), vec![sigma, 0.0, 0.0, sigma]).unwrap()
}

/// The points of a search with their costs.
fn archive_of(rows: &[([f64; 2], f64)]) -> Archive {
    let mut archive = Archive::new(2, 2);
    archive.begin_search(rows.len(), rows.len());
    for (point, cost) in rows {
        let entry = Entry { value: *cost, violation: 0.0, cost: *cost, measured: 1, readers: Readers::ALL };
        archive.add(point, None, entry);
    }
    archive
}

/// Points around a mean at these distances, and what an objective says of them.
fn around(
    mean: [f64; 2],
    radii: impl Iterator<Item = f64>,
    objective: impl Fn(&[f64]) -> f64,
) -> Vec<([f64; 2], f64)> {
    let place = |(i, radius): (usize, f64)| {
        let (sin, cos) = (i as f64 * 0.9).sin_cos();
        let point = [mean[0] + radius * cos, mean[1] + radius * sin];
        (point, objective(&point))
    };
    radii.enumerate().map(place).collect()
}

fn archive(mean: [f64; 2], sigma: f64, objective: impl Fn(&[f64]) -> f64) -> Archive {
    archive_of(&around(mean, (0..7).map(|i| sigma * (0.5 + 0.2 * f64::from(i))), objective))
}

fn sphere(z: &[f64]) -> f64 {
    3.0 + z.iter().map(|v| v * v).sum::<f64>()
}

/// A trend over many basins that are one apart.
fn rippled(z: &[f64]) -> f64 {
    z.iter().map(|v| v * v + 0.1 * (1.0 - (std::f64::consts::TAU * v).cos())).sum()
}

/// The shapes of a search that has gone through these scales around the origin, and ended there.
fn shapes(scales: &[f64], least: f64, objective: impl Fn(&[f64]) -> f64) -> Shapes {
    let (mut path, mut scratch) = (Path::default(), Scratch::default());
    for &sigma in scales {
        path.follow(&distribution([0.0; 2], sigma), &archive([0.0; 2], sigma, &objective), &mut scratch);
    }
    path.end_at(&[0.0; 2], least, &Trail::default())
}

#[test]
fn points_elsewhere_in_the_same_basin_are_predicted() {
    let shapes = shapes(&[1.0, 0.1, 0.01], 3.0, sphere);
    assert_eq!(shapes.scales.len(), 3);
    assert!((shapes.scales[0].curvature - 2e-4).abs() < 1e-9, "in units of the finest scale: {shapes:?}");
    let mut scratch = Scratch::default();
    let predicts = |archive: &Archive, scratch: &mut Scratch| shapes.predict(3.0, None, archive, scratch);
    assert!(predicts(&archive([5.0, -7.0], 1.0, sphere), &mut scratch));
    // Another optimum of the same kind, or another height.
    let moved = |z: &[f64]| sphere(&[z[0] - 5.0, z[1]]);
    assert!(!predicts(&archive([5.0, 0.0], 1.0, moved), &mut scratch));
    assert!(!predicts(&archive([5.0, -7.0], 1.0, |z| 2.0 * sphere(z)), &mut scratch));
    assert!(!predicts(&archive([5.0, -7.0], 1.0, |_| f64::INFINITY), &mut scratch));
}

#[test]
fn a_trend_across_basins_is_no_basin() {
    let shapes = shapes(&[100.0, 1e-3, 1e-4], 0.0, rippled);
    assert_eq!(shapes.scales.len(), 2, "the shape of the trend does not describe the finer points");
    let far = archive([40.0, 30.0], 10.0, rippled);
    assert!(!shapes.predict(0.0, None, &far, &mut Scratch::default()));
}

/// Not convex from a distance of one on, and flat far away.
fn bell(z: &[f64]) -> f64 {
    -(-0.5 * z.iter().map(|v| v * v).sum::<f64>()).exp()
}

#[test]
fn a_function_of_the_distance_is_known_where_it_is_no_quadratic() {
    let shapes = shapes(&[1.8, 0.17, 0.016], -1.0, bell);
    let mut scratch = Scratch::default();
    let mut predicts = |archive: &Archive| shapes.predict(-1.0, None, archive, &mut scratch);
    assert!(predicts(&archive([1.0, -1.2], 0.4, bell)));
    // Beyond all that was seen; in a basin as deep beside it; at half the width.
    assert!(!predicts(&archive([3.0, 3.0], 0.4, bell)));
    assert!(!predicts(&archive([1.0, -1.2], 0.4, |z| bell(&[z[0] - 2.0, z[1] + 2.4]))));
    assert!(!predicts(&archive([1.0, -1.2], 0.4, |z| bell(&[2.0 * z[0], 2.0 * z[1]]))));
}

#[test]
fn points_beyond_the_profile_are_no_better_than_the_last_within() {
    let shapes = shapes(&[1.8, 0.17, 0.016], -1.0, bell);
    let predicts = |beyond: f64| {
        let mut rows = around([1.0, -1.2], (0..7).map(|i| 0.2 + 0.06 * f64::from(i)), bell);
        rows.push(([5.0, -1.2], beyond));
        shapes.predict(-1.0, None, &archive_of(&rows), &mut Scratch::default())
    };
    assert!(predicts(-0.001));
    assert!(!predicts(-0.9));
}

#[test]
fn a_few_points_tell_where_nothing_is_left_of_them() {
    let shapes = shapes(&[1.0, 0.1, 0.01], 3.0, sphere);
    let mut scratch = Scratch::default();
    let mut predicts = |objective: fn(&[f64]) -> f64| {
        let few = [[5.0, 1.0], [4.0, 2.0], [5.5, 0.0], [6.0, 1.5]].map(|point| (point, objective(&point)));
        shapes.predict(3.0, None, &archive_of(&few), &mut scratch)
    };
    assert!(predicts(sphere));
    assert!(!predicts(|z| sphere(z) + 0.1 * z[0] * z[1]));
}

#[test]
fn scales_are_a_tenth_apart_and_costs_without_digits_are_left_out() {
    let (mut path, mut scratch) = (Path::default(), Scratch::default());
    for sigma in [1.0, 0.5, 0.2, 0.099, 0.05, 1e-9] {
        path.follow(&distribution([0.0; 2], sigma), &archive([0.0; 2], sigma, sphere), &mut scratch);
    }
    assert_eq!(path.len(), 3);
    assert_eq!(path.end_at(&[0.0; 2], 3.0, &Trail::default()).scales.len(), 2);
}
