//! The multimodal functions with restarts, compared with pycma's BIPOP: with all defaults, from near and far and inside
//! a box; and in rank-based mode, where one thing is changed at a time.

mod ablation;
mod defaults;
mod rank_based;

use std::fmt::Write;

use crate::comparison::Contender;
use crate::plan::Plan;
use crate::run::{RunRecord, RunSpec};
use crate::section::Section;

use defaults::{BOX, DISTANCES, OURS};

pub(crate) fn runs(plan: Plan) -> Vec<RunSpec> {
    let parts = [&DISTANCES, &BOX, &rank_based::PART].into_iter().flat_map(|part| part.specs(plan));
    parts.chain(ablation::runs(plan)).collect()
}

/// A section for each part that has records.
pub(crate) fn sections(plan: Plan, runs: &[RunRecord]) -> Vec<Section> {
    let parts = [&DISTANCES, &BOX, &rank_based::PART].into_iter().filter_map(|part| part.section(plan, runs));
    parts.chain(ablation::section(plan, runs)).collect()
}

/// A row for each function and dimension, evaluations of both programs from each start.
pub(crate) fn markdown(plan: Plan, runs: &[RunRecord]) -> String {
    let (far, boxed) = (DISTANCES.contests(plan, runs), BOX.contests(plan, runs));
    let distances = defaults::distances(plan);
    let mut out = String::from("| function | d |");
    for r in distances {
        let _ = write!(out, " from {r} |");
    }
    let _ = writeln!(out, " box |\n|---|---|{}---|", "---|".repeat(distances.len()));
    for (boxed, far) in boxed.iter().zip(far.chunks(distances.len())) {
        let _ = write!(out, "| {} | {} |", boxed.kind.f, boxed.kind.d);
        for contest in far.iter().chain([boxed]) {
            let [ours, theirs] = [OURS, Contender::Pycma].map(|who| contest.by(who).short());
            let _ = write!(out, " {ours} : {theirs} |");
        }
        out.push('\n');
    }
    out
}
