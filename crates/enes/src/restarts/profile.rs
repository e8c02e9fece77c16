//! The profile of a basin: how costs grow with the distance from its optimum, in the metric of its shape.
//!
//! Many an objective is a function of a quadratic, and only near its optimum a quadratic itself: a logarithm, a root, a bell. Costs are
//! then known at any distance that a search has seen on its way, whatever the direction.

use crate::linalg;
use crate::search::SearchDistribution;

/// Where costs fall below this part of those nearer to the optimum, the distance alone does not tell them: the profile ends.
const FALLS: f64 = 0.9;

/// Between two squared distances of which one is more than this many times the other anything may be, a trend over many basins beyond:
/// the profile ends there, too, unless costs have grown as those of a quadratic, to the same part. A tenth of a distance is how far
/// apart the scales are at which points are kept.
const GAP: f64 = 100.0;

/// Costs grow with a power of the squared distance that falls outwards, from 1 near the optimum. Where it rises again by more than this, from
/// one tenfold of the squared distance to another, the basin is a well in a wider bowl, in which there may be others: the profile ends.
const STEEPER: f64 = 0.2;

/// Squared distances that differ by less than this, as a share, are the same.
const APART: f64 = 1e-4;

/// Squared distances, and costs above the least, from the optimum outwards.
#[derive(Clone, Debug, Default, PartialEq)]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize))]
pub(super) struct Profile(Vec<(f64, f64)>);

impl Profile {
    /// From points as rows and their costs above the least, in any order; the mean of the shape is the optimum.
    pub(super) fn new<'a>(
        shape: &SearchDistribution,
        points: impl IntoIterator<Item = (&'a [f64], f64)>,
    ) -> Self {
        let mut way = vec![0.0; shape.dimension()];
        let distance = |(point, cost): (&[f64], f64)| {
            shape.whiten_into(point, &mut way);
            (linalg::squared_norm(&way), cost)
        };
        let mut pairs: Vec<(f64, f64)> = points.into_iter().map(distance).collect();
        pairs.retain(|(distance, cost)| *distance > 0.0 && *cost > 0.0 && distance.is_finite());
        pairs.sort_by(|a, b| a.0.total_cmp(&b.0));
        let mut most: f64 = 0.0;
        let end = (0..pairs.len()).find(|&next| {
            most = most.max(pairs[next].1);
            pairs[next].1 < FALLS * most || next > 0 && is_gap(pairs[next - 1], pairs[next])
        });
        pairs.truncate(end.unwrap_or(pairs.len()));
        pairs.dedup_by(|further, nearer| further.0 <= nearer.0 * (1.0 + APART));
        let mut profile = Self(pairs);
        if let Some(end) = profile.steepens() {
            profile.0.retain(|(distance, _)| *distance <= end);
        }
        profile
    }

    /// The squared distance from which on costs grow faster again.
    fn steepens(&self) -> Option<f64> {
        let (mut near, mut least) = (self.0.first()?.0, f64::INFINITY);
        while let (Some(low), Some(high)) = (self.at(near), self.at(10.0 * near)) {
            let power = (high / low).log10();
            if power > least + STEEPER {
                return Some(near);
            }
            (near, least) = (10.0 * near, least.min(power));
        }
        None
    }

    /// The cost above the least at a squared distance: by a power of it between two that are known, none beyond.
    pub(super) fn at(&self, distance: f64) -> Option<f64> {
        let next = self.0.iter().position(|(known, _)| *known >= distance)?;
        let (far, high) = self.0[next];
        let Some((near, low)) = next.checked_sub(1).map(|before| self.0[before]) else {
            return Some(high * distance / far);
        };
        let share = (distance / near).ln() / (far / near).ln();
        Some(low * (high / low).powf(share))
    }

    /// The cost above the least beyond which nothing is known; infinite where nothing is known at all.
    pub(super) fn highest(&self) -> f64 {
        self.0.last().map_or(f64::INFINITY, |(_, cost)| *cost)
    }

    /// Numbers that are kept.
    pub(super) fn size(&self) -> usize {
        2 * self.0.len()
    }

    #[cfg(feature = "serde")]
    pub(super) fn is_consistent(&self) -> bool {
        let positive = |(distance, cost): &(f64, f64)| {
            distance.is_finite() && *distance > 0.0 && cost.is_finite() && *cost > 0.0
        };
        self.0.iter().all(positive) && self.0.is_sorted_by(|a, b| a.0 < b.0)
    }
}

/// Whether nothing says what costs are between two distances.
fn is_gap((near, low): (f64, f64), (far, high): (f64, f64)) -> bool {
    let bend = (high / low) / (far / near);
    far > GAP * near && !(FALLS..=1.0 / FALLS).contains(&bend)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn shape() -> SearchDistribution {
        SearchDistribution::new(vec![1.0, -1.0], vec![0.5, 0.0, 0.0, 2.0]).unwrap()
    }

    /// Points in all directions around the optimum, at distances from a tenth to ten in the metric of the shape.
    fn points(count: i32) -> Vec<[f64; 2]> {
        let place = |i: i32| {
            let (sin, cos) = (2.4 * f64::from(i)).sin_cos();
            let length = 10f64.powf(2.0 * f64::from(i) / f64::from(count - 1) - 1.0);
            [1.0 + 0.5 * length * cos, -1.0 + 2.0 * length * sin]
        };
        (0..count).rev().map(place).collect()
    }

    fn profile(cost: impl Fn(f64) -> f64) -> Profile {
        let squared = |p: &[f64; 2]| ((p[0] - 1.0) / 0.5).powi(2) + ((p[1] + 1.0) / 2.0).powi(2);
        let points = points(60);
        Profile::new(&shape(), points.iter().map(|p| (p.as_slice(), cost(squared(p)))))
    }

    #[test]
    fn a_function_of_a_quadratic_is_known_at_all_distances_that_were_seen() {
        for cost in [f64::ln_1p as fn(f64) -> f64, |q| 1.0 - (-0.5 * q).exp(), |q| (1.0 + q).sqrt() - 1.0] {
            let profile = profile(cost);
            for distance in [0.02, 0.5, 3.0, 70.0_f64] {
                let known = profile.at(distance).unwrap();
                assert!((known / cost(distance) - 1.0).abs() < 0.01, "{known} at {distance}");
            }
            // Nearer than all points it is taken for a quadratic; beyond them nothing is known.
            assert!((profile.at(1e-4).unwrap() / cost(1e-4) - 1.0).abs() < 0.01);
            assert_eq!(profile.at(101.0), None);
        }
    }

    #[test]
    fn it_ends_where_costs_fall() {
        let ring = |q: f64| if q < 4.0 { q } else { 4.0 + (q - 10.0).abs() };
        let profile = profile(ring);
        assert!(profile.at(3.0).is_some());
        assert_eq!(profile.at(9.0), None);
    }

    #[test]
    fn a_well_in_a_bowl_ends_where_the_bowl_begins() {
        let profile = profile(|q| 1.0 - (-50.0 * q).exp() + 0.5 * q);
        assert!(profile.at(0.5).is_some());
        assert_eq!(profile.at(60.0), None);
    }

    #[test]
    fn it_ends_where_nothing_was_seen_between() {
        let seen = |q: f64| !(0.1..=11.0).contains(&q);
        let trend = profile(|q| if seen(q) { q * if q < 1.0 { 3.0 } else { 1.0 } } else { f64::NAN });
        assert!(trend.at(0.05).is_some());
        assert_eq!(trend.at(20.0), None);
        // A quadratic is the same on both sides.
        assert!(profile(|q| if seen(q) { q } else { f64::NAN }).at(20.0).is_some());
    }

    #[test]
    fn what_cannot_be_compared_is_left_out() {
        let all =
            [([1.0, -1.0], 1.0), ([2.0, 0.0], 0.0), ([2.0, 0.0], f64::NAN), ([f64::INFINITY, 0.0], 1.0)];
        let profile = Profile::new(&shape(), all.iter().map(|(p, c)| (p.as_slice(), *c)));
        assert_eq!((profile.size(), profile.at(1.0)), (0, None));
    }
}
