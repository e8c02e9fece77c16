//! What noise asks of a run: measurements again, and populations that follow it.

use super::Optimizer;

impl Optimizer {
    /// The share of noise in the differences between the values of a generation, from 0 to 1; `None`
    /// where values are taken for exact.
    pub fn noise_share(&self) -> Option<f64> {
        self.noise.is_active().then(|| self.noise.share())
    }

    /// What follows from the state: room for what will come, and what was asked before a checkpoint.
    pub(super) fn prepare_noise(&mut self) {
        if !self.noise.is_active() {
            return;
        }
        let log_det = self.search.distribution.log_det();
        self.noise.prepare(self.searches.population, self.params.dimension, log_det);
        self.strategy.set_noise_level(self.noise.share(), self.noise.rate());
        if self.asked {
            self.show_measurements();
        }
    }

    /// The points of `ask`: the fresh ones, then those that are measured again.
    fn show_measurements(&mut self) {
        if self.noise.is_ending() {
            return self.show_copies_of_the_mean();
        }
        let (space, population) = (&self.params.space, &self.search.population);
        let fresh = self.view.points(space, population);
        let (repeated, points) = self.noise.repeated_and_points();
        points.clear();
        points.extend_from_slice(fresh.as_slice());
        for &row in repeated {
            let from = points.len();
            points.resize(from + space.dimension(), 0.0);
            space.users(population.point(row), &mut points[from..]);
        }
    }

    /// Choose what is measured again; or, where the budget has no room for the generation, end.
    pub(super) fn choose_measurements(&mut self) {
        if !self.noise.is_active() {
            return;
        }
        if !self.noise.is_ending() {
            self.noise.choose(&self.search.population);
            let wanted = (self.search.population.fresh() + self.noise.repetitions()) as u64;
            self.end_where_too_many(wanted);
        }
        self.show_measurements();
    }

    /// The values of a generation are there, all or the first of them: average them, learn from them, tell the
    /// strategy.
    pub(super) fn measure_noise(&mut self, values: &[f64], all: bool) {
        if !self.noise.is_active() {
            return;
        }
        self.noise.learn(&mut self.search.population, values, all, self.params.sign);
        self.strategy.set_noise_level(self.noise.share(), self.noise.rate());
    }

    /// The population follows the noise, or what models or gradients are worth.
    pub(super) fn follow_need(&mut self) {
        match self.noise.is_active() && self.strategy.can_resize() {
            true => self.follow_noise(),
            false => self.follow_models(),
        }
    }

    fn follow_models(&mut self) {
        let wanted = self.strategy.wanted_population(&self.search);
        let Some(n) = wanted.filter(|n| *n != self.searches.population) else { return };
        self.strategy.set_population(n, &mut self.search);
        self.stopping.resize(n, self.params.search_dimension, &self.params.rules);
        self.searches.population = n;
    }

    fn follow_noise(&mut self) {
        let (params, present) = (&self.params, self.searches.population);
        let (d, rules) = (params.search_dimension, &params.rules);
        let n = self.noise.population(params.population, d, rules.max_evaluations, present);
        if n == present {
            return;
        }
        let log_det = self.search.distribution.log_det();
        let scale = self.noise.scale_of_growth(present, n, log_det, d);
        self.strategy.resize(n, scale, &mut self.search, &mut self.archive);
        params.space.keep_inside(&mut self.search);
        self.stopping.resize(n, d, rules);
        self.searches.population = n;
        self.archive.reserve(n, !self.params.space.is_plain());
        self.prepare_noise();
    }
}
