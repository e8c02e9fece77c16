//! Points in flight: what was asked one at a time and has not come back, and what came back since the last update.

use crate::search::Queue;

/// What a point in flight is.
#[derive(Clone, Copy, Debug, PartialEq)]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize))]
pub(super) enum Kind {
    /// A sample of the search distribution.
    Sample,
    /// The surrogate's own point.
    Model,
    /// A second measurement of the point with this id.
    Again(u64),
    /// A measurement of the mean at the end of a noisy run.
    Mean,
}

/// A point that was handed out.
#[derive(Clone, Debug, PartialEq)]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize))]
pub(super) struct Flying {
    pub(super) id: u64,
    pub(super) kind: Kind,
    /// Searches that had ended when it was asked, and updates of the distribution.
    pub(super) search: u64,
    pub(super) version: u64,
    /// In the user's coordinates.
    pub(super) point: Vec<f64>,
    /// In search coordinates, and whitened as it was drawn.
    pub(super) searched: Vec<f64>,
    pub(super) whitened: Vec<f64>,
}

/// A point that came back.
#[derive(Clone, Debug, PartialEq)]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize))]
pub(super) struct Arrival {
    pub(super) flying: Flying,
    pub(super) value: f64,
    /// `None` where none was told.
    pub(super) violation: Option<f64>,
    /// The values of the constraints that the settings declare.
    pub(super) constraints: Vec<f64>,
}

impl Arrival {
    /// The id of the first measurement, where it is the second.
    pub(super) fn first_id(&self) -> Option<u64> {
        match self.flying.kind {
            Kind::Again(id) => Some(id),
            _ => None,
        }
    }
}

/// Everything between `ask_one` and the next update.
#[derive(Clone, Debug, Default, PartialEq)]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize))]
pub(crate) struct Flight {
    /// The id of the next point.
    pub(super) next: u64,
    /// Updates of the distribution.
    pub(super) version: u64,
    /// Whether the present generation is drawn, and how many of its rows have been handed out.
    pub(super) begun: bool,
    pub(super) handed: usize,
    /// The ids of these rows.
    pub(super) ids: Vec<u64>,
    /// In the order of their ids.
    pub(super) flying: Vec<Flying>,
    /// In the order in which they came back.
    pub(super) arrived: Vec<Arrival>,
    /// The most points in flight since the last update.
    pub(super) most: usize,
    /// Samples for those who ask before the generation is complete; made when first needed.
    pub(super) queue: Option<Queue>,
}

impl Flight {
    /// The next generation has yet to be drawn.
    pub(super) fn end_generation(&mut self) {
        self.begun = false;
        self.handed = 0;
        self.ids.clear();
    }

    /// Take a point off; `None` where it is not in flight.
    pub(super) fn land(&mut self, id: u64) -> Option<Flying> {
        let place = self.flying.binary_search_by_key(&id, |f| f.id).ok()?;
        Some(self.flying.remove(place))
    }

    /// Whether this very point, in the user's coordinates, is in flight.
    pub(super) fn holds(&self, point: &[f64]) -> bool {
        self.flying.iter().any(|f| f.point == point)
    }

    /// Whether the point with this id has come back and waits for the update.
    pub(super) fn has_arrived(&self, id: u64) -> bool {
        self.arrived.iter().any(|a| a.flying.id == id)
    }

    /// Whether the point with this id is in flight.
    pub(super) fn is_flying(&self, id: u64) -> bool {
        self.flying.binary_search_by_key(&id, |f| f.id).is_ok()
    }

    /// The id under which a row of the generation was handed out.
    pub(super) fn id_of(&self, row: usize) -> Option<u64> {
        self.ids.get(row).copied()
    }

    /// Values of the generation that have come back: first measurements, and second ones of these.
    pub(super) fn landed(&self) -> (usize, usize) {
        let second = || self.arrived.iter().filter_map(Arrival::first_id);
        (self.arrived.len() - second().count(), second().filter(|id| self.has_arrived(*id)).count())
    }

    /// Whether the parts fit each other: what a checkpoint must satisfy before it is used.
    #[cfg(feature = "serde")]
    pub(super) fn is_consistent(&self, users: usize, d: usize, constraints: usize) -> bool {
        let points = || self.flying.iter().chain(self.arrived.iter().map(|a| &a.flying));
        let fits = |f: &Flying| {
            (f.point.len(), f.searched.len(), f.whitened.len()) == (users, d, d)
                && f.id < self.next
                && f.version <= self.version
        };
        let counts = [self.next, self.version, self.most as u64, self.handed as u64];
        points().all(fits)
            && self.arrived.iter().all(|a| a.constraints.len() == constraints)
            && self.flying.windows(2).all(|two| two[0].id < two[1].id)
            && self.ids.iter().all(|id| *id < self.next)
            && counts.into_iter().all(crate::math::is_count)
            && self.queue.as_ref().is_none_or(|queue| queue.is_consistent(d))
    }
}
