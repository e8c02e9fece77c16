//! Tests that look inside: the oracle, importance mixing, invariance, and the statistics they use.

mod invariance;
mod mixing;
mod oracle;
mod statistics;
