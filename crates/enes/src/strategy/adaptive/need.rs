//! How large a generation is: small while the surrogate predicts, that of the rank-based mode where it does not.

use super::sizes::default_population;
use super::tuning::NeedTuning;

/// What the models' predictions have been worth, and the need of larger generations that follows.
#[derive(Clone, Debug, PartialEq)]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize))]
pub(super) struct Need {
    /// Populations of the search at no need.
    base: usize,
    /// Correlation of predictions with values, a running mean: q.
    quality: f64,
    /// From 0, models predict, to 1, they do not: n.
    size: f64,
}

impl Need {
    pub(super) fn new(base: usize, tuning: &NeedTuning) -> Self {
        Self { base, quality: tuning.first, size: 0.0 }
    }

    /// From 0, models predict, to 1, they do not.
    pub(super) fn size(&self) -> f64 {
        self.size
    }

    /// A generation of so many evaluations, whose values a model has predicted with this correlation x: with s the
    /// evaluations in windows, q ← q + min(s, ⅓)(x − q), n ← n + s min(0.15, ½ − q), from 0 to 1.
    pub(super) fn count(&mut self, evaluations: usize, correlation: f64, d: usize, tuning: &NeedTuning) {
        let windows = evaluations as f64 / (4 * d + 8) as f64;
        self.quality += windows.min(1.0 / 3.0) * (correlation - self.quality);
        let grown = self.size + windows * (tuning.enough - self.quality).min(tuning.slow);
        self.size = grown.clamp(0.0, 1.0);
    }

    /// The largest population of a search in d dimensions that begins with `base`: that of the rank-based mode.
    pub(super) fn most(base: usize, d: usize) -> usize {
        base.max(default_population(d))
    }

    /// Populations of the search at no need.
    pub(super) fn base(&self) -> usize {
        self.base
    }

    /// The population of the next generation: between the least and the most, evenly in the logarithm, and at most half as
    /// large again as the present one.
    pub(super) fn population(&self, present: usize, d: usize) -> usize {
        let (low, high) = (self.base as f64, Self::most(self.base, d) as f64);
        let wanted = (low * (high / low).powf(self.size)).round() as usize;
        wanted.clamp((2 * present).div_ceil(3), (3 * present / 2).max(present + 1))
    }

    /// Whether a population can be that of a search in d dimensions.
    #[cfg(feature = "serde")]
    pub(super) fn is_consistent(&self, lambda: usize, d: usize) -> bool {
        let most = Self::most(self.base, d);
        let sound = (0.0..=1.0).contains(&self.size) && self.quality.abs() <= 1.0;
        sound && self.base >= 2 && (self.base..=most).contains(&lambda)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn generations_grow_where_models_do_not_predict_and_shrink_again() {
        let (d, tuning) = (20, NeedTuning::default());
        let mut need = Need::new(6, &tuning);
        let mut lambda = 6;
        for _ in 0..400 {
            need.count(lambda, 0.35, d, &tuning);
            let next = need.population(lambda, d);
            assert!(next >= lambda && next <= 3 * lambda / 2);
            lambda = next;
        }
        assert_eq!((lambda, need.size()), (13, 1.0));
        (0..400).for_each(|_| {
            need.count(lambda, 0.9, d, &tuning);
            lambda = need.population(lambda, d);
        });
        assert_eq!((lambda, need.size()), (6, 0.0));
    }

    #[test]
    fn populations_above_the_largest_stay() {
        let (d, tuning) = (20, NeedTuning::default());
        let mut need = Need::new(100, &tuning);
        (0..100).for_each(|_| need.count(100, 0.0, d, &tuning));
        assert_eq!(need.population(100, d), 100);
    }
}
