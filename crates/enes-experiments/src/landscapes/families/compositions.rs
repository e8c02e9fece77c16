//! Compositions: values transformed, coordinates warped on one side, a penalty beyond faces through the optimum.

use super::{asymmetric, ill_conditioned, nonsmooth, smooth};
use crate::landscapes::draw::{Draw, mean, spread};
use crate::landscapes::family::Member;
use crate::landscapes::landscape::{Made, Shape};

pub(crate) const MEMBERS: [Member; 4] = [
    Member { name: "monotone", make: monotone },
    Member { name: "warp", make: warp },
    Member { name: "penalty", make: penalty },
    Member { name: "all", make: all },
];

/// One of four others, at random.
fn base(d: usize, draw: &mut Draw) -> Made {
    let makers = [smooth::quadratic, ill_conditioned::ellipsoid, asymmetric::sides, nonsmooth::weighted];
    makers[draw.count(0, 3)](d, draw)
}

/// A monotone transformation of the value, and of the target.
fn monotone(d: usize, draw: &mut Draw) -> Made {
    transformed(base(d, draw), draw)
}

/// Coordinates are bent on one side: y^(1 + β√y).
fn warp(d: usize, draw: &mut Draw) -> Made {
    let made = base(d, draw);
    warped(made, d, draw)
}

/// A box whose faces, some of them, touch the optimum; outside of them a penalty.
fn penalty(d: usize, draw: &mut Draw) -> Made {
    let made = base(d, draw);
    penalized(made, d, draw)
}

fn all(d: usize, draw: &mut Draw) -> Made {
    let made = base(d, draw);
    let made = penalized(made, d, draw);
    let made = warped(made, d, draw);
    transformed(made, draw)
}

fn transformed(made: Made, draw: &mut Draw) -> Made {
    let (which, p, c) = (draw.count(0, 2), draw.power(-0.7, 0.5), draw.power(-2.0, 2.0));
    let change = move |v: f64| match which {
        0 => v.powf(p),
        1 => (c * v).ln_1p(),
        _ => v / (v + c),
    };
    let Made { shape, target, .. } = made;
    Made { target: change(target), ..Made::new(move |y| change(shape(y))) }
}

fn warped(made: Made, d: usize, draw: &mut Draw) -> Made {
    let (much, signs) = (draw.between(0.2, 1.0), draw.signs(d));
    let Made { shape, .. } = made;
    let bent = move |y: &[f64]| {
        let of_one = |i: usize| match signs[i] * y[i] > 0.0 {
            true => signs[i] * y[i].abs().powf(1.0 + much * spread(i, d) * y[i].abs().sqrt()),
            false => y[i],
        };
        (0..y.len()).map(of_one).collect::<Vec<f64>>()
    };
    Made::new(move |y| shape(&bent(y)))
}

fn penalized(made: Made, d: usize, draw: &mut Draw) -> Made {
    let (which, signs) = (draw.count(0, 2), draw.signs(d));
    // A wall that says nothing of the way back must leave room enough to be on its right side by chance.
    let part = draw.count(1, if which == 0 { d.min(4) } else { d });
    let Made { shape, .. } = made;
    let height = draw.power(-1.0, 2.0) * typical(&shape, d, draw);
    let beyond = move |y: &[f64]| {
        let each = (0..part).map(|i| (signs[i] * y[i]).max(0.0));
        height
            * match which {
                0 => f64::from(u8::from(each.sum::<f64>() > 0.0)),
                1 => each.sum::<f64>(),
                _ => each.map(|v| v * v).sum::<f64>(),
            }
    };
    Made::new(move |y| shape(y) + beyond(y))
}

/// The mean value at distance 1.
fn typical(shape: &Shape, d: usize, draw: &mut Draw) -> f64 {
    let mut value = || {
        let y = draw.normals(d);
        let length = y.iter().map(|v| v * v).sum::<f64>().sqrt();
        shape(&y.iter().map(|v| v / length).collect::<Vec<_>>())
    };
    mean(&(0..20).map(|_| value()).collect::<Vec<_>>())
}
