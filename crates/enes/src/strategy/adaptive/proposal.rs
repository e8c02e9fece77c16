//! Step 1: the points of the next generation.

use super::sampling::{self, Queue};
use super::{Adaptive, State};
use crate::random::Generator;

impl Adaptive {
    /// Step 1: orthogonal samples of the present distribution. They wait for their costs.
    pub(crate) fn propose(&mut self, generator: &mut Generator) {
        let (rules, carried) = self.state.values.as_ref().map_or((false, 0), |v| (v.memory.rules, v.carried));
        if rules || carried > 0 {
            return self.propose_from_queue(generator);
        }
        self.state.population.resize(self.lambda);
        if let Some(values) = &mut self.state.values {
            values.model_row = false;
        }
        generator.fill_normal(&mut self.state.population.whitened); // s ~ N(0, I)
        self.place_samples();
    }

    /// From Gaussian vectors to points.
    pub(super) fn place_samples(&mut self) {
        let State { distribution, population, .. } = &mut self.state;
        let d = population.dimension();
        if self.constants.orthogonal {
            sampling::orthogonalize(&mut population.whitened, d, &mut self.scratch[..3 * d]);
        }
        distribution.points_from(&population.whitened, &mut population.points); // y = m + Fᵀs
    }

    /// The model's point, which is the mean, and samples beside it; or those that make the samples of such a
    /// generation λ.
    fn propose_from_queue(&mut self, generator: &mut Generator) {
        self.propose_beside_known(|queue, s| queue.next(s, generator));
    }

    pub(super) fn propose_beside_known(&mut self, mut next: impl FnMut(&mut Queue, &mut [f64])) {
        let State { distribution, population, values: Some(values), .. } = &mut self.state else { return };
        let (d, rows) = (population.dimension(), population.len());
        values.model_row = values.memory.rules;
        let mut known = 0;
        if values.model_row {
            population.resize(values.batch + 1);
            population.whitened[..d].fill(0.0);
            known = 1;
        } else {
            population.retain(|row| row >= rows - values.carried);
            population.resize(self.lambda);
            population.kept = values.carried;
            known = known.max(values.carried);
        }
        for s in population.whitened[known * d..].chunks_exact_mut(d) {
            next(&mut values.queue, s);
        }
        let fresh = population.kept * d;
        distribution.points_from(&population.whitened[fresh..], &mut population.points[fresh..]);
    }
}
