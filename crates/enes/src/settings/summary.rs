//! What a run was told to do, to be read back: the builder's methods only write.

use std::time::Duration;

use super::{Direction, ModelChoice, Settings, Strategy};

/// The choices of a run that bindings, displays and records show.
#[derive(Clone, Copy, Debug, PartialEq)]
#[non_exhaustive]
pub struct SettingsSummary {
    /// The seed.
    pub seed: u64,
    /// How the distribution moves.
    pub strategy: Strategy,
    /// Whether smaller or larger values are better.
    pub direction: Direction,
    /// Whether there may be a surrogate.
    pub model: ModelChoice,
    /// The value to reach.
    pub target: Option<f64>,
    /// The budget of evaluations.
    pub max_evaluations: Option<u64>,
    /// The budget of generations.
    pub max_generations: Option<u64>,
    /// The budget of wall time; the caller's loop has the clock.
    pub max_time: Option<Duration>,
}

impl Settings {
    /// What was chosen, to be read back.
    ///
    /// ```
    /// let settings = enes::Settings::new([3.0; 10], 1.0).seed(7).target(1e-10);
    /// assert_eq!((settings.summary().seed, settings.summary().target), (7, Some(1e-10)));
    /// ```
    pub fn summary(&self) -> SettingsSummary {
        SettingsSummary {
            seed: self.seed,
            strategy: self.strategy,
            direction: self.direction,
            model: self.model,
            target: self.rules.target,
            max_evaluations: self.rules.max_evaluations,
            max_generations: self.rules.max_generations,
            max_time: self.rules.max_seconds.and_then(|s| Duration::try_from_secs_f64(s).ok()),
        }
    }

    /// What was chosen.
    #[deprecated(since = "0.2.0", note = "use `summary`")]
    pub fn chosen(&self) -> SettingsSummary {
        self.summary()
    }
}
