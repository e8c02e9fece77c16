//! A line: where along one coordinate the least cost may lie.
//!
//! STEP, "select the easiest point" (Swarzberg, Seront and Bersini 1994): between two neighbours there is a parabola that touches the
//! level just below the best. The flatter it has to be, the easier it is that the objective gets there, and the
//! next point lies where the flattest one touches. Every gap has its turn; wide and low ones first.

/// The level below the best, as a part of the distance from the best cost to the middle one.
const BELOW: f64 = 0.01;

/// A point keeps this part of the gap from both of its neighbours.
const APART: f64 = 0.1;

/// Gaps that are a smaller part of the line are closed.
const CLOSED: f64 = 1e-6;

/// Points on a line in their order, and their costs.
#[derive(Clone, Debug, PartialEq)]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize))]
pub(super) struct Line {
    lower: f64,
    upper: f64,
    at: Vec<f64>,
    costs: Vec<f64>,
}

impl Line {
    /// A line between two ends, with one point that is known.
    pub(super) fn new((lower, upper): (f64, f64), at: f64, cost: f64) -> Self {
        Self { lower, upper, at: vec![at], costs: vec![cost] }
    }

    pub(super) fn len(&self) -> usize {
        self.at.len()
    }

    pub(super) fn add(&mut self, at: f64, cost: f64) {
        if !at.is_finite() || self.at.contains(&at) {
            return;
        }
        let place = self.at.partition_point(|t| *t < at);
        self.at.insert(place, at);
        self.costs.insert(place, if cost.is_nan() { f64::INFINITY } else { cost });
    }

    /// Where to look next, so many points at most: at the ends, then where it is easiest to get below the best.
    pub(super) fn next(&self, count: usize) -> Vec<f64> {
        let width = self.upper - self.lower;
        let (first, last) = (self.at[0], self.at[self.at.len() - 1]);
        let mut next = Vec::new();
        if first - self.lower > CLOSED * width {
            next.push(self.lower);
        }
        if self.upper - last > CLOSED * width {
            next.push(self.upper);
        }
        if next.is_empty() {
            next = self.easiest();
        }
        next.truncate(count);
        next
    }

    /// A point in each open gap, the easiest first.
    fn easiest(&self) -> Vec<f64> {
        let (best, level) = (self.best().1, self.level());
        let above = |cost: f64| (0.5 * cost - 0.5 * best + level).sqrt();
        let pairs = self.at.windows(2).zip(self.costs.windows(2));
        let mut gaps: Vec<(f64, f64)> = pairs
            .filter(|(at, _)| at[1] - at[0] > CLOSED * (self.upper - self.lower))
            .map(|(at, costs)| {
                let (left, right) = (above(costs[0]), above(costs[1]));
                let share = left / (left + right);
                let share = if share.is_nan() { 0.5 } else { share.clamp(APART, 1.0 - APART) };
                // The parabola c(t − t*)² that touches the level has √c = (√left + √right)/gap.
                ((left + right) / (at[1] - at[0]), at[0] + share * (at[1] - at[0]))
            })
            .collect();
        gaps.sort_by(|a, b| a.0.total_cmp(&b.0));
        gaps.into_iter().map(|(_, at)| at).collect()
    }

    /// How far below the best the level lies, halved as costs are above.
    fn level(&self) -> f64 {
        let mut sorted = self.costs.clone();
        sorted.sort_by(f64::total_cmp);
        let finite = sorted.partition_point(|c| *c < f64::INFINITY);
        let middle = sorted[finite.saturating_sub(1).min(sorted.len() / 2)];
        let level = BELOW * (0.5 * middle - 0.5 * sorted[0]);
        if level.is_finite() { level.max(f64::MIN_POSITIVE) } else { f64::MIN_POSITIVE }
    }

    /// The best point and its cost.
    pub(super) fn best(&self) -> (f64, f64) {
        let place = self.best_place();
        (self.at[place], self.costs[place])
    }

    fn best_place(&self) -> usize {
        let each = self.costs.iter().enumerate();
        each.min_by(|a, b| a.1.total_cmp(b.1)).map_or(0, |(place, _)| place)
    }

    /// Half of the distance from the best point to its neighbours, on average.
    pub(super) fn spacing(&self) -> f64 {
        let place = self.best_place();
        let left = place.checked_sub(1).map(|left| self.at[place] - self.at[left]);
        let right = self.at.get(place + 1).map(|right| right - self.at[place]);
        let known: Vec<f64> = left.into_iter().chain(right).collect();
        if known.is_empty() {
            0.5 * (self.upper - self.lower)
        } else {
            0.5 * known.iter().sum::<f64>() / known.len() as f64
        }
    }

    #[cfg(feature = "serde")]
    pub(super) fn is_consistent(&self) -> bool {
        !self.at.is_empty()
            && self.at.len() == self.costs.len()
            && self.lower.is_finite()
            && self.upper.is_finite()
            && self.at.iter().all(|t| t.is_finite())
            && self.costs.iter().all(|c| !c.is_nan())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// A line through 3.3, with so many more points.
    fn search(f: impl Fn(f64) -> f64, points: usize) -> Line {
        let mut line = Line::new((-4.0, 5.0), 3.3, f(3.3));
        while line.len() <= points {
            for at in line.next(1) {
                line.add(at, f(at));
            }
        }
        line
    }

    #[test]
    fn the_best_of_many_wells_is_found_with_few_points() {
        let rastrigin = |t: f64| t * t + 10.0 * (1.0 - (std::f64::consts::TAU * t).cos());
        for shift in [0.0, 0.17, -1.3, 2.2] {
            let line = search(|t| rastrigin(t - shift), 25);
            let (at, cost) = line.best();
            assert!((at - shift).abs() < 0.2 && cost < 2.0, "{shift}: {at} {cost}");
            assert!(line.spacing() < 0.5, "{line:?}");
        }
    }

    #[test]
    fn ends_come_first_and_every_gap_has_its_turn() {
        let line = Line::new((0.0, 1.0), 0.5, 1.0);
        assert_eq!(line.next(3), [0.0, 1.0]);
        // Nothing tells gaps apart but their width.
        let line = search(|_| 1.0, 40);
        let widest = line.at.windows(2).map(|t| t[1] - t[0]).fold(0.0, f64::max);
        assert!(widest < 9.0 / 16.0, "{widest}");
    }

    #[test]
    fn failures_and_huge_costs_are_avoided_and_never_stop_a_line() {
        let line = search(|t| if t > 2.0 { f64::NAN } else { 1e308 * t.sin() }, 30);
        assert!(line.at.iter().filter(|t| **t > 2.5).count() < 4, "{line:?}");
        let line = search(|_| f64::NAN, 10);
        assert_eq!((line.len(), line.best().1), (11, f64::INFINITY));
    }
}
