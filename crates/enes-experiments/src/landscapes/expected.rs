//! How long a run is expected to take: for the order of the runs and the time that is left, not for any result.

use super::contender::Contender;
use super::family::Family;
use super::spec::Spec;

/// Processor time after which a run of a peer is stopped, and has failed. pycma, which is the measure, has no limit.
pub(super) fn limit(contender: Contender) -> Option<f64> {
    match contender {
        Contender::Lq => Some(15.0),
        Contender::Cmaes | Contender::NelderMead | Contender::Newuoa => Some(60.0),
        Contender::Enes | Contender::Ranks | Contender::Pycma | Contender::Bipop => None,
    }
}

/// Processor seconds, within a factor of about three.
pub(super) fn seconds(spec: &Spec) -> f64 {
    let d = spec.d as f64;
    let budget = spec.budget() as f64;
    // A plain search of CMA-ES; where there is more than one basin, much of the budget.
    let plain = match spec.family {
        Family::Smooth => 300.0 * d,
        family if family.is_multimodal() => 0.5 * budget,
        _ => (100.0 * d.powf(1.5)).min(0.7 * budget),
    };
    let (share, each) = match spec.contender {
        Contender::Enes if d > 40.0 => (0.7, 5e-5),
        Contender::Enes if spec.family == Family::Smooth => (0.1, 1e-5 + 3e-5 * (d / 20.0).powi(3)),
        Contender::Enes => (0.7, 1e-5 + 3e-5 * (d / 20.0).powi(3)),
        Contender::Ranks => (0.7, 3e-6 + 3e-6 * (d / 20.0).powi(2)),
        Contender::Pycma | Contender::Bipop => (1.0, 6e-5 + 3e-5 * (d / 40.0).powi(2)),
        Contender::Cmaes => (1.5, 5e-5 + 1e-4 * (d / 80.0).powi(2)),
        Contender::Lq => (0.5, 2e-3 + 8e-3 * (d / 20.0).powi(3)),
        Contender::NelderMead => (1.0, 3e-5),
        Contender::Newuoa => (0.7, 2e-5 + 1e-4 * (d / 20.0).powi(2)),
    };
    (share * plain * each).min(limit(spec.contender).unwrap_or(f64::INFINITY))
}
