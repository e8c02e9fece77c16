//! How the search distribution moves: one interface over the strategies. A strategy borrows the search for a step and
//! reads the archive; it owns neither.

pub(crate) mod adaptive;
pub(crate) mod published;

use crate::archive::{Archive, Readers};
use crate::random::Generator;
use crate::search::{Degenerate, Search, SearchDistribution};
use crate::space::Limits;
use adaptive::limited::{self, Limited};
use adaptive::{Adaptive, KnownQuadratic, ModelStatus};
use published::Published;

/// What the settings say of the strategy.
#[derive(Clone, Debug)]
pub(crate) enum Config {
    Published(published::Config),
    Adaptive(Box<adaptive::Config>),
    /// The adaptive strategy in many dimensions.
    Limited(Box<limited::Config>),
}

impl Config {
    /// Whether this is the adaptive strategy, in however many dimensions.
    pub(crate) fn is_adaptive(&self) -> bool {
        !matches!(self, Self::Published(_))
    }

    /// How many points of the archive regression and surrogate see, with populations of n.
    pub(crate) fn windows(&self, d: usize, n: usize) -> (usize, usize) {
        match self {
            Self::Published(_) | Self::Limited(_) => (0, 0),
            Self::Adaptive(config) => config.windows(d, n),
        }
    }

    /// Whether there is a surrogate.
    pub(crate) fn has_surrogate(&self) -> bool {
        matches!(self, Self::Adaptive(config) if config.surrogate)
    }

    /// Where the surrogate sees search coordinates folded into a box or rounded.
    pub(crate) fn limits(&self) -> Option<&Limits> {
        match self {
            Self::Published(_) | Self::Limited(_) => None,
            Self::Adaptive(config) => config.limits.as_ref(),
        }
    }

    /// Points that are evaluated at the same time, as far as the settings say.
    pub(crate) fn workers(&self) -> usize {
        match self {
            Self::Adaptive(config) => config.workers.max(config.batch.map_or(1, |batch| batch + 1)),
            Self::Published(_) | Self::Limited(_) => 1,
        }
    }

    /// The directions that a covariance of limited memory has at most; `None` where it is a full one.
    #[cfg(feature = "serde")]
    pub(crate) fn limited(&self, d: usize) -> Option<usize> {
        matches!(self, Self::Limited(_)).then(|| limited::directions(d))
    }
}

/// A strategy at work.
#[derive(Clone, Debug)]
pub(crate) enum Engine {
    Published(Box<Published>),
    Adaptive(Box<Adaptive>),
    Limited(Box<Limited>),
}

/// What a checkpoint keeps of a strategy.
#[derive(Clone, Debug)]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize))]
pub(crate) enum State {
    Published(published::State),
    Adaptive(Box<adaptive::State>),
    Limited(Box<limited::State>),
}

/// What can be read of a strategy; `None` for what it does not have.
#[derive(Clone, Copy, Debug, Default)]
pub(crate) struct Status {
    /// Trust in the regression, from 0 to 1.
    pub(crate) trust: Option<f64>,
    pub(crate) model: Option<ModelStatus>,
    /// Points of the archive that the regression sees.
    pub(crate) window: Option<usize>,
    /// Generations in a row in which nothing but noise was seen.
    pub(crate) without_signal: u64,
}

impl Engine {
    /// A strategy for a search with populations of n.
    pub(crate) fn start(config: &Config, n: usize, search: &mut Search) -> Self {
        let state = match config {
            Config::Published(_) => State::Published(published::State::new(n)),
            Config::Adaptive(config) => {
                State::Adaptive(Box::new(adaptive::State::new(config, search.dimension(), n)))
            }
            Config::Limited(config) => {
                State::Limited(Box::new(limited::State::new(config, search.dimension())))
            }
        };
        Self::resume(config, state, n, search).expect("invariant: the state was made for the strategy")
    }

    /// The multipliers and penalties of the latest update's step, where a model made it under constraints, and whether that
    /// was certain.
    pub(crate) fn multipliers(&self) -> Option<(&[f64], &[f64], bool)> {
        match self {
            Self::Published(_) | Self::Limited(_) => None,
            Self::Adaptive(strategy) => strategy.multipliers(),
        }
    }

    /// What a model still promises, where its steps lead nowhere, and whether bounds or constraints hold them; `None` where they
    /// may lead somewhere.
    pub(crate) fn nothing_promised(&self) -> Option<(f64, bool)> {
        match self {
            Self::Published(_) | Self::Limited(_) => None,
            Self::Adaptive(strategy) => strategy.nothing_promised(),
        }
    }

    /// The quadratics that the objective is, or a power of it, as far as all points of the search say.
    pub(crate) fn known_quadratics(&self) -> impl Iterator<Item = &KnownQuadratic> {
        let adaptive = match self {
            Self::Published(_) | Self::Limited(_) => None,
            Self::Adaptive(strategy) => Some(strategy),
        };
        adaptive.into_iter().flat_map(|strategy| strategy.known_quadratics())
    }

    /// What a model still promises that is certain that its minimum is where the best point is.
    pub(crate) fn little_promised(&self) -> Option<f64> {
        match self {
            Self::Published(_) | Self::Limited(_) => None,
            Self::Adaptive(strategy) => strategy.little_promised(),
        }
    }

    /// Whether a row of the population is for the archive: a difference, close to the best point, is not.
    pub(crate) fn remembers(&self, search: &Search, row: usize) -> bool {
        !matches!(self, Self::Adaptive(strategy) if strategy.is_difference(search, row))
    }

    /// Whether the values of a generation are for the stop rules: those of differences say nothing of a search.
    pub(crate) fn is_judged(&self) -> bool {
        !matches!(self, Self::Limited(strategy) if strategy.is_taking_differences())
    }

    /// Whether multipliers are those of a model, and not learned from samples.
    pub(crate) fn sets_multipliers(&self) -> bool {
        matches!(self, Self::Adaptive(strategy) if strategy.sets_multipliers())
    }

    /// A sample beside those of the generation, as the strategy sees the box.
    pub(crate) fn place_inside(&self, distribution: &SearchDistribution, s: &mut [f64], z: &mut [f64]) {
        if let Self::Adaptive(strategy) = self {
            let _moved = strategy.place_inside(distribution, s, z);
        }
    }

    /// Continue from a state; `None` where it is that of another strategy.
    pub(crate) fn resume(config: &Config, state: State, n: usize, search: &mut Search) -> Option<Self> {
        let d = search.dimension();
        match (config, state) {
            (Config::Published(config), State::Published(state)) => {
                Some(Self::Published(Box::new(Published::new(config, state, n, d))))
            }
            (Config::Adaptive(config), State::Adaptive(state)) => {
                Some(Self::Adaptive(Box::new(Adaptive::new(config, *state, n, search))))
            }
            (Config::Limited(config), State::Limited(state)) => {
                Some(Self::Limited(Box::new(Limited::new(config, *state, n, search))))
            }
            _ => None,
        }
    }

    /// Draw the points of the next generation; the fresh rows of the population wait for their costs.
    pub(crate) fn propose(&mut self, search: &mut Search, generator: &mut Generator) {
        match self {
            Self::Published(strategy) => strategy.propose(search, generator),
            Self::Adaptive(strategy) => strategy.propose(search, generator),
            Self::Limited(strategy) => strategy.propose(search, generator),
        }
    }

    /// Move the distribution, once the costs are there and the archive has them.
    pub(crate) fn update(&mut self, search: &mut Search, archive: &Archive) -> Result<(), Degenerate> {
        match self {
            Self::Published(strategy) => strategy.update(search),
            Self::Adaptive(strategy) => strategy.update(search, archive),
            Self::Limited(strategy) => strategy.update(search),
        }
    }

    /// The generation tells no points apart: the distribution stays where it is, wider where values are equal.
    pub(crate) fn skip_update(&mut self, search: &mut Search, archive: &Archive) {
        match self {
            Self::Published(_) => search.motion.clear(),
            Self::Adaptive(strategy) => strategy.skip_update(search, archive),
            Self::Limited(strategy) => strategy.skip_update(search),
        }
    }

    /// Let points that were evaluated before take part in the first generation. Returns the rows of the table that
    /// enter the archive, in order, with their readers.
    pub(crate) fn begin_with(
        &mut self,
        points: &[f64],
        costs: &[f64],
        search: &mut Search,
        archive: &Archive,
        generator: &mut Generator,
    ) -> Vec<(usize, Readers)> {
        match self {
            Self::Published(strategy) => {
                strategy.begin_with(search, points, costs, generator);
                Vec::new()
            }
            Self::Adaptive(strategy) => strategy.rows_of_table(points, search, archive),
            Self::Limited(_) => Vec::new(), // where the table leads to is in the distribution
        }
    }

    /// Who may see an injected point, given in search coordinates.
    pub(crate) fn readers_of_injected(
        &mut self,
        point: &[f64],
        search: &Search,
        archive: &Archive,
    ) -> Readers {
        match self {
            Self::Published(_) | Self::Limited(_) => Readers { ranks: false, surrogate: false },
            Self::Adaptive(strategy) => strategy.readers_of_injected(point, search, archive),
        }
    }

    /// Move the mean towards a point that somebody else found, between two generations.
    pub(crate) fn move_towards(&mut self, point: &[f64], search: &mut Search) {
        match self {
            Self::Published(strategy) => search.move_towards(point, strategy.longest_move()),
            Self::Adaptive(strategy) => strategy.move_towards(point, search),
            Self::Limited(strategy) => strategy.move_towards(point, search),
        }
    }

    /// This share of the differences between the values is noise; the learning rates are multiplied by `rate`.
    pub(crate) fn set_noise_level(&mut self, share: f64, rate: f64) {
        match self {
            Self::Published(strategy) => strategy.set_noise_level(share, rate),
            Self::Adaptive(strategy) => strategy.set_noise_level(share, rate),
            Self::Limited(strategy) => strategy.set_noise_level(rate),
        }
    }

    /// Whether populations can change within a search.
    pub(crate) fn can_resize(&self) -> bool {
        !matches!(self, Self::Published(_))
    }

    /// Whether points can be asked for one at a time: importance mixing needs whole generations.
    pub(crate) fn is_asynchronous(&self) -> bool {
        !matches!(self, Self::Published(_))
    }

    /// Whether a value counts towards a generation that was drawn so many updates ago, or is the surrogate's point.
    pub(crate) fn counts(&self, age: u64, is_sample: bool) -> bool {
        match self {
            Self::Published(_) => age == 0,
            Self::Adaptive(strategy) => {
                !strategy.counts_samples() || is_sample && age <= strategy.oldest_sample()
            }
            Self::Limited(strategy) => {
                strategy.has_gradient_step() || is_sample && age <= strategy.oldest_sample()
            }
        }
    }

    /// Whether such a value is a sample of the latest distributions.
    pub(crate) fn is_recent(&self, age: u64) -> bool {
        match self {
            Self::Published(_) => age == 0,
            Self::Adaptive(strategy) => age <= strategy.oldest_sample(),
            Self::Limited(strategy) => age <= strategy.oldest_sample(),
        }
    }

    /// Values that are enough for an update with so many points in flight, in d dimensions; `None`: a population.
    pub(crate) fn enough_in_flight(&self, d: usize, points: usize) -> Option<usize> {
        match self {
            Self::Published(_) | Self::Limited(_) => None,
            Self::Adaptive(strategy) => Some(strategy.enough_in_flight(d, points)),
        }
    }

    /// So many points are in flight while the next update is made.
    pub(crate) fn set_in_flight(&mut self, points: usize) {
        if let Self::Adaptive(strategy) = self {
            strategy.set_in_flight(points);
        }
    }

    /// The population that the next generation should have, where the strategy chooses it.
    pub(crate) fn wanted_population(&self, search: &Search) -> Option<usize> {
        match self {
            Self::Limited(_) => None,
            Self::Published(strategy) => strategy.wanted_population(),
            Self::Adaptive(strategy) => {
                Some(strategy.wanted_population(&search.population, search.dimension()))
            }
        }
    }

    /// Go on with populations of n, as the strategy wanted.
    pub(crate) fn set_population(&mut self, n: usize, search: &mut Search) {
        match self {
            Self::Limited(_) => {}
            Self::Published(strategy) => strategy.set_population(n, search.dimension()),
            Self::Adaptive(strategy) => strategy.set_population(n, search),
        }
    }

    /// Go on with populations of n, and with a scale multiplied by `scale`, where the strategy can.
    pub(crate) fn resize(&mut self, n: usize, scale: f64, search: &mut Search, archive: &mut Archive) {
        match self {
            Self::Published(_) => {}
            Self::Adaptive(strategy) => strategy.resize(n, scale, search, archive),
            Self::Limited(strategy) => strategy.resize(n, scale, search),
        }
    }

    /// Compute on this many threads from now on, where the strategy can.
    pub(crate) fn use_threads(&mut self, threads: usize) {
        if let Self::Published(strategy) = self {
            strategy.use_threads(threads);
        }
    }

    pub(crate) fn status(&self, archive: &Archive) -> Status {
        match self {
            Self::Published(_) => Status::default(),
            // There is no regression to trust.
            Self::Limited(strategy) => Status {
                trust: Some(0.0),
                window: Some(0),
                model: strategy.model_status(),
                ..Status::default()
            },
            Self::Adaptive(strategy) => Status {
                trust: Some(strategy.trust()),
                model: strategy.model_status(),
                window: Some(strategy.window_len(archive)),
                without_signal: strategy.without_signal(),
            },
        }
    }

    #[cfg(feature = "serde")]
    pub(crate) fn state(&self) -> State {
        match self {
            Self::Published(strategy) => State::Published(strategy.state),
            Self::Adaptive(strategy) => State::Adaptive(Box::new(strategy.state.clone())),
            Self::Limited(strategy) => State::Limited(Box::new(strategy.state.clone())),
        }
    }
}

#[cfg(feature = "serde")]
impl State {
    /// Whether it fits a search with populations of n.
    pub(crate) fn is_consistent(&self, config: &Config, search: &Search, n: usize) -> bool {
        match (self, config) {
            (Self::Published(state), Config::Published(config)) => state.is_consistent(config, search, n),
            (Self::Adaptive(state), Config::Adaptive(config)) => {
                state.is_consistent(config, &search.population, n)
            }
            (Self::Limited(state), Config::Limited(config)) => {
                state.is_consistent(config, &search.population, n)
            }
            _ => false,
        }
    }
}
