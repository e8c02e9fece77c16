//! Hops: local searches that begin near the best point, at a distance that is learned.
//!
//! Where optima have a trend, the neighbours of the best one are better than what chance finds: monotonic basin hopping (Leary
//! 2000). A hop that falls back was too short, one that ends elsewhere long enough: the distance doubles and halves, so that
//! about half of them leave the basin. Every other hop begins where the trend of all optima leads, if they have one.

use super::Searches;
use super::regimes::{NEAR, SMALLEST_SCALE, small_scale};
use super::trend;
use crate::math::cost;
use crate::random::Generator;
use crate::search::SearchDistribution;
use crate::settings::{Params, Starts};

/// By how much the distance grows or shrinks.
const FACTOR: f64 = 2.0;

/// How far hops go.
#[derive(Clone, Copy, Debug, PartialEq)]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize))]
pub(super) struct Hops {
    /// The deviation of a start from the best point, in initial deviations.
    distance: f64,
    /// Whether the latest search fell back: its end is the best optimum, or one as good.
    pub(super) fell_back: bool,
    /// Whether the latest hop began where the trend of the optima leads.
    by_trend: bool,
}

impl Default for Hops {
    /// In the middle of the scales of small searches.
    fn default() -> Self {
        Self { distance: 10f64.powf(SMALLEST_SCALE / 2.0), fell_back: false, by_trend: false }
    }
}

impl Hops {
    /// A hop has ended without a new best. One that followed the trend says nothing of the distance.
    pub(super) fn learn(&mut self) {
        if self.by_trend {
            return;
        }
        let factor = if self.fell_back { FACTOR } else { 1.0 / FACTOR };
        self.distance = (self.distance * factor).clamp(f64::MIN_POSITIVE, 1.0);
    }

    #[cfg(feature = "serde")]
    pub(super) fn is_consistent(&self) -> bool {
        self.distance > 0.0 && self.distance <= 1.0
    }
}

impl Searches {
    /// Whether there is a point to hop from: one whose value is no chance, and where the user does not say where to begin.
    pub(super) fn may_hop(&self, params: &Params, starts: &Starts) -> bool {
        !starts.are_given() && !params.noisy && !self.best_point_before.is_empty()
    }

    /// Whether a search that ended with this cost, in this place if that is known, is back in the best optimum, or in one as
    /// good.
    pub(super) fn is_back(&self, params: &Params, cost: f64, place: Option<usize>) -> bool {
        let level = cost <= self.best_before + params.rules.tolfun.unwrap_or(0.0);
        level || place.is_some() && place == self.best_optimum(params).map(|(best, ..)| best)
    }

    /// Where the trend of the optima leads, if they have one. Bowls are round in units of the initial deviations.
    fn by_trend(&self, params: &Params) -> Option<Vec<f64>> {
        let deviations = params.start.standard_deviations();
        let in_deviations =
            |place: &[f64]| place.iter().zip(&deviations).map(|(p, s)| p / s).collect::<Vec<f64>>();
        let optima = self.optima.places_and_costs().map(|(place, cost)| (in_deviations(place), cost));
        let way = trend::way_to_bottom(optima.collect())?;
        let best = self.optima.places_and_costs().min_by(|a, b| cost::compare(a.1, b.1))?.0;
        let mut bottom: Vec<f64> =
            best.iter().zip(way).zip(&deviations).map(|((best, way), s)| best + way * s).collect();
        // A bottom beyond a bound is on it, not where the bound mirrors it to.
        if let Some(limits) = params.space.limits() {
            bottom.iter_mut().zip(limits.bounds()).for_each(|(x, (lower, upper))| *x = x.clamp(lower, upper));
        }
        Some(bottom)
    }

    /// Where the next hop leads, and on which scale: between half and a twentieth of the distance, as for a start that was seen
    /// from afar.
    pub(super) fn hop(
        &mut self,
        params: &Params,
        generator: &mut Generator,
    ) -> Result<SearchDistribution, String> {
        let Params { space, start: first, .. } = params;
        let distance = self.hops.distance;
        let by_trend = if self.hops.by_trend { None } else { self.by_trend(params) };
        self.hops.by_trend = by_trend.is_some();
        let from = match by_trend {
            Some(from) => from,
            None => space.start_at(&self.best_point_before).map_err(|error| error.to_string())?,
        };
        let (mut step, mut there) = (vec![0.0; from.len()], vec![0.0; from.len()]);
        generator.fill_normal(&mut step);
        step.iter_mut().for_each(|s| *s *= distance);
        first.points_from(&step, &mut there);
        let each = there.iter().zip(first.mean()).zip(&from);
        let moved: Vec<f64> = each.map(|((there, mean), from)| from + (there - mean)).collect();
        let mean = space.canonical(&moved).into_iter().map(|(z, _)| z).collect();
        self.scale = NEAR * distance * small_scale(generator).sqrt();
        first.moved_to(mean, self.scale).map_err(|error| error.to_string())
    }
}

#[cfg(test)]
pub(super) mod tests {
    use super::super::Regime;
    use super::*;
    use crate::search::Search;
    use crate::settings::Settings;
    use crate::stopping::{StopReason, Stopping};

    /// A search in one dimension converges.
    pub(in crate::restarts) fn end(
        searches: &mut Searches,
        params: &Params,
        regime: Regime,
        at: f64,
        cost: f64,
    ) {
        let narrow = params.start.moved_to(vec![at], 1e-9).unwrap();
        let mut search = Search::new(narrow, 2);
        search.population.begin(2);
        (0..2).for_each(|row| search.population.row_mut(row).1[0] = at);
        search.population.set_costs([cost, cost].into_iter());
        (searches.regime, searches.counted, searches.best_cost) = (regime, false, f64::NAN);
        searches.record(&[at], cost, cost, 0.0);
        let reason = StopReason::TolX { largest: 1e-12, tolerance: 1e-11 };
        searches.count_end(params, &reason, (&search, None), 10, false);
        searches.best_before = searches.best_before.min(cost);
    }

    #[test]
    fn hops_that_fall_back_go_twice_as_far_and_others_half() {
        let mut hops = Hops::default();
        let mut after = |fell_back| {
            hops.fell_back = fell_back;
            hops.learn();
            hops.distance
        };
        let far = [false, true, true, true, true, true].map(&mut after);
        assert_eq!(far.map(|d| (100.0 * d).round()), [5.0, 10.0, 20.0, 40.0, 80.0, 100.0]);
    }

    #[test]
    fn a_hop_begins_near_the_best_point_and_inside_the_box() {
        let params = Params::new(&Settings::within([(-4.0, 4.0), (0.0, 16.0)]).max_evaluations(100)).unwrap();
        let mut searches = Searches::new(4);
        assert!(!searches.may_hop(&params, &Starts::default()));
        searches.best_point_before = vec![3.9, 0.3];
        assert!(searches.may_hop(&params, &Starts::default()));
        let mut generator = Generator::new(1);
        let deviations = params.start.standard_deviations();
        let mut far = [0.0; 2];
        for _ in 0..200 {
            let there = searches.hop(&params, &mut generator).unwrap();
            let inside = params.space.folded(there.mean());
            assert!(inside[0] <= 4.0 && inside[1] >= 0.0, "{inside:?}");
            let part = there.standard_deviations()[0] / deviations[0] / searches.hops.distance;
            assert!((0.05..=0.5).contains(&part) && (searches.scale - 0.1 * part).abs() < 1e-12, "{part}");
            far[0] += ((inside[0] - 3.9) / deviations[0]).powi(2) / 200.0;
            far[1] += ((inside[1] - 0.3) / deviations[1]).powi(2) / 200.0;
        }
        // A tenth of the initial deviation; bounds fold some of them.
        assert!(far.iter().all(|f| (0.03..0.12).contains(&f.sqrt())), "{far:?}");
    }

    #[test]
    fn a_hop_to_a_known_optimum_counts_for_nothing() {
        let params = Params::new(&Settings::within([(-4.0, 4.0)]).max_evaluations(100)).unwrap();
        let mut searches = Searches::new(4);
        let mut end = |regime, at, cost| {
            end(&mut searches, &params, regime, at, cost);
            let found: Vec<u64> = searches.optima().iter().map(|optimum| optimum.found).collect();
            (found, searches.hops.fell_back)
        };
        assert_eq!(end(Regime::First, 1.0, 2.0).0, [1]);
        assert_eq!(end(Regime::Hop, 1.0, 2.0), (vec![1], true));
        assert_eq!(end(Regime::Hop, 3.0, 5.0), (vec![1, 1], false));
        assert_eq!(end(Regime::Hop, 3.0, 5.0), (vec![1, 1], false));
        assert_eq!(end(Regime::Small, 3.0, 5.0), (vec![1, 2], false));
        // Elsewhere, and as good: a ring, or a flat bottom.
        assert!(end(Regime::Hop, 2.0, 2.0).1);
    }

    #[test]
    fn every_other_hop_begins_where_the_trend_of_the_optima_leads_and_says_nothing_of_the_distance() {
        let params = Params::new(&Settings::within([(-4.0, 4.0)]).max_evaluations(100)).unwrap();
        let mut searches = Searches::new(4);
        // Optima of a bowl around 2, none of them near it.
        for at in [-3.0, -2.0, -1.0, 0.0, 0.5] {
            end(&mut searches, &params, Regime::Small, at, (at - 2.0f64).powi(2));
        }
        searches.best_point_before = vec![0.5];
        searches.hops.distance = 1e-3;
        let mut generator = Generator::new(1);
        for expected in [2.0, 0.5, 2.0] {
            let there = searches.hop(&params, &mut generator).unwrap();
            assert!((params.space.folded(there.mean())[0] - expected).abs() < 0.05, "{there:?}");
            let (by_trend, before) = (expected == 2.0, searches.hops.distance);
            searches.hops.fell_back = true;
            searches.hops.learn();
            assert_eq!(searches.hops.distance, if by_trend { before } else { FACTOR * before });
        }
    }

    #[test]
    fn a_trend_that_leads_out_of_the_box_ends_at_its_bound() {
        let params = Params::new(&Settings::within([(-4.0, 4.0)]).max_evaluations(100)).unwrap();
        let mut searches = Searches::new(4);
        for at in [-3.0, -2.0, -1.0, 0.0, 3.9] {
            end(&mut searches, &params, Regime::Small, at, (at - 6.0f64).powi(2));
        }
        assert_eq!(searches.by_trend(&params), Some(vec![4.0]));
    }

    #[test]
    fn a_hop_ends_where_a_certain_model_promises_a_small_part_of_what_it_lacks() {
        let params = Params::new(&Settings::within([(-4.0, 4.0)]).max_evaluations(100)).unwrap();
        let mut searches = Searches::new(4);
        (searches.best_before, searches.best_cost) = (1.0, 3.0);
        let stopping = Stopping::new(&params.start);
        let mut ends = |regime, promised| {
            searches.regime = regime;
            searches.reason_to_give_up(&params, &stopping, 0, promised).is_some()
        };
        assert!(ends(Regime::Hop, Some(0.19)));
        assert!(
            !ends(Regime::Hop, Some(0.21)) && !ends(Regime::Hop, None) && !ends(Regime::Small, Some(0.0))
        );
    }
}
