//! Plateaus and steps: values, or coordinates, are rounded.

use crate::landscapes::draw::{Draw, mean, quadratic};
use crate::landscapes::family::Member;
use crate::landscapes::landscape::Made;

pub(crate) const MEMBERS: [Member; 3] = [
    Member { name: "steps", make: steps },
    Member { name: "digits", make: digits },
    Member { name: "grid", make: grid },
];

/// A quadratic in steps of equal height; the lowest step is the optimum.
fn steps(d: usize, draw: &mut Draw) -> Made {
    let (k, height) = (draw.between(0.0, 2.0), draw.power(-6.0, -2.0));
    let w = draw.spectrum(d, k);
    // About 1 at distance 1.
    let scale = mean(&w);
    Made::new(move |y| height * (quadratic(&w, y) / scale / height).floor())
}

/// A quadratic of which few digits are left: steps of equal ratio, down to the target.
fn digits(d: usize, draw: &mut Draw) -> Made {
    let (k, ratio) = (draw.between(0.0, 2.0), draw.between(0.05, 0.5));
    let w = draw.spectrum(d, k);
    Made::new(move |y| (ratio * (quadratic(&w, y).ln() / ratio).floor()).exp())
}

/// Every coordinate is rounded to a grid of its own.
fn grid(d: usize, draw: &mut Draw) -> Made {
    let (k, coarse) = (draw.between(0.0, 2.0), draw.power(-2.5, -1.0));
    let w = draw.spectrum(d, k);
    let steps: Vec<f64> = (0..d).map(|_| coarse * draw.between(0.5, 1.5)).collect();
    Made::new(move |y| (0..d).map(|i| w[i] * ((y[i] / steps[i]).round() * steps[i]).powi(2)).sum())
}
