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

/// Of the generations over which a search is judged, the part after which it has seen nothing but noise, and the part over which
/// it is level with an earlier one.
const NOISE: usize = 2;
const SHORT: usize = 4;

/// A search is level with an earlier one where it differs from it by less than this part of what makes optima differ.
const LEVEL: f64 = 1e-3;

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
        let limit = window.div_ceil(NOISE);
        if without_signal >= limit as u64 {
            return Some(StopReason::NoSignal { generations: without_signal, limit });
        }
        let before = self.best_before.is_finite().then_some(self.best_before)?;
        let lacking = cost::lacking(self.best_cost, before);
        // Hops are many, and begin on the scale of a basin: on a wider one a bowl with ripples would be taken for its bottom.
        let promised =
            promised.filter(|promised| self.regime == Regime::Hop && *promised < HOPELESS * lacking);
        if let Some(range) = promised {
            return Some(StopReason::Hopeless { range, lacking });
        }
        if let Some(level) = self.level(params, before, stopping.recent_best(window.div_ceil(SHORT))) {
            return Some(level);
        }
        let (low, high) = stopping.recent_best(window)?;
        let lacking = cost::lacking(low, before);
        let range = cost::difference(high, low);
        (range < HOPELESS * lacking).then_some(StopReason::Hopeless { range, lacking })
    }

    /// A search that has come level with an earlier one, and falls no more: it is in the same valley, or in one as good. What it has
    /// fallen by may be huge, and says little of what differs at the bottom: optima that differ do. Not one that repeats the first:
    /// where it ends is what it is for; nor where a target is as near.
    fn level(&self, params: &Params, before: f64, recent: Option<(f64, f64)>) -> Option<StopReason> {
        let (low, high) = recent.filter(|_| self.regime != Regime::First)?;
        let fall = cost::difference(self.first_cost, self.best_cost);
        let least = LEVEL * fall.min(self.optima.least_difference(LEVEL * fall)?);
        let apart = cost::difference(self.best_cost.max(before), self.best_cost.min(before));
        let range = cost::difference(high, low);
        let near = params.rules.target.is_some_and(|target| !self.is_above(params, target, least));
        let level = least.is_finite() && range < least && apart < least && !near;
        level.then_some(StopReason::Hopeless { range, lacking: apart })
    }

    /// Whether the present search lies above a target by more than this, and others may follow.
    pub(crate) fn is_above(&self, params: &Params, target: f64, tolerance: f64) -> bool {
        params.restarts != Restarts::Off && cost::lacking(self.best_cost, params.sign * target) > tolerance
    }
}

#[cfg(test)]
mod tests {
    use super::super::hops::tests::end;
    use super::*;
    use crate::settings::Settings;

    #[test]
    fn a_search_is_level_where_it_falls_no_more_and_is_as_good_as_an_earlier_one_for_all_that_makes_optima_differ()
     {
        let settings = Settings::within([(-4.0, 4.0)]).max_evaluations(100);
        let params = Params::new(&settings).unwrap();
        let mut searches = Searches::new(params.population);
        let is_level = |searches: &mut Searches, first: f64, before: f64, range: f64| {
            (searches.regime, searches.first_cost, searches.best_cost) = (Regime::Hop, first, 1.0);
            searches.level(&params, before, Some((1.0, 1.0 + range))).is_some()
        };
        end(&mut searches, &params, Regime::First, 1.0, 1.0);
        assert!(!is_level(&mut searches, 3.0, 1.0, 0.0), "nothing says how much optima differ by");
        end(&mut searches, &params, Regime::Small, -2.0, 1.5);
        for (before, range) in [(1.0, 0.0), (1.0 - 4e-4, 4e-4), (1.0 + 4e-4, 4e-4)] {
            assert!(is_level(&mut searches, 3.0, before, range), "{before} {range}");
        }
        assert!(!is_level(&mut searches, 3.0, 1.0 - 6e-4, 0.0), "another value");
        assert!(!is_level(&mut searches, 3.0, 1.0 + 6e-4, 0.0), "another value");
        assert!(!is_level(&mut searches, 3.0, 1.0, 6e-4), "it still falls");
        // From far above the differences of these optima would be rounding.
        assert!(!is_level(&mut searches, 1e9, 1.0, 0.0));
        // A first value that failed, or that was infeasible, says nothing of the fall.
        assert!(!is_level(&mut searches, f64::INFINITY, 1.0, 0.0));
        assert!(searches.level(&params, 1.0, None).is_none());
        searches.first_cost = 3.0;
        let towards = |target: f64| {
            let params = Params::new(&settings.clone().target(target)).unwrap();
            searches.level(&params, 1.0, Some((1.0, 1.0))).is_some()
        };
        assert_eq!([1.0 - 4e-4, 1.0 - 6e-4].map(towards), [false, true], "a target may be in this valley");
        searches.regime = Regime::First;
        assert!(searches.level(&params, 1.0, Some((1.0, 1.0))).is_none(), "the first search is repeated");
    }
}
