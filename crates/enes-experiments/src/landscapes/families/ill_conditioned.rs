//! Ill-conditioned: axes of very different lengths.

use crate::landscapes::draw::{Draw, quadratic, spread};
use crate::landscapes::family::Member;
use crate::landscapes::landscape::Made;

pub(crate) const MEMBERS: [Member; 3] = [
    Member { name: "ellipsoid", make: ellipsoid },
    Member { name: "two-scales", make: two_scales },
    Member { name: "flattening", make: flattening },
];

/// Condition 10⁴ to 10⁷, the axes at random between.
pub(crate) fn ellipsoid(d: usize, draw: &mut Draw) -> Made {
    let k = draw.between(4.0, 7.0);
    let w = draw.spectrum(d, k);
    Made::new(move |y| quadratic(&w, y))
}

/// A part of the coordinates is 10⁴ to 10⁷ times steeper: from cigar to tablet.
fn two_scales(d: usize, draw: &mut Draw) -> Made {
    let (steep, part) = (draw.power(4.0, 7.0), draw.part(d));
    let w: Vec<f64> = (0..d).map(|i| if i < part { steep } else { 1.0 }).collect();
    Made::new(move |y| quadratic(&w, y))
}

/// Powers from 2 to between 6 and 12: the condition grows without end on the way.
fn flattening(d: usize, draw: &mut Draw) -> Made {
    let more = draw.between(4.0, 10.0);
    Made::new(move |y| (0..d).map(|i| y[i].abs().powf(2.0 + more * spread(i, d))).sum())
}
