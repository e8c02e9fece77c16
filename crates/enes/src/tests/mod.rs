//! Tests that look inside: the oracles, importance mixing, invariance, and the statistics they use.

mod adaptive;
mod folding;
mod invariance;
mod luck;
mod mixing;
mod oracle;
mod plain;
mod plain_math;
mod statistics;
