//! Populations of another size within a search.

use super::Adaptive;
use crate::archive::Archive;
use crate::search::{Population, Search};

impl Adaptive {
    /// Go on with populations of λ, and with a scale multiplied by `scale`. Shape, path, skill and model stay, and what
    /// the window of the archive can hold. Only under noise, where there is no surrogate.
    pub(crate) fn resize(&mut self, lambda: usize, scale: f64, search: &mut Search, archive: &mut Archive) {
        search.resize(lambda, scale);
        archive.resize_ranks(self.config.windows(search.dimension(), lambda).0);
        *self = Self::new(&self.config, self.state.clone(), lambda, search);
    }

    /// Go on with populations of λ, as need says. Nothing is allocated.
    pub(crate) fn set_population(&mut self, lambda: usize, search: &mut Search) {
        self.lambda = lambda;
        self.ranks.set_population(lambda);
        search.population.begin(lambda);
    }

    /// The population that the next generation should have; not while samples wait for others.
    pub(crate) fn wanted_population(&self, population: &Population, d: usize) -> usize {
        match self.config.grows && population.carried() == 0 {
            true => self.state.need.population(self.lambda, d),
            false => self.lambda,
        }
    }
}
