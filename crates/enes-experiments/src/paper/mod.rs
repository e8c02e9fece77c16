//! The experiments of the paper: what each runs, and what it makes of the records.

mod baselines;
mod fresh;
mod luck;
mod mixing;
mod multimodal;
mod path;
mod plain;
mod repair;
mod rosenbrock;
mod scaling;
mod signal;
mod small;
mod summary;
mod unimodal;

use clap::ValueEnum;
use enes::Settings;
use enes_problems::Function;

use crate::folder::Folder;
use crate::plan::Plan;
use crate::run::{RunRecord, RunSpec};
use crate::section::Section;

pub(crate) use path::draws_after;

/// An experiment of the paper, in its order.
#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
pub(crate) enum Experiment {
    Unimodal,
    Rosenbrock,
    Multimodal,
    Path,
    Mixing,
    Baselines,
    Scaling,
    Luck,
    Fresh,
    Small,
    Repair,
    Signal,
}

/// Whether a table shows medians of all runs like this one, of values and generations; and whether one counts them by
/// their distance from the optimum.
pub(crate) fn shows(run: &RunRecord) -> (bool, bool) {
    (
        run.experiment == signal::NAME,
        run.experiment == multimodal::NAME && run.variant == multimodal::AS_PRINTED,
    )
}

/// A run of the published strategy with the paper's settings and with its rules to stop: the target, and a distribution
/// that has collapsed, or values that are all equal, which no generation could change. It names no others.
fn spec(experiment: &'static str, function: Function, d: usize, n: usize, run: u64) -> RunSpec {
    RunSpec { change: without_our_rules, ..RunSpec::new(experiment, function, d, n, run) }
}

fn without_our_rules(settings: Settings) -> Settings {
    let settings = settings.tolfun(None).tolfunhist(None).tolstagnation(None);
    settings.tolconditioncov(None).tolfacupx(None).noeffect(false)
}

impl Experiment {
    /// As its records and its section have it.
    pub(crate) fn name(self) -> &'static str {
        match self {
            Self::Unimodal => unimodal::NAME,
            Self::Rosenbrock => rosenbrock::NAME,
            Self::Multimodal => multimodal::NAME,
            Self::Path => path::NAME,
            Self::Mixing => mixing::NAME,
            Self::Baselines => baselines::NAME,
            Self::Scaling => scaling::NAME,
            Self::Luck => luck::NAME,
            Self::Fresh => fresh::NAME,
            Self::Small => small::NAME,
            Self::Repair => repair::NAME,
            Self::Signal => signal::NAME,
        }
    }

    fn runs(self, plan: Plan) -> Vec<RunSpec> {
        match self {
            Self::Unimodal => unimodal::runs(plan),
            Self::Rosenbrock => rosenbrock::runs(plan),
            Self::Multimodal => multimodal::runs(plan),
            Self::Path => path::runs(plan),
            Self::Mixing => mixing::runs(plan),
            Self::Baselines => baselines::runs(plan),
            Self::Scaling => Vec::new(), // measured, not run
            Self::Luck => luck::runs(plan),
            Self::Fresh => fresh::runs(plan),
            Self::Small => small::runs(plan),
            Self::Repair => repair::runs(plan),
            Self::Signal => signal::runs(plan),
        }
    }

    fn section(self, plan: Plan, folder: &Folder) -> Section {
        match self {
            Self::Unimodal => unimodal::section(plan, &folder.runs),
            Self::Rosenbrock => rosenbrock::section(&folder.runs),
            Self::Multimodal => multimodal::section(plan, &folder.runs),
            Self::Path => path::section(plan, &folder.runs),
            Self::Mixing => mixing::section(plan, &folder.runs),
            Self::Baselines => baselines::section(plan, &folder.runs),
            Self::Scaling => scaling::section(&folder.measurements),
            Self::Luck => luck::section(&folder.runs),
            Self::Fresh => fresh::section(plan, &folder.runs),
            Self::Small => small::section(plan, &folder.runs),
            Self::Repair => repair::section(plan, &folder.runs),
            Self::Signal => signal::section(plan, &folder.runs),
        }
    }

    fn has_records(self, folder: &Folder) -> bool {
        match self {
            Self::Scaling => !folder.measurements.is_empty(),
            _ => folder.runs.iter().any(|r| r.experiment == self.name()),
        }
    }
}

/// Those that are named, or all.
pub(crate) fn chosen(named: &[Experiment]) -> &[Experiment] {
    if named.is_empty() { Experiment::value_variants() } else { named }
}

/// The runs of the chosen experiments.
pub(crate) fn runs(plan: Plan, named: &[Experiment]) -> Vec<RunSpec> {
    chosen(named).iter().flat_map(|e| e.runs(plan)).collect()
}

/// What was found, and a section for every experiment that has records, in the paper's order.
pub(crate) fn sections(plan: Plan, folder: &Folder) -> Vec<Section> {
    let there = Experiment::value_variants().iter().filter(|e| e.has_records(folder));
    let found = [Experiment::Luck, Experiment::Fresh, Experiment::Small];
    let found = found.iter().all(|e| e.has_records(folder)).then(|| summary::section(plan, &folder.runs));
    found.into_iter().chain(there.map(|e| e.section(plan, folder))).collect()
}
