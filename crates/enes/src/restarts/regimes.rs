//! The regimes: which is next, how large its population is, and where its search begins.

use super::Searches;
use super::afar::Afar;
use crate::random::Generator;
use crate::search::SearchDistribution;
use crate::settings::{Params, Restarts, Starts};

/// Coordinates in a large population at most: with its archive it takes some tens of megabytes.
const MOST_COORDINATES: usize = 1 << 19;

/// Scales of the small regime reach down to this power of ten.
const SMALLEST_SCALE: f64 = -2.0;

/// Small searches that begin anywhere, as a share; the others where points seen from afar promise something.
const RANDOM: f64 = 0.25;

/// Their scale, as a part of the distance to the next point that may be in another basin.
const NEAR: f64 = 0.5;

/// Which regime a search belongs to.
#[derive(Clone, Copy, Debug, PartialEq)]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize))]
pub(super) enum Regime {
    First,
    Large,
    Small,
}

/// A scale of the small regime.
pub(super) fn small_scale(generator: &mut Generator) -> f64 {
    10f64.powf(SMALLEST_SCALE * generator.uniform())
}

impl Searches {
    /// The first search again, elsewhere, as long as nothing says that there is more than one optimum: no target that was
    /// missed, no other optimum. Then the regime that has spent fewer evaluations for what it has brought, the large one
    /// first.
    pub(super) fn next_regime(&self, params: &Params) -> Regime {
        match params.restarts {
            Restarts::Bipop if params.rules.target.is_none() && self.optima.may_be_alone() => Regime::First,
            Restarts::Bipop
                if spent_for(self.spent.1, self.brought.1) < spent_for(self.spent.0, self.brought.0) =>
            {
                Regime::Small
            }
            _ => Regime::Large,
        }
    }

    /// Where the next search begins: a small one, more often than not, where points seen from afar promise something.
    pub(super) fn begin(
        &mut self,
        params: &Params,
        starts: &Starts,
        generator: &mut Generator,
    ) -> Result<SearchDistribution, String> {
        let drawn = starts.begin(params, self.ended.len() as u64, self.scale, generator)?;
        if starts.are_given() || self.regime != Regime::Small || generator.uniform() < RANDOM {
            return Ok(drawn);
        }
        let Some((start, near)) = self.afar.promising(params, &self.optima.places()) else {
            return Ok(drawn);
        };
        self.scale = (NEAR * near).clamp(10f64.powf(SMALLEST_SCALE), 1.0);
        params.start.moved_to(start, self.scale).map_err(|error| error.to_string())
    }

    /// Keep points of the present generation for later searches, where it is a wide one.
    pub(crate) fn look(
        &mut self,
        params: &Params,
        distribution: &SearchDistribution,
        point: &[f64],
        cost: f64,
    ) {
        if params.restarts != Restarts::Off && Afar::takes(distribution, params) {
            self.afar.add(point, cost);
        }
    }
}

/// What a regime has spent for each time that it found a new best, and one more.
fn spent_for(spent: u64, brought: u64) -> f64 {
    spent as f64 / (1 + brought) as f64
}

/// The first population doubled again and again, as far as memory allows.
pub(super) fn large_population(params: &Params, grown: u32) -> usize {
    let (first, d) = (params.population, params.search_dimension);
    let most = (MOST_COORDINATES / d).max(first);
    first.saturating_mul(1usize.checked_shl(grown).unwrap_or(usize::MAX)).min(most)
}
