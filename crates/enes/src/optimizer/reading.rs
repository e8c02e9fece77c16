//! What can be read of a run at any time.

use super::{Best, Ledger, Optimizer};
use crate::modelling::ModelReading;
use crate::settings::Settings;
use crate::stop_reason::StopReason;
use crate::strategy::adaptive::Adaptive;

impl Optimizer {
    /// Why to stop, as of the last `tell`; `None` while the run should go on.
    pub fn stop_reason(&self) -> Option<&StopReason> {
        self.ledger.stop.as_ref()
    }

    /// The best point so far, a feasible one before an infeasible one; `None` until a value was a number.
    pub fn best(&self) -> Option<Best<'_>> {
        let Ledger { best_point, best_value, best_violation, best_evaluations, .. } = &self.ledger;
        (!best_point.is_empty()).then(|| Best {
            point: best_point,
            value: *best_value,
            violation: *best_violation,
            evaluations: *best_evaluations,
        })
    }

    /// Generations completed.
    pub fn generation(&self) -> u64 {
        self.ledger.generation
    }

    /// Values told so far.
    pub fn evaluations(&self) -> u64 {
        self.ledger.evaluations
    }

    /// The population size n.
    pub fn population_size(&self) -> usize {
        self.searches.population
    }

    /// How far the adaptive strategy trusts its model of the objective, from 0 to 1; `None` for a
    /// strategy without a model.
    pub fn trust(&self) -> Option<f64> {
        self.strategy.as_adaptive().map(Adaptive::trust)
    }

    /// What the model of the values looked like in the latest generation; `None` where the strategy has
    /// none, or none could be fitted.
    pub fn model(&self) -> Option<ModelReading> {
        self.strategy.as_adaptive().and_then(Adaptive::model_of_values)
    }

    /// Seconds that the present search has spent on each of `PARTS` of the model of the values.
    #[cfg(feature = "timing")]
    #[doc(hidden)]
    pub fn model_seconds(&self) -> Option<[f64; 5]> {
        self.strategy.as_adaptive().and_then(Adaptive::model_seconds)
    }

    /// Whether this run may model values: [`Optimizer::model`] is `None` in all generations where not.
    pub fn models_values(&self) -> bool {
        self.settings.models_values()
    }

    /// The number of evaluated points from which the adaptive strategy learns; `None` for a strategy
    /// without an archive.
    pub fn archive_len(&self) -> Option<usize> {
        self.strategy.as_adaptive().map(Adaptive::archive_len)
    }

    /// Share of the population reused instead of evaluated, over the run, first generation aside.
    pub fn reused_share(&self) -> f64 {
        match self.ledger.rows {
            0 => 0.0,
            rows => self.ledger.reused as f64 / rows as f64,
        }
    }

    /// Share of the population that was reused in the last complete generation.
    pub fn last_reused_share(&self) -> f64 {
        self.ledger.last_reused as f64 / self.strategy.population().len() as f64
    }

    /// The settings of this run.
    pub fn settings(&self) -> &Settings {
        &self.settings
    }
}
