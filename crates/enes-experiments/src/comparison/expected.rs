//! How long a run is expected to take: for the order of the runs and the time that is left, not for any result.

use enes::Restarts;
use enes_problems::Function;

use super::Contender;
use crate::objective::Perturbation;
use crate::run::RunSpec;

/// Processor seconds, within a factor of about three.
pub(crate) fn seconds(contender: Contender, spec: &RunSpec) -> f64 {
    let d = spec.d as f64;
    let coefficients = (d + 1.0) * (d + 2.0) / 2.0;
    let quadratic = spec.perturbation == Perturbation::None
        && !matches!(spec.function, Function::DiffPow | Function::Rosenbrock | Function::SharpR);
    let budget = spec.max_evaluations as f64;
    // A plain search, in units of what rank-based mode needs on an ellipsoid.
    let hard = if spec.function == Function::Rosenbrock { 2.0 } else { 1.0 };
    let ranks = (40.0 * hard * d.powf(1.5)).min(budget);
    let evaluations = match (contender, spec.restarts) {
        (_, Restarts::Bipop | Restarts::Ipop | Restarts::Auto) => 0.5 * budget,
        (Contender::Serial | Contender::Batch | Contender::Lq, _) if !spec.function.is_unimodal() => ranks,
        (Contender::Serial | Contender::Batch, _) if quadratic => 1.2 * coefficients,
        (Contender::Serial | Contender::Batch, _) => 0.5 * ranks,
        (Contender::Lq, _) if quadratic => 1.5 * coefficients,
        (Contender::Lq, _) => ranks,
        (Contender::RankBased | Contender::StopRules, _) => ranks,
        (Contender::Pycma, _) => 3.0 * ranks,
    };
    let each = match contender {
        Contender::Serial => 1e-5 + 1.2e-3 * (d / 20.0).powi(4),
        Contender::Batch => 1e-5 + 4e-4 * (d / 20.0).powi(4),
        Contender::RankBased | Contender::StopRules => 3e-6 + 1.5e-5 * (d / 20.0).powi(2),
        Contender::Lq => 2e-3 + 8e-3 * (d / 20.0).powi(3),
        Contender::Pycma => 5e-5,
    };
    (evaluations * each).min(spec.max_seconds.unwrap_or(f64::INFINITY))
}
