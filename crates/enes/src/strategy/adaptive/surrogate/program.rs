//! The step with constraints: the minimiser of one quadratic where others are at most 0, or 0, within a ball and a box.
//!
//! An augmented Lagrangian of the models, f + Σ (u² − λ²)/2ρ with u = λ + ρc, at least 0 for an inequality. Its minimisers
//! are found by Newton steps, each the exact minimiser of a quadratic within ball and box; then λ becomes u. Responses are
//! scaled by how much they change within the ball, so that one ρ serves all.

use super::faces::Faces;
use super::step::Quadratic;
use crate::constraints::ConstraintKind;
use crate::linalg::{add_scaled, dot, squared_norm, symmetric_times};
use crate::strategy::adaptive::tuning::SurrogateTuning;

/// The first penalty, what it grows by where violations do not fall to the share below, and its largest.
const FIRST_PENALTY: f64 = 10.0;
const GROWTH: f64 = 5.0;
const SHARE: f64 = 0.25;
const LARGEST_PENALTY: f64 = 1e8;

/// The largest multiplier of a scaled response: where no point satisfies the models they grow without end.
const LARGEST_MULTIPLIER: f64 = 1e6;

/// Rounds of multipliers, and of Newton steps in each.
const ROUNDS: usize = 40;
const NEWTON_STEPS: usize = 30;

/// A scaled violation below the first is none; above the second the models leave no feasible point.
const NO_VIOLATION: f64 = 1e-13;
const INFEASIBLE: f64 = 1e-6;

/// A response around the best point: c + g·x + ½xᵀBx, of B the upper triangle.
#[derive(Clone, Debug)]
pub(super) struct Response {
    pub(super) constant: f64,
    pub(super) gradient: Vec<f64>,
    pub(super) hessian: Vec<f64>,
}

impl Response {
    pub(super) fn new(d: usize) -> Self {
        Self { constant: 0.0, gradient: vec![0.0; d], hessian: vec![0.0; d * d] }
    }

    /// Its value after a step; the slope there is left in `slope`.
    pub(super) fn value(&self, x: &[f64], slope: &mut [f64]) -> f64 {
        symmetric_times(&self.hessian, x, slope);
        add_scaled(slope, 1.0, &self.gradient);
        self.constant + 0.5 * (dot(x, slope) + dot(x, &self.gradient))
    }

    /// How much it changes within a ball, at most about.
    fn size(&self, radius: f64) -> f64 {
        let slope = squared_norm(&self.gradient).sqrt();
        let bend = squared_norm(&self.hessian).sqrt();
        slope * radius + bend * radius * radius
    }
}

/// Scratch space, and the last solution.
#[derive(Clone, Debug)]
pub(super) struct Program {
    /// The step, and the multiplier of each constraint in its own units and the value's.
    pub(super) step: Vec<f64>,
    pub(super) multipliers: Vec<f64>,
    /// Whether the step satisfies the models of the constraints.
    pub(super) is_feasible: bool,
    kinds: Vec<ConstraintKind>,
    scales: Vec<f64>,
    penalty: f64,
    /// c, u and the slopes of the scaled constraints where the step is.
    values: Vec<f64>,
    forces: Vec<f64>,
    slopes: Vec<f64>,
    slope: Vec<f64>,
    newton: Quadratic,
    to: Vec<f64>,
    tried: Vec<f64>,
}

impl Program {
    pub(super) fn new(d: usize, kinds: Vec<ConstraintKind>, tuning: SurrogateTuning) -> Self {
        let m = kinds.len();
        Self {
            step: vec![0.0; d],
            multipliers: vec![0.0; m],
            is_feasible: true,
            kinds,
            scales: vec![0.0; m + 1],
            penalty: FIRST_PENALTY,
            values: vec![0.0; m],
            forces: vec![0.0; m],
            slopes: vec![0.0; m * d],
            slope: vec![0.0; d],
            newton: Quadratic::new(d, tuning),
            to: vec![0.0; d],
            tried: vec![0.0; d],
        }
    }

    /// Minimise the first response subject to the others, beginning from these multipliers.
    pub(super) fn solve(
        &mut self,
        responses: &[Response],
        multipliers: &[f64],
        radius: f64,
        mut faces: Option<&mut Faces>,
    ) {
        for (scale, response) in self.scales.iter_mut().zip(responses) {
            *scale = response.size(radius).max(f64::MIN_POSITIVE);
        }
        for (i, (own, given)) in self.multipliers.iter_mut().zip(multipliers).enumerate() {
            let scaled = given * self.scales[i + 1] / self.scales[0];
            *own = if scaled.is_finite() { scaled.clamp(-10.0, 10.0) } else { 0.0 };
        }
        self.step.fill(0.0);
        self.penalty = FIRST_PENALTY;
        let mut last = f64::INFINITY;
        for _ in 0..ROUNDS {
            self.minimize(responses, radius, faces.as_deref_mut());
            let violation = self.violation();
            for (multiplier, force) in self.multipliers.iter_mut().zip(&self.forces) {
                *multiplier = force.clamp(-LARGEST_MULTIPLIER, LARGEST_MULTIPLIER);
            }
            self.is_feasible = violation <= INFEASIBLE;
            if violation < NO_VIOLATION {
                break;
            }
            if violation > SHARE * last {
                self.penalty = (GROWTH * self.penalty).min(LARGEST_PENALTY);
            }
            last = violation;
        }
        for (multiplier, scale) in self.multipliers.iter_mut().zip(&self.scales[1..]) {
            *multiplier *= self.scales[0] / scale;
        }
    }

    /// How far scaled constraints are from what is asked; an inequality that is not active by how far its multiplier is from 0.
    fn violation(&self) -> f64 {
        let each = self.kinds.iter().zip(&self.values).zip(&self.multipliers);
        let off = |((kind, c), multiplier): ((&ConstraintKind, &f64), &f64)| match kind {
            ConstraintKind::Equality => c.abs(),
            ConstraintKind::Inequality => c.max(-multiplier / self.penalty).abs(),
        };
        each.map(off).fold(0.0, f64::max)
    }

    /// Newton steps to a minimiser of the Lagrangian with the present multipliers and penalty.
    fn minimize(&mut self, responses: &[Response], radius: f64, mut faces: Option<&mut Faces>) {
        self.tried.copy_from_slice(&self.step);
        let mut lagrangian = self.evaluate(responses);
        for _ in 0..NEWTON_STEPS {
            let Some(promised) = self.newton_step(responses, radius, faces.as_deref_mut()) else { break };
            let mut share = 1.0;
            let less = loop {
                for ((tried, x), to) in self.tried.iter_mut().zip(&self.step).zip(&self.to) {
                    *tried = x + share * (to - x);
                }
                let found = self.evaluate(responses);
                if found <= lagrangian - 1e-4 * share * promised {
                    break Some(found);
                }
                share *= 0.5;
                if share < 1e-7 {
                    break None;
                }
            };
            let Some(found) = less else {
                self.tried.copy_from_slice(&self.step);
                self.evaluate(responses);
                break;
            };
            self.step.copy_from_slice(&self.tried);
            let gain = lagrangian - found;
            lagrangian = found;
            if gain < 1e-16 * (1.0 + found.abs()) {
                break;
            }
        }
    }

    /// The Lagrangian at `tried`; values, forces and slopes of the constraints there are left behind.
    fn evaluate(&mut self, responses: &[Response]) -> f64 {
        let d = self.tried.len();
        let mut sum = responses[0].value(&self.tried, &mut self.slope) - responses[0].constant;
        sum /= self.scales[0];
        for (i, response) in responses[1..].iter().enumerate() {
            let slope = &mut self.slopes[i * d..(i + 1) * d];
            let scale = self.scales[i + 1].recip();
            self.values[i] = scale * response.value(&self.tried, slope);
            slope.iter_mut().for_each(|s| *s *= scale);
            let force = self.multipliers[i] + self.penalty * self.values[i];
            self.forces[i] = match self.kinds[i] {
                ConstraintKind::Equality => force,
                ConstraintKind::Inequality => force.max(0.0),
            };
            sum += (self.forces[i].powi(2) - self.multipliers[i].powi(2)) / (2.0 * self.penalty);
        }
        sum
    }

    /// `to`: the minimiser of the Lagrangian's quadratic where the step is. Returns by how much it is lower there; `None`
    /// where it is not. The values of the constraints must be those where the step is.
    fn newton_step(&mut self, responses: &[Response], radius: f64, faces: Option<&mut Faces>) -> Option<f64> {
        let d = self.step.len();
        let Quadratic { gradient, hessian, .. } = &mut self.newton;
        let scale = self.scales[0].recip();
        for (b, f) in hessian.iter_mut().zip(&responses[0].hessian) {
            *b = scale * f;
        }
        gradient.iter_mut().zip(&self.slope).for_each(|(g, s)| *g = scale * s);
        for (i, response) in responses[1..].iter().enumerate() {
            let force = self.forces[i];
            if force == 0.0 && self.kinds[i] == ConstraintKind::Inequality {
                continue;
            }
            let (slope, weight) = (&self.slopes[i * d..(i + 1) * d], force / self.scales[i + 1]);
            hessian.iter_mut().zip(&response.hessian).for_each(|(b, c)| *b += weight * c);
            for k in 0..d {
                let row = &mut hessian[k * d + k..(k + 1) * d];
                add_scaled(row, self.penalty * slope[k], &slope[k..]);
            }
            add_scaled(gradient, force, slope);
        }
        // As a quadratic around the origin, where the ball is.
        self.slope.copy_from_slice(gradient);
        symmetric_times(hessian, &self.step, &mut self.to);
        add_scaled(gradient, -1.0, &self.to);
        if !self.newton.diagonalize() {
            return None;
        }
        let decrease = self.newton.step_within(radius, &mut self.to);
        if let Some(faces) = faces {
            faces.keep_within(&self.newton, radius, decrease, &mut self.to);
        }
        // −(∇·p + ½pᵀBp) with p from the step to the minimiser.
        self.tried.copy_from_slice(&self.to);
        add_scaled(&mut self.tried, -1.0, &self.step);
        let slope = dot(&self.slope, &self.tried);
        symmetric_times(&self.newton.hessian, &self.tried, &mut self.slope);
        let promised = -(slope + 0.5 * dot(&self.slope, &self.tried));
        (promised > 1e-17).then_some(promised)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::search::SearchDistribution;
    use crate::space::Limits;

    fn response(constant: f64, gradient: &[f64], diagonal: &[f64]) -> Response {
        let d = gradient.len();
        let mut response = Response::new(d);
        response.constant = constant;
        response.gradient.copy_from_slice(gradient);
        response.hessian.iter_mut().step_by(d + 1).zip(diagonal).for_each(|(b, h)| *b = *h);
        response
    }

    fn solve(responses: &[Response], kinds: &[ConstraintKind], radius: f64) -> Program {
        let d = responses[0].gradient.len();
        let mut program = Program::new(d, kinds.to_vec(), SurrogateTuning::default());
        program.solve(responses, &vec![0.0; kinds.len()], radius, None);
        program
    }

    fn close(a: &[f64], b: &[f64]) {
        assert!(a.iter().zip(b).all(|(a, b)| (a - b).abs() < 1e-7), "{a:?} {b:?}");
    }

    #[test]
    fn an_active_inequality_has_its_multiplier_and_an_inactive_one_none() {
        // x² + y² where x + y ≥ 2 and x ≤ 5: (1, 1), multiplier 2.
        let f = response(0.0, &[0.0, 0.0], &[2.0, 2.0]);
        let g = response(2.0, &[-1.0, -1.0], &[0.0, 0.0]);
        let far = response(-5.0, &[1.0, 0.0], &[0.0, 0.0]);
        let found = solve(&[f, g, far], &[ConstraintKind::Inequality; 2], 10.0);
        close(&found.step, &[1.0, 1.0]);
        close(&found.multipliers, &[2.0, 0.0]);
        assert!(found.is_feasible);
    }

    #[test]
    fn a_curved_equality_is_met() {
        // x + y on the circle x² + y² = 2: (−1, −1), multiplier 1/2.
        let f = response(7.0, &[1.0, 1.0], &[0.0, 0.0]);
        let h = response(-2.0, &[0.0, 0.0], &[2.0, 2.0]);
        let found = solve(&[f, h], &[ConstraintKind::Equality], 10.0);
        close(&found.step, &[-1.0, -1.0]);
        assert!((found.multipliers[0] - 0.5).abs() < 1e-5, "{:?}", found.multipliers);
    }

    #[test]
    fn where_no_point_is_feasible_violations_are_least() {
        // x ≤ −1 and x ≥ 1 within a ball: nothing satisfies both; 0 is as near as can be.
        let f = response(0.0, &[0.0, 1.0], &[1.0, 1.0]);
        let below = response(1.0, &[1.0, 0.0], &[0.0, 0.0]);
        let above = response(1.0, &[-1.0, 0.0], &[0.0, 0.0]);
        let found = solve(&[f, below, above], &[ConstraintKind::Inequality; 2], 3.0);
        assert!(!found.is_feasible);
        assert!(found.step[0].abs() < 1e-3, "{:?}", found.step);
        assert!(found.step.iter().chain(&found.multipliers).all(|v| v.is_finite()));
    }

    #[test]
    fn box_and_ball_hold_with_constraints() {
        // As far down in x as the box allows, on the line x = y.
        let f = response(0.0, &[1.0, 0.0], &[0.0, 0.0]);
        let h = response(0.0, &[1.0, -1.0], &[0.0, 0.0]);
        let mut faces = Faces::new(Limits::plain(&[(-9.0, 9.0), (-0.5, 9.0)]), SurrogateTuning::default());
        let distribution = SearchDistribution::new(vec![0.0; 2], vec![1.0, 0.0, 0.0, 1.0]).unwrap();
        faces.stand_at(&distribution);
        faces.make_room(&[0.0; 2]);
        let mut program = Program::new(2, vec![ConstraintKind::Equality], SurrogateTuning::default());
        program.solve(&[f.clone(), h.clone()], &[0.0], 10.0, Some(&mut faces));
        close(&program.step, &[-0.5, -0.5]);
        program.solve(&[f, h], &[0.0], 0.1, Some(&mut faces));
        close(&program.step, &[-0.1 / 2f64.sqrt(), -0.1 / 2f64.sqrt()]);
    }
}
