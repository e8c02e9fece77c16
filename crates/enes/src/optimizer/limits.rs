//! The user's own limits: the target and the budgets, and what happens when they change.

use super::Optimizer;
use super::counters::Counters;
use crate::error::SettingsError;
use crate::settings::Settings;
use crate::stopping::StopReason;

impl Optimizer {
    pub(super) fn target_reached(&self) -> Option<StopReason> {
        if self.noise.is_active() {
            return self.mean_reaches_target();
        }
        let (best, target, sign) = (self.best()?, self.params.rules.target?, self.params.sign);
        let reached = best.feasible && sign * best.value <= sign * target;
        reached.then_some(StopReason::Target { value: best.value, target })
    }

    pub(super) fn budget_spent(&self) -> Option<StopReason> {
        let (rules, &Counters { evaluations, generation, .. }) = (&self.params.rules, &self.counters);
        if let Some(limit) = rules.max_evaluations.filter(|&l| evaluations + self.kept_back() >= l) {
            return Some(StopReason::MaxEvaluations { evaluations, limit });
        }
        let limit = rules.max_generations.filter(|&l| generation >= l)?;
        Some(StopReason::MaxGenerations { generations: generation, limit })
    }

    /// Change the budgets, the target and the threads of a run that goes on; a stop for one of these reasons is
    /// judged anew.
    ///
    /// # Errors
    /// A limit that cannot be used; nothing has changed then.
    ///
    /// ```
    /// use enes::{Optimizer, Settings};
    /// let mut es = Optimizer::new(&Settings::new([1.0, 2.0], 0.5).max_evaluations(1))?;
    /// let values = vec![1.0; es.ask().len()];
    /// es.tell(&values)?;
    /// assert!(es.stop_reason().is_some());
    /// es.change_limits(|settings| settings.max_evaluations(1000))?;
    /// assert!(es.stop_reason().is_none());
    /// # Ok::<(), Box<dyn std::error::Error>>(())
    /// ```
    pub fn change_limits(&mut self, change: impl FnOnce(Settings) -> Settings) -> Result<(), SettingsError> {
        let changed = change(self.settings.clone());
        changed.validate()?;
        let before = self.settings.rules.clone();
        let rules = &mut self.settings.rules;
        rules.target = changed.rules.target;
        rules.max_evaluations = changed.rules.max_evaluations;
        rules.max_generations = changed.rules.max_generations;
        rules.max_seconds = changed.rules.max_seconds;
        let same = *rules == before;
        self.settings.algebra_threads = changed.algebra_threads;
        self.params.follow_limits(&self.settings);
        self.strategy.use_threads(changed.algebra_threads);
        // Limits that are as they were change nothing: the mean of a noisy run may be being measured. But time begins anew.
        if same && !matches!(self.stop, Some(StopReason::MaxTime { .. })) {
            return Ok(());
        }
        self.forget_the_end();
        if self.stop.as_ref().is_none_or(StopReason::is_limit) {
            let reason = self.target_reached().or_else(|| self.budget_spent());
            self.stop = match reason {
                Some(reason) if self.stop.is_none() => self.measure_before_the_end(Some(reason)),
                reason => reason,
            };
        }
        Ok(())
    }
}
