//! A smooth map from an unbounded coordinate into an interval.
//!
//! Identity in the inside, a parabola near each bound, mirrored beyond (pycma's idea): continuously
//! differentiable, no bias towards the bound, no point where a search could get stuck but the bound itself.
//! The search, its densities and its mixing live in the unbounded coordinate; users see the mapped one.

/// Of the range, how far the parabola at a bound reaches at most.
const WIDEST_PARABOLA: f64 = 0.05;

/// A coordinate with a lower bound, an upper bound, both or none.
///
/// ```
/// let share = enes::Interval::new(Some(0.0), Some(1.0)).unwrap();
/// assert_eq!(share.inside(0.3), 0.3);
/// assert!((0.0..=1.0).contains(&share.inside(-7.3)));
/// ```
#[derive(Clone, Copy, Debug, PartialEq)]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize))]
pub struct Interval {
    lower: Option<f64>,
    upper: Option<f64>,
    /// How far the parabola at a bound reaches, to both sides of it; 0 for a plain mirror.
    margin: f64,
}

/// Bounds that bound nothing.
#[derive(Clone, Copy, Debug, PartialEq, thiserror::Error)]
#[error(
    "the bounds {lower:?} and {upper:?} leave no room: the lower must be below the upper, and both numbers"
)]
pub struct IntervalError {
    /// The lower bound given.
    pub lower: Option<f64>,
    /// The upper bound given.
    pub upper: Option<f64>,
}

impl Interval {
    /// The coordinate with these bounds; an infinite bound is none. The parabolas reach a twentieth of the
    /// range to both sides of a bound, or of 1 + |bound| where there is one bound only.
    ///
    /// # Errors
    /// A bound that is NaN, or a lower bound that is not below the upper one.
    pub fn new(lower: Option<f64>, upper: Option<f64>) -> Result<Self, IntervalError> {
        // Two bounds: the range alone counts, so that a unit of measurement makes no difference.
        let size = |bound: Option<f64>| bound.map_or(f64::INFINITY, |b| 1.0 + b.abs());
        let (low, high) = (size(lower), size(upper));
        let both = low.is_finite() && high.is_finite();
        Self::with_margin(lower, upper, if both { f64::INFINITY } else { WIDEST_PARABOLA * low.min(high) })
    }

    /// The coordinate with these bounds, whose parabolas reach `margin` to both sides of a bound, but a
    /// twentieth of the range at most. 0 is a plain mirror.
    ///
    /// # Errors
    /// A bound that is NaN, or a lower bound that is not below the upper one.
    pub fn with_margin(lower: Option<f64>, upper: Option<f64>, margin: f64) -> Result<Self, IntervalError> {
        let error = IntervalError { lower, upper };
        let nan = [lower, upper].iter().flatten().any(|b| b.is_nan());
        let lower = lower.filter(|b| *b != f64::NEG_INFINITY);
        let upper = upper.filter(|b| *b != f64::INFINITY);
        let room = match (lower, upper) {
            (Some(a), Some(b)) => b - a,
            (Some(b), None) | (None, Some(b)) if b.is_infinite() => -1.0,
            _ => f64::MAX,
        };
        if nan || !(room > 0.0 && room.is_finite()) {
            return Err(error);
        }
        let margin =
            if lower.or(upper).is_some() { margin.max(0.0).min(WIDEST_PARABOLA * room) } else { 0.0 };
        Ok(Self { lower, upper, margin })
    }

    /// The lower bound.
    pub fn lower(&self) -> Option<f64> {
        self.lower
    }

    /// The upper bound.
    pub fn upper(&self) -> Option<f64> {
        self.upper
    }

    /// How far the parabola at a bound reaches, to both sides of it.
    pub(crate) fn margin(&self) -> f64 {
        self.margin
    }

    /// Whether a value lies within the bounds, both included.
    pub fn contains(&self, x: f64) -> bool {
        self.lower.is_none_or(|a| x >= a) && self.upper.is_none_or(|b| x <= b)
    }

    /// The value in the interval for an unbounded coordinate; exactly within, rounding included, and the
    /// coordinate itself, to the last bit, where it is farther than the margin from both bounds.
    pub fn inside(&self, u: f64) -> f64 {
        let m = self.margin;
        let x = match (self.lower, self.upper) {
            (None, None) => return u,
            (Some(a), None) if u - a < m => a + rise(u - a, m),
            (None, Some(b)) if b - u < m => b - rise(b - u, m),
            (Some(a), Some(b)) if !(u - a >= m && b - u >= m) => {
                // Mirrored at both ends of [a − m, b + m]: one period there and back.
                let start = a - m;
                let length = (b + m) - start;
                let along = (u - start).rem_euclid(2.0 * length);
                let v = start + if along > length { 2.0 * length - along } else { along };
                if v - a < m {
                    a + rise(v - a, m)
                } else if b - v < m {
                    b - rise(b - v, m)
                } else {
                    v
                }
            }
            _ => u,
        };
        self.clamped(x)
    }

    /// Whether `inside` falls where this coordinate rises, for an interval without a margin.
    pub(crate) fn is_mirrored(&self, u: f64) -> bool {
        match (self.lower, self.upper) {
            (None, None) => false,
            (Some(a), None) => u < a,
            (None, Some(b)) => u > b,
            (Some(a), Some(b)) => (u - a).rem_euclid(2.0 * (b - a)) > b - a,
        }
    }

    /// An unbounded coordinate that `inside` maps to x; the one nearest to the interval.
    pub fn outside(&self, x: f64) -> f64 {
        let (x, m) = (self.clamped(x), self.margin);
        match (self.lower, self.upper) {
            (Some(a), _) if x - a < m => a - m + 2.0 * m * ((x - a) / m).sqrt(),
            (_, Some(b)) if b - x < m => b + m - 2.0 * m * ((b - x) / m).sqrt(),
            _ => x,
        }
    }

    /// The nearest value in the interval: finite where there is a bound.
    pub(crate) fn clamped(&self, x: f64) -> f64 {
        match (self.lower, self.upper) {
            (None, None) => x,
            (a, b) => x.max(a.unwrap_or(f64::MIN)).min(b.unwrap_or(f64::MAX)),
        }
    }
}

/// Distance from a bound for an unbounded distance v: v itself beyond the margin, a parabola within
/// ±margin, mirrored beyond.
fn rise(v: f64, margin: f64) -> f64 {
    let v = if v < -margin { -2.0 * margin - v } else { v };
    // In this order nothing under- or overflows, however small or large the margin.
    if v >= margin { v } else { 0.25 * (v + margin) * ((v + margin) / margin) }
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    fn intervals() -> impl Strategy<Value = Interval> {
        (prop::option::of(-1e3..1e3f64), prop::option::of(1e-6..2e3f64)).prop_map(|(a, width)| {
            let upper = width.map(|w| a.unwrap_or(0.0) + w);
            Interval::new(a, upper).unwrap()
        })
    }

    /// Widths from 1e-300 to 1e300 at bounds of the same size: nothing may under- or overflow.
    #[test]
    fn the_map_is_the_same_in_any_unit() {
        let plain = Interval::new(Some(1.0), Some(3.0)).unwrap();
        for power in [-990, -300, 300, 990] {
            let unit = 2f64.powi(power);
            let scaled = Interval::new(Some(unit), Some(3.0 * unit)).unwrap();
            for i in -200..200 {
                let u = 0.0371 * f64::from(i);
                assert_eq!(scaled.inside(u * unit), plain.inside(u) * unit, "{u} 2^{power}");
                let x = plain.inside(u);
                assert_eq!(scaled.outside(x * unit), plain.outside(x) * unit, "{u} 2^{power}");
            }
        }
    }

    #[test]
    fn numbers_without_end_land_inside_too() {
        let bounds = [(Some(0.0), None), (None, Some(0.0)), (Some(-1.0), Some(2.0))];
        for (a, b) in bounds {
            for interval in [Interval::new(a, b).unwrap(), Interval::with_margin(a, b, 0.0).unwrap()] {
                for u in [f64::INFINITY, f64::NEG_INFINITY, f64::NAN, f64::MAX, f64::MIN] {
                    let x = interval.inside(u);
                    assert!(interval.contains(x) && x.is_finite(), "{interval:?} {u} {x}");
                }
            }
        }
    }

    #[test]
    fn a_mirrored_coordinate_falls_where_it_rises() {
        for (a, b) in [(Some(0.0), Some(1.0)), (Some(0.0), None), (None, Some(1.0)), (None, None)] {
            let interval = Interval::with_margin(a, b, 0.0).unwrap();
            for i in -40..40 {
                let u = 0.1 * f64::from(i) + 0.05;
                let falls = interval.inside(u + 1e-3) < interval.inside(u);
                assert_eq!(interval.is_mirrored(u), falls, "{interval:?} {u}");
            }
        }
    }

    #[test]
    fn without_a_margin_the_map_is_a_mirror() {
        let mirror = Interval::with_margin(Some(0.0), Some(1.0), 0.0).unwrap();
        for (u, x) in [(0.3, 0.3), (-0.25, 0.25), (1.25, 0.75), (2.25, 0.25), (0.0, 0.0), (1.0, 1.0)] {
            assert_eq!((mirror.inside(u), mirror.outside(x)), (x, x), "{u}");
        }
        let half = Interval::with_margin(None, Some(1.0), 0.0).unwrap();
        assert_eq!((half.inside(3.5), half.inside(-3.5)), (-1.5, -3.5));
    }

    proptest! {
        #[test]
        fn everything_lands_inside(interval in intervals(), u in -1e6..1e6f64) {
            prop_assert!(interval.contains(interval.inside(u)));
        }

        #[test]
        fn the_map_undoes_its_inverse(interval in intervals(), u in -1e4..1e4f64) {
            let x = interval.inside(u);
            let again = interval.inside(interval.outside(x));
            prop_assert!((again - x).abs() <= 1e-9 * (1.0 + x.abs()), "{x} {again}");
        }

        #[test]
        fn the_map_never_jumps(interval in intervals(), u in -1e4..1e4f64) {
            let h = 1e-6;
            // The slope lies within [−1, 1] everywhere.
            let step = (interval.inside(u + h) - interval.inside(u)).abs();
            prop_assert!(step <= h * (1.0 + 1e-3), "{step}");
        }
    }

    #[test]
    fn the_inside_is_left_alone() {
        let interval = Interval::new(Some(0.0), Some(10.0)).unwrap();
        for x in [0.6, 1.0, 10.0 / 3.0, 5.0, 9.4] {
            assert_eq!((interval.inside(x), interval.outside(x)), (x, x));
        }
        assert_eq!(Interval::new(None, None).unwrap().inside(-3.5), -3.5);
    }

    #[test]
    fn bounds_that_leave_no_room_are_refused() {
        for (a, b) in [(1.0, 1.0), (2.0, 1.0), (f64::NAN, 1.0), (0.0, f64::NAN), (-f64::MAX, f64::MAX)] {
            assert!(Interval::new(Some(a), Some(b)).is_err(), "{a} {b}");
        }
        assert!(Interval::new(Some(f64::INFINITY), None).is_err());
        assert_eq!(Interval::new(Some(f64::NEG_INFINITY), Some(f64::INFINITY)), Interval::new(None, None));
    }
}
