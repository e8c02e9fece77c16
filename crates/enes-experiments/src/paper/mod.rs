//! The experiments of the paper: what each runs, and what it makes of the records.

mod baselines;
mod mixing;
mod multimodal;
mod path;
mod rosenbrock;
mod scaling;
mod unimodal;

use clap::ValueEnum;

use crate::folder::Folder;
use crate::plan::Plan;
use crate::run::RunSpec;
use crate::section::Section;

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

/// A section for every experiment that has records, in the paper's order.
pub(crate) fn sections(plan: Plan, folder: &Folder) -> Vec<Section> {
    let there = Experiment::value_variants().iter().filter(|e| e.has_records(folder));
    there.map(|e| e.section(plan, folder)).collect()
}
