//! Categories: of a group of coordinates exactly one is 1, the others are 0.
//!
//! Each of them is searched as a binary coordinate; the one with the largest number wins. So a category has a place for every
//! choice, none is between two others, and all that holds for integers holds for it: margin, step, neighbours.

use super::coordinate::Coordinate;
use super::{Bounds, LogScale, Space};
use crate::error::SettingsError;

/// In place of numbers of the coordinates of each group: 1 for the largest, of equal ones the first, and 0 for the others. O(d)
/// for each coordinate that is first in its group.
pub(super) fn choose(group_of: impl Fn(usize) -> Option<usize>, point: &mut [f64]) {
    let d = point.len();
    for first in 0..d {
        let Some(group) = group_of(first) else { continue };
        let among = |j: &usize| group_of(*j) == Some(group);
        if (0..first).any(|j| among(&j)) {
            continue;
        }
        let winner =
            (first..d).filter(among).fold(first, |best, j| if point[j] > point[best] { j } else { best });
        (first..d).filter(among).for_each(|j| point[j] = if j == winner { 1.0 } else { 0.0 });
    }
}

/// Check groups of coordinates: at least two that exist, each in one group only, with no bounds but 0 and 1 and no log scale.
pub(super) fn check(
    groups: &[Vec<usize>],
    d: usize,
    bounds: Option<&Bounds>,
    log_scale: &LogScale,
) -> Result<(), SettingsError> {
    let mut seen = vec![false; d];
    for (group, members) in groups.iter().enumerate() {
        let fail = |reason: String| Err(SettingsError::OneHot { group, reason });
        if members.len() < 2 {
            return fail(format!(
                "it has {} coordinates, at least two are needed: one for each choice",
                members.len()
            ));
        }
        for &index in members {
            if index >= d {
                return fail(format!("there is no coordinate {index}: there are {d}, counted from 0"));
            }
            if std::mem::replace(&mut seen[index], true) {
                return fail(format!(
                    "coordinate {index} is named twice: a coordinate belongs to one choice of one group"
                ));
            }
            if log_scale.at(index) {
                return fail(format!(
                    "coordinate {index} is on a log scale, but it is 0 or 1: leave that out"
                ));
            }
            let given = bounds.and_then(|b| b.0.get(index)).copied();
            if let Some((lower, upper)) = given
                .filter(|&(a, b)| !(a == 0.0 && b == 1.0 || a == f64::NEG_INFINITY && b == f64::INFINITY))
            {
                return fail(format!(
                    "coordinate {index} has bounds ({lower}, {upper}), but it is 0 or 1: give (0, 1), or none"
                ));
            }
        }
    }
    Ok(())
}

impl Space {
    /// The group of one of the user's coordinates.
    fn group_of(&self, index: usize) -> Option<usize> {
        self.coordinates.get(index).and_then(Coordinate::free).and_then(|f| f.group)
    }

    pub(super) fn has_groups(&self) -> bool {
        self.each_free().any(|f| f.group.is_some())
    }

    /// Of the user's coordinates those of groups, which are numbers yet, become 0 and 1.
    pub(super) fn choose(&self, row: &mut [f64]) {
        choose(|index| self.group_of(index), row);
    }

    /// From a point to the k-th of its neighbours, of two for each coordinate: the next whole number down or up, or another choice
    /// of a category. False where there is none; the point is as it was then.
    pub(crate) fn go_to_neighbour(&self, point: &mut [f64], k: usize) -> bool {
        let (index, up) = (k / 2, k % 2 == 1);
        let Some(group) = self.group_of(index) else {
            let next = point[index] + if up { 1.0 } else { -1.0 };
            let exists = self.has_value(index, next);
            if exists {
                point[index] = next;
            }
            return exists;
        };
        if !up || point[index] == 1.0 {
            return false;
        }
        for j in 0..point.len() {
            if self.group_of(j) == Some(group) {
                point[j] = if j == index { 1.0 } else { 0.0 };
            }
        }
        true
    }
}

#[cfg(test)]
mod tests {
    use super::choose;

    #[test]
    fn the_largest_of_each_group_is_chosen_and_the_first_of_equal_ones() {
        let groups = [Some(0), None, Some(1), Some(0), Some(1), Some(0)];
        let mut point = [0.2, 7.5, 0.4, 0.9, 0.4, -3.0];
        choose(|j| groups[j], &mut point);
        assert_eq!(point, [0.0, 7.5, 1.0, 1.0, 0.0, 0.0]);
    }
}
