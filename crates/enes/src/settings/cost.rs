//! What a generation costs the optimizer itself, estimated before it is made.

use super::{Settings, Strategy};
use crate::strategy::adaptive::limited::directions;
use crate::strategy::adaptive::sizes::surrogate_window;

/// Seconds for a multiplication and an addition in the kernels, on an ordinary core.
const PRODUCT: f64 = 2e-10;

/// Seconds for a point, whatever its dimension.
const POINT: f64 = 5e-7;

/// Numbers in the buffers of the matrix kernels.
const BUFFERS: f64 = 2.5e5;

/// What one generation costs the optimizer itself, without the objective.
#[derive(Clone, Copy, Debug, PartialEq)]
#[non_exhaustive]
pub struct GenerationCost {
    /// Points to evaluate, at most.
    pub points: usize,
    /// Memory that the optimizer holds, in bytes.
    pub bytes: u64,
    /// Time on one ordinary core, in seconds; right to a factor of about three.
    pub seconds: f64,
}

impl Settings {
    /// Estimate what a generation of the first search costs the optimizer itself, before anything is allocated.
    ///
    /// ```
    /// use enes::{Settings, Strategy};
    /// let settings = Settings::new(vec![0.0; 10_000], 1.0);
    /// let cost = settings.generation_cost();
    /// assert!(cost.bytes < 1 << 27 && cost.seconds < 1.0);
    /// let published = settings.strategy(Strategy::Published).generation_cost();
    /// assert!(published.bytes > 1 << 30 && published.seconds > 10.0);
    /// ```
    pub fn generation_cost(&self) -> GenerationCost {
        let points = self.population_size();
        let (d, n) = (self.search_dimension() as f64, points as f64);
        // Numbers that are held, and products that are made: measured, see tests/generation_cost.rs.
        let (numbers, products) = match self.strategy {
            Strategy::Published => (n * (4.0 * d + 20.0) + 6.0 * d * d, 0.6 * n * d * d + d * d * d),
            Strategy::Adaptive if self.is_limited() => {
                let k = directions(self.search_dimension()) as f64;
                // The stop rules remember as many generations as pycma's do.
                let histories = 3.0 * (100.0 * d.powf(1.5) / n).min(1e6);
                ((4.0 * n + 3.0 * k + 30.0) * d + histories, (4.0 * k + n + 30.0) * n * d + k * k * d)
            }
            Strategy::Adaptive => {
                let ranks = (12.0 * n * d + 25.0 * d * d, 2.0 * n * d * d + 2.5 * d * d * d);
                let window = surrogate_window(self.search_dimension(), points) as f64;
                let fits = match self.has_surrogate() {
                    true => (BUFFERS + 3.0 * window * window, 1.5 * window * window * (window / 3.0 + d)),
                    false => (0.0, 0.0),
                };
                (ranks.0 + fits.0, ranks.1 + fits.1)
            }
        };
        let seconds = PRODUCT * products + POINT * n;
        GenerationCost { points, bytes: (8.0 * numbers) as u64, seconds }
    }
}
