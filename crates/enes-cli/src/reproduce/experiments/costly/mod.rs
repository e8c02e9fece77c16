//! Costly objectives: evaluations with the model of the values, serially and in batches, beside ranks alone, pycma and
//! pycma's own model-assisted `fmin_lq_surr2`.

mod expected;
mod guide;
mod never_worse;
mod parts;
mod table;

use enes::{ModelChoice, Strategy};
use enes_problems::Function;

use crate::reproduce::Plan;
use crate::reproduce::objective::Twist;
use crate::reproduce::run::{OWN_POPULATION, RunRecord, RunSpec, Solver, Start};
use crate::reproduce::section::Section;
use crate::reproduce::statistics::Cell;

/// Who searches.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Way {
    /// With the model, one sample beside its point.
    Serial,
    /// With the model, as it is by default.
    Batch,
    /// By ranks alone.
    Ranks,
    /// `cma.fmin_lq_surr2`.
    Lq,
    Pycma,
}

impl Way {
    const ALL: [Self; 5] = [Self::Serial, Self::Batch, Self::Ranks, Self::Lq, Self::Pycma];

    fn name(self) -> &'static str {
        match self {
            Self::Serial => "serial",
            Self::Batch => "batch",
            Self::Ranks => "ranks",
            Self::Lq => "lq",
            Self::Pycma => "pycma",
        }
    }

    fn solver(self) -> Solver {
        match self {
            Self::Lq => Solver::Lq,
            Self::Pycma => Solver::Pycma,
            _ => Solver::Enes,
        }
    }

    /// The variant that its records have.
    fn variant(self) -> &'static str {
        if self.solver().is_enes() { self.name() } else { "" }
    }

    /// This run, in this way.
    fn of(self, spec: RunSpec) -> RunSpec {
        let spec = RunSpec {
            variant: self.variant().to_string(),
            solver: self.solver(),
            model: if self == Self::Ranks { ModelChoice::RankOnly } else { ModelChoice::Auto },
            batch: (self == Self::Serial).then_some(1),
            max_seconds: (self == Self::Lq).then_some(LQ_SECONDS),
            ..spec
        };
        RunSpec { seconds: Some(expected::seconds(self, &spec)), ..spec }
    }
}

/// The limit of processor time for a run of `fmin_lq_surr2`, which spends it on its own model.
const LQ_SECONDS: f64 = 30.0;

/// A kind of runs: what is minimized, and from where.
#[derive(Clone, Copy, Debug)]
struct Kind {
    f: Function,
    twist: Twist,
    d: usize,
    distance: f64,
    sigma: f64,
}

impl Kind {
    /// From distance 1 with sigma 1.
    fn new(f: Function, twist: Twist, d: usize) -> Self {
        Self { f, twist, d, distance: 1.0, sigma: 1.0 }
    }

    fn function(&self) -> String {
        self.twist.named(self.f.name())
    }

    /// `sphere d = 5`.
    fn name(&self) -> String {
        let from = if self.f.is_unimodal() { String::new() } else { format!(" from {}", self.distance) };
        format!("{} d = {}{from}", self.function(), self.d)
    }

    /// A run of this kind to the end, no restarts.
    fn spec(&self, name: &'static str, run: u64) -> RunSpec {
        RunSpec {
            strategy: Strategy::Adaptive,
            twist: self.twist,
            start: Start::Exactly(self.distance),
            sigma: self.sigma,
            to_the_end: true,
            max_evaluations: 10_000 * self.d as u64,
            ..RunSpec::new(name, self.f, self.d, OWN_POPULATION, run)
        }
    }
}

/// The runs of one kind, by everyone.
struct Contest<'a> {
    kind: Kind,
    cells: [Cell<'a>; 5],
}

impl<'a> Contest<'a> {
    fn new(runs: &'a [RunRecord], name: &str, kind: Kind) -> Self {
        let function = kind.function();
        let cells = Way::ALL.map(|way| {
            Cell::new(runs, |r| {
                r.experiment == name
                    && r.solver == way.solver()
                    && r.variant == way.variant()
                    && r.function == function
                    && r.d == kind.d
                    && (r.distance - kind.distance).abs() < 1e-9
            })
        });
        Self { kind, cells }
    }

    fn by(&self, way: Way) -> &Cell<'a> {
        &self.cells[way as usize]
    }

    fn median(&self, way: Way) -> f64 {
        self.by(way).evaluations(0.5)
    }

    fn is_measured(&self, way: Way) -> bool {
        !self.by(way).runs.is_empty()
    }

    /// Fewer evaluations than another, or success where it has none.
    fn beats(&self, way: Way, other: Way) -> bool {
        let (ours, theirs) = (self.by(way), self.by(other));
        ours.successes() > 0 && (theirs.successes() == 0 || self.median(way) < self.median(other))
    }

    /// Function and dimension, then median, quartiles and successes of each.
    fn row(&self, ways: &[Way]) -> Vec<String> {
        let mut row = vec![self.kind.function(), self.kind.d.to_string(), format!("{}", self.kind.distance)];
        for &way in ways {
            let [low, median, high] = self.by(way).quartiles();
            row.extend([median, format!("{low} to {high}"), self.by(way).share()]);
        }
        row
    }
}

/// The header of such rows. Names of columns differ by trailing blanks.
fn header(ways: &[Way]) -> Vec<&'static str> {
    let quartiles = ["quartiles", "quartiles ", "quartiles  ", "quartiles   ", "quartiles    "];
    let solved = ["solved", "solved ", "solved  ", "solved   ", "solved    "];
    let mut header = vec!["function", "d", "distance"];
    for (i, way) in ways.iter().enumerate() {
        header.extend([way.name(), quartiles[i], solved[i]]);
    }
    header
}

pub(super) fn runs(plan: Plan) -> Vec<RunSpec> {
    [table::runs(plan), parts::runs(plan)].concat()
}

/// A section for each part that has records.
pub(super) fn sections(plan: Plan, runs: &[RunRecord]) -> Vec<Section> {
    let mut sections = Vec::new();
    if runs.iter().any(|r| r.experiment == table::NAME) {
        sections.push(table::section(plan, runs));
    }
    sections.extend(parts::sections(plan, runs));
    sections
}

/// The table of docs/costly.md.
pub(super) fn guide(plan: Plan, runs: &[RunRecord]) -> String {
    guide::markdown(plan, runs)
}

/// The README's table.
pub(super) fn markdown(plan: Plan, runs: &[RunRecord]) -> String {
    table::markdown(plan, runs)
}
