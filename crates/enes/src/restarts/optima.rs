//! The optima that searches have ended in: which of them are the same, how often each was found, and whether
//! another search is worth its evaluations.

use super::basin::Shapes;
use super::trail::{Here, Outlook, Trail, WITHIN};
use crate::math::cost;
use crate::search::SearchDistribution;
use crate::settings::Params;
use crate::stopping::StopReason;

/// Two searches that converged ended in the same optimum where they are no further apart than this, in initial
/// deviations, in every coordinate; or than so many of those that they had while costs still differed, which on a flat bottom are larger, but
/// no more than this part of the initial ones: what is flat everywhere is no optimum.
pub(super) const SAME_START: f64 = 1e-4;
const SAME_END: f64 = 10.0;
const MOST_APART: f64 = 0.1;

/// A bottom is flat where costs no longer differ at a scale between these, relative to the initial one. Two searches whose costs
/// are the same within `tolfun` ended in the same one where they are no further apart than this, in initial deviations.
const FLAT: (f64, f64) = (1e-4, 0.1);
const FLAT_APART: f64 = 0.5;

/// A search has narrowed to an optimum where its scale is at most this part of the initial one, and the optimum lies within
/// `WITHIN` deviations, as a root mean square.
const NARROW: f64 = 1e-3;

/// On a flat bottom so many times the scale at which costs no longer differ is narrow.
const NARROW_FLAT: f64 = 2.0;

/// Searches that have ended in an optimum before one that comes upon their trail ends there; one is enough once the scale has fallen
/// to this part of the initial one.
const TRODDEN: u64 = 2;
const SETTLED: f64 = 0.01;

/// A run in which all searches have ended in one optimum is not to take more than so many times the evaluations of the first one, if
/// all but one of those that are wanted have ended there.
const MOST_WORTH: f64 = 3.0;

/// Optima that are kept; beyond them a new one only counts.
const MOST_OPTIMA: usize = 1000;

/// Numbers that their shapes and trails have: beyond, further optima are kept without.
const MOST_NUMBERS: usize = 1 << 20;

/// A point in which searches have converged.
#[derive(Clone, Debug, PartialEq)]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize))]
#[non_exhaustive]
pub struct Optimum {
    /// The best point that was evaluated there.
    pub point: Vec<f64>,
    /// Its value, as the objective returned it.
    pub value: f64,
    /// By how much it violates the constraints: 0 where it is feasible.
    pub violation: f64,
    /// How many searches ended there: those that converged, and those that were on the way.
    pub found: u64,
    /// Evaluations of the run when it was found for the first time.
    pub evaluations: u64,
}

/// An optimum, and what belongs to it.
#[derive(Clone, Debug, PartialEq)]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize))]
struct Basin {
    optimum: Optimum,
    /// Whether a search has converged there; else it was given up there, above a better one.
    converged: bool,
    cost: f64,
    /// Mean of the search that ended there, in the search coordinates that a start there would have, and its deviations while
    /// costs still differed.
    mean: Vec<f64>,
    deviations: Vec<f64>,
    /// The scale of that search then, relative to the initial one.
    scale: f64,
    /// How costs grow around it, where a surrogate has found out.
    shapes: Shapes,
    /// The ways on which searches came here.
    trail: Trail,
}

/// The end of a search.
pub(super) struct Ending<'a> {
    pub(super) point: &'a [f64],
    pub(super) value: f64,
    pub(super) violation: f64,
    pub(super) cost: f64,
    pub(super) mean: Vec<f64>,
    pub(super) deviations: Vec<f64>,
    /// The search's, relative to the initial one.
    pub(super) scale: f64,
    pub(super) shapes: Shapes,
    pub(super) trail: Trail,
    /// Evaluations of the run.
    pub(super) evaluations: u64,
}

/// Optima in the order in which they were found.
#[derive(Clone, Debug, Default, PartialEq)]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize))]
pub(crate) struct Optima {
    basins: Vec<Basin>,
    /// Searches that ended somewhere.
    searches: u64,
    /// Optima that are not kept: searches that were given up were near one, which may be any.
    others: u64,
    /// Where the latest search ended, if that is known, and how many in a row ended there.
    latest: Option<usize>,
    in_a_row: u64,
}

impl Optima {
    /// The optima, the best first.
    pub(crate) fn sorted(&self) -> Vec<Optimum> {
        let mut basins: Vec<&Basin> = self.basins.iter().filter(|b| b.converged).collect();
        basins.sort_by(|a, b| cost::compare(a.cost, b.cost));
        basins.into_iter().map(|b| b.optimum.clone()).collect()
    }

    /// Where they lie, in the search coordinates that a start there would have.
    pub(super) fn places(&self) -> Vec<&[f64]> {
        self.basins.iter().map(|b| b.mean.as_slice()).collect()
    }

    /// The same, each with its cost.
    pub(super) fn places_and_costs(&self) -> impl Iterator<Item = (&[f64], f64)> {
        self.basins.iter().map(|b| (b.mean.as_slice(), b.cost))
    }

    /// The best optimum: its place, where it lies, and its cost.
    pub(super) fn best(&self) -> Option<(usize, &[f64], f64)> {
        let converged = self.basins.iter().enumerate().filter(|(_, b)| b.converged);
        let best = converged.min_by(|a, b| cost::compare(a.1.cost, b.1.cost));
        best.map(|(place, b)| (place, b.mean.as_slice(), b.cost))
    }

    /// How many there are, those included where searches were given up.
    #[cfg(feature = "serde")]
    pub(super) fn len(&self) -> usize {
        self.basins.len()
    }

    /// Whether no search has ended anywhere but in one optimum.
    pub(super) fn may_be_alone(&self) -> bool {
        self.basins.len() <= 1 && self.others == 0
    }

    /// The least cost in which a search has converged; infinite where none has.
    pub(crate) fn least_cost(&self) -> f64 {
        self.basins.iter().filter(|b| b.converged).map(|b| b.cost).fold(f64::INFINITY, f64::min)
    }

    /// By how much at least an optimum is worse than the best, those aside that are so by less than this.
    pub(super) fn least_difference(&self, level: f64) -> Option<f64> {
        let least = self.basins.iter().map(|b| b.cost).fold(f64::INFINITY, f64::min);
        let worse = self.basins.iter().map(|b| cost::difference(b.cost, least)).filter(|by| *by > level);
        let by = worse.fold(f64::INFINITY, f64::min);
        by.is_finite().then_some(by)
    }

    /// How costs grow around each optimum, with its place and its cost.
    pub(super) fn shapes(&self) -> impl Iterator<Item = (usize, f64, &Shapes)> {
        self.basins.iter().enumerate().map(|(i, b)| (i, b.cost, &b.shapes))
    }

    /// The optimum to which a search has narrowed, or on whose flat bottom it is, where it has none better; O(d²) for each.
    pub(super) fn narrowed_to(
        &self,
        present: &SearchDistribution,
        params: &Params,
        best: f64,
    ) -> Option<usize> {
        let (d, scale) = (present.dimension(), params.scale_of(present));
        let (here, mut way) = (Here::new(present, params), vec![0.0; d]);
        self.basins.iter().position(|basin| {
            let mut within = || here.towards(&basin.mean, &mut way) <= WITHIN * WITHIN * d as f64;
            let flat = || basin.is_flat_at(here.mean(), params, best);
            basin.cost <= best && (scale <= basin.narrow() && within() || flat())
        })
    }

    /// Whether there is a trail that enough searches have gone for one of this scale.
    pub(super) fn has_trails(&self, scale: f64) -> bool {
        self.basins.iter().any(|b| b.is_trodden(scale))
    }

    /// The optimum on whose trail a search of this scale is, where it has none better.
    pub(super) fn on_trail(&self, outlook: &Outlook<'_>, best: f64, scale: f64) -> Option<usize> {
        let shown = |b: &Basin| outlook.shows(&b.trail, (&b.mean, b.cost), best);
        self.basins.iter().position(|b| b.is_trodden(scale) && b.cost <= best && shown(b))
    }

    /// The value of an optimum.
    pub(super) fn value(&self, place: usize) -> f64 {
        self.basins.get(place).map_or(f64::NAN, |b| b.optimum.value)
    }

    /// The known optimum in which a search has ended that converged, or was given up above a better one.
    pub(super) fn place_of(&self, ending: &Ending<'_>, params: &Params) -> Option<usize> {
        let (initial, tolerance) = (params.start.standard_deviations(), params.rules.tolfun.unwrap_or(0.0));
        self.basins.iter().position(|basin| basin.is_at(ending, &initial, tolerance))
    }

    /// A search has converged, or was given up above a better one.
    pub(super) fn ended(&mut self, ending: Ending<'_>, params: &Params, converged: bool) {
        let place = self.place_of(&ending, params);
        match place {
            Some(place) => {
                self.improve(place, &ending);
                let basin = &mut self.basins[place];
                if converged && !basin.converged {
                    let Ending { mean, deviations, scale, shapes, .. } = ending;
                    *basin = Basin { converged, mean, deviations, scale, shapes, ..basin.clone() };
                }
            }
            None if self.basins.len() < MOST_OPTIMA => {
                let Ending {
                    point,
                    value,
                    violation,
                    cost,
                    mean,
                    deviations,
                    scale,
                    shapes,
                    trail,
                    evaluations,
                } = ending;
                let kept: usize = self.basins.iter().map(|b| b.shapes.size() + b.trail.size()).sum();
                let (shapes, trail) = if kept < MOST_NUMBERS { (shapes, trail) } else { Default::default() };
                let optimum = Optimum { point: point.to_vec(), value, violation, found: 0, evaluations };
                self.basins.push(Basin { optimum, converged, cost, mean, deviations, scale, shapes, trail });
            }
            None => return self.given_up(),
        }
        self.ended_in(place.unwrap_or(self.basins.len() - 1));
    }

    /// A search has entered the basin of an optimum that is known.
    pub(super) fn entered(&mut self, place: usize, ending: &Ending<'_>) {
        self.improve(place, ending);
        self.ended_in(place);
    }

    /// A search was given up where nothing is known.
    pub(super) fn given_up(&mut self) {
        self.searches += 1;
        self.others += 1;
        (self.latest, self.in_a_row) = (None, 0);
    }

    /// What a search has found in the basin of a known optimum, without counting it.
    pub(super) fn improve(&mut self, place: usize, ending: &Ending<'_>) {
        let Some(basin) = self.basins.get_mut(place) else { return };
        basin.trail.join(&ending.trail);
        if cost::compare(ending.cost, basin.cost).is_lt() {
            basin.cost = ending.cost;
            let optimum = &mut basin.optimum;
            (optimum.value, optimum.violation) = (ending.value, ending.violation);
            optimum.point.copy_from_slice(ending.point);
        }
    }

    fn ended_in(&mut self, place: usize) {
        self.basins[place].optimum.found += 1;
        self.searches += 1;
        self.in_a_row = if self.latest == Some(place) { self.in_a_row + 1 } else { 1 };
        self.latest = Some(place);
    }

    /// Boender and Rinnooy Kan's estimate of the number of optima that were not seen, w(w + 1)/(n − w − 2) after n
    /// searches that ended in w optima, of which one in w + 1 is better than all that were seen.
    fn unseen_and_better(&self) -> f64 {
        let (n, w) = (self.searches as f64, (self.basins.len() as u64 + self.others) as f64);
        if n > w + 2.0 { w / (n - w - 2.0) } else { f64::INFINITY }
    }

    /// Why more searching is not worth it, if so, where after another search the run will have taken so many times the evaluations
    /// of the first one. A target alone decides where there is one.
    pub(super) fn verdict(&self, params: &Params, worth: f64) -> Option<StopReason> {
        let rules = &params.rules;
        if rules.target.is_some() {
            return None;
        }
        let is_best = |b: &Basin| b.converged && b.cost <= self.least_cost();
        let best = self.latest.is_some_and(|place| is_best(&self.basins[place]));
        let searches = self.in_a_row;
        let dear = worth > MOST_WORTH && self.may_be_alone();
        let enough = |limit: u64| if dear { (limit - 1).max(2).min(limit) } else { limit };
        if let Some(limit) = rules.same_optimum.filter(|&limit| best && searches >= enough(limit)) {
            return Some(StopReason::SameOptimum { searches, limit });
        }
        let unseen = self.unseen_and_better();
        let limit = rules.unseen_optima.filter(|&limit| unseen <= limit)?;
        let (searches, optima) = (self.searches, self.basins.len() as u64 + self.others);
        Some(StopReason::NoBetterOptimum { searches, optima, unseen, limit })
    }

    #[cfg(feature = "serde")]
    pub(super) fn is_consistent(&self, dimensions: (usize, usize)) -> bool {
        let (users, d) = dimensions;
        let fits = |b: &Basin| {
            b.optimum.point.len() == users
                && b.mean.len() == d
                && b.deviations.len() == d
                && crate::math::is_count(b.optimum.found)
                && b.shapes.is_consistent(d)
                && b.trail.is_consistent(d)
        };
        self.basins.iter().all(fits)
            && self.basins.len() <= MOST_OPTIMA
            && [self.searches, self.others, self.in_a_row].into_iter().all(crate::math::is_count)
            && self.latest.is_none_or(|place| place < self.basins.len())
    }
}

impl Basin {
    /// Whether its trail was gone often enough for a search of this scale.
    fn is_trodden(&self, scale: f64) -> bool {
        self.optimum.found >= if scale <= SETTLED { 1 } else { TRODDEN }
    }

    /// Whether a search with this mean and this best cost is on the flat bottom, as far down as it is known.
    fn is_flat_at(&self, mean: &[(f64, bool)], params: &Params, best: f64) -> bool {
        let near = |j: usize| (self.mean[j] - mean[j].0).abs() <= FLAT_APART * params.start.deviation(j);
        is_flat(self.scale)
            && cost::difference(best, self.cost) <= params.rules.tolfun.unwrap_or(0.0)
            && (0..mean.len()).all(near)
    }

    /// The scale at which a search has narrowed to it: a small one, or one at which the bottom is nearly flat.
    fn narrow(&self) -> f64 {
        if is_flat(self.scale) { NARROW.max(NARROW_FLAT * self.scale) } else { NARROW }
    }

    /// Whether a search that converged has ended here. Costs that differ by less than `tolerance` are the same.
    fn is_at(&self, ending: &Ending<'_>, initial: &[f64], tolerance: f64) -> bool {
        let flat = is_flat(self.scale.max(ending.scale))
            && cost::difference(self.cost.max(ending.cost), self.cost.min(ending.cost)) <= tolerance;
        let own = self.deviations.iter().zip(&ending.deviations).map(|(a, b)| SAME_END * a.max(*b));
        let clamped = |first: f64, own: f64| own.clamp(SAME_START * first, MOST_APART * first);
        let allowed = initial
            .iter()
            .zip(own)
            .map(|(&first, own)| if flat { FLAT_APART * first } else { clamped(first, own) });
        // The means of searches among whole numbers are not where their best points are.
        self.optimum.point == ending.point
            || self
                .mean
                .iter()
                .zip(&ending.mean)
                .zip(allowed)
                .all(|((a, b), allowed)| (a - b).abs() <= allowed)
    }
}

/// Whether an optimum is flat whose costs no longer differ at this scale.
fn is_flat(scale: f64) -> bool {
    (FLAT.0..=FLAT.1).contains(&scale)
}

#[cfg(test)]
mod tests;
