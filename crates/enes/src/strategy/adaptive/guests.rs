//! Points that were not sampled: injected ones, and those of an earlier run.

use super::{Adaptive, State};
use crate::inject::move_towards;
use crate::linalg;

/// A point that was not sampled is learned from up to this distance, in units of √d deviations, where samples
/// lie. Without a limit a point that is injected in every generation, and left ever further behind, costs
/// Rosenbrock's function 2.4 times the evaluations (`benchmarks/src/bin/injection.rs`).
const REACH: f64 = 3.0;

impl Adaptive {
    /// A point that was not sampled enters the archive, unless it is far, there already, or as many came that
    /// way in this generation as it has samples. Recombination and the model's quality never see it, and the
    /// model of the values never does: one value that is not true would spoil it for as long as it remembers.
    pub(crate) fn learn_from(&mut self, point: &[f64], cost: f64) {
        let State { distribution, archive, guests, .. } = &mut self.state;
        let far = |s: Vec<f64>| linalg::squared_norm(&s) > REACH * REACH * s.len() as f64;
        if *guests < self.lambda && !archive.contains(point) && !distribution.whiten(point).is_ok_and(far) {
            archive.append(point, &[cost]);
            *guests += 1;
        }
    }

    /// Points that were evaluated before enter the archives: those within reach, the nearest as the latest, as
    /// long as a generation of samples still has room.
    pub(crate) fn begin_with(&mut self, points: &[f64], costs: &[f64]) {
        let State { distribution, population, archive, values, .. } = &mut self.state;
        let d = population.dimension();
        let Ok(mut whitened) = distribution.whiten(points) else { return };
        let mut near: Vec<(f64, usize)> =
            whitened.chunks_exact_mut(d).map(|s| linalg::squared_norm(s)).zip(0..).collect();
        near.retain(|(q, _)| *q <= REACH * REACH * d as f64);
        near.sort_by(|a, b| a.0.total_cmp(&b.0));
        let room = archive.capacity() - self.lambda;
        for (i, &(_, row)) in near.iter().enumerate().rev() {
            let (point, cost) = (&points[row * d..(row + 1) * d], &costs[row..=row]);
            if let Some(values) = values {
                values.memory.learn(point, cost);
            }
            if i < room && !archive.contains(point) {
                archive.append(point, cost);
            }
        }
    }

    /// Move the mean towards a point by at most √d + 2 deviations: where samples lie, and a little beyond. The
    /// path that led to the old mean begins anew, and samples around it are no longer ours.
    pub(crate) fn move_towards(&mut self, point: &[f64]) {
        let State { distribution, motion, path, values, .. } = &mut self.state;
        move_towards(point, (path.len() as f64).sqrt() + 2.0, distribution, motion, &mut self.scratch);
        path.fill(0.0);
        if let Some(values) = values {
            values.carried = 0;
        }
    }
}
