//! The long statistical tests of the library, in `tests`: `cargo xtask test --all` runs them.
