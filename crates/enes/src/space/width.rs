//! Between two bounds a deviation beyond half of the range says nothing more: points are folded all over it.
//!
//! Without a limit a step that grows for a moment makes the objective look like noise, from which there is
//! no way back.

use super::{Coordinate, Space};
use crate::gaussian::{Motion, SearchDistribution};

/// The largest deviation between two bounds, in ranges: nearly the uniform law.
const LARGEST: f64 = 0.5;

impl Space {
    /// Narrow the coordinates that have become wider after an update; scratch is 2 d numbers. O(d²).
    pub(crate) fn keep_width(
        &self,
        distribution: &mut SearchDistribution,
        motion: &mut Motion,
        scratch: &mut [f64],
    ) {
        let free = self.coordinates.iter().filter_map(Coordinate::free).enumerate();
        for (j, coordinate) in free {
            let (Some(lower), Some(upper)) = (coordinate.interval.lower(), coordinate.interval.upper())
            else {
                continue;
            };
            let by = LARGEST * (upper - lower) / distribution.deviation_of(j);
            if by < 1.0 {
                distribution.narrow(j, by, motion, scratch);
            }
        }
    }
}
