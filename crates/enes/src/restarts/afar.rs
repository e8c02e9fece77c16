//! What was seen from afar: points that searches evaluated while they were wide. They outlive their search, and tell
//! where a local search may begin.
//!
//! A point is worth one where no better point is near, and no optimum or start: multi-level single linkage (Rinnooy Kan and
//! Timmer 1987), with their critical distance, which shrinks as points become many.

use crate::math::cost;
use crate::search::SearchDistribution;
use crate::settings::Params;

/// Points that are kept; of more the better half stays.
const MOST_POINTS: usize = 1024;

/// Numbers in them, at most, in many dimensions, but for the last 16 points.
const MOST_NUMBERS: usize = 1 << 20;

/// Of the points this part is looked at, the best.
const LOOKED_AT: usize = 5;

/// Rinnooy Kan and Timmer's constant: with more than 2 local searches are finite in number.
const DENSITY: f64 = 2.0;

/// A coordinate without two bounds is taken to be so many initial deviations wide, as one with two is by default.
const WIDTH: f64 = 4.0;

/// Points in the user's coordinates, and their costs.
#[derive(Clone, Debug, Default, PartialEq)]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize))]
pub(super) struct Afar {
    points: Vec<f64>,
    costs: Vec<f64>,
    /// All that there were.
    count: u64,
    /// Where searches began, in search coordinates.
    starts: Vec<Vec<f64>>,
}

impl Afar {
    /// Whether a search is so wide that its points belong here.
    pub(super) fn takes(present: &SearchDistribution, params: &Params) -> bool {
        present.log_det() >= params.narrow
    }

    /// Keep a point.
    pub(super) fn add(&mut self, point: &[f64], cost: f64) {
        if !cost.is_finite() {
            return;
        }
        if self.costs.len() >= (MOST_NUMBERS / point.len()).clamp(16, MOST_POINTS) {
            self.drop_the_worse_half(point.len());
        }
        self.points.extend_from_slice(point);
        self.costs.push(cost);
        self.count += 1;
    }

    fn order(&self) -> Vec<usize> {
        let mut order: Vec<usize> = (0..self.costs.len()).collect();
        order.sort_by(|a, b| cost::compare(self.costs[*a], self.costs[*b]));
        order
    }

    fn drop_the_worse_half(&mut self, d: usize) {
        let mut kept = self.order();
        kept.truncate(self.costs.len() / 2);
        kept.sort_unstable();
        for (to, &row) in kept.iter().enumerate() {
            self.points.copy_within(row * d..(row + 1) * d, to * d);
            self.costs[to] = self.costs[row];
        }
        self.points.truncate(kept.len() * d);
        self.costs.truncate(kept.len());
    }

    /// A search begins at this mean.
    pub(super) fn begin(&mut self, mean: &[f64]) {
        self.starts.push(mean.to_vec());
    }

    /// Where searches began, in search coordinates, the latest first.
    pub(super) fn starts(&self) -> impl Iterator<Item = &[f64]> {
        self.starts.iter().rev().map(Vec::as_slice)
    }

    /// The distance, in initial deviations, within which a better point speaks against a start.
    fn critical_distance(&self, params: &Params) -> f64 {
        let d = params.search_dimension;
        let deviations = params.start.standard_deviations();
        let widths = params.space.widths();
        let ln_volume: f64 =
            widths.iter().zip(&deviations).map(|(w, s)| w.map_or(WIDTH, |w| w / s).ln()).sum();
        let n = (self.count as f64).max(3.0);
        let inside = ln_gamma_half(d + 2) + ln_volume + (DENSITY * n.ln() / n).ln();
        (inside / d as f64).exp() / std::f64::consts::PI.sqrt()
    }

    /// Where a local search may begin, in search coordinates, and the critical distance: the best point that no better one,
    /// no optimum and no start is near.
    pub(super) fn promising(&self, params: &Params, optima: &[&[f64]]) -> Option<(Vec<f64>, f64)> {
        let (d, near) = (params.dimension, self.critical_distance(params));
        let known = optima.iter().copied().chain(self.starts());
        let known: Vec<Vec<f64>> = known.map(|mean| in_deviations(mean, params)).collect();
        let apart =
            |a: &[f64], b: &[f64]| a.iter().zip(b).map(|(x, y)| (x - y).powi(2)).sum::<f64>() > near * near;
        let mut better: Vec<Vec<f64>> = Vec::new();
        for row in self.order().into_iter().take(self.costs.len().div_ceil(LOOKED_AT)) {
            let start = params.space.start_at(&self.points[row * d..(row + 1) * d]).ok()?;
            let place = in_deviations(&start, params);
            if better.iter().chain(&known).all(|other| apart(other, &place)) {
                return Some((start, near));
            }
            better.push(place);
        }
        None
    }

    #[cfg(feature = "serde")]
    pub(super) fn is_consistent(&self, (users, d): (usize, usize)) -> bool {
        self.points.len() == self.costs.len() * users
            && self.costs.len() <= MOST_POINTS
            && crate::math::is_count(self.count)
            && self.starts.iter().all(|start| start.len() == d)
    }
}

/// A point in search coordinates, those that a start there would have, in units of the initial deviations.
fn in_deviations(point: &[f64], params: &Params) -> Vec<f64> {
    let deviations = params.start.standard_deviations();
    params.space.canonical(point).iter().zip(deviations).map(|((z, _), s)| z / s).collect()
}

/// ln Γ(k/2) for whole k.
fn ln_gamma_half(k: usize) -> f64 {
    let first = if k.is_multiple_of(2) { 0.0 } else { 0.5 * std::f64::consts::PI.ln() };
    let steps = (1..).map(|j| k as f64 / 2.0 - f64::from(j)).take_while(|x| *x > 0.25);
    first + steps.map(f64::ln).sum::<f64>()
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::settings::Settings;

    fn params() -> Params {
        Params::new(&Settings::within([(-4.0, 4.0)]).max_evaluations(100)).unwrap()
    }

    #[test]
    fn gamma_at_halves() {
        for (k, value) in [
            (1, 1.772_453_850_905_516),
            (2, 1.0),
            (3, 0.886_226_925_452_758),
            (8, 6.0),
            (9, 11.631_728_396_567_448),
        ] {
            assert!((ln_gamma_half(k).exp() - value).abs() < 1e-12 * value, "Γ({k}/2)");
        }
    }

    #[test]
    fn a_start_is_the_best_point_that_nothing_better_or_known_is_near() {
        let (params, mut afar) = (params(), Afar::default());
        // Two valleys, around -2 and 2, the second one deeper.
        (0..400)
            .map(|i| -4.0 + 0.02 * f64::from(i))
            .for_each(|x| afar.add(&[x], (x.abs() - 2.0).abs() - 0.1 * x));
        // √π Γ(3/2) = π/2: half the width, 2 deviations, times 2 ln n/n.
        let near = afar.critical_distance(&params);
        assert!((near - 2.0 * 2.0 * 400f64.ln() / 400.0).abs() < 1e-9, "{near}");
        let start = |afar: &Afar, optima: &[&[f64]]| {
            afar.promising(&params, optima).map(|(start, _)| start[0].round())
        };
        assert_eq!(start(&afar, &[]), Some(2.0));
        assert_eq!(start(&afar, &[&[2.0]]), Some(-2.0));
        afar.begin(&[2.0]);
        assert_eq!(start(&afar, &[]), Some(-2.0));
        assert_eq!(start(&afar, &[&[-2.0]]), None);
    }

    #[test]
    fn the_better_half_of_too_many_stays() {
        let mut afar = Afar::default();
        (0..MOST_POINTS + 1).for_each(|i| afar.add(&[i as f64, 1.0], -(i as f64)));
        afar.add(&[0.0, 1.0], f64::NAN);
        assert_eq!((afar.costs.len(), afar.count), (MOST_POINTS / 2 + 1, MOST_POINTS as u64 + 1));
        assert_eq!(afar.points.len(), 2 * afar.costs.len());
        for (point, cost) in afar.points.chunks_exact(2).zip(&afar.costs) {
            assert_eq!(point, [-cost, 1.0]);
            assert!(point[0] >= (MOST_POINTS / 2) as f64);
        }
    }
}
