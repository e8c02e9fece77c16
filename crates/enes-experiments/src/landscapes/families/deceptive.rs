//! Deceptive: two funnels, of which the wider one is not the deeper.

use std::f64::consts::TAU;

use super::rugged::wave;
use crate::landscapes::draw::{Draw, squares};
use crate::landscapes::family::Member;
use crate::landscapes::landscape::Made;

pub(crate) const MEMBERS: [Member; 2] =
    [Member { name: "funnels", make: funnels }, Member { name: "rough-funnels", make: rough_funnels }];

fn funnels(d: usize, draw: &mut Draw) -> Made {
    let base = two(d, draw);
    Made::new(base)
}

/// With waves on both.
fn rough_funnels(d: usize, draw: &mut Draw) -> Made {
    let base = two(d, draw);
    let (height, length) = (draw.between(0.1, 1.0), draw.between(0.7, 1.2));
    Made::new(move |y| base(y) + height * y.iter().map(|v| wave(TAU * v / length)).sum::<f64>())
}

/// min(‖y‖², h + s‖y − µ‖²), s < 1.
fn two(d: usize, draw: &mut Draw) -> impl Fn(&[f64]) -> f64 + Send + Sync + use<> {
    let (wide, far) = (draw.between(0.3, 0.7), draw.between(1.5, 3.0));
    let above = draw.between(0.02, 0.3) * d as f64;
    let centre: Vec<f64> = draw.signs(d).iter().map(|s| s * far).collect();
    move |y| {
        let apart: f64 = y.iter().zip(&centre).map(|(v, c)| (v - c) * (v - c)).sum();
        squares(y).min(above + wide * apart)
    }
}
