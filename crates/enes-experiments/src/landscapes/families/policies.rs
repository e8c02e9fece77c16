//! Policies: the coordinates are weights of a network that drives a pendulum or a pole on a cart.

use std::f64::consts::PI;

use super::pendulum::{Cart, CartPole, Pendulum};
use crate::landscapes::draw::Draw;
use crate::landscapes::family::Member;
use crate::landscapes::landscape::Made;

pub(crate) const MEMBERS: [Member; 3] = [
    Member { name: "swing-up", make: swing_up },
    Member { name: "balance", make: balance },
    Member { name: "imitation", make: imitation },
];

/// A swing-up that counts: upright for most of the second half. Two weights cannot hold the pendulum there.
fn enough(d: usize) -> f64 {
    match d {
        0..5 => 0.35,
        5..10 => 0.15,
        _ => 0.1,
    }
}

/// From hanging to upright, with too little torque to lift it at once; the cost is the mean height that is missing in
/// the second half, and a little for the torque.
fn swing_up(d: usize, draw: &mut Draw) -> Made {
    let plant = Pendulum { torque: draw.between(0.5, 0.9), friction: draw.between(0.02, 0.1) };
    let first = (PI + draw.sign() * draw.between(0.05, 0.3), 0.0);
    let made = Made::new(move |weights| {
        let (mut state, mut cost, mut effort) = (first, 0.0, 0.0);
        for t in 0..200 {
            let (next, action) = plant.step(state, weights);
            state = next;
            effort += action * action;
            if t >= 100 {
                cost += 0.5 * (1.0 - state.0.cos());
            }
        }
        cost / 100.0 + 0.01 * effort / 200.0
    });
    Made { target: enough(d), is_known: false, ..made }
}

/// A pole is kept upright from several first states; the cost is the share of the time after it fell.
fn balance(d: usize, draw: &mut Draw) -> Made {
    const TICKS: usize = 300;
    let plant = CartPole {
        pole: draw.between(0.1, 0.5),
        half_length: draw.between(0.2, 0.6),
        force: draw.between(5.0, 9.0),
    };
    // Less than four weights do not see the cart: it begins at rest, in the middle of its track.
    let cart = if d < 4 { 0.0 } else { 1.0 };
    let mut first = || -> Cart {
        let mut about = |width: f64| draw.between(-width, width);
        [about(0.18), about(0.6), about(1.2 * cart), about(0.8 * cart)]
    };
    let firsts: Vec<Cart> = (0..5).map(|_| first()).collect();
    let made = Made::new(move |weights| {
        let lost = |first: &Cart| {
            let mut state = *first;
            for t in 0..TICKS {
                state = plant.step(state, weights);
                if CartPole::is_lost(&state) {
                    return TICKS - t;
                }
            }
            0
        };
        firsts.iter().map(lost).sum::<usize>() as f64 / (TICKS * firsts.len()) as f64
    });
    Made { is_known: false, ..made }
}

/// The way of the pendulum under another network is to be followed: 0 where the weights are the other's.
fn imitation(d: usize, draw: &mut Draw) -> Made {
    const STEPS: usize = 60;
    let plant = Pendulum { torque: draw.between(0.5, 1.5), friction: draw.between(0.1, 0.3) };
    let firsts: Vec<(f64, f64)> = (0..4).map(|_| (draw.between(-PI, PI), draw.between(-1.0, 1.0))).collect();
    let teacher = draw.normals(d);
    let way = move |weights: &[f64], first: (f64, f64)| {
        let mut state = first;
        let mut seen = Vec::with_capacity(3 * STEPS);
        for _ in 0..STEPS {
            state = plant.step(state, weights).0;
            seen.extend(Pendulum::seen(state));
        }
        seen
    };
    let wanted: Vec<Vec<f64>> = firsts.iter().map(|first| way(&teacher, *first)).collect();
    let made = Made::new(move |y| {
        let weights: Vec<f64> = y.iter().zip(&teacher).map(|(v, w)| v + w).collect();
        let apart = |(first, wanted): (&(f64, f64), &Vec<f64>)| {
            let seen = way(&weights, *first);
            seen.iter().zip(wanted).map(|(a, b)| (a - b) * (a - b)).sum::<f64>()
        };
        firsts.iter().zip(&wanted).map(apart).sum::<f64>() / (STEPS * firsts.len()) as f64
    });
    Made { target: 1e-5, ..made }
}
