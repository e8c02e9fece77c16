//! Programs and their settings on the same instances, from the same starts, counted in the same way: what the studies
//! `adaptive`, `costly` and `restarts` have in common.
//!
//! kind -> runs by each contender -> contest -> columns of a table, claims.

mod baseline;
mod claims;
mod column;
mod contender;
mod contest;
mod expected;
mod part;
mod words;

pub(crate) use baseline::Baseline;
pub(crate) use claims::{all_successes, medians_below, success};
pub(crate) use column::Column;
pub(crate) use contender::{Contender, LQ_SECONDS};
pub(crate) use contest::{Contest, Kind};
pub(crate) use part::{Part, Tables, chart_by_dimension, dimensions};
pub(crate) use words::{geometric_mean, largest, listed, marks, ratio_text, tally};

use enes_problems::Function;

use crate::plan::Plan;

/// The nine unimodal functions, in the order of the tables.
pub(crate) const FUNCTIONS: [Function; 9] = [
    Function::Sphere,
    Function::Schwefel,
    Function::Cigar,
    Function::Tablet,
    Function::Ellipsoid,
    Function::DiffPow,
    Function::Rosenbrock,
    Function::ParabR,
    Function::SharpR,
];

/// The target of the multimodal functions.
pub(crate) const TARGET: f64 = 1e-8;

/// Where runs on the multimodal functions start: near the optimum; and far, with a scale of a third of the distance.
pub(crate) const STARTS: [(Function, f64, f64); 8] = [
    (Function::Rastrigin, 1.0, 1.0),
    (Function::Rastrigin, 5.0, 5.0 / 3.0),
    (Function::Ackley, 1.0, 1.0),
    (Function::Ackley, 10.0, 10.0 / 3.0),
    (Function::Griewank, 1.0, 1.0),
    (Function::Griewank, 10.0, 10.0 / 3.0),
    (Function::Weierstrass, 1.0, 1.0),
    (Function::Weierstrass, 5.0, 5.0 / 3.0),
];

/// All of them, or three.
pub(crate) fn functions(plan: Plan) -> &'static [Function] {
    plan.pick(&FUNCTIONS, &[Function::Sphere, Function::Ellipsoid, Function::Rosenbrock])
}
