//! Costly objectives: evaluations with the surrogate, serially and in batches, compared with rank-based mode, pycma
//! and pycma's own model-assisted `fmin_lq_surr2`.

mod guide;
mod no_worse;
mod parts;
mod table;

use crate::comparison::Contender;
use crate::plan::Plan;
use crate::run::{RunRecord, RunSpec};
use crate::section::Section;

pub(crate) use guide::markdown as guide;

/// With the surrogate, without it, and the peers.
const EVERYONE: &[Contender] =
    &[Contender::Serial, Contender::Batch, Contender::RankBased, Contender::Lq, Contender::Pycma];

pub(crate) fn runs(plan: Plan) -> Vec<RunSpec> {
    let parts = parts::PARTS.iter().flat_map(|part| part.specs(plan));
    table::PART.specs(plan).into_iter().chain(parts).collect()
}

/// A section for each part that has records.
pub(crate) fn sections(plan: Plan, runs: &[RunRecord]) -> Vec<Section> {
    let parts = parts::PARTS.iter().filter_map(|part| part.section(plan, runs));
    table::PART.section(plan, runs).into_iter().chain(parts).collect()
}

/// The README's table.
pub(crate) fn markdown(plan: Plan, runs: &[RunRecord]) -> String {
    table::PART.markdown(plan, runs, EVERYONE, |d| format!("{d} (P = {})", table::coefficients(d)))
}
