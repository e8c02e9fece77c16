//! The long statistical tests: one file a subject.

mod constraints;
mod evaluation_counts;
mod integers;
mod noise;
mod noisy;
