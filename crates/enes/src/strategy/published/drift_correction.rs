//! Beyond the paper: what importance mixing takes from ln σ where values say nothing, given back.
//!
//! Row i moves the mean by δ s_i and C by δ (s_i s_iᵀ − I), δ = (u_i − ū)/n, in whitened coordinates, and thereby its
//! own |s_i|² by −δ (|s_i|² + 1) |s_i|². The next generation, if it keeps the row, sees high utilities at small |s|²: of
//! the rate Σ (u_i − ū)(|s_i|² − d)/(2dn) of ln σ each row's own pull takes (u_i − ū)² |s_i|² (|s_i|² + 1)/(2dn²), whatever the
//! values say. That sum has the right dependence on d, n and the utilities. How much of it must be given back was
//! measured on random values, because the kept rows undo most of what they get: docs/method/published.md.

use crate::linalg::squared_norm;

/// How many times the sum is given back, for large d and small α.
const GAIN: f64 = 7.7;

/// Generations over which kept rows undo what they get: a row is there that long with probability (1 − α)⁶.
const MEMORY: i32 = 6;

/// Up to this dimension nothing is given back: there the drift ends searches that would otherwise wander.
const NONE_UP_TO: f64 = 2.0;

/// How far luck has built up.
#[derive(Clone, Copy, Debug, PartialEq)]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize))]
pub(crate) struct DriftCorrection {
    /// The share of the first population that is still there: θ does not depend on rows before they have pulled, so that
    /// the drift begins as these go.
    original: f64,
}

impl DriftCorrection {
    pub(crate) fn new() -> Self {
        Self { original: 1.0 }
    }

    /// The rate of ln σ per squared unit of learning rate, from the rows that were kept: those before row `kept`.
    pub(crate) fn rate(&mut self, whitened: &[f64], utilities: &[f64], kept: usize, alpha: f64) -> f64 {
        let (n, d) = (utilities.len() as f64, (whitened.len() / utilities.len()) as f64);
        if kept == 0 {
            return 0.0; // all rows are new: the first generation, or no mixing
        }
        self.original *= kept as f64 / n;
        let mean = utilities.iter().sum::<f64>() / n;
        let rows = whitened.chunks_exact(d as usize).zip(utilities).take(kept);
        let own: f64 = rows
            .map(|(s, u)| {
                let q = squared_norm(s);
                (u - mean).powi(2) * q * (q + 1.0)
            })
            .sum();
        let share = GAIN * (1.0 - NONE_UP_TO / d).max(0.0) * (1.0 - alpha).powi(MEMORY);
        (1.0 - self.original) * share * own / (2.0 * d * n * n)
    }

    /// Whether this can be such a share.
    #[cfg(feature = "serde")]
    pub(crate) fn is_consistent(&self) -> bool {
        (0.0..=1.0).contains(&self.original)
    }
}

#[cfg(test)]
mod tests {
    use super::DriftCorrection;

    fn rate(whitened: &[f64], utilities: &[f64], kept: usize, alpha: f64) -> f64 {
        DriftCorrection::new().rate(whitened, utilities, kept, alpha)
    }

    #[test]
    fn each_kept_row_gets_back_a_multiple_of_what_its_own_pull_took() {
        // |s|² is 3, 12, 0 and u − ū is ½, 0, −½; two of three rows are kept: ¼ · 3 · 4 = 3, and a third is new.
        let s = [1.0, 1.0, 1.0, 2.0, 2.0, 2.0, 0.0, 0.0, 0.0];
        let got = rate(&s, &[1.0, 0.5, 0.0], 2, 0.0);
        assert!((got - 7.7 / 9.0 * 3.0 / (2.0 * 3.0 * 9.0)).abs() < 1e-15, "{got}");
    }

    #[test]
    fn the_correction_grows_as_the_first_population_goes() {
        let (s, u) = ([1.0; 12], [1.0, 0.5, 0.2, 0.0]);
        let mut correction = DriftCorrection::new();
        assert_eq!(correction.rate(&s, &u, 0, 0.01), 0.0);
        let rates: Vec<f64> = (0..5).map(|_| correction.rate(&s, &u, 3, 0.01)).collect();
        assert!(rates[0] > 0.0 && rates.is_sorted(), "{rates:?}");
        assert!((rates[1] / rates[0] - (1.0 - 0.75f64.powi(2)) / 0.25).abs() < 1e-12, "{rates:?}");
    }

    #[test]
    fn nothing_is_given_back_where_nothing_is_kept_nor_in_two_dimensions() {
        let (s, u) = ([1.0; 12], [1.0, 0.5, 0.2, 0.0]);
        assert!(rate(&s, &u, 3, 0.01) > 0.0);
        assert_eq!(rate(&s, &u, 0, 0.01), 0.0);
        assert_eq!(rate(&s, &u, 3, 1.0), 0.0);
        assert_eq!(rate(&s[..8], &u, 3, 0.01), 0.0);
        assert_eq!(rate(&s[..4], &u, 3, 0.01), 0.0);
    }
}
