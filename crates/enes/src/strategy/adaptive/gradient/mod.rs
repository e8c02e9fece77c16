//! The surrogate beyond 40 dimensions: a gradient by differences, curvatures by secants (docs/method/many-dimensions.md).
//!
//! A full quadratic has more coefficients than a search in many dimensions has evaluations, but d + 1 values near one point show
//! its gradient, and what the gradient changes by along a step shows the curvature along it. So where a linear and isotropic
//! model of the values predicts samples that it has not seen, two kinds of generations take turns: d points close to the
//! best one, and points along the step that follows. The shape of the distribution is the inverse of the curvatures, so that in
//! whitened coordinates the model is `g·s + ½c|s|²` and Newton's step is −g/c. Where promises are broken ranks go on.

mod inside;
mod line;
mod look;
mod pairs;
mod points;
mod projection;
mod secant;
mod state;

pub(super) use state::State;

use super::tuning::Tuning;
use crate::linalg::{self, CholeskySpace};
use crate::search::{Search, SearchDistribution};
use crate::space::Limits;
use inside::Inside;
use line::Next;
use state::Phase;

/// The longest difference, in deviations: beyond it is no difference but a sample.
const LONGEST: f64 = 0.1;

/// Differences are so long that rounding of the coordinates is at most this share of them.
const ROUNDED: f64 = 1e-5;

/// The most that axes may differ by.
const LONGEST_AXIS: f64 = 1e5;

/// Scratch space.
#[derive(Clone, Debug)]
pub(super) struct Gradient {
    /// How long the difference along each axis is.
    lengths: Vec<f64>,
    /// Where points are folded into a box.
    inside: Option<Box<Inside>>,
    /// Deviations that are of one size; empty where the covariance has limited memory.
    units: Vec<f64>,
    change: Vec<f64>,
    product: Vec<f64>,
    /// For the shape of a full covariance.
    space: Option<CholeskySpace>,
    /// Rows of the largest generation.
    most_rows: usize,
    tuning: Tuning,
}

/// What a generation of an active model led to.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(super) enum Outcome {
    Active,
    /// Values are not smooth: nothing has moved.
    Unfit,
    /// The first values are those of a bowl whose bottom is so many deviations away: nothing has moved.
    Bowl {
        distance: f64,
    },
    /// A promise was broken, or there is nothing to follow.
    Left,
}

impl Gradient {
    /// With a full covariance, where coordinates have these initial deviations.
    pub(super) fn new(units: &[f64], limits: Option<&Limits>, tuning: Tuning) -> Self {
        let d = units.len();
        let inside = limits.map(|limits| Box::new(Inside::new(limits.clone(), false)));
        let space = Some(CholeskySpace::new(d));
        Self { space, inside, units: units.to_vec(), ..Self::without_box(d, Self::most_rows(d), tuning) }
    }

    /// Where the covariance has limited memory generations have at most λ points.
    pub(super) fn limited(d: usize, lambda: usize, limits: Option<&Limits>, tuning: Tuning) -> Self {
        let inside = limits.map(|limits| Box::new(Inside::new(limits.clone(), true)));
        Self { inside, ..Self::without_box(d, lambda, tuning) }
    }

    fn without_box(d: usize, most_rows: usize, tuning: Tuning) -> Self {
        let zeros = || vec![0.0; d];
        let (lengths, change, product) = (zeros(), zeros(), zeros());
        Self { lengths, inside: None, units: Vec::new(), change, product, space: None, most_rows, tuning }
    }

    /// Rows of the largest generation.
    pub(super) fn most_rows(d: usize) -> usize {
        d + 1
    }

    /// How long differences are: short against the deviations, long against rounding, of the values and of the points.
    fn measure(&mut self, state: &State, distribution: &SearchDistribution) {
        let d = self.lengths.len();
        let rounding = f64::EPSILON * state.level / state.curvature;
        let by_value = if rounding.is_finite() { 2.0 * rounding.sqrt() } else { 0.0 };
        let least = self.tuning.gradient.difference.max(by_value);
        let length = |largest: f64, row: f64| least.max(f64::EPSILON / ROUNDED * largest / row).min(LONGEST);
        if let Some(inside) = &mut self.inside {
            inside.prepare(distribution);
            let largest = inside.largest_coordinate();
            self.lengths.iter_mut().zip(inside.axes()).for_each(|(l, axis)| *l = length(largest, *axis));
            if state.phase == Phase::Look {
                return inside.set_directions(&state.look, distribution);
            }
            return inside.turn_inwards(&mut self.lengths);
        }
        let largest = linalg::largest_entry(distribution.mean());
        match distribution.limited_factor() {
            // What the directions add to the row is along it.
            Some(factor) => {
                self.lengths
                    .iter_mut()
                    .zip(factor.scales())
                    .for_each(|(l, scale)| *l = length(largest, *scale));
            }
            None => {
                let rows = distribution.factor().chunks_exact(d);
                self.lengths
                    .iter_mut()
                    .zip(rows)
                    .for_each(|(l, row)| *l = length(largest, linalg::largest_entry(row)));
            }
        }
    }

    /// The same along all axes at once.
    fn measure_all(&mut self, state: &State, distribution: &SearchDistribution) -> f64 {
        self.measure(state, distribution);
        linalg::largest_entry(&self.lengths)
    }

    fn prepare_line(&mut self, state: &State, distribution: &SearchDistribution) {
        if let Some(inside) = &mut self.inside {
            inside.prepare(distribution);
            inside.set_line(&state.gradient, state.along(), state.direction(), distribution);
        }
    }

    /// Take in what came back, and go on where a phase is complete.
    pub(super) fn update(&mut self, state: &mut State, search: &mut Search) -> Outcome {
        let sound = match state.phase {
            Phase::Off => false,
            Phase::Look => self.read_look(state, search),
            Phase::Probe => self.read_differences(state, search),
            Phase::Line => self.read_line(state, search),
        };
        match state.phase {
            Phase::Look if !sound => give_up_look(state),
            _ if !sound => Outcome::Left,
            Phase::Look if state.is_looked() => {
                let close = self.measure_all(state, &search.distribution);
                let shares = self.inside.as_ref().map(|inside| inside.shares());
                state.end_look(close, self.tuning.gradient.doubt, |i| shares.map_or(1.0, |shares| shares[i]))
            }
            Phase::Probe if state.is_probed() => self.follow_gradient(state, search),
            Phase::Line if state.line.is_complete() => self.follow_line(state, search),
            _ if !state.is_late() => Outcome::Active,
            Phase::Look => give_up_look(state),
            _ => Outcome::Left,
        }
    }

    /// The step to a place on the line, and in `product` the shift of the mean that leads there. Returns by how much the
    /// distribution may grow.
    fn take_step(&mut self, state: &mut State, place: f64, distribution: &SearchDistribution) -> f64 {
        if let Some(inside) = &mut self.inside {
            inside.step_to(place, distribution, &mut state.step, &mut self.product);
            return inside.room_to_grow(distribution);
        }
        let by = place * state.along();
        let direction = if state.direction.is_empty() { &state.gradient } else { &state.direction };
        state.step.iter_mut().zip(direction).for_each(|(step, v)| *step = by * v);
        self.product.copy_from_slice(&state.step);
        f64::INFINITY
    }

    /// All differences are there: the gradient, the curvature along the last step, the next direction.
    fn follow_gradient(&mut self, state: &mut State, search: &mut Search) -> Outcome {
        for ((g, value), h) in state.gradient.iter_mut().zip(&state.probes).zip(&self.lengths) {
            *g = (value - state.value) / h - 0.5 * h * state.curvature;
        }
        if let Some(inside) = &mut self.inside {
            inside.whiten_gradient(&search.distribution, &mut state.gradient);
        }
        let doubt = self.tuning.gradient.doubt;
        if state.kept > 0 && !(state.is_smooth(doubt) && self.learn_curvature(state, search)) {
            return Outcome::Left;
        }
        let goes_on =
            self.begin_line(state, &search.distribution) && self.is_round(state, &search.distribution);
        if goes_on { Outcome::Active } else { Outcome::Left }
    }

    /// Whether axes differ by no more than what differences can tell, in units of the initial deviations: where there are kinks,
    /// curvatures have no end.
    fn is_round(&self, state: &State, distribution: &SearchDistribution) -> bool {
        if let Some(memory) = &state.memory {
            return memory.pairs.range() < LONGEST_AXIS * LONGEST_AXIS;
        }
        let diagonal = distribution.factor().iter().step_by(distribution.dimension() + 1);
        let in_units = diagonal.zip(&self.units).map(|(axis, unit)| axis / unit);
        let (least, most) = in_units.fold((f64::INFINITY, 0.0), |(a, b), v| (v.min(a), v.max(b)));
        most < LONGEST_AXIS * least
    }

    /// The gradient is there: where it leads to; false where that is nowhere.
    fn begin_line(&mut self, state: &mut State, distribution: &SearchDistribution) -> bool {
        let Some(inside) = &mut self.inside else {
            state.follow_secants();
            return state.begin_line();
        };
        inside.prepare(distribution);
        let pairs = state.memory.as_ref().map(|memory| &memory.pairs);
        let along =
            inside.direct(&state.gradient, state.curvature, pairs, distribution, &mut state.direction);
        state.begin_line_along(along)
    }

    /// The shape follows what the gradient has changed by along the last step; false where that would be no distribution.
    fn learn_curvature(&mut self, state: &mut State, search: &mut Search) -> bool {
        self.change.copy_from_slice(&state.gradient);
        linalg::add_scaled(&mut self.change, -1.0, &state.before);
        let Some(space) = &mut self.space else {
            if let (Some(memory), true) = (&mut state.memory, secant::says(&state.step, &self.change)) {
                state.curvature = memory.pairs.push(&state.step, &self.change);
            }
            return true;
        };
        let first = state.kept == 1;
        let motion = &mut search.motion;
        let change = &self.change;
        let curvature = if first { None } else { Some(state.curvature) };
        if let Some(curvature) = secant::shape(&state.step, change, curvature, &mut motion.factor, space) {
            motion.shift.fill(0.0);
            linalg::upper_times_vector(&motion.factor, &state.gradient, &mut self.product);
            if search.follow_motion().is_err() {
                return false;
            }
            state.gradient.copy_from_slice(&self.product);
            state.curvature = curvature;
        }
        self.stay_in_box(state, search)
    }

    /// No coordinate is wider than its range lets it be, and the shape stays; false where that would be no distribution.
    fn stay_in_box(&mut self, state: &mut State, search: &mut Search) -> bool {
        let Some(inside) = &self.inside else { return true };
        let room = inside.room_to_grow(&search.distribution);
        if room >= 1.0 {
            return true;
        }
        state.rescale(room);
        self.product.fill(0.0);
        search.go_on(&self.product, room).is_ok()
    }

    /// Values along the step are there: look nearer or farther, go there, or give up.
    fn follow_line(&mut self, state: &mut State, search: &mut Search) -> Outcome {
        self.prepare_line(state, &search.distribution);
        let (inside, slope) = (&self.inside, state.slope());
        let promise = |place| inside.as_ref().map_or(slope * place, |inside| inside.promise(place));
        match state.line.judge(state.value, promise, self.tuning.surrogate.kept, &self.tuning.gradient) {
            Next::Again => Outcome::Active,
            Next::Leave => Outcome::Left,
            Next::Go(place, value) => {
                let most = self.take_step(state, place, &search.distribution);
                let growth = state.go(value, most);
                if search.go_on(&self.product, growth).is_err() {
                    return Outcome::Left;
                }
                if let Some(inside) = &self.inside {
                    inside.settle(search);
                }
                Outcome::Active
            }
        }
    }
}

fn give_up_look(state: &mut State) -> Outcome {
    state.fail_look();
    Outcome::Unfit
}

#[cfg(test)]
mod tests;
