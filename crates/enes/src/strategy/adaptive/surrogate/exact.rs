//! The exact model to the precision of the values.
//!
//! The matrix of a kernel has the square of the condition that its points have: as a search narrows, one solution is off by
//! more than the values near the optimum. But what a quadratic misses of the values is a response like any other. Solved for with
//! the same factor and added, it leaves far less; and where the last exact model has predicted the new points, too, the next
//! begins with it, and only what it misses is asked of points that show it worse.

use super::kernel::{Fit, Frame};
use super::known::KnownQuadratic;
use super::step::Quadratic;
use super::transform::Power;
use crate::linalg::{add_scaled, dot, quadratic_scratch, solve_upper, subtract_quadratic};
use crate::search::SearchDistribution;

/// At most so many solutions are added; what is left then is rounding.
const MOST: usize = 8;

/// The next is worth it while one leaves at most this part of the squares that were left before it.
const LESS: f64 = 0.5;

/// A model is begun with what is known where that leaves at most this part of the squares: the function is that quadratic, as far
/// as all points say, the latest included.
const KNOWS: f64 = 1e-12;

/// A quadratic with a constant, in whitened coordinates around the best point; of the curvatures the upper triangle counts.
#[derive(Clone, Debug)]
struct Terms {
    constant: f64,
    gradient: Vec<f64>,
    hessian: Vec<f64>,
}

impl Terms {
    fn new(d: usize) -> Self {
        Self { constant: 0.0, gradient: vec![0.0; d], hessian: vec![0.0; d * d] }
    }

    fn clear(&mut self) {
        self.constant = 0.0;
        self.gradient.fill(0.0);
        self.hessian.fill(0.0);
    }

    fn add(&mut self, factor: f64, other: &Self) {
        self.constant += factor * other.constant;
        add_scaled(&mut self.gradient, factor, &other.gradient);
        add_scaled(&mut self.hessian, factor, &other.hessian);
    }
}

/// Where a response stands: the best point and its response, how the distribution sees it, and the response's deviation.
#[derive(Clone, Copy)]
pub(super) struct Ground<'a> {
    pub(super) place: &'a [f64],
    pub(super) distribution: &'a SearchDistribution,
    pub(super) deviation: f64,
    pub(super) height: f64,
}

/// Scratch space, and the best so far.
#[derive(Clone, Debug)]
pub(super) struct Exact {
    sum: Terms,
    best: Terms,
    part: Terms,
    /// What is left of the response, and the solution for it.
    rest: Vec<f64>,
    /// Of the first solution, by which the model is judged.
    pub(super) alpha: Vec<f64>,
    /// The best point, in the coordinates of the search.
    pub(super) place: Vec<f64>,
    product: Vec<f64>,
    square: Vec<f64>,
    scratch: Vec<f64>,
}

impl Exact {
    pub(super) fn new(d: usize, capacity: usize) -> Self {
        let [sum, best, part] = [(); 3].map(|()| Terms::new(d));
        let [place, product] = [(); 2].map(|()| vec![0.0; d]);
        let [rest, alpha] = [(); 2].map(|()| Vec::with_capacity(capacity));
        let (square, scratch) = (vec![0.0; d * d], vec![0.0; quadratic_scratch(d)]);
        Self { sum, best, part, rest, alpha, place, product, square, scratch }
    }

    /// One solution, for the first form and for powers, which are no quadratics to that precision. It is left in `alpha`.
    pub(super) fn solve(&mut self, fit: &Fit, frame: &mut Frame, response: &[f64]) {
        self.sum.clear();
        self.rest.clear();
        self.rest.extend_from_slice(response);
        self.add_solution(fit, frame);
        self.alpha.clone_from(&self.rest);
    }

    /// Begin with what is known, where it counts, and add solutions as long as they leave less. The first one, by which the
    /// model is judged, is left in `alpha`. n² + n d² multiply-adds each.
    pub(super) fn refine(
        &mut self,
        fit: &Fit,
        frame: &mut Frame,
        response: &[f64],
        (known, power): (&KnownQuadratic, Option<Power>),
        ground: Ground<'_>,
    ) {
        self.sum.clear();
        let mut left = self.leave(fit, frame, response);
        if !known.is_empty() && known.power == power {
            let whole = left;
            self.begin_with(known, ground);
            self.sum.constant = response[response.len() - 1];
            left = self.leave(fit, frame, response);
            if left.is_nan() || left > KNOWS * whole {
                self.sum.clear();
                left = self.leave(fit, frame, response);
            }
        }
        self.add_solution(fit, frame);
        self.alpha.clone_from(&self.rest);
        for _ in 1..MOST {
            let now = self.leave(fit, frame, response);
            if now.is_nan() || now >= left {
                return self.sum.add(-1.0, &self.part);
            }
            if now > LESS * left {
                return;
            }
            left = now;
            self.add_solution(fit, frame);
        }
    }

    /// A solution for what is left, which takes its place.
    fn add_solution(&mut self, fit: &Fit, frame: &mut Frame) {
        fit.solve(&mut self.rest);
        let Terms { constant, gradient, hessian } = &mut self.part;
        *constant = frame.expand_into(&self.rest, fit.weight(), gradient, hessian);
        self.sum.add(1.0, &self.part);
    }

    /// What is left of the response, and the sum of its squares as the fit weighs them. n d²/2 multiply-adds.
    fn leave(&mut self, fit: &Fit, frame: &Frame, response: &[f64]) -> f64 {
        let Self { sum, rest, scratch, .. } = self;
        rest.clear();
        rest.extend(response.iter().map(|y| y - sum.constant));
        subtract_quadratic(&sum.hessian, &sum.gradient, frame.latest(), rest, scratch);
        rest.iter().zip(fit.weights()).map(|(rest, w)| (w * rest).powi(2)).sum()
    }

    /// Begin with what is known: F slope and F curvatures Fᵀ at the best point, in units of the response. d³ multiply-adds.
    fn begin_with(&mut self, known: &KnownQuadratic, ground: Ground<'_>) {
        let Self { sum, part, product, square, .. } = self;
        let (d, factor) = (ground.place.len(), ground.distribution.factor());
        product.copy_from_slice(ground.place);
        add_scaled(product, -1.0, &known.place);
        part.gradient.copy_from_slice(&known.slope);
        for (slope, curvatures) in part.gradient.iter_mut().zip(known.curvatures.chunks_exact(d)) {
            *slope += dot(curvatures, product);
        }
        square.fill(0.0);
        for (i, row) in square.chunks_exact_mut(d).enumerate() {
            let f = &factor[i * d + i..(i + 1) * d];
            sum.gradient[i] = dot(f, &part.gradient[i..]) / ground.deviation;
            for (f, curvatures) in f.iter().zip(known.curvatures[i * d..].chunks_exact(d)) {
                add_scaled(row, f / ground.deviation, curvatures);
            }
            for j in i..d {
                sum.hessian[i * d + j] = dot(&row[j..], &factor[j * d + j..(j + 1) * d]);
            }
        }
    }

    /// Remember the model of the values: F⁻¹ slope and F⁻¹ curvatures F⁻ᵀ. d³ multiply-adds.
    pub(super) fn remember(&mut self, ground: Ground<'_>, power: Option<Power>, known: &mut KnownQuadratic) {
        let Self { sum, part, square, .. } = self;
        let (d, factor) = (ground.place.len(), ground.distribution.factor());
        part.gradient.iter_mut().zip(&sum.gradient).for_each(|(to, g)| *to = ground.deviation * g);
        solve_upper(factor, &mut part.gradient, d);
        for i in 0..d {
            for j in i..d {
                let entry = ground.deviation * sum.hessian[i * d + j];
                (square[i * d + j], square[j * d + i]) = (entry, entry);
            }
        }
        solve_upper(factor, square, d);
        transpose(square, d);
        solve_upper(factor, square, d);
        if part.gradient.iter().chain(square.iter()).all(|v| v.is_finite()) {
            known.place.clear();
            known.place.extend_from_slice(ground.place);
            (known.power, known.height) = (power, ground.height);
            known.slope.clone_from(&part.gradient);
            known.curvatures.clone_from(square);
        }
    }

    /// The model that was solved for last is the best so far.
    pub(super) fn keep_as_best(&mut self) {
        std::mem::swap(&mut self.sum, &mut self.best);
    }

    pub(super) fn copy_best_to(&self, quadratic: &mut Quadratic) {
        quadratic.gradient.copy_from_slice(&self.best.gradient);
        quadratic.hessian.copy_from_slice(&self.best.hessian);
    }
}

fn transpose(square: &mut [f64], d: usize) {
    for i in 0..d {
        (i + 1..d).for_each(|j| square.swap(i * d + j, j * d + i));
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::archive::{Archive, Entry, Readers};
    use crate::random::Generator;
    use crate::strategy::adaptive::tuning::SurrogateTuning;

    const D: usize = 4;

    /// Curvatures from 1 to 10⁶, with the optimum at 1, 2, 3, 4.
    fn steep(x: &[f64]) -> f64 {
        x.iter().enumerate().map(|(i, x)| 100f64.powi(i as i32) * (x - 1.0 - i as f64).powi(2)).sum()
    }

    /// Points that a distribution of this scale sees, the nearest last, and their values; the best is its mean.
    fn seen(scale: f64, spread: f64, distribution: &SearchDistribution) -> (Frame, Fit, Vec<f64>) {
        let (n, mut generator) = (24, Generator::new(5));
        let mut points = vec![0.0; n * D];
        generator.fill_normal(&mut points);
        points[(n - 1) * D..].fill(0.0);
        points.iter_mut().for_each(|x| *x *= scale * spread);
        let mut archive = Archive::new(D, D);
        archive.begin_search(0, n);
        for point in points.chunks_exact_mut(D) {
            add_scaled(point, 1.0, distribution.mean());
            let entry = Entry { value: 0.0, violation: 0.0, cost: 0.0, measured: 1, readers: Readers::ALL };
            archive.add(point, None, entry);
        }
        let mut frame = Frame::new(n, D);
        assert!(frame.whiten(&(0..n).collect::<Vec<_>>(), &archive, distribution));
        frame.multiply(n);
        let mut fit = Fit::new(SurrogateTuning::default().exact, n, 5);
        assert!(fit.factorize(&frame, 5));
        (frame, fit, points)
    }

    fn round(mean: f64, scale: f64) -> SearchDistribution {
        let factor = (0..D * D).map(|i| if i % (D + 1) == 0 { scale } else { 0.0 }).collect();
        SearchDistribution::new(vec![mean; D], factor).unwrap()
    }

    /// By how much a model misses the values, at most.
    fn miss(exact: &mut Exact, fit: &Fit, frame: &Frame, values: &[f64]) -> f64 {
        exact.leave(fit, frame, values);
        exact.rest.iter().fold(0.0, |most: f64, rest| most.max(rest.abs()))
    }

    #[test]
    fn several_solutions_miss_far_less_than_one() {
        let distribution = round(0.5, 1.0);
        let (mut frame, fit, points) = seen(1.0, 300.0, &distribution);
        let values: Vec<f64> = points.chunks_exact(D).map(steep).collect();
        let ground =
            Ground { place: distribution.mean(), distribution: &distribution, deviation: 1.0, height: 0.0 };
        let mut exact = Exact::new(D, values.len());
        exact.solve(&fit, &mut frame, &values);
        let once = miss(&mut exact, &fit, &frame, &values);
        exact.refine(&fit, &mut frame, &values, (&KnownQuadratic::new(D), None), ground);
        let often = miss(&mut exact, &fit, &frame, &values);
        assert!(often < 1e-3 * once, "{once:e}, then {often:e}");
    }

    #[test]
    fn what_is_known_is_the_same_quadratic_elsewhere_unless_values_say_otherwise() {
        let (first, second) = (round(0.5, 1.0), round(0.7, 0.01));
        let (mut frame, fit, points) = seen(1.0, 3.0, &first);
        let values: Vec<f64> = points.chunks_exact(D).map(steep).collect();
        let (mut exact, mut known) = (Exact::new(D, values.len()), KnownQuadratic::new(D));
        let ground = Ground { place: first.mean(), distribution: &first, deviation: 1.0, height: 0.0 };
        exact.refine(&fit, &mut frame, &values, (&known, None), ground);
        exact.remember(ground, None, &mut known);
        // Seen from elsewhere, in other units.
        let (mut frame, fit, points) = seen(0.01, 3.0, &second);
        let ground = Ground { place: second.mean(), distribution: &second, deviation: 2.0, height: 0.0 };
        let mut values: Vec<f64> = points.chunks_exact(D).map(|x| 0.5 * steep(x)).collect();
        exact.sum.clear();
        exact.begin_with(&known, ground);
        exact.sum.constant = values[values.len() - 1];
        assert!(miss(&mut exact, &fit, &frame, &values) < 1e-9 * values[0]);
        let begun = |exact: &mut Exact, frame: &mut Frame, values: &[f64]| {
            exact.refine(&fit, frame, values, (&known, None), ground);
            exact.alpha.iter().fold(0.0, |most: f64, a| most.max(a.abs()))
        };
        // Next to nothing is left to solve for; but all of it where one value is another.
        let little = begun(&mut exact, &mut frame, &values);
        values[0] *= 1.1;
        let much = begun(&mut exact, &mut frame, &values);
        assert!(little < 1e-6 * much, "{little:e} against {much:e}");
        let with = exact.alpha.clone();
        exact.refine(&fit, &mut frame, &values, (&KnownQuadratic::new(D), None), ground);
        assert_eq!(exact.alpha, with, "what is known counts for nothing then");
    }

    #[test]
    fn a_solution_that_leaves_more_is_taken_back() {
        let distribution = round(0.5, 1.0);
        let (mut frame, _, points) = seen(1.0, 300.0, &distribution);
        // The factor of other points, as if rounding had made it wrong.
        let (_, wrong, _) = seen(1.0, 3.0, &distribution);
        let values: Vec<f64> = points.chunks_exact(D).map(steep).collect();
        let ground =
            Ground { place: distribution.mean(), distribution: &distribution, deviation: 1.0, height: 0.0 };
        let mut exact = Exact::new(D, values.len());
        let whole = exact.leave(&wrong, &frame, &values);
        exact.solve(&wrong, &mut frame, &values);
        assert!(exact.leave(&wrong, &frame, &values) > whole);
        exact.refine(&wrong, &mut frame, &values, (&KnownQuadratic::new(D), None), ground);
        assert!(exact.leave(&wrong, &frame, &values) <= whole * (1.0 + 1e-9));
    }
}
