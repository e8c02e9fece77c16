//! What a surrogate asks for: a step within a trust region, a shape, a step size.

use crate::linalg::{EigenSpace, add_scaled, dot, eigen, squared_norm, symmetric_times};
use crate::strategy::adaptive::tuning::SurrogateTuning;

/// How much of the logarithm of Newton's step against the usual one σ takes.
const STEP_RATE: f64 = 0.5;

/// The quadratic `g·x + ½xᵀBx` of the response to be minimised, in its own axes.
#[derive(Clone, Debug)]
pub(super) struct Quadratic {
    /// g and B; of B the upper triangle.
    pub(super) gradient: Vec<f64>,
    pub(super) hessian: Vec<f64>,
    /// Curvatures l, smallest first, and their axes, one after another.
    curvatures: Vec<f64>,
    axes: Vec<f64>,
    /// The gradient along the axes, and the step.
    along: Vec<f64>,
    step: Vec<f64>,
    space: EigenSpace,
    tuning: SurrogateTuning,
}

impl Quadratic {
    pub(super) fn new(d: usize, tuning: SurrogateTuning) -> Self {
        Self {
            tuning,
            gradient: vec![0.0; d],
            hessian: vec![0.0; d * d],
            curvatures: vec![0.0; d],
            axes: vec![0.0; d * d],
            along: vec![0.0; d],
            step: vec![0.0; d],
            space: EigenSpace::new(d),
        }
    }

    /// Find the axes; false where there are none in floating-point numbers.
    pub(super) fn diagonalize(&mut self) -> bool {
        let finite = self.gradient.iter().all(|g| g.is_finite());
        if !(finite && eigen(&self.hessian, &mut self.curvatures, &mut self.axes, &mut self.space)) {
            return false;
        }
        let d = self.gradient.len();
        for (along, axis) in self.along.iter_mut().zip(self.axes.chunks_exact(d)) {
            *along = dot(axis, &self.gradient);
        }
        self.curvatures.iter().chain(&self.along).all(|v| v.is_finite())
    }

    /// δ: the minimiser within |x| ≤ radius. Returns by how much the response falls.
    pub(super) fn step_within(&mut self, radius: f64, shift: &mut [f64]) -> f64 {
        let d = shift.len();
        minimize_in_ball(&self.along, &self.curvatures, radius, &mut self.step);
        shift.fill(0.0);
        for (x, axis) in self.step.iter().zip(self.axes.chunks_exact(d)) {
            add_scaled(shift, *x, axis);
        }
        let terms = self.step.iter().zip(&self.along).zip(&self.curvatures);
        -terms.map(|((x, g), l)| x * (g + 0.5 * l * x)).sum::<f64>()
    }

    /// |B|⁻¹v, where no curvature counts as less than this part of the largest.
    pub(super) fn solve_positive(&self, least: f64, v: &[f64], out: &mut [f64]) {
        let largest = self.curvatures.iter().fold(f64::MIN_POSITIVE, |most, l| most.max(l.abs()));
        out.fill(0.0);
        for (l, axis) in self.curvatures.iter().zip(self.axes.chunks_exact(v.len())) {
            add_scaled(out, dot(axis, v) / l.abs().max(least * largest), axis);
        }
    }

    /// g + Bx.
    pub(super) fn slope_at(&self, x: &[f64], out: &mut [f64]) {
        symmetric_times(&self.hessian, x, out);
        add_scaled(out, 1.0, &self.gradient);
    }

    /// By how much the response falls with a step; the slope there is left in `slope`.
    pub(super) fn decrease(&self, x: &[f64], slope: &mut [f64]) -> f64 {
        self.slope_at(x, slope);
        -0.5 * (dot(x, slope) + dot(x, &self.gradient))
    }

    /// Where nothing is known of the last step and the model is certain: Δ, by which ln σ changes: ½ clip(ln(ℓ/(½√d)), −1, 1), ℓ = |B⁻¹g|, infinite unless B is positive.
    pub(super) fn log_step(&self) -> f64 {
        let positive = self.curvatures[0] > 0.0;
        let squares = self.along.iter().zip(&self.curvatures).map(|(g, l)| (g / l).powi(2));
        let length = if positive { squares.sum::<f64>().sqrt() } else { f64::INFINITY };
        let usual = self.tuning.usual_step * (self.along.len() as f64).sqrt();
        STEP_RATE * (length / usual).ln().clamp(-1.0, 1.0)
    }

    /// The shape of an active model: h_i = ln max(l_i/L, 1/k), or a part of that, L the mean of the positive part of l.
    /// Variances go as the inverse of curvatures. No change where L is not positive.
    pub(super) fn shape(&mut self, error: f64, part: f64, out: &mut [f64]) {
        let mean = self.mean_curvature();
        let ratio = (self.tuning.belief / error.sqrt()).max(self.tuning.least_ratio);
        for (h, l) in self.step.iter_mut().zip(&self.curvatures) {
            *h = if mean > 0.0 { part * (l / mean).max(1.0 / ratio).ln() } else { 0.0 };
        }
        self.assemble(out);
    }

    /// L.
    pub(super) fn mean_curvature(&self) -> f64 {
        self.curvatures.iter().map(|l| l.max(0.0)).sum::<f64>() / self.along.len() as f64
    }

    /// The shift of a model that assists: −g/max(l̄, |g|/(½√d)), half of √d at most.
    pub(super) fn gentle_step(&self, shift: &mut [f64]) {
        let size = shift.len() as f64;
        let mean = self.curvatures.iter().sum::<f64>() / size;
        let scale = mean.max(squared_norm(&self.gradient).sqrt() / (self.tuning.usual_step * size.sqrt()));
        for (x, g) in shift.iter_mut().zip(&self.gradient) {
            *x = if scale > 0.0 { -g / scale } else { 0.0 };
        }
    }

    /// Its shape: h_i = (1 − E/1.5)√d(l_i − l̄), within ±1: points near each other show curvatures of any size.
    pub(super) fn gentle_shape(&mut self, error: f64, out: &mut [f64]) {
        let size = self.along.len() as f64;
        let mean = self.curvatures.iter().sum::<f64>() / size;
        let rate = (1.0 - error / self.tuning.worthless).clamp(0.0, 1.0) * size.sqrt();
        let most = if self.tuning.trust_region { 1.0 } else { f64::INFINITY };
        for (h, l) in self.step.iter_mut().zip(&self.curvatures) {
            *h = (rate * (l - mean)).clamp(-most, most);
        }
        self.assemble(out);
    }

    /// The upper triangle of Qᵀdiag(e^{−h})Q, h in `step`, less its mean so that the volume stays.
    fn assemble(&mut self, out: &mut [f64]) {
        let d = self.along.len();
        let weights = &self.step;
        let center = weights.iter().sum::<f64>() / d as f64;
        out.fill(0.0);
        for (h, axis) in weights.iter().zip(self.axes.chunks_exact(d)) {
            let variance = (center - h).exp();
            for (k, &a) in axis.iter().enumerate() {
                add_scaled(&mut out[k * d + k..(k + 1) * d], variance * a, &axis[k..]);
            }
        }
    }
}

/// The minimiser of Σ g_i x_i + ½ Σ l_i x_i² in |x| ≤ radius.
fn minimize_in_ball(g: &[f64], l: &[f64], radius: f64, x: &mut [f64]) {
    let (least, steepest) = (l[0], squared_norm(g).sqrt());
    let mut at = |shift: f64| -> f64 {
        for ((x, g), l) in x.iter_mut().zip(g).zip(l) {
            *x = if *g == 0.0 { 0.0 } else { -g / (l + shift) };
        }
        squared_norm(x).sqrt()
    };
    if least > 0.0 && at(0.0) <= radius {
        return;
    }
    let scale = l.iter().fold(steepest / radius, |m, l| m.max(l.abs()));
    if scale == 0.0 {
        return x.fill(0.0);
    }
    // |x| falls as l is shifted beyond −least.
    let mut low = (-least).max(0.0);
    if at(low + 1e-14 * scale) < radius {
        return along_least_curvature(g[0], radius, x);
    }
    let mut high = low + steepest / radius + f64::MIN_POSITIVE;
    for _ in 0..100 {
        let middle = 0.5 * (low + high);
        if at(middle) > radius {
            low = middle;
        } else {
            high = middle;
        }
        if high - low <= 1e-15 * high {
            break;
        }
    }
    at(high);
}

/// The hard case: the gradient has nothing along the axis of least curvature, which leads to the boundary.
fn along_least_curvature(gradient: f64, radius: f64, x: &mut [f64]) {
    x[0] = 0.0;
    let rest = (radius * radius - squared_norm(x)).max(0.0).sqrt();
    x[0] = if gradient > 0.0 { -rest } else { rest };
}
