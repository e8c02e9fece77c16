//! Forms of the rule: with small generations, or without a part, to measure what each is for.

use super::rule::Constants;
use crate::settings::Settings;

/// A part of the adaptive strategy to leave out. For measurements, not for use.
#[doc(hidden)]
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize))]
#[non_exhaustive]
pub enum Ablation {
    /// Samples are independent, not orthogonal.
    Orthogonality,
    /// The archive holds two generations only.
    Archive,
    /// Trust is 1, whatever the models' skill.
    Trust,
    /// Trust is 0: recombination and step-size adaptation alone.
    Model,
    /// Noise may move shape and step.
    Gate,
    /// Large populations do not turn to rank-µ.
    RankMu,
    /// The shape follows at rate 1, not √d.
    ShapeRate,
    /// The step's damping does not know of trust.
    Damping,
    /// A model of the values may shrink the step as it likes.
    Lock,
    /// It is believed all its curvatures, whatever its error.
    Clip,
    /// It forms the shape from the first generation on.
    BurnIn,
    /// It rules wherever it looks useful, whatever its predecessors were worth.
    MeanError,
    /// It always rules; there is no rank rule.
    RankRule,
}

/// Which form of the rule a run has.
#[derive(Clone, Copy, Debug, Default)]
pub(crate) struct Variant {
    /// Whether generations are small.
    pub(crate) small: bool,
    /// The part that is left out.
    pub(crate) without: Option<Ablation>,
}

impl Settings {
    /// Leave out a part of the adaptive strategy.
    #[doc(hidden)]
    pub fn without(mut self, part: Ablation) -> Self {
        self.ablation = Some(part);
        self
    }
}

impl Constants {
    /// The constants of the rule without a part of it.
    pub(super) fn without(mut self, part: Option<Ablation>, lambda: usize) -> Self {
        match part {
            None => {}
            Some(Ablation::Orthogonality) => self.orthogonal = false,
            Some(Ablation::Archive) => self.archive = 2 * lambda,
            Some(Ablation::Trust) => self.fixed_trust = Some(1.0),
            Some(Ablation::Model) => self.fixed_trust = Some(0.0),
            Some(Ablation::Gate) => self.certainty = f64::NEG_INFINITY,
            Some(Ablation::RankMu) => self.largeness = 0.0,
            Some(Ablation::ShapeRate) => self.shape_rate = 1.0,
            Some(Ablation::Damping) => self.damping_by_trust = 0.0,
            // Parts of the model of the values.
            Some(
                Ablation::Lock | Ablation::Clip | Ablation::BurnIn | Ablation::MeanError | Ablation::RankRule,
            ) => {}
        }
        self
    }
}
