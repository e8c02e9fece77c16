//! Models of the value and of every constraint by itself, the step that they ask for, and the multipliers that go with it.
//!
//! One factor of the kernel serves all responses; each takes the configuration that predicts it best. Linear constraints
//! are not modelled: they are known. With the multipliers of the step points are ordered anew; where that makes another point
//! the best one, models and step are made once more around it.

mod curvature;

use super::kernel::{Fit, Frame};
use super::program::{Program, Response};
use super::region::Promise;
use super::responses::standardize_by_latest;
use super::state::{Assessment, State};
use super::{Surrogate, short_window};
use crate::archive::{Archive, Reader};
use crate::constraints::{Constraints, Lagrangian};
use crate::linalg::squared_norm;
use crate::search::SearchDistribution;
use crate::strategy::adaptive::mode::ResponseKind;
use crate::strategy::adaptive::tuning::SurrogateTuning;

/// What the settings say of constraints.
#[derive(Clone, Debug, PartialEq)]
pub(crate) struct Constrained {
    pub(crate) constraints: Constraints,
    /// For each linear constraint the coefficients of the coordinates that are searched; `None` where it is not linear in them.
    pub(crate) linear: Vec<Option<Vec<f64>>>,
    /// A cost is this times a value: 1 or −1.
    pub(crate) sign: f64,
}

/// How often models are made anew around another best point.
const ROUNDS: usize = 3;

/// The penalty of a constraint: so many times what its multiplier asks for over the radius, and a multiplier counts as at least
/// this share of what slopes say.
const PENALTY: f64 = 4.0;
const LEAST_MULTIPLIER: f64 = 0.1;

/// Below this share of the merit a decrease is next to rounding, and so are its multipliers.
const ROUNDING: f64 = 1e-6;

/// Scratch space, and what the last fit found.
#[derive(Clone, Debug)]
pub(super) struct Models {
    given: Constrained,
    /// Value and constraints of each point, response after response; which configuration predicts each best, its error and α.
    responses: Vec<f64>,
    alphas: Vec<f64>,
    choices: Vec<Choice>,
    chosen: Vec<f64>,
    models: Vec<Response>,
    program: Program,
    lagrangian: Lagrangian,
    /// Values and constraints of the rows of the archive, row after row.
    values: Vec<f64>,
    constraints: Vec<f64>,
    slope: Vec<f64>,
    /// Orthonormal directions across the constraints that count.
    across: Vec<f64>,
    predictions: Vec<f64>,
    penalties: Vec<f64>,
    floor: f64,
    /// What the step promises.
    decrease: f64,
    best: f64,
    /// Whether multipliers are those of a step.
    pub(super) is_solved: bool,
}

#[derive(Clone, Copy, Debug)]
struct Choice {
    /// Which fit; `None` for a response that does not change.
    fit: Option<usize>,
    window: usize,
    error: f64,
    /// What the response was multiplied by.
    deviation: f64,
}

impl Choice {
    const NONE: Self = Self { fit: None, window: 0, error: f64::INFINITY, deviation: 0.0 };
}

impl Models {
    pub(super) fn new(given: Constrained, d: usize, n: usize, tuning: SurrogateTuning) -> Self {
        let m = given.constraints.len();
        let kinds = (0..m).map(|i| given.constraints.kind(i)).collect();
        let mut lagrangian = Lagrangian::default();
        lagrangian.widen(m);
        Self {
            responses: Vec::with_capacity((m + 1) * n),
            alphas: Vec::with_capacity((m + 1) * n),
            choices: vec![Choice::NONE; m + 1],
            chosen: vec![0.0; (m + 1) * n],
            models: (0..=m).map(|_| Response::new(d)).collect(),
            program: Program::new(d, kinds, tuning),
            lagrangian,
            values: Vec::with_capacity(2 * n),
            constraints: Vec::with_capacity(2 * n * m),
            slope: vec![0.0; d],
            across: Vec::with_capacity(d * d),
            predictions: Vec::with_capacity(n),
            penalties: vec![0.0; m],
            floor: tuning.error_floor,
            decrease: 0.0,
            best: 0.0,
            is_solved: false,
            given,
        }
    }

    /// How many constraints there are.
    pub(super) fn count(&self) -> usize {
        self.models.len() - 1
    }

    /// The multipliers of the step, the penalties that go with them, and whether the step promises more than rounding.
    pub(super) fn multipliers(&self) -> Option<(&[f64], &[f64], bool)> {
        let promises = self.decrease > ROUNDING * self.best.abs();
        self.is_solved.then_some((self.lagrangian.multipliers(), &self.penalties[..], promises))
    }

    /// Whether a constraint holds the step.
    pub(super) fn is_held(&self) -> bool {
        self.lagrangian.multipliers().iter().any(|multiplier| *multiplier != 0.0)
    }

    pub(super) fn step(&self) -> &[f64] {
        &self.program.step
    }

    /// Read values and constraints of these rows; rows of which one is not a number are left out.
    fn read(&mut self, rows: &mut Vec<usize>, archive: &Archive) {
        let m = self.count();
        archive.values_of(rows, &mut self.values);
        archive.constraints_of(rows, &mut self.constraints);
        let (values, constraints) = (&self.values, &self.constraints);
        let sound = |at: usize| {
            values[at].is_finite() && constraints[at * m..(at + 1) * m].iter().all(|c| c.is_finite())
        };
        let mut at = 0;
        rows.retain(|_| {
            at += 1;
            sound(at - 1)
        });
        archive.values_of(rows, &mut self.values);
        archive.constraints_of(rows, &mut self.constraints);
        self.values.iter_mut().for_each(|v| *v *= self.given.sign);
    }

    /// The merit of each row that was read.
    fn merits(&self, costs: &mut Vec<f64>) {
        let m = self.count();
        costs.clear();
        let rows = self.values.iter().zip(self.constraints.chunks_exact(m));
        costs.extend(rows.map(|(v, c)| self.lagrangian.merit(&self.given.constraints, *v, c)));
    }

    /// Responses in the order of the frame: the value, then each constraint; standardised by the latest r.
    fn set_responses(&mut self, order: &[usize], r: usize) {
        let m = self.count();
        self.responses.clear();
        self.responses.extend(order.iter().map(|&i| self.values[i]));
        for c in 0..m {
            self.responses.extend(order.iter().map(|&i| self.constraints[i * m + c]));
        }
        let n = order.len();
        let best = order[n - 1]; // the nearest to the best point is the best point itself
        for (c, y) in self.responses.chunks_exact_mut(n).enumerate() {
            self.models[c].constant =
                if c == 0 { self.values[best] } else { self.constraints[best * m + c - 1] };
            self.choices[c] = match standardize_by_latest(y, r) {
                Some(deviation) => Choice { deviation, ..Choice::NONE },
                // What does not change has no slope.
                None => Choice { error: 0.0, ..Choice::NONE },
            };
        }
    }

    /// Give a configuration to every response that it predicts better than those before.
    fn try_fit(&mut self, index: usize, fit: &mut Fit, frame: &Frame, r: usize) {
        if !fit.factorize(frame, r) {
            return;
        }
        let (n, w) = (frame.norms.len(), frame.window);
        self.alphas.clear();
        self.responses.chunks_exact(n).for_each(|y| self.alphas.extend_from_slice(&y[n - w..]));
        fit.solve(&mut self.alphas);
        let solved = self.responses.chunks_exact(n).zip(self.alphas.chunks_exact(w));
        for (c, (y, alpha)) in solved.enumerate() {
            let choice = &mut self.choices[c];
            if choice.deviation == 0.0 {
                continue;
            }
            fit.predict_latest(&y[n - w..], alpha, &mut self.predictions);
            let error = relative_error(&y[n - r..], &self.predictions, self.floor);
            if error < choice.error {
                (choice.fit, choice.window, choice.error) = (Some(index), w, error);
                let most = self.chosen.len() / self.models.len();
                self.chosen[c * most..c * most + w].copy_from_slice(alpha);
            }
        }
    }

    /// The quadratic of each response, in its own units; linear constraints as they are.
    fn expand(&mut self, surrogate: &mut Parts<'_>, distribution: &SearchDistribution) {
        let (d, told) = (distribution.dimension(), self.given.constraints.told());
        let most = self.chosen.len() / self.models.len();
        for (c, (model, choice)) in self.models.iter_mut().zip(&mut self.choices).enumerate() {
            model.gradient.fill(0.0);
            model.hessian.fill(0.0);
            let known = c.checked_sub(told + 1).and_then(|i| self.given.linear[i].as_ref());
            if let Some(coefficients) = known {
                // ∂/∂s of a·(x + Aᵀs): Aa.
                for (g, row) in model.gradient.iter_mut().zip(distribution.factor().chunks_exact(d)) {
                    *g = row.iter().zip(coefficients).map(|(a, b)| a * b).sum();
                }
                choice.error = 0.0;
                continue;
            }
            let Some(fit) = choice.fit else { continue };
            let quadratic = &mut surrogate.quadratic;
            let alpha = &self.chosen[c * most..c * most + choice.window];
            surrogate.frame.expand(alpha, surrogate.fits[fit].weight(), quadratic);
            for (own, found) in
                [(&mut model.gradient, &quadratic.gradient), (&mut model.hessian, &quadratic.hessian)]
            {
                own.iter_mut().zip(found).for_each(|(own, found)| *own = choice.deviation * found);
            }
        }
    }

    /// The step, multipliers and penalties; what the step promises of the merit.
    fn solve(&mut self, radius: f64, faces: Option<&mut super::faces::Faces>, before: &[f64]) {
        self.program.solve(&self.models, before, radius, faces);
        let feasible = self.program.is_feasible;
        let multipliers = if feasible { &self.program.multipliers[..] } else { before };
        let steep = |model: &Response| squared_norm(&model.gradient).sqrt();
        let value = steep(&self.models[0]);
        for ((penalty, model), multiplier) in
            self.penalties.iter_mut().zip(&self.models[1..]).zip(multipliers)
        {
            let slope = steep(model).max(f64::MIN_POSITIVE);
            let held = multiplier.abs().max(LEAST_MULTIPLIER * value / slope);
            *penalty = (PENALTY * held / (slope * radius)).clamp(f64::MIN_POSITIVE, f64::MAX);
        }
        self.lagrangian.adopt(multipliers, &self.penalties);
        for _ in 0..8 {
            self.promise();
            if self.decrease > 0.0 {
                break;
            }
            // The best point is so by its violations: the merit must see that these fall.
            self.penalties.iter_mut().for_each(|p| *p *= 10.0);
            self.lagrangian.set_penalties(&self.penalties);
        }
    }

    /// The merit of the best point, and by how much it falls with the step, as the models say.
    fn promise(&mut self) {
        let m = self.count();
        let constraints = &self.given.constraints;
        let at = &mut self.predictions;
        at.clear();
        at.extend(self.models.iter().map(|model| model.constant));
        self.best = self.lagrangian.merit(constraints, at[0], &at[1..]);
        at.clear();
        at.extend(self.models.iter().map(|model| model.value(&self.program.step, &mut self.slope)));
        debug_assert_eq!(at.len(), m + 1);
        self.decrease = self.best - self.lagrangian.merit(constraints, at[0], &at[1..]);
    }

    /// The largest error among the value's model and those of the constraints that count.
    fn error(&self) -> f64 {
        let counts = |i: usize| {
            self.program.multipliers[i] != 0.0
                || self.models[i + 1].constant > 0.0
                || !self.program.is_feasible
        };
        let constraints = (0..self.count()).filter(|&i| counts(i)).map(|i| self.choices[i + 1].error);
        constraints.fold(self.choices[0].error, f64::max)
    }
}

/// What the models borrow of the surrogate.
struct Parts<'a> {
    frame: &'a mut Frame,
    fits: &'a [Fit; 4],
    quadratic: &'a mut super::step::Quadratic,
}

impl Surrogate {
    /// Models of value and constraints, the step and its promise; the error of the models.
    pub(super) fn fit_constrained(
        &mut self,
        state: &mut State,
        distribution: &SearchDistribution,
        archive: &Archive,
    ) -> Option<Assessment> {
        let mut models = self.models.take()?;
        let found = self.fit_models(&mut models, state, distribution, archive);
        models.is_solved = found.is_some();
        self.models = Some(models);
        found
    }

    fn fit_models(
        &mut self,
        models: &mut Models,
        state: &mut State,
        distribution: &SearchDistribution,
        archive: &Archive,
    ) -> Option<Assessment> {
        let d = distribution.dimension();
        let known = archive.lagrangian();
        models.lagrangian.adopt(known.multipliers(), known.penalties());
        let radius = (d as f64).sqrt() * state.log_step.unwrap_or(0.0).exp();
        let mut last = None;
        for _ in 0..ROUNDS {
            archive.read_more(Reader::Surrogate, &mut self.rows);
            models.read(&mut self.rows, archive);
            models.merits(&mut self.costs);
            if self.costs.len() < d + 3 || !self.whiten(distribution, archive) {
                return None;
            }
            let best = self.frame.best_of(&self.costs);
            if last == Some(self.rows[best]) {
                break;
            }
            last = Some(self.rows[best]);
            let n = archive.capacity(Reader::Surrogate);
            self.frame.keep_nearest(n, false, &mut self.costs, &mut self.center);
            if !self.latest.rank(&self.costs, &self.frame.norms, d) {
                return None;
            }
            let (n, r) = (self.costs.len(), self.latest.len());
            models.set_responses(self.frame.nearest(n), r);
            let few = n.min(short_window(d, &self.tuning));
            self.frame.multiply(few);
            for index in [3, 0, 1] {
                models.try_fit(index, &mut self.fits[index], &self.frame, r);
            }
            if state.tries_exact(archive, d, &self.tuning) {
                if few < n {
                    self.frame.multiply(n);
                }
                models.try_fit(2, &mut self.fits[2], &self.frame, r);
            }
            let mut parts =
                Parts { frame: &mut self.frame, fits: &self.fits, quadratic: &mut self.quadratic };
            models.expand(&mut parts, distribution);
            if let Some(faces) = &mut self.faces {
                faces.make_room(&self.center);
            }
            models.solve(radius, self.faces.as_mut(), archive.lagrangian().multipliers());
        }
        models.make_lagrangian(&mut self.quadratic.gradient, &mut self.quadratic.hessian);
        state.promise = Some(Promise {
            power: None,
            deviation: 1.0,
            best: models.best,
            decrease: models.decrease,
            length: squared_norm(models.step()).sqrt() / radius,
        });
        let error = models.error();
        error.is_finite().then_some(Assessment { response: ResponseKind::Values, error })
    }
}

/// The squared errors of predictions, against those of the mean; both with a floor, so that no model counts as perfect.
fn relative_error(responses: &[f64], predictions: &[f64], floor: f64) -> f64 {
    let n = responses.len() as f64;
    let mean = responses.iter().sum::<f64>() / n;
    let spread: f64 = responses.iter().map(|y| (y - mean).powi(2)).sum();
    let off: f64 = responses.iter().zip(predictions).map(|(y, p)| (y - p).powi(2)).sum();
    if spread > 0.0 { (off + floor) / (spread + floor) } else { f64::INFINITY }
}
