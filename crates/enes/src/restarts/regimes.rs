//! The regimes: which is next, how large its population is, and where its search begins.

use super::Searches;
use super::afar::Afar;
use super::lines::Lines;
use super::spread::{DRAWS, MOST, Taken};
use crate::random::Generator;
use crate::search::SearchDistribution;
use crate::settings::{Params, Restarts, Starts};

/// Coordinates in a large population at most: with its archive it takes some tens of megabytes.
const MOST_COORDINATES: usize = 1 << 19;

/// Scales of the small regime reach down to this power of ten.
pub(super) const SMALLEST_SCALE: f64 = -2.0;

/// Small searches that begin anywhere, as a share; the others where points seen from afar promise something.
const RANDOM: f64 = 0.25;

/// Their largest scale, as a part of the distance to the next point that may be in another basin.
pub(super) const NEAR: f64 = 0.5;

/// Which regime a search belongs to.
#[derive(Clone, Copy, Debug, PartialEq)]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize))]
pub(super) enum Regime {
    First,
    Large,
    Small,
    /// Along the coordinates through the best optimum, then a local search from what was found there.
    Lines,
    /// From the neighbourhood of the best point.
    Hop,
}

/// What a regime has spent, and how often it found a new best.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize))]
pub(super) struct Account {
    pub(super) spent: u64,
    pub(super) brought: u64,
}

impl Account {
    /// Evaluations for each new best, and one more.
    fn price(&self) -> f64 {
        self.spent as f64 / (1 + self.brought) as f64
    }
}

/// The regimes' accounts. The first search, and those that repeat it, have none: they are no choice, and to charge one regime
/// with them would delay it until each of the others has spent as much.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize))]
pub(super) struct Accounts {
    large: Account,
    small: Account,
    lines: Account,
    hops: Account,
}

impl Accounts {
    pub(super) fn book(&mut self, regime: Regime, spent: u64, brought: bool) {
        let account = match regime {
            Regime::Large => &mut self.large,
            Regime::First => return,
            Regime::Small => &mut self.small,
            Regime::Lines => &mut self.lines,
            Regime::Hop => &mut self.hops,
        };
        account.spent += spent;
        // Where there is a trend every hop may bring a little: that must not keep the others from their share.
        account.brought += u64::from(brought && regime != Regime::Hop);
    }

    #[cfg(feature = "serde")]
    pub(super) fn is_consistent(&self, evaluations: u64) -> bool {
        let all = [self.large, self.small, self.lines, self.hops];
        let sum = all.iter().try_fold(0u64, |sum, account| sum.checked_add(account.spent));
        sum.is_some_and(|sum| sum <= evaluations) && all.iter().all(|a| crate::math::is_count(a.brought))
    }
}

/// A scale of the small regime.
pub(super) fn small_scale(generator: &mut Generator) -> f64 {
    10f64.powf(SMALLEST_SCALE * generator.uniform())
}

/// The scale of the first search where it is repeated after so many searches: every other one is up to ten times narrower, since a
/// wide search forgets where it began.
pub(super) fn repeated_scale(ended: usize, generator: &mut Generator) -> f64 {
    if ended % 2 == 1 { small_scale(generator).sqrt() } else { 1.0 }
}

impl Searches {
    /// The first search again, elsewhere, as long as nothing says that there is more than one optimum: no target that was
    /// missed, no other optimum. Then the regime that has spent fewer evaluations for what it has brought, the large one
    /// first.
    /// Lines that have just led nowhere (`in_vain`) are not looked at again at once.
    pub(super) fn next_regime(&self, params: &Params, starts: &Starts, in_vain: bool) -> Regime {
        match params.restarts {
            Restarts::Bipop if params.rules.target.is_none() && self.optima.may_be_alone() => {
                if self.are_lines_cheap(params, starts) { Regime::Lines } else { Regime::First }
            }
            Restarts::Bipop => {
                let Accounts { large, small, lines, hops } = &self.accounts;
                let others = small.price().min(large.price());
                let may_hop = self.may_hop(params, starts);
                let dearest = if may_hop { others.min(hops.price()) } else { others };
                // The finer lines look where they found nothing, the less they will find for each evaluation.
                let planned = self.planned_lines(params, starts).filter(|_| !in_vain);
                let cheap = planned.is_some_and(|planned| planned.fineness() * lines.price() <= dearest);
                match () {
                    () if cheap => Regime::Lines,
                    () if may_hop && hops.price() <= others => Regime::Hop,
                    () if small.price() < large.price() => Regime::Small,
                    () => Regime::Large,
                }
            }
            _ => Regime::Large,
        }
    }

    /// Whether lines would take no more than what was spent where no surrogate led, and there were none yet. A smooth function
    /// with one optimum has next to nothing of that.
    fn are_lines_cheap(&self, params: &Params, starts: &Starts) -> bool {
        let lines = self.planned_lines(params, starts).filter(|_| self.accounts.lines.spent == 0);
        lines.is_some_and(|lines| lines.evaluations() <= self.without_model)
    }

    /// Lines, where there is an optimum to go through along the coordinates: only where a surrogate goes on from there, and
    /// not where constraints couple them.
    fn planned_lines(&self, params: &Params, starts: &Starts) -> Option<Lines> {
        let may_be = !starts.are_given()
            && params.strategy.has_surrogate()
            && params.constraints.len() == 0
            && !self.constrained
            && !self.best_point_before.is_empty();
        if may_be { self.next_lines(params) } else { None }
    }

    /// The best point of the searches that ended, where that is an optimum: its place, where it lies, and its cost.
    pub(super) fn best_optimum(&self, params: &Params) -> Option<(usize, &[f64], f64)> {
        let tolerance = params.rules.tolfun.unwrap_or(0.0);
        self.optima.best().filter(|(.., cost)| *cost <= self.best_before + tolerance)
    }

    /// Lines through the best point, an optimum if it is one: new ones, or those that were looked at before with more points.
    fn next_lines(&self, params: &Params) -> Option<Lines> {
        let (place, mean, cost) = match self.best_optimum(params) {
            Some((place, mean, cost)) => (Some(place), mean.to_vec(), cost),
            None => (None, params.space.start_at(&self.best_point_before).ok()?, self.best_before),
        };
        match &self.lines {
            Some(lines) if lines.go_through(place, &mean) => lines.with_more_points(),
            _ => Some(Lines::new(params, place, &mean, cost)),
        }
    }

    /// Where the next search begins: a small one, more often than not, where points seen from afar promise something.
    pub(super) fn begin(
        &mut self,
        params: &Params,
        starts: &Starts,
        generator: &mut Generator,
    ) -> Result<SearchDistribution, String> {
        if let (Regime::Lines, Some(lines)) = (self.regime, self.next_lines(params)) {
            let mean = lines.start().to_vec();
            (self.lines, self.on_lines) = (Some(lines), true);
            return params.start.moved_to(mean, 1.0).map_err(|error| error.to_string());
        }
        if self.regime == Regime::Hop {
            return self.hop(params, generator);
        }
        let mean = self.draw(params, starts, generator)?;
        let drawn = params.start.moved_to(mean, self.scale).map_err(|error| error.to_string())?;
        if starts.are_given() || self.regime != Regime::Small || generator.uniform() < RANDOM {
            return Ok(drawn);
        }
        let Some((start, near)) = self.afar.promising(params, &self.optima.places()) else {
            return Ok(drawn);
        };
        // The distance says how large a basin may be at most: down to a tenth of it.
        self.scale = (NEAR * near * self.scale.sqrt()).clamp(10f64.powf(SMALLEST_SCALE), 1.0);
        params.start.moved_to(start, self.scale).map_err(|error| error.to_string())
    }

    /// A start where the user's function says, or anywhere, away from where searches have begun and ended.
    fn draw(&self, params: &Params, starts: &Starts, generator: &mut Generator) -> Result<Vec<f64>, String> {
        let number = self.ended.len() as u64;
        if starts.are_given() {
            return starts.draw(params, number, generator);
        }
        let (first, optima) = (std::iter::once(params.start.mean()), self.optima.places());
        let known = first.chain(self.afar.starts().take(MOST)).chain(optima.into_iter().take(MOST));
        let taken = Taken::new(known, params);
        let mut start = starts.draw(params, number, generator)?;
        let mut farthest = taken.distance(&start);
        for _ in 1..DRAWS {
            let other = starts.draw(params, number, generator)?;
            let distance = taken.distance(&other);
            if distance >= farthest {
                (start, farthest) = (other, distance);
            }
        }
        Ok(start)
    }

    /// Whether points of the present generation are kept for later searches: where it is a wide one. O(d).
    pub(crate) fn looks_around(&self, params: &Params, distribution: &SearchDistribution) -> bool {
        let off = params.restarts == Restarts::Off || self.on_lines;
        !off && Afar::takes(distribution, params)
    }

    /// Keep a point of a wide generation for later searches.
    pub(crate) fn keep(&mut self, point: &[f64], cost: f64) {
        self.afar.add(point, cost);
    }
}

/// The population that the first search has come to, doubled again and again, as far as memory allows: where no surrogate led it has
/// grown already, and a search with the same would see no more.
pub(super) fn large_population(params: &Params, reached: usize, grown: u32) -> usize {
    let (first, d) = (params.population.max(reached), params.search_dimension);
    let most = (MOST_COORDINATES / d).max(params.population);
    first.saturating_mul(1usize.checked_shl(grown).unwrap_or(usize::MAX)).min(most)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::settings::Settings;

    #[test]
    fn what_is_brought_lowers_a_price_but_not_that_of_hops() {
        let mut accounts = Accounts::default();
        for regime in [Regime::Small, Regime::Large, Regime::Lines, Regime::Hop] {
            accounts.book(regime, 100, true);
        }
        let Accounts { large, small, lines, hops } = accounts;
        assert_eq!([large, small, lines, hops].map(|account| account.price()), [50.0, 50.0, 50.0, 100.0]);
    }

    #[test]
    fn large_populations_double_what_the_first_search_came_to_need() {
        let params = Params::new(&Settings::new([0.0; 20], 1.0).max_evaluations(1000)).unwrap();
        let large = |reached| [1, 2].map(|grown| large_population(&params, reached, grown));
        assert_eq!((large(0), large(13)), ([2, 4].map(|k| k * params.population), [26, 52]));
    }

    #[test]
    fn every_other_repetition_of_the_first_search_is_up_to_ten_times_narrower() {
        let mut generator = Generator::new(1);
        for ended in 1..200 {
            let scale = repeated_scale(ended, &mut generator);
            assert!(
                if ended % 2 == 1 { (0.1..1.0).contains(&scale) } else { scale == 1.0 },
                "{ended}: {scale}"
            );
        }
    }

    #[test]
    fn the_first_search_is_charged_to_no_regime() {
        let mut accounts = Accounts::default();
        accounts.book(Regime::First, 100, true);
        assert_eq!(accounts, Accounts::default());
    }

    #[test]
    fn searches_look_around_while_they_are_a_tenth_as_wide_as_the_first() {
        for sigma in [1e-3, 1.0, 1e3] {
            let settings = Settings::new([3.0, -2.0], sigma).max_evaluations(1000);
            let params = Params::new(&settings).unwrap();
            let looks = |params: &Params, scale: f64| {
                let there = params.start.moved_to(vec![50.0, 0.0], scale).unwrap();
                Searches::new(params.population).looks_around(params, &there)
            };
            assert_eq!([1.0, 0.11, 0.09].map(|scale| looks(&params, scale)), [true, true, false], "{sigma}");
            let alone = Params::new(&settings.restarts(Restarts::Off)).unwrap();
            assert!(!looks(&alone, 1.0));
        }
    }
}
