//! What bounds mean for integer coordinates.

/// Beyond this a floating-point number has no neighbours at distance 1.
pub(super) const LARGEST_INTEGER: f64 = 9_007_199_254_740_992.0; // 2^53

/// The least and the largest whole number within bounds, positive on a log scale; infinite ones stay.
pub(crate) fn whole_bounds(lower: f64, upper: f64, log: bool) -> (f64, f64) {
    // Adding 0 takes the sign from a zero.
    let (lower, upper) = (lower.ceil() + 0.0, upper.floor() + 0.0);
    (if log { lower.max(1.0) } else { lower }, upper)
}

#[cfg(test)]
mod tests {
    use super::whole_bounds;

    #[test]
    fn bounds_are_taken_to_the_whole_numbers_within() {
        assert_eq!(whole_bounds(-0.5, 2.9, false), (0.0, 2.0));
        assert!(whole_bounds(-0.5, 2.9, false).0.is_sign_positive());
        assert_eq!(whole_bounds(0.2, f64::INFINITY, true), (1.0, f64::INFINITY));
        assert_eq!(whole_bounds(f64::NEG_INFINITY, 7.0, true), (1.0, 7.0));
        assert_eq!(whole_bounds(f64::NEG_INFINITY, 7.0, false), (f64::NEG_INFINITY, 7.0));
    }
}
