//! The C interface of [enes](https://docs.rs/enes): ask and tell, for programs in C, C++, Fortran, Julia and MATLAB.
//!
//! The header is `include/enes.h`. No function panics across the border: what goes wrong is a return value, and
//! [`enes_last_error`] has the sentence. An optimizer may be used from any thread, by one at a time.

#![warn(clippy::unwrap_used)]
// The border to C is the one place for it: every pointer is checked for NULL, what else must hold is said in the header.
#![allow(unsafe_code)]

mod error;
mod minimize;
mod optimizer;
mod read;

pub use error::enes_last_error;
pub use minimize::{EnesObjective, enes_minimize};
pub use optimizer::{
    EnesOptimizer, enes_ask, enes_checkpoint, enes_free, enes_inject, enes_new, enes_restore, enes_tell,
    enes_tell_constrained,
};
pub use read::{
    enes_best, enes_best_violation, enes_deviations, enes_dimension, enes_evaluations, enes_generations,
    enes_mean, enes_stop_reason, enes_stopped, enes_version,
};
