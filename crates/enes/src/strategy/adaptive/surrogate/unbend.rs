//! The power that makes of the values a quadratic, where there is one.
//!
//! A root, square or logarithm of a quadratic, or a bell of it, is as easy as the quadratic itself once two numbers more are known. They are
//! found by Levenberg and Marquardt's method on the leave-one-out errors of the exact model, which vanish together where there is such
//! a power, and nowhere else.

use super::responses::standardize_by_latest;
use super::transform::Power;
use crate::linalg::{dot, rows_times_vector};

/// A power is exact where the errors are at most this part of the deviation of the latest responses.
const PRECISE: f64 = 1e-4;

/// Below this they are rounding.
const ROUNDING: f64 = 1e-13;

/// Rounds of a descent; it is given up after five in a row that leave more than half of the squares.
const ROUNDS: usize = 30;
const SLOW: u32 = 5;

/// The step of a difference; of the depth it is a share.
const STEP: f64 = 1e-4;

/// Damping at first, by how much it changes, and where a descent is given up.
const DAMPING: f64 = 1e-3;
const DAMPED: f64 = 10.0;
const MOST_DAMPING: f64 = 1e3;

/// Added to squares that may all be 0.
const TINY: f64 = 1e-28;

/// A round goes at most this part of the way to where the offset would meet a value, and bends by at most so much.
const NEARER: f64 = 0.9;
const MOST_BEND: f64 = 0.5;

/// The least depth of an offset, and the least τ: what is nearer to 0 is an exponential.
const LEAST_DEPTH: f64 = 1e-60;
const LEAST_TAU: f64 = 1e-11;

/// Where a descent begins that knows nothing: at a tip, a logarithm or a bell; and at a flat bottom.
const GUESSES: [Place; 2] = [Place { depth: 0.5, bend: 0.5 }, Place { depth: 0.5, bend: -0.5 }];

/// What a power is measured by: the best value, by how much the middle one of the latest exceeds it, and by how much the worst exceeds
/// that one, in units of the former.
#[derive(Clone, Copy, Debug)]
struct Values {
    best: f64,
    spread: f64,
    worst: f64,
}

impl Values {
    /// `None` where they do not spread.
    fn new(costs: &[f64], middle: f64) -> Option<Self> {
        let ends = (f64::INFINITY, f64::NEG_INFINITY);
        let (best, worst) = costs.iter().fold(ends, |ends, &c| (ends.0.min(c), ends.1.max(c)));
        let spread = middle - best;
        let values = Self { best, spread, worst: (worst - best) / spread - 1.0 };
        (spread > 0.0 && values.worst > 0.0 && values.worst.is_finite()).then_some(values)
    }

    /// The depth at which the offset, from above, is the worst value.
    fn deepest(self) -> f64 {
        1.0 + self.worst.recip()
    }
}

/// A power, as a descent sees it. With v = (f − best)/spread − 1 the slope of the response is (1 + τ v)^(bend/τ), τ = 1 − depth. At a
/// depth of 0 the offset is the best value; at 1 it lies infinitely far below, which is an exponential; beyond, it lies above all
/// values.
#[derive(Clone, Copy, Debug)]
struct Place {
    depth: f64,
    bend: f64,
}

impl Place {
    fn of(power: Power, values: Values) -> Self {
        let below = (values.best - power.offset) / values.spread;
        let most = values.deepest() * (1.0 - STEP);
        let depth = (below / (1.0 + below)).clamp(LEAST_DEPTH, most);
        Self { depth, bend: (power.exponent - 1.0) * (1.0 - depth) }
    }

    /// `None` where an offset would lie among the values.
    fn power(self, values: Values) -> Option<Power> {
        let tau = 1.0 - self.depth;
        let tau = if tau.abs() < LEAST_TAU { LEAST_TAU } else { tau };
        let (scale, exponent) = (values.spread / tau, 1.0 + self.bend / tau);
        let power = Power { offset: values.best - self.depth * scale, exponent, scale, exact: true };
        let fits = self.depth > 0.0 && 1.0 + tau * values.worst > 0.0;
        (fits && power.offset.is_finite() && exponent.is_finite()).then_some(power)
    }

    fn moved(self, depth: f64, bend: f64, values: Values) -> Self {
        let least = self.depth - NEARER * (self.depth - LEAST_DEPTH);
        let most = self.depth + NEARER * (values.deepest() - self.depth);
        let depth = (self.depth + depth).clamp(least, most);
        Self { depth, bend: self.bend + bend.clamp(-MOST_BEND, MOST_BEND) }
    }
}

/// The points that tell: their costs, rows that take a response to the errors of the latest ones, and the index of the middle value
/// among these.
#[derive(Clone, Copy, Debug)]
pub(super) struct Seen<'a> {
    pub(super) costs: &'a [f64],
    pub(super) errors: &'a [f64],
    pub(super) middle: usize,
}

impl Seen<'_> {
    /// How many are the latest.
    fn latest(&self) -> usize {
        self.errors.len() / self.costs.len()
    }
}

/// Scratch space: errors at a place and at the next, how they change, and the response.
#[derive(Clone, Debug)]
pub(super) struct Unbending {
    here: Vec<f64>,
    there: Vec<f64>,
    by_depth: Vec<f64>,
    by_bend: Vec<f64>,
    response: Vec<f64>,
}

impl Unbending {
    /// For at most n points and r of the latest.
    pub(super) fn new(n: usize, r: usize) -> Self {
        let [here, there, by_depth, by_bend] = [(); 4].map(|()| Vec::with_capacity(r));
        Self { here, there, by_depth, by_bend, response: Vec::with_capacity(n) }
    }

    /// The power of which the model is exact, from the last one on or from a guess.
    pub(super) fn solve(&mut self, seen: Seen<'_>, last: Option<Power>) -> Option<Power> {
        let middle = seen.costs[seen.costs.len() - seen.latest() + seen.middle];
        let values = Values::new(seen.costs, middle)?;
        let last = last.map(|power| Place::of(power, values));
        last.into_iter().chain(GUESSES).find_map(|guess| self.descend(guess, seen, values))
    }

    fn descend(&mut self, mut place: Place, seen: Seen<'_>, values: Values) -> Option<Power> {
        let most = |share: f64| share * share * seen.latest() as f64;
        let mut left = self.miss(place, seen, values)?;
        std::mem::swap(&mut self.here, &mut self.there);
        let (mut damping, mut slow) = (DAMPING, 0);
        self.differentiate(place, seen, values)?;
        for _ in 0..ROUNDS {
            if left <= most(ROUNDING) || damping > MOST_DAMPING || slow == SLOW {
                break;
            }
            let (depth, bend) = self.step(damping);
            let next = place.moved(depth * reach(place, values), bend, values);
            match self.miss(next, seen, values) {
                Some(less) if less < left => {
                    slow = if less > 0.5 * left { slow + 1 } else { 0 };
                    (place, left) = (next, less);
                    std::mem::swap(&mut self.here, &mut self.there);
                    damping /= DAMPED;
                    self.differentiate(place, seen, values)?;
                }
                _ => damping *= DAMPED,
            }
        }
        (left <= most(PRECISE)).then(|| place.power(values)).flatten()
    }

    /// The errors there, and the sum of their squares; `None` where there are none.
    fn miss(&mut self, place: Place, seen: Seen<'_>, values: Values) -> Option<f64> {
        let (n, power) = (seen.costs.len(), place.power(values)?);
        self.response.resize(n, 0.0);
        power.transform(seen.costs, &mut self.response);
        standardize_by_latest(&mut self.response, seen.latest())?;
        self.there.clear();
        self.there.resize(seen.errors.len() / n, 0.0);
        rows_times_vector(seen.errors, &self.response, &mut self.there);
        Some(dot(&self.there, &self.there)).filter(|squares| squares.is_finite())
    }

    /// How the errors change with the depth, in units of its reach, and with the bend.
    fn differentiate(&mut self, place: Place, seen: Seen<'_>, values: Values) -> Option<()> {
        let deeper = Place { depth: place.depth + STEP * reach(place, values), ..place };
        self.miss(deeper, seen, values)?;
        std::mem::swap(&mut self.by_depth, &mut self.there);
        self.miss(Place { bend: place.bend + STEP, ..place }, seen, values)?;
        std::mem::swap(&mut self.by_bend, &mut self.there);
        for slopes in [&mut self.by_depth, &mut self.by_bend] {
            slopes.iter_mut().zip(&self.here).for_each(|(slope, miss)| *slope = (*slope - miss) / STEP);
        }
        Some(())
    }

    /// Levenberg and Marquardt's step, of the depth in units of its reach.
    fn step(&self, damping: f64) -> (f64, f64) {
        let Self { here, by_depth, by_bend, .. } = self;
        let damped = |square: f64| square * (1.0 + damping) + TINY;
        let (dd, bb) = (damped(dot(by_depth, by_depth)), damped(dot(by_bend, by_bend)));
        let (db, d, b) = (dot(by_depth, by_bend), dot(by_depth, here), dot(by_bend, here));
        let determinant = dd * bb - db * db;
        ((db * b - bb * d) / determinant, (db * d - dd * b) / determinant)
    }
}

/// How far the depth may change: to where the offset meets a value.
fn reach(place: Place, values: Values) -> f64 {
    place.depth.min(values.deepest() - place.depth)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::archive::{Archive, Entry, Readers};
    use crate::random::Generator;
    use crate::search::SearchDistribution;
    use crate::strategy::adaptive::sizes::coefficients;
    use crate::strategy::adaptive::surrogate::kernel::{Fit, Frame};
    use crate::strategy::adaptive::tuning::SurrogateTuning;

    const D: usize = 2;
    const LATEST: usize = 7;

    /// So many points, what an exact model of them misses of the latest, and which of these is in the middle.
    fn solve(n: usize, f: impl Fn(&[f64]) -> f64) -> Option<Power> {
        let mut points = vec![0.0; n * D];
        Generator::new(3).fill_normal(&mut points);
        let mut archive = Archive::new(D, D);
        archive.begin_search(0, n);
        for point in points.chunks_exact(D) {
            let entry = Entry { value: 0.0, violation: 0.0, cost: 0.0, measured: 1, readers: Readers::ALL };
            archive.add(point, None, entry);
        }
        let round = SearchDistribution::new(vec![0.0; D], vec![1.0, 0.0, 0.0, 1.0]).unwrap();
        let mut frame = Frame::new(n, D);
        assert!(frame.whiten(&(0..n).collect::<Vec<_>>(), &archive, &round));
        frame.multiply(n);
        let mut fit = Fit::new(SurrogateTuning::default().exact, n, LATEST);
        assert!(fit.factorize(&frame, LATEST));
        let mut errors = Vec::new();
        fit.errors_of_latest(&mut errors);
        let costs: Vec<f64> = points.chunks_exact(D).map(f).collect();
        let mut order: Vec<usize> = (0..LATEST).collect();
        order.sort_by(|&i, &j| costs[n - LATEST + i].total_cmp(&costs[n - LATEST + j]));
        let seen = Seen { costs: &costs, errors: &errors, middle: order[LATEST / 2] };
        Unbending::new(n, LATEST).solve(seen, None)
    }

    fn quadratic(x: &[f64]) -> f64 {
        (x[0] - 0.4).powi(2) + 3.0 * (x[1] + 0.2).powi(2) + 0.5 * x[0] * x[1] + 1.0
    }

    #[test]
    fn offset_and_exponent_are_those_of_the_function() {
        for exponent in [0.4, 0.5, 0.8, 1.4] {
            let power = solve(12, |x| 2.0 + quadratic(x).powf(exponent)).unwrap();
            assert!((power.exponent - exponent.recip()).abs() < 1e-6, "{exponent}: {power:?}");
            assert!((power.offset - 2.0).abs() < 1e-6 && power.scale > 0.0 && power.exact, "{power:?}");
        }
    }

    #[test]
    fn a_bell_has_its_offset_above_and_a_logarithm_has_it_far_below() {
        let bell = solve(12, |x| 5.0 - (-0.3 * quadratic(x)).exp()).unwrap();
        assert!(
            (bell.offset - 5.0).abs() < 1e-6 && bell.scale < 0.0 && bell.exponent.abs() < 1e-6,
            "{bell:?}"
        );
        let ratio = solve(12, |x| 1.0 - quadratic(x).recip()).unwrap();
        assert!((ratio.offset - 1.0).abs() < 1e-6 && (ratio.exponent + 1.0).abs() < 1e-6, "{ratio:?}");
        let log = solve(12, |x| quadratic(x).ln()).unwrap();
        assert!(log.offset.abs() > 1e4 && log.exponent.abs() > 1e4, "{log:?}");
    }

    /// Where one point is left over chance has its say: of other functions one in a few hundred would be taken for a power.
    #[test]
    fn other_functions_are_no_power() {
        assert_eq!(coefficients(D) + 3, 9);
        let turn = |x: &[f64]| quadratic(x) + 0.3 * (2.0 * x[0]).sin();
        let fold = |x: &[f64]| (x[0] - 0.4).abs() + 3.0 * (x[1] + 0.2).abs();
        let noise = |x: &[f64]| (1e4 * x[0]).sin() + (1e4 * x[1]).cos();
        for n in [9, 12, 16] {
            assert_eq!([solve(n, turn), solve(n, fold), solve(n, noise)], [None; 3], "{n} points");
        }
        assert_eq!(solve(12, |_| 1.0), None);
    }

    #[test]
    fn a_power_takes_values_to_responses_and_back() {
        let values = [1.0, 1.5, 3.0, 9.0];
        let (below, above) = (0.9, 9.5);
        for (offset, scale) in [(below, 2.0), (above, -2.0), (-1e9, 1e9)] {
            for exponent in [-1.0, 0.0, 0.5, 1.0, 2.5] {
                let power = Power { offset, exponent, scale, exact: true };
                let mut responses = [0.0; 4];
                power.transform(&values, &mut responses);
                assert!(responses.is_sorted(), "{power:?}: {responses:?}");
                let back = responses.map(|y| power.value(y));
                let close = |a: &f64, b: &f64| (a - b).abs() < 1e-6 * b;
                assert!(back.iter().zip(&values).all(|(a, b)| close(a, b)), "{power:?}: {back:?}");
            }
        }
    }
}
