//! When to stop. Names and defaults are pycma's where it has them.
//!
//! pycma counts generations. With importance mixing a generation may evaluate few points and keep
//! its best for long, so histories here have one entry for n fresh evaluations. Without mixing (refresh rate 1)
//! that is a generation.

mod condition;
mod reason;
mod rules;

pub use reason::StopReason;
pub(crate) use rules::{DEFAULT_TOLX, StopRules};

use std::collections::VecDeque;

use crate::math::cost;
use crate::search::{Population, SearchDistribution};
use condition::Condition;

/// A run ends only after so many evaluations without a finite value: with a small population a whole
/// generation may fail where the objective does not always.
const BARREN_LIMIT: u64 = 20;

/// What the rules remember between generations.
#[derive(Clone, Debug, PartialEq)]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize))]
pub(crate) struct Stopping {
    condition: Condition,
    /// Best of n fresh costs, and the population's median after them; latest last.
    best: VecDeque<f64>,
    median: VecDeque<f64>,
    /// Fresh evaluations and their best cost since the last entry.
    since: usize,
    best_since: f64,
    /// Of populations with equal values, but for the first, since the best cost of the search fell.
    flat_evaluations: Option<u64>,
    lowest: f64,
    /// Whether values have ever differed.
    differed: bool,
    /// Fresh evaluations, and NaN among them, since a population had a finite value.
    barren: (u64, u64),
    /// Whether single values say nothing: stagnation is then judged by medians alone.
    #[cfg_attr(feature = "serde", serde(skip))]
    noisy: bool,
    /// Which coordinates are integers; empty where none is.
    #[cfg_attr(feature = "serde", serde(skip))]
    integers: Vec<bool>,
    /// Whether no sample is where another was: costs then differ to the end.
    #[cfg_attr(feature = "serde", serde(skip))]
    distinct: bool,
    #[cfg_attr(feature = "serde", serde(skip))]
    deviations: Vec<f64>,
    #[cfg_attr(feature = "serde", serde(skip))]
    sorted: Vec<f64>,
}

impl Stopping {
    /// For a search that begins here.
    pub(crate) fn new(initial: &SearchDistribution) -> Self {
        Self {
            condition: Condition::new(initial.standard_deviations()),
            best: VecDeque::new(),
            median: VecDeque::new(),
            since: 0,
            best_since: f64::INFINITY,
            flat_evaluations: None,
            lowest: f64::INFINITY,
            differed: false,
            barren: (0, 0),
            noisy: false,
            integers: Vec::new(),
            distinct: false,
            deviations: Vec::new(),
            sorted: Vec::new(),
        }
    }

    /// Make room for a run of population n, so that nothing is allocated later.
    pub(crate) fn reserve(&mut self, n: usize, d: usize, rules: &StopRules) {
        let window = hist_window(n, d).max(stagnation_window(n, d, rules)) + 1;
        self.best.reserve(window.saturating_sub(self.best.len()));
        self.median.reserve(window.saturating_sub(self.median.len()));
        self.sorted.reserve(window.max(n).saturating_sub(self.sorted.len()));
        self.deviations.resize(d, 0.0);
    }

    /// What follows from the settings: whether values are measurements with noise, which coordinates are
    /// integers, empty where none is, and whether no sample is where another was.
    pub(crate) fn adapt(&mut self, noisy: bool, integers: Vec<bool>, distinct: bool) {
        (self.noisy, self.integers, self.distinct) = (noisy, integers, distinct);
    }

    /// Go on with populations of n.
    pub(crate) fn resize(&mut self, n: usize, d: usize, rules: &StopRules) {
        let window = hist_window(n, d).max(stagnation_window(n, d, rules));
        self.best.drain(..self.best.len().saturating_sub(window));
        self.median.drain(..self.median.len().saturating_sub(window));
        self.reserve(n, d, rules);
    }

    /// Record one evaluated population of a search with population size n. Smaller costs are better.
    pub(crate) fn record(&mut self, population: &Population, n: usize, rules: &StopRules) {
        let d = population.dimension();
        let (costs, fresh) = (population.costs(), population.fresh_costs());
        self.since += fresh.len();
        self.best_since = fresh.iter().fold(self.best_since, |b, &c| b.min(c));
        if self.since >= n {
            let window = hist_window(n, d).max(stagnation_window(n, d, rules));
            let median = median(costs, &mut self.sorted);
            push(&mut self.best, self.best_since, window);
            push(&mut self.median, median, window);
            self.since = 0;
            self.best_since = f64::INFINITY;
        }
        self.barren = match costs.iter().any(|c| c.is_finite()) {
            true => (0, 0),
            false => {
                let nan = fresh.iter().filter(|c| c.is_nan()).count();
                (self.barren.0 + fresh.len() as u64, self.barren.1 + nan as u64)
            }
        };
        let first = costs[0];
        self.differed |= costs.iter().any(|&c| c != first && !c.is_nan());
        let lowest = fresh.iter().fold(self.lowest, |b, &c| b.min(c));
        if lowest < self.lowest {
            (self.lowest, self.flat_evaluations) = (lowest, None);
        }
        // One value is equal to itself, which says nothing.
        if costs.len() > 1 && first.is_finite() && costs.iter().all(|&c| c == first) {
            let evaluations = self.flat_evaluations.map_or(0, |so_far| so_far + fresh.len() as u64);
            self.flat_evaluations = Some(evaluations);
        }
    }

    /// Least and largest of the latest entries of best costs; `None` before there are as many, and where one is not
    /// finite.
    pub(crate) fn recent_best(&self, entries: usize) -> Option<(f64, f64)> {
        let first = self.best.len().checked_sub(entries)?;
        let values = self.best.range(first..);
        let bounds = values.fold((f64::INFINITY, f64::NEG_INFINITY), |b, v| (b.0.min(*v), b.1.max(*v)));
        (bounds.0.is_finite() && bounds.1.is_finite()).then_some(bounds)
    }

    /// The first rule that says stop, after `record`. O(d²).
    pub(crate) fn check(
        &mut self,
        population: &Population,
        n: usize,
        distribution: &SearchDistribution,
        rules: &StopRules,
    ) -> Option<StopReason> {
        let (evaluations, nan) = self.barren;
        if evaluations >= BARREN_LIMIT {
            return Some(StopReason::NoFiniteValue { evaluations, nan });
        }
        let reason =
            self.check_values(population, n, rules).or_else(|| self.check_shape(distribution, rules))?;
        // Whose values no longer differ when its shape is at the limit has converged on a bottom that is flat in some directions.
        let range = cost::range(population.costs().iter().copied());
        let converged = rules.tolfun.filter(|&t| range < t && matches!(reason, StopReason::Condition { .. }));
        Some(converged.map_or(reason, |tolerance| StopReason::TolFun { range, tolerance }))
    }

    fn check_values(&mut self, population: &Population, n: usize, rules: &StopRules) -> Option<StopReason> {
        let d = population.dimension();
        if let (Some(limit), Some(evaluations)) = (rules.tolflatfitness.flatten(), self.flat_evaluations) {
            // Rounded points are often equal, and neighbours take their time to be tried.
            let least = if self.integers.is_empty() { 1 } else { hist_window(n, d) as u64 };
            let limit = limit.max(least).saturating_mul(n as u64);
            if evaluations >= limit {
                // Values that differed and now are equal to the last bit have converged.
                return Some(match rules.tolfun.filter(|_| self.differed) {
                    Some(tolerance) => StopReason::TolFun { range: 0.0, tolerance },
                    None => StopReason::FlatFitness { evaluations, limit },
                });
            }
        }
        let window = hist_window(n, d);
        if self.best.len() >= window {
            let recent = cost::range(self.best.range(self.best.len() - window..).copied());
            let all = recent.max(cost::range(population.costs().iter().copied()));
            if let Some(tolerance) = rules.tolfun.filter(|&t| all < t) {
                return Some(StopReason::TolFun { range: all, tolerance });
            }
            if let Some(tolerance) = rules.tolfunhist.filter(|&t| recent < t) {
                return Some(StopReason::TolFunHist { range: recent, tolerance, populations: window });
            }
            // Where no sample is as good as an earlier one nothing improves, though costs differ.
            let least =
                self.best.range(self.best.len() - window..).fold(f64::INFINITY, |least, &c| least.min(c));
            if let Some(tolerance) = rules.tolfunhist.filter(|_| self.distinct && self.lowest < least) {
                return Some(StopReason::TolFunHist { range: 0.0, tolerance, populations: window });
            }
        }
        // Under noise a run that has limits goes on to them: medians that rise by chance are no reason.
        let limited = self.noisy && rules.tolstagnation == Some(None) && rules.is_limited();
        let window = if limited { 0 } else { stagnation_window(n, d, rules) };
        // Only a new entry can change the verdict.
        if window > 0 && self.best.len() >= window && self.since == 0 {
            let histories = [&self.median, &self.best];
            let histories = if self.noisy { &histories[..1] } else { &histories[..] };
            if histories.iter().all(|h| has_stalled(h, window, &mut self.sorted)) {
                return Some(StopReason::Stagnation { populations: window, limit: window });
            }
        }
        None
    }

    fn check_shape(&mut self, p: &SearchDistribution, rules: &StopRules) -> Option<StopReason> {
        let d = p.dimension();
        self.deviations.resize(d, 0.0); // not part of a checkpoint
        p.standard_deviations_into(&mut self.deviations);
        // The deviations of integers never fall below their margin.
        let integer = |i: usize| self.integers.get(i).copied().unwrap_or(false);
        let real = || self.deviations.iter().enumerate().filter(|(i, _)| !integer(*i)).map(|(_, s)| *s);
        let largest = real().fold(if real().next().is_none() { f64::INFINITY } else { 0.0 }, f64::max);
        if let Some(tolerance) = rules.tolx.filter(|&t| largest < t) {
            return Some(StopReason::TolX { largest, tolerance });
        }
        if let Some(limit) = rules.growth_limit() {
            let grown = self.deviations.iter().zip(self.condition.units()).map(|(s, s0)| s / s0);
            if let Some((coordinate, factor)) = grown.enumerate().find(|&(_, g)| g > limit) {
                return Some(StopReason::Divergence { coordinate, factor, limit });
            }
        }
        if rules.noeffect {
            for (coordinate, (&mean, &deviation)) in p.mean().iter().zip(&self.deviations).enumerate() {
                if mean + 0.2 * deviation == mean {
                    return Some(StopReason::NoEffectCoordinate { coordinate, deviation, mean });
                }
            }
            for (row, entries) in p.factor().chunks_exact(d).enumerate() {
                let moves = |(m, a): (&f64, &f64)| m + 0.1 * a != *m;
                if !p.mean().iter().zip(entries).any(moves) {
                    let length = crate::linalg::squared_norm(entries).sqrt();
                    return Some(StopReason::NoEffectAxis { row, length });
                }
            }
        }
        let limit = rules.tolconditioncov?;
        let condition = self.condition.estimate(p, &self.deviations, &self.integers);
        (condition > limit).then_some(StopReason::Condition { condition, limit })
    }

    #[cfg(feature = "serde")]
    pub(crate) fn is_consistent(&self, n: usize, d: usize, rules: &StopRules) -> bool {
        let window = hist_window(n, d).max(stagnation_window(n, d, rules));
        let counts = [self.since as u64, self.flat_evaluations.unwrap_or(0), self.barren.0, self.barren.1];
        self.condition.is_consistent(d)
            && self.best.len() == self.median.len()
            && self.best.len() <= window
            && counts.into_iter().all(crate::math::is_count)
    }
}

/// Entries, n evaluations each, over which `tolfun` and `tolfunhist` look back, as pycma: 10 + 30 d/n.
pub(crate) fn hist_window(n: usize, d: usize) -> usize {
    10 + (30 * d).div_ceil(n)
}

/// Entries, n evaluations each, over which stagnation looks back, by default as pycma: 100 + 100 d^1.5/n; 0 when off.
fn stagnation_window(n: usize, d: usize, rules: &StopRules) -> usize {
    match rules.tolstagnation {
        None => 0,
        Some(None) => (100 + (100.0 * (d as f64).powf(1.5) / n as f64) as usize).min(1_000_000),
        Some(Some(entries)) => usize::try_from(entries).unwrap_or(usize::MAX).min(1_000_000),
    }
}

/// In the window, the median of the latest 30 % is no better than that of the earliest 30 %.
fn has_stalled(history: &VecDeque<f64>, window: usize, scratch: &mut Vec<f64>) -> bool {
    let part = (window * 3).div_ceil(10);
    let start = history.len() - window;
    let mut middle = |from: usize| {
        scratch.clear();
        scratch.extend(history.range(from..from + part));
        middle_of(scratch)
    };
    let (early, late) = (middle(start), middle(history.len() - part));
    late >= early
}

fn median(costs: &[f64], scratch: &mut Vec<f64>) -> f64 {
    scratch.clear();
    scratch.extend_from_slice(costs);
    middle_of(scratch)
}

fn middle_of(values: &mut [f64]) -> f64 {
    let middle = values.len() / 2;
    *values.select_nth_unstable_by(middle, |a, b| cost::compare(*a, *b)).1
}

fn push(history: &mut VecDeque<f64>, value: f64, window: usize) {
    while history.len() >= window {
        history.pop_front();
    }
    history.push_back(value);
}
