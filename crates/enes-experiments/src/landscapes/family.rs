//! The families: their members, where a search starts, and whether there is more than one basin.

use super::draw::Draw;
use super::families::{
    asymmetric, basins, compositions, deceptive, ill_conditioned, noise, nonsmooth, plateaus, policies,
    ridges, rugged, smooth, valleys,
};
use super::landscape::Made;

/// A recipe that is varied at random.
pub(super) struct Member {
    pub(super) name: &'static str,
    pub(super) make: fn(usize, &mut Draw) -> Made,
}

/// Objectives that are hard for the same reason.
#[derive(Clone, Copy, Debug, PartialEq, Eq, clap::ValueEnum)]
pub(crate) enum Family {
    Smooth,
    IllConditioned,
    Valleys,
    Ridges,
    Asymmetric,
    Nonsmooth,
    Plateaus,
    Rugged,
    Basins,
    Deceptive,
    Noise,
    Policies,
    Compositions,
}

impl Family {
    pub(crate) const ALL: [Self; 13] = [
        Self::Smooth,
        Self::IllConditioned,
        Self::Valleys,
        Self::Ridges,
        Self::Asymmetric,
        Self::Nonsmooth,
        Self::Plateaus,
        Self::Rugged,
        Self::Basins,
        Self::Deceptive,
        Self::Noise,
        Self::Policies,
        Self::Compositions,
    ];

    /// As records, tables and arguments have it.
    pub(crate) fn name(self) -> &'static str {
        match self {
            Self::Smooth => "smooth",
            Self::IllConditioned => "ill-conditioned",
            Self::Valleys => "valleys",
            Self::Ridges => "ridges",
            Self::Asymmetric => "asymmetric",
            Self::Nonsmooth => "nonsmooth",
            Self::Plateaus => "plateaus",
            Self::Rugged => "rugged",
            Self::Basins => "basins",
            Self::Deceptive => "deceptive",
            Self::Noise => "noise",
            Self::Policies => "policies",
            Self::Compositions => "compositions",
        }
    }

    pub(super) fn members(self) -> &'static [Member] {
        match self {
            Self::Smooth => &smooth::MEMBERS,
            Self::IllConditioned => &ill_conditioned::MEMBERS,
            Self::Valleys => &valleys::MEMBERS,
            Self::Ridges => &ridges::MEMBERS,
            Self::Asymmetric => &asymmetric::MEMBERS,
            Self::Nonsmooth => &nonsmooth::MEMBERS,
            Self::Plateaus => &plateaus::MEMBERS,
            Self::Rugged => &rugged::MEMBERS,
            Self::Basins => &basins::MEMBERS,
            Self::Deceptive => &deceptive::MEMBERS,
            Self::Noise => &noise::MEMBERS,
            Self::Policies => &policies::MEMBERS,
            Self::Compositions => &compositions::MEMBERS,
        }
    }

    /// Whether restarts make sense: there is more than one basin.
    pub(super) fn is_multimodal(self) -> bool {
        matches!(self, Self::Rugged | Self::Basins | Self::Deceptive | Self::Policies)
    }

    /// Whether a peer that can adapt its learning rates does so.
    pub(super) fn wants_small_rates(self) -> bool {
        matches!(self, Self::Rugged | Self::Noise)
    }

    /// Distance of the start from y = 0, and the initial deviation.
    pub(super) fn start(self, d: usize) -> (f64, f64) {
        let root = (d as f64).sqrt();
        match self {
            Self::Rugged | Self::Basins | Self::Deceptive => (2.0 * root, 2.0),
            // A small random network.
            Self::Policies => (0.3 * root, 1.0),
            _ => (1.0, 1.0),
        }
    }
}
