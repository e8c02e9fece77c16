//! The model of the values: near the information limit on smooth objectives.
//!
//! A quadratic in d dimensions has P = (d + 1)(d + 2)/2 coefficients; no method can learn it from fewer
//! values, and ranks need many times as many. So each generation asks, by leave-one-out error on the latest
//! points, whether a quadratic model predicts them: of the values as they are, or of a power of them. Where
//! one does, it takes a step within a trust region; where none does, the rank rule moves the distribution as
//! if there were no model.

mod clock;
mod history;
mod isotropic;
mod kernel;
mod lock;
mod memory;
mod power;
mod recent;
mod step;

use super::Ablation;
use crate::gaussian::{Motion, SearchDistribution};
use crate::linalg::{self, CholeskySpace, cholesky_in_place, wide_dot};
#[cfg(feature = "timing")]
pub use clock::PARTS;
use clock::{Clock, Part};
use isotropic::Isotropic;
use kernel::{Configuration, Fit, Frame};
use lock::Authority;
pub(super) use memory::Memory;
use memory::{history_limit, latest};
use power::{Power, Search};
use recent::Recent;
use step::Quadratic;

/// A stiff model and a supple one of the latest points: their ridges 0.3 and 0.01 suit rugged and smooth
/// objectives, and both earn their keep.
const STIFF: Configuration = Configuration { ridge: 0.3, falloff: 3.0 };
const SUPPLE: Configuration = Configuration { ridge: 0.01, falloff: 3.0 };

/// A model of all points that has next to no ridge: it finds a quadratic exactly, once there are as many
/// points as coefficients.
const EXACT: Configuration = Configuration { ridge: 1e-13, falloff: 1.5 };

/// Models without a ridge count only if their error is below this: one that is wrong is very wrong.
const EXACT_ERROR: f64 = 0.1;

/// The points that stiff, supple and isotropic models look at: the latest 10 a dimension. More cost time,
/// which grows with their cube, and gain nothing.
fn window(d: usize) -> usize {
    (10 * d).max(4 * d + 8)
}

/// Shapes stay as they are for so many evaluations a dimension: a model of fewer points has no axes.
const BURN_IN: u64 = 3;

/// What a model predicts.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize))]
#[non_exhaustive]
pub enum ResponseKind {
    /// The values as they are.
    Values,
    /// A power of their distance from an offset.
    Power,
}

impl ResponseKind {
    /// The name, as displays and records write it.
    pub fn name(self) -> &'static str {
        match self {
            Self::Values => "values",
            Self::Power => "power",
        }
    }
}

/// The best model of a generation: what it predicts, and its leave-one-out error.
#[derive(Clone, Copy, Debug, PartialEq)]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize))]
pub(super) struct Winner {
    pub(super) kind: ResponseKind,
    pub(super) error: f64,
}

/// Which model it was.
#[derive(Clone, Copy, Debug, PartialEq)]
enum Source {
    /// By index.
    Kernel(usize),
    Isotropic,
}

/// The best model so far.
#[derive(Clone, Copy, Debug)]
struct Best {
    winner: Winner,
    source: Source,
    /// The index of its response.
    response: usize,
}

/// Scratch space.
#[derive(Clone, Debug)]
pub(super) struct Response {
    frame: Frame,
    fits: [Fit; 3],
    isotropic: Isotropic,
    recent: Recent,
    costs: Vec<f64>,
    /// Responses one after another, and what they are; their α under one configuration; that of the best.
    responses: Vec<f64>,
    kinds: Vec<ResponseKind>,
    alphas: Vec<f64>,
    best: Vec<f64>,
    predictions: Vec<f64>,
    errors: Vec<f64>,
    quadratic: Quadratic,
    space: CholeskySpace,
    clock: Clock,
    without: Option<Ablation>,
}

impl Response {
    /// With generations of at most `rows` points.
    pub(super) fn new(
        memory: &mut Memory,
        d: usize,
        lambda: usize,
        rows: usize,
        without: Option<Ablation>,
    ) -> Self {
        let (n, r) = (history_limit(d, lambda), latest(d));
        let few = n.min(window(d));
        memory.history.reserve(rows);
        let fit = |configuration, n| Fit::new(configuration, n, r);
        Self {
            frame: Frame::new(n, d),
            fits: [fit(STIFF, few), fit(SUPPLE, few), fit(EXACT, n)],
            isotropic: Isotropic::new(few, d),
            recent: Recent::new(r),
            costs: Vec::with_capacity(n + rows),
            responses: Vec::with_capacity(2 * n),
            kinds: Vec::with_capacity(2),
            alphas: Vec::with_capacity(2 * n),
            best: Vec::with_capacity(n),
            predictions: Vec::with_capacity(r),
            errors: Vec::with_capacity(r * n),
            quadratic: Quadratic::new(d),
            space: CholeskySpace::new(d),
            clock: Clock::new(),
            without,
        }
    }

    /// Seconds of each part so far.
    #[cfg(feature = "timing")]
    pub(super) fn seconds(&self) -> [f64; 5] {
        self.clock.seconds
    }

    /// Fit all models; whether the best one may advise the rank rule. Where it rules, `memory.rules`.
    pub(super) fn judge(&mut self, memory: &mut Memory, distribution: &SearchDistribution) -> bool {
        self.clock.start();
        memory.winner = self.fit(memory, distribution).filter(|_| self.quadratic.diagonalize());
        let authority = memory.record.judge(memory.winner.map(|w| w.error), self.without);
        memory.rules = authority == Authority::Rules;
        self.clock.lap(Part::Step);
        authority == Authority::Advises
    }

    /// The best model, as a quadratic, and the power for the next generation.
    fn fit(&mut self, memory: &mut Memory, distribution: &SearchDistribution) -> Option<Winner> {
        let (n, d) = (memory.history.len(), distribution.dimension());
        let usable = memory.history.usable_costs(&mut self.costs);
        let (mean, factor) = (distribution.mean(), distribution.factor());
        let sound = usable && self.frame.whiten(memory.history.points(), mean, factor);
        if !(sound && self.recent.look(&self.costs, &self.frame.norms, d)) {
            return None;
        }
        self.respond(memory.power);
        let few = n.min(window(d));
        self.frame.multiply(few);
        self.clock.lap(Part::Products);
        let mut best = None;
        self.try_kernel(0, &mut best);
        self.try_kernel(1, &mut best);
        self.try_isotropic(few, &mut best);
        if memory.tries_exact(d) {
            if few < n {
                self.frame.multiply(n);
                self.clock.lap(Part::Products);
            }
            memory.exact_counts = self.try_kernel(2, &mut best);
        }
        let best = best?;
        self.find_power(memory, best);
        self.clock.lap(Part::Power);
        self.expand(best);
        Some(best.winner)
    }

    /// Fit one kernel model to every response; true where one counts.
    fn try_kernel(&mut self, index: usize, best: &mut Option<Best>) -> bool {
        let (n, r, m) = (self.costs.len(), self.recent.len(), self.frame.window);
        let fit = &mut self.fits[index];
        let sound = fit.factorize(&self.frame, r);
        self.clock.lap(Part::Factors);
        if !sound {
            return false;
        }
        self.alphas.clear();
        self.responses.chunks_exact(n).for_each(|y| self.alphas.extend_from_slice(&y[n - m..]));
        fit.solve(&mut self.alphas);
        let mut counts = false;
        let solved = self.responses.chunks_exact(n).zip(self.alphas.chunks_exact(m));
        for (response, ((y, alpha), &kind)) in solved.zip(&self.kinds).enumerate() {
            fit.predict_latest(&y[n - m..], alpha, &mut self.predictions);
            let error = self.recent.error(&y[n - r..], &self.predictions);
            if !error.is_finite() || fit.is_exact() && error > EXACT_ERROR {
                continue;
            }
            counts = true;
            if best.is_none_or(|b| error < b.winner.error) {
                let winner = Winner { kind, error };
                *best = Some(Best { winner, source: Source::Kernel(index), response });
                self.best.clear();
                self.best.extend_from_slice(alpha);
            }
        }
        self.clock.lap(Part::Solutions);
        counts
    }

    /// The same for the isotropic model of the latest points.
    fn try_isotropic(&mut self, window: usize, best: &mut Option<Best>) {
        let (n, r, d) = (self.costs.len(), self.recent.len(), self.quadratic.gradient.len());
        let first = n - window;
        if !self.isotropic.factorize(&self.frame.whitened[first * d..], &self.frame.norms[first..]) {
            return;
        }
        self.isotropic.errors_of_latest(r, &mut self.errors);
        for (response, (y, &kind)) in self.responses.chunks_exact(n).zip(&self.kinds).enumerate() {
            predict(&self.errors, &y[first..], r, &mut self.predictions);
            let error = self.recent.error(&y[n - r..], &self.predictions);
            if error <= EXACT_ERROR && best.is_none_or(|b| error < b.winner.error) {
                *best = Some(Best { winner: Winner { kind, error }, source: Source::Isotropic, response });
            }
        }
        self.clock.lap(Part::Solutions);
    }

    /// The power of the next generation, by the errors of the best model.
    fn find_power(&mut self, memory: &mut Memory, best: Best) {
        match best.source {
            Source::Kernel(index) => self.fits[index].errors_of_latest(&mut self.errors),
            Source::Isotropic => self.isotropic.errors_of_latest(self.recent.len(), &mut self.errors),
        }
        let m = self.errors.len() / self.recent.len();
        let costs = &self.costs[self.costs.len() - m..];
        self.alphas.resize(m, 0.0);
        let (response, predictions) = (&mut self.alphas[..m], &mut self.predictions);
        let mut search =
            Search { costs, errors: &self.errors, recent: &mut self.recent, response, predictions };
        if let Some((power, stride)) = search.improve(memory.power, memory.stride) {
            (memory.power, memory.stride) = (Some(power), stride);
        }
    }

    fn expand(&mut self, best: Best) {
        let n = self.costs.len();
        match best.source {
            Source::Kernel(_) => self.frame.expand(&self.best, &mut self.quadratic),
            Source::Isotropic => {
                let y = &self.responses[best.response * n..(best.response + 1) * n];
                self.isotropic.expand(&y[n - self.isotropic.len()..], &mut self.quadratic);
            }
        }
    }

    /// The responses that can be standardised.
    fn respond(&mut self, power: Option<Power>) {
        self.responses.clear();
        self.kinds.clear();
        self.responses.extend_from_slice(&self.costs);
        match standardize(&mut self.responses, self.recent.len()) {
            true => self.kinds.push(ResponseKind::Values),
            false => self.responses.clear(),
        }
        let Some(power) = power else { return };
        let from = self.responses.len();
        self.responses.resize(from + self.costs.len(), 0.0);
        power.transform(&self.costs, &mut self.responses[from..]);
        match standardize(&mut self.responses[from..], self.recent.len()) {
            true => self.kinds.push(ResponseKind::Power),
            false => self.responses.truncate(from),
        }
    }

    /// The motion that the ruling model asks for.
    pub(super) fn rule(&mut self, memory: &mut Memory, motion: &mut Motion) {
        let Some(winner) = memory.winner else { return motion.stand_still() };
        self.clock.start();
        self.quadratic.trust_region_step(&mut motion.shift);
        let log_step = self.quadratic.log_step();
        memory.record.note(winner.error, log_step);
        let error = if self.without == Some(Ablation::Clip) { 0.0 } else { winner.error };
        self.quadratic.shape(error, &mut motion.factor);
        self.take_shape(memory, &mut motion.factor);
        motion.scale(log_step.exp());
        self.clock.lap(Part::Step);
    }

    /// Mean and shape of a motion whose step is the rank rule's.
    pub(super) fn advise(&mut self, memory: &Memory, motion: &mut Motion) {
        let Some(winner) = memory.winner else { return };
        self.quadratic.gentle_step(&mut motion.shift);
        self.quadratic.gentle_shape(winner.error, &mut motion.factor);
        self.take_shape(memory, &mut motion.factor);
    }

    /// U with UᵀU the given matrix, of determinant 1; the identity in the beginning, and where there is none.
    fn take_shape(&mut self, memory: &Memory, factor: &mut [f64]) {
        let d = self.quadratic.gradient.len();
        let burn_in = if self.without == Some(Ablation::BurnIn) { 0 } else { BURN_IN * d as u64 };
        if memory.evaluations >= burn_in && cholesky_in_place(factor, d, &mut self.space) {
            return linalg::scale_to_unit_determinant(factor, d);
        }
        factor.fill(0.0);
        factor.iter_mut().step_by(d + 1).for_each(|u| *u = 1.0);
    }
}

/// Leave-one-out predictions of the latest r points from the rows that give their errors.
fn predict(errors: &[f64], response: &[f64], r: usize, out: &mut Vec<f64>) {
    let n = response.len();
    let error = errors.chunks_exact(n).map(|row| wide_dot(row, response));
    out.clear();
    out.extend(response[n - r..].iter().zip(error).map(|(y, e)| y - e));
}

/// Mean 0 and variance 1 of the latest r responses; false where that cannot be.
fn standardize(response: &mut [f64], r: usize) -> bool {
    let latest = &response[response.len() - r..];
    // Scaled first, so that 1e-300 and 1e300 have a square.
    let (low, high) =
        latest.iter().fold((f64::INFINITY, f64::NEG_INFINITY), |b, y| (b.0.min(*y), b.1.max(*y)));
    let range = 0.5 * high - 0.5 * low;
    if !(range > 0.0 && range.is_finite() && range.recip().is_finite()) {
        return false;
    }
    let scale = range.recip();
    let mean = latest.iter().map(|y| (0.5 * y - 0.5 * low) * scale).sum::<f64>() / r as f64;
    let squares = latest.iter().map(|y| ((0.5 * y - 0.5 * low) * scale - mean).powi(2)).sum::<f64>();
    let deviation = (squares / r as f64).sqrt();
    for y in response.iter_mut() {
        *y = ((0.5 * *y - 0.5 * low) * scale - mean) / deviation;
    }
    response.iter().all(|y| y.is_finite())
}

#[cfg(test)]
mod tests;
