//! The adaptive strategy in rank-based mode, without its surrogate, compared with pycma: the same instances, the same
//! starts, the same way of counting.

mod ablation;
mod populations;
mod table;

use crate::comparison::Contender;
use crate::plan::Plan;
use crate::run::{RunRecord, RunSpec};
use crate::section::Section;

pub(crate) use ablation::without;
pub(crate) use table::{OURS, PYCMA};

pub(crate) fn runs(plan: Plan) -> Vec<RunSpec> {
    [table::PART.specs(plan), populations::PART.specs(plan), ablation::runs(plan)].concat()
}

/// A section for each part that has records.
pub(crate) fn sections(plan: Plan, runs: &[RunRecord]) -> Vec<Section> {
    let parts = [table::PART.section(plan, runs), populations::PART.section(plan, runs)];
    parts.into_iter().flatten().chain(ablation::section(plan, runs)).collect()
}

/// The README's table: medians by dimension and function.
pub(crate) fn markdown(plan: Plan, runs: &[RunRecord]) -> String {
    table::PART.markdown(plan, runs, &[Contender::RankBased, Contender::Pycma], |d| d.to_string())
}
