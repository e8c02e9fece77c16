//! Black-box optimization with Efficient Natural Evolution Strategies (eNES; Sun, Wierstra, Schaul
//! and Schmidhuber, GECCO 2009).
//!
//! For objectives that can only be evaluated: a simulator, a fit, a controller. The search
//! distribution is a Gaussian with full covariance that follows the natural gradient of expected
//! fitness; evaluated points are reused, so few new evaluations are needed.
//!
//! ```
//! use enes::Settings;
//! let settings = Settings::new([3.0; 10], 1.0).seed(7).target(1e-10);
//! let outcome = enes::minimize(&settings, |x| x.iter().map(|v| v * v).sum())?;
//! assert!(outcome.value <= 1e-10);
//! println!("{} after {} evaluations: {}", outcome.value, outcome.evaluations, outcome.stop);
//! # Ok::<(), enes::SettingsError>(())
//! ```
//!
//! - [`minimize`], [`maximize`], [`minimize_batch`], [`minimize_parallel`], [`try_minimize`]: hand
//!   over the objective.
//! - [`minimize_constrained`]: an objective that also tells by how much it violates constraints.
//! - [`Optimizer`]: ask for points, evaluate them any way you like, tell their values.
//! - [`Run`]: observers that see every generation.
//!
//! Values: smaller is better unless you say otherwise; NaN ranks last, infinities are legal, equal
//! values share their rank. The same seed gives the same run, whatever the number of threads.

#![warn(clippy::unwrap_used)]

mod bounds;
mod chosen;
mod constrained;
mod error;
mod fitness_baseline;
mod fitness_shaping;
mod gaussian;
mod importance_mixing;
mod inject;
mod integer;
mod interval;
mod linalg;
mod minimize;
mod modelling;
mod natural_gradient;
mod noise;
mod optimizer;
mod outcome;
mod population;
mod random;
mod restarts;
mod scale;
mod settings;
mod space;
mod spectrum;
mod starts;
mod stop_reason;
mod stopping;
mod strategy;
mod view;
mod violation;
mod warm_start;

#[cfg(feature = "serde")]
mod checkpoint;

pub use bounds::{BoundHandling, Bounds, LogScale};
#[cfg(feature = "serde")]
pub use checkpoint::CheckpointError;
pub use chosen::Chosen;
pub use constrained::minimize_constrained;
#[cfg(feature = "rayon")]
pub use constrained::minimize_constrained_parallel;
pub use error::{DistributionError, SettingsError, TellError};
pub use fitness_baseline::Baseline;
pub use fitness_shaping::Shaping;
pub use gaussian::SearchDistribution;
pub use inject::InjectError;
pub use integer::Integers;
pub use interval::{Interval, IntervalError};
#[cfg(feature = "rayon")]
pub use minimize::minimize_parallel;
pub use minimize::{MinimizeError, Partial, Run, maximize, minimize, minimize_batch, try_minimize};
pub use modelling::{ModelChoice, ModelReading};
pub use natural_gradient::Gradient;
pub use noise::Recommendation;
pub use optimizer::{Best, Optimizer};
pub use outcome::Outcome;
pub use population::Points;
pub use restarts::{Restart, Restarts};
pub use scale::Scale;
pub use settings::{Direction, Settings, Strategy};
pub use stop_reason::StopReason;
#[doc(hidden)]
pub use strategy::adaptive::Ablation;
#[cfg(feature = "timing")]
#[doc(hidden)]
pub use strategy::adaptive::PARTS;
pub use strategy::adaptive::ResponseKind;
pub use warm_start::WarmStart;

/// The README's snippets are compiled and run as doc-tests.
#[cfg(doctest)]
#[doc = include_str!("../../../README.md")]
struct Readme;

#[cfg(test)]
mod tests;
