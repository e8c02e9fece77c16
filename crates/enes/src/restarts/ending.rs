//! The end of a search: where it is, and how well that is known.

use super::optima::{Ending, SAME_START};
use super::{Regime, Searches};
use crate::math::cost;
use crate::search::Search;
use crate::settings::{Params, Restarts};
use crate::stopping::StopReason;

impl Searches {
    /// A generation of the present search: at which scale costs still differ is what its end is known to.
    pub(crate) fn note_scale(&mut self, params: &Params, search: &Search) {
        if params.restarts != Restarts::Off {
            self.trail.follow(&self.best_point, self.best_cost);
        }
        let Search { distribution, population, .. } = search;
        let range = cost::range(population.costs().iter().copied());
        if params.restarts != Restarts::Off && range > params.rules.tolfun.unwrap_or(0.0) {
            self.told_apart.0.resize(distribution.dimension(), 0.0);
            distribution.standard_deviations_into(&mut self.told_apart.0);
            self.told_apart.1 = params.scale_of(distribution);
        }
    }

    /// Whether the best point of the present search lies where it has ended. At a pointed optimum costs differ there.
    fn is_best_at(&self, mean: &[f64], params: &Params) -> bool {
        let Ok(best) = params.space.start_at(&self.best_point) else { return false };
        let mut each = best.iter().zip(params.space.canonical(mean)).zip(params.start.standard_deviations());
        each.all(|((a, (b, _)), first)| (a - b).abs() <= SAME_START * first)
    }

    /// The present search has ended: where is remembered, once. `search` is as it was last, with what it may be off by, in
    /// deviations, where a model says so. Its best point may be a lucky one
    /// of another basin, so that the best of the last generation is what was found here; not so `by_merit`, where the costs
    /// of a generation order values and constraints together, and only the best point is known by its own.
    pub(crate) fn count_end(
        &mut self,
        params: &Params,
        reason: &StopReason,
        (search, known_to): (&Search, Option<f64>),
        evaluations: u64,
        by_merit: bool,
    ) {
        self.constrained |= by_merit;
        // Lines that lead nowhere are no search: whoever looks for better points near an optimum is near it in the end.
        if self.on_lines || self.counted || params.noisy || !self.best_cost.is_finite() {
            return;
        }
        self.counted = true;
        if params.restarts == Restarts::Off {
            self.only = reason.is_convergence().then_some(evaluations);
            return;
        }
        let Search { distribution, population, .. } = search;
        let rows = population.costs().iter().enumerate().filter(|(_, c)| c.is_finite());
        let Some((row, &cost)) = rows.min_by(|a, b| cost::compare(*a.1, *b.1)) else { return };
        let mut point = vec![0.0; params.dimension];
        params.space.users(population.point(row), &mut point);
        let mean = distribution.mean();
        let near = by_merit
            || cost - self.best_cost <= params.rules.tolfun.unwrap_or(0.0)
            || self.is_best_at(mean, params);
        let last = || (distribution.standard_deviations(), params.scale_of(distribution));
        let (deviations, scale) = match known_to {
            // The minimum of a certain model is no flat bottom.
            Some(part) => (last().0.into_iter().map(|s| part * s).collect(), 0.0),
            None if self.told_apart.0.is_empty() => last(),
            None => self.told_apart.clone(),
        };
        let trail = self.trail.searched(params);
        let ending = Ending {
            point: if near { &self.best_point } else { &point },
            value: if near { self.best.0 } else { params.sign * cost },
            violation: if near { self.best.1 } else { cost::violation(cost) },
            cost: if near { self.best_cost } else { cost },
            mean: params.space.canonical(mean).into_iter().map(|(z, _)| z).collect(),
            scale,
            deviations,
            shapes: self.path.end_at(mean, if near { self.best_cost } else { cost }, &trail),
            evaluations,
            trail,
        };
        let ended = reason.is_convergence() || matches!(reason, StopReason::Hopeless { .. });
        let known = match reason {
            StopReason::KnownOptimum { optimum, .. } => Some(optimum - 1),
            _ => self.optima.place_of(&ending, params).filter(|_| ended),
        };
        self.hops.fell_back = self.is_back(params, ending.cost, known);
        // Who begins near an optimum says nothing of how many there are by ending in one that is known.
        if let (Regime::Hop, Some(place)) = (self.regime, known) {
            return self.optima.improve(place, &ending);
        }
        match reason {
            StopReason::KnownOptimum { optimum, .. } => self.optima.entered(optimum - 1, &ending),
            reason if reason.is_convergence() => self.optima.ended(ending, params, true),
            StopReason::Hopeless { .. } => self.optima.ended(ending, params, false),
            reason if reason.is_limit() => {}
            _ => self.optima.given_up(),
        }
    }
}
