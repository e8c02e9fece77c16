//! How well the models did, and the trust that follows.

use super::many::Stage;
use super::update::Constants;
use crate::linalg::squared_norm;
use crate::strategy::adaptive::tuning::RankTuning;

/// What is remembered of how well the models did.
#[derive(Clone, Debug, PartialEq)]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize))]
pub(crate) struct Skill {
    /// The quality ρ of the models' predictions.
    pub(crate) quality: f64,
    /// The same of the curvature's part alone: ρ_E.
    pub(crate) curvature: f64,
    /// The first over a longer time: evidence ε.
    pub(crate) evidence: f64,
    /// How much longer the path is than without selection: drift β.
    pub(crate) drift: f64,
    /// Models judged.
    pub(crate) models: u64,
    /// Generations in a row in which nothing but noise was seen.
    pub(crate) without_signal: u64,
}

impl Skill {
    pub(crate) fn new(tuning: &RankTuning) -> Self {
        Self {
            quality: 0.0,
            curvature: 0.0,
            evidence: tuning.first_evidence,
            drift: 0.0,
            models: 0,
            without_signal: 0,
        }
    }
}

/// How far a model leads, from 0 to 1: what it is not trusted with, CMA-ES's own update does.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(crate) struct Trust {
    pub(crate) step: f64,
    pub(crate) mean: f64,
    pub(crate) shape: f64,
}

impl Constants {
    /// This share of the differences between values is noise: a landscape in which no model has skill then need not
    /// be rough at its scale.
    pub(crate) fn set_noise_share(&mut self, share: f64) {
        self.contraction = self.tuning.contraction * (1.0 - share);
    }

    /// Generations in a row in which nothing but noise was seen; 0 for large populations, which move on.
    pub(crate) fn without_signal(&self, skill: &Skill) -> u64 {
        if self.largeness < 1.0 { skill.without_signal } else { 0 }
    }

    /// Judge a model by the rank correlation r of its predictions with the fresh values, and of the curvature's part
    /// with what the rest leaves of them: ρ ← ρ + max(c_r, 1/(t + 1))(r − ρ), an ordinary mean at first, and so ρ_E; ε ← ε + c_e(r − ε);
    /// β ← β + c_e((|p|²/d − 1)/2 − β).
    pub(crate) fn judge(&self, skill: &mut Skill, correlation: f64, by_curvature: f64, path: &[f64]) {
        skill.models += 1;
        let rate = self.quality_rate.max(1.0 / (skill.models + 1) as f64);
        skill.quality += rate * (correlation - skill.quality);
        skill.curvature += rate * (by_curvature - skill.curvature);
        skill.evidence += self.evidence_rate * (correlation - skill.evidence);
        let excess = 0.5 * (squared_norm(path) / path.len() as f64 - 1.0);
        skill.drift += self.evidence_rate * (excess - skill.drift);
        skill.without_signal = if self.step_gate(skill) == 0.0 { skill.without_signal + 1 } else { 0 };
    }

    /// γ: 0 unless the models' skill exceeds what noise shows.
    pub(crate) fn gate(&self, skill: &Skill) -> f64 {
        (skill.evidence / self.evidence_deviation - self.tuning.certainty).clamp(0.0, 1.0)
    }

    /// γ_σ: the same, or a path that is persistently too short: the landscape asks for a smaller step
    /// although no quadratic predicts it.
    pub(crate) fn step_gate(&self, skill: &Skill) -> f64 {
        let short = (-skill.drift / self.drift_deviation - self.tuning.certainty).clamp(0.0, 1.0);
        self.gate(skill).max(short)
    }

    /// A gate is open for large populations.
    pub(super) fn open(&self, gate: f64) -> f64 {
        1.0 - (1.0 - gate) * (1.0 - self.largeness)
    }

    /// Trust follows from what the predictions were worth: u = min(1, bρ), at least 0, and u_E the same of ρ_E.
    ///
    /// | what it leads | trust | why |
    /// |---|---|---|
    /// | step | γ'u² | a path is damped less where the model moves the mean |
    /// | mean | γ'u⁴ | a gradient that predicts half is worth less than half: recombination does better |
    /// | shape | γ' max(u¹², u_E²) | a curvature is noise unless nearly all is predicted, or it predicts by itself |
    ///
    /// For large populations, whose samples are the rest, all exponents are 2; in many dimensions that of the mean is, as long as a
    /// search is young.
    pub(crate) fn trust(&self, skill: &Skill, stage: Stage) -> Trust {
        if let Some(trust) = self.tuning.fixed_trust {
            return Trust { step: trust, mean: trust, shape: trust };
        }
        let RankTuning { gain, gain_low, shape_exponent, floor, .. } = self.tuning;
        let (few, gate) = (1.0 - self.largeness, self.open(self.gate(skill)));
        let gain = gain + (gain_low - gain) * self.largeness;
        let whole = (gain * skill.quality.max(0.0)).min(1.0);
        let part = if floor { (gain * skill.curvature.max(0.0)).min(1.0) } else { 0.0 };
        let power = |exponent: f64| whole.powf(2.0 + few * (exponent - 2.0));
        Trust {
            step: gate * whole.powi(2),
            mean: gate * power(self.mean_exponent(stage)),
            shape: gate * power(shape_exponent).max(few * part.powi(2)),
        }
    }
}
