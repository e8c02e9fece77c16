//! What is counted over a run.

#[cfg(feature = "serde")]
use crate::math::is_count;
use crate::search::Population;

/// Generations, evaluations, and how many rows were reused.
#[derive(Clone, Debug, Default, PartialEq)]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize))]
pub(crate) struct Counters {
    pub(super) generation: u64,
    pub(super) evaluations: u64,
    /// Rows reused and rows in all, the first generation aside.
    reused: u64,
    rows: u64,
    last_reused: usize,
}

impl Counters {
    /// A generation is complete, with so many points measured again.
    pub(super) fn complete_generation(&mut self, population: &Population, repetitions: usize) {
        self.evaluations += (population.fresh() + repetitions) as u64;
        self.last_reused = population.kept();
        if self.generation > 0 {
            self.reused += population.kept() as u64;
            self.rows += population.len() as u64;
        }
        self.generation += 1;
    }

    #[cfg(feature = "serde")]
    pub(super) fn is_consistent(&self) -> bool {
        [self.generation, self.evaluations, self.reused, self.rows].into_iter().all(is_count)
    }

    /// Share of the population reused instead of evaluated, over the run, first generation aside.
    pub(super) fn reused_share(&self) -> f64 {
        match self.rows {
            0 => 0.0,
            rows => self.reused as f64 / rows as f64,
        }
    }

    /// Share of a population of n that was reused in the last complete generation.
    pub(super) fn last_reused_share(&self, n: usize) -> f64 {
        self.last_reused as f64 / n as f64
    }
}
