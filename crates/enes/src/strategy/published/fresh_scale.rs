//! Beyond the paper: the scale of the distribution follows the points that it has not seen.
//!
//! A gradient that importance mixing's rows give is biased, because θ was computed from them: it has moved towards the
//! rows with high utilities, which therefore have small |s|², so that Σ (u_i − b)(|s_i|² − d), which moves ln σ, is
//! negative on average even where values say nothing. A fresh row is one that θ does not depend on: where
//! values say nothing u and |s|² are independent among fresh rows, and their covariance is 0 on average, whatever the
//! law of the rows is. So that covariance moves ln σ, and every row does so once, by as much as the rows of a population
//! would that is drawn anew: the derivation is in docs/method/published.md.

use crate::linalg::squared_norm;

/// Sums over about the latest n fresh rows: what a generation with few of them is compared with.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize))]
pub(crate) struct FreshScale {
    rows: f64,
    utilities: f64,
    squared_norms: f64,
    generations: f64,
    /// The first generation has been: all of it is fresh, and how many were says nothing of the next ones.
    begun: bool,
}

impl FreshScale {
    /// The rate of ln σ per unit learning rate, `Σ (u − ū)(|s|² − q̄) / (2 d n̄)` over the fresh rows, which are those
    /// from `kept` on: with the averages ū and q̄ of late, and the number n̄ of fresh rows that a generation has had.
    pub(crate) fn rate(&mut self, whitened: &[f64], utilities: &[f64], kept: usize) -> f64 {
        let (n, d) = (utilities.len(), whitened.len() / utilities.len());
        let (fresh, u) = (&whitened[kept * d..], &utilities[kept..]);
        let mut now = Self { rows: u.len() as f64, generations: 1.0, ..*self };
        now.utilities = u.iter().sum();
        now.squared_norms = fresh.chunks_exact(d).map(squared_norm).sum();
        if std::mem::replace(&mut self.begun, true) {
            self.add(&now, (1.0 - 1.0 / n as f64).powf(now.rows));
            now = *self;
        }
        if now.rows == 0.0 || u.is_empty() {
            return 0.0;
        }
        let (mean_u, mean_q) = (now.utilities / now.rows, now.squared_norms / now.rows);
        let rows = fresh.chunks_exact(d).zip(u);
        let covariance: f64 = rows.map(|(s, u)| (u - mean_u) * (squared_norm(s) - mean_q)).sum();
        covariance / (2.0 * d as f64 * (now.rows / now.generations))
    }

    fn add(&mut self, now: &Self, forget: f64) {
        self.rows = forget * self.rows + now.rows;
        self.utilities = forget * self.utilities + now.utilities;
        self.squared_norms = forget * self.squared_norms + now.squared_norms;
        self.generations = forget * self.generations + now.generations;
    }

    /// Whether these can be such sums.
    #[cfg(feature = "serde")]
    pub(crate) fn is_consistent(&self) -> bool {
        let Self { rows, utilities, squared_norms, generations, .. } = *self;
        [rows, squared_norms, generations].iter().all(|v| v.is_finite() && *v >= 0.0) && utilities.is_finite()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_first_generation_is_the_covariance_of_utility_and_squared_norm() {
        // |s|² is 1, 4, 9 and u is 1, 0.5, 0: the covariance sums to 0.5 (1 − 14/3) − 0.5 (9 − 14/3) = −4.
        let rate = FreshScale::default().rate(&[1.0, 2.0, 3.0], &[1.0, 0.5, 0.0], 0);
        assert!((rate - -4.0 / (2.0 * 3.0)).abs() < 1e-15, "{rate}");
    }

    #[test]
    fn kept_rows_and_generations_without_a_fresh_one_move_nothing() {
        let mut sums = FreshScale::default();
        sums.rate(&[1.0, 2.0, 3.0], &[1.0, 0.5, 0.0], 0);
        assert_eq!(sums.rate(&[1.0, 2.0, 3.0], &[1.0, 0.5, 0.0], 3), 0.0);
        let mut others = sums;
        let rate = sums.rate(&[1.0, 2.0, 3.0, 4.0], &[1.0, 0.5, 0.0, 0.2], 2);
        assert_eq!(rate, others.rate(&[-7.0, 0.0, 3.0, 4.0], &[0.1, 0.9, 0.0, 0.2], 2));
    }
}
