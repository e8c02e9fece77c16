//! What both strategies compute with: costs, ranks, quantiles, quadratics of a kernel.

pub(crate) mod cost;
pub(crate) mod quadratic;
pub(crate) mod quantile;
pub(crate) mod ranks;

/// Whether so many things can have been counted: beyond, a checkpoint is not what a run has written.
#[cfg(feature = "serde")]
pub(crate) fn is_count(n: u64) -> bool {
    n < 1 << 53
}
