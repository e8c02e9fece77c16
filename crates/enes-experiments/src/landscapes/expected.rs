//! How long a run is expected to take: for the order of the runs and the time that is left, not for any result.

use super::contender::Contender;
use super::family::Family;
use super::spec::Spec;

/// Processor time after which a run of `fmin_lq_surr2` is stopped: it spends it on its own model.
pub(super) const LQ_SECONDS: f64 = 15.0;

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
        Contender::Enes if spec.family == Family::Smooth => (0.1, 1e-5 + 4e-4 * (d.min(40.0) / 20.0).powi(3)),
        Contender::Enes => (0.7, 1e-5 + 2e-4 * (d.min(40.0) / 20.0).powi(3)),
        Contender::Ranks => (0.7, 3e-6 + 1.5e-5 * (d / 20.0).powi(2)),
        Contender::Pycma | Contender::Bipop => (1.0, 6e-5 + 3e-5 * (d / 40.0).powi(2)),
        Contender::Cmaes => (1.0, 5e-5 + 5e-5 * (d / 40.0).powi(2)),
        Contender::Lq => (0.5, 2e-3 + 8e-3 * (d / 20.0).powi(3)),
        Contender::NelderMead => (1.0, 3e-5),
        Contender::Newuoa => (0.5, 2e-5 + 1e-5 * (d / 20.0).powi(2)),
    };
    let limit = if spec.contender == Contender::Lq { LQ_SECONDS } else { f64::INFINITY };
    (share * plain * each).min(limit)
}
