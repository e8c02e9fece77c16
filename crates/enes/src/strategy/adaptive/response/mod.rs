//! The model of the values: near the information limit on smooth objectives.
//!
//! A quadratic in d dimensions has P = (d + 1)(d + 2)/2 coefficients; no method can learn it from fewer
//! values, and ranks need many times as many. So each generation asks, by leave-one-out error on the latest
//! points, whether a quadratic model of the values predicts them: of the values as they are, of their ranks
//! over a longer history, or of a power of them. Where one does, it takes a step within a trust region;
//! where none does, the rank rule moves the distribution as if there were no model.

mod clock;
mod history;
mod kernel;
mod lock;
mod power;
mod recent;
mod step;

use super::ranks::{NormalScores, Ranks};
use crate::gaussian::{Motion, SearchDistribution};
use crate::linalg::{self, CholeskySpace, cholesky_in_place};
#[cfg(feature = "timing")]
pub use clock::PARTS;
use clock::{Clock, Part};
use history::History;
use kernel::{Configuration, Fit, Frame};
use lock::Lock;
use power::{Power, Search};
use recent::Recent;
use step::Quadratic;

/// An interpolating configuration counts only if its error is below this: one that is wrong is very wrong.
const INTERPOLATES: f64 = 0.1;

/// A model of values must predict better than one of ranks by this factor: values mislead more.
const MARGIN: f64 = 0.8;

/// Shapes stay as they are for so many evaluations a dimension.
const BURN_IN: u64 = 3;

/// Ridges, anisotropies and falloffs.
const CONFIGURATIONS: [Configuration; 4] = [
    Configuration { ridge: 0.3, anisotropy: 1.0, falloff: 3.0 },
    Configuration { ridge: 0.01, anisotropy: 1.0, falloff: 3.0 },
    Configuration { ridge: 1e-13, anisotropy: 1.0, falloff: 1.5 },
    Configuration { ridge: 1e-13, anisotropy: 1e-4, falloff: 1.5 },
];

impl Configuration {
    fn interpolates(&self) -> bool {
        self.ridge < 1e-6
    }
}

/// What a model predicts.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize))]
#[non_exhaustive]
pub enum ResponseKind {
    /// The values as they are.
    Values,
    /// Normal scores of their ranks.
    Ranks,
    /// A power of their distance from an offset.
    Power,
}

impl ResponseKind {
    /// The name, as displays and records write it.
    pub fn name(self) -> &'static str {
        match self {
            Self::Values => "values",
            Self::Ranks => "ranks",
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

/// What a checkpoint keeps.
#[derive(Clone, Debug, PartialEq)]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize))]
pub(super) struct Memory {
    history: History,
    /// Evaluations of the search so far.
    evaluations: u64,
    power: Option<Power>,
    stride: f64,
    lock: Lock,
    /// The best model of the latest generation, and whether it ruled.
    pub(super) winner: Option<Winner>,
    pub(super) rules: bool,
}

/// The number of points to learn from: 1.5 P, at least 8d and 2λ.
fn history_limit(d: usize, lambda: usize) -> usize {
    let coefficients = (d + 1) * (d + 2) / 2;
    (3 * coefficients / 2).max(8 * d).max(2 * lambda)
}

/// The latest points, on which models are judged.
fn latest(d: usize) -> usize {
    d + 5
}

impl Memory {
    pub(super) fn new(d: usize, lambda: usize) -> Self {
        Self {
            history: History::new(history_limit(d, lambda), d),
            evaluations: 0,
            power: None,
            stride: 0.3,
            lock: Lock::new(),
            winner: None,
            rules: false,
        }
    }

    pub(super) fn remember(&mut self, points: &[f64], costs: &[f64]) {
        self.evaluations += costs.len() as u64;
        self.history.append(points, costs);
    }

    /// The next generation is the rank rule's.
    pub(super) fn abdicate(&mut self) {
        self.winner = None;
        self.rules = false;
    }

    #[cfg(feature = "serde")]
    pub(super) fn is_consistent(&self, d: usize, lambda: usize) -> bool {
        self.history.is_consistent(history_limit(d, lambda), d)
    }
}

/// Scratch space.
#[derive(Clone, Debug)]
pub(super) struct Response {
    frame: Frame,
    fits: Vec<Fit>,
    recent: Recent,
    ranks: Ranks,
    normal: NormalScores,
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
}

impl Response {
    pub(super) fn new(memory: &mut Memory, d: usize, lambda: usize, batch: usize) -> Self {
        let (n, r) = (history_limit(d, lambda), latest(d));
        memory.history.reserve(batch);
        Self {
            frame: Frame::new(n, d),
            fits: CONFIGURATIONS.iter().map(|c| Fit::new(*c, n, r)).collect(),
            recent: Recent::new(r),
            ranks: Ranks::new(n),
            normal: NormalScores::new(n),
            responses: Vec::with_capacity(3 * n),
            kinds: Vec::with_capacity(3),
            alphas: Vec::with_capacity(3 * n),
            best: Vec::with_capacity(n),
            predictions: Vec::with_capacity(r),
            errors: Vec::with_capacity(r * n),
            quadratic: Quadratic::new(d),
            space: CholeskySpace::new(d),
            clock: Clock::new(),
        }
    }

    /// Seconds of each part so far.
    #[cfg(feature = "timing")]
    pub(super) fn seconds(&self) -> [f64; 5] {
        self.clock.seconds
    }

    /// Fit all models and decide whether the best one rules.
    pub(super) fn judge(&mut self, memory: &mut Memory, distribution: &SearchDistribution) {
        self.clock.start();
        memory.winner = self.fit(memory, distribution).filter(|_| self.quadratic.diagonalize());
        self.clock.lap(Part::Step);
        memory.rules = memory.winner.is_some_and(|w| memory.lock.admits(w.error));
    }

    /// The best model, as a quadratic, and the power for the next generation.
    fn fit(&mut self, memory: &mut Memory, distribution: &SearchDistribution) -> Option<Winner> {
        let Memory { history, power, stride, .. } = memory;
        let d = distribution.dimension();
        let (n, costs) = (history.len(), history.costs());
        let sound = n > 0 && self.frame.whiten(history.points(), distribution.mean(), distribution.factor());
        if !(sound && self.recent.look(costs, &self.frame.norms, d)) {
            return None;
        }
        self.respond(costs, *power);
        self.frame.multiply();
        self.clock.lap(Part::Products);
        let mut best: Option<(f64, Winner, usize)> = None;
        let mut for_power: Option<(f64, usize)> = None;
        for (c, fit) in self.fits.iter_mut().enumerate() {
            let sound = fit.factorize(&self.frame, self.recent.len());
            self.clock.lap(Part::Factors);
            if !sound {
                continue;
            }
            self.alphas.clone_from(&self.responses);
            fit.solve(&mut self.alphas);
            let solved = self.responses.chunks_exact(n).zip(self.alphas.chunks_exact(n));
            for ((response, alpha), &kind) in solved.zip(&self.kinds) {
                fit.predict_latest(response, alpha, &mut self.predictions);
                let error = self.recent.error(&response[n - self.recent.len()..], &self.predictions);
                if !error.is_finite() || fit.configuration.interpolates() && error > INTERPOLATES {
                    continue;
                }
                let rated = if kind == ResponseKind::Ranks { error } else { error / MARGIN };
                if kind != ResponseKind::Ranks && for_power.is_none_or(|(least, _)| rated < least) {
                    for_power = Some((rated, c));
                }
                if best.is_none_or(|(least, ..)| rated < least) {
                    best = Some((rated, Winner { kind, error }, c));
                    self.best.clear();
                    self.best.extend_from_slice(alpha);
                }
            }
            self.clock.lap(Part::Solutions);
        }
        if let Some((_, c)) = for_power {
            self.fits[c].errors_of_latest(&mut self.errors);
            let response = &mut self.alphas[..n];
            let (recent, predictions) = (&mut self.recent, &mut self.predictions);
            let mut search = Search { costs, errors: &self.errors, recent, response, predictions };
            if let Some(found) = search.improve(*power, *stride) {
                (*power, *stride) = (Some(found.0), found.1);
            }
        }
        self.clock.lap(Part::Power);
        let (_, winner, c) = best?;
        let anisotropy = self.fits[c].configuration.anisotropy;
        self.frame.expand(&self.best, anisotropy, &mut self.quadratic);
        Some(winner)
    }

    /// The responses that can be standardised.
    fn respond(&mut self, costs: &[f64], power: Option<Power>) {
        let n = costs.len();
        self.responses.clear();
        self.kinds.clear();
        let kinds =
            [Some(ResponseKind::Values), Some(ResponseKind::Ranks), power.map(|_| ResponseKind::Power)];
        for kind in kinds.into_iter().flatten() {
            let from = self.responses.len();
            match (kind, power) {
                (ResponseKind::Ranks, _) => {
                    // The normal scores of ranks are large for small values.
                    self.responses.extend(self.normal.of(self.ranks.of(costs)).iter().map(|u| -u));
                }
                (ResponseKind::Power, Some(power)) => {
                    self.responses.resize(from + n, 0.0);
                    power.transform(costs, &mut self.responses[from..]);
                }
                _ => self.responses.extend_from_slice(costs),
            }
            if standardize(&mut self.responses[from..], self.recent.len()) {
                self.kinds.push(kind);
            } else {
                self.responses.truncate(from);
            }
        }
    }

    /// The motion that the ruling model asks for.
    pub(super) fn direct(&mut self, memory: &mut Memory, motion: &mut Motion) {
        let Some(winner) = memory.winner else { return motion.stand_still() };
        self.clock.start();
        let d = motion.shift.len();
        self.quadratic.trust_region_step(&mut motion.shift);
        let log_step = self.quadratic.log_step();
        memory.lock.note(winner.error, log_step);
        let mut shaped = memory.evaluations >= BURN_IN * d as u64;
        if shaped {
            self.quadratic.shape(winner.error, &mut motion.factor);
            shaped = cholesky_in_place(&mut motion.factor, d, &mut self.space);
        }
        if shaped {
            linalg::scale_to_unit_determinant(&mut motion.factor, d);
        } else {
            motion.factor.fill(0.0);
            motion.factor.iter_mut().step_by(d + 1).for_each(|u| *u = 1.0);
        }
        motion.scale(log_step.exp());
        self.clock.lap(Part::Step);
    }
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
