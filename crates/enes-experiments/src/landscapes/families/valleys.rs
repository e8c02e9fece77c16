//! Curved valleys: the way leads around bends that no quadratic has.

use crate::landscapes::draw::Draw;
use crate::landscapes::family::Member;
use crate::landscapes::landscape::Made;

pub(crate) const MEMBERS: [Member; 3] = [
    Member { name: "rosenbrock", make: rosenbrock },
    Member { name: "bend", make: bend },
    Member { name: "pairs", make: pairs },
];

/// A chain of bends, each with a steepness of its own.
pub(crate) fn rosenbrock(d: usize, draw: &mut Draw) -> Made {
    let b: Vec<f64> = (1..d).map(|_| draw.power(1.2, 2.5)).collect();
    Made::new(move |y| {
        // The optimum, at 1 in the usual form, is at 0.
        let link = |i: usize| {
            let (u, v) = (1.0 + y[i], 1.0 + y[i + 1]);
            b[i] * (u * u - v).powi(2) + y[i] * y[i]
        };
        (0..d - 1).map(link).sum()
    })
}

/// One valley along a cubic curve.
fn bend(d: usize, draw: &mut Draw) -> Made {
    let steep = draw.power(2.0, 4.0);
    let (square, cube) = curve(d, draw);
    Made::new(move |y| {
        let t = y[0];
        let off = |i: usize| y[i] - square[i] * t * t - cube[i] * t * t * t;
        t * t + steep * (1..d).map(|i| off(i).powi(2)).sum::<f64>()
    })
}

/// Coefficients of a curve whose length in all directions together does not depend on d.
pub(crate) fn curve(d: usize, draw: &mut Draw) -> (Vec<f64>, Vec<f64>) {
    let scale = draw.between(0.7, 2.0) / ((d - 1) as f64).sqrt();
    let mut coefficients = |share: f64| (0..d).map(|_| share * scale * draw.normal()).collect();
    (coefficients(1.0), coefficients(0.5))
}

/// Bent valleys in planes of two coordinates.
fn pairs(d: usize, draw: &mut Draw) -> Made {
    let of_pairs = d.div_ceil(2);
    let steep: Vec<f64> = (0..of_pairs).map(|_| draw.power(1.0, 3.0)).collect();
    let bent: Vec<f64> = (0..of_pairs).map(|_| draw.sign() * draw.between(0.5, 2.0)).collect();
    Made::new(move |y| {
        let of_pair = |(k, pair): (usize, &[f64])| match pair {
            [a, b] => a * a + steep[k] * (b - bent[k] * a * a).powi(2),
            rest => rest.iter().map(|v| v * v).sum(),
        };
        y.chunks(2).enumerate().map(of_pair).sum()
    })
}
