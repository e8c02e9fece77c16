//! Values that failed, and values far beyond what a quadratic explains: few of them are left out of the fits, many are a wall.
//!
//! An evaluation that fails now and then, wherever it is, says nothing of the objective, and one such value in fifty keeps a
//! quadratic from being seen. But where the nearest points fail, or the surrogate's steps (`Record::is_at_wall`), there is a region to
//! stay away from, and failures count as the worst value that is none.

use super::kernel::Frame;
use crate::archive::Archive;
use crate::strategy::adaptive::sizes::latest;

/// One in so many of the nearest points must have failed to be a wall.
const WALL: usize = 4;

/// A value is beyond a quadratic where it exceeds the best by so many times d what values nearby do: an axis has at most d times the
/// mean curvature, and samples reach a few deviations.
const BEYOND: f64 = 100.0;

/// Which points failed, and space to find out.
#[derive(Clone, Debug)]
pub(super) struct Failures {
    marked: Vec<bool>,
    values: Vec<f64>,
}

impl Failures {
    /// For so many points at most.
    pub(super) fn new(most: usize) -> Self {
        Self { marked: Vec::with_capacity(most), values: Vec::with_capacity(most) }
    }

    /// Leave out the points that failed, unless those near the best did. The frame has the nearest of these rows of the archive, and
    /// costs in which failures count as the worst.
    pub(super) fn leave_out(
        &mut self,
        rows: &[usize],
        archive: &Archive,
        frame: &mut Frame,
        costs: &mut Vec<f64>,
        d: usize,
    ) {
        let n = costs.len();
        archive.costs_of(rows, &mut self.values);
        let fails = |value: &f64| value.is_nan() || *value == f64::INFINITY;
        self.marked.clear();
        self.marked.extend(frame.nearest(n).iter().map(|&i| fails(&self.values[i])));
        let few = latest(d).min(n);
        self.mark_beyond(&frame.norms, costs, n - few, d);
        let near = self.marked[n - few..].iter().filter(|marked| **marked).count();
        if WALL * near < few && self.marked.contains(&true) {
            frame.leave_out(&self.marked, costs);
        }
    }

    /// Mark values that no quadratic has where they are, going by those of the nearest points, which come last.
    fn mark_beyond(&mut self, norms: &[f64], costs: &[f64], near: usize, d: usize) {
        let best = costs.iter().fold(f64::INFINITY, |least, &cost| least.min(cost));
        let excess = self.median_near(near, |k| costs[k] - best);
        let distance = self.median_near(near, |k| norms[k]);
        if !(excess > 0.0 && distance > 0.0) {
            return;
        }
        for ((marked, cost), norm) in self.marked.iter_mut().zip(costs).zip(norms) {
            let farther = (norm / distance).max(1.0).powi(2);
            *marked |= cost - best > BEYOND * d as f64 * farther * excess;
        }
    }

    /// The middle of what the nearest points have that are not marked; 0 where there are none.
    fn median_near(&mut self, near: usize, value: impl Fn(usize) -> f64) -> f64 {
        self.values.clear();
        let sound = (near..self.marked.len()).filter(|&k| !self.marked[k]);
        self.values.extend(sound.map(value));
        let middle = self.values.len() / 2;
        if self.values.is_empty() {
            return 0.0;
        }
        *self.values.select_nth_unstable_by(middle, f64::total_cmp).1
    }
}
