//! What the gradient remembers between generations.

use super::Outcome;
use super::line::Line;
use super::look::Look;
use super::pairs::Pairs;
use crate::linalg::{dot, squared_norm, wide_dot};
use crate::strategy::adaptive::tuning::GradientTuning;

/// The rate of that mean: one step in doubt is forgiven.
const DOUBT_RATE: f64 = 0.3;

/// Evaluations for each point of a phase after which it is given up.
const PATIENCE: u64 = 4;

/// How much longer the next pause is after a try, and after a stint.
const LONGER: (u64, u64) = (2, 8);

/// The radius at least halves with a step that was short, and grows at most this much with a long one.
const GROWTH: (f64, f64) = (0.5, 16.0);

/// What the present generation is for.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize))]
pub(super) enum Phase {
    /// Ranks lead.
    Off,
    /// Differences beside samples: whether the first are worth their evaluations.
    Look,
    /// Differences around the mean.
    Probe,
    /// Points along the step.
    Line,
}

/// What takes the place of the shape where the covariance has limited memory.
#[derive(Clone, Debug, PartialEq)]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize))]
pub(super) struct Memory {
    pub(super) pairs: Pairs,
    /// Evaluations before the first stint.
    early: u64,
}

/// What a checkpoint keeps. Vectors are in whitened coordinates of the present distribution; a value that is missing is +∞.
#[derive(Clone, Debug, PartialEq)]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize))]
pub(in crate::strategy::adaptive) struct State {
    /// Evaluations of the search, and at how many of them the values are looked at again.
    evaluations: u64,
    not_before: u64,
    /// Evaluations for each dimension from the end of a stint to the next.
    pause: u64,
    pub(super) phase: Phase,
    /// Evaluations when its first points were asked for.
    begun: u64,
    /// Steps of this stint, and how wrong gradients have been about what values change by along them.
    pub(super) kept: u32,
    doubt: f64,
    /// By how much the value changed with the last step.
    fallen: f64,
    /// How wrong a look was: of the linear and isotropic model, or of differences.
    error: Option<f64>,
    /// c.
    pub(super) curvature: f64,
    /// The value at the mean, and its size as far as it was known when differences were begun.
    pub(super) value: f64,
    pub(super) level: f64,
    /// The values of the differences.
    pub(super) probes: Vec<f64>,
    /// g; that before the last step, and the step.
    pub(super) gradient: Vec<f64>,
    pub(super) before: Vec<f64>,
    pub(super) step: Vec<f64>,
    /// Where the step comes from; empty where that is the gradient. And how often it goes there: below 0.
    pub(super) direction: Vec<f64>,
    along: f64,
    pub(super) line: Line,
    /// Differences beside samples; not before so many evaluations, and how many more the next one waits.
    pub(super) look: Look,
    look_from: u64,
    look_gap: u64,
    /// With a full covariance all curvatures are c.
    pub(super) memory: Option<Box<Memory>>,
}

impl State {
    /// In a search whose covariance has limited memory: O(d) numbers, and no regression that has a gradient.
    pub(in crate::strategy::adaptive) fn limited(d: usize, tuning: &GradientTuning) -> Self {
        let state = Self::new(d, tuning);
        let memory = Memory { pairs: Pairs::new(), early: state.not_before };
        Self { memory: Some(Box::new(memory)), not_before: 0, direction: vec![0.0; d], ..state }
    }

    /// In a search whose points are folded into a box: steps are not along the gradient.
    pub(in crate::strategy::adaptive) fn in_box(d: usize, tuning: &GradientTuning) -> Self {
        Self { direction: vec![0.0; d], ..Self::new(d, tuning) }
    }

    pub(in crate::strategy::adaptive) fn new(d: usize, tuning: &GradientTuning) -> Self {
        let zeros = || vec![0.0; d];
        Self {
            evaluations: 0,
            not_before: (tuning.points * d as f64) as u64,
            pause: tuning.pause,
            phase: Phase::Off,
            begun: 0,
            kept: 0,
            doubt: 0.0,
            fallen: 0.0,
            error: None,
            curvature: 0.0,
            value: f64::INFINITY,
            level: 0.0,
            probes: vec![f64::INFINITY; d],
            gradient: zeros(),
            before: zeros(),
            step: zeros(),
            direction: Vec::new(),
            along: 0.0,
            line: Line::new(),
            look: Look::new(),
            look_from: 0,
            look_gap: d as u64 / 2,
            memory: None,
        }
    }

    /// Make room, so that nothing is allocated later.
    pub(in crate::strategy::adaptive) fn reserve(&mut self) {
        let d = self.gradient.len();
        if let Some(memory) = &mut self.memory {
            memory.pairs.reserve(d);
        }
    }

    pub(in crate::strategy::adaptive) fn is_active(&self) -> bool {
        self.phase != Phase::Off
    }

    /// Whether a stint is under way.
    pub(in crate::strategy::adaptive) fn leads(&self) -> bool {
        matches!(self.phase, Phase::Probe | Phase::Line)
    }

    /// Whether the present generation is of differences.
    pub(in crate::strategy::adaptive) fn is_taking_differences(&self) -> bool {
        self.phase == Phase::Probe
    }

    /// Whether the latest stint has moved the mean.
    pub(in crate::strategy::adaptive) fn has_moved(&self) -> bool {
        self.kept > 0
    }

    /// The error when the values were last looked at.
    pub(in crate::strategy::adaptive) fn error(&self) -> Option<f64> {
        self.error
    }

    /// So many points were evaluated in one more generation.
    pub(in crate::strategy::adaptive) fn count(&mut self, evaluations: usize) {
        self.evaluations += evaluations as u64;
    }

    /// The next generation of λ says whether a stint begins.
    pub(in crate::strategy::adaptive) fn begin_look(&mut self, lambda: usize) {
        self.look.begin(self.evaluations, lambda);
        (self.phase, self.kept, self.begun) = (Phase::Look, 0, self.evaluations);
        self.forget_values();
        self.level = 0.0;
    }

    /// All values of the look are there: differences were taken over this distance. A stint begins where they are of use; but the
    /// first look, before any sample, is for the step alone. Directions have this share of the squared length of samples.
    pub(super) fn end_look(&mut self, close: f64, useful: f64, share: impl Fn(usize) -> f64) -> Outcome {
        let seen = self.look.judge(self.value, close, self.gradient.len(), share);
        let error = seen.as_ref().map_or(1.0, |seen| seen.error);
        let before = self.error.replace(error);
        let of_use = seen.filter(|seen| seen.error < useful);
        if self.is_early() {
            self.fail_look();
            let bowl = of_use.filter(|seen| seen.curvature > 0.0);
            return bowl
                .map_or(Outcome::Unfit, |seen| Outcome::Bowl { distance: seen.slope / seen.curvature });
        }
        let Some(seen) = of_use else {
            self.fail_look();
            if self.memory.is_none() && before.is_some_and(|error| error < useful) {
                self.leave(); // samples would say the same again
            }
            return Outcome::Unfit;
        };
        self.begin(seen.curvature);
        Outcome::Active
    }

    /// The look shows nothing that is of use for a stint. Each wait is twice as long as the last.
    pub(super) fn fail_look(&mut self) {
        self.phase = Phase::Off;
        match self.memory.as_ref().filter(|_| self.is_early()) {
            Some(memory) => self.look_from = memory.early,
            None => {
                self.look_from = self.evaluations.saturating_add(self.look_gap);
                self.look_gap = self.look_gap.saturating_mul(2);
            }
        }
    }

    /// Whether it is too early for a stint, and for a shape: so few points have no axes.
    pub(in crate::strategy::adaptive) fn is_early(&self) -> bool {
        self.memory.as_ref().is_some_and(|memory| self.evaluations < memory.early)
    }

    /// A stint begins, with what the look says of the curvature and of the value at the mean.
    fn begin(&mut self, curvature: f64) {
        (self.phase, self.kept, self.doubt, self.begun) = (Phase::Probe, 0, 0.0, self.evaluations);
        self.curvature = curvature.max(0.0);
        if let Some(memory) = &mut self.memory {
            memory.pairs.clear();
        }
        self.probes.fill(f64::INFINITY);
        self.level = self.value.abs();
    }

    /// Whether the values have not been looked at yet: so few points have no axes, and a shape that follows them hides a sphere.
    pub(in crate::strategy::adaptive) fn is_young(&self) -> bool {
        self.error.is_none() && !self.is_due()
    }

    /// Whether it is time to look at the values.
    pub(in crate::strategy::adaptive) fn is_due(&self) -> bool {
        let from = if self.memory.is_some() { self.not_before.max(self.look_from) } else { self.not_before };
        !self.is_active() && self.evaluations >= from
    }

    pub(in crate::strategy::adaptive) fn dimension(&self) -> usize {
        self.gradient.len()
    }

    /// The linear and isotropic model has this error, `None` where there is none. Where it is of use, and now and then where it is
    /// not, the next generation looks at differences.
    pub(in crate::strategy::adaptive) fn hear(&mut self, error: Option<f64>, useful: f64, lambda: usize) {
        let error = error.unwrap_or(1.0);
        self.error = Some(error);
        self.not_before = self.evaluations + self.gradient.len() as u64 / 2;
        if error < useful || self.evaluations >= self.look_from {
            self.begin_look(lambda);
        }
    }

    fn forget_values(&mut self) {
        self.value = f64::INFINITY;
        self.probes.fill(f64::INFINITY);
    }

    /// The stint ends. The next comes after a pause, and each pause is longer than the last: much longer where steps were taken
    /// before they led nowhere, since that costs more than a try.
    pub(in crate::strategy::adaptive) fn leave(&mut self) {
        self.phase = Phase::Off;
        if let Some(memory) = &mut self.memory {
            memory.pairs.clear();
        }
        self.not_before =
            self.evaluations.saturating_add(self.pause.saturating_mul(self.gradient.len() as u64));
        let longer = if self.kept > 0 { LONGER.1 } else { LONGER.0 };
        self.pause = self.pause.saturating_mul(longer);
    }

    pub(super) fn is_looked(&self) -> bool {
        self.value.is_finite() && self.look.is_complete()
    }

    /// Whether points are still missing after this many times the evaluations that they take: asynchronously some may never
    /// come back.
    pub(super) fn is_late(&self) -> bool {
        let points = if self.phase == Phase::Look { self.look.len() } else { self.gradient.len() };
        self.evaluations - self.begun > PATIENCE * (points as u64 + 1)
    }

    pub(super) fn is_probed(&self) -> bool {
        self.value.is_finite() && self.probes.iter().all(|v| v.is_finite())
    }

    /// Along a step of a smooth function the value changes by ½(g + g')·s, g and g' the gradients at both ends: how wrong that is
    /// against the change, a running mean. Says whether gradients may still be followed.
    pub(super) fn is_smooth(&mut self, doubt: f64) -> bool {
        let expected = 0.5 * (dot(&self.before, &self.step) + dot(&self.gradient, &self.step));
        let wrong = ((self.fallen - expected) / self.fallen).abs().min(1.0);
        self.doubt += DOUBT_RATE * (if wrong.is_nan() { 1.0 } else { wrong } - self.doubt);
        self.doubt <= doubt
    }

    /// Where the step comes from: the gradient, but for secants and bounds.
    pub(super) fn direction(&self) -> &[f64] {
        if self.direction.is_empty() { &self.gradient } else { &self.direction }
    }

    /// The step is so many directions long.
    pub(super) fn along(&self) -> f64 {
        self.along
    }

    /// How fast values change along it.
    pub(super) fn slope(&self) -> f64 {
        self.along * wide_dot(&self.gradient, self.direction())
    }

    /// The direction that secants say, where the covariance has limited memory.
    pub(super) fn follow_secants(&mut self) {
        if let Some(memory) = &self.memory {
            memory.pairs.apply(&self.gradient, self.curvature, &mut self.direction);
        }
    }

    /// By how much the curvature asks to shorten a step; infinite where there is none.
    pub(super) fn reach(&self) -> f64 {
        if self.curvature > 0.0 { 1.0 / self.curvature } else { f64::INFINITY }
    }

    /// The direction is there: the step is −1/c of it, at most √d deviations. False where it leads nowhere.
    pub(super) fn begin_line(&mut self) -> bool {
        let longest = (self.gradient.len() as f64).sqrt() / squared_norm(self.direction()).sqrt();
        self.begin_line_along(-longest.min(self.reach()))
    }

    /// The same with a step that is so many directions long.
    pub(super) fn begin_line_along(&mut self, along: f64) -> bool {
        (self.phase, self.begun) = (Phase::Line, self.evaluations);
        (self.line, self.along) = (Line::new(), along);
        let slope = self.slope();
        slope.is_finite() && slope < 0.0
    }

    /// The mean goes by `step`, to this value. Returns by how much the radius grows: to twice the step, but not by more than this.
    pub(super) fn go(&mut self, value: f64, most: f64) -> f64 {
        let length = squared_norm(&self.step).sqrt();
        let growth = (2.0 * length / (self.gradient.len() as f64).sqrt()).clamp(GROWTH.0, GROWTH.1).min(most);
        self.before.copy_from_slice(&self.gradient);
        self.rescale(growth);
        self.kept += 1;
        (self.phase, self.begun) = (Phase::Probe, self.evaluations);
        self.fallen = value - self.value;
        self.forget_values();
        (self.value, self.level) = (value, value.abs());
        growth
    }

    /// The coordinates are that much longer: steps in them are shorter, gradients steeper.
    pub(super) fn rescale(&mut self, growth: f64) {
        self.step.iter_mut().for_each(|s| *s /= growth);
        for g in [&mut self.before, &mut self.gradient] {
            g.iter_mut().for_each(|g| *g *= growth);
        }
        if let Some(memory) = &mut self.memory {
            memory.pairs.scale(growth);
        }
        self.curvature *= growth * growth;
    }

    #[cfg(feature = "serde")]
    pub(in crate::strategy::adaptive) fn is_consistent(&self, d: usize, in_box: bool) -> bool {
        let directions = if in_box || self.memory.is_some() { d } else { 0 };
        let direction = self.direction.len() == directions && self.direction.iter().all(|v| !v.is_nan());
        let vectors = [&self.probes, &self.gradient, &self.before, &self.step];
        let early = self.memory.as_ref().map_or(0, |memory| memory.early);
        let counts =
            [self.evaluations, self.not_before, self.pause, early, self.look_from, self.look_gap, self.begun];
        vectors.iter().all(|v| v.len() == d && v.iter().all(|x| !x.is_nan()))
            && direction
            && !self.along.is_nan()
            && self.memory.as_deref().is_none_or(|memory| memory.pairs.is_consistent(d))
            && (0.0..=1.0).contains(&self.doubt)
            && self.fallen.is_finite()
            && self.curvature >= 0.0
            && self.curvature.is_finite()
            && !self.value.is_nan()
            && self.level.is_finite()
            && self.line.is_consistent()
            && self.look.is_consistent()
            && self.begun <= self.evaluations
            && counts.into_iter().all(crate::math::is_count)
    }
}
