//! Sharp ridges: progress along an edge, where almost every step falls off it.

use super::valleys::curve;
use crate::landscapes::draw::{Draw, squares};
use crate::landscapes::family::Member;
use crate::landscapes::landscape::Made;

pub(crate) const MEMBERS: [Member; 3] = [
    Member { name: "sharp", make: sharp },
    Member { name: "wedge", make: wedge },
    Member { name: "bent", make: bent },
];

/// |y₀|^p + K‖the others‖.
pub(crate) fn sharp(_: usize, draw: &mut Draw) -> Made {
    let (p, steep) = (draw.between(1.0, 2.0), draw.power(0.5, 2.0));
    Made::new(move |y| y[0].abs().powf(p) + steep * squares(&y[1..]).sqrt())
}

/// Quadratic along a part of the coordinates, sharp across the others.
fn wedge(d: usize, draw: &mut Draw) -> Made {
    let (part, steep) = (draw.part(d), draw.power(0.5, 2.0));
    Made::new(move |y| squares(&y[..part]) + steep * squares(&y[part..]).sqrt())
}

/// A sharp ridge along a curve.
fn bent(d: usize, draw: &mut Draw) -> Made {
    let steep = draw.power(0.5, 1.5);
    let (square, _) = curve(d, draw);
    Made::new(move |y| {
        let off = |i: usize| y[i] - square[i] * y[0] * y[0];
        y[0] * y[0] + steep * (1..d).map(|i| off(i).powi(2)).sum::<f64>().sqrt()
    })
}
