//! The interface in C, from the languages that use it.

mod header;
mod languages;
