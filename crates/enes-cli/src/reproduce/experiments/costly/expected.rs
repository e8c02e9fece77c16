//! How long a run is expected to take: for the order of the runs and the time that is left, not for any result.

use enes::Restarts;
use enes_problems::Function;

use super::Way;
use crate::reproduce::objective::Twist;
use crate::reproduce::run::RunSpec;

/// Processor seconds, within a factor of about three.
pub(super) fn seconds(way: Way, spec: &RunSpec) -> f64 {
    let d = spec.d as f64;
    let coefficients = (d + 1.0) * (d + 2.0) / 2.0;
    let quadratic = spec.twist == Twist::None
        && !matches!(spec.function, Function::DiffPow | Function::Rosenbrock | Function::SharpR);
    let budget = spec.max_evaluations as f64;
    // A plain search, in units of what ranks alone need on an ellipsoid.
    let hard = if spec.function == Function::Rosenbrock { 2.0 } else { 1.0 };
    let ranks = (40.0 * hard * d.powf(1.5)).min(budget);
    let evaluations = match (way, spec.restarts) {
        (_, Restarts::Bipop) => 0.5 * budget,
        (Way::Serial | Way::Batch | Way::Lq, _) if !spec.function.is_unimodal() => ranks,
        (Way::Serial | Way::Batch, _) if quadratic => 1.2 * coefficients,
        (Way::Serial | Way::Batch, _) => 0.5 * ranks,
        (Way::Lq, _) if quadratic => 1.5 * coefficients,
        (Way::Lq, _) => ranks,
        (Way::Ranks, _) => ranks,
        (Way::Pycma, _) => 3.0 * ranks,
    };
    let each = match way {
        Way::Serial => 1e-5 + 1.2e-3 * (d / 20.0).powi(4),
        Way::Batch => 1e-5 + 4e-4 * (d / 20.0).powi(4),
        Way::Ranks => 3e-6 + 1.5e-5 * (d / 20.0).powi(2),
        Way::Lq => 2e-3 + 8e-3 * (d / 20.0).powi(3),
        Way::Pycma => 5e-5,
    };
    (evaluations * each).min(spec.max_seconds.unwrap_or(f64::INFINITY))
}
