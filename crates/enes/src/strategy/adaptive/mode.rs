//! Which model moves the distribution: one enum, chosen in one function.

use super::tuning::SurrogateTuning;

/// Which model moves the search distribution in a generation of the adaptive strategy.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash)]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize))]
#[non_exhaustive]
pub enum Mode {
    /// The surrogate is active: it moves mean, shape and step.
    Surrogate,
    /// The surrogate assists: it moves mean and shape; the step is that of the rank-based update.
    Assisting,
    /// The rank-based update moves all; the surrogate is inactive, or there is none.
    #[default]
    Ranks,
}

impl Mode {
    /// The name, as displays and records write it.
    pub fn name(self) -> &'static str {
        match self {
            Self::Surrogate => "surrogate",
            Self::Assisting => "assisting",
            Self::Ranks => "ranks",
        }
    }
}

/// What a model predicts.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize))]
#[non_exhaustive]
pub enum ResponseKind {
    /// The values as they are.
    Values,
    /// A power of their distance from an offset.
    Power,
}

impl ResponseKind {
    pub(super) fn of(is_power: bool) -> Self {
        if is_power { Self::Power } else { Self::Values }
    }

    /// The name, as displays and records write it.
    pub fn name(self) -> &'static str {
        match self {
            Self::Values => "values",
            Self::Power => "power",
        }
    }
}

/// What is known of the best surrogate of a generation.
#[derive(Clone, Copy, Debug, PartialEq)]
#[non_exhaustive]
pub struct ModelStatus {
    /// Which model moved the distribution.
    pub mode: Mode,
    /// What the surrogate predicts.
    pub response: ResponseKind,
    /// Its error E on points that it has not seen: 1 for one that knows nothing, near 0 for a perfect one.
    pub error: f64,
}

/// Of the first form, whose models had no promise to keep: the running mean of the errors begins with the first, has the
/// second as its rate, and from the third on a model that looks useful does so by chance.
const FIRST_MEAN: (f64, f64, f64) = (0.5, 0.15, 0.9);

/// A step that fails is remembered for so many steps: a second one within them has met a wall. One in twenty that fails by chance is
/// then rarely a wall; where one step alone was, an ellipsoid in 20 dimensions took 6598
/// evaluations with 10 % of failures, now 308 (`benchmarks/results/outliers.md`).
const STRUCK_ONCE: u32 = 3;

/// A wall is remembered for 13 steps that do not fail, since where it is seen steps go round it. With a shorter memory runs miss optima
/// behind walls.
const WALL: u32 = STRUCK_ONCE + 13;

/// What a surrogate is judged by beside its error.
#[derive(Clone, Copy, Debug)]
pub(super) struct Doubt {
    /// How large generations are, from 0 to 1.
    pub(super) need: f64,
    /// Whether the generation is complete, and not one of several parts.
    pub(super) complete: bool,
    /// Whether evaluations come one after another.
    pub(super) serial: bool,
}

/// What is remembered of the surrogates' errors.
///
/// The lock: on a sharp ridge the error does not fall as σ shrinks, and a model's step is always short, so
/// that σ would collapse. While locked out a useful model only assists.
#[derive(Clone, Debug, PartialEq)]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize))]
pub(super) struct Record {
    /// Whether the surrogate's last step has kept enough of its promise; `None` where the last step was not its own.
    pub(super) kept_promise: Option<bool>,
    /// Whether no step of this search has broken one.
    pub(super) unbroken: bool,
    /// For how many steps those that led to points that failed are remembered.
    struck: u32,
    /// Of the first form.
    mean_error: f64,
    /// By how much ln σ has fallen under models that were not certain; at most 0.
    fallen: f64,
    /// Generations that are left of the present lock.
    left: u32,
    /// The length of the next.
    length: u32,
    /// Whether ranks have just widened the search: σ has not recovered yet, and the lock waits.
    widens: bool,
}

impl Record {
    pub(super) fn new(tuning: &SurrogateTuning) -> Self {
        Self {
            kept_promise: None,
            unbroken: true,
            struck: 0,
            mean_error: FIRST_MEAN.0,
            fallen: 0.0,
            left: 0,
            length: tuning.first_lock,
            widens: false,
        }
    }

    /// The mode of a generation whose best surrogate has this error, and is certain or not; `None`: there is none.
    ///
    /// | error E | last step | lock | mode |
    /// |---|---|---|---|
    /// | certain | any | ends | surrogate |
    /// | below 0.7, or | kept its promise | open | surrogate |
    /// | below 0.7, or | kept its promise | closed | assisting |
    /// | else | | | ranks |
    ///
    /// Serially (`Doubt::serial`) a surrogate of which no step has broken its promise is believed, too. A lock lasts so many
    /// complete generations.
    pub(super) fn choose_mode(
        &mut self,
        model: Option<(f64, bool)>,
        doubt: Doubt,
        tuning: &SurrogateTuning,
    ) -> Mode {
        let counted = model.map(|(error, _)| error).unwrap_or(tuning.worthless).min(tuning.worthless);
        self.mean_error += FIRST_MEAN.1 * (counted - self.mean_error);
        let by_chance = !tuning.trust_region && self.mean_error >= FIRST_MEAN.2;
        let Some((error, certain)) = model else { return Mode::Ranks };
        if certain {
            (self.fallen, self.left, self.length) = (0.0, 0, tuning.first_lock);
        }
        self.left -= u32::from(doubt.complete && !self.widens && self.left > 0);
        let useful = self.kept_promise == Some(true)
            || doubt.serial && self.unbroken
            || !by_chance && error < tuning.useful * (1.0 - tuning.doubt * doubt.need);
        match self.left == 0 {
            _ if certain => Mode::Surrogate,
            true if useful => Mode::Surrogate,
            false if useful => Mode::Assisting,
            _ => Mode::Ranks,
        }
    }

    pub(super) fn is_locked(&self) -> bool {
        self.left > 0
    }

    /// A step has led to a point that failed, or to another.
    pub(super) fn count_end(&mut self, failed: bool) {
        self.struck = match failed {
            true if self.struck > 0 => WALL,
            true => STRUCK_ONCE,
            false => self.struck.saturating_sub(1),
        };
    }

    /// Whether steps lead into failures again and again: there is a wall.
    pub(super) fn is_at_wall(&self) -> bool {
        self.struck > STRUCK_ONCE
    }

    /// Ranks have changed ln σ by so much.
    pub(super) fn count_rank_step(&mut self, log_step: f64) {
        self.widens = log_step > 0.0;
    }

    /// A step that kept its promise without a smaller σ: what has fallen before it was no collapse.
    pub(super) fn forgive(&mut self) {
        self.fallen = 0.0;
    }

    /// An active surrogate that was not certain changed ln σ by so much. Returns whether that locks it out.
    pub(super) fn count_step(&mut self, log_step: f64, tuning: &SurrogateTuning) -> bool {
        self.fallen += log_step;
        let locks = self.fallen < -tuning.credit;
        if locks {
            self.left = self.length;
            self.length = self.length.saturating_mul(2);
            self.fallen = 0.0;
        }
        self.fallen = self.fallen.min(0.0);
        locks
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn doubt(need: f64) -> Doubt {
        Doubt { need, complete: true, serial: false }
    }

    #[test]
    fn a_useful_model_is_active_assists_while_locked_and_is_active_again_when_certain() {
        let tuning = SurrogateTuning::default();
        let mut record = Record::new(&tuning);
        assert_eq!(record.choose_mode(Some((0.5, false)), doubt(0.0), &tuning), Mode::Surrogate);
        (0..4).for_each(|_| _ = record.count_step(-0.5, &tuning));
        assert_eq!(record.choose_mode(Some((0.5, false)), doubt(0.0), &tuning), Mode::Assisting);
        assert_eq!(record.choose_mode(Some((0.9, false)), doubt(0.0), &tuning), Mode::Ranks);
        assert_eq!(record.choose_mode(None, doubt(0.0), &tuning), Mode::Ranks);
        assert_eq!(record.choose_mode(Some((0.01, true)), doubt(0.0), &tuning), Mode::Surrogate);
        assert_eq!(record.choose_mode(Some((0.5, false)), doubt(0.0), &tuning), Mode::Surrogate);
    }

    #[test]
    fn a_step_that_kept_its_promise_is_worth_more_than_the_error() {
        let tuning = SurrogateTuning::default();
        let mut record = Record::new(&tuning);
        record.kept_promise = Some(true);
        assert_eq!(record.choose_mode(Some((1.2, false)), doubt(0.0), &tuning), Mode::Surrogate);
        // Two falls by half are within the credit, a third is not, unless one in between is forgiven.
        (0..2).for_each(|_| _ = record.count_step(-0.7, &tuning));
        record.forgive();
        _ = record.count_step(-0.7, &tuning);
        assert_eq!(record.choose_mode(Some((1.2, false)), doubt(0.0), &tuning), Mode::Surrogate);
        (0..2).for_each(|_| _ = record.count_step(-0.7, &tuning));
        assert_eq!(record.choose_mode(Some((1.2, false)), doubt(0.0), &tuning), Mode::Assisting);
    }

    #[test]
    fn need_makes_a_model_that_looks_useful_doubtful() {
        let tuning = SurrogateTuning::default();
        let mut record = Record::new(&tuning);
        assert_eq!(record.choose_mode(Some((0.5, false)), doubt(0.0), &tuning), Mode::Surrogate);
        assert_eq!(record.choose_mode(Some((0.5, false)), doubt(1.0), &tuning), Mode::Ranks);
        assert_eq!(record.choose_mode(Some((0.3, false)), doubt(1.0), &tuning), Mode::Surrogate);
    }

    #[test]
    fn serially_a_surrogate_is_believed_until_a_step_breaks_its_promise() {
        let tuning = SurrogateTuning::default();
        let mut record = Record::new(&tuning);
        let serial = Doubt { serial: true, ..doubt(0.0) };
        assert_eq!(record.choose_mode(Some((1.2, false)), serial, &tuning), Mode::Surrogate);
        assert_eq!(record.choose_mode(Some((1.2, false)), doubt(0.0), &tuning), Mode::Ranks);
        record.unbroken = false;
        assert_eq!(record.choose_mode(Some((1.2, false)), serial, &tuning), Mode::Ranks);
    }

    #[test]
    fn a_lock_is_counted_in_complete_generations() {
        let tuning = SurrogateTuning { first_lock: 2, ..SurrogateTuning::default() };
        let mut record = Record::new(&tuning);
        (0..4).for_each(|_| _ = record.count_step(-0.5, &tuning));
        let part = Doubt { complete: false, ..doubt(0.0) };
        for _ in 0..9 {
            assert_eq!(record.choose_mode(Some((0.5, false)), part, &tuning), Mode::Assisting);
        }
        assert_eq!(record.choose_mode(Some((0.5, false)), doubt(0.0), &tuning), Mode::Assisting);
        assert_eq!(record.choose_mode(Some((0.5, false)), doubt(0.0), &tuning), Mode::Surrogate);
    }

    #[test]
    fn a_lock_waits_while_ranks_widen_the_search() {
        let tuning = SurrogateTuning { first_lock: 2, ..SurrogateTuning::default() };
        let mut record = Record::new(&tuning);
        (0..4).for_each(|_| _ = record.count_step(-0.5, &tuning));
        record.count_rank_step(0.1);
        (0..9).for_each(|_| {
            assert_eq!(record.choose_mode(Some((0.5, false)), doubt(0.0), &tuning), Mode::Assisting);
        });
        assert!(record.is_locked());
        record.count_rank_step(-0.1);
        assert_eq!(record.choose_mode(Some((0.5, false)), doubt(0.0), &tuning), Mode::Assisting);
        assert_eq!(record.choose_mode(Some((0.5, false)), doubt(0.0), &tuning), Mode::Surrogate);
    }

    #[test]
    fn two_steps_that_fail_soon_after_each_other_have_met_a_wall() {
        let mut record = Record::new(&SurrogateTuning::default());
        let mut after = |ends: &[bool]| {
            ends.iter().for_each(|&failed| record.count_end(failed));
            record.is_at_wall()
        };
        assert!(!after(&[true, false, false, false, true]), "each by chance");
        assert!(after(&[false, false, true]));
        assert!(after(&[false; 12]));
        assert!(!after(&[false]), "no step has failed for long");
    }
}
