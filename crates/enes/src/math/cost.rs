//! The cost of a point: one number that orders values and violations. Smaller is better.
//!
//! Feasible points (violation 0 or less) come before infeasible ones and are ordered by value; infeasible
//! ones are ordered by violation, whatever their value. The order is encoded once, when values are told, so
//! that ranks, archive, mixing and stop rules see one cost per point.

use std::cmp::Ordering;

/// The least cost of an infeasible point, 2^1007 (about 1.4e303); feasible ones lie below.
const WALL: f64 = f64::from_bits((1007 + 1023) << 52);

/// From here on the costs of feasible points are closer together, so that the largest number lies below the wall, and lose bits.
const CROWDED: f64 = f64::from_bits((1006 + 1023) << 52);
const CROWDED_DROPPED: u32 = 5;

/// Bits of a violation that its cost does not keep: the sum of wall and bits stays finite.
const DROPPED: u32 = 7;

/// Order of costs: numbers by size, then NaN.
pub(crate) fn compare(a: f64, b: f64) -> Ordering {
    a.partial_cmp(&b).unwrap_or_else(|| a.is_nan().cmp(&b.is_nan()))
}

/// The cost of a point whose cost without constraints is this one; infinite violations are legal. NaN
/// where the violation is NaN, or where it is none and the cost is NaN.
pub(crate) fn encode(cost: f64, violation: f64) -> f64 {
    if violation.is_nan() {
        return f64::NAN;
    }
    if violation > 0.0 {
        // Bits of positive numbers are ordered as the numbers are.
        return f64::from_bits(WALL.to_bits() + (violation.to_bits() >> DROPPED));
    }
    if cost >= CROWDED {
        return f64::from_bits(CROWDED.to_bits() + ((cost.to_bits() - CROWDED.to_bits()) >> CROWDED_DROPPED));
    }
    cost
}

/// The cost of a point of which no violation is known: that of a feasible one, but infinity stays.
pub(crate) fn unconstrained(cost: f64) -> f64 {
    if cost == f64::INFINITY { cost } else { encode(cost, 0.0) }
}

/// Whether a cost is that of an infeasible point.
pub(crate) fn is_infeasible(cost: f64) -> bool {
    (WALL..f64::INFINITY).contains(&cost)
}

/// The violation of an infeasible point, to 45 bits; 0 for any other.
pub(crate) fn violation(cost: f64) -> f64 {
    if is_infeasible(cost) { f64::from_bits((cost.to_bits() - WALL.to_bits()) << DROPPED) } else { 0.0 }
}

/// Largest less smallest, of values where all are feasible and of violations where none is; infinite where
/// some are. NaN where a cost is NaN, and where infinities meet.
pub(crate) fn range(costs: impl Iterator<Item = f64>) -> f64 {
    let mut bounds = (f64::INFINITY, f64::NEG_INFINITY);
    for c in costs {
        if c.is_nan() {
            return f64::NAN;
        }
        bounds = (bounds.0.min(c), bounds.1.max(c));
    }
    difference(bounds.1, bounds.0)
}

/// How far a cost lies above another that is no larger: in value where both are feasible, in violation where
/// neither is, infinite where one is.
pub(crate) fn difference(high: f64, low: f64) -> f64 {
    match (is_infeasible(high), is_infeasible(low)) {
        (false, false) => high - low,
        (true, true) => violation(high) - violation(low),
        _ => f64::INFINITY,
    }
}

/// How much better an earlier cost was than this one; where that one is feasible and this one is not, how
/// far this one is from feasible.
pub(crate) fn lacking(cost: f64, earlier: f64) -> f64 {
    match (is_infeasible(cost), is_infeasible(earlier)) {
        (false, true) => f64::NEG_INFINITY,
        (true, _) => violation(cost) - violation(earlier),
        (false, false) => cost - earlier,
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    fn positive() -> impl Strategy<Value = f64> {
        // Every positive number and infinity, by their bits: all exponents alike.
        (1u64..=f64::INFINITY.to_bits()).prop_map(f64::from_bits)
    }

    proptest! {
        #[test]
        fn feasible_comes_before_infeasible(cost in any::<f64>(), v in positive()) {
            prop_assume!(!cost.is_nan());
            let (feasible, infeasible) = (encode(cost, 0.0), encode(cost, v));
            prop_assert!(feasible < infeasible && infeasible.is_finite());
            prop_assert!(is_infeasible(infeasible) && !is_infeasible(feasible));
            prop_assert!(cost >= CROWDED || feasible == cost);
        }

        #[test]
        fn feasible_points_are_ordered_by_value(a in positive(), b in positive()) {
            let order = compare(encode(a, 0.0), encode(b, 0.0));
            prop_assert!(order == a.total_cmp(&b) || order.is_eq() && (a / b - 1.0).abs() < 2f64.powi(-46));
        }

        #[test]
        fn infeasible_points_are_ordered_by_violation(a in positive(), b in positive()) {
            let order = compare(encode(1.0, a), encode(-1.0, b));
            prop_assert!(order == a.total_cmp(&b) || order.is_eq() && (a / b - 1.0).abs() < 2f64.powi(-44));
        }

        #[test]
        fn violations_come_back_to_45_bits(v in positive()) {
            let back = violation(encode(0.0, v));
            // Below the normal numbers what is dropped is all there is.
            prop_assert!(back <= v && (v - back <= v * 2f64.powi(-45) || v < 1e-300), "{} {}", v, back);
        }
    }

    #[test]
    fn what_is_no_number_stays_so() {
        assert!(encode(1.0, f64::NAN).is_nan() && encode(f64::NAN, 0.0).is_nan());
        // The value of an infeasible point is not looked at.
        assert_eq!(encode(f64::NAN, 2.0), encode(7.0, 2.0));
        assert_eq!((unconstrained(f64::INFINITY), unconstrained(1.5)), (f64::INFINITY, 1.5));
        assert!(!is_infeasible(unconstrained(f64::MAX)) && !is_infeasible(f64::INFINITY));
        assert!(!is_infeasible(f64::NAN) && encode(f64::INFINITY, 0.0) < encode(0.0, f64::MIN_POSITIVE));
    }

    #[test]
    fn ranges_are_of_values_or_of_violations() {
        let costs = |pairs: &[(f64, f64)]| pairs.iter().map(|p| encode(p.0, p.1)).collect::<Vec<_>>();
        assert_eq!(range(costs(&[(3.0, 0.0), (5.0, -1.0)]).into_iter()), 2.0);
        assert_eq!(range(costs(&[(3.0, 0.5), (5.0, 2.0)]).into_iter()), 1.5);
        assert_eq!(range(costs(&[(3.0, 0.0), (3.0, 1e-9)]).into_iter()), f64::INFINITY);
        assert!(range([1.0, f64::NAN].into_iter()).is_nan());
        assert_eq!(lacking(encode(9.0, 0.25), encode(1.0, 0.0)), 0.25);
        assert_eq!(lacking(encode(9.0, 0.0), encode(1.0, 0.5)), f64::NEG_INFINITY);
    }
}
