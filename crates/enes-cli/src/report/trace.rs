//! What the report keeps of the evaluations: curves, times, failures and a bounded number of points.

use std::collections::{BTreeMap, VecDeque};

use serde::Deserialize;

use super::constraints::Front;
use super::lines::numbers;
use crate::sample::Sample;

/// So many points of the whole run are kept for the charts of pairs.
const POINTS: usize = 1200;
/// So many of the latest points are kept besides.
const RECENT: usize = 400;
/// So many times and failures are kept for their charts.
const SAMPLE: usize = 20_000;
/// Reasons of failures that are told apart.
const REASONS: usize = 1000;
/// What further ones are called.
const OTHER: &str = "other reasons";

/// A line of `evaluations.jsonl`.
#[derive(Clone, Debug, Deserialize)]
pub(super) struct Evaluation {
    pub(super) id: u64,
    #[serde(deserialize_with = "numbers")]
    pub(super) x: Vec<f64>,
    pub(super) value: Option<f64>,
    /// `inf` or `-inf`, which JSON has no number for: no failure, but nothing to draw.
    #[serde(default)]
    pub(super) infinite: Option<String>,
    /// By how much the point violates constraints, where there are any.
    #[serde(default)]
    pub(super) violation: Option<f64>,
    pub(super) seconds: Option<f64>,
    pub(super) failure: Option<String>,
}

/// A line of `injected.jsonl`.
#[derive(Clone, Debug, Deserialize)]
pub(super) struct Injected {
    pub(super) generation: u64,
    pub(super) x: Vec<f64>,
    pub(super) value: f64,
}

/// An evaluated point.
#[derive(Clone, Debug)]
pub(super) struct Point {
    pub(super) x: Vec<f64>,
    /// None where it failed, is infeasible or infinite.
    pub(super) value: Option<f64>,
    pub(super) failed: bool,
}

/// Failures that gave the same reason.
#[derive(Clone, Debug)]
pub(super) struct Failure {
    pub(super) count: u64,
    pub(super) last_id: u64,
    pub(super) last_x: Vec<f64>,
}

/// What one search of a run has found.
#[derive(Clone, Debug, Default)]
pub(super) struct Search {
    pub(super) evaluations: u64,
    /// Its best value and point; none where no value was feasible.
    pub(super) best: Option<(f64, Vec<f64>)>,
}

/// All evaluations of a run, condensed as they are read.
pub(super) struct Trace {
    pub(super) count: u64,
    pub(super) failures: u64,
    /// Points that violate constraints, and the least violation while there is no other.
    pub(super) infeasible: u64,
    pub(super) least_violation: f64,
    /// The trade between value and violation.
    pub(super) front: Front,
    /// Evaluations and best value at each improvement.
    pub(super) improvements: Vec<(f64, f64)>,
    pub(super) best_x: Vec<f64>,
    /// Points from outside, and whether the best is one of them.
    pub(super) injected: u64,
    pub(super) best_is_injected: bool,
    /// Evaluations and failures at each failure.
    pub(super) failed_at: Sample<(f64, f64)>,
    pub(super) seconds: Sample<f64>,
    /// The least, the most, all together.
    pub(super) times: Option<(f64, f64, f64)>,
    pub(super) reasons: BTreeMap<String, Failure>,
    /// The searches of the run, in their order.
    pub(super) searches: Vec<Search>,
    /// Evaluations at which one ended and the next began.
    restarts: Vec<u64>,
    /// Every so many points of the whole run.
    points: Sample<Point>,
    /// The latest points, oldest first.
    pub(super) recent: VecDeque<Point>,
    recent_size: usize,
}

impl Trace {
    /// A trace of a run whose searches ended at these evaluations, the last one excepted.
    pub(super) fn new(population: usize, restarts: &[u64]) -> Self {
        Self {
            count: 0,
            failures: 0,
            infeasible: 0,
            least_violation: f64::INFINITY,
            front: Front::default(),
            improvements: Vec::new(),
            best_x: Vec::new(),
            injected: 0,
            best_is_injected: false,
            failed_at: Sample::new(SAMPLE),
            seconds: Sample::new(SAMPLE),
            times: None,
            reasons: BTreeMap::new(),
            searches: vec![Search::default(); restarts.len() + 1],
            restarts: restarts.to_vec(),
            points: Sample::new(POINTS),
            recent: VecDeque::new(),
            recent_size: population.clamp(20, RECENT),
        }
    }

    pub(super) fn take(&mut self, e: Evaluation) {
        let place = self.count as f64 + 1.0;
        let violation = e.violation.filter(|v| *v > 0.0 && e.failure.is_none());
        let value = e.value.filter(|v| v.is_finite() && e.failure.is_none() && violation.is_none());
        let known = e.infinite.is_some() || violation.is_some();
        let failed = value.is_none() && (e.failure.is_some() || !known);
        self.infeasible += u64::from(violation.is_some());
        if let (Some(told), Some(value), None) = (e.violation, e.value, &e.failure) {
            self.front.take(told.max(0.0), value);
        }
        match value {
            None if violation.is_some_and(|v| self.best().is_none() && v < self.least_violation) => {
                self.least_violation = violation.unwrap_or(f64::INFINITY);
                self.best_x.clone_from(&e.x);
            }
            Some(value) if self.best().is_none_or(|best| value < best) => {
                self.improvements.push((place, value));
                self.best_x.clone_from(&e.x);
            }
            None if failed => self.fail(place, &e),
            _ => {}
        }
        self.count_for_search(e.id, value, &e.x);
        if let Some(seconds) = e.seconds.filter(|s| s.is_finite() && *s >= 0.0) {
            let (least, most, sum) = self.times.unwrap_or((seconds, seconds, 0.0));
            self.times = Some((least.min(seconds), most.max(seconds), sum + seconds));
            self.seconds.push(seconds);
        }
        let point = Point { x: e.x, value, failed };
        if self.recent.len() == self.recent_size {
            self.recent.pop_front();
        }
        self.recent.push_back(point.clone());
        self.points.push(point);
        self.count += 1;
    }

    /// Count an evaluation for its search.
    fn count_for_search(&mut self, id: u64, value: Option<f64>, x: &[f64]) {
        let place = self.restarts.partition_point(|end| *end <= id);
        let search = &mut self.searches[place];
        search.evaluations += 1;
        if let Some(value) = value.filter(|v| search.best.as_ref().is_none_or(|best| *v < best.0)) {
            search.best = Some((value, x.to_vec()));
        }
    }

    /// A point from outside, after so many evaluations; all of them have been read.
    pub(super) fn inject(&mut self, evaluations: u64, point: Injected) {
        self.injected += 1;
        if self.best().is_none_or(|best| point.value < best) {
            self.best_x = point.x;
            self.best_is_injected = true;
        }
        let place = evaluations as f64;
        let at = self.improvements.partition_point(|p| p.0 <= place);
        self.improvements.insert(at, (place, point.value));
        let mut best = f64::INFINITY;
        self.improvements.retain(|p| {
            let better = p.1 < best;
            best = best.min(p.1);
            better
        });
    }

    fn fail(&mut self, place: f64, e: &Evaluation) {
        self.failures += 1;
        self.failed_at.push((place, self.failures as f64));
        let reason = e.failure.clone().unwrap_or_else(|| "no value was given".to_string());
        let known = self.reasons.len() < REASONS || self.reasons.contains_key(&reason);
        let entry = self.reasons.entry(if known { reason } else { OTHER.to_string() });
        let failure = entry.or_insert_with(|| Failure { count: 0, last_id: e.id, last_x: Vec::new() });
        failure.count += 1;
        failure.last_id = e.id;
        failure.last_x.clone_from(&e.x);
    }

    /// Every so many points of the whole run.
    pub(super) fn points(&self) -> &[Point] {
        self.points.items()
    }

    pub(super) fn best(&self) -> Option<f64> {
        self.improvements.last().map(|p| p.1)
    }
}

/// A curve that stays at its value until the next point: both corners of every step, up to `end`.
pub(super) fn steps(points: &[(f64, f64)], end: f64) -> Vec<(f64, f64)> {
    let mut out: Vec<(f64, f64)> = Vec::new();
    for &(x, y) in points {
        if let Some(&(_, before)) = out.last() {
            out.push((x, before));
        }
        out.push((x, y));
    }
    if let Some(&(x, y)) = out.last()
        && end > x
    {
        out.push((end, y));
    }
    out
}

/// At most so many of the points, the first and the last among them.
pub(super) fn thin(points: Vec<(f64, f64)>, most: usize) -> Vec<(f64, f64)> {
    if points.len() <= most || most < 2 {
        return points;
    }
    let last = points.len() - 1;
    (0..most).map(|i| points[i * last / (most - 1)]).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_long_run_keeps_few_points_and_all_counts() {
        let mut trace = Trace::new(10, &[]);
        for id in 0..10_000 {
            let failure = (id % 10 == 3).then(|| "broken".to_string());
            let value = failure.is_none().then_some(1e4 - id as f64);
            trace.take(Evaluation {
                id,
                x: vec![id as f64],
                value,
                violation: None,
                infinite: None,
                seconds: Some(0.1),
                failure,
            });
        }
        assert_eq!((trace.count, trace.failures, trace.best()), (10_000, 1000, Some(1.0)));
        assert!(trace.points().len() < POINTS && trace.points().len() >= POINTS / 2);
        assert_eq!(trace.recent.len(), 20);
        assert_eq!(trace.reasons["broken"].last_id, 9993);
    }

    #[test]
    fn each_search_has_its_own_best_point() {
        let mut trace = Trace::new(10, &[50, 80]);
        for id in 0..100u64 {
            let value = Some(((id * 37) % 100) as f64);
            let (infinite, violation, seconds, failure) = (None, None, None, None);
            trace.take(Evaluation { id, x: vec![id as f64], value, infinite, violation, seconds, failure });
        }
        let searches: Vec<_> = trace.searches.iter().map(|s| (s.evaluations, s.best.clone())).collect();
        // 37 · 0 = 0, 37 · 73 = 2701 and 37 · 92 = 3404 are the least remainders of 100 in their parts.
        assert_eq!(
            searches,
            [(50, Some((0.0, vec![0.0]))), (30, Some((1.0, vec![73.0]))), (20, Some((4.0, vec![92.0])))]
        );
    }

    #[test]
    fn an_injected_point_is_part_of_the_curve() {
        let mut trace = Trace::new(10, &[]);
        trace.improvements = vec![(1.0, 5.0), (4.0, 3.0), (9.0, 1.0)];
        let point = |value| Injected { generation: 1, x: vec![value], value };
        trace.inject(6, point(2.0));
        trace.inject(6, point(4.0));
        assert_eq!(trace.improvements, [(1.0, 5.0), (4.0, 3.0), (6.0, 2.0), (9.0, 1.0)]);
        assert!(!trace.best_is_injected);
        trace.inject(3, point(0.5));
        assert_eq!(trace.improvements, [(1.0, 5.0), (3.0, 0.5)]);
        assert!(trace.best_is_injected && trace.best_x == [0.5] && trace.injected == 3);
    }

    #[test]
    fn thinning_keeps_both_ends() {
        let points: Vec<_> = (0..1000).map(|i| (i as f64, 0.0)).collect();
        let few = thin(points, 10);
        assert_eq!((few.len(), few[0].0, few[9].0), (10, 0.0, 999.0));
    }

    #[test]
    fn steps_hold_their_value() {
        assert_eq!(steps(&[(1.0, 5.0), (3.0, 2.0)], 4.0), [(1.0, 5.0), (3.0, 5.0), (3.0, 2.0), (4.0, 2.0)]);
    }
}
