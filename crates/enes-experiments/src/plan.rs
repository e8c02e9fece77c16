//! What a reproduction is asked for: a study, its size and its seed.

/// Experiments that share a folder and a page.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Study {
    Paper,
    Adaptive,
    Costly,
    Restarts,
    Landscapes,
    Asynchronous,
}

impl Study {
    /// As the manifest and the command have it.
    pub(crate) fn name(self) -> &'static str {
        match self {
            Self::Paper => "paper",
            Self::Adaptive => "adaptive",
            Self::Costly => "costly",
            Self::Restarts => "restarts",
            Self::Landscapes => "landscapes",
            Self::Asynchronous => "asynchronous",
        }
    }
}

/// What every experiment must know.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(crate) struct Plan {
    pub(crate) study: Study,
    pub(crate) quick: bool,
    pub(crate) seed: u64,
}

impl Plan {
    /// The full figure, or the reduced one.
    pub(crate) fn pick<T>(self, full: T, quick: T) -> T {
        if self.quick { quick } else { full }
    }
}
