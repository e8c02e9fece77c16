//! What the surrogate remembers between generations.

use super::known::KnownQuadratic;
use super::region::Promise;
use super::transform::Power;
use super::verdict::{OpenSteps, Verdict};
use crate::archive::{Archive, Reader};
use crate::search::{Motion, Queue};
use crate::strategy::adaptive::mode::{Record, ResponseKind};
use crate::strategy::adaptive::sizes::{coefficients, longest_rest};
use crate::strategy::adaptive::tuning::SurrogateTuning;

/// Steps in a row that lead nowhere, after which a search has converged.
const IDLE: u32 = 3;

/// While the history grows, fits from one exact model that failed to the next.
const FITS: u64 = 4;

/// Of the first form: fits from one exact model that failed to the next.
const FIRST_RETRY: u64 = 4;

/// The best surrogate of a generation: what it predicts, and its leave-one-out error.
#[derive(Clone, Copy, Debug, PartialEq)]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize))]
pub(in crate::strategy::adaptive) struct Assessment {
    pub(in crate::strategy::adaptive) response: ResponseKind,
    pub(in crate::strategy::adaptive) error: f64,
}

/// What a checkpoint keeps.
#[derive(Clone, Debug, PartialEq)]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize))]
pub(in crate::strategy::adaptive) struct State {
    /// Evaluations of the search, and fits.
    pub(super) evaluations: u64,
    fits: u64,
    /// Generations until the next fit.
    resting: u32,
    pub(super) power: Option<Power>,
    pub(super) stride: f64,
    pub(in crate::strategy::adaptive) record: Record,
    /// What the last step promised, where the surrogate made it.
    pub(super) promise: Option<Promise>,
    /// Steps before the last one whose values have not come yet.
    pub(super) open: OpenSteps,
    /// By how much ln σ changes with the next step, by what the last one was worth; `None` where that is not known.
    pub(super) log_step: Option<f64>,
    /// Whether the last step led somewhere.
    led: bool,
    /// In a box: how wide samples beside the step are in each coordinate, against the distribution.
    pub(in crate::strategy::adaptive) widths: Vec<f64>,
    /// Whether one of them was moved there.
    pub(in crate::strategy::adaptive) moved: bool,
    /// Steps in a row that lead nowhere, of certain models.
    pub(super) idle: u32,
    /// Whether bounds or constraints hold the last step.
    pub(super) held: bool,
    /// Whether the exact model counted when it was last tried.
    pub(super) exact_counts: bool,
    /// The evaluations when one was last tried.
    exact_at: u64,
    /// The evaluations before which no power is looked for, since there was none.
    no_power_until: u64,
    /// The last that counted, of the values and of a power of them.
    pub(super) known: KnownQuadratic,
    pub(super) unbent: KnownQuadratic,
    /// The best model of the latest generation.
    pub(in crate::strategy::adaptive) best: Option<Assessment>,
    /// The factor before models that were not certain changed it; empty where none has since the last lock.
    pub(super) sound: Vec<f64>,
    /// Orthogonal samples to come.
    pub(in crate::strategy::adaptive) queue: Queue,
}

impl State {
    pub(in crate::strategy::adaptive) fn new(d: usize, tuning: &SurrogateTuning) -> Self {
        Self {
            evaluations: 0,
            fits: 0,
            resting: 0,
            power: None,
            stride: tuning.power_stride,
            record: Record::new(tuning),
            promise: None,
            open: OpenSteps::default(),
            log_step: None,
            led: true,
            widths: vec![1.0; d],
            moved: false,
            idle: 0,
            held: false,
            exact_counts: false,
            exact_at: 0,
            no_power_until: 0,
            known: KnownQuadratic::new(d),
            unbent: KnownQuadratic::new(d),
            best: None,
            sound: Vec::with_capacity(d * d),
            queue: Queue::new(d),
        }
    }

    /// Whether the best model, which has this error, may do what it likes. One that sees a tip must be better: the crest of a ridge
    /// looks like one, and a search that goes into it stays there.
    pub(super) fn is_certain(&self, error: f64, tuning: &SurrogateTuning) -> bool {
        let is_tip = self.promise.and_then(|promise| promise.power).is_some_and(Power::is_tip);
        error < if is_tip { tuning.certain.powi(2) } else { tuning.certain }
    }

    /// Whether nothing has been evaluated yet.
    pub(in crate::strategy::adaptive) fn is_new(&self) -> bool {
        self.evaluations == 0
    }

    /// The surrogate proposed this point, which has this cost, or none yet, where others came back before it; `None` where it
    /// proposed none. Values of earlier steps may have come, too.
    pub(in crate::strategy::adaptive) fn judge_steps(
        &mut self,
        proposed: Option<(&[f64], Option<f64>)>,
        archive: &Archive,
        tuning: &SurrogateTuning,
    ) {
        let mut verdict = Verdict::default();
        self.led = self.promise.is_none_or(|promise| !promise.is_empty());
        self.record.kept_promise = None;
        self.open.judge(archive, &mut verdict, &mut self.record, tuning);
        if let Some((promise, (point, cost))) = self.promise.take().zip(proposed) {
            match cost {
                Some(cost) => verdict.add(&promise, cost, 0.0, &mut self.record, tuning),
                None => self.open.add(point, promise),
            }
        }
        let unknown = proposed.is_some();
        self.log_step = verdict.0.or(if unknown { None } else { Some(0.0) });
    }

    /// Whether the next step needs no sample beside it, which would tell the model where it errs: no step has broken its promise,
    /// or the last one has kept it.
    pub(in crate::strategy::adaptive) fn steps_alone(&self) -> bool {
        self.led && (self.record.unbroken || self.record.kept_promise == Some(true))
    }

    /// Whether what the last steps were worth says how far the next may go.
    pub(in crate::strategy::adaptive) fn is_judged(&self) -> bool {
        self.log_step.is_some()
    }

    /// The distribution moves: steps that are judged later need to know by how much.
    pub(in crate::strategy::adaptive) fn count_motion(&mut self, motion: &Motion) {
        if !self.open.is_empty() {
            self.open.count_motion(motion.log_scale());
        }
    }

    /// What the model still promises, where several steps in a row lead nowhere: at each of several scales, the radius a
    /// quarter of the last, a certain model has its minimum where the best point is; and whether it is held there by bounds or constraints.
    pub(in crate::strategy::adaptive) fn nothing_promised(&self) -> Option<(f64, bool)> {
        let promise = self.promise.filter(|_| self.idle >= IDLE)?;
        Some((promise.fall(), self.held))
    }

    /// The quadratic that the objective is, as far as all points say; and the one that a power of it was: beside an optimum, where
    /// the values are a quadratic themselves, as well as farther away.
    pub(in crate::strategy::adaptive) fn known_quadratics(&self) -> impl Iterator<Item = &KnownQuadratic> {
        let known = Some(&self.known).filter(|_| self.exact_counts);
        known.into_iter().chain([&self.unbent]).filter(|known| !known.is_empty())
    }

    /// What a certain model still promises that has its minimum where the best point is.
    pub(in crate::strategy::adaptive) fn little_promised(&self) -> Option<f64> {
        self.promise.filter(|_| self.idle > 0).map(|promise| promise.fall())
    }

    /// So many points were evaluated in one more generation.
    pub(in crate::strategy::adaptive) fn count(&mut self, evaluations: usize) {
        self.evaluations += evaluations as u64;
    }

    /// Whether this generation, or part of one, makes no fit, since the last ones led to nothing.
    pub(super) fn rests(&mut self, complete: bool) -> bool {
        let rests = self.resting > 0;
        self.resting -= u32::from(rests && complete);
        if rests {
            self.best = None;
        } else {
            self.fits += 1;
        }
        rests
    }

    /// A fit has led to nothing: as long as models do not predict, the next is made later.
    pub(super) fn rest(&mut self, need: f64, d: usize) {
        self.resting = longest_rest(d).powf(need) as u32 - 1;
    }

    /// Whether the history is full and no exact model has been tried since it is, or since none of it was there.
    pub(super) fn exact_is_due(&self, archive: &Archive) -> bool {
        let most = archive.capacity(Reader::Surrogate);
        let (full, most) = (archive.len(Reader::Surrogate) == most, most as u64);
        full && self.evaluations >= most && (self.exact_at < most || self.evaluations - self.exact_at >= most)
    }

    /// Whether to look for an exact model, which costs most of the time. As soon as there are enough points it is tried with every fit:
    /// a quadratic is found then. While it fails, and the history grows, it is tried again after a few fits or evaluations; with a full
    /// history after as many fits as generations pass at most from one fit to the next, or when it is due.
    pub(super) fn tries_exact(&mut self, archive: &Archive, d: usize, tuning: &SurrogateTuning) -> bool {
        let n = archive.len(Reader::Surrogate);
        let full = n == archive.capacity(Reader::Surrogate);
        let (enough, some) = (coefficients(d), d / 2);
        // Since the last time: so many evaluations, or as many as are made for a few fits.
        let pause = (some as u64).min(FITS * self.evaluations / self.fits.max(1));
        let due = match (tuning.trust_region, full) {
            (true, true) => self.exact_is_due(archive) || self.fits.is_multiple_of(longest_rest(d) as u64),
            (true, false) => n < enough + some || self.evaluations - self.exact_at >= pause,
            (false, _) => !full || self.fits.is_multiple_of(FIRST_RETRY),
        };
        let again = n >= enough && (due || self.exact_counts);
        if again {
            self.exact_at = self.evaluations;
        }
        again
    }

    pub(super) fn looks_for_power(&self) -> bool {
        self.evaluations >= self.no_power_until
    }

    /// A power was looked for among so many of the latest points: where there is none, again once half of them are others.
    pub(super) fn count_power(&mut self, found: bool, latest: usize) {
        self.no_power_until = if found { 0 } else { self.evaluations + latest as u64 / 2 };
    }

    #[cfg(test)]
    pub(in crate::strategy::adaptive) fn set_power(
        &mut self,
        [offset, exponent, scale]: [f64; 3],
        stride: f64,
    ) {
        (self.power, self.stride) = (Some(Power { offset, exponent, scale, exact: false }), stride);
    }

    #[cfg(feature = "serde")]
    pub(in crate::strategy::adaptive) fn is_consistent(&self, d: usize) -> bool {
        let counts = [self.evaluations, self.fits, self.no_power_until];
        let promise = self.promise.is_none_or(|promise| promise.is_consistent())
            && self.log_step.is_none_or(|by| by.abs() < 2.0);
        let widths = self.widths.len() == d && self.widths.iter().all(|w| *w > 0.0 && *w <= 1.0);
        let sound = self.sound.is_empty()
            || self.sound.len() == d * d
                && self.sound.iter().step_by(d + 1).all(|a| *a > 0.0 && a.is_finite());
        promise
            && widths
            && sound
            && self.exact_at <= self.evaluations
            && [&self.known, &self.unbent].iter().all(|known| known.is_consistent(d))
            && self.open.is_consistent(d)
            && self.queue.is_consistent(d)
            && counts.into_iter().all(crate::math::is_count)
    }
}
