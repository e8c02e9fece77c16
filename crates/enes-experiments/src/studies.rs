//! The studies by name: what each runs, and what it makes of the records.

use std::fmt::Write;

use crate::folder::Folder;
use crate::paper::{self, Experiment};
use crate::plan::{Plan, Study};
use crate::run::RunSpec;
use crate::section::Section;
use crate::{adaptive, asynchronous, costly, landscapes, page, restarts};

/// The runs of a study; of the paper, those of the chosen experiments.
pub(crate) fn runs(plan: Plan, chosen: &[Experiment]) -> Vec<RunSpec> {
    match plan.study {
        Study::Paper => paper::runs(plan, chosen),
        Study::Adaptive => adaptive::runs(plan),
        Study::Costly => costly::runs(plan),
        Study::Restarts => restarts::runs(plan),
        Study::Asynchronous => asynchronous::runs(plan),
        // Not of functions: `landscapes::reproduce` has its own.
        Study::Landscapes => Vec::new(),
    }
}

/// A section for every part that has records.
pub(crate) fn sections(plan: Plan, folder: &Folder) -> Vec<Section> {
    match plan.study {
        Study::Paper => paper::sections(plan, folder),
        Study::Adaptive => adaptive::sections(plan, &folder.runs),
        Study::Costly => costly::sections(plan, &folder.runs),
        Study::Restarts => restarts::sections(plan, &folder.runs),
        Study::Asynchronous => asynchronous::sections(plan, &folder.runs),
        Study::Landscapes => landscapes::sections(&folder.runs),
    }
}

/// The tables of benchmarks/*/README.md: medians, then every requirement with its verdict.
pub(crate) fn markdown(plan: Plan, folder: &Folder, sections: &[Section]) -> String {
    let mut out = match plan.study {
        Study::Paper => String::new(),
        Study::Adaptive => adaptive::markdown(plan, &folder.runs),
        Study::Costly => costly::markdown(plan, &folder.runs),
        Study::Restarts => restarts::markdown(plan, &folder.runs),
        Study::Asynchronous => asynchronous::markdown(plan, &folder.runs),
        Study::Landscapes => landscapes::markdown(&folder.runs),
    };
    if !out.is_empty() {
        out.push('\n');
    }
    let verdicts = page::verdicts(plan, sections);
    // The paper's claims do not name their experiment; the others do.
    let from = if plan.study == Study::Paper { 0 } else { 1 };
    let header = &verdicts.header[from..];
    let _ = writeln!(out, "| {} |\n|{}", header.join(" | "), "---|".repeat(header.len()));
    for row in &verdicts.rows {
        let cells: Vec<String> = row[from..].iter().map(|cell| cell.replace('|', "\\|")).collect();
        let _ = writeln!(out, "| {} |", cells.join(" | "));
    }
    out
}
