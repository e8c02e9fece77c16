//! Events of a run, for subscribers of `tracing`: a generation (debug), a restart (info), the end (info).

use super::Optimizer;

impl Optimizer {
    /// A generation is complete; where the run ends with it, that too.
    pub(super) fn trace_generation(&self) {
        // Sizes and errors are computed only where somebody listens.
        if tracing::enabled!(target: "enes", tracing::Level::DEBUG) {
            let model = self.model();
            tracing::debug!(
                target: "enes",
                generation = self.generation(),
                evaluations = self.evaluations(),
                best = self.best().map_or(f64::NAN, |b| b.value),
                population = self.population_size(),
                sigma = (self.distribution().log_det() / self.distribution().dimension() as f64).exp(),
                mode = model.as_ref().map_or("ranks", |m| m.mode.name()),
                error = model.as_ref().map_or(f64::NAN, |m| m.error),
                restarts = self.restarts().len(),
                "generation"
            );
        }
        self.trace_end();
    }

    /// A search has ended and another begins.
    pub(super) fn trace_restart(&self) {
        if let Some(ended) = self.restarts().last() {
            tracing::info!(
                target: "enes",
                restart = self.restarts().len(),
                evaluations = ended.evaluations,
                value = ended.value,
                population = self.population_size(),
                reason = %ended.reason,
                "restart"
            );
        }
    }

    /// The run has ended, where it has.
    pub(super) fn trace_end(&self) {
        if let Some(reason) = self.stop_reason() {
            let best = self.best().map_or(f64::NAN, |b| b.value);
            tracing::info!(target: "enes", evaluations = self.evaluations(), best, reason = %reason, "end");
        }
    }
}
