//! The experiments: what each runs, and what it makes of the records.

mod adaptive;
mod baselines;
mod costly;
mod mixing;
mod multimodal;
mod path;
mod restarts;
mod rosenbrock;
mod scaling;
mod unimodal;

use std::fmt::Write;

use super::folder::Folder;
use super::page;
use super::run::RunSpec;
use super::section::Section;
use super::{Experiment, Plan, Set};

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
        Experiment::Costly => costly::runs(plan),
        Experiment::Restarts => restarts::runs(plan),
        Experiment::Scaling | Experiment::All => Vec::new(),
    }
}

/// A section for every experiment that has records, in the paper's order.
pub(crate) fn sections(plan: Plan, folder: &Folder) -> Vec<Section> {
    match plan.set {
        Set::Paper => {}
        Set::Adaptive => return adaptive::sections(plan, &folder.runs),
        Set::Costly => return costly::sections(plan, &folder.runs),
        Set::Restarts => return restarts::sections(plan, &folder.runs),
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

/// The table of the guide that belongs to a set.
pub(crate) fn guide(plan: Plan, folder: &Folder) -> Option<String> {
    (plan.set == Set::Costly).then(|| costly::guide(plan, &folder.runs))
}

/// The README's tables of a set that has some: medians, then every requirement with its verdict.
pub(crate) fn markdown(plan: Plan, folder: &Folder, sections: &[Section]) -> Option<String> {
    let mut out = match plan.set {
        Set::Paper => return None,
        Set::Adaptive => adaptive::markdown(plan, &folder.runs),
        Set::Costly => costly::markdown(plan, &folder.runs),
        Set::Restarts => restarts::markdown(plan, &folder.runs),
    };
    let verdicts = page::verdicts(plan, sections);
    let _ = writeln!(out, "\n| {} |\n|{}", verdicts.header[1..].join(" | "), "---|".repeat(3));
    for row in &verdicts.rows {
        let cells: Vec<String> = row[1..].iter().map(|cell| cell.replace('|', "\\|")).collect();
        let _ = writeln!(out, "| {} |", cells.join(" | "));
    }
    Some(out)
}
