//! The way of a search through its basin: its shape at every scale, and what the shapes say of the basin once its optimum is known.

#[cfg(feature = "serde")]
use super::basin::is_sound;
use super::basin::{MORE_POINTS, Quadratic, Scratch, Shapes};
use super::profile::Profile;
use super::trail::Trail;
use crate::archive::Archive;
use crate::linalg;
use crate::search::SearchDistribution;
use crate::strategy::adaptive::KnownQuadratic;

/// Costs that lie above the least by less than this share of their size say nothing about their curvature.
const DIGITS: f64 = 1e-9;

/// The shape is kept once the scale has fallen by this factor.
const FINER: f64 = 0.1;

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
    exact: Vec<KnownQuadratic>,
}

impl Path {
    /// Exact models lead here.
    pub(super) fn know<'a>(&mut self, exact: impl Iterator<Item = &'a KnownQuadratic>) {
        self.exact.extend(exact.cloned());
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
    pub(super) fn end_at(&mut self, centre: &[f64], least: f64, trail: &Trail) -> Shapes {
        let mut shapes: Vec<Quadratic> = Vec::new();
        let mut finer: Option<&View> = None;
        let views = std::mem::take(&mut self.views);
        for view in views.iter().rev().filter(|view| view.tells(least)) {
            let quadratic = view.quadratic(centre, least);
            let describes = |q: &Quadratic, view: &View| q.fits(least, &view.costs, &view.norms(q.shape()));
            let whole = |q: &Quadratic| finer.is_none_or(|finer| describes(q, finer));
            match quadratic.filter(|q| describes(q, view) && whole(q)) {
                Some(quadratic) => {
                    shapes.push(quadratic);
                    finer = Some(view);
                }
                // The finest ones may be finer than the optimum is known.
                None if shapes.is_empty() => {}
                None => break,
            }
        }
        let points = views.iter().flat_map(View::rows).chain(trail.rows());
        let told = points.filter(|(_, cost)| tells(*cost, least));
        let profile = shapes.first().map(|q| Profile::new(q.shape(), told.map(|(z, c)| (z, c - least))));
        Shapes::new(shapes, profile.unwrap_or_default(), std::mem::take(&mut self.exact))
    }

    #[cfg(test)]
    pub(super) fn len(&self) -> usize {
        self.views.len()
    }

    #[cfg(feature = "serde")]
    pub(super) fn is_consistent(&self, d: usize) -> bool {
        let fits = |v: &View| is_sound(&v.distribution, d) && v.points.len() == v.costs.len() * d;
        self.views.iter().all(fits) && self.exact.iter().all(|exact| exact.is_consistent(d))
    }
}

impl View {
    /// The points and their costs.
    fn rows(&self) -> impl Iterator<Item = (&[f64], f64)> {
        self.points.chunks_exact(self.distribution.dimension()).zip(self.costs.iter().copied())
    }

    /// Whether all costs lie so far above the least that their differences mean something.
    fn tells(&self, least: f64) -> bool {
        self.costs.iter().all(|c| tells(*c, least))
    }

    /// Squared distances of the points from the mean of a distribution, in its own metric.
    fn norms(&self, from: &SearchDistribution) -> Vec<f64> {
        let mut way = vec![0.0; from.dimension()];
        let squared = |(point, _): (&[f64], f64)| {
            from.whiten_into(point, &mut way);
            linalg::squared_norm(&way)
        };
        self.rows().map(squared).collect()
    }

    /// The quadratic around an optimum with the shape of this scale.
    fn quadratic(&self, centre: &[f64], least: f64) -> Option<Quadratic> {
        let shape = self.distribution.moved_to(centre.to_vec(), 1.0).ok()?;
        let norms = self.norms(&shape);
        Quadratic::new(shape, least, &self.costs, &norms)
    }
}

/// Whether a cost lies so far above the least that the difference means something.
fn tells(cost: f64, least: f64) -> bool {
    cost - least > DIGITS * least.abs().max(cost.abs())
}
