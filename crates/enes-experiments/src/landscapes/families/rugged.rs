//! Rugged, with a global trend: waves on a bowl, at one scale, at several, or at all of them.

use std::f64::consts::TAU;

use crate::landscapes::draw::{Draw, squares};
use crate::landscapes::family::Member;
use crate::landscapes::landscape::Made;

pub(crate) const MEMBERS: [Member; 3] = [
    Member { name: "lattice", make: lattice },
    Member { name: "octaves", make: octaves },
    Member { name: "ripples", make: ripples },
];

/// 1 − cos, which is 0 at 0 and exact near it.
pub(crate) fn wave(phase: f64) -> f64 {
    2.0 * (0.5 * phase).sin().powi(2)
}

/// A bowl with waves of one length.
fn lattice(d: usize, draw: &mut Draw) -> Made {
    let (height, length, k) = (draw.between(1.0, 8.0), draw.between(0.8, 1.4), draw.between(0.0, 0.5));
    let w = draw.spectrum(d, k);
    Made::new(move |y| (0..d).map(|i| w[i] * y[i] * y[i] + height * wave(TAU * y[i] / length)).sum())
}

/// Waves of four lengths, each half as long and half as high as the one before.
fn octaves(_: usize, draw: &mut Draw) -> Made {
    let (height, length) = (draw.between(1.5, 6.0), draw.between(1.5, 3.0));
    Made::new(move |y| {
        let waves = |v: f64| {
            (0..4).map(|k| height * 0.5f64.powi(k) * wave(TAU * v * 2f64.powi(k) / length)).sum::<f64>()
        };
        y.iter().map(|v| v * v + waves(*v)).sum()
    })
}

/// Waves in the logarithm of each coordinate: the same picture at every scale.
fn ripples(d: usize, draw: &mut Draw) -> Made {
    let (height, speed) = (draw.between(0.3, 2.0), draw.between(2.0, 6.0));
    let phases: Vec<f64> = (0..d).map(|_| draw.between(0.0, TAU)).collect();
    Made::new(move |y| {
        let ripple = |i: usize| wave(speed * y[i].abs().max(f64::MIN_POSITIVE).ln() + phases[i]);
        squares(y) * (1.0 + height * (0..d).map(ripple).sum::<f64>() / d as f64)
    })
}
