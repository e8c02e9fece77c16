//! Evaluations to the target in longer runs, against an independent prototype: 15 dimensions, and the surrogate.

use enes_acceptance::medians::*;
use enes_problems::Function;

#[test]
fn medians_at_dimension_15_are_those_of_the_prototype() {
    compare(15, 250, 7, [8411.0, 8673.0, 12991.0, 9845.0, 11716.0, 3925.0, 11551.0, 5678.0]);
}

/// The medians of the prototype of the surrogate's first form: serial, and with its default batch. The trust region takes
/// no more.
#[test]
fn medians_with_a_surrogate_are_not_above_those_of_its_prototype() {
    use Function::{Cigar, DiffPow, Ellipsoid, SharpR, Sphere, Tablet};
    let functions = [Sphere, Cigar, Tablet, Ellipsoid, DiffPow, SharpR];
    for (d, batch, expected) in [
        (5, Some(1), [9.0, 26.0, 26.0, 26.0, 255.0, 152.0]),
        (10, Some(1), [16.0, 74.0, 83.0, 73.0, 557.0, 450.0]),
        (10, None, [16.0, 77.0, 76.0, 72.0, 585.0, 455.0]),
    ] {
        for (f, expected) in functions.into_iter().zip(expected) {
            let median = median_of(f, d, 21, |s| s.batch(batch));
            // Whole generations are counted here, evaluations there.
            let generation = batch.unwrap_or(4) as f64 + 1.0;
            let spread = 0.2 * expected + generation;
            assert!(median < expected + spread, "{f} d = {d}: {median}, expected {expected}");
        }
    }
}
