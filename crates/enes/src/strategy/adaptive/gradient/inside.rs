//! The gradient within a box: displacements from the mean, folded into the box, in the coordinates of the points that are
//! evaluated. Differences are along the axes and point inwards, steps end at bounds and go on along them.

use super::look::{self, Look};
use super::pairs::Pairs;
use super::projection::Projection;
use crate::linalg::{self, squared_norm};
use crate::search::{Population, Search, SearchDistribution};
use crate::space::Limits;

/// A step that ends so near to a bound, in axes, ends on it: what is missing is rounding.
const NEAR: f64 = 1e-12;

/// What follows from a full covariance.
#[derive(Clone, Debug)]
struct Shape {
    /// The factor A that the others were computed from.
    factor: Vec<f64>,
    /// A⁻¹, by rows, and the upper triangle of A⁻¹A⁻ᵀ in units of the axes.
    inverse: Vec<f64>,
    precision: Vec<f64>,
    projection: Projection,
}

/// The box around the mean, and scratch space.
#[derive(Clone, Debug)]
pub(super) struct Inside {
    limits: Limits,
    /// The mean as it is evaluated, and its bounds.
    mean: Vec<f64>,
    bounds: Vec<(f64, f64)>,
    /// From there to each bound, in axes: at most 0 and at least 0.
    down: Vec<f64>,
    up: Vec<f64>,
    /// How far each coordinate deviates where the others stay: 1/|A⁻ᵀe_j|.
    axes: Vec<f64>,
    /// `None` where the covariance has limited memory.
    shape: Option<Box<Shape>>,
    /// A displacement, in axes.
    by: Vec<f64>,
    /// The step, where it ends, and how fast values change along each axis.
    target: Vec<f64>,
    end: Vec<f64>,
    slope: Vec<f64>,
    /// The directions of a look, in axes, and their squared lengths in deviations, as a share of that of a sample.
    directions: Vec<f64>,
    shares: Vec<f64>,
    free: Vec<bool>,
}

impl Inside {
    pub(super) fn new(limits: Limits, is_limited: bool) -> Self {
        let d = limits.dimension();
        let zeros = || vec![0.0; d];
        let shape = || {
            let square = || vec![0.0; d * d];
            let projection = Projection::new(d);
            Box::new(Shape { factor: square(), inverse: square(), precision: square(), projection })
        };
        Self {
            bounds: limits.bounds().collect(),
            limits,
            mean: zeros(),
            down: zeros(),
            up: zeros(),
            axes: zeros(),
            shape: (!is_limited).then(shape),
            by: zeros(),
            target: zeros(),
            end: zeros(),
            slope: zeros(),
            directions: Vec::with_capacity(look::MOST * d),
            shares: Vec::with_capacity(look::MOST),
            free: vec![true; d],
        }
    }

    /// The box as it is around the mean of this distribution. O(d³) where its shape is another than the last time.
    pub(super) fn prepare(&mut self, distribution: &SearchDistribution) {
        let d = self.mean.len();
        match (&mut self.shape, distribution.limited_factor()) {
            (None, Some(factor)) => self.axes.copy_from_slice(factor.scales()),
            (Some(shape), _) if shape.factor != distribution.factor() => {
                shape.factor.copy_from_slice(distribution.factor());
                shape.invert(d, &mut self.axes);
            }
            _ => {}
        }
        self.mean.copy_from_slice(distribution.mean());
        self.limits.fold(&mut self.mean);
        for (j, &(lower, upper)) in self.bounds.iter().enumerate() {
            self.down[j] = ((lower - self.mean[j]) / self.axes[j]).min(0.0);
            self.up[j] = ((upper - self.mean[j]) / self.axes[j]).max(0.0);
        }
    }

    pub(super) fn axes(&self) -> &[f64] {
        &self.axes
    }

    /// The largest coordinate: of its size rounding is a part.
    pub(super) fn largest_coordinate(&self) -> f64 {
        linalg::largest_entry(&self.mean)
    }

    /// Lengths along the axes become those of points that there are: inwards, where they would lead out, and rounded as these.
    pub(super) fn turn_inwards(&mut self, lengths: &mut [f64]) {
        for (j, length) in lengths.iter_mut().enumerate() {
            let inwards =
                if *length <= self.up[j] || self.up[j] >= -self.down[j] { *length } else { -*length };
            self.by[j] = inwards;
        }
        let Self { by, mean, axes, limits, .. } = self;
        by.iter_mut().zip(&*mean).zip(&*axes).for_each(|((by, x), axis)| *by = x + *by * axis);
        limits.unfold(by);
        limits.fold(by);
        for (((length, x), mean), axis) in lengths.iter_mut().zip(by).zip(mean).zip(axes) {
            *length = (*x - *mean) / *axis;
        }
    }

    /// The point that is this long from the mean along an axis, and whitened. With a full covariance what the others have is
    /// what their mean has, to the last bit.
    pub(super) fn write_difference(
        &self,
        j: usize,
        length: f64,
        distribution: &SearchDistribution,
        s: &mut [f64],
        z: &mut [f64],
    ) {
        z.copy_from_slice(distribution.mean());
        let inside = self.mean[j] + length * self.axes[j];
        z[j] = self.limits.unfolded(j, inside);
        let away = z[j] - distribution.mean()[j];
        match &self.shape {
            // A⁻ᵀe_j is row j of A⁻¹.
            Some(shape) => {
                let row = &shape.inverse[j * s.len()..(j + 1) * s.len()];
                s.iter_mut().zip(row).for_each(|(s, v)| *s = away * v);
            }
            None => {
                s.fill(0.0);
                s[j] = away;
                distribution.solve_transpose(s);
            }
        }
    }

    /// What a point is from the mean, in axes.
    pub(super) fn displacement(&mut self, population: &Population, row: usize) -> &[f64] {
        self.by.copy_from_slice(population.point(row));
        self.limits.fold(&mut self.by);
        for ((by, mean), axis) in self.by.iter_mut().zip(&self.mean).zip(&self.axes) {
            *by = (*by - mean) / axis;
        }
        &self.by
    }

    /// The displacement that was looked at last.
    pub(super) fn displaced(&self) -> &[f64] {
        &self.by
    }

    /// The directions of a look: those of samples, as far as the box has room on both sides.
    pub(super) fn set_directions(&mut self, look: &Look, distribution: &SearchDistribution) {
        let d = self.mean.len();
        self.directions.resize(look.directions() * d, 0.0);
        self.shares.clear();
        for (i, along) in self.directions.chunks_exact_mut(d).enumerate() {
            look.write_along(i, 1.0, &mut self.by);
            distribution.transpose_times(&self.by, along);
            for (j, v) in along.iter_mut().enumerate() {
                let room = self.up[j].min(-self.down[j]);
                *v = (*v / self.axes[j]).clamp(-room, room);
            }
            whiten(along, &self.axes, distribution, &mut self.by);
            self.shares.push(squared_norm(&self.by) / d as f64);
        }
    }

    /// Whether there is room for all of them: not where the mean is in a corner of the box.
    pub(super) fn has_room(&self) -> bool {
        self.shares.iter().all(|share| *share > 0.0)
    }

    pub(super) fn directions(&self) -> &[f64] {
        &self.directions
    }

    /// Their squared lengths, as a share of that of a sample.
    pub(super) fn shares(&self) -> &[f64] {
        &self.shares
    }

    /// A point of a look.
    pub(super) fn write_look(&mut self, at: usize, close: f64, z: &mut [f64]) {
        let d = z.len();
        let (i, by) = (at / look::PLACES, look::place(at, close));
        let along = &self.directions[i * d..(i + 1) * d];
        self.by.iter_mut().zip(along).for_each(|(to, v)| *to = by * v);
        self.write_displaced(z);
    }

    /// The point at the displacement; on a bound where it reaches that.
    fn write_displaced(&self, z: &mut [f64]) {
        for (j, z) in z.iter_mut().enumerate() {
            let (by, (lower, upper)) = (self.by[j], self.bounds[j]);
            *z = match () {
                () if by == 0.0 => self.mean[j],
                () if by <= self.down[j] => lower,
                () if by >= self.up[j] => upper,
                () => self.mean[j] + by * self.axes[j],
            };
        }
        self.limits.unfold(z);
    }

    /// The whitened gradient from that along the axes.
    pub(super) fn whiten_gradient(&mut self, distribution: &SearchDistribution, gradient: &mut [f64]) {
        self.by.iter_mut().zip(&*gradient).zip(&self.axes).for_each(|((by, g), axis)| *by = g / axis);
        distribution.times(&mut self.by, gradient); // A∇f
    }

    /// The step from the mean: with a full covariance the least value of the quadratic with this gradient and curvature in the
    /// box; with limited memory along what secants say of the coordinates that no bound holds. Returns how many times the
    /// direction it is.
    pub(super) fn direct(
        &mut self,
        gradient: &[f64],
        curvature: f64,
        pairs: Option<&Pairs>,
        distribution: &SearchDistribution,
        direction: &mut [f64],
    ) -> f64 {
        let d = gradient.len();
        let longest = (d as f64).sqrt();
        self.set_slope(gradient, distribution);
        if let Some(pairs) = pairs {
            self.set_free();
            pairs.apply_among(&self.free, gradient, curvature, direction);
            self.hold(direction);
            if linalg::wide_dot(gradient, direction) <= 0.0 {
                direction.copy_from_slice(gradient);
                self.hold(direction);
            }
            let reach = if curvature > 0.0 { 1.0 / curvature } else { f64::INFINITY };
            return -(longest / squared_norm(direction).sqrt()).min(reach);
        }
        let Some(shape) = &mut self.shape else { return 0.0 };
        // Where no curvature is known the step without bounds is √d long.
        let c = if curvature > 0.0 { curvature } else { squared_norm(gradient).sqrt() / longest };
        self.by.iter_mut().zip(&self.slope).for_each(|(g, slope)| *g = slope / c);
        shape.projection.solve(&shape.precision, &self.by, &self.down, &self.up, &mut self.target);
        whiten(&self.target, &self.axes, distribution, direction);
        direction.iter_mut().for_each(|v| *v = -*v);
        -(longest / squared_norm(direction).sqrt()).min(1.0)
    }

    /// Which coordinates are not held: on a bound, and led out of the box.
    fn set_free(&mut self) {
        for ((free, slope), (down, up)) in
            self.free.iter_mut().zip(&self.slope).zip(self.down.iter().zip(&self.up))
        {
            *free = !(*down == 0.0 && *slope > 0.0 || *up == 0.0 && *slope < 0.0);
        }
    }

    /// A direction against which the step goes does not lead out of the box from where the mean is.
    fn hold(&self, direction: &mut [f64]) {
        for (j, v) in direction.iter_mut().enumerate() {
            if !self.free[j] || self.down[j] == 0.0 && *v > 0.0 || self.up[j] == 0.0 && *v < 0.0 {
                *v = 0.0;
            }
        }
    }

    fn set_slope(&mut self, gradient: &[f64], distribution: &SearchDistribution) {
        self.slope.copy_from_slice(gradient);
        distribution.solve(&mut self.slope);
        self.slope.iter_mut().zip(&self.axes).for_each(|(slope, axis)| *slope *= axis);
    }

    /// A line along so many directions is looked at.
    pub(super) fn set_line(
        &mut self,
        gradient: &[f64],
        along: f64,
        direction: &[f64],
        distribution: &SearchDistribution,
    ) {
        self.set_slope(gradient, distribution);
        distribution.transpose_times(direction, &mut self.target);
        self.target.iter_mut().zip(&self.axes).for_each(|(t, axis)| *t *= along / axis);
    }

    /// How far the step goes along an axis, at a place on the line.
    fn reached(&self, j: usize, place: f64) -> f64 {
        let (to, down, up) = (place * self.target[j], self.down[j], self.up[j]);
        match () {
            () if to - down <= NEAR => down,
            () if up - to <= NEAR => up,
            () => to,
        }
    }

    /// What the gradient says of values there.
    pub(super) fn promise(&self, place: f64) -> f64 {
        self.slope.iter().enumerate().map(|(j, slope)| slope * self.reached(j, place)).sum()
    }

    /// The point at a place on the line.
    pub(super) fn write_line(&mut self, place: f64, z: &mut [f64]) {
        self.set_place(place);
        self.write_displaced(z);
    }

    fn set_place(&mut self, place: f64) {
        for j in 0..self.by.len() {
            self.by[j] = self.reached(j, place);
        }
    }

    /// Whether the displacement that was looked at last is that at a place of the line.
    pub(super) fn is_at(&self, place: f64, near: f64) -> bool {
        let (mut beside, mut length) = (0.0, 0.0);
        for (j, by) in self.by.iter().enumerate() {
            let to = self.reached(j, place);
            beside += (by - to) * (by - to);
            length += to * to;
        }
        beside <= near * near * length
    }

    /// The step to a place on the line, whitened, and the shift of the mean that leads there.
    pub(super) fn step_to(
        &mut self,
        place: f64,
        distribution: &SearchDistribution,
        step: &mut [f64],
        shift: &mut [f64],
    ) {
        self.set_place(place);
        whiten(&self.by, &self.axes, distribution, step);
        self.write_displaced(shift);
        self.end.copy_from_slice(shift);
        shift.iter_mut().zip(distribution.mean()).for_each(|(z, x)| *z -= x);
        distribution.solve_transpose(shift);
    }

    /// The mean is where that step ended, to the last bit: on a bound, and not beside it by rounding.
    pub(super) fn settle(&self, search: &mut Search) {
        search.move_mean(|j, _| self.end[j]);
    }

    /// By how much all deviations may grow, until one is as wide as a range lets it be.
    pub(super) fn room_to_grow(&self, distribution: &SearchDistribution) -> f64 {
        let each = (0..self.mean.len()).map(|j| self.limits.widest(j) / distribution.deviation(j));
        each.fold(f64::INFINITY, f64::min)
    }
}

impl Shape {
    /// O(d³).
    fn invert(&mut self, d: usize, axes: &mut [f64]) {
        self.inverse.fill(0.0);
        self.inverse.iter_mut().step_by(d + 1).for_each(|v| *v = 1.0);
        linalg::right_solve(&self.factor, &mut self.inverse, d); // A⁻¹
        for (j, axis) in axes.iter_mut().enumerate() {
            *axis = 1.0 / squared_norm(&self.inverse[j * d..(j + 1) * d]).sqrt();
        }
        linalg::gram_of_rows(&self.inverse, &mut self.precision, d);
        for (j, row) in self.precision.chunks_exact_mut(d).enumerate() {
            row[j..].iter_mut().zip(&axes[j..]).for_each(|(p, axis)| *p *= axes[j] * axis);
        }
    }
}

/// A⁻ᵀ of a displacement in axes.
fn whiten(by: &[f64], axes: &[f64], distribution: &SearchDistribution, s: &mut [f64]) {
    s.iter_mut().zip(by).zip(axes).for_each(|((s, by), axis)| *s = by * axis);
    distribution.solve_transpose(s);
}
