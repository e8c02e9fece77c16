//! The archive: every evaluated point once, in the user's coordinates, the latest last. The only store of points.
//!
//! A fit presumes no law of its points, so nothing here knows who proposed a point or how. Readers take a window:
//! the latest points of the present search that they may see.

mod constrained;
mod window;

use std::ops::Range;

use crate::constraints::Lagrangian;
use crate::linalg;
use crate::search::SearchDistribution;
pub(crate) use window::{Reader, Window};

/// One evaluated point.
#[derive(Clone, Copy, Debug, PartialEq)]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize))]
pub(crate) struct Entry {
    /// As the objective returned it; under noise the average of the measurements.
    pub(crate) value: f64,
    /// By how much the point violates the constraints; 0 where it is feasible or none are known.
    pub(crate) violation: f64,
    /// What orders value and constraints for the search: smaller is better.
    pub(crate) cost: f64,
    /// How often it was measured.
    pub(crate) measured: u32,
    /// Which readers may see it.
    pub(crate) readers: Readers,
}

/// Who may see a point.
#[derive(Clone, Copy, Debug, PartialEq)]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize))]
pub(crate) struct Readers {
    pub(crate) ranks: bool,
    pub(crate) surrogate: bool,
}

impl Readers {
    pub(crate) const ALL: Self = Self { ranks: true, surrogate: true };

    fn include(self, reader: Reader) -> bool {
        match reader {
            Reader::Ranks => self.ranks,
            Reader::Surrogate => self.surrogate,
        }
    }
}

/// Points, and what is known of each.
#[derive(Clone, Debug, PartialEq)]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize))]
pub(crate) struct Archive {
    dimension: usize,
    search_dimension: usize,
    /// In the user's coordinates, as rows.
    points: Vec<f64>,
    /// The same in search coordinates; empty where these are the user's. A point near a bound has several.
    searched: Vec<f64>,
    entries: Vec<Entry>,
    /// What orders them, by itself: fits read it in one sweep.
    costs: Vec<f64>,
    /// The values of the constraints, as rows; empty where there are none.
    constraints: Vec<f64>,
    /// What makes one cost of value and constraints.
    lagrangian: Lagrangian,
    /// The search that asked for each.
    searches: Vec<u32>,
    /// The present search.
    search: u32,
    ranks: Window,
    surrogate: Window,
    /// Whether the present search has a point that some reader may not see.
    mixed: bool,
}

impl Archive {
    /// An archive of points with so many coordinates, of the user's and of the search's.
    pub(crate) fn new(dimension: usize, search_dimension: usize) -> Self {
        Self {
            dimension,
            search_dimension,
            points: Vec::new(),
            searched: Vec::new(),
            entries: Vec::new(),
            costs: Vec::new(),
            constraints: Vec::new(),
            lagrangian: Lagrangian::default(),
            searches: Vec::new(),
            search: 0,
            ranks: Window::new(0),
            surrogate: Window::new(0),
            mixed: false,
        }
    }

    /// A search begins whose readers see so many points; those of earlier searches stay as long as there is room.
    pub(crate) fn begin_search(&mut self, ranks: usize, surrogate: usize) {
        self.search += 1;
        self.ranks = Window::new(ranks);
        self.surrogate = Window::new(surrogate);
        self.mixed = false;
    }

    /// Regression sees so many points from now on; those that it sees no longer do not come back.
    pub(crate) fn resize_ranks(&mut self, capacity: usize) {
        self.ranks.resize(capacity);
    }

    /// Make room for all there will be with `batch` points at a time, so that nothing is allocated later. `folded`
    /// where search coordinates are not the user's.
    pub(crate) fn reserve(&mut self, batch: usize, folded: bool) {
        let rows = self.most_rows() + batch;
        self.points.reserve((rows * self.dimension).saturating_sub(self.points.len()));
        if folded {
            self.searched.reserve((rows * self.search_dimension).saturating_sub(self.searched.len()));
        }
        self.entries.reserve(rows.saturating_sub(self.entries.len()));
        self.costs.reserve(rows.saturating_sub(self.costs.len()));
        self.searches.reserve(rows.saturating_sub(self.searches.len()));
        let values = rows * self.lagrangian.width();
        self.constraints.reserve(values.saturating_sub(self.constraints.len()));
        self.lagrangian.reserve(batch);
    }

    /// Rows at which the oldest give way.
    fn most_rows(&self) -> usize {
        2 * self.ranks.capacity().max(self.surrogate.capacity())
    }

    /// Add a point: in the user's coordinates, and in search coordinates where these are others. It has no constraint
    /// values: where others have, its are 0.
    pub(crate) fn add(&mut self, point: &[f64], searched: Option<&[f64]>, entry: Entry) {
        self.add_constrained(point, searched, entry, &[]);
    }

    /// Add a point with the values of its constraints.
    pub(crate) fn add_constrained(
        &mut self,
        point: &[f64],
        searched: Option<&[f64]>,
        entry: Entry,
        constraints: &[f64],
    ) {
        if self.most_rows() == 0 {
            return; // nobody reads
        }
        if self.entries.len() >= self.most_rows() {
            self.drop_unread();
        }
        self.points.extend_from_slice(point);
        if let Some(searched) = searched {
            self.searched.extend_from_slice(searched);
        }
        self.constraints.extend_from_slice(constraints);
        self.entries.push(entry);
        self.constraints.resize(self.entries.len() * self.lagrangian.width(), 0.0);
        self.costs.push(entry.cost);
        self.searches.push(self.search);
        self.mixed |= entry.readers != Readers::ALL;
        for reader in [Reader::Ranks, Reader::Surrogate] {
            if entry.readers.include(reader) {
                self.window_mut(reader).count_one();
            }
        }
    }

    /// Drop the oldest points that no window holds.
    fn drop_unread(&mut self) {
        let oldest = |reader| self.rows(reader).last().unwrap_or(self.entries.len());
        let first = oldest(Reader::Ranks).min(oldest(Reader::Surrogate));
        self.points.drain(..first * self.dimension);
        if !self.searched.is_empty() {
            self.searched.drain(..first * self.search_dimension);
        }
        self.constraints.drain(..first * self.lagrangian.width());
        self.entries.drain(..first);
        self.costs.drain(..first);
        self.searches.drain(..first);
    }

    /// The rows that a reader sees, the latest first.
    fn rows(&self, reader: Reader) -> impl Iterator<Item = usize> + '_ {
        let present = |&row: &usize| self.searches[row] == self.search;
        let rows = (0..self.entries.len()).rev().take_while(present);
        rows.filter(move |&row| self.entries[row].readers.include(reader)).take(self.len(reader))
    }

    fn window(&self, reader: Reader) -> &Window {
        match reader {
            Reader::Ranks => &self.ranks,
            Reader::Surrogate => &self.surrogate,
        }
    }

    fn window_mut(&mut self, reader: Reader) -> &mut Window {
        match reader {
            Reader::Ranks => &mut self.ranks,
            Reader::Surrogate => &mut self.surrogate,
        }
    }

    /// How many points a reader sees.
    pub(crate) fn len(&self, reader: Reader) -> usize {
        self.window(reader).len()
    }

    /// How many it sees at most.
    pub(crate) fn capacity(&self, reader: Reader) -> usize {
        self.window(reader).capacity()
    }

    /// The rows that a reader sees, in its order.
    pub(crate) fn read(&self, reader: Reader, rows: &mut Vec<usize>) {
        rows.clear();
        match self.mixed {
            true => {
                rows.extend(self.rows(reader));
                rows.reverse();
            }
            false => rows.extend(self.entries.len() - self.len(reader)..self.entries.len()),
        }
        if reader == Reader::Ranks {
            rows.rotate_right(self.ranks.turn());
        }
    }

    /// Twice as many of the latest rows that a reader may see as its window has, in the order of their age: those near a
    /// point are chosen among them.
    pub(crate) fn read_more(&self, reader: Reader, rows: &mut Vec<usize>) {
        let present = |&row: &usize| self.searches[row] == self.search;
        let seen = |&row: &usize| self.entries[row].readers.include(reader);
        let latest = (0..self.entries.len()).rev().take_while(present).filter(seen);
        rows.clear();
        rows.extend(latest.take(2 * self.capacity(reader)));
        rows.reverse();
    }

    /// A point in search coordinates.
    fn searched(&self, row: usize) -> &[f64] {
        self.block(row..row + 1)
    }

    /// Points in search coordinates, as rows.
    fn block(&self, rows: Range<usize>) -> &[f64] {
        let d = self.search_dimension;
        let points = if self.searched.is_empty() { &self.points } else { &self.searched };
        &points[rows.start * d..rows.end * d]
    }

    /// The costs of these rows.
    pub(crate) fn costs_of(&self, rows: &[usize], out: &mut Vec<f64>) {
        out.clear();
        runs(rows).for_each(|(_, run)| out.extend_from_slice(&self.costs[run]));
    }

    /// The search coordinates of these rows.
    pub(crate) fn points_of(&self, rows: &[usize], out: &mut [f64]) {
        let d = self.search_dimension;
        runs(rows).for_each(|(at, run)| out[at * d..(at + run.len()) * d].copy_from_slice(self.block(run)));
    }

    /// The whitened coordinates of these rows, `s = A⁻ᵀ(z − x)`, and their squared norms. n d²/2 multiply-adds.
    pub(crate) fn whiten(
        &self,
        rows: &[usize],
        distribution: &SearchDistribution,
        whitened: &mut [f64],
        norms: &mut [f64],
    ) {
        let (d, mean) = (self.search_dimension, distribution.mean());
        for (at, run) in runs(rows) {
            let out = &mut whitened[at * d..(at + run.len()) * d];
            linalg::subtract_from_rows(self.block(run), mean, out);
        }
        distribution.solve_transpose(whitened);
        linalg::squared_norms(whitened, norms, d);
    }

    /// The cost of this very point, given in search coordinates, where a reader sees it.
    pub(crate) fn cost_of(&self, reader: Reader, point: &[f64]) -> Option<f64> {
        self.rows(reader).find(|&row| self.searched(row) == point).map(|row| self.costs[row])
    }

    /// Whether a reader sees this very point, given in search coordinates.
    pub(crate) fn contains(&self, reader: Reader, point: &[f64]) -> bool {
        self.cost_of(reader, point).is_some()
    }

    /// Whether this very point, given in the user's coordinates, was evaluated. O(n d).
    pub(crate) fn knows(&self, point: &[f64]) -> bool {
        self.points.chunks_exact(self.dimension).any(|p| p == point)
    }

    /// How many different points were evaluated. O(n log n).
    pub(crate) fn distinct(&self) -> usize {
        let mut rows: Vec<&[f64]> = self.points.chunks_exact(self.dimension).collect();
        rows.sort_unstable_by(|a, b| a.partial_cmp(b).unwrap_or(std::cmp::Ordering::Equal));
        rows.dedup();
        rows.len()
    }

    /// Lengths agree: what a checkpoint must satisfy before it is used. `folded` where search coordinates are not
    /// the user's.
    #[cfg(feature = "serde")]
    pub(crate) fn is_consistent(
        &self,
        dimensions: (usize, usize),
        folded: bool,
        windows: (usize, usize),
    ) -> bool {
        let n = self.entries.len();
        let searched = if folded { n * self.search_dimension } else { 0 };
        (self.dimension, self.search_dimension) == dimensions
            && (folded || self.dimension == self.search_dimension)
            && self.points.len() == n * self.dimension
            && self.searched.len() == searched
            && self.searches.len() == n
            && self.costs.len() == n
            && self.constraints.len() == n * self.lagrangian.width()
            && self.ranks.is_consistent(windows.0)
            && self.surrogate.is_consistent(windows.1)
            && self.search < u32::MAX
            && self.entries.iter().all(|entry| entry.measured < u32::MAX)
            && [Reader::Ranks, Reader::Surrogate].iter().all(|r| self.rows(*r).count() == self.len(*r))
    }
}

/// Rows that follow each other in the archive, as ranges, each with its place among the rows.
fn runs(rows: &[usize]) -> impl Iterator<Item = (usize, Range<usize>)> + '_ {
    let mut at = 0;
    std::iter::from_fn(move || {
        let first = *rows.get(at)?;
        let follow = rows[at..].iter().enumerate().take_while(|(i, row)| **row == first + i).count();
        let run = (at, first..first + follow);
        at += follow;
        Some(run)
    })
}

#[cfg(test)]
mod tests;
