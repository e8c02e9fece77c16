//! Many basins without a trend: wells of random place, depth and shape.

use crate::landscapes::draw::Draw;
use crate::landscapes::family::Member;
use crate::landscapes::landscape::Made;

pub(crate) const MEMBERS: [Member; 2] =
    [Member { name: "peaks", make: peaks }, Member { name: "wells", make: wells }];

/// Wells lie in the box from minus this to this around the best one.
const HALF_WIDTH: f64 = 4.0;

/// A well: where it is, how high its bottom, its axes, and a power.
struct Well {
    place: Vec<f64>,
    bottom: f64,
    axes: Vec<f64>,
    power: f64,
}

impl Well {
    /// The mean over the coordinates of w (y − p)².
    fn distance(&self, y: &[f64]) -> f64 {
        let each = self.place.iter().zip(&self.axes).zip(y);
        each.map(|((p, w), v)| w * (v - p) * (v - p)).sum::<f64>() / y.len() as f64
    }
}

/// The best one, at 0, comes first; the others are at least `above` higher.
fn draw_wells(d: usize, draw: &mut Draw, above: (f64, f64), powers: (f64, f64)) -> Vec<Well> {
    let (count, k) = (draw.count(3, 12), draw.between(0.0, 1.5));
    let mut one = |best: bool| {
        let place = (0..d).map(|_| if best { 0.0 } else { draw.between(-HALF_WIDTH, HALF_WIDTH) }).collect();
        let bottom = if best { 0.0 } else { draw.between(above.0, above.1) };
        let width = draw.power(-0.5, 0.3);
        let axes = (0..d).map(|_| width * draw.power(0.0, k)).collect();
        Well { place, bottom, axes, power: draw.between(powers.0, powers.1) }
    };
    (0..=count).map(|i| one(i == 0)).collect()
}

/// Gaussian wells in a plain.
fn peaks(d: usize, draw: &mut Draw) -> Made {
    let wells = draw_wells(d, draw, (0.05, 0.6), (1.0, 1.0));
    Made::new(move |y| {
        // 1 − (1 − bottom) e^(−q), without cancellation at the bottom of the best.
        let value = |well: &Well| well.bottom - (1.0 - well.bottom) * (-0.5 * well.distance(y)).exp_m1();
        wells.iter().map(value).fold(f64::INFINITY, f64::min)
    })
}

/// The lowest of many bowls, from pointed to round.
fn wells(d: usize, draw: &mut Draw) -> Made {
    let wells = draw_wells(d, draw, (0.1, 1.0), (0.4, 1.0));
    Made::new(move |y| {
        let value = |well: &Well| well.bottom + well.distance(y).powf(well.power);
        wells.iter().map(value).fold(f64::INFINITY, f64::min)
    })
}
