//! The studies from outside: one file a subject.

#[cfg(feature = "long-tests")]
mod browser;
mod common;
mod folders;
mod landscapes;
mod many_dimensions;
mod peer;
mod peers;
mod readmes;
#[cfg(feature = "long-tests")]
mod studies;
