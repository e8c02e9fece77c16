//! Restarts: a local search that ended short of the target makes room for another, as long as one is worth its evaluations.
//!
//! Regimes share the evaluations, as in BIPOP-CMA-ES: one doubles the population each time, one keeps it and starts on
//! a smaller scale; lines and hops begin at the best point. IPOP is the first alone. Where nothing says that there is more
//! than one optimum, the first search is repeated elsewhere.

mod afar;
mod basin;
mod ending;
mod giving_up;
mod hops;
mod line;
mod lines;
mod optima;
mod path;
mod profile;
mod regimes;
mod spread;
mod trail;
mod trend;

pub use optima::Optimum;

use crate::archive::Archive;
use crate::math::cost;
use crate::random::Generator;
use crate::search::SearchDistribution;
use crate::settings::{Params, Restarts, Starts};
use crate::stopping::StopReason;
use crate::strategy::adaptive::KnownQuadratic;
use afar::Afar;
use basin::Scratch;
use hops::Hops;
use lines::Lines;
pub(crate) use lines::Next;
use optima::Optima;
use path::Path;
use regimes::{Accounts, Regime, large_population};
use trail::Trail;

/// A local search that has ended, and the one after it began.
#[derive(Clone, Debug, PartialEq)]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize))]
#[non_exhaustive]
pub struct Restart {
    /// Why the search ended.
    pub reason: StopReason,
    /// Evaluations it took.
    pub evaluations: u64,
    /// Generations it took.
    pub generations: u64,
    /// Its population size.
    pub population: usize,
    /// Its initial scale, relative to that of the first.
    pub scale: f64,
    /// Its best value, as the objective returned it; NaN where none was a number.
    pub value: f64,
    /// By how much its best point violates the constraints: 0 where it is feasible, NaN where there is none.
    pub violation: f64,
}

/// The searches of a run: those that ended, and the present one.
#[derive(Clone, Debug)]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize))]
pub(crate) struct Searches {
    pub(crate) ended: Vec<Restart>,
    pub(crate) population: usize,
    scale: f64,
    regime: Regime,
    /// Large populations so far.
    grown: u32,
    accounts: Accounts,
    /// Whether constraints have been told of.
    constrained: bool,
    /// Evaluations of all searches while no surrogate led.
    without_model: u64,
    /// The latest lines; and whether the present search looks at them before it begins.
    lines: Option<Lines>,
    on_lines: bool,
    hops: Hops,
    /// Evaluations and generations of the run when the present search began.
    began: (u64, u64),
    /// First and best cost of the present search; NaN where none was a number.
    first_cost: f64,
    best_cost: f64,
    /// What belongs to it: the value, as the objective returned it, and the violation; and the point.
    best: (f64, f64),
    best_point: Vec<f64>,
    /// Best cost of the searches that ended, infinite where none was a number; and the point.
    best_before: f64,
    best_point_before: Vec<f64>,
    /// Mean and deviations at the end of the search that found the best so far, unless it is the present.
    pub(crate) best_search: Option<(Vec<f64>, Vec<f64>)>,
    /// Where searches have ended, and what the present one has seen on its way.
    optima: Optima,
    path: Path,
    /// The best points of the present search, generation by generation, in the user's coordinates.
    trail: Trail,
    /// Points of all searches while they were wide.
    afar: Afar,
    /// Deviations and relative scale of the present search when its costs last differed by more than `tolfun`.
    told_apart: (Vec<f64>, f64),
    /// Whether the end of the present search is among the optima.
    counted: bool,
    /// Without restarts there is one search, and nothing is kept of its end but the evaluations after which it converged.
    only: Option<u64>,
    #[cfg_attr(feature = "serde", serde(skip))]
    scratch: Scratch,
}

/// A search to come.
pub(crate) struct NewSearch {
    pub(crate) distribution: SearchDistribution,
    pub(crate) population: usize,
}

impl Searches {
    pub(crate) fn new(population: usize) -> Self {
        Self {
            ended: Vec::new(),
            population,
            scale: 1.0,
            regime: Regime::First,
            grown: 0,
            accounts: Accounts::default(),
            constrained: false,
            without_model: 0,
            lines: None,
            on_lines: false,
            hops: Hops::default(),
            afar: Afar::default(),
            began: (0, 0),
            first_cost: f64::NAN,
            best_cost: f64::NAN,
            best: (f64::NAN, f64::NAN),
            best_before: f64::INFINITY,
            best_point_before: Vec::new(),
            best_search: None,
            best_point: Vec::new(),
            optima: Optima::default(),
            path: Path::default(),
            trail: Trail::default(),
            told_apart: (Vec::new(), 1.0),
            counted: false,
            only: None,
            scratch: Scratch::default(),
        }
    }

    #[cfg(feature = "serde")]
    pub(crate) fn is_consistent(&self, dimensions: (usize, usize), spent: (u64, u64)) -> bool {
        let (d, searched) = dimensions;
        let fits = |(mean, stds): &(Vec<f64>, Vec<f64>)| mean.len() == d && stds.len() == d;
        self.population >= 2
            && self.best_search.as_ref().is_none_or(fits)
            && self.began.0 <= spent.0
            && self.began.1 <= spent.1
            && self.accounts.is_consistent(spent.0)
            && self
                .ended
                .iter()
                .try_fold(0u64, |sum, r| sum.checked_add(r.evaluations))
                .is_some_and(|sum| sum <= spent.0)
            && self.without_model <= spent.0
            && self.lines.as_ref().map_or(!self.on_lines, |l| l.is_consistent(searched, self.optima.len()))
            && self.hops.is_consistent()
            && self.grown as usize <= self.ended.len()
            && [&self.best_point, &self.best_point_before].iter().all(|p| p.is_empty() || p.len() == d)
            && self.afar.is_consistent(dimensions)
            && self.optima.is_consistent(dimensions)
            && self.path.is_consistent(searched)
            && self.trail.is_consistent(d)
            && (self.told_apart.0.is_empty() || self.told_apart.0.len() == searched)
    }

    /// Keep the best cost of the present search, and what it was made of.
    pub(crate) fn record(&mut self, point: &[f64], cost: f64, value: f64, violation: f64) {
        if cost < self.best_cost || self.best_cost.is_nan() && !cost.is_nan() {
            if self.first_cost.is_nan() {
                self.first_cost = cost;
            }
            self.best_cost = cost;
            // What is within the tolerance is feasible.
            self.best = (value, if cost::is_infeasible(cost) { violation } else { 0.0 });
            self.best_point.clear();
            self.best_point.extend_from_slice(point);
        }
    }

    /// A value of a search that has ended.
    pub(crate) fn record_late(&mut self, point: &[f64], cost: f64) {
        if cost < self.best_before {
            self.best_before = cost;
            self.best_point_before.clear();
            self.best_point_before.extend_from_slice(point);
        }
    }

    /// Best cost of the present search; NaN where none was a number.
    pub(crate) fn best_cost(&self) -> f64 {
        self.best_cost
    }

    /// Whether no search before the present one was as good.
    pub(crate) fn is_ahead(&self) -> bool {
        self.ended.is_empty() || self.best_cost < self.best_before
    }

    /// The best point of the present search; empty where no value was a number.
    pub(crate) fn best_point(&self) -> &[f64] {
        &self.best_point
    }

    /// The optima in which searches have converged, the best first.
    pub(crate) fn optima(&self) -> Vec<Optimum> {
        let only = self.only.map(|evaluations| Optimum {
            point: self.best_point.clone(),
            value: self.best.0,
            violation: self.best.1,
            found: 1,
            evaluations,
        });
        only.map_or_else(|| self.optima.sorted(), |optimum| vec![optimum])
    }

    /// The least cost in which a search has converged; infinite where none has.
    pub(crate) fn least_cost(&self) -> f64 {
        if self.only.is_some() { self.best_cost } else { self.optima.least_cost() }
    }

    /// So many points were evaluated in a generation after which no surrogate leads.
    pub(crate) fn count_without_model(&mut self, evaluations: usize) {
        self.without_model += evaluations as u64;
    }

    /// The surrogate leads, with little error: how costs grow here is worth keeping.
    pub(crate) fn learn(&mut self, params: &Params, distribution: &SearchDistribution, archive: &Archive) {
        if params.restarts != Restarts::Off {
            self.path.follow(distribution, archive, &mut self.scratch);
        }
    }

    /// The present search ends: exact models of its values are worth keeping.
    pub(crate) fn learn_exactly<'a>(
        &mut self,
        params: &Params,
        exact: impl Iterator<Item = &'a KnownQuadratic>,
    ) {
        if params.restarts != Restarts::Off {
            self.path.know(exact);
        }
    }

    /// Why no further search is worth its evaluations after these of the run, if so.
    pub(crate) fn verdict(&self, params: &Params, evaluations: u64) -> Option<StopReason> {
        let first = self.ended.first().map_or(evaluations, |first| first.evaluations);
        // The present search is not among those that ended yet.
        let another = (evaluations - first) as f64 / self.ended.len().max(1) as f64;
        self.optima.verdict(params, (evaluations as f64 + another) / first as f64)
    }

    /// Whether the settings let another search follow one that ended for this reason.
    pub(crate) fn may_follow(&self, params: &Params, reason: &StopReason) -> bool {
        let none_yet = self.best_cost.is_nan() && self.ended.iter().all(|r| r.violation.is_nan());
        let over = reason.is_limit() || matches!(reason, StopReason::AllEvaluated { .. });
        params.restarts != Restarts::Off
            && !over
            && !(none_yet && matches!(reason, StopReason::NoFiniteValue { .. }))
            && (self.ended.len() as u64) < params.restart_limit
    }

    /// End the present search and plan the next one. `spent` are evaluations and generations of the run.
    ///
    /// # Errors
    /// A start that cannot be used, as a reason to stop; nothing has changed then.
    pub(crate) fn next(
        &mut self,
        params: &Params,
        starts: &Starts,
        reason: StopReason,
        spent: (u64, u64),
        generator: &mut Generator,
    ) -> Result<NewSearch, StopReason> {
        let mut after = self.clone();
        let new = after.plan_next(params, starts, reason, spent, generator)?;
        *self = after;
        Ok(new)
    }

    fn plan_next(
        &mut self,
        params: &Params,
        starts: &Starts,
        reason: StopReason,
        spent: (u64, u64),
        generator: &mut Generator,
    ) -> Result<NewSearch, StopReason> {
        self.ended.push(Restart {
            reason: reason.clone(),
            evaluations: spent.0 - self.began.0,
            generations: spent.1 - self.began.1,
            population: self.population,
            scale: self.scale,
            value: self.best.0,
            violation: self.best.1,
        });
        let brought = self.best_cost < self.best_before;
        self.accounts.book(self.regime, spent.0 - self.began.0, brought);
        self.on_lines = false;
        if self.regime == Regime::Hop && !brought {
            self.hops.learn();
        }
        if brought {
            self.best_before = self.best_cost;
            self.best_point_before.clone_from(&self.best_point);
        }
        let in_vain = self.regime == Regime::Lines && !brought;
        self.regime = self.next_regime(params, starts, in_vain);
        (self.population, self.scale) = match self.regime {
            Regime::First => (params.population, regimes::repeated_scale(self.ended.len(), generator)),
            Regime::Lines | Regime::Hop => (params.population, 1.0),
            Regime::Small => (params.population, regimes::small_scale(generator)),
            _ => {
                self.grown += 1;
                let reached = self.ended.first().map_or(0, |first| first.population);
                (large_population(params, reached, self.grown), 1.0)
            }
        };
        self.began = spent;
        (self.first_cost, self.best_cost) = (f64::NAN, f64::NAN);
        self.best = (f64::NAN, f64::NAN);
        (self.path, self.counted) = (Path::default(), false);
        self.told_apart.0.clear();
        self.trail.clear();
        let distribution = self.begin(params, starts, generator).map_err(|what| StopReason::StartRule {
            restart: self.ended.len() as u64,
            what: format!("{what}; the search before it had ended: {reason}"),
        })?;
        self.afar.begin(distribution.mean());
        Ok(NewSearch { distribution, population: self.population })
    }
}

#[cfg(all(test, feature = "serde"))]
mod tests {
    use super::*;
    use crate::settings::Settings;

    #[test]
    fn searches_that_took_more_than_the_run_are_refused() {
        let params = Params::new(&Settings::new([0.0], 1.0).max_evaluations(100)).unwrap();
        let consistent = |evaluations: [u64; 2]| {
            let mut searches = Searches::new(params.population);
            for evaluations in evaluations {
                searches.record(&[1.0], 1.0, 1.0, 0.0);
                let reason = StopReason::TolX { largest: 1e-12, tolerance: 1e-11 };
                searches
                    .next(&params, &Starts::default(), reason, (40, 4), &mut Generator::new(1))
                    .unwrap_or_else(|reason| panic!("{reason}"));
                searches.ended.last_mut().unwrap().evaluations = evaluations;
            }
            searches.is_consistent((1, 1), (50, 5))
        };
        assert!(consistent([30, 20]));
        assert!(!consistent([30, 21]) && !consistent([u64::MAX, 1]));
    }
}
