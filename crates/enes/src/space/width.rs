//! Between two bounds a deviation beyond half of the range says nothing more: points are folded all over it.
//!
//! Without a limit a step that grows for a moment makes the objective look like noise, from which there is
//! no way back.

use super::Space;
use crate::search::Search;

/// The largest deviation between two bounds, in ranges: nearly the uniform law.
pub(super) const WIDEST: f64 = 0.5;

impl Space {
    /// Narrow the coordinates that have become wider after an update. O(d²).
    pub(super) fn keep_width(&self, search: &mut Search) {
        for (j, coordinate) in self.each_free().enumerate() {
            let Some((lower, upper)) = coordinate.range() else { continue };
            let by = WIDEST * (upper - lower) / search.distribution.deviation(j);
            if by < 1.0 {
                search.narrow(j, by);
            }
        }
    }
}
