//! What is minimized, and the runs of it by everyone.

use enes::Strategy;
use enes_measure::difference_interval;
use enes_problems::Function;

use super::{Contender, TARGET};
use crate::objective::Perturbation;
use crate::run::{OWN_POPULATION, RunRecord, RunSpec, Start};
use crate::statistics::Cell;

/// A kind of runs: what is minimized, and from where.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Kind {
    pub(crate) f: Function,
    pub(crate) perturbation: Perturbation,
    pub(crate) d: usize,
    /// Population; `OWN_POPULATION`: the contender's default.
    pub(crate) n: usize,
    pub(crate) start: Start,
    pub(crate) sigma: f64,
}

impl Kind {
    /// From distance 1 with sigma 1.
    pub(crate) fn new(f: Function, perturbation: Perturbation, d: usize) -> Self {
        Self { f, perturbation, d, n: OWN_POPULATION, start: Start::Exactly(1.0), sigma: 1.0 }
    }

    /// From elsewhere: function, distance, sigma.
    pub(crate) fn from((f, distance, sigma): (Function, f64, f64), d: usize) -> Self {
        Self { start: Start::Exactly(distance), sigma, ..Self::new(f, Perturbation::None, d) }
    }

    pub(crate) fn function(&self) -> String {
        self.perturbation.named(self.f.name())
    }

    /// Where it starts, for a table.
    pub(crate) fn place(&self) -> String {
        if let Start::Within(_) = self.start { "box".into() } else { self.start.distance().to_string() }
    }

    /// `sphere d = 5`, `rastrigin d = 5 n = 20 from 1`.
    pub(crate) fn name(&self) -> String {
        let n = if self.n == OWN_POPULATION { String::new() } else { format!(" n = {}", self.n) };
        let from = if self.f.is_unimodal() { String::new() } else { format!(" from {}", self.place()) };
        format!("{} d = {}{n}{from}", self.function(), self.d)
    }

    /// A run of this kind without restarts: to the end, or to 1e-8 by the stop rules where it is multimodal.
    pub(crate) fn spec(&self, name: &'static str, run: u64) -> RunSpec {
        let spec = RunSpec::new(name, self.f, self.d, self.n, run);
        RunSpec {
            strategy: Strategy::Adaptive,
            perturbation: self.perturbation,
            start: self.start,
            sigma: self.sigma,
            to_the_end: self.f.is_unimodal(),
            target: if self.f.is_unimodal() { spec.target } else { TARGET },
            max_evaluations: 10_000 * self.d as u64,
            ..spec
        }
    }
}

/// The runs of one kind, by everyone.
pub(crate) struct Contest<'a> {
    pub(crate) kind: Kind,
    cells: [Cell<'a>; 6],
}

impl<'a> Contest<'a> {
    pub(crate) fn new(runs: &'a [RunRecord], name: &str, kind: Kind) -> Self {
        let function = kind.function();
        let of_kind: Vec<&RunRecord> = runs
            .iter()
            .filter(|r| {
                r.experiment == name
                    && r.d == kind.d
                    && r.function == function
                    && (kind.n == OWN_POPULATION || r.n == kind.n)
                    && (r.distance - kind.start.distance()).abs() < 1e-9
            })
            .collect();
        let by = |c: Contender| {
            let own = |r: &&&RunRecord| r.solver == c.solver() && r.variant == c.variant();
            Cell::of_runs(of_kind.iter().filter(own).copied())
        };
        Self { kind, cells: Contender::ALL.map(by) }
    }

    pub(crate) fn by(&self, contender: Contender) -> &Cell<'a> {
        &self.cells[contender as usize]
    }

    pub(crate) fn median(&self, contender: Contender) -> f64 {
        self.by(contender).evaluations(0.5)
    }

    pub(crate) fn is_measured(&self, contender: Contender) -> bool {
        !self.by(contender).runs.is_empty()
    }

    /// Both have run.
    pub(crate) fn is_between(&self, one: Contender, other: Contender) -> bool {
        self.is_measured(one) && self.is_measured(other)
    }

    /// Median over median, of the runs that succeeded; NaN where one has none.
    pub(crate) fn ratio(&self, one: Contender, other: Contender) -> f64 {
        self.median(one) / self.median(other)
    }

    /// Fewer evaluations than another, or success where it has none.
    pub(crate) fn beats(&self, one: Contender, other: Contender) -> bool {
        self.by(one).successes() > 0
            && (self.by(other).successes() == 0 || self.median(one) < self.median(other))
    }

    /// Fewer of its runs succeed, beyond the 95 % interval of the difference.
    pub(crate) fn is_below(&self, one: Contender, other: Contender) -> bool {
        let count = |c| (self.by(c).successes(), self.by(c).runs.len());
        self.is_between(one, other) && difference_interval(count(one), count(other)).1 < 0.0
    }

    /// `20/50 against 30/50`.
    pub(crate) fn shares(&self, one: Contender, other: Contender) -> String {
        format!("{} against {}", self.by(one).share(), self.by(other).share())
    }
}
