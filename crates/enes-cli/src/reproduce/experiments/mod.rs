//! The experiments: what each runs, and what it makes of the records.

mod adaptive;
mod baselines;
mod mixing;
mod multimodal;
mod path;
mod rosenbrock;
mod scaling;
mod unimodal;

use super::folder::Folder;
use super::run::RunSpec;
use super::section::Section;
use super::{Experiment, Plan, Set};
pub(crate) use adaptive::markdown;

const ORDER: [Experiment; 7] = [
    Experiment::Unimodal,
    Experiment::Rosenbrock,
    Experiment::Multimodal,
    Experiment::Path,
    Experiment::Mixing,
    Experiment::Baselines,
    Experiment::Scaling,
];

/// One experiment, or all of the paper's.
pub(crate) fn chosen(experiment: Experiment) -> Vec<Experiment> {
    match experiment {
        Experiment::All => ORDER.to_vec(),
        one => vec![one],
    }
}

/// The runs of an experiment.
pub(crate) fn runs(experiment: Experiment, plan: Plan) -> Vec<RunSpec> {
    match experiment {
        Experiment::Unimodal => unimodal::runs(plan),
        Experiment::Rosenbrock => rosenbrock::runs(plan),
        Experiment::Multimodal => multimodal::runs(plan),
        Experiment::Path => path::runs(plan),
        Experiment::Mixing => mixing::runs(plan),
        Experiment::Baselines => baselines::runs(plan),
        Experiment::Adaptive => adaptive::runs(plan),
        Experiment::Restarts => adaptive::distances::runs(plan),
        Experiment::Scaling | Experiment::All => Vec::new(),
    }
}

/// A section for every experiment that has records, in the paper's order.
pub(crate) fn sections(plan: Plan, folder: &Folder) -> Vec<Section> {
    if plan.set == Set::Adaptive {
        return adaptive::sections(plan, &folder.runs);
    }
    let has = |name: &str| folder.runs.iter().any(|r| r.experiment == name);
    let mut sections = Vec::new();
    for experiment in ORDER {
        let section = match experiment {
            Experiment::Unimodal if has(unimodal::NAME) => unimodal::section(plan, &folder.runs),
            Experiment::Rosenbrock if has(rosenbrock::NAME) => rosenbrock::section(&folder.runs),
            Experiment::Multimodal if has(multimodal::NAME) => multimodal::section(plan, &folder.runs),
            Experiment::Path if has(path::NAME) => path::section(plan, &folder.runs),
            Experiment::Mixing if has(mixing::NAME) => mixing::section(plan, &folder.runs),
            Experiment::Baselines if has(baselines::NAME) => baselines::section(plan, &folder.runs),
            Experiment::Scaling if !folder.measurements.is_empty() => scaling::section(&folder.measurements),
            _ => continue,
        };
        sections.push(section);
    }
    sections
}
