//! What the user sees of the search: points, mean and deviations in the user's coordinates.

use crate::gaussian::SearchDistribution;
use crate::optimizer::Optimizer;
use crate::population::{Points, Population};
use crate::space::Space;
use crate::strategy::Engine;

/// The space, and what has been taken through it.
#[derive(Clone, Debug)]
pub(crate) struct View {
    pub(crate) space: Space,
    /// The fresh points of the generation, as rows.
    points: Vec<f64>,
    mean: Vec<f64>,
}

impl View {
    pub(crate) fn new(space: Space, strategy: &Engine) -> Self {
        let d = space.dimension();
        let mut view = Self { space, points: Vec::new(), mean: vec![0.0; d] };
        view.points.reserve_exact(strategy.population().len() * d);
        view.show_points(strategy.population());
        view.show_mean(strategy.distribution());
        view
    }

    pub(crate) fn show_points(&mut self, population: &Population) {
        self.points.resize(population.fresh() * self.space.dimension(), 0.0);
        self.space.users(population.fresh_points(), &mut self.points);
    }

    fn show_mean(&mut self, distribution: &SearchDistribution) {
        self.space.users(distribution.mean(), &mut self.mean);
    }

    pub(crate) fn mean(&self) -> &[f64] {
        &self.mean
    }

    pub(crate) fn points(&self) -> Points<'_> {
        Points::new(&self.points, self.space.dimension())
    }
}

impl Optimizer {
    /// The search distribution, in search coordinates: without fixed coordinates, ln x for one on a log
    /// scale, and beyond its bounds where a bounded one is folded back. Without bounds and log scales these
    /// are the user's.
    pub fn distribution(&self) -> &SearchDistribution {
        self.strategy.distribution()
    }

    /// The mean of the search distribution, taken to the user's coordinates: within the bounds.
    pub fn mean(&self) -> &[f64] {
        self.view.as_ref().map_or_else(|| self.distribution().mean(), |view| &view.mean)
    }

    /// The standard deviation of each coordinate: 0 for a fixed one, that of ln x on a log scale. Bounds
    /// leave it as it is: near one it is that of the point before it is folded back. O(d²).
    pub fn standard_deviations(&self) -> Vec<f64> {
        let deviations = self.distribution().standard_deviations();
        self.view.as_ref().map_or_else(|| deviations.clone(), |view| view.space.spread(&deviations))
    }

    /// The covariance by rows, in the coordinates of [`Optimizer::distribution`]. O(d³).
    pub fn covariance(&self) -> Vec<f64> {
        self.distribution().covariance()
    }

    /// The lengths of the principal axes, longest first, in the coordinates of
    /// [`Optimizer::distribution`]. O(d³).
    pub fn axis_lengths(&self) -> Vec<f64> {
        self.distribution().axis_lengths()
    }

    pub(crate) fn show_mean(&mut self) {
        if let Some(view) = &mut self.view {
            view.show_mean(self.strategy.distribution());
        }
    }
}
