//! What a search knows of the basin it is in: how costs grow around its optimum.
//!
//! While the surrogate leads, the shape of the distribution is that of the objective's contours: around an optimum z*
//! costs are near f* + c/2 |A⁻ᵀ(z − z*)|², with A and c that belong to the scale of the points. A search keeps its shape
//! at every tenth of the scale before; later searches whose points one of them predicts are in the same basin.

use crate::archive::{Archive, Reader};
use crate::linalg;
use crate::math::cost;
use crate::search::SearchDistribution;
use crate::space::Limits;
use crate::strategy::adaptive::KnownQuadratic;

/// The latest points of a search that are to be predicted: so many more than there are coordinates.
const MORE_POINTS: usize = 5;

/// They are predicted where what is left of their variation, as a share of it, is at most this.
const LEFT: f64 = 0.3;

/// An exact model has no part in its shape that points of another search could have made: so few of them tell, where it predicts them
/// to this share.
const EXACT_POINTS: usize = 4;
const EXACT_LEFT: f64 = 1e-3;

/// Costs that lie above the least by less than this share of their size say nothing about their curvature.
const DIGITS: f64 = 1e-9;

/// The shape is kept once the scale has fallen by this factor.
const FINER: f64 = 0.1;

/// How costs grow around a point at one scale, in search coordinates.
#[derive(Clone, Debug, PartialEq)]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize))]
struct Quadratic {
    centre_and_shape: SearchDistribution,
    curvature: f64,
}

/// How they grow at all scales that a search has gone through.
#[derive(Clone, Debug, Default, PartialEq)]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize))]
pub(crate) struct Shapes {
    scales: Vec<Quadratic>,
    /// What an exact model of the values has said last.
    exact: Option<KnownQuadratic>,
}

/// The distribution of a generation, and the latest points there were, as rows.
#[derive(Clone, Debug, PartialEq)]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize))]
struct View {
    distribution: SearchDistribution,
    points: Vec<f64>,
    costs: Vec<f64>,
}

/// What the present search has seen of its basin, from the largest scale to the finest.
#[derive(Clone, Debug, Default, PartialEq)]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize))]
pub(crate) struct Path {
    views: Vec<View>,
    exact: Option<KnownQuadratic>,
}

/// Room for the latest points.
#[derive(Clone, Debug, Default)]
pub(crate) struct Scratch {
    rows: Vec<usize>,
    costs: Vec<f64>,
    whitened: Vec<f64>,
    norms: Vec<f64>,
}

impl Scratch {
    /// Read the costs of so many of the latest points; whether there are as many, all of them feasible and finite.
    fn read(&mut self, points: usize, archive: &Archive, d: usize) -> bool {
        if archive.len(Reader::Surrogate) < points {
            return false;
        }
        archive.read(Reader::Surrogate, &mut self.rows);
        let first = self.rows.len().saturating_sub(points);
        self.rows.drain(..first);
        archive.costs_of(&self.rows, &mut self.costs);
        self.whitened.resize(self.rows.len() * d, 0.0);
        self.norms.resize(self.rows.len(), 0.0);
        self.costs.iter().all(|c| c.is_finite() && !cost::is_infeasible(*c))
    }

    /// So many of the latest points in the coordinates of a distribution, their squared norms and their costs.
    pub(super) fn latest(
        &mut self,
        points: usize,
        archive: &Archive,
        distribution: &SearchDistribution,
    ) -> Option<(&[f64], &[f64], &[f64])> {
        if !self.read(points, archive, distribution.dimension()) {
            return None;
        }
        archive.whiten(&self.rows, distribution, &mut self.whitened, &mut self.norms);
        Some((&self.whitened, &self.norms, &self.costs))
    }
}

impl Path {
    /// An exact model leads here.
    pub(super) fn know(&mut self, exact: &KnownQuadratic) {
        self.exact = Some(exact.clone());
    }

    /// The surrogate leads, and is certain: keep what it has made of the latest points, where the scale is another.
    pub(super) fn follow(
        &mut self,
        distribution: &SearchDistribution,
        archive: &Archive,
        scratch: &mut Scratch,
    ) {
        let d = distribution.dimension();
        let finer = |v: &View| distribution.log_det() <= v.distribution.log_det() + d as f64 * FINER.ln();
        if self.views.last().is_none_or(finer) && scratch.read(d + MORE_POINTS, archive, d) {
            let mut points = vec![0.0; scratch.costs.len() * d];
            archive.points_of(&scratch.rows, &mut points);
            self.views.push(View {
                distribution: distribution.clone(),
                points,
                costs: scratch.costs.clone(),
            });
        }
    }

    /// The search has ended here, with this least cost: the quadratics of its scales, from the finest on as long as each
    /// describes the points from which it comes and those of the finer one. A trend across many basins does not describe
    /// the points within one of them.
    pub(super) fn end_at(&mut self, centre: &[f64], least: f64) -> Shapes {
        let mut shapes: Vec<Quadratic> = Vec::new();
        let mut finer: Option<View> = None;
        for view in std::mem::take(&mut self.views).into_iter().rev().filter(|view| view.tells(least)) {
            let quadratic = view.quadratic(centre, least);
            let describes =
                |q: &Quadratic, view: &View| q.fits(least, &view.costs, &view.norms(&q.centre_and_shape));
            let whole = |q: &Quadratic| finer.as_ref().is_none_or(|finer| describes(q, finer));
            match quadratic.filter(|q| describes(q, &view) && whole(q)) {
                Some(quadratic) => {
                    shapes.push(quadratic);
                    finer = Some(view);
                }
                // The finest ones may be finer than the optimum is known.
                None if shapes.is_empty() => {}
                None => break,
            }
        }
        Shapes { scales: shapes, exact: self.exact.take() }
    }

    #[cfg(feature = "serde")]
    pub(super) fn is_consistent(&self, d: usize) -> bool {
        let fits = |v: &View| is_sound(&v.distribution, d) && v.points.len() == v.costs.len() * d;
        self.views.iter().all(fits) && self.exact.as_ref().is_none_or(|exact| exact.is_consistent(d))
    }
}

impl View {
    /// Whether all costs lie so far above the least that their differences mean something.
    fn tells(&self, least: f64) -> bool {
        self.costs.iter().all(|c| c - least > DIGITS * least.abs().max(c.abs()))
    }

    /// Squared distances of the points from the mean of a distribution, in its own metric.
    fn norms(&self, from: &SearchDistribution) -> Vec<f64> {
        let d = from.dimension();
        let mut points = self.points.clone();
        points.chunks_exact_mut(d).for_each(|z| linalg::add_scaled(z, -1.0, from.mean()));
        from.solve_transpose(&mut points);
        points.chunks_exact(d).map(linalg::squared_norm).collect()
    }

    /// The quadratic around an optimum with the shape of this scale.
    fn quadratic(&self, centre: &[f64], least: f64) -> Option<Quadratic> {
        let centre_and_shape = self.distribution.moved_to(centre.to_vec(), 1.0).ok()?;
        let norms = self.norms(&centre_and_shape);
        let ratios = self.costs.iter().zip(&norms).map(|(c, norm)| (2.0 * (c - least) / norm).ln());
        let curvature = (ratios.sum::<f64>() / norms.len() as f64).exp();
        (curvature.is_finite() && curvature > 0.0).then_some(Quadratic { centre_and_shape, curvature })
    }
}

impl Quadratic {
    /// What it leaves of costs at these squared distances, with this cost at its centre: a sum of squares.
    fn leave(&self, least: f64, costs: &[f64], norms: &[f64]) -> f64 {
        let predicted = norms.iter().map(|norm| least + 0.5 * self.curvature * norm);
        costs.iter().zip(predicted).map(|(c, q)| (c - q).powi(2)).sum()
    }

    /// Whether it describes points with these costs at these squared distances, with this cost at its centre.
    fn fits(&self, least: f64, costs: &[f64], norms: &[f64]) -> bool {
        self.leave(least, costs, norms) <= LEFT * LEFT * varied(costs)
    }
}

/// By how much costs vary: squares around their mean.
fn varied(costs: &[f64]) -> f64 {
    let mean = costs.iter().sum::<f64>() / costs.len() as f64;
    costs.iter().map(|c| (c - mean).powi(2)).sum()
}

impl Shapes {
    /// Whether one of them predicts the latest points of the present search, with this cost at its centre: about, where points
    /// are many enough to show all coordinates; or to a thousandth, where a few are enough.
    pub(super) fn predict(&self, least: f64, archive: &Archive, scratch: &mut Scratch) -> bool {
        let Some(d) = self.scales.first().map(|q| q.centre_and_shape.dimension()) else { return false };
        [(EXACT_POINTS, EXACT_LEFT), (d + MORE_POINTS, LEFT)].into_iter().any(|(points, left)| {
            scratch.read(points, archive, d)
                && self.scales.iter().any(|q| {
                    let Scratch { rows, costs, whitened, norms } = &mut *scratch;
                    archive.whiten(rows, &q.centre_and_shape, whitened, norms);
                    q.leave(least, costs, norms) <= left * left * varied(costs)
                })
        })
    }

    /// Whether the exact model predicts the latest points of the present search, which are within `limits`.
    pub(super) fn predict_exactly(
        &self,
        limits: Option<&Limits>,
        archive: &Archive,
        scratch: &mut Scratch,
    ) -> bool {
        let Some(exact) = &self.exact else { return false };
        let d = exact.dimension();
        if !scratch.read(EXACT_POINTS, archive, d) {
            return false;
        }
        let Scratch { rows, costs, whitened: points, norms: way, .. } = scratch;
        archive.points_of(rows, points);
        if let Some(limits) = limits {
            limits.fold(points);
        }
        let left: f64 =
            { points.chunks_exact(d) }.zip(&*costs).map(|(z, c)| (c - exact.predict(z, way)).powi(2)).sum();
        left <= EXACT_LEFT * EXACT_LEFT * varied(costs)
    }

    /// Numbers that are kept.
    pub(super) fn size(&self) -> usize {
        let scales: usize = self.scales.iter().map(|q| q.centre_and_shape.factor().len()).sum();
        scales + self.exact.as_ref().map_or(0, KnownQuadratic::size)
    }

    #[cfg(feature = "serde")]
    pub(super) fn is_consistent(&self, d: usize) -> bool {
        self.scales.iter().all(|q| is_sound(&q.centre_and_shape, d) && q.curvature.is_finite())
            && self.exact.as_ref().is_none_or(|exact| exact.is_consistent(d))
    }
}

#[cfg(feature = "serde")]
fn is_sound(p: &SearchDistribution, d: usize) -> bool {
    p.dimension() == d && SearchDistribution::new(p.mean().to_vec(), p.factor().to_vec()).is_ok()
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::archive::{Entry, Readers};

    fn distribution(mean: [f64; 2], sigma: f64) -> SearchDistribution {
        SearchDistribution::new(mean.to_vec(), vec![sigma, 0.0, 0.0, sigma]).unwrap()
    }

    /// Points around a mean, and what an objective says of them.
    fn archive(mean: [f64; 2], sigma: f64, objective: impl Fn(&[f64]) -> f64) -> Archive {
        let mut archive = Archive::new(2, 2);
        archive.begin_search(7, 7);
        for i in 0..7 {
            let (sin, cos) = (f64::from(i) * 0.9).sin_cos();
            let radius = sigma * (0.5 + 0.2 * f64::from(i));
            let point = [mean[0] + radius * cos, mean[1] + radius * sin];
            let cost = objective(&point);
            let entry = Entry { value: cost, violation: 0.0, cost, measured: 1, readers: Readers::ALL };
            archive.add(&point, None, entry);
        }
        archive
    }

    fn sphere(z: &[f64]) -> f64 {
        3.0 + z.iter().map(|v| v * v).sum::<f64>()
    }

    /// A trend over many basins that are one apart.
    fn rippled(z: &[f64]) -> f64 {
        z.iter().map(|v| v * v + 0.1 * (1.0 - (std::f64::consts::TAU * v).cos())).sum()
    }

    /// The shapes of a search that has gone through these scales around the origin, and ended there.
    fn shapes(scales: &[f64], least: f64, objective: impl Fn(&[f64]) -> f64) -> Shapes {
        let (mut path, mut scratch) = (Path::default(), Scratch::default());
        for &sigma in scales {
            path.follow(&distribution([0.0; 2], sigma), &archive([0.0; 2], sigma, &objective), &mut scratch);
        }
        path.end_at(&[0.0; 2], least)
    }

    #[test]
    fn points_elsewhere_in_the_same_basin_are_predicted() {
        let shapes = shapes(&[1.0, 0.1, 0.01], 3.0, sphere);
        assert_eq!(shapes.scales.len(), 3);
        assert!((shapes.scales[0].curvature - 2e-4).abs() < 1e-9, "in units of the finest scale: {shapes:?}");
        let mut scratch = Scratch::default();
        let predicts = |archive: &Archive, scratch: &mut Scratch| shapes.predict(3.0, archive, scratch);
        assert!(predicts(&archive([5.0, -7.0], 1.0, sphere), &mut scratch));
        // Another optimum of the same kind, or another height.
        let moved = |z: &[f64]| sphere(&[z[0] - 5.0, z[1]]);
        assert!(!predicts(&archive([5.0, 0.0], 1.0, moved), &mut scratch));
        assert!(!predicts(&archive([5.0, -7.0], 1.0, |z| 2.0 * sphere(z)), &mut scratch));
        assert!(!predicts(&archive([5.0, -7.0], 1.0, |_| f64::INFINITY), &mut scratch));
    }

    #[test]
    fn a_trend_across_basins_is_no_basin() {
        let shapes = shapes(&[100.0, 1e-3, 1e-4], 0.0, rippled);
        assert_eq!(shapes.scales.len(), 2, "the shape of the trend does not describe the finer points");
        let far = archive([40.0, 30.0], 10.0, rippled);
        assert!(!shapes.predict(0.0, &far, &mut Scratch::default()));
    }

    #[test]
    fn scales_are_a_tenth_apart_and_costs_without_digits_are_left_out() {
        let (mut path, mut scratch) = (Path::default(), Scratch::default());
        for sigma in [1.0, 0.5, 0.2, 0.099, 0.05, 1e-9] {
            path.follow(&distribution([0.0; 2], sigma), &archive([0.0; 2], sigma, sphere), &mut scratch);
        }
        assert_eq!(path.views.len(), 3);
        assert_eq!(path.end_at(&[0.0; 2], 3.0).scales.len(), 2);
    }
}
