//! A distribution from a table: mean and covariance of the better points.

use crate::linalg::{self, add_scaled};
use crate::math::cost;
use crate::search::SearchDistribution;

/// Relative to the mean variance, what is added to every direction: rounding must not make a covariance
/// singular, and a condition of 1e10 is left.
const JITTER: f64 = 1e-10;

/// The distribution of the better points, weighted by rank, in units of the cold start's. Rows are points in
/// search coordinates, at least one. O(n log n + k d²) for the k best.
///
/// With µ = 1/Σw² below 2d the covariance is drawn towards the cold one's shape, by 1 − µ/2d; one point gives
/// its scale as well.
pub(super) fn fit(rows: &[f64], costs: &[f64], cold: &SearchDistribution) -> SearchDistribution {
    let d = cold.dimension();
    let best = better(rows, costs, d);
    let mut s: Vec<f64> = best.iter().flat_map(|&i| &rows[i * d..(i + 1) * d]).copied().collect();
    s.chunks_exact_mut(d).for_each(|row| add_scaled(row, -1.0, cold.mean()));
    cold.solve_transpose(&mut s); // in units of the cold start
    let weights = weights(&best.iter().map(|&i| costs[i]).collect::<Vec<_>>());
    let squares: f64 = weights.iter().map(|w| w * w).sum();
    let mut mean = vec![0.0; d];
    s.chunks_exact(d).zip(&weights).for_each(|(s, w)| add_scaled(&mut mean, *w, s));
    if cold.is_limited() {
        return fit_scale(&mut s, &weights, &mean, cold);
    }
    let mut c = vec![0.0; d * d];
    for (row, w) in s.chunks_exact_mut(d).zip(&weights) {
        add_scaled(row, -1.0, &mean);
        let unbiased = w / (1.0 - squares).max(f64::EPSILON);
        (0..d).for_each(|i| add_scaled(&mut c[i * d..(i + 1) * d], unbiased * row[i], row));
    }
    let variance = c.iter().step_by(d + 1).sum::<f64>() / d as f64;
    // One point says nothing of a scale: that of the cold start.
    let (variance, drawn) = match variance > 0.0 && variance.is_finite() {
        true => (variance, (1.0 - 1.0 / (squares * 2.0 * d as f64)).clamp(0.0, 1.0)),
        false => (1.0, 1.0),
    };
    c.iter_mut().for_each(|c| *c *= 1.0 - drawn);
    c.iter_mut().step_by(d + 1).for_each(|c| *c += (drawn + JITTER) * variance);
    let mut factor = vec![0.0; d * d];
    if let Ok(upper) = linalg::cholesky(&c, d) {
        linalg::upper_times_upper(&upper, cold.factor(), &mut factor, d);
    }
    for row in 0..d {
        factor[row * d..row * d + row].fill(0.0); // what multiplication left below the diagonal
    }
    let mut x = vec![0.0; d];
    cold.points_from(&mean, &mut x);
    SearchDistribution::new(x, factor).unwrap_or_else(|_| cold.clone())
}

/// In more dimensions than a full covariance has: the mean of the better points, and the cold shape with their scale.
fn fit_scale(s: &mut [f64], weights: &[f64], mean: &[f64], cold: &SearchDistribution) -> SearchDistribution {
    let d = mean.len();
    let squares: f64 = weights.iter().map(|w| w * w).sum();
    let mut variance = 0.0;
    for (row, w) in s.chunks_exact_mut(d).zip(weights) {
        add_scaled(row, -1.0, mean);
        variance += w / (1.0 - squares).max(f64::EPSILON) * linalg::squared_norm(row) / d as f64;
    }
    let scale = if variance > 0.0 && variance.is_finite() { variance.sqrt() } else { 1.0 };
    let mut x = vec![0.0; d];
    cold.points_from(mean, &mut x);
    cold.moved_to(x, scale).unwrap_or_else(|_| cold.clone())
}

/// The better half of the rows, the best first, each point once, and at most as many as the adaptive strategy's
/// archive holds: enough for a covariance, and near enough to each other to have one.
fn better(rows: &[f64], costs: &[f64], d: usize) -> Vec<usize> {
    let mut order: Vec<usize> = (0..costs.len()).collect();
    order.sort_by(|&a, &b| cost::compare(costs[a], costs[b]));
    let half = costs.len().div_ceil(2);
    // Equal values are told apart by nothing.
    let last = costs[order[half - 1]];
    let most = half + order[half..].iter().take_while(|&&i| costs[i] == last).count();
    let mut best: Vec<usize> = Vec::new();
    for &i in &order[..most] {
        let known = |&j: &usize| rows[i * d..(i + 1) * d] == rows[j * d..(j + 1) * d];
        if best.len() < 4 * d + 8 && !best.iter().any(known) {
            best.push(i);
        }
    }
    best
}

/// ln(k + 1) − ln i for the i-th of k, equal values sharing; their sum is 1.
fn weights(costs: &[f64]) -> Vec<f64> {
    let top = (costs.len() as f64 + 1.0).ln();
    let mut weights: Vec<f64> = (1..=costs.len()).map(|i| top - (i as f64).ln()).collect();
    let sum: f64 = weights.iter().sum();
    let mut from = 0;
    while from < costs.len() {
        let to = from + costs[from..].iter().take_while(|c| **c == costs[from]).count().max(1);
        let share = weights[from..to].iter().sum::<f64>() / (to - from) as f64 / sum;
        weights[from..to].fill(share);
        from = to;
    }
    weights
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::random::Generator;

    fn cold(d: usize) -> SearchDistribution {
        let mut factor = vec![0.0; d * d];
        factor.iter_mut().step_by(d + 1).for_each(|a| *a = 2.0);
        SearchDistribution::new(vec![5.0; d], factor).expect("a diagonal factor")
    }

    #[test]
    fn one_point_keeps_the_cold_scale_and_gives_its_place() {
        let q = fit(&[1.0, 2.0], &[3.0], &cold(2));
        assert!(q.mean().iter().zip([1.0, 2.0]).all(|(m, x)| (m - x).abs() < 1e-12));
        assert!(q.standard_deviations().iter().all(|s| (s - 2.0).abs() < 1e-6));
    }

    #[test]
    fn the_same_point_many_times_is_one_point() {
        let once = fit(&[1.0, 2.0, 4.0, 4.0], &[3.0, 4.0], &cold(2));
        let rows: Vec<f64> = [[1.0, 2.0]; 60].concat();
        assert_eq!(fit(&rows, &[3.0; 60], &cold(2)), once);
    }

    #[test]
    fn many_points_give_the_covariance_of_the_better_ones() {
        // f = z1² + 100 z2²: the better of N(0, I) are ten times wider along z1.
        let (n, d) = (40_000, 2);
        let mut rows = vec![0.0; n * d];
        Generator::new(3).fill_normal(&mut rows);
        let costs: Vec<f64> = rows.chunks_exact(d).map(|z| z[0] * z[0] + 100.0 * z[1] * z[1]).collect();
        let stds = fit(&rows, &costs, &cold(d)).standard_deviations();
        // 16 points: within a factor of 2 of 10, seeded.
        assert!((5.0..20.0).contains(&(stds[0] / stds[1])), "{stds:?}");
        assert!(stds[0] < 0.1);
    }

    #[test]
    fn weights_fall_with_rank_and_are_shared_among_equals() {
        let w = weights(&[1.0, 2.0, 2.0, 3.0]);
        assert!((w.iter().sum::<f64>() - 1.0).abs() < 1e-15);
        assert!(w[0] > w[1] && w[1] == w[2] && w[2] > w[3] && w[3] > 0.0);
        assert_eq!(weights(&[7.0; 5]), [0.2; 5].map(|w: f64| w).to_vec());
    }

    #[test]
    fn hostile_tables_give_a_distribution() {
        for d in [1, 2, 7] {
            for (rows, costs) in [
                (vec![1e300; 3 * d], vec![1.0; 3]),
                ((0..5 * d).map(|i| 1e-300 * i as f64).collect(), vec![f64::INFINITY; 5]),
                (
                    (0..5 * d).map(|i| 1e200 * (i % 3) as f64).collect(),
                    vec![f64::NEG_INFINITY, 1.0, 2.0, 3.0, 4.0],
                ),
                ((0..30 * d).map(|i| (i / d) as f64).collect(), (0..30).map(f64::from).collect()),
            ] {
                let q = fit(&rows, &costs, &cold(d));
                assert!(q.log_det().is_finite(), "{q:?}");
            }
        }
    }
}
