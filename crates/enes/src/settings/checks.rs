//! What cannot be used is refused, with its value and the remedy.

use super::{ModelChoice, Restarts, Settings, Strategy};
use crate::error::SettingsError;
use crate::search::SearchDistribution;
use crate::space::{BoundHandling, Space};
use crate::strategy::published::{Baseline, Shaping};

/// The part of a deviation that must change a coordinate of the start: as the stop rule `noeffect` has it.
const FELT: f64 = 0.1;

/// So many numbers lie between two bounds at least: among 12 a search went on for ever, among 100 it does not.
const LEAST_NUMBERS: f64 = 100.0;

/// A generation of an active surrogate has no more points than this.
const MOST_POINTS: usize = 100_000;

impl Settings {
    /// Check all but start, scale, bounds and log scales.
    pub(super) fn check_choices(&self, population: usize, restarts: Restarts) -> Result<(), SettingsError> {
        self.check_strategy()?;
        self.check_model()?;
        self.check_population(population, restarts)?;
        self.check_rates()?;
        self.check_noise()?;
        self.check_rules()
    }

    /// What the strategy would not look at is refused, not ignored.
    fn check_strategy(&self) -> Result<(), SettingsError> {
        let plain = Self::new([0.0], 1.0);
        let changed = [
            ("auto_population", self.auto_population),
            ("adaptive_learning_rate", self.adaptive_learning_rate),
            ("learning_rate_mean", self.learning_rate_mean != plain.learning_rate_mean),
            ("learning_rate_factor", self.learning_rate_factor != plain.learning_rate_factor),
            ("refresh_rate", self.refresh_rate != plain.refresh_rate),
            ("drift_correction", self.drift_correction),
            ("baseline", self.baseline != plain.baseline),
            ("shaping", self.shaping != plain.shaping),
            ("algebra_threads", self.algebra_threads > 1),
        ];
        match changed.iter().find(|(_, changed)| *changed && self.strategy != Strategy::Published) {
            Some((field, _)) => Err(SettingsError::PublishedOnly { field }),
            None if self.strategy == Strategy::Published
                && self.bound_handling == BoundHandling::Resample
                && self.refresh_rate != 1.0 =>
            {
                Err(SettingsError::ResampleMixes)
            }
            None => Ok(()),
        }
    }

    fn check_population(&self, n: usize, restarts: Restarts) -> Result<(), SettingsError> {
        let d = self.search_dimension();
        if n < 2 {
            return Err(SettingsError::PopulationTooSmall { got: n });
        }
        let fits = |a: usize, b: usize, bits| (a as u128) * (b as u128) <= 1u128 << bits;
        if !(fits(n, d, 29) && (self.is_limited() || fits(d, d, 27))) {
            return Err(SettingsError::TooLarge { population: n, dimension: d });
        }
        if let Shaping::Table(table) = &self.shaping {
            if table.len() != n {
                return Err(SettingsError::UtilityCount { got: table.len(), population: n });
            }
            if let Some(rank) = table.iter().position(|u| !u.is_finite()) {
                return Err(SettingsError::UtilityNotFinite { rank, value: table[rank] });
            }
            if let Some(rank) = table.windows(2).position(|w| w[1] > w[0]) {
                return Err(SettingsError::UtilityOrder { rank: rank + 1 });
            }
            if restarts != Restarts::Off {
                return Err(SettingsError::UtilityRestarts { got: n });
            }
            if self.auto_population {
                return Err(SettingsError::UtilityPopulation { got: n });
            }
        }
        Ok(())
    }

    fn check_model(&self) -> Result<(), SettingsError> {
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

    fn check_noise(&self) -> Result<(), SettingsError> {
        if self.noisy && self.is_constrained() {
            return Err(SettingsError::NoisyConstraints);
        }
        let follows = [
            ("auto_population", self.auto_population),
            ("adaptive_learning_rate", self.adaptive_learning_rate),
        ];
        if let Some((field, _)) = follows.into_iter().find(|(_, chosen)| *chosen && self.noisy) {
            return Err(SettingsError::NoisyFollows { field });
        }
        match (self.noisy, self.restarts, self.batch) {
            (true, Restarts::Ipop | Restarts::Bipop, _) => Err(SettingsError::NoisyRestarts),
            (true, _, Some(value)) => Err(SettingsError::NoisyBatch { value }),
            _ => Ok(()),
        }
    }

    fn check_rates(&self) -> Result<(), SettingsError> {
        if self.algebra_threads == 0 {
            return Err(SettingsError::NoAlgebraThreads);
        }
        for (field, value) in [
            ("learning_rate_mean", self.learning_rate_mean),
            ("learning_rate_factor", self.learning_rate_factor),
        ] {
            if !(value.is_finite() && value > 0.0) {
                return Err(SettingsError::LearningRate { field, value });
            }
        }
        let alpha = self.refresh_rate;
        if !(alpha > 0.0 && alpha <= 1.0) {
            return Err(SettingsError::RefreshRate { value: alpha });
        }
        match self.baseline {
            Baseline::Mean { factor } if !(factor.is_finite() && factor > 0.0) => {
                return Err(SettingsError::BaselineFactor { value: factor });
            }
            _ => {}
        }
        Ok(())
    }

    fn check_rules(&self) -> Result<(), SettingsError> {
        let rules = &self.rules;
        if rules.target.is_some_and(f64::is_nan) {
            return Err(SettingsError::TargetNotANumber);
        }
        for (field, value) in [
            ("tolx", rules.tolx),
            ("tolfun", rules.tolfun),
            ("tolfunhist", rules.tolfunhist),
            ("tolconditioncov", rules.tolconditioncov),
            ("tolfacupx", rules.tolfacupx.flatten()),
            ("unseen_optima", rules.unseen_optima),
            ("catol", self.declared.tolerance),
        ] {
            match value {
                Some(value) if value.is_nan() || value < 0.0 => {
                    return Err(SettingsError::Tolerance { field, value });
                }
                _ => {}
            }
        }
        for (field, value) in [
            ("max_evaluations", rules.max_evaluations),
            ("max_generations", rules.max_generations),
            ("tolstagnation", rules.tolstagnation.flatten()),
            ("tolflatfitness", rules.tolflatfitness.flatten()),
            ("same_optimum", rules.same_optimum),
        ] {
            if value == Some(0) {
                return Err(SettingsError::ZeroLimit { field });
            }
        }
        Ok(())
    }

    /// Numbers must be finer than the search, or it ends before it begins, or never. In coordinates inside the box.
    pub(super) fn check_numbers(
        &self,
        start: &SearchDistribution,
        space: &Space,
    ) -> Result<(), SettingsError> {
        let deviations = start.standard_deviations();
        for ((place, index), width) in space.free().into_iter().enumerate().zip(space.widths()) {
            let (mean, deviation) = (start.mean()[place], deviations[place]);
            let felt = |by: f64| mean + by != mean;
            if self.is_integer(index) {
                continue;
            }
            if let Some(width) = width.filter(|width| !felt(0.5 / LEAST_NUMBERS * width)) {
                let (lower, upper) = self.bounds.as_ref().map_or((mean, mean), |bounds| bounds.0[index]);
                return Err(SettingsError::BoundsTooClose { index, lower, upper, width });
            }
            if !felt(FELT * deviation) {
                let size = mean.abs();
                let least = 2.0 / FELT * (size.next_up() - size);
                return Err(SettingsError::ScaleTooFine { index, deviation, start: mean, least });
            }
        }
        Ok(())
    }
}
