//! External points: evaluated, but not sampled by this search.

use super::Adaptive;
use crate::archive::{Archive, Reader, Readers};
use crate::linalg::squared_norm;
use crate::search::Search;

impl Adaptive {
    /// Who may see an injected point, given in search coordinates. The regression does, unless it is far, known
    /// already, or as many came that way in this generation as it has samples. Recombination and the model's quality
    /// never see it, and the surrogate never does: one value that is not true would spoil it for as long as it
    /// remembers.
    pub(crate) fn readers_of_injected(
        &mut self,
        point: &[f64],
        search: &Search,
        archive: &Archive,
    ) -> Readers {
        let far = |s: Vec<f64>| squared_norm(&s) > self.square_reach(s.len());
        let ranks = self.state.external < self.lambda
            && !archive.contains(Reader::Ranks, point)
            && !search.distribution.whiten(point).is_ok_and(far);
        self.state.external += usize::from(ranks);
        Readers { ranks, surrogate: false }
    }

    /// Rows of a table, given in search coordinates, that enter the archive before the first generation, in this order:
    /// those within reach, the nearest as the latest, and whether the regression sees them, which needs room for a
    /// generation of samples.
    pub(crate) fn rows_of_table(
        &self,
        points: &[f64],
        search: &Search,
        archive: &Archive,
    ) -> Vec<(usize, Readers)> {
        let d = search.dimension();
        let Ok(whitened) = search.distribution.whiten(points) else { return Vec::new() };
        let mut near: Vec<(f64, usize)> = whitened.chunks_exact(d).map(squared_norm).zip(0..).collect();
        near.retain(|(q, _)| *q <= self.square_reach(d));
        near.sort_by(|a, b| a.0.total_cmp(&b.0));
        let room = archive.capacity(Reader::Ranks) - self.lambda;
        let mut seen: Vec<&[f64]> = Vec::new();
        let mut rows = Vec::with_capacity(near.len());
        for (i, &(_, row)) in near.iter().enumerate().rev() {
            let point = &points[row * d..(row + 1) * d];
            let ranks = i < room && !seen.contains(&point);
            if ranks {
                seen.push(point);
            }
            rows.push((row, Readers { ranks, surrogate: true }));
        }
        rows
    }

    fn square_reach(&self, d: usize) -> f64 {
        let reach = self.config.tuning.ranks.external_reach;
        reach * reach * d as f64
    }

    /// Move the mean towards a point by at most √d + 2 deviations: where samples lie, and a little beyond. The
    /// path that led to the old mean begins anew, and samples around it are no longer ours.
    pub(crate) fn move_towards(&mut self, point: &[f64], search: &mut Search) {
        search.move_towards(point, (search.dimension() as f64).sqrt() + 2.0);
        self.leave_gradient();
        self.state.ranks.begin_path();
        search.population.carry(0);
    }
}
