//! `cargo xtask fuzz`: see `enes_cli::fuzzing`.
#![no_main]

libfuzzer_sys::fuzz_target!(|bytes: &[u8]| enes_cli::fuzzing::inject_table(bytes));
