//! Tests that look inside: the oracles, importance mixing, invariance, and the statistics they use.

use std::io::Read;

use serde_json::Value;

mod adaptive;
mod folding;
mod invariance;
mod luck;
mod mixing;
mod oracle;
mod plain;
mod plain_math;
mod statistics;

/// What an independent program has written, which is kept compressed.
pub(crate) fn oracle_data(compressed: &[u8]) -> Value {
    let mut text = String::new();
    flate2::read::GzDecoder::new(compressed).read_to_string(&mut text).unwrap();
    serde_json::from_str(&text).unwrap()
}
