//! The trend of the optima: a bowl that is fitted to those that searches have ended in, and where its bottom is.
//!
//! Where basins lie side by side in a wider one ("big valley", Boese, Kahng and Muddu 1994), optima are the better the nearer they
//! are to its bottom. A wide search does not see that for the ripples; the optima have none.

use crate::linalg::{self, CholeskySpace};
use crate::math::cost;

/// So many optima for each coefficient of the bowl are looked at, the best.
const EACH: usize = 3;

/// And so many more than it has coefficients are needed.
const MORE: usize = 2;

/// What may be left of the variation of the optima's costs where each is predicted by the others, as a part of its square.
const LEFT: f64 = 0.5;

/// Of the diagonal, on which the number of optima lies: so that optima on a line or a sphere have a bowl, too.
const RIDGE: f64 = 1e-6;

/// The way from the best optimum to the bottom of the bowl a + gᵀu + c|u|² that is fitted to the best optima, given by their places
/// and costs; no longer than that to the farthest of them. `None` where the bowl does not predict each of them from the others.
pub(super) fn way_to_bottom(mut optima: Vec<(Vec<f64>, f64)>) -> Option<Vec<f64>> {
    optima.retain(|(_, cost)| cost.is_finite() && !cost::is_infeasible(*cost));
    optima.sort_by(|a, b| cost::compare(a.1, b.1));
    let d = optima.first()?.0.len();
    let n = d + 2;
    optima.truncate(EACH * n);
    if optima.len() < n + MORE {
        return None;
    }
    let ways: Vec<Vec<f64>> = optima
        .iter()
        .map(|(place, _)| place.iter().zip(&optima[0].0).map(|(p, best)| p - best).collect())
        .collect();
    let farthest = ways.iter().map(|way| linalg::squared_norm(way)).fold(0.0, f64::max).sqrt();
    let rows: Vec<Vec<f64>> = ways.iter().map(|way| features(way, farthest)).collect();
    let costs: Vec<f64> = optima.iter().map(|(_, cost)| *cost).collect();
    let bowl = fit(&rows, &costs)?;
    let mut way: Vec<f64> = bowl[1..=d].iter().map(|g| -0.5 * g / bowl[n - 1]).collect();
    let length = linalg::squared_norm(&way).sqrt();
    way.iter_mut().for_each(|w| *w *= farthest / length.max(1.0));
    way.iter().all(|w| w.is_finite()).then_some(way)
}

/// 1, the coordinates and the squared length, in units of the farthest optimum.
fn features(way: &[f64], unit: f64) -> Vec<f64> {
    let scaled: Vec<f64> = way.iter().map(|w| w / unit).collect();
    let squared = linalg::squared_norm(&scaled);
    std::iter::once(1.0).chain(scaled).chain([squared]).collect()
}

/// The coefficients by least squares, where they make a bowl that is open above and predicts each cost from the others. O(d³).
fn fit(rows: &[Vec<f64>], costs: &[f64]) -> Option<Vec<f64>> {
    let n = rows[0].len();
    let mean = costs.iter().sum::<f64>() / costs.len() as f64;
    let (mut gram, mut bowl) = (vec![0.0; n * n], vec![0.0; n]);
    for (row, cost) in rows.iter().zip(costs) {
        linalg::add_scaled(&mut bowl, cost - mean, row);
        for (i, g) in gram.chunks_exact_mut(n).enumerate() {
            linalg::add_scaled(&mut g[i..], row[i], &row[i..]);
        }
    }
    gram.iter_mut().step_by(n + 1).for_each(|g| *g += RIDGE);
    if !linalg::cholesky_in_place(&mut gram, n, &mut CholeskySpace::new(n)) {
        return None;
    }
    linalg::solve_squared(&gram, &mut bowl);
    let (mut left, mut variation) = (0.0, 0.0);
    for (row, cost) in rows.iter().zip(costs) {
        let mut solved = row.clone();
        linalg::solve_squared(&gram, &mut solved);
        // Left out, a cost is missed by what the fit misses it by, divided by this.
        let free = 1.0 - linalg::dot(row, &solved);
        left += ((cost - mean - linalg::dot(row, &bowl)) / free).powi(2);
        variation += (cost - mean).powi(2);
    }
    (bowl[n - 1] > 0.0 && left <= LEFT * variation).then_some(bowl)
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Places on a lattice, turned, and a cost for each.
    fn lattice(cost: impl Fn(&[f64]) -> f64) -> Vec<(Vec<f64>, f64)> {
        let place = |i: u32| {
            let (a, b) = (f64::from(i % 4), f64::from(i / 4));
            vec![3.0 + 0.6 * a - 0.8 * b, 5.0 + 0.8 * a + 0.6 * b]
        };
        (0..16).map(place).map(|place| (place.clone(), cost(&place))).collect()
    }

    fn bowl(place: &[f64]) -> f64 {
        (place[0] - 2.5).powi(2) + (place[1] - 7.3).powi(2)
    }

    /// Where the way leads.
    fn bottom(optima: Vec<(Vec<f64>, f64)>) -> Option<Vec<f64>> {
        let best = optima.iter().min_by(|a, b| a.1.total_cmp(&b.1)).unwrap().0.clone();
        way_to_bottom(optima).map(|way| best.iter().zip(way).map(|(b, w)| b + w).collect())
    }

    #[test]
    fn the_bottom_of_a_bowl_is_found_in_any_order_and_unit() {
        for (factor, shift) in [(1.0, 0.0), (1e-9, 1.0), (1e9, -4.0)] {
            let mut optima = lattice(|place| factor * bowl(place) + shift);
            let there = bottom(optima.clone()).unwrap();
            optima.reverse();
            let reversed = bottom(optima).unwrap();
            for there in [there, reversed] {
                assert!(
                    (there[0] - 2.5).abs() < 1e-3 && (there[1] - 7.3).abs() < 1e-3,
                    "{factor}: {there:?}"
                );
            }
        }
    }

    #[test]
    fn the_bottom_is_no_farther_than_the_optima() {
        let there = |slope: f64| {
            let optima = lattice(|place| bowl(place) + slope * (place[0] + place[1]));
            let farthest: f64 = 3.0 * 2f64.sqrt();
            linalg::squared_norm(&way_to_bottom(optima).unwrap()).sqrt() / farthest
        };
        assert!(there(0.0) < 0.5);
        assert!(there(1e3) <= 1.0 + 1e-9);
    }

    #[test]
    fn optima_without_a_trend_and_too_few_of_them_have_no_bottom() {
        // Costs that know nothing of places.
        let chance = |place: &[f64]| (1e4 * (place[0] + 3.0 * place[1])).sin();
        assert_eq!(bottom(lattice(chance)), None);
        assert_eq!(bottom(lattice(|place| -bowl(place))), None, "a hill");
        assert_eq!(bottom(lattice(|_| 1.0)), None, "nothing but a plain");
        let few: Vec<_> = lattice(bowl).into_iter().take(5).collect();
        assert_eq!(bottom(few), None);
        let same = vec![(vec![1.0, 2.0], 3.0); 9];
        assert_eq!(bottom(same), None);
        assert_eq!(way_to_bottom(Vec::new()), None);
    }
}
