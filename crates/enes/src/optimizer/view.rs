//! What the user sees of the search: points and mean in the user's coordinates.

use crate::search::{Points, Population, Search};
use crate::space::Space;

/// What has been taken through the space; empty where the user's coordinates are the search's.
#[derive(Clone, Debug, Default)]
pub(crate) struct View {
    /// The fresh points of the generation, as rows.
    points: Vec<f64>,
    mean: Vec<f64>,
}

impl View {
    pub(super) fn new(space: &Space, search: &Search) -> Self {
        let mut view = Self::default();
        if !space.is_plain() {
            view.points.reserve_exact(search.population.room() * space.dimension());
            view.mean.resize(space.dimension(), 0.0);
        }
        view.show_points(space, &search.population);
        view.show_mean(space, search);
        view
    }

    pub(super) fn show_points(&mut self, space: &Space, population: &Population) {
        if !space.is_plain() {
            self.points.resize(population.fresh() * space.dimension(), 0.0);
            space.users(population.fresh_points(), &mut self.points);
        }
    }

    pub(super) fn show_mean(&mut self, space: &Space, search: &Search) {
        if !space.is_plain() {
            space.users(search.distribution.mean(), &mut self.mean);
        }
    }

    pub(super) fn mean<'a>(&'a self, search: &'a Search) -> &'a [f64] {
        if self.mean.is_empty() { search.distribution.mean() } else { &self.mean }
    }

    /// One of the fresh points in the user's coordinates, where these are not the search's.
    pub(super) fn shown(&self, space: &Space, row: usize) -> Option<&[f64]> {
        let d = space.dimension();
        (!space.is_plain()).then(|| &self.points[row * d..(row + 1) * d])
    }

    pub(super) fn points<'a>(&'a self, space: &Space, population: &'a Population) -> Points<'a> {
        let points = if space.is_plain() { population.fresh_points() } else { &self.points };
        Points::new(points, space.dimension())
    }
}
