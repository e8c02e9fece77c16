//! A start that may be anywhere: away from where searches have begun and ended.
//!
//! Of some draws the one is taken that is farthest from all of these ("best candidate", Mitchell 1991). Five starts in a square then
//! lie in all parts of it, where plain draws miss one half of it in three runs of a hundred.

use crate::settings::Params;

/// So many draws are compared.
pub(super) const DRAWS: usize = 40;

/// Φ(z) = 1/(1 + exp(−1.702 z)), to 0.01.
const LOGISTIC: f64 = 1.702;

/// Places that are taken, as shares.
pub(super) struct Taken(Vec<Vec<f64>>);

impl Taken {
    /// Places in search coordinates.
    pub(super) fn new<'a>(places: impl Iterator<Item = &'a [f64]>, params: &Params) -> Self {
        Self(places.map(|place| shares(place, params)).collect())
    }

    /// The squared distance of a place from the next one that is taken.
    pub(super) fn distance(&self, place: &[f64], params: &Params) -> f64 {
        let place = shares(place, params);
        self.0.iter().map(|taken| apart(taken, &place)).fold(f64::INFINITY, f64::min)
    }
}

/// The share of draws that lie below a place, coordinate by coordinate: in these units draws are uniform.
fn shares(place: &[f64], params: &Params) -> Vec<f64> {
    let (mean, deviations) = (params.start.mean(), params.start.standard_deviations());
    let below = |(z, (m, s)): (&f64, (&f64, f64))| (1.0 + (-LOGISTIC * (z - m) / s).exp()).recip();
    let free = place.iter().zip(mean.iter().zip(deviations)).map(below);
    let bounded = params.space.between_bounds(place);
    bounded.into_iter().zip(free).map(|(inside, below)| inside.unwrap_or(below)).collect()
}

/// The squared distance where 0 and 1 are the same: else draws near the bounds, which have less beside them, would be preferred.
fn apart(a: &[f64], b: &[f64]) -> f64 {
    let way = |(a, b): (&f64, &f64)| {
        let straight = (a - b).abs();
        straight.min(1.0 - straight)
    };
    a.iter().zip(b).map(way).map(|way| way * way).sum()
}
