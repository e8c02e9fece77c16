//! Non-smooth: kinks along the axes, or everywhere where the largest coordinate changes.

use crate::landscapes::draw::{Draw, spread};
use crate::landscapes::family::Member;
use crate::landscapes::landscape::{Made, TARGET};

pub(crate) const MEMBERS: [Member; 5] = [
    Member { name: "l1", make: l1 },
    Member { name: "max", make: max },
    Member { name: "weighted", make: weighted },
    Member { name: "largest", make: largest },
    Member { name: "roots", make: roots },
];

/// 10^(3 i/(d − 1)).
fn named_weights(d: usize) -> Vec<f64> {
    (0..d).map(|i| 10f64.powf(3.0 * spread(i, d))).collect()
}

/// Named: Σ e |y|.
fn l1(d: usize, _: &mut Draw) -> Made {
    let e = named_weights(d);
    Made::new(move |y| (0..d).map(|i| e[i] * y[i].abs()).sum())
}

/// Named: max e |y|.
fn max(d: usize, _: &mut Draw) -> Made {
    let e = named_weights(d);
    Made::new(move |y| (0..d).map(|i| e[i] * y[i].abs()).fold(0.0, f64::max))
}

/// Σ e |y|, condition 1 to 10⁴.
pub(crate) fn weighted(d: usize, draw: &mut Draw) -> Made {
    let k = draw.between(0.0, 4.0);
    let e = draw.spectrum(d, k);
    Made::new(move |y| (0..d).map(|i| e[i] * y[i].abs()).sum())
}

/// The sum of the largest few e |y|, from one of them to half.
fn largest(d: usize, draw: &mut Draw) -> Made {
    let (k, part) = (draw.between(0.0, 3.0), draw.count(1, d.div_ceil(2)));
    let e = draw.spectrum(d, k);
    Made::new(move |y| {
        let mut all: Vec<f64> = (0..d).map(|i| e[i] * y[i].abs()).collect();
        all.sort_by(|a, b| b.total_cmp(a));
        all[..part].iter().sum()
    })
}

/// Σ e |y|^p, p < 1: steeper and steeper towards each axis.
fn roots(d: usize, draw: &mut Draw) -> Made {
    let (p, k) = (draw.between(0.5, 0.95), draw.between(0.0, 1.5));
    let e = draw.spectrum(d, k);
    // A value of 1e-8 would be a distance of 1e-16: the target is that of a distance of 1e-8.
    Made { target: TARGET.powf(p), ..Made::new(move |y| (0..d).map(|i| e[i] * y[i].abs().powf(p)).sum()) }
}
