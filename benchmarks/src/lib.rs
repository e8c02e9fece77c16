//! What the speed measurements share: optimizers that run generation after generation, and their objective.

use std::hint::black_box;
use std::time::Duration;

use cmaes::{CMAES, CMAESOptions, DVector};
use cpu_time::ThreadTime;
use enes::{ModelChoice, Optimizer, Settings, Strategy};

/// The objective of all speed measurements.
pub fn sphere(x: &[f64]) -> f64 {
    x.iter().map(|v| v * v).sum()
}

/// Something that runs generation after generation, starting anew where a run ends.
pub trait Peer {
    /// Candidates of one generation, evaluated or reused.
    fn generation(&mut self) -> usize;
    /// Objective values computed so far.
    fn evaluated(&self) -> usize;
}

/// This library.
#[derive(Debug)]
pub struct Enes {
    settings: Settings,
    es: Optimizer,
    values: Vec<f64>,
    evaluated: usize,
}

/// A strategy; the adaptive one in rank-based mode, without its surrogate, which `model_speed` measures.
pub fn by_ranks(settings: Settings, strategy: Strategy) -> Settings {
    match strategy {
        Strategy::Adaptive => settings.model(ModelChoice::RankOnly),
        other => settings.strategy(other),
    }
}

impl Enes {
    /// A strategy in d dimensions; `None` for its own population.
    ///
    /// # Panics
    /// Where the settings cannot be used.
    pub fn new(strategy: Strategy, d: usize, population: Option<usize>, threads: usize) -> Self {
        let settings = Settings::new(vec![1.0; d], 1.0).population(population).algebra_threads(threads);
        let settings = by_ranks(settings, strategy);
        let es = Optimizer::new(&settings).expect("valid settings");
        let values = Vec::with_capacity(es.population_size());
        Self { settings, es, values, evaluated: 0 }
    }
}

impl Peer for Enes {
    fn generation(&mut self) -> usize {
        if self.es.stop_reason().is_some() {
            self.es = Optimizer::new(&self.settings).expect("valid settings");
        }
        self.values.clear();
        self.values.extend(self.es.ask().iter().map(sphere));
        self.evaluated += self.values.len();
        self.es.tell(&self.values).expect("one value per point");
        self.es.population_size()
    }

    fn evaluated(&self) -> usize {
        self.evaluated
    }
}

type Objective = fn(&DVector<f64>) -> f64;

/// The `cmaes` crate.
pub struct Cmaes {
    d: usize,
    population: Option<usize>,
    seed: u64,
    es: CMAES<Objective>,
    evaluated: usize,
}

impl std::fmt::Debug for Cmaes {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("Cmaes").field("d", &self.d).finish_non_exhaustive()
    }
}

impl Cmaes {
    /// CMA-ES in d dimensions; `None` for its own population.
    pub fn new(d: usize, population: Option<usize>) -> Self {
        Self { d, population, seed: 0, es: Self::build(d, population, 0), evaluated: 0 }
    }

    fn build(d: usize, population: Option<usize>, seed: u64) -> CMAES<Objective> {
        let options = CMAESOptions::new(vec![1.0; d], 1.0).seed(seed);
        let options = match population {
            Some(n) => options.population_size(n),
            None => options,
        };
        options.build((|x| sphere(x.as_slice())) as Objective).expect("valid options")
    }
}

impl Peer for Cmaes {
    fn generation(&mut self) -> usize {
        if black_box(self.es.next()).is_some() {
            self.seed += 1;
            self.es = Self::build(self.d, self.population, self.seed);
        }
        let n = self.es.parameters().lambda();
        self.evaluated += n;
        n
    }

    fn evaluated(&self) -> usize {
        self.evaluated
    }
}

/// CPU seconds of one call of the objective.
pub fn objective_seconds(d: usize, time: Duration) -> f64 {
    let points: Vec<f64> = (0..64 * d).map(|i| (i as f64).sin()).collect();
    let start = ThreadTime::now();
    let mut calls = 0;
    while start.elapsed() < time {
        for x in points.chunks_exact(d) {
            black_box(sphere(black_box(x)));
        }
        calls += 64;
    }
    start.elapsed().as_secs_f64() / f64::from(calls)
}
