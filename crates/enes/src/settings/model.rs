//! Whether the adaptive strategy has a surrogate, and how many points a generation then has.

use super::Settings;
use crate::strategy::adaptive::sizes;

/// Whether the adaptive strategy may use a surrogate, a quadratic model of the values.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash)]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize))]
#[non_exhaustive]
pub enum ModelChoice {
    /// In up to [`ModelChoice::MOST_DIMENSIONS`] dimensions: wherever a surrogate predicts values that it has not seen, it
    /// takes the steps. For costly objectives. Not with noise, and not with integers together with constraints or
    /// [`BoundHandling::Resample`](crate::BoundHandling::Resample). Beyond, without integers, constraints and
    /// `Resample`: a gradient by differences wherever values are smooth at the scale of samples, in a box along its faces. Its
    /// generations have up to d + 1 points up to 1000 dimensions, and at most a population above.
    #[default]
    Auto,
    /// Rank-based mode only: nothing but the order of the values counts, so that no order-preserving
    /// transformation of the objective changes the run.
    RankOnly,
}

impl ModelChoice {
    /// With `Auto` there is a surrogate up to this dimension; beyond it its own time per evaluation would no
    /// longer be small, and a gradient by differences takes its place.
    pub const MOST_DIMENSIONS: usize = sizes::FEW_DIMENSIONS;

    /// The default population size of the adaptive strategy in d dimensions. With a surrogate a
    /// generation is smaller, since the model, not the sample, is what moves the distribution.
    ///
    /// ```
    /// use enes::ModelChoice;
    /// assert_eq!([ModelChoice::Auto, ModelChoice::RankOnly].map(|m| m.default_population(10)), [5, 7]);
    /// ```
    pub fn default_population(self, d: usize) -> usize {
        match self {
            Self::Auto if d <= Self::MOST_DIMENSIONS => sizes::surrogate_population(d),
            _ => sizes::default_population(d),
        }
    }

    /// The name, as the command line and Python write it.
    pub fn name(self) -> &'static str {
        match self {
            Self::Auto => "auto",
            Self::RankOnly => "rank_only",
        }
    }
}

impl Settings {
    /// Whether the adaptive strategy may use a surrogate. Default: [`ModelChoice::Auto`]. With
    /// [`Settings::noisy`] there is none.
    pub fn model(mut self, model: ModelChoice) -> Self {
        self.model = model;
        self
    }

    /// How many samples accompany the surrogate's own point while it is active, at least 1.
    /// Default: λ − 1, so that a generation has λ points. 1 suits serial evaluations that take long: one or two
    /// points a generation, each followed by a fit, and the fewest evaluations on smooth objectives. Where neither this nor
    /// [`Settings::workers`] nor a population is given, a search in up to four dimensions goes on so once its scale has fallen to a
    /// tenth. A larger one keeps as many workers busy.
    pub fn batch(mut self, samples: impl Into<Option<usize>>) -> Self {
        self.batch = samples.into();
        self
    }

    /// How many evaluations run at the same time: without a [`Settings::batch`] a generation of an active
    /// surrogate has that many points, or the multiple that is nearest to λ, so that no worker is idle in its last
    /// round. Who evaluates makes no difference to a run; this number does: say it with `minimize_parallel`, too. Default 1.
    pub fn workers(mut self, count: impl Into<Option<usize>>) -> Self {
        self.workers = count.into();
        self
    }
}
