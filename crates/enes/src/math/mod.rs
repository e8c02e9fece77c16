//! What both strategies compute with: costs, ranks, quantiles, quadratics of a kernel.

pub(crate) mod cost;
pub(crate) mod quadratic;
pub(crate) mod quantile;
pub(crate) mod ranks;
