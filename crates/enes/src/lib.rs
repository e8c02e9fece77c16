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
//! println!("{:.1e} after {} evaluations: {}", outcome.value, outcome.evaluations, outcome.stop);
//! # Ok::<(), enes::SettingsError>(())
//! ```
//!
//! - [`minimize`], [`maximize`], [`minimize_batch`], [`minimize_parallel`], [`try_minimize`]: hand
//!   over the objective.
//! - [`minimize_with_constraints`]: an objective that also tells the value of each constraint;
//!   [`minimize_constrained`]: one that tells by how much it violates them all.
//! - [`Optimizer`]: ask for points, evaluate them any way you like, tell their values.
//! - [`Run`]: observers that see every generation.
//!
//! Features: `rayon` (default) evaluates on several threads; `serde` has checkpoints and settings in files
//! (`SettingsFile`); `tracing` emits an event for each generation, restart and end, with the target `enes`.
//!
//! Values: smaller is better unless you say otherwise; NaN ranks last, infinities are legal, equal
//! values share their rank. The same seed gives the same run; on several threads with [`minimize_parallel_sync`], where
//! a generation waits for its slowest point.

#![warn(clippy::unwrap_used)]

mod archive;
mod constraints;
mod error;
mod linalg;
mod math;
mod minimize;
mod noise;
mod optimizer;
mod outcome;
mod random;
mod restarts;
mod search;
mod settings;
mod space;
mod stopping;
mod strategy;

pub use constraints::{ConstraintKind, LinearConstraint};
pub use error::{AskError, DistributionError, SettingsError, TellError};
pub use minimize::{
    MinimizeError, Partial, Run, maximize, minimize, minimize_batch, minimize_constrained,
    minimize_with_constraints, try_minimize,
};
#[cfg(feature = "rayon")]
pub use minimize::{minimize_constrained_parallel, minimize_parallel, minimize_parallel_sync};
pub use noise::Recommendation;
#[cfg(feature = "serde")]
pub use optimizer::CheckpointError;
pub use optimizer::{Best, ConstraintStatus, InjectError, Optimizer, Proposal};
pub use outcome::Outcome;
pub use restarts::{Optimum, Restart};
pub use search::{Points, SearchDistribution};
#[cfg(feature = "serde")]
pub use settings::SettingsFile;
pub use settings::{
    ConstraintNames, Direction, GenerationCost, ModelChoice, Restarts, Settings, SettingsSummary, Strategy,
    WarmStart,
};
pub use space::{BoundHandling, Bounds, Integers, Interval, IntervalError, LogScale, Scale};
pub use stopping::StopReason;
#[cfg(feature = "tuning")]
#[doc(hidden)]
pub use strategy::adaptive::{
    Configuration, GradientTuning, NeedTuning, RankTuning, SurrogateTuning, Tuning,
};
pub use strategy::adaptive::{Mode, ModelStatus, ResponseKind};
pub use strategy::published::{Baseline, Gradient, Shaping};

/// The former name of [`SettingsSummary`].
#[deprecated(since = "0.2.0", note = "use `SettingsSummary`")]
pub type Chosen = SettingsSummary;

/// The former name of [`ModelStatus`].
#[deprecated(since = "0.2.0", note = "use `ModelStatus`")]
pub type ModelReading = ModelStatus;

/// The README's snippets are compiled and run as doc-tests.
#[cfg(doctest)]
#[doc = include_str!("../../../README.md")]
struct Readme;

/// And those of the guide.
#[cfg(all(doctest, feature = "serde"))]
#[doc = include_str!("../../../docs/rust.md")]
struct Guide;

#[cfg(test)]
mod tests;
