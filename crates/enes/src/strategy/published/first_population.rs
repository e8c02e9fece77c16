//! A first population in which points that were evaluated before take part.

use super::importance_mixing::MAX_DRAWS_PER_ROW;
use crate::linalg::squared_norm;
use crate::random::Generator;
use crate::search::{Search, SearchDistribution};

/// Points that were evaluated before enter the first population by importance: their own Gaussian fit q
/// is taken for their law, p is the start. A point stays with probability min(1, (1 − α)p/q); for each that
/// goes one is drawn from p and accepted with max(α, 1 − q/p), and the others are drawn from p. The law of
/// the population is p, as far as that of the table is q. False where the points have no such fit.
pub(super) fn draw(
    search: &mut Search,
    points: &[f64],
    costs: &[f64],
    alpha: f64,
    generator: &mut Generator,
) -> bool {
    let Search { distribution: p, population, .. } = search;
    let (n, d) = (population.len(), population.dimension());
    let latest = costs.len().min(n);
    let points = &points[(costs.len() - latest) * d..];
    let costs = &costs[costs.len() - latest..];
    let Some(q) = SearchDistribution::of_points(points, d) else { return false };
    let log_det = p.log_det() - q.log_det();
    // ln p/q of points as rows.
    let log_ratios = |z: &[f64]| -> Vec<f64> {
        let norms = |of: &SearchDistribution| {
            let s = of.whiten(z).unwrap_or_default();
            s.chunks_exact(d).map(squared_norm).collect::<Vec<f64>>()
        };
        norms(&q).iter().zip(norms(p)).map(|(b, a)| 0.5 * (b - a) - log_det).collect()
    };
    let (mut kept, mut kept_costs) = (Vec::new(), Vec::new());
    for ((z, cost), ratio) in points.chunks_exact(d).zip(costs).zip(log_ratios(points)) {
        if generator.uniform() < (1.0 - alpha) * ratio.exp() {
            kept.extend_from_slice(z);
            kept_costs.push(*cost);
        }
    }
    let whitened = if kept.is_empty() { Vec::new() } else { p.whiten(&kept).unwrap_or_default() };
    population.keep_evaluated(&kept, &whitened, &kept_costs);
    let (mut z, mut draws) = (vec![0.0; d], 0);
    for row in population.kept()..n {
        let (s, _) = population.row_mut(row);
        loop {
            generator.fill_normal(s);
            draws += 1;
            if row >= latest || draws > MAX_DRAWS_PER_ROW * n {
                break;
            }
            p.points_from(s, &mut z);
            if generator.uniform() < alpha.max(1.0 - (-log_ratios(&z)[0]).exp()) {
                break;
            }
        }
    }
    true
}
