//! How the search distribution moves: one interface over the strategies.

pub(crate) mod adaptive;
pub(crate) mod published;

use crate::gaussian::{Degenerate, SearchDistribution};
use crate::population::Population;
use crate::random::Generator;
use crate::settings::{Settings, Strategy};
use crate::space::Space;
use adaptive::Adaptive;
use published::Published;

/// A strategy at work.
#[derive(Clone, Debug)]
pub(crate) enum Engine {
    Published(Box<Published>),
    Adaptive(Box<Adaptive>),
}

/// What a checkpoint keeps of a strategy.
#[cfg(feature = "serde")]
#[derive(serde::Deserialize)]
pub(crate) enum State {
    Published(Box<published::State>),
    Adaptive(Box<adaptive::State>),
}

/// The same, borrowed for writing.
#[cfg(feature = "serde")]
#[derive(serde::Serialize)]
pub(crate) enum StateRef<'a> {
    Published(&'a published::State),
    Adaptive(&'a adaptive::State),
}

impl Engine {
    /// A strategy that starts from this distribution with populations of n.
    pub(crate) fn start(settings: &Settings, distribution: SearchDistribution, n: usize) -> Self {
        match settings.strategy {
            Strategy::Published => Self::published(settings, published::State::new(distribution, n)),
            Strategy::Adaptive => {
                let batch = settings.models_values().then(|| settings.samples_beside_model(n));
                Self::adaptive(settings, adaptive::State::new(distribution, n, batch, settings.variant()), n)
            }
        }
    }

    fn published(settings: &Settings, state: published::State) -> Self {
        Self::Published(Box::new(Published::new(settings, state)))
    }

    fn adaptive(settings: &Settings, state: adaptive::State, n: usize) -> Self {
        let mut strategy = Adaptive::new(state, n, settings.variant());
        strategy.without_step = settings.integers_beside_others();
        Self::Adaptive(Box::new(strategy))
    }

    /// Let points that were evaluated before take part in the first generation.
    pub(crate) fn begin_with(&mut self, points: &[f64], costs: &[f64], generator: &mut Generator) {
        match self {
            Self::Published(strategy) => strategy.begin_with(points, costs, generator),
            Self::Adaptive(strategy) => strategy.begin_with(points, costs),
        }
    }

    /// Draw the points of the next generation; the fresh rows of the population wait for their costs.
    pub(crate) fn propose(&mut self, generator: &mut Generator) {
        match self {
            Self::Published(strategy) => strategy.propose(generator),
            Self::Adaptive(strategy) => strategy.propose(generator),
        }
    }

    /// Draw fresh points that lie outside again, where the bounds are kept that way.
    pub(crate) fn resample(&mut self, space: &Space, generator: &mut Generator) {
        let (population, distribution) = match self {
            Self::Published(strategy) => (&mut strategy.state.population, &strategy.state.distribution),
            Self::Adaptive(strategy) => (&mut strategy.state.population, &strategy.state.distribution),
        };
        space.resample(population, distribution, generator);
    }

    /// Move the distribution, once the costs are there.
    pub(crate) fn update(&mut self) -> Result<(), Degenerate> {
        match self {
            Self::Published(strategy) => strategy.update(),
            Self::Adaptive(strategy) => strategy.update(),
        }
    }

    /// Nothing gets wider than the box; where points outside are drawn again, a mean outside is moved to it.
    pub(crate) fn keep_inside(&mut self, space: &Space) {
        let (distribution, motion, scratch) = match self {
            Self::Published(strategy) => strategy.motion_parts(),
            Self::Adaptive(strategy) => strategy.motion_parts(),
        };
        space.keep_width(distribution, motion, scratch);
        space.keep_mean_inside(distribution, motion, scratch);
    }

    /// Give integer coordinates their margin back, which an update may have taken.
    pub(crate) fn keep_margin(&mut self, space: &Space) {
        let n = self.population().len();
        let (distribution, motion, scratch) = match self {
            Self::Published(strategy) => strategy.motion_parts(),
            Self::Adaptive(strategy) => strategy.motion_parts(),
        };
        space.keep_margin(n, distribution, motion, scratch);
    }

    /// Move the mean towards a point that somebody else found, between two generations.
    pub(crate) fn move_towards(&mut self, point: &[f64]) {
        match self {
            Self::Published(strategy) => strategy.move_towards(point),
            Self::Adaptive(strategy) => strategy.move_towards(point),
        }
    }

    /// Learn from a point that was not sampled, where the strategy can.
    pub(crate) fn learn_from(&mut self, point: &[f64], cost: f64) {
        if let Self::Adaptive(strategy) = self {
            strategy.learn_from(point, cost);
        }
    }

    /// This share of the differences between the values is noise; the learning rates are multiplied by `rate`.
    pub(crate) fn hear_noise(&mut self, share: f64, rate: f64) {
        match self {
            Self::Published(strategy) => strategy.hear_noise(share, rate),
            Self::Adaptive(strategy) => strategy.hear_noise(share, rate),
        }
    }

    /// Go on with populations of n, and with a scale multiplied by `scale`; the published strategy does not.
    pub(crate) fn resize(&mut self, n: usize, scale: f64, variant: adaptive::Variant) {
        if let Self::Adaptive(strategy) = self {
            strategy.resize(n, scale, variant);
        }
    }

    /// Leave the distribution where it is for this generation.
    pub(crate) fn stand_still(&mut self) {
        match self {
            Self::Published(strategy) => strategy.stand_still(),
            Self::Adaptive(strategy) => strategy.stand_still(),
        }
    }

    pub(crate) fn population(&self) -> &Population {
        match self {
            Self::Published(strategy) => &strategy.state.population,
            Self::Adaptive(strategy) => &strategy.state.population,
        }
    }

    pub(crate) fn population_mut(&mut self) -> &mut Population {
        match self {
            Self::Published(strategy) => &mut strategy.state.population,
            Self::Adaptive(strategy) => &mut strategy.state.population,
        }
    }

    pub(crate) fn distribution(&self) -> &SearchDistribution {
        match self {
            Self::Published(strategy) => &strategy.state.distribution,
            Self::Adaptive(strategy) => &strategy.state.distribution,
        }
    }

    /// Compute on this many threads from now on, where the strategy can.
    pub(crate) fn use_threads(&mut self, threads: usize) {
        if let Self::Published(strategy) = self {
            strategy.use_threads(threads);
        }
    }

    /// The strategy that has a model, if this one does.
    pub(crate) fn as_adaptive(&self) -> Option<&Adaptive> {
        match self {
            Self::Published(_) => None,
            Self::Adaptive(strategy) => Some(strategy),
        }
    }
}

#[cfg(feature = "serde")]
impl Engine {
    pub(crate) fn state(&self) -> StateRef<'_> {
        match self {
            Self::Published(strategy) => StateRef::Published(&strategy.state),
            Self::Adaptive(strategy) => StateRef::Adaptive(&strategy.state),
        }
    }

    /// Continue from a state with populations of n; `None` where it does not fit.
    pub(crate) fn resume(settings: &Settings, state: State, n: usize) -> Option<Self> {
        let d = settings.search_dimension();
        match (settings.strategy, state) {
            (Strategy::Published, State::Published(state)) if state.is_consistent(n, d) => {
                Some(Self::published(settings, *state))
            }
            (Strategy::Adaptive, State::Adaptive(state)) => {
                let batch = settings.models_values().then(|| settings.samples_beside_model(n));
                let fits = state.is_consistent(n, d, batch, settings.variant());
                fits.then(|| Self::adaptive(settings, *state, n))
            }
            _ => None,
        }
    }
}
