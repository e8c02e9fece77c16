//! How the search distribution moves.

pub(crate) mod published;
