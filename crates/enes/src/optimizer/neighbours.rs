//! Whole numbers have neighbours: where all coordinates are whole, samples make way for points that were not evaluated
//! lately, and a search among whole numbers says that it has converged when the neighbours of its best point have been tried.

use super::Optimizer;
use crate::random::Generator;
use crate::settings::Params;
use crate::stopping::{StopReason, Stopping};

/// Neighbours are tried where there are so many integers at most: each takes two evaluations.
const MOST_INTEGERS: usize = 20;

/// A better neighbour is where the search goes on, with this part of its initial deviations at least.
const REOPENED: f64 = 0.1;

/// Steps from a point that is known to one that is not; beyond, it is evaluated again.
const MOST_STEPS: usize = 50;

/// A search that would end, while neighbours of its best point are tried.
#[derive(Clone, Debug, PartialEq)]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize))]
pub(super) struct Trial {
    /// Why it would.
    reason: StopReason,
    /// The best cost.
    cost: f64,
    /// The next neighbour, of two for each coordinate.
    next: usize,
}

/// Scratch space.
#[derive(Clone, Debug, Default)]
pub(super) struct Aside {
    point: Vec<f64>,
    /// Points of the present generation, one after another.
    taken: Vec<f64>,
    /// Where a step aside began.
    from: Vec<f64>,
}

impl Aside {
    /// Room for so many points of so many coordinates.
    pub(super) fn reserve(&mut self, points: usize, d: usize) {
        self.point.reserve(d);
        self.taken.reserve(points * d);
        self.from.reserve(d);
    }
}

impl Optimizer {
    /// Whether points can be told apart by their whole numbers, and neighbours are worth trying: not under noise, and not
    /// in the published strategy, whose populations have their law.
    fn tries_neighbours(&self) -> bool {
        let Params { strategy, space, noisy, .. } = &self.params;
        strategy.is_adaptive() && !noisy && (1..=MOST_INTEGERS).contains(&space.count_integers())
    }

    /// After a generation: a search that has converged goes on until the neighbours of its best point have been tried; from
    /// one that is better it goes on for good.
    pub(super) fn try_neighbours(&mut self, reason: Option<StopReason>) -> Option<StopReason> {
        if reason.as_ref().is_some_and(StopReason::is_limit) {
            return reason;
        }
        let cost = self.searches.best_cost();
        let trial = match (self.trial.take(), reason) {
            (Some(trial), _) if cost < trial.cost => {
                self.reopen();
                return None;
            }
            (Some(trial), _) => trial,
            (None, Some(reason)) if converged(&reason) && self.tries_neighbours() => {
                Trial { reason, cost, next: 0 }
            }
            (None, reason) => return reason,
        };
        if self.neighbour_from(trial.next).is_none() {
            self.tried = true;
            return Some(trial.reason);
        }
        self.trial = Some(trial);
        None
    }

    /// The first neighbour of the best point, from this one on, that has not been evaluated; left in the scratch space.
    fn neighbour_from(&mut self, first: usize) -> Option<usize> {
        let Self { searches, params, archive, aside, .. } = self;
        let best = searches.best_point();
        aside.point.clear();
        aside.point.extend_from_slice(best);
        (first..2 * best.len()).find(|&k| {
            let new = params.space.go_to_neighbour(&mut aside.point, k) && !archive.knows(&aside.point);
            if !new {
                aside.point.copy_from_slice(best);
            }
            new
        })
    }

    /// While neighbours are tried they take the places of samples.
    pub(super) fn place_neighbours(&mut self) {
        let Some(mut trial) = self.trial.take() else { return };
        let population = &self.search.population;
        // The surrogate's own point stays, where there are others.
        let own = population.apart().max(population.known());
        let first = if own < population.len() { own } else { population.known() };
        for row in first..population.len() {
            let Some(k) = self.neighbour_from(trial.next) else { break };
            trial.next = k + 1;
            self.search.place(row, |z| self.params.space.place(&self.aside.point, z));
        }
        self.trial = Some(trial);
    }

    /// A neighbour is better: the search goes on around it, wide enough to follow with the other coordinates.
    fn reopen(&mut self) {
        let Ok(best) = self.params.space.start_at(self.searches.best_point()) else { return };
        let present = self.search.distribution.standard_deviations();
        let initial = self.params.start.standard_deviations();
        let integers = self.params.space.integers();
        let real = (0..present.len()).filter(|&j| !integers[j]);
        let widest = real.map(|j| present[j] / initial[j]).fold(0.0, f64::max);
        let scale = if widest > 0.0 { (REOPENED / widest).max(1.0) } else { 1.0 };
        if let Ok(distribution) = self.search.distribution.moved_to(best, scale) {
            self.search.distribution = distribution;
            self.params.space.restrain(&mut self.search);
            self.stopping = Stopping::new(&self.search.distribution);
            self.prepare();
        }
    }

    /// Where all coordinates are whole numbers, samples that are known step aside to points that are not.
    pub(super) fn avoid_known(&mut self) {
        let Self { params, search, archive, generator, aside, .. } = self;
        if !params.avoids_known() {
            return;
        }
        let Aside { point, taken, from } = aside;
        point.resize(params.dimension, 0.0);
        taken.clear();
        let first = search.population.apart().max(search.population.known());
        for row in first..search.population.len() {
            params.space.users(search.population.point(row), point);
            let is_known =
                |point: &[f64]| archive.knows(point) || taken.chunks_exact(point.len()).any(|p| p == point);
            if is_known(point) && step_aside(params, generator, point, from, is_known) {
                search.place(row, |z| params.space.place(point, z));
            }
            taken.extend_from_slice(point);
        }
    }

    /// Whether there is nothing left to evaluate: all points of a lattice are known.
    pub(super) fn all_evaluated(&self) -> Option<StopReason> {
        let points = self.params.space.lattice_points()?;
        let evaluated = self.counters.evaluations;
        let all = !self.params.noisy && evaluated >= points && self.archive.distinct() as u64 == points;
        all.then_some(StopReason::AllEvaluated { points })
    }
}

/// From a point that is known, over whole numbers at random, to one that is not: among its neighbours first. False where none
/// was found.
fn step_aside(
    params: &Params,
    generator: &mut Generator,
    point: &mut [f64],
    from: &mut Vec<f64>,
    is_known: impl Fn(&[f64]) -> bool,
) -> bool {
    let d = point.len();
    for _ in 0..MOST_STEPS {
        from.clear();
        from.extend_from_slice(point);
        // Every neighbour, from a random one on.
        let start = (generator.uniform() * (2 * d) as f64) as usize;
        let mut way = None;
        for k in (start..start + 2 * d).map(|k| k % (2 * d)) {
            if !params.space.go_to_neighbour(point, k) {
                continue;
            }
            way = way.or(Some(k));
            if !is_known(point) {
                return true;
            }
            point.copy_from_slice(from);
        }
        let Some(k) = way else { return false };
        params.space.go_to_neighbour(point, k);
    }
    false
}

fn converged(reason: &StopReason) -> bool {
    reason.is_convergence() && !matches!(reason, StopReason::KnownOptimum { .. })
        || matches!(reason, StopReason::Stagnation { .. } | StopReason::FlatFitness { .. })
}
