//! One search: where it samples, what it has sampled, and how it last moved. Strategies borrow it for a step;
//! bounds, integers and injection work on it and know no strategy.

mod adjust;
mod gaussian;
mod limited;
mod motion;
mod points;
mod population;
mod sampling;

pub use gaussian::SearchDistribution;
pub(crate) use limited::{LimitedFactor, MOST_DIRECTIONS};
pub(crate) use motion::{Degenerate, Motion};
pub use points::Points;
pub(crate) use population::{Population, Row};
pub(crate) use sampling::{Queue, orthogonalize};

use crate::linalg::{add_scaled, squared_norm, transpose_times};

/// Distribution, population and motion.
#[derive(Clone, Debug, PartialEq)]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize))]
pub(crate) struct Search {
    pub(crate) distribution: SearchDistribution,
    pub(crate) population: Population,
    /// The update that led from the distribution of the population to the present one; empty where the covariance has
    /// limited memory.
    pub(crate) motion: Motion,
    #[cfg_attr(feature = "serde", serde(skip))]
    scratch: Vec<f64>,
}

impl Search {
    /// A search that begins here with populations of n.
    pub(crate) fn new(distribution: SearchDistribution, n: usize) -> Self {
        let (d, limited) = (distribution.dimension(), distribution.is_limited());
        let mut search = Self {
            distribution,
            population: Population::new(n, d),
            motion: Motion::none(if limited { 0 } else { d }),
            scratch: Vec::new(),
        };
        search.prepare();
        search
    }

    /// Scratch space, which is no part of a checkpoint.
    pub(crate) fn prepare(&mut self) {
        let d = self.dimension();
        let square = if self.distribution.is_limited() { 0 } else { d * d };
        self.scratch.resize(3 * d + square, 0.0);
    }

    pub(crate) fn dimension(&self) -> usize {
        self.distribution.dimension()
    }

    /// Go on with populations of n, and with deviations multiplied by `scale`. The next generation has no
    /// evaluated rows.
    pub(crate) fn resize(&mut self, n: usize, scale: f64) {
        let d = self.dimension();
        if let Some(factor) = &mut self.distribution.limited {
            factor.scale(scale);
            self.population = Population::new(n, d);
            return;
        }
        let mut growth = Motion::none(d);
        growth.scale(scale);
        if self.distribution.follow(&mut growth, &mut self.scratch).is_ok() {
            self.motion.scale(scale); // from the coordinates before the last update to the present ones
        }
        self.population = Population::new(n, d);
    }

    /// Move the distribution as `motion` says: `x ← x + Aᵀ shift`, `A ← factor · A`. O(d³).
    pub(crate) fn follow_motion(&mut self) -> Result<(), Degenerate> {
        self.distribution.follow(&mut self.motion, &mut self.scratch)
    }

    /// Move on without another shape: `x ← x + Aᵀ shift`, `A ← scale · A`; the motion is followed by this one, so that it leads
    /// from the coordinates before it to the present ones still. O(d²).
    pub(crate) fn go_on(&mut self, shift: &[f64], scale: f64) -> Result<(), Degenerate> {
        if self.distribution.is_limited() {
            return self.move_limited(shift, |factor| factor.scale(scale));
        }
        let Self { distribution, motion, scratch, .. } = self;
        let d = shift.len();
        let by = &mut scratch[..d];
        distribution.transpose_times(shift, by);
        add_scaled(by, 1.0, &distribution.mean);
        let sound = |(row, x): (usize, &f64)| {
            let diagonal = scale * distribution.factor[row * d + row];
            let fits = x.is_finite() && diagonal.is_finite() && diagonal >= f64::MIN_POSITIVE;
            (!fits).then_some(Degenerate { row, diagonal })
        };
        if let Some(degenerate) = by.iter().enumerate().find_map(sound) {
            return Err(degenerate);
        }
        distribution.mean.copy_from_slice(by);
        distribution.factor.iter_mut().for_each(|a| *a *= scale);
        transpose_times(&motion.factor, shift, by, d);
        add_scaled(&mut motion.shift, 1.0, by);
        motion.scale(scale);
        motion.log_det += d as f64 * scale.ln();
        Ok(())
    }

    /// All costs are equal: where they are numbers the search is narrower than a plateau, and looks twice as far. The motion
    /// leads to the present coordinates still. Deviations that would be no numbers stay. O(d²).
    pub(crate) fn leave_plateau(&mut self) {
        let Self { distribution, motion, population, .. } = self;
        if population.costs().iter().any(|cost| !cost.is_finite()) {
            return;
        }
        let by: f64 = 2.0;
        if let Some(factor) = &mut distribution.limited {
            if factor.scales().iter().all(|scale| (by * scale).is_finite()) {
                factor.scale(by);
            }
        } else if distribution.factor.iter().all(|a| (by * a).is_finite()) {
            distribution.factor.iter_mut().for_each(|a| *a *= by);
            motion.scale(by);
            motion.log_det += distribution.mean.len() as f64 * by.ln();
        }
    }

    /// Move the mean towards a point by at most `longest` in whitened length; the motion becomes one that leads
    /// there, so that importance mixing and predictions stay exact. O(d³).
    pub(crate) fn move_towards(&mut self, point: &[f64], longest: f64) {
        let d = self.dimension();
        let Ok(mut shift) = self.distribution.whiten(point) else { return };
        let length = squared_norm(&shift).sqrt();
        if length > longest {
            shift.iter_mut().for_each(|c| *c *= longest / length);
        }
        if self.distribution.is_limited() {
            let (by, _) = self.scratch.split_at_mut(d);
            self.distribution.transpose_times(&shift, by);
            add_scaled(&mut self.distribution.mean, 1.0, by);
            return;
        }
        let mut step = Motion { shift, ..Motion::none(d) };
        if self.distribution.follow(&mut step, &mut self.scratch).is_ok() {
            // From the whitened coordinates after the motion to those before it: Tᵀc.
            let mut before = vec![0.0; d];
            transpose_times(&self.motion.factor, &step.shift, &mut before, d);
            add_scaled(&mut self.motion.shift, 1.0, &before);
        }
    }

    /// Make room for k directions, where the covariance has limited memory.
    pub(crate) fn reserve_directions(&mut self, k: usize) {
        if let Some(factor) = &mut self.distribution.limited {
            factor.reserve(k);
        }
    }

    /// Independent coordinates again, where the covariance has limited memory.
    pub(crate) fn forget_directions(&mut self) {
        if let Some(factor) = &mut self.distribution.limited {
            factor.set_directions(&[], &[]);
        }
    }

    /// Move the mean by Aᵀ`shift`, and let `change` have the factor; where the result would be no distribution nothing has
    /// changed but the factor of one that ends here. Only with limited memory. O(k d).
    pub(crate) fn move_limited(
        &mut self,
        shift: &[f64],
        change: impl FnOnce(&mut LimitedFactor),
    ) -> Result<(), Degenerate> {
        let Self { distribution, scratch, .. } = self;
        let by = &mut scratch[..shift.len()];
        distribution.transpose_times(shift, by);
        add_scaled(by, 1.0, &distribution.mean);
        let Some(factor) = &mut distribution.limited else { return Ok(()) };
        if let Some(row) = by.iter().position(|x| !x.is_finite()) {
            return Err(Degenerate { row, diagonal: factor.scales()[row] });
        }
        distribution.mean.copy_from_slice(by);
        change(factor);
        match factor.first_unsound() {
            Some(row) => Err(Degenerate { row, diagonal: factor.scales()[row] }),
            None => Ok(()),
        }
    }

    /// The standard deviation of each coordinate, in scratch space. O(d²).
    pub(crate) fn standard_deviations(&mut self) -> &[f64] {
        let deviations = &mut self.scratch[..self.distribution.dimension()];
        self.distribution.standard_deviations_into(deviations);
        deviations
    }

    /// Make the samples of the population orthogonal, block by block; each keeps its length.
    pub(crate) fn orthogonalize_samples(&mut self) {
        let d = self.dimension();
        orthogonalize(self.population.fresh_whitened_mut(), d, &mut self.scratch[..3 * d]);
    }

    /// From whitened coordinates to points, for the rows that wait for their costs: z = x + Aᵀs ~ N(x, AᵀA).
    pub(crate) fn place_samples(&mut self, threads: usize) {
        let (whitened, points) = self.population.fresh_rows_mut();
        self.distribution.points_from_on(threads, whitened, points);
    }

    /// A row of the population becomes the point that `place` writes.
    pub(crate) fn place(&mut self, row: usize, place: impl FnOnce(&mut [f64])) {
        let Self { distribution, population, .. } = self;
        let (s, z) = population.row_mut(row);
        place(z);
        s.iter_mut().zip(z).zip(distribution.mean()).for_each(|((s, z), x)| *s = *z - x);
        distribution.solve_transpose(s); // s = A⁻ᵀ(z − x)
    }

    #[cfg(feature = "serde")]
    pub(crate) fn is_consistent(&self, d: usize, limited: Option<usize>) -> bool {
        let factor = match (&self.distribution.limited, limited) {
            (Some(factor), Some(most)) => {
                factor.is_consistent(d, most) && self.distribution.factor.is_empty()
            }
            (None, None) => self.distribution.factor.len() == d * d,
            _ => false,
        };
        factor
            && self.distribution.dimension() == d
            && self.population.is_consistent(d)
            && self.motion.is_consistent(if limited.is_some() { 0 } else { d })
    }
}
