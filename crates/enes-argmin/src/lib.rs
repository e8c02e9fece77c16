//! enes as a solver of [argmin](https://docs.rs/argmin).
//!
//! [`Enes`] takes the [`Settings`] of the library. One iteration of argmin is one generation; all its points are
//! evaluated by [`Problem::bulk_cost`](argmin::core::Problem::bulk_cost), on several threads with the feature `rayon`.
//! Observers see the best point and its value, and as key and value `evaluations`, `population`, `sigma`, `mode`, `error`
//! and `restarts`. A checkpoint of argmin holds the whole optimizer, the random generator included: a run that
//! continues from it is the same, bit for bit.
//!
//! ```
//! use argmin::core::{CostFunction, Error, Executor, State};
//! use enes_argmin::{Enes, Settings};
//!
//! struct Sphere;
//!
//! impl CostFunction for Sphere {
//!     type Param = Vec<f64>;
//!     type Output = f64;
//!
//!     fn cost(&self, x: &Vec<f64>) -> Result<f64, Error> {
//!         Ok(x.iter().map(|v| v * v).sum())
//!     }
//! }
//!
//! let solver = Enes::new(Settings::new([3.0; 10], 1.0).seed(7));
//! let result = Executor::new(Sphere, solver).configure(|state| state.target_cost(1e-10)).run()?;
//! assert!(result.state().get_best_cost() <= 1e-10);
//! # Ok::<(), Error>(())
//! ```

#![warn(clippy::unwrap_used)]

mod solver;
mod stored;

pub use enes;
pub use enes::Settings;
pub use solver::{Enes, EnesState};

/// The README's snippet is compiled and run as a doc-test.
#[cfg(doctest)]
#[doc = include_str!("../README.md")]
struct Readme;
