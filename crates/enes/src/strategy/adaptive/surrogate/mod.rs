//! The surrogate: a quadratic model of the values, near the information limit on smooth objectives.
//!
//! A quadratic in d dimensions has P = (d + 1)(d + 2)/2 coefficients; no method can learn it from fewer
//! values, and ranks need many times as many. So each generation asks, by leave-one-out error on the latest
//! points, whether a quadratic model predicts them: of the values as they are, or of a power of them. Where
//! one does, it takes a step within a trust region around the best point; where none does, the rank-based update moves
//! the distribution as if there were no surrogate.

mod constrained;
mod error;
mod exact;
mod exact_responses;
mod faces;
mod failures;
mod isotropic;
mod kernel;
mod known;
mod moves;
mod program;
mod region;
mod responses;
mod state;
mod step;
mod transform;
mod unbend;
mod verdict;

pub(super) use state::{Assessment, State};

use super::mode::{Doubt, Mode, ResponseKind};
use super::sizes::{latest, surrogate_window};
use super::tuning::SurrogateTuning;
use crate::archive::{Archive, Reader};
use crate::linalg::{CholeskySpace, rows_times_vector};
use crate::math::cost::is_infeasible;
use crate::search::SearchDistribution;
use crate::space::Limits;
pub(crate) use constrained::Constrained;
use constrained::Models;
use error::Latest;
use exact::Exact;
use faces::Faces;
use failures::Failures;
use isotropic::Isotropic;
use kernel::{Fit, Frame};
pub(crate) use known::KnownQuadratic;
use region::Promise;
use responses::Responses;
use step::Quadratic;
use transform::PatternSearch;
use unbend::Unbending;

/// The points that all models but the exact one see.
fn short_window(d: usize, tuning: &SurrogateTuning) -> usize {
    (tuning.window * d).max(4 * d + 8)
}

/// The number of the exact model.
const EXACT: usize = 2;

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
    assessment: Assessment,
    source: Source,
    /// The index of its response.
    response: usize,
}

/// Scratch space.
#[derive(Clone, Debug)]
pub(super) struct Surrogate {
    frame: Frame,
    /// High ridge, low ridge, exact, interpolating.
    fits: [Fit; 4],
    isotropic: Isotropic,
    exact: Exact,
    unbending: Unbending,
    /// Whether the power is exact.
    unbent: bool,
    latest: Latest,
    /// The best point, where the models' origin is.
    center: Vec<f64>,
    /// The step from there.
    step: Vec<f64>,
    /// Rows of the archive and their costs.
    rows: Vec<usize>,
    costs: Vec<f64>,
    failures: Failures,
    responses: Responses,
    /// The α of all responses under one configuration; that of the best.
    alphas: Vec<f64>,
    best: Vec<f64>,
    predictions: Vec<f64>,
    errors: Vec<f64>,
    quadratic: Quadratic,
    /// Where there are constraints that are told one by one, or known.
    models: Option<Models>,
    /// Where there is a box.
    faces: Option<Faces>,
    space: CholeskySpace,
    tuning: SurrogateTuning,
}

impl Surrogate {
    pub(super) fn new(
        d: usize,
        lambda: usize,
        limits: Option<Limits>,
        constrained: Option<Constrained>,
        tuning: SurrogateTuning,
    ) -> Self {
        let (n, r) = (surrogate_window(d, lambda), latest(d));
        let few = n.min(short_window(d, &tuning));
        let fit = |configuration, n| Fit::new(configuration, n, r);
        Self {
            frame: Frame::new(n, d),
            fits: [
                fit(tuning.high_ridge, few),
                fit(tuning.low_ridge, few),
                fit(tuning.exact, n),
                Fit::interpolating(tuning.interpolating, few, r),
            ],
            exact: Exact::new(d, n),
            unbending: Unbending::new(n, r),
            unbent: false,
            isotropic: Isotropic::new(tuning.exact, few, d),
            latest: Latest::new(r, tuning),
            center: vec![0.0; d],
            step: vec![0.0; d],
            rows: Vec::with_capacity(2 * n),
            costs: Vec::with_capacity(2 * n),
            failures: Failures::new(2 * n),
            responses: Responses::new(n),
            alphas: Vec::with_capacity(2 * n),
            best: Vec::with_capacity(n),
            predictions: Vec::with_capacity(r),
            errors: Vec::with_capacity(r * n),
            quadratic: Quadratic::new(d, tuning),
            models: constrained.map(|given| Models::new(given, d, n, tuning)),
            faces: limits.map(|limits| Faces::new(limits, tuning)),
            space: CholeskySpace::new(d),
            tuning,
        }
    }

    /// Fit all models to the archive, and say what the best one may do.
    pub(super) fn choose_mode(
        &mut self,
        state: &mut State,
        distribution: &SearchDistribution,
        archive: &Archive,
        doubt: Doubt,
    ) -> Mode {
        let rests = state.rests(doubt.complete);
        let has_exact = self.tuning.trust_region && self.models.is_none();
        if rests && !(has_exact && state.exact_is_due(archive)) {
            return Mode::Ranks;
        }
        state.best = self.fit(state, distribution, archive, rests).filter(|_| self.quadratic.diagonalize());
        let model = state.best.map(|best| (best.error, state.is_certain(best.error, &self.tuning)));
        let mode = state.record.choose_mode(model, doubt, &self.tuning);
        if mode == Mode::Ranks && !rests {
            state.rest(doubt.need, distribution.dimension());
        }
        mode
    }

    /// The best model, as a quadratic, and the power for the next generation. While others rest, only an exact one is tried.
    fn fit(
        &mut self,
        state: &mut State,
        distribution: &SearchDistribution,
        archive: &Archive,
        others_rest: bool,
    ) -> Option<Assessment> {
        let width = archive.lagrangian().width();
        if self.tuning.trust_region && self.models.as_ref().is_some_and(|models| models.count() == width) {
            return self.fit_constrained(state, distribution, archive);
        }
        let d = distribution.dimension();
        if !self.read(distribution, archive) {
            return None;
        }
        if self.tuning.trust_region && !state.record.is_at_wall() {
            self.failures.leave_out(&self.rows, archive, &mut self.frame, &mut self.costs, d);
        }
        if !self.latest.rank(&self.costs, &self.frame.norms, d) {
            return None;
        }
        let (n, power) = (self.costs.len(), state.power);
        self.responses.set(&self.costs, power, self.latest.len());
        let few = n.min(short_window(d, &self.tuning));
        self.unbent = false;
        let mut best = None;
        if !others_rest {
            self.try_others(few, &mut best);
        }
        if state.tries_exact(archive, d, &self.tuning) {
            if few < n || others_rest {
                self.frame.multiply(n);
            }
            state.exact_counts = self.try_exact(state, distribution, &mut best);
        }
        let best = best?;
        if !self.unbent {
            self.find_power(state, best);
        }
        self.expand(best);
        state.promise = self.tuning.trust_region.then(|| Promise {
            power: self.responses.power(best.response),
            deviation: self.responses.deviation(best.response),
            best: self.costs.iter().fold(f64::INFINITY, |least, &cost| least.min(cost)),
            decrease: 0.0,
            length: 0.0,
        });
        Some(best.assessment)
    }

    /// All models but the exact one, of so many of the nearest points.
    fn try_others(&mut self, few: usize, best: &mut Option<Best>) {
        self.frame.multiply(few);
        if self.tuning.trust_region && self.costs.len() > self.quadratic.gradient.len() + 2 {
            self.try_kernel(3, best);
        }
        self.try_kernel(0, best);
        self.try_kernel(1, best);
        self.try_isotropic(few, best);
    }

    /// Points and costs that the models see, around the best of them; false where there is nothing to model.
    fn read(&mut self, distribution: &SearchDistribution, archive: &Archive) -> bool {
        match self.tuning.trust_region {
            true => archive.read_more(Reader::Surrogate, &mut self.rows),
            false => archive.read(Reader::Surrogate, &mut self.rows),
        }
        archive.costs_of(&self.rows, &mut self.costs);
        if !(make_usable(&mut self.costs) && self.whiten(distribution, archive)) {
            return false;
        }
        if self.tuning.trust_region {
            let n = archive.capacity(Reader::Surrogate);
            let distinct = self.faces.as_ref().is_some_and(Faces::rounds);
            self.frame.keep_nearest(n, distinct, &mut self.costs, &mut self.center);
        }
        true
    }

    /// The rows in whitened coordinates; false where one is not finite.
    fn whiten(&mut self, distribution: &SearchDistribution, archive: &Archive) -> bool {
        match &mut self.faces {
            None => self.frame.whiten(&self.rows, archive, distribution),
            Some(faces) => {
                let inside = faces.stand_at(distribution);
                self.frame.whiten_inside(&self.rows, archive, distribution, inside)
            }
        }
    }

    /// The multipliers and penalties that the latest step goes with, where there are constraints, and whether it promises more
    /// than rounding.
    pub(super) fn multipliers(&self) -> Option<(&[f64], &[f64], bool)> {
        self.models.as_ref().and_then(Models::multipliers)
    }

    /// Fit one kernel model to every response.
    fn try_kernel(&mut self, index: usize, best: &mut Option<Best>) {
        let (n, r, m) = (self.costs.len(), self.latest.len(), self.frame.window);
        let fit = &mut self.fits[index];
        if !fit.factorize(&self.frame, r) {
            return;
        }
        self.alphas.clear();
        self.responses.each().for_each(|(y, _)| self.alphas.extend_from_slice(&y[n - m..]));
        fit.solve(&mut self.alphas);
        let solved = self.responses.each().zip(self.alphas.chunks_exact(m));
        for (response, ((y, power), alpha)) in solved.enumerate() {
            fit.predict_latest(&y[n - m..], alpha, &mut self.predictions);
            let error = self.latest.error(&y[n - r..], &self.predictions);
            if error.is_finite() && best.is_none_or(|b| error < b.assessment.error) {
                let assessment = Assessment { response: ResponseKind::of(power.is_some()), error };
                *best = Some(Best { assessment, source: Source::Kernel(index), response });
                self.best.clear();
                self.best.extend_from_slice(alpha);
            }
        }
    }

    /// The same for the isotropic model of the latest points.
    fn try_isotropic(&mut self, window: usize, best: &mut Option<Best>) {
        let (n, r, d) = (self.costs.len(), self.latest.len(), self.quadratic.gradient.len());
        let first = n - window;
        if !self.isotropic.factorize(&self.frame.whitened[first * d..], &self.frame.norms[first..]) {
            return;
        }
        // Where it is wrong a few points show it: only rows up to there are computed.
        let (errors, isotropic) = (&mut self.errors, &mut self.isotropic);
        errors.clear();
        for (response, (y, power)) in self.responses.each().enumerate() {
            let (y, oldest) = (&y[first..], window - r);
            let error = self.latest.error_up_to(self.tuning.exact_error, &y[oldest..], |i| {
                let row = i * window..(i + 1) * window;
                if errors.len() < row.end {
                    errors.resize(row.end, 0.0);
                    isotropic.error_of(oldest + i, &mut errors[row.clone()]);
                }
                let mut error = [0.0];
                rows_times_vector(&errors[row], y, &mut error);
                y[oldest + i] - error[0]
            });
            if error <= self.tuning.exact_error && best.is_none_or(|b| error < b.assessment.error) {
                let assessment = Assessment { response: ResponseKind::of(power.is_some()), error };
                *best = Some(Best { assessment, source: Source::Isotropic, response });
            }
        }
    }

    /// The power of the next generation, by the errors of the best model.
    fn find_power(&mut self, state: &mut State, best: Best) {
        match best.source {
            Source::Kernel(index) => self.fits[index].errors_of_latest(&mut self.errors),
            Source::Isotropic => self.isotropic.errors_of_latest(self.latest.len(), &mut self.errors),
        }
        let m = self.errors.len() / self.latest.len();
        let costs = &self.costs[self.costs.len() - m..];
        self.alphas.resize(m, 0.0);
        let (response, predictions) = (&mut self.alphas[..m], &mut self.predictions);
        let mut search =
            PatternSearch { costs, errors: &self.errors, latest: &mut self.latest, response, predictions };
        if let Some((power, stride)) = search.improve(state.power, state.stride, &self.tuning) {
            (state.power, state.stride) = (Some(power), stride);
        }
    }

    fn expand(&mut self, best: Best) {
        let n = self.costs.len();
        match best.source {
            Source::Kernel(EXACT) => self.exact.copy_best_to(&mut self.quadratic),
            Source::Kernel(i) => self.frame.expand(&self.best, self.fits[i].weight(), &mut self.quadratic),
            Source::Isotropic => {
                let y = self.responses.of(best.response);
                self.isotropic.expand(&y[n - self.isotropic.len()..], &mut self.quadratic);
            }
        }
    }
}

/// Make costs numbers that can be modelled: what failed or is infeasible counts as the worst that did not. False where
/// none is a number.
fn make_usable(costs: &mut [f64]) -> bool {
    let fails = |c: f64| c.is_nan() || c == f64::INFINITY || is_infeasible(c);
    let worst = costs.iter().filter(|c| !fails(**c)).fold(f64::NEG_INFINITY, |w, &c| w.max(c));
    costs.iter_mut().for_each(|c| *c = if fails(*c) { worst } else { c.max(f64::MIN) });
    worst > f64::NEG_INFINITY
}

#[cfg(test)]
mod tests;
