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

    pub(super) fn title(self) -> &'static str {
        match self {
            Self::Smooth => "Smooth and convex",
            Self::IllConditioned => "Ill-conditioned",
            Self::Valleys => "Curved valleys",
            Self::Ridges => "Sharp ridges",
            Self::Asymmetric => "Asymmetric",
            Self::Nonsmooth => "Non-smooth",
            Self::Plateaus => "Plateaus and steps",
            Self::Rugged => "Rugged, with a trend",
            Self::Basins => "Many basins without a trend",
            Self::Deceptive => "Deceptive",
            Self::Noise => "Noise",
            Self::Policies => "Policies",
            Self::Compositions => "Compositions",
        }
    }

    /// What its members are.
    pub(super) fn about(self) -> &'static str {
        match self {
            Self::Smooth => {
                "quadratic: condition 1 to 100; powers: each coordinate to its own power from 2 to 5; soft: quadratic \
                 near, linear far, in 2d directions. To 1e-8 from distance 1 with sigma 1, as wherever nothing is said."
            }
            Self::IllConditioned => {
                "ellipsoid: condition 10^4 to 10^7; two-scales: a part of the coordinates is as much steeper; \
                 flattening: powers from 2 to between 6 and 12."
            }
            Self::Valleys => {
                "rosenbrock: a chain of bends of random steepness; bend: along a cubic curve; pairs: bent in planes of \
                 two coordinates."
            }
            Self::Ridges => {
                "sharp: an edge along one coordinate; wedge: along a part of them; bent: along a curve."
            }
            Self::Asymmetric => {
                "sphere1 and sector: 10^4 times steeper where a coordinate is positive; sides: random parts and factors; \
                 orthant: a cliff around an orthant; cone: steeper by the angle to a direction."
            }
            Self::Nonsmooth => {
                "l1 and max: weights 1 to 1000; weighted: a sum of random ones; largest: the sum of the largest few; \
                 roots: powers below 1, to what a distance of 1e-8 is worth."
            }
            Self::Plateaus => {
                "steps: values in equal steps, to the lowest; digits: in steps of equal ratio; grid: coordinates are \
                 rounded."
            }
            Self::Rugged => {
                "lattice: waves of one length on a bowl; octaves: of four lengths; ripples: at every scale. From \
                 distance 2 times the root of d, sigma 2."
            }
            Self::Basins => {
                "peaks: 4 to 13 Gaussian wells in a plain; wells: the lowest of as many bowls, from pointed to round. \
                 Start as for the rugged ones."
            }
            Self::Deceptive => {
                "funnels: two, of which the wider is not the deeper; rough-funnels: with waves. Start as for the rugged \
                 ones."
            }
            Self::Noise => {
                "On quadratics of condition 1 to 1000. multiplicative: 3 to 32 %, to 1e-6; additive: deviation 1e-4 to \
                 1e-2, to this deviation times d/4, at least once; heavy-tailed: a tenth to a third of the values are off by a Cauchy number, to \
                 1e-4."
            }
            Self::Policies => {
                "The coordinates are weights of a network. swing-up: a pendulum from hanging to upright, to a cost \
                 threshold; balance: a pole on a cart, until it does not fall from any of five states; imitation: \
                 another network's way is followed, to 1e-5."
            }
            Self::Compositions => {
                "Of quadratic, ellipsoid, sides or weighted: monotone: the value transformed; warp: coordinates bent on \
                 one side; penalty: beyond faces of a box that touch the optimum; all: the three together."
            }
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
