//! Asymmetric: steeper on one side, in an orthant, in a sector. No quadratic fits across the borders.

use crate::landscapes::draw::{Draw, quadratic, spread, squares};
use crate::landscapes::family::Member;
use crate::landscapes::landscape::Made;

pub(crate) const MEMBERS: [Member; 5] = [
    Member { name: "sphere1", make: sphere1 },
    Member { name: "sector", make: sector },
    Member { name: "sides", make: sides },
    Member { name: "orthant", make: orthant },
    Member { name: "cone", make: cone },
];

/// How much steeper the named members are on the positive side.
const STEEP: f64 = 1e4;

/// Named: Σ w y², w = 10⁴ where y > 0, else 1.
fn sphere1(_: usize, _: &mut Draw) -> Made {
    Made::new(|y| y.iter().map(|v| if *v > 0.0 { STEEP * v * v } else { v * v }).sum())
}

/// Named: (Σ w z²)^0.9, z_i = 10^(0.5 i/(d − 1)) y_i.
fn sector(d: usize, _: &mut Draw) -> Made {
    let scale: Vec<f64> = (0..d).map(|i| 10f64.powf(spread(i, d))).collect();
    Made::new(move |y| {
        let side = |i: usize| if y[i] > 0.0 { STEEP } else { 1.0 };
        (0..d).map(|i| side(i) * scale[i] * y[i] * y[i]).sum::<f64>().powf(0.9)
    })
}

/// A part of the coordinates is steeper on one side, by a factor of its own; all of it to a power.
pub(crate) fn sides(d: usize, draw: &mut Draw) -> Made {
    let (k, p, most) = (draw.between(0.0, 2.0), draw.between(0.7, 1.2), draw.between(2.0, 4.5));
    let (w, signs, part) = (draw.spectrum(d, k), draw.signs(d), draw.count(1, d));
    let steep: Vec<f64> = (0..d).map(|i| if i < part { draw.power(1.0, most) } else { 1.0 }).collect();
    Made::new(move |y| {
        let side = |i: usize| if signs[i] * y[i] > 0.0 { steep[i] } else { 1.0 };
        (0..d).map(|i| side(i) * w[i] * y[i] * y[i]).sum::<f64>().powf(p)
    })
}

/// Larger by a factor in an orthant of one to three coordinates: a cliff at its border.
fn orthant(d: usize, draw: &mut Draw) -> Made {
    let (k, steep, part) = (draw.between(0.0, 2.0), draw.power(1.0, 4.0), draw.count(1, d.min(3)));
    let (w, signs) = (draw.spectrum(d, k), draw.signs(part));
    Made::new(move |y| {
        let inside = signs.iter().zip(y).all(|(sign, v)| sign * v > 0.0);
        quadratic(&w, y) * if inside { steep } else { 1.0 }
    })
}

/// Steeper towards a direction, by the angle to it.
fn cone(d: usize, draw: &mut Draw) -> Made {
    let (steep, sharp, k) = (draw.power(1.0, 3.0), draw.between(1.0, 4.0), draw.between(0.0, 1.0));
    let (w, u) = (draw.spectrum(d, k), draw.normals(d));
    let length = squares(&u).sqrt();
    Made::new(move |y| {
        let cosine = u.iter().zip(y).map(|(u, v)| u * v).sum::<f64>() / (length * squares(y).sqrt());
        // NaN at y = 0, where max takes 0.
        quadratic(&w, y) * (1.0 + steep * cosine.max(0.0).powf(sharp))
    })
}
