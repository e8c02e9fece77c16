//! The command line tool from outside: one file a subject.

mod asynchronous;
mod browser;
mod cli;
mod computing;
mod constraints;
mod corpus;
mod faults;
mod first_steps;
mod hostile;
mod inject;
mod integers;
mod made;
mod model;
mod noisy;
mod one_by_one;
mod program;
mod report;
mod resume;
mod runs;
mod signal;
mod warm_start;
mod watch;
