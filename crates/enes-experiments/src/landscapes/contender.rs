//! Who searches, and whether it may start again.

use super::family::Family;
use crate::run::Solver;

/// A program and its settings.
#[derive(Clone, Copy, Debug, PartialEq, Eq, clap::ValueEnum)]
pub(crate) enum Contender {
    /// enes with its defaults.
    Enes,
    /// enes in rank-based mode.
    Ranks,
    /// pycma with its defaults.
    Pycma,
    /// pycma with BIPOP restarts.
    Bipop,
    /// CyberAgent's cmaes, with adaptive learning rates where there is noise or ruggedness.
    Cmaes,
    /// pycma's `fmin_lq_surr2`.
    Lq,
    /// scipy's Nelder-Mead.
    NelderMead,
    /// NLopt's NEWUOA.
    Newuoa,
}

/// Beyond this dimension lq takes minutes a run, and the simplex ends nowhere.
const FEW_DIMENSIONS: usize = 20;

impl Contender {
    pub(crate) const ALL: [Self; 8] = [
        Self::Enes,
        Self::Ranks,
        Self::Pycma,
        Self::Bipop,
        Self::Cmaes,
        Self::Lq,
        Self::NelderMead,
        Self::Newuoa,
    ];

    /// As records, tables and arguments have it.
    pub(crate) fn name(self) -> &'static str {
        match self {
            Self::Enes => "enes",
            Self::Ranks => "ranks",
            Self::Pycma => "pycma",
            Self::Bipop => "bipop",
            Self::Cmaes => "cmaes",
            Self::Lq => "lq",
            Self::NelderMead => "nelder-mead",
            Self::Newuoa => "newuoa",
        }
    }

    pub(super) fn solver(self) -> Solver {
        match self {
            Self::Enes | Self::Ranks => Solver::Enes,
            Self::Pycma | Self::Bipop => Solver::Pycma,
            Self::Cmaes => Solver::Cmaes,
            Self::Lq => Solver::Lq,
            Self::NelderMead => Solver::Scipy,
            Self::Newuoa => Solver::Nlopt,
        }
    }

    pub(super) fn takes_part(self, search: Search, d: usize) -> bool {
        match self {
            Self::Pycma => search == Search::One,
            Self::Bipop => search == Search::Restarts,
            Self::Lq => search == Search::One && d <= FEW_DIMENSIONS,
            Self::NelderMead => d <= FEW_DIMENSIONS,
            _ => true,
        }
    }
}

/// One search, or as many as the budget allows.
#[derive(Clone, Copy, Debug, PartialEq, Eq, clap::ValueEnum)]
pub(crate) enum Search {
    One,
    Restarts,
}

impl Search {
    pub(super) const ALL: [Self; 2] = [Self::One, Self::Restarts];

    /// The experiment's name in the records.
    pub(super) fn experiment(self) -> &'static str {
        match self {
            Self::One => "landscapes-one",
            Self::Restarts => "landscapes-restarts",
        }
    }

    pub(super) fn words(self) -> &'static str {
        match self {
            Self::One => "one search",
            Self::Restarts => "with restarts",
        }
    }

    /// Restarts are for more than one basin.
    pub(super) fn is_for(self, family: Family) -> bool {
        self == Self::One || family.is_multimodal()
    }
}
