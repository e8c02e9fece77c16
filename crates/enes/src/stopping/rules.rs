//! The thresholds of the stop rules.

/// Thresholds; `None` switches a rule off. Documented at the builder methods of `Settings`.
#[derive(Clone, Debug, PartialEq)]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize))]
pub(crate) struct StopRules {
    pub(crate) target: Option<f64>,
    pub(crate) max_evaluations: Option<u64>,
    pub(crate) max_generations: Option<u64>,
    pub(crate) max_seconds: Option<f64>,
    pub(crate) tolx: Option<f64>,
    pub(crate) tolfun: Option<f64>,
    pub(crate) tolfunhist: Option<f64>,
    /// `Some(None)`: on, with the default that depends on n and d.
    pub(crate) tolstagnation: Option<Option<u64>>,
    pub(crate) tolconditioncov: Option<f64>,
    /// `Some(None)`: on, with the default of the strategy.
    pub(crate) tolfacupx: Option<Option<f64>>,
    /// `Some(None)`: on, with the default of the strategy.
    pub(crate) tolflatfitness: Option<Option<u64>>,
    pub(crate) noeffect: bool,
    /// Searches in a row that end in the best optimum, and unseen better optima that are expected: when more searching is
    /// not worth it.
    pub(crate) same_optimum: Option<u64>,
    pub(crate) unseen_optima: Option<f64>,
}

/// The default of `tolx`, where initial deviations are not very small.
pub(crate) const DEFAULT_TOLX: f64 = 1e-11;

impl Default for StopRules {
    fn default() -> Self {
        Self {
            target: None,
            max_evaluations: None,
            max_generations: None,
            max_seconds: None,
            tolx: Some(DEFAULT_TOLX),
            tolfun: Some(1e-11),
            tolfunhist: Some(1e-12),
            tolstagnation: Some(None),
            tolconditioncov: Some(1e14),
            tolfacupx: Some(None),
            tolflatfitness: Some(None),
            noeffect: true,
            same_optimum: Some(5),
            unseen_optima: Some(0.5),
        }
    }
}

impl StopRules {
    /// Deviations that grow beyond their initial ones by this factor have diverged; `None` where the rule is off.
    pub(crate) fn growth_limit(&self) -> Option<f64> {
        self.tolfacupx.flatten()
    }

    /// Whether a target or a budget is given.
    pub(crate) fn is_limited(&self) -> bool {
        self.target.is_some()
            || self.max_evaluations.is_some()
            || self.max_generations.is_some()
            || self.max_seconds.is_some()
    }
}
