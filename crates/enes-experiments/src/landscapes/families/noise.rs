//! Noise on quadratics: in proportion to the value, constant, and rare but without bounds.
//!
//! What counts is the true value at the point that a search would return.

use crate::landscapes::draw::{Draw, mean, quadratic};
use crate::landscapes::family::Member;
use crate::landscapes::landscape::{Made, Noise};

pub(crate) const MEMBERS: [Member; 3] = [
    Member { name: "multiplicative", make: multiplicative },
    Member { name: "additive", make: additive },
    Member { name: "heavy-tailed", make: heavy_tailed },
];

/// A quadratic of condition 1 to 1000 that is about 1 at distance 1.
fn base(d: usize, draw: &mut Draw) -> Made {
    let k = draw.between(0.0, 3.0);
    let w = draw.spectrum(d, k);
    let scale = mean(&w);
    Made::new(move |y| quadratic(&w, y) / scale)
}

fn multiplicative(d: usize, draw: &mut Draw) -> Made {
    let noise = Noise::Multiplicative(draw.power(-1.5, -0.5));
    Made { noise, target: 1e-6, ..base(d, draw) }
}

/// The target is the deviation of the noise, and more of it in many dimensions, where every search stays farther away.
fn additive(d: usize, draw: &mut Draw) -> Made {
    let deviation = draw.power(-4.0, -2.0);
    Made { noise: Noise::Additive(deviation), target: deviation * (d as f64 / 4.0).max(1.0), ..base(d, draw) }
}

/// A tenth to a third of the values are off by a Cauchy number.
fn heavy_tailed(d: usize, draw: &mut Draw) -> Made {
    let noise = Noise::Outliers { chance: draw.between(0.1, 0.33), scale: draw.power(-2.0, 0.0) };
    Made { noise, target: 1e-4, ..base(d, draw) }
}
