//! A window: how many of the latest points a reader sees.

/// Who reads the archive.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Reader {
    /// The regression of ranks.
    Ranks,
    /// The surrogate.
    Surrogate,
}

/// The latest points of a search, at most `capacity`.
#[derive(Clone, Debug, PartialEq)]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize))]
pub(crate) struct Window {
    capacity: usize,
    /// Points added since the search began, or since the window was resized.
    added: u64,
}

impl Window {
    pub(crate) fn new(capacity: usize) -> Self {
        Self { capacity, added: 0 }
    }

    pub(crate) fn capacity(&self) -> usize {
        self.capacity
    }

    pub(crate) fn len(&self) -> usize {
        usize::try_from(self.added).unwrap_or(usize::MAX).min(self.capacity)
    }

    #[cfg(feature = "serde")]
    pub(crate) fn is_consistent(&self, capacity: usize) -> bool {
        self.capacity == capacity && crate::math::is_count(self.added)
    }

    pub(crate) fn count_one(&mut self) {
        self.added += 1;
    }

    /// Go on with another capacity and with the points that are seen, as far as they fit.
    pub(crate) fn resize(&mut self, capacity: usize) {
        self.added = self.len().min(capacity) as u64;
        self.capacity = capacity;
    }

    /// The place of the oldest point in a ring in which a new point takes the place of the oldest.
    pub(crate) fn turn(&self) -> usize {
        let turned = self.added.saturating_sub(self.capacity as u64);
        if self.capacity == 0 { 0 } else { (turned % self.capacity as u64) as usize }
    }
}
