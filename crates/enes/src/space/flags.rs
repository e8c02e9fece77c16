//! Which coordinates are searched by their logarithm, and which are integers: all, none, or one answer for each.

/// Which coordinates are searched on a logarithmic scale: all, none, or one answer for each.
#[derive(Clone, Debug, PartialEq)]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize))]
pub struct LogScale(Answer);

#[derive(Clone, Debug, PartialEq)]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize))]
enum Answer {
    All(bool),
    Each(Vec<bool>),
}

impl LogScale {
    /// The answer for one coordinate.
    pub(crate) fn at(&self, index: usize) -> bool {
        match &self.0 {
            Answer::All(log) => *log,
            Answer::Each(logs) => logs.get(index).copied().unwrap_or(false),
        }
    }

    /// How many answers there are, where there is one for each coordinate.
    pub(crate) fn len(&self) -> Option<usize> {
        match &self.0 {
            Answer::All(_) => None,
            Answer::Each(logs) => Some(logs.len()),
        }
    }
}

impl From<bool> for LogScale {
    fn from(log: bool) -> Self {
        Self(Answer::All(log))
    }
}

impl From<Vec<bool>> for LogScale {
    fn from(logs: Vec<bool>) -> Self {
        Self(Answer::Each(logs))
    }
}

impl<const D: usize> From<[bool; D]> for LogScale {
    fn from(logs: [bool; D]) -> Self {
        Self(Answer::Each(logs.to_vec()))
    }
}

/// Which coordinates are integers: all, none, or one answer for each.
#[derive(Clone, Debug, PartialEq)]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize))]
pub struct Integers(LogScale);

impl Integers {
    /// The answer for one coordinate.
    pub(crate) fn at(&self, index: usize) -> bool {
        self.0.at(index)
    }

    /// How many answers there are, where there is one for each coordinate.
    pub(crate) fn len(&self) -> Option<usize> {
        self.0.len()
    }
}

impl From<bool> for Integers {
    fn from(all: bool) -> Self {
        Self(all.into())
    }
}

impl From<Vec<bool>> for Integers {
    fn from(each: Vec<bool>) -> Self {
        Self(each.into())
    }
}

impl<const D: usize> From<[bool; D]> for Integers {
    fn from(each: [bool; D]) -> Self {
        Self(each.into())
    }
}
