//! A start that may be anywhere: away from where searches have begun and ended.
//!
//! Of some draws the one is taken that is farthest from all of these ("best candidate", Mitchell 1991). Five starts in a square then
//! lie in both halves of it, of which plain draws miss one in three runs of a hundred.

use crate::settings::Params;

/// So many draws are compared.
pub(super) const DRAWS: usize = 40;

/// Of starts and of optima so many count: where there are more, one more is near some of them anyway.
pub(super) const MOST: usize = 256;

/// Φ(z) = 1/(1 + exp(−1.702 z)), to 0.01.
const LOGISTIC: f64 = 1.702;

/// Places that are taken, as shares, and what a start is drawn from.
pub(super) struct Taken<'a> {
    places: Vec<Vec<f64>>,
    params: &'a Params,
    deviations: Vec<f64>,
}

impl<'a> Taken<'a> {
    /// Places in search coordinates.
    pub(super) fn new<'p>(places: impl Iterator<Item = &'p [f64]>, params: &'a Params) -> Self {
        let deviations = params.start.standard_deviations();
        let mut taken = Self { places: Vec::new(), params, deviations };
        taken.places = places.map(|place| taken.shares(place)).collect();
        taken
    }

    /// The squared distance of a place from the next one that is taken.
    pub(super) fn distance(&self, place: &[f64]) -> f64 {
        let place = self.shares(place);
        self.places.iter().map(|taken| apart(taken, &place)).fold(f64::INFINITY, f64::min)
    }

    /// The share of draws that lie below a place, coordinate by coordinate: in these units draws are uniform.
    fn shares(&self, place: &[f64]) -> Vec<f64> {
        let below = |(z, (m, s)): (&f64, (&f64, &f64))| (1.0 + (-LOGISTIC * (z - m) / s).exp()).recip();
        let free = place.iter().zip(self.params.start.mean().iter().zip(&self.deviations)).map(below);
        let bounded = self.params.space.between_bounds(place);
        bounded.into_iter().zip(free).map(|(inside, below)| inside.unwrap_or(below)).collect()
    }
}

/// The squared distance where 0 and 1 are the same: else draws near the bounds, which have less beside them, would be preferred.
fn apart(a: &[f64], b: &[f64]) -> f64 {
    let way = |(a, b): (&f64, &f64)| {
        let straight = (a - b).abs();
        straight.min(1.0 - straight)
    };
    a.iter().zip(b).map(way).map(|way| way * way).sum()
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::settings::Settings;

    fn params(settings: Settings) -> Params {
        Params::new(&settings.max_evaluations(100)).unwrap()
    }

    fn place(params: &Params, x: [f64; 2]) -> Vec<f64> {
        params.space.start_at(&x).unwrap()
    }

    #[test]
    fn a_place_in_a_box_is_its_share_of_it_and_opposite_bounds_are_near() {
        let params = params(Settings::within([(-4.0, 4.0), (1.0, 10_000.0)]).log_scale([false, true]));
        let taken = [place(&params, [-3.0, 100.0])];
        let taken = Taken::new(taken.iter().map(Vec::as_slice), &params);
        for (x, across, along) in [
            ([-3.0, 100.0], 0.0, 0.0),
            ([1.0, 100.0], 0.5, 0.0),
            ([3.0, 10.0], 0.25, 0.25),
            ([-2.0, 9_000.0], 0.125, 0.489),
        ] {
            let distance = taken.distance(&place(&params, x));
            let expected = f64::hypot(across, along).powi(2);
            assert!((distance - expected).abs() < 1e-3, "{x:?}: {distance}, expected {expected}");
        }
    }

    #[test]
    fn a_coordinate_without_bounds_has_the_share_of_draws_below() {
        let params = params(Settings::new([5.0, 0.0], [2.0, 1.0]));
        let draws = Taken::new(std::iter::empty(), &params);
        let share = |z: f64| draws.shares(&[5.0 + 2.0 * z, z]);
        for (z, below) in [(0.0, 0.5), (1.0, 0.841), (-2.0, 0.023)] {
            assert!(share(z).iter().all(|s| (s - below).abs() < 0.011), "{z}: {:?}", share(z));
        }
    }

    #[test]
    fn nothing_taken_is_infinitely_far() {
        let params = params(Settings::new([0.0, 0.0], 1.0));
        assert_eq!(Taken::new(std::iter::empty(), &params).distance(&[0.0, 0.0]), f64::INFINITY);
    }
}
