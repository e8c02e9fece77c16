//! Beyond the paper: how much of the natural gradient is signal, and the population and the learning rate that follow.
//!
//! Where values say nothing, the squared length of the estimate in the metric of the Fisher matrix is P/n times the mean
//! of (u_i − b)², on average, for P = d(d + 3)/2 parameters: each of them has a variance of its own. R is the squared
//! length by that number, and R − 1 the ratio of signal to noise. It costs O(d²). Where points are kept from values that
//! say nothing, R falls below 1, to about a third: what is kept has been moved towards. The default population has R
//! from 2 to 4 on unimodal functions (docs/method/published.md).

/// A population is large enough with as much signal as noise.
const ENOUGH: f64 = 2.0;

/// The running mean of R moves so far by as many fresh points as a population has.
const MEMORY: f64 = 2.0;

/// ln n grows by so much, for each unit of R that is missing, by as many fresh points as a population has.
const GROWTH: f64 = 2.0;

/// The most by which ln n changes from one generation to the next.
const LARGEST_CHANGE: f64 = 0.2;

/// A population is at most so many times that of the beginning,
const LARGEST: usize = 16;

/// and has at most so many coordinates: with workspace some hundreds of megabytes.
const MOST_COORDINATES: usize = 1 << 24;

/// The learning rate is the given one times the ratio of signal to noise, between these. With the paper's α = 0.01 a rate
/// below 0.01 takes longer and averages over no more points; with the paper's utilities, whose sum is n/4, a rate of 4
/// would move the mean to that of the better points.
const RATES: (f64, f64) = (0.01, 3.0);

/// What the gradients of a search have been worth.
#[derive(Clone, Copy, Debug, PartialEq)]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize))]
pub(crate) struct Evidence {
    /// The running mean of R.
    ratio: f64,
    /// The population with which the search began.
    base: usize,
    /// The population that would be the right one, not rounded.
    size: f64,
}

impl Evidence {
    /// Before the first generation of a search with populations of n.
    pub(crate) fn new(n: usize) -> Self {
        Self { ratio: ENOUGH, base: n, size: n as f64 }
    }

    /// The largest population of a search in d dimensions that begins with `base`.
    fn most(base: usize, d: usize) -> usize {
        base.saturating_mul(LARGEST).min(MOST_COORDINATES / d.max(1)).max(base)
    }

    /// A gradient of this squared length, from n rows of which so many are fresh, with this mean of (u − b)².
    pub(crate) fn count(&mut self, squared_length: f64, rows: (usize, usize), spread: f64, d: usize) {
        let (n, fresh) = (rows.0 as f64, rows.1 as f64);
        let noise = 0.5 * (d * (d + 3)) as f64 * spread / n;
        let ratio = squared_length / noise;
        if ratio.is_finite() {
            self.ratio += (MEMORY * fresh / n).min(1.0) * (ratio - self.ratio);
        }
        let change = GROWTH * fresh / n * (ENOUGH - self.ratio);
        let grown = self.size * change.clamp(-LARGEST_CHANGE, LARGEST_CHANGE).exp();
        self.size = grown.clamp(self.base as f64, Self::most(self.base, d) as f64);
    }

    /// The population of the next generation.
    pub(crate) fn population(&self) -> usize {
        self.size.round() as usize
    }

    /// The factor of the learning rates.
    pub(crate) fn rate(&self) -> f64 {
        (self.ratio - 1.0).clamp(RATES.0, RATES.1)
    }

    /// Whether these can be numbers of a search with populations of n, the last of which had so many rows.
    #[cfg(feature = "serde")]
    pub(crate) fn is_consistent(&self, n: usize, rows: usize, d: usize, grows: bool) -> bool {
        let sizes = self.base..=Self::most(self.base, d);
        let fits = match grows {
            true => [n, rows, self.population()].iter().all(|size| sizes.contains(size)),
            false => self.base == n && rows == n,
        };
        fits && self.base >= 2 && self.ratio.is_finite() && self.ratio >= 0.0 && self.size.is_finite()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Generations whose gradients have this R, an eighth of the rows being fresh.
    fn after(evidence: &mut Evidence, generations: usize, ratio: f64, d: usize) {
        for _ in 0..generations {
            let n = evidence.population();
            let noise = 0.5 * (d * (d + 3)) as f64 * 0.1 / n as f64;
            evidence.count(ratio * noise, (n, n / 8), 0.1, d);
        }
    }

    #[test]
    fn populations_grow_without_signal_and_shrink_with_it() {
        let (d, mut evidence) = (5, Evidence::new(76));
        after(&mut evidence, 20, 2.5, d);
        assert_eq!(evidence.population(), 76);
        let mut before = 76;
        for _ in 0..100 {
            after(&mut evidence, 1, 0.4, d);
            assert!(evidence.population() as f64 <= 1.0 + before as f64 * LARGEST_CHANGE.exp());
            before = evidence.population();
        }
        assert_eq!(evidence.population(), 16 * 76);
        after(&mut evidence, 100, 3.0, d);
        assert_eq!(evidence.population(), 76);
    }

    #[test]
    fn the_learning_rate_is_the_ratio_of_signal_to_noise_between_bounds() {
        let mut evidence = Evidence::new(76);
        assert_eq!(evidence.rate(), 1.0);
        for (ratio, rate) in [(1.5, 0.5), (3.0, 2.0), (9.0, 3.0), (0.5, 0.01), (1.0, 0.01)] {
            after(&mut evidence, 200, ratio, 5);
            assert!((evidence.rate() - rate).abs() < 1e-6, "{ratio}: {}", evidence.rate());
        }
    }

    #[test]
    fn nothing_but_finite_numbers_counts_and_memory_is_bounded() {
        let mut evidence = Evidence::new(20);
        evidence.count(f64::INFINITY, (20, 20), 0.1, 2);
        evidence.count(0.0, (20, 20), 0.0, 2);
        assert_eq!(evidence.rate(), 1.0);
        assert_eq!(Evidence::most(20_000, 1000), 20_000);
        assert_eq!(Evidence::most(5116, 50), 16 * 5116);
    }
}
