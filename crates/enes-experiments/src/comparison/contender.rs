//! Who searches: a program and its settings.

use enes::ModelChoice;

use super::expected;
use crate::run::{RunSpec, Solver};

/// The limit of processor time for a run of `fmin_lq_surr2`, which spends it on its own model.
pub(crate) const LQ_SECONDS: f64 = 30.0;

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Contender {
    /// With the surrogate, one sample besides its point in a generation.
    Serial,
    /// With the surrogate, as it is by default.
    Batch,
    /// In rank-based mode.
    RankBased,
    /// In rank-based mode, ended by the default stop rules and not by target and budget alone.
    StopRules,
    /// `cma.fmin_lq_surr2`.
    Lq,
    Pycma,
}

impl Contender {
    pub(crate) const ALL: [Self; 6] =
        [Self::Serial, Self::Batch, Self::RankBased, Self::StopRules, Self::Lq, Self::Pycma];

    /// As tables and records have it.
    pub(crate) fn name(self) -> &'static str {
        match self {
            Self::Serial => "serial",
            Self::Batch => "batch",
            Self::RankBased => "rank-based",
            Self::StopRules => "default stop rules",
            Self::Lq => "lq",
            Self::Pycma => "pycma",
        }
    }

    pub(crate) fn solver(self) -> Solver {
        match self {
            Self::Lq => Solver::Lq,
            Self::Pycma => Solver::Pycma,
            _ => Solver::Enes,
        }
    }

    /// The variant that its records have.
    pub(crate) fn variant(self) -> &'static str {
        if self.solver().is_enes() { self.name() } else { "" }
    }

    /// This run, by this contender.
    pub(crate) fn of(self, spec: RunSpec) -> RunSpec {
        let ranks = matches!(self, Self::RankBased | Self::StopRules);
        let spec = RunSpec {
            variant: self.variant().to_string(),
            solver: self.solver(),
            model: if ranks { ModelChoice::RankOnly } else { ModelChoice::Auto },
            batch: (self == Self::Serial).then_some(1),
            to_the_end: spec.to_the_end && self != Self::StopRules,
            max_seconds: (self == Self::Lq).then_some(LQ_SECONDS),
            ..spec
        };
        RunSpec { seconds: Some(expected::seconds(self, &spec)), ..spec }
    }
}
