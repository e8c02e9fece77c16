//! Under noise: populations of another size, shorter steps, and no contraction where noise explains the
//! lack of skill.

use super::ablation::Variant;
use super::rule::{CONTRACTION, Constants};
use super::{Adaptive, State};
use crate::gaussian::Motion;
use crate::population::Population;

impl Adaptive {
    /// Go on with populations of λ, and with a scale multiplied by `scale`. Shape, path, skill and model
    /// stay, and what the archive can hold.
    pub(crate) fn resize(&mut self, lambda: usize, scale: f64, variant: Variant) {
        let d = self.state.population.dimension();
        let capacity = Constants::of(variant, d, lambda).archive;
        let State {
            mut distribution, archive, path, skill, model, mut motion, ranked, guests, values, ..
        } = self.state.clone();
        let mut growth = Motion::none(d);
        growth.scale(scale);
        if distribution.follow(&mut growth, &mut self.scratch).is_ok() {
            motion.scale(scale); // from the model's coordinates to the present ones
        }
        let (population, archive) = (Population::new(lambda, d), archive.with_capacity(capacity));
        let state = State {
            distribution,
            population,
            archive,
            path,
            skill,
            model,
            motion,
            ranked,
            guests,
            values, // none under noise, where alone a population changes within a search
        };
        let without_step = std::mem::take(&mut self.without_step);
        *self = Self { without_step, ..Self::new(state, lambda, variant) };
    }

    /// This share of the differences between values is noise, and this much is left of a step. A landscape
    /// in which no model has skill then need not be rough at its scale: the contraction falls too.
    pub(crate) fn hear_noise(&mut self, share: f64, rate: f64) {
        self.constants.contraction = CONTRACTION * (1.0 - share);
        self.rate = rate;
    }
}
