//! What policies drive: a pendulum and a pole on a cart, by a small network whose weights are the coordinates.

/// Linear in the observations, then hidden units as long as there are weights; those that are missing are 0.
pub(crate) fn network(weights: &[f64], seen: &[f64]) -> f64 {
    let linear = weights.len().min(seen.len());
    let mut out: f64 = weights[..linear].iter().zip(seen).map(|(w, s)| w * s).sum();
    // Of a unit: its weight in the sum, those of the observations, a bias.
    for unit in weights[linear..].chunks(seen.len() + 2) {
        let bias = unit.get(seen.len() + 1).unwrap_or(&0.0);
        let inner: f64 = unit[1..].iter().zip(seen).map(|(w, s)| w * s).sum();
        out += unit[0] * (inner + bias).tanh();
    }
    out.tanh()
}

/// A pendulum in units of its own time: φ is the angle from upright, ω its rate.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Pendulum {
    /// The largest torque, in units of that which holds it level.
    pub(crate) torque: f64,
    pub(crate) friction: f64,
}

/// Length of a step of the pendulum.
const STEP: f64 = 0.1;

impl Pendulum {
    /// What the network sees.
    pub(crate) fn seen((phi, omega): (f64, f64)) -> [f64; 3] {
        [0.5 * omega, phi.sin(), phi.cos()]
    }

    /// One step on, and what the network did.
    pub(crate) fn step(&self, (phi, omega): (f64, f64), weights: &[f64]) -> ((f64, f64), f64) {
        let action = network(weights, &Self::seen((phi, omega)));
        let omega = omega + STEP * (phi.sin() + self.torque * action - self.friction * omega);
        ((phi + STEP * omega, omega), action)
    }
}

/// A pole on a cart: the usual equations, in metres, kilograms and seconds.
#[derive(Clone, Copy, Debug)]
pub(crate) struct CartPole {
    pub(crate) pole: f64,
    pub(crate) half_length: f64,
    pub(crate) force: f64,
}

/// Angle, its rate, place of the cart, its rate.
pub(crate) type Cart = [f64; 4];

const GRAVITY: f64 = 9.8;
const CART: f64 = 1.0;
const TICK: f64 = 0.02;

impl CartPole {
    pub(crate) fn step(&self, state: Cart, weights: &[f64]) -> Cart {
        let [angle, rate, place, speed] = state;
        let push = self.force * network(weights, &[angle, 0.3 * rate, 0.2 * place, 0.2 * speed]);
        let total = CART + self.pole;
        let (sine, cosine) = angle.sin_cos();
        let swing = (push + self.pole * self.half_length * rate * rate * sine) / total;
        let turned = (GRAVITY * sine - cosine * swing)
            / (self.half_length * (4.0 / 3.0 - self.pole * cosine * cosine / total));
        let pushed = swing - self.pole * self.half_length * turned * cosine / total;
        [angle + TICK * rate, rate + TICK * turned, place + TICK * speed, speed + TICK * pushed]
    }

    /// The pole has fallen, or the cart has left its track.
    pub(crate) fn is_lost(state: &Cart) -> bool {
        state[0].abs() > 0.3 || state[2].abs() > 2.4
    }
}
