//! What a search knows of the basin it is in: how costs grow around its optimum.
//!
//! While the surrogate leads, the shape of the distribution is that of the objective's contours: around an optimum z*
//! costs are near f* + c/2 |A⁻ᵀ(z − z*)|², with A and c that belong to the scale of the points. A search keeps its shape
//! at every tenth of the scale before; later searches whose points one of them predicts are in the same basin. So are those whose
//! points an exact model of the values predicts, or the profile of the basin, which is a function of that distance.

use super::profile::Profile;
use crate::archive::{Archive, Reader};
use crate::math::cost;
use crate::search::SearchDistribution;
use crate::space::Limits;
use crate::strategy::adaptive::KnownQuadratic;

/// The latest points of a search that are to be predicted: so many more than there are coordinates.
pub(super) const MORE_POINTS: usize = 5;

/// They are predicted where what is left of their variation, as a share of it, is at most this.
const LEFT: f64 = 0.3;

/// Or so few of them, where no more than this is left: nothing was fitted to them.
const FEW_POINTS: usize = 4;
const EXACT: f64 = 1e-3;

/// How costs grow around a point at one scale, in search coordinates.
#[derive(Clone, Debug, PartialEq)]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize))]
pub(super) struct Quadratic {
    centre_and_shape: SearchDistribution,
    curvature: f64,
}

/// How they grow around an optimum, by all that a search has found out.
#[derive(Clone, Debug, Default, PartialEq)]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize))]
pub(crate) struct Shapes {
    /// At the scales that it has gone through, the finest first.
    scales: Vec<Quadratic>,
    /// How they grow beyond a quadratic, with the shape of the finest scale.
    profile: Profile,
    /// What exact models of the values, and of a power of them, have said last.
    exact: Vec<KnownQuadratic>,
}

/// Room for the latest points.
#[derive(Clone, Debug, Default)]
pub(crate) struct Scratch {
    pub(super) rows: Vec<usize>,
    pub(super) costs: Vec<f64>,
    whitened: Vec<f64>,
    norms: Vec<f64>,
}

impl Scratch {
    /// Read the costs of so many of the latest points; whether there are as many, all of them feasible and finite.
    pub(super) fn read(&mut self, points: usize, archive: &Archive, d: usize) -> bool {
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

impl Quadratic {
    /// The one with this shape around its mean that describes costs at these squared distances, with the least at its centre.
    pub(super) fn new(shape: SearchDistribution, least: f64, costs: &[f64], norms: &[f64]) -> Option<Self> {
        let ratios = costs.iter().zip(norms).map(|(c, norm)| (2.0 * (c - least) / norm).ln());
        let curvature = (ratios.sum::<f64>() / norms.len() as f64).exp();
        (curvature.is_finite() && curvature > 0.0).then_some(Self { centre_and_shape: shape, curvature })
    }

    pub(super) fn shape(&self) -> &SearchDistribution {
        &self.centre_and_shape
    }

    /// What it leaves of costs at these squared distances, with this cost at its centre: a sum of squares.
    fn leave(&self, least: f64, costs: &[f64], norms: &[f64]) -> f64 {
        let predicted = norms.iter().map(|norm| least + 0.5 * self.curvature * norm);
        costs.iter().zip(predicted).map(|(c, q)| (c - q).powi(2)).sum()
    }

    /// Whether it describes points with these costs at these squared distances, with this cost at its centre.
    pub(super) fn fits(&self, least: f64, costs: &[f64], norms: &[f64]) -> bool {
        self.leave(least, costs, norms) <= LEFT * LEFT * varied(costs)
    }
}

/// By how much costs vary: squares around their mean.
fn varied(costs: &[f64]) -> f64 {
    let mean = costs.iter().sum::<f64>() / costs.len() as f64;
    costs.iter().map(|c| (c - mean).powi(2)).sum()
}

impl Shapes {
    pub(super) fn new(scales: Vec<Quadratic>, profile: Profile, exact: Vec<KnownQuadratic>) -> Self {
        Self { scales, profile, exact }
    }

    /// Whether the latest points of the present search, which are within `limits`, are predicted, with this cost at the optimum:
    /// about, where they are many enough to show all coordinates; or to a thousandth, where a few are enough.
    pub(super) fn predict(
        &self,
        least: f64,
        limits: Option<&Limits>,
        archive: &Archive,
        scratch: &mut Scratch,
    ) -> bool {
        let by_scales = |points: usize, left: f64, scratch: &mut Scratch| {
            let described = |q: &Quadratic, scratch: &mut Scratch| {
                let seen = scratch.latest(points, archive, q.shape());
                seen.is_some_and(|(_, norms, costs)| {
                    q.leave(least, costs, norms) <= left * left * varied(costs)
                })
            };
            self.scales.iter().any(|q| described(q, scratch))
        };
        self.predict_exactly(limits, archive, scratch)
            || self.scales.first().is_some_and(|finest| {
                by_scales(FEW_POINTS, EXACT, scratch)
                    || by_scales(finest.shape().dimension() + MORE_POINTS, LEFT, scratch)
                    || self.predict_by_profile(finest.shape(), least, archive, scratch)
            })
    }

    /// Whether an exact model does so.
    fn predict_exactly(&self, limits: Option<&Limits>, archive: &Archive, scratch: &mut Scratch) -> bool {
        let Some(d) = self.exact.first().map(KnownQuadratic::dimension) else { return false };
        if !scratch.read(FEW_POINTS, archive, d) {
            return false;
        }
        let Scratch { rows, costs, whitened: points, norms: way } = scratch;
        archive.points_of(rows, points);
        if let Some(limits) = limits {
            limits.fold(points);
        }
        let most = EXACT * EXACT * varied(costs);
        let predicts = |exact: &KnownQuadratic| {
            let misses = points.chunks_exact(d).zip(&*costs).map(|(z, c)| c - exact.predict(z, way));
            misses.map(|miss| miss * miss).sum::<f64>() <= most
        };
        self.exact.iter().any(predicts)
    }

    /// Whether the profile does so, which has this shape. Of points beyond it nothing is known but that they are no better than
    /// the last within.
    fn predict_by_profile(
        &self,
        shape: &SearchDistribution,
        least: f64,
        archive: &Archive,
        scratch: &mut Scratch,
    ) -> bool {
        let enough = shape.dimension() + MORE_POINTS;
        let points = archive.len(Reader::Surrogate).min(2 * enough);
        let Some((_, norms, costs)) = scratch.latest(points, archive, shape) else { return false };
        let (mut within, mut left) = (Vec::with_capacity(points), 0.0);
        for (norm, cost) in norms.iter().zip(costs) {
            match self.profile.at(*norm) {
                Some(above) => {
                    within.push(*cost);
                    left += (cost - least - above).powi(2);
                }
                None if cost - least < self.profile.highest() => return false,
                None => {}
            }
        }
        within.len() >= enough && left <= LEFT * LEFT * varied(&within)
    }

    /// Numbers that are kept.
    pub(super) fn size(&self) -> usize {
        let scales: usize = self.scales.iter().map(|q| q.centre_and_shape.factor().len()).sum();
        scales + self.profile.size() + self.exact.iter().map(KnownQuadratic::size).sum::<usize>()
    }

    #[cfg(feature = "serde")]
    pub(super) fn is_consistent(&self, d: usize) -> bool {
        self.scales.iter().all(|q| is_sound(&q.centre_and_shape, d) && q.curvature.is_finite())
            && self.profile.is_consistent()
            && self.exact.iter().all(|exact| exact.is_consistent(d))
    }
}

#[cfg(feature = "serde")]
pub(super) fn is_sound(p: &SearchDistribution, d: usize) -> bool {
    p.dimension() == d && SearchDistribution::new(p.mean().to_vec(), p.factor().to_vec()).is_ok()
}

#[cfg(test)]
mod tests;
