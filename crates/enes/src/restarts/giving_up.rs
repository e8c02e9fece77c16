//! When a search makes room for another: it has come to where an earlier one ended, sees nothing but noise, or has stalled above
//! an earlier one.

use super::trail::{Here, Outlook};
use super::{Regime, Searches};
use crate::archive::Archive;
use crate::math::cost;
use crate::search::SearchDistribution;
use crate::settings::{Params, Restarts};
use crate::stopping::{StopReason, Stopping, hist_window};

/// A search is hopeless when what it still varies by is less than this share of what it lacks.
const HOPELESS: f64 = 0.1;

/// Trails are looked for while the surrogate leads with no more error, and once the scale has fallen to this part of the initial
/// one: a wider search may yet end anywhere.
const PREDICTS: f64 = 0.5;
const SETTLING: f64 = 0.3;

impl Searches {
    /// While restarts are on: the optimum whose basin the present search has entered. The surrogate leads with this `error`.
    pub(crate) fn known_optimum(
        &mut self,
        params: &Params,
        distribution: &SearchDistribution,
        archive: &Archive,
        error: Option<f64>,
    ) -> Option<StopReason> {
        if params.restarts == Restarts::Off || self.ended.is_empty() {
            return None;
        }
        let (best, scratch, limits) = (self.best_cost, &mut self.scratch, params.strategy.limits());
        let known = self.optima.shapes().filter(|(_, least, _)| *least <= best);
        let predicted = { known }
            .find(|(_, least, shapes)| shapes.predict(*least, limits, archive, scratch))
            .map(|(place, ..)| place);
        // A larger population is there to see what smaller ones have overlooked: where they have ended says nothing of its end.
        let sees_more = self.regime == Regime::Large && !self.optima.may_be_alone();
        let place = predicted
            .or_else(|| self.optima.narrowed_to(distribution, params, best).filter(|_| !sees_more))
            .or_else(|| self.on_trail(params, distribution, archive, error))?;
        Some(StopReason::KnownOptimum { optimum: place + 1, value: self.optima.value(place) })
    }

    /// The optimum to which the trail leads that the present search has come upon.
    fn on_trail(
        &mut self,
        params: &Params,
        distribution: &SearchDistribution,
        archive: &Archive,
        error: Option<f64>,
    ) -> Option<usize> {
        let predicts = error.is_some_and(|error| error < PREDICTS);
        let scale = params.scale_of(distribution);
        if !predicts || scale > SETTLING || !self.optima.has_trails(scale) {
            return None;
        }
        let outlook = Outlook::new(Here::new(distribution, params), archive, &mut self.scratch)?;
        self.optima.on_trail(&outlook, self.best_cost, scale)
    }

    /// While restarts are on: a search that sees nothing but noise, or that has stalled above an earlier one, makes
    /// room for another. `without_signal` counts generations in which nothing but noise was seen; `promised` is what a model
    /// still promises that is certain that its minimum is where the best point is.
    pub(crate) fn reason_to_give_up(
        &self,
        params: &Params,
        stopping: &Stopping,
        without_signal: u64,
        promised: Option<f64>,
    ) -> Option<StopReason> {
        if params.restarts == Restarts::Off {
            return None;
        }
        let window = hist_window(self.population, params.search_dimension);
        if without_signal >= window as u64 {
            return Some(StopReason::NoSignal { generations: without_signal, limit: window });
        }
        let before = self.best_before.is_finite().then_some(self.best_before)?;
        let lacking = cost::lacking(self.best_cost, before);
        // Hops are many, and begin on the scale of a basin: on a wider one a bowl with ripples would be taken for its bottom.
        let promised =
            promised.filter(|promised| self.regime == Regime::Hop && *promised < HOPELESS * lacking);
        if let Some(range) = promised {
            return Some(StopReason::Hopeless { range, lacking });
        }
        let (low, high) = stopping.recent_best(window)?;
        let lacking = cost::lacking(low, before);
        let range = cost::difference(high, low);
        (range < HOPELESS * lacking).then_some(StopReason::Hopeless { range, lacking })
    }

    /// Whether the present search lies above a target by more than this, and others may follow.
    pub(crate) fn is_above(&self, params: &Params, target: f64, tolerance: f64) -> bool {
        params.restarts != Restarts::Off && cost::lacking(self.best_cost, params.sign * target) > tolerance
    }
}
