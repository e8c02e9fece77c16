//! The members of each family. All exponents, conditions, fractions and places are drawn for every instance, but for
//! the four named ones: sphere1, sector, l1 and max.

pub(super) mod asymmetric;
pub(super) mod basins;
pub(super) mod compositions;
pub(super) mod deceptive;
pub(super) mod ill_conditioned;
pub(super) mod noise;
pub(super) mod nonsmooth;
pub(super) mod pendulum;
pub(super) mod plateaus;
pub(super) mod policies;
pub(super) mod ridges;
pub(super) mod rugged;
pub(super) mod smooth;
pub(super) mod valleys;
