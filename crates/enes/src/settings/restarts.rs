//! Whether a run starts again when its search ends.

use super::Settings;

/// Whether and how a run starts again when its search ends short of target and budget. Without a target it does as long as
/// another search is worth its evaluations: [`Settings::same_optimum`], [`Settings::unseen_optima`].
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash)]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize))]
#[non_exhaustive]
pub enum Restarts {
    /// As `Bipop` where a target, a budget or a box (two bounds for every coordinate) is given and the strategy is adaptive,
    /// else `Off`.
    #[default]
    Auto,
    /// One search only.
    Off,
    /// Each restart doubles the population.
    Ipop,
    /// Restarts with growing populations, and with the first one on smaller scales or near the best point, share the
    /// evaluations. Where there is no target and all searches ended in one optimum, the first search is repeated elsewhere.
    Bipop,
}

impl Settings {
    /// Whether and how to start again when a search ends short of target and budget. Default:
    /// [`Restarts::Auto`].
    pub fn restarts(mut self, restarts: Restarts) -> Self {
        self.restarts = restarts;
        self
    }

    /// At most this many restarts. Default: as many as a budget of evaluations or time allows, else 9.
    pub fn max_restarts(mut self, limit: impl Into<Option<u64>>) -> Self {
        self.max_restarts = limit.into();
        self
    }
}
