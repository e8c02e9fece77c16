//! The points of a generation: samples, the surrogate's own point and samples beside it, or what is missing to λ.

use super::{Adaptive, Mode};
use crate::random::Generator;
use crate::search::{Queue, Search, SearchDistribution};

impl Adaptive {
    /// Step 1: the points of the next generation. They wait for their costs.
    pub(crate) fn propose(&mut self, search: &mut Search, generator: &mut Generator) {
        if let (Mode::Surrogate, Some(gradient), Some(state)) =
            (self.state.mode, &mut self.gradient, &self.state.gradient)
        {
            return gradient.propose(state, search);
        }
        let serial = self.is_serial(&search.distribution);
        if self.state.mode == Mode::Surrogate || search.population.carried() > 0 || serial {
            return self.propose_from_queue(search, |queue, s| queue.next(s, generator));
        }
        search.population.begin(self.lambda);
        generator.fill_normal(search.population.whitened_mut()); // s ~ N(0, I)
        if self.config.tuning.ranks.orthogonal {
            search.orthogonalize_samples();
        }
        // The user's own point comes first: few know a better one.
        if self.state.surrogate.as_ref().is_some_and(|state| state.is_new()) {
            search.population.row_mut(0).0.fill(0.0);
        }
        search.place_samples(1); // z = x + Aᵀs
    }

    /// Where the surrogate is active its point, which is the mean, and samples beside it; else those that are missing
    /// to λ, or, serially, the next of them.
    pub(super) fn propose_from_queue(
        &mut self,
        search: &mut Search,
        mut next: impl FnMut(&mut Queue, &mut [f64]),
    ) {
        let serial = self.is_serial(&search.distribution);
        let Some(state) = &mut self.state.surrogate else { return };
        let (d, population) = (search.dimension(), &mut search.population);
        let first = match self.state.mode {
            Mode::Surrogate => {
                let samples = match serial {
                    true => usize::from(!(self.config.steps_alone(d) && state.steps_alone())),
                    false => self.config.samples_beside_model(self.lambda),
                };
                population.begin(samples + 1);
                population.row_mut(0).0.fill(0.0);
                population.set_apart(1);
                1
            }
            Mode::Assisting | Mode::Ranks => {
                let next = population.carried() + 1;
                population.begin_with_carried(if serial { next } else { self.lambda });
                population.carried()
            }
        };
        population.whitened_mut()[first * d..].chunks_exact_mut(d).for_each(|s| next(&mut state.queue, s));
        if state.is_new() {
            population.row_mut(0).0.fill(0.0);
        }
        search.place_samples(1);
        let Search { distribution, population, .. } = search;
        let mut moved = false;
        for row in first..population.len() {
            let (s, z) = population.row_mut(row);
            moved |= self.place_inside(distribution, s, z);
        }
        if let Some(state) = &mut self.state.surrogate {
            state.moved = moved;
        }
    }

    /// Where the surrogate is active, samples are drawn in the box, as it sees it. Says whether this one was moved.
    pub(crate) fn place_inside(
        &self,
        distribution: &SearchDistribution,
        s: &mut [f64],
        z: &mut [f64],
    ) -> bool {
        match (&self.config.limits, self.state.mode, &self.state.surrogate) {
            (Some(limits), Mode::Surrogate, Some(state)) => limits.place(distribution, &state.widths, s, z),
            _ => false,
        }
    }
}
