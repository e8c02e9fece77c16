//! Whether the adaptive strategy models the values, and how many points a generation then has.

use crate::error::SettingsError;
use crate::settings::{Settings, Strategy};
use crate::strategy::adaptive::{self, ResponseKind, Variant};

/// A generation of the model has no more points than this.
const MOST_POINTS: usize = 100_000;

/// Whether the adaptive strategy may use a model of the values.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash)]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize))]
#[non_exhaustive]
pub enum ModelChoice {
    /// In up to [`ModelChoice::MOST_DIMENSIONS`] dimensions, none of them integers (rounding makes steps that no
    /// quadratic predicts): wherever a model of the values predicts
    /// better than ranks do, measured on points it has not seen, it takes the steps. For costly objectives.
    #[default]
    Auto,
    /// Ranks only: nothing but the order of the values counts, so that no order-preserving
    /// transformation of the objective changes the run.
    RankOnly,
}

/// What is known of the best model of a generation.
#[derive(Clone, Copy, Debug, PartialEq)]
#[non_exhaustive]
pub struct ModelReading {
    /// Whether it ruled the generation; where not, ranks did.
    pub rules: bool,
    /// What it predicts.
    pub response: ResponseKind,
    /// Its error E on points that it has not seen: 1 for one that knows nothing, near 0 for a perfect one.
    pub error: f64,
}

impl ModelReading {
    /// Who ruled the generation, as displays and records write it: `model` or `ranks`.
    pub fn mode(&self) -> &'static str {
        if self.rules { "model" } else { "ranks" }
    }
}

impl ModelChoice {
    /// `Auto` models values up to this dimension; beyond it the model's own time per evaluation would no
    /// longer be small.
    pub const MOST_DIMENSIONS: usize = 40;

    /// The default population size of the adaptive strategy in d dimensions. Where values are modelled a
    /// generation is smaller, since the model, not the sample, is what moves the distribution.
    ///
    /// ```
    /// use enes::ModelChoice;
    /// assert_eq!([ModelChoice::Auto, ModelChoice::RankOnly].map(|m| m.default_population(10)), [5, 7]);
    /// ```
    pub fn default_population(self, d: usize) -> usize {
        match self {
            Self::Auto if d <= Self::MOST_DIMENSIONS => ((7 * adaptive::small_population(d) + 5) / 10).max(3),
            _ => adaptive::default_population(d),
        }
    }
}

impl Settings {
    /// Whether the adaptive strategy may use a model of the values. Default: [`ModelChoice::Auto`]. With
    /// [`Settings::noisy`] there is none.
    pub fn model(mut self, model: ModelChoice) -> Self {
        self.model = model;
        self
    }

    /// How many samples accompany the model's own point in a generation that the model rules, at least 1.
    /// Default: λ − 1, so that a generation has λ points. 1 suits serial evaluations that take long: two
    /// points a generation, and the fewest evaluations on smooth objectives. A larger one keeps as many
    /// workers busy.
    pub fn batch(mut self, samples: impl Into<Option<usize>>) -> Self {
        self.batch = samples.into();
        self
    }

    /// How many evaluations run at the same time: without a [`Settings::batch`] a generation that the model
    /// rules has at least as many points. Who evaluates makes no difference to a run; this number does,
    /// where it exceeds λ. Default 1.
    pub fn workers(mut self, count: impl Into<Option<usize>>) -> Self {
        self.workers = count.into();
        self
    }

    /// Whether the values are modelled in a run with these settings.
    pub(crate) fn models_values(&self) -> bool {
        self.strategy == Strategy::Adaptive
            && !self.noisy
            && self.model == ModelChoice::Auto
            && self.search_dimension() <= ModelChoice::MOST_DIMENSIONS
            && !self.has_integers()
    }

    fn has_integers(&self) -> bool {
        (0..self.dimension()).any(|i| self.integers.at(i))
    }

    /// The form of the adaptive strategy's rule. Up to [`ModelChoice::MOST_DIMENSIONS`] generations are small beside a
    /// model of the values, and with integers: in larger ones, of which each integer is left by a smaller share, one
    /// of five searches of 20 integers ended beside the optimum.
    pub(crate) fn variant(&self) -> Variant {
        let few = self.search_dimension() <= ModelChoice::MOST_DIMENSIONS;
        Variant { small: few && (self.models_values() || self.has_integers()), without: self.ablation }
    }

    /// Samples of a generation that the model rules, in a search with populations of λ.
    pub(crate) fn samples_beside_model(&self, lambda: usize) -> usize {
        self.batch.unwrap_or_else(|| lambda.max(self.workers.unwrap_or(1)) - 1)
    }

    pub(crate) fn check_model(&self) -> Result<(), SettingsError> {
        for (field, value) in [("batch", self.batch), ("workers", self.workers)] {
            match value {
                Some(0) => return Err(SettingsError::ZeroLimit { field }),
                Some(value) if value > MOST_POINTS => {
                    return Err(SettingsError::TooManyPoints { field, value, limit: MOST_POINTS });
                }
                _ => {}
            }
        }
        let published = self.strategy == Strategy::Published;
        match (published, self.model, self.batch) {
            (true, ModelChoice::RankOnly, _) => Err(SettingsError::AdaptiveOnly { field: "model" }),
            (true, _, Some(_)) => Err(SettingsError::AdaptiveOnly { field: "batch" }),
            _ => Ok(()),
        }
    }
}
