//! The surrogate's step within a box: the minimiser of a quadratic in a ball and between bounds, by the bounds that it
//! rests on.
//!
//! A face is where some coordinates are on their bounds. On a face the problem is again that of a ball, in the directions
//! that stay on it. From the best point the search walks to the minimiser of its face until a bound stops it, which is one
//! more to rest on; at the minimiser it leaves the bound that holds it back most, and is done where none does.

mod lattice;
mod widths;

use super::step::Quadratic;
use crate::linalg::{add_scaled, dot, solve_transpose, squared_norm, symmetric_times};
use crate::search::SearchDistribution;
use crate::space::Limits;
use crate::strategy::adaptive::tuning::SurrogateTuning;
use lattice::Lattice;

/// A curvature across a face, in units of the largest of the model: nothing leads there.
const STIFF: f64 = 10.0;

/// What is a bound's multiplier and what rounding, against the gradient.
const ROUNDING: f64 = 1e-10;

/// A coordinate so near to a bound, against itself, is on it.
const NEAR: f64 = 1e-15;

#[derive(Clone, Copy, Debug, PartialEq)]
enum Side {
    Lower,
    Upper,
}

/// One bound that the step rests on.
#[derive(Clone, Copy, Debug)]
struct Rest {
    coordinate: usize,
    side: Side,
}

/// The box around the best point, and scratch space.
#[derive(Clone, Debug)]
pub(super) struct Faces {
    limits: Limits,
    /// The mean of the distribution, folded.
    pub(super) mean: Vec<f64>,
    /// The best point.
    origin: Vec<f64>,
    /// From the best point to each bound, in the search's coordinates: at most 0 and at least 0.
    down: Vec<f64>,
    up: Vec<f64>,
    /// Row j takes whitened coordinates to coordinate j of the search: Aᵀ.
    rows: Vec<f64>,
    rests: Vec<Rest>,
    /// The first of them stay: coordinates that are held at a whole number.
    pinned: usize,
    /// Where some coordinates are whole numbers.
    lattice: Option<Lattice>,
    /// Orthonormal directions across the face, and what the rows of the rests have along them, row by row.
    across: Vec<f64>,
    parts: Vec<f64>,
    /// The quadratic on the face.
    face: Quadratic,
    at: Vec<f64>,
    to: Vec<f64>,
    base: Vec<f64>,
    slope: Vec<f64>,
    multipliers: Vec<f64>,
    best: Vec<f64>,
}

impl Faces {
    pub(super) fn new(limits: Limits, tuning: SurrogateTuning) -> Self {
        let d = limits.dimension();
        let zeros = || vec![0.0; d];
        let lattice = (0..d).any(|j| limits.is_whole(j)).then(|| Lattice::new(d));
        Self {
            limits,
            lattice,
            pinned: 0,
            mean: zeros(),
            origin: zeros(),
            down: zeros(),
            up: zeros(),
            rows: vec![0.0; d * d],
            rests: Vec::with_capacity(d),
            across: Vec::with_capacity(d * d),
            parts: vec![0.0; d * d],
            face: Quadratic::new(d, tuning),
            at: zeros(),
            to: zeros(),
            base: zeros(),
            slope: zeros(),
            multipliers: zeros(),
            best: zeros(),
        }
    }

    /// Whether the last step rests on a bound.
    pub(super) fn is_resting(&self) -> bool {
        !self.rests.is_empty()
    }

    /// Whether some coordinates are whole numbers, so that points may be equal.
    pub(super) fn rounds(&self) -> bool {
        self.lattice.is_some()
    }

    fn dimension(&self) -> usize {
        self.at.len()
    }

    /// See the box from where the distribution is, and say where that is inside.
    pub(super) fn stand_at(&mut self, distribution: &SearchDistribution) -> (&Limits, &[f64]) {
        let d = self.dimension();
        for (i, row) in distribution.factor().chunks_exact(d).enumerate() {
            (i..d).for_each(|j| self.rows[j * d + i] = row[j]);
        }
        self.mean.copy_from_slice(distribution.mean());
        self.limits.fold(&mut self.mean);
        (&self.limits, &self.mean)
    }

    /// The room around the best point, given in whitened coordinates around the folded mean.
    pub(super) fn make_room(&mut self, center: &[f64]) {
        for (j, (lower, upper)) in self.limits.bounds().enumerate() {
            let z = self.limits.nearest(j, self.mean[j] + self.moved(j, center));
            self.origin[j] = z;
            // What is as near to a bound as rounding is on it.
            let near = |room: f64| if room.abs() <= NEAR * z.abs() { 0.0 } else { room };
            self.down[j] = near(lower - z).min(0.0);
            self.up[j] = near(upper - z).max(0.0);
        }
    }

    /// From a place in whitened coordinates around the folded mean to those around the mean itself.
    pub(super) fn unfold(&self, distribution: &SearchDistribution, place: &mut [f64]) {
        // Where neither mean nor place is folded or rounded they are the same, to the last bit.
        let stays = |j: usize| {
            let x = self.mean[j] + self.moved(j, place);
            self.mean[j] == distribution.mean()[j] && self.limits.is_free(j, x)
        };
        if (0..place.len()).all(stays) {
            return;
        }
        // From the last coordinate on: coordinate j takes the first j + 1.
        for j in (0..place.len()).rev() {
            place[j] = self.limits.nearest(j, self.mean[j] + self.moved(j, place));
        }
        for (x, (lower, upper)) in place.iter_mut().zip(self.limits.bounds()) {
            let near = |bound: f64| bound.is_finite() && (*x - bound).abs() <= NEAR * bound.abs();
            *x = if near(lower) {
                lower
            } else if near(upper) {
                upper
            } else {
                *x
            };
        }
        self.limits.unfold(place);
        add_scaled(place, -1.0, distribution.mean());
        solve_transpose(distribution.factor(), place, self.dimension()); // s = A⁻ᵀ(z − x)
    }

    /// Coordinate j of the search for a step.
    fn moved(&self, j: usize, step: &[f64]) -> f64 {
        let d = self.dimension();
        dot(&self.rows[j * d..=j * d + j], &step[..=j])
    }

    /// The best step within the box, given the best one within the ball alone, and by how much the response falls.
    pub(super) fn keep_within(
        &mut self,
        quadratic: &Quadratic,
        radius: f64,
        decrease: f64,
        step: &mut [f64],
    ) -> f64 {
        let d = self.dimension();
        self.rests.clear();
        self.pinned = 0;
        let mut inside = true;
        for j in 0..d {
            let moved = self.moved(j, step);
            let side = match moved {
                m if m < self.down[j] => Side::Lower,
                m if m > self.up[j] => Side::Upper,
                _ => continue,
            };
            inside = false;
            if self.room(Rest { coordinate: j, side }) == 0.0 {
                self.rests.push(Rest { coordinate: j, side });
            }
        }
        if !inside {
            self.walk(quadratic, radius);
            step.copy_from_slice(&self.best);
        }
        match self.lattice.take() {
            Some(mut lattice) => {
                let decrease = self.settle(&mut lattice, quadratic, radius, step);
                self.lattice = Some(lattice);
                decrease
            }
            None if inside => decrease,
            None => quadratic.decrease(step, &mut self.slope),
        }
    }

    fn room(&self, rest: Rest) -> f64 {
        match rest.side {
            Side::Lower => self.down[rest.coordinate],
            Side::Upper => self.up[rest.coordinate],
        }
    }

    /// From the best point over faces to a minimiser; the best point on the way is left in `best`. Returns by how much the
    /// response falls.
    fn walk(&mut self, quadratic: &Quadratic, radius: f64) -> f64 {
        let d = self.dimension();
        // Where coordinates are held elsewhere the start does not count.
        let mut held = self.rests[..self.pinned].iter().all(|rest| self.room(*rest) == 0.0);
        let mut most = if held { 0.0 } else { f64::NEG_INFINITY };
        self.at.fill(0.0);
        self.best.fill(0.0);
        for _ in 0..4 * d + 8 {
            if !(self.stand_on_face() && self.minimize_on_face(quadratic, radius)) {
                break;
            }
            let blocked = self.first_block();
            let share = blocked.map_or(1.0, |(share, _)| share);
            for (at, to) in self.at.iter_mut().zip(&self.to) {
                *at += share * (to - *at);
            }
            held |= share == 1.0;
            let decrease = quadratic.decrease(&self.at, &mut self.slope);
            if held && decrease > most {
                most = decrease;
                self.best.copy_from_slice(&self.at);
            }
            match blocked {
                Some((_, rest)) => self.rests.push(rest),
                None => match self.worst_rest(quadratic, radius) {
                    Some(index) => drop(self.rests.remove(index)),
                    None => break,
                },
            }
        }
        most
    }

    /// The directions across the face, and the point of the face that is nearest to the origin. False where bounds depend on
    /// each other in floating-point numbers.
    fn stand_on_face(&mut self) -> bool {
        let d = self.dimension();
        self.across.clear();
        self.base.fill(0.0);
        for (k, rest) in self.rests.iter().enumerate() {
            let row = &self.rows[rest.coordinate * d..(rest.coordinate + 1) * d];
            let length = squared_norm(row).sqrt();
            self.to.copy_from_slice(row);
            let parts = &mut self.parts[k * d..=k * d + k];
            parts.fill(0.0);
            // Twice is enough.
            for _ in 0..2 {
                for (part, direction) in parts.iter_mut().zip(self.across.chunks_exact(d)) {
                    let along = dot(direction, &self.to);
                    *part += along;
                    add_scaled(&mut self.to, -along, direction);
                }
            }
            let rest_length = squared_norm(&self.to).sqrt();
            if rest_length.is_nan() || rest_length <= 1e-13 * length {
                return false;
            }
            parts[k] = rest_length;
            self.to.iter_mut().for_each(|t| *t /= rest_length);
            // The point's own part along the new direction brings this coordinate to its bound.
            let missing = self.room(*rest) - dot(row, &self.base);
            add_scaled(&mut self.base, missing / rest_length, &self.to);
            self.across.extend_from_slice(&self.to);
        }
        true
    }

    /// `to`: the minimiser on the face within the radius.
    fn minimize_on_face(&mut self, quadratic: &Quadratic, radius: f64) -> bool {
        let d = self.dimension();
        let left = radius * radius - squared_norm(&self.base);
        if self.rests.len() == d || left <= 0.0 {
            self.to.copy_from_slice(&self.base);
            return true;
        }
        quadratic.slope_at(&self.base, &mut self.slope);
        let Quadratic { gradient, hessian, .. } = &mut self.face;
        gradient.copy_from_slice(&self.slope);
        hessian.copy_from_slice(&quadratic.hessian);
        let stiff = STIFF * quadratic.hessian.iter().fold(f64::MIN_POSITIVE, |most, b| most.max(b.abs()));
        for q in self.across.chunks_exact(d) {
            bend_across(hessian, q, stiff, &mut self.to);
            let along = dot(q, gradient);
            add_scaled(gradient, -along, q);
        }
        if !self.face.diagonalize() {
            return false;
        }
        self.face.step_within(left.sqrt(), &mut self.to);
        // What rounding has left across the face.
        for q in self.across.chunks_exact(d) {
            let along = dot(q, &self.to);
            add_scaled(&mut self.to, -along, q);
        }
        add_scaled(&mut self.to, 1.0, &self.base);
        true
    }

    /// The first bound on the way from `at` to `to`, and the share of the way there.
    fn first_block(&self) -> Option<(f64, Rest)> {
        let mut first = None;
        for j in 0..self.dimension() {
            if self.rests.iter().any(|r| r.coordinate == j) {
                continue;
            }
            let (from, to) = (self.moved(j, &self.at), self.moved(j, &self.to));
            let side = match to {
                t if t < self.down[j] => Side::Lower,
                t if t > self.up[j] => Side::Upper,
                _ => continue,
            };
            let rest = Rest { coordinate: j, side };
            let share = ((self.room(rest) - from) / (to - from)).clamp(0.0, 1.0);
            if first.is_none_or(|(least, _)| share < least) {
                first = Some((share, rest));
            }
        }
        first
    }

    /// At a minimiser of the face: the bound that holds the response back most, so that it falls where the step leaves it.
    fn worst_rest(&mut self, quadratic: &Quadratic, radius: f64) -> Option<usize> {
        let d = self.dimension();
        quadratic.slope_at(&self.at, &mut self.slope);
        self.lean_on_ball(radius);
        let tolerance = ROUNDING * squared_norm(&quadratic.gradient).sqrt();
        // The slope is a sum of rows of the rests, each times its multiplier.
        let k = self.rests.len();
        for i in (0..k).rev() {
            let mut along = dot(&self.across[i * d..(i + 1) * d], &self.slope);
            (i + 1..k).for_each(|l| along -= self.multipliers[l] * self.parts[l * d + i]);
            self.multipliers[i] = along / self.parts[i * d + i];
        }
        let mut worst = None;
        for (i, rest) in self.rests.iter().enumerate().skip(self.pinned) {
            let length = squared_norm(&self.rows[rest.coordinate * d..(rest.coordinate + 1) * d]).sqrt();
            let pull =
                length * if rest.side == Side::Lower { -self.multipliers[i] } else { self.multipliers[i] };
            if pull > tolerance && worst.is_none_or(|(most, _)| pull > most) {
                worst = Some((pull, i));
            }
        }
        worst.map(|(_, i)| i)
    }

    /// Where the ball holds the step, its share of the slope: µ times the step.
    fn lean_on_ball(&mut self, radius: f64) {
        let d = self.dimension();
        if squared_norm(&self.at) < radius * radius * (1.0 - 1e-8) {
            return;
        }
        self.to.copy_from_slice(&self.at);
        for q in self.across.chunks_exact(d) {
            let along = dot(q, &self.to);
            add_scaled(&mut self.to, -along, q);
        }
        let squares = squared_norm(&self.to);
        if squares > 0.0 {
            let hold = (-dot(&self.to, &self.slope) / squares).max(0.0);
            add_scaled(&mut self.slope, hold, &self.at);
        }
    }
}

/// Give a symmetric matrix this curvature along a unit vector, and nothing beside it there. O(d²).
pub(super) fn bend_across(hessian: &mut [f64], q: &[f64], curvature: f64, scratch: &mut [f64]) {
    let d = q.len();
    // (I − qqᵀ)B(I − qqᵀ) + c qqᵀ = B − q wᵀ − w qᵀ, w = Bq − ½(qᵀBq + c)q.
    symmetric_times(hessian, q, scratch);
    let half = 0.5 * (dot(q, scratch) + curvature);
    add_scaled(scratch, -half, q);
    for i in 0..d {
        let row = &mut hessian[i * d + i..(i + 1) * d];
        add_scaled(row, -q[i], &scratch[i..]);
        add_scaled(row, -scratch[i], &q[i..]);
    }
}

#[cfg(test)]
mod tests;
