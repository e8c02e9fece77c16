//! The long statistical tests of the library are in `tests/`; here is what they share with the short ones of `enes`.

pub mod integers;
pub mod medians;
pub mod noisy;
