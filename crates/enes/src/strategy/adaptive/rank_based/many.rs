//! What changes beyond 40 dimensions, where a search has few generations for each coordinate: first steps that are not timid,
//! a path that knows when it began, a fit for several generations, and its gradient between two fits.

use super::update::Constants;
use super::{RankBased, State};
use crate::archive::{Archive, Reader};
use crate::linalg;
use crate::search::{Degenerate, Search};
use crate::strategy::adaptive::sizes::{FEW_DIMENSIONS, generations_of_a_fit};

/// The most that the mean moves of a recombined step.
const LONGEST_STEP: f64 = 1.5;

/// A search is young for so many evaluations for each dimension, and after twice as many no more.
const YOUNG: f64 = 20.0;

/// The exponent of trust in the mean while a search is young.
const YOUNG_EXPONENT: f64 = 2.0;

/// How far a search has come.
#[derive(Clone, Debug, Default, PartialEq)]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize))]
pub(super) struct Progress {
    /// Updates that are in the path.
    pub(super) updates: u64,
    /// Evaluations that were recombined.
    pub(super) evaluations: u64,
    /// Updates since the latest fit.
    pub(super) since_fit: u64,
    /// ln σ/σ₀, as far as the rank-based update has moved it.
    pub(super) log_scale: f64,
}

#[cfg(feature = "serde")]
impl Progress {
    pub(super) fn is_consistent(&self) -> bool {
        self.log_scale.is_finite()
            && [self.updates, self.evaluations, self.since_fit].into_iter().all(crate::math::is_count)
    }
}

/// What of a search depends on how far it has come.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Stage {
    /// What |p|²/d is without selection.
    pub(super) started: f64,
    /// How young it is, from 1 to 0.
    pub(super) youth: f64,
}

impl Stage {
    /// Of a search that has left its beginnings behind.
    #[cfg(test)]
    pub(crate) const LATE: Self = Self { started: 1.0, youth: 0.0 };
}

impl Constants {
    pub(super) fn stage(&self, progress: &Progress, d: usize) -> Stage {
        let youth = (2.0 - progress.evaluations as f64 / (YOUNG * d as f64)).clamp(0.0, 1.0);
        Stage { started: self.started(progress, d), youth }
    }

    /// What full trust takes off the damping of the step: beyond 40 dimensions half as much, and from 60 on nothing, but while a
    /// search is young. The path is so fast there that a step damped less falls before the shape is learned, and a sharp ridge
    /// is not followed; but it is what brings a search near the optimum soon. A large population learns the shape at once.
    pub(crate) fn eased(&self, stage: Stage) -> f64 {
        let late = if self.many > 0.0 { (1.0 - self.many).min(0.5) } else { 1.0 };
        let old = (1.0 - self.largeness) * (1.0 - stage.youth);
        self.tuning.damping_by_trust * (1.0 - old * (1.0 - late))
    }

    /// The exponent of trust in the mean: less while a search of many dimensions is young.
    pub(super) fn mean_exponent(&self, stage: Stage) -> f64 {
        let usual = self.tuning.mean_exponent;
        usual + self.many * stage.youth * (YOUNG_EXPONENT - usual)
    }

    /// c_0 and the most of c_m. Beyond 40 dimensions c_0 + (1.5 − c_0)w and 1 + ½w, w = clip(2 − E/10d) clip(1.5 + log₂ σ/σ₀) with
    /// E evaluations so far: beyond the first steps 1.5 costs ellipsoids.
    pub(super) fn first_part(&self, progress: &Progress, d: usize) -> (f64, f64) {
        let usual = self.recombined_part(d);
        if d <= FEW_DIMENSIONS {
            return (usual, 1.0);
        }
        let early = (2.0 - progress.evaluations as f64 / (10.0 * d as f64)).clamp(0.0, 1.0);
        let wide = (1.5 + progress.log_scale / std::f64::consts::LN_2).clamp(0.0, 1.0);
        let first = early * wide;
        (usual + (LONGEST_STEP - usual) * first, 1.0 + (LONGEST_STEP - 1.0) * first)
    }

    /// What |p|²/d is without selection after so many updates from 0: 1 − (1 − c_s)^{2t}; up to 40 dimensions 1.
    fn started(&self, progress: &Progress, d: usize) -> f64 {
        if d <= FEW_DIMENSIONS {
            return 1.0;
        }
        1.0 - (2.0 * progress.updates as f64 * (1.0 - self.path_rate).ln()).exp()
    }
}

impl RankBased {
    /// Whether this generation has a fit of its own: one in several, and each of a large population, whose samples say something
    /// of the shape.
    pub(in crate::strategy::adaptive) fn is_fit_due(&self, state: &State, archive: &Archive) -> bool {
        let (lambda, points) = (self.constants.population(), archive.len(Reader::Ranks));
        let every = generations_of_a_fit(state.path.len(), lambda, points);
        self.constants.largeness > 0.0 || state.progress.since_fit + 1 >= every
    }

    /// Between two fits: the mean follows recombination and the gradient of the latest model where the mean is now, the step
    /// follows the path, the shape stays; noise leaves these parts of both. In the model's coordinates the mean is the motion's
    /// shift c, and the gradient there is g + Ec + bc; in the present ones T times that. O(d²).
    pub(in crate::strategy::adaptive) fn go_on(
        &mut self,
        state: &mut State,
        (rate, step_rate): (f64, f64),
        search: &mut Search,
    ) -> Result<(), Degenerate> {
        let d = state.path.len();
        state.progress.since_fit += 1;
        let (there, rest) = self.products.split_at_mut(d);
        let (here, shift) = rest.split_at_mut(d);
        let c = &search.motion.shift;
        linalg::symmetric_times_vector(&state.model.curvature, c, there);
        for ((t, g), c) in there.iter_mut().zip(&state.model.gradient).zip(c) {
            *t += g + state.model.isotropic * c;
        }
        linalg::upper_times_vector(&search.motion.factor, there, here);
        let stage = self.constants.stage(&state.progress, d);
        let trust = self.constants.trust(&state.skill, stage);
        let first = self.constants.first_part(&state.progress, d);
        let shift = &mut shift[..d];
        self.constants.mean_step(trust.mean, first, here, &self.recombined, shift);
        shift.iter_mut().for_each(|c| *c *= rate);
        let by =
            self.constants.log_step(trust.step, &state.skill, &state.path, stage, &mut [], &mut self.space);
        state.progress.log_scale += by;
        search.go_on(shift, (step_rate * by).exp())
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::strategy::adaptive::tuning::RankTuning;

    #[test]
    fn a_search_of_many_dimensions_is_young_for_twenty_evaluations_a_dimension() {
        let rules = |d: usize, each: u64| {
            let rule = Constants::new(d, 16, false, RankTuning::default());
            let progress = Progress { updates: 1, evaluations: each * d as u64, ..Progress::default() };
            let stage = rule.stage(&progress, d);
            (rule.eased(stage), rule.mean_exponent(stage))
        };
        assert_eq!(
            [0, 20, 30, 40, 1000].map(|each| rules(80, each)),
            [(0.7, 2.0), (0.7, 2.0), (0.35, 3.0), (0.0, 4.0), (0.0, 4.0)]
        );
        // In few it makes no difference.
        assert!([0, 30, 1000].into_iter().all(|each| rules(40, each) == (0.7, 4.0)));
    }
}
