//! A smooth map from an unbounded coordinate into an interval.
//!
//! Identity in the inside, a parabola near each bound, mirrored beyond: continuously differentiable, no
//! bias towards the bound, no point where a search could get stuck but the bound itself. The search, its
//! densities and its mixing live in the unbounded coordinate; users see the mapped one.

/// A coordinate with a lower bound, an upper bound, both or none.
///
/// ```
/// let share = enes::Interval::new(Some(0.0), Some(1.0)).unwrap();
/// assert_eq!(share.inside(0.5), 0.5);
/// assert!((0.0..=1.0).contains(&share.inside(-7.3)));
/// ```
#[derive(Clone, Copy, Debug, PartialEq)]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize))]
pub struct Interval {
    lower: Option<f64>,
    upper: Option<f64>,
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
    /// The coordinate with these bounds; an infinite bound is none.
    ///
    /// # Errors
    /// A bound that is NaN, or a lower bound that is not below the upper one.
    pub fn new(lower: Option<f64>, upper: Option<f64>) -> Result<Self, IntervalError> {
        let error = IntervalError { lower, upper };
        let nan = [lower, upper].iter().flatten().any(|b| b.is_nan());
        let lower = lower.filter(|b| *b != f64::NEG_INFINITY);
        let upper = upper.filter(|b| *b != f64::INFINITY);
        let empty = match (lower, upper) {
            (Some(a), Some(b)) => a >= b || !(b - a).is_finite(),
            (Some(a), None) => a.is_infinite(),
            (None, Some(b)) => b.is_infinite(),
            (None, None) => false,
        };
        if nan || empty { Err(error) } else { Ok(Self { lower, upper }) }
    }

    /// The lower bound.
    pub fn lower(&self) -> Option<f64> {
        self.lower
    }

    /// The upper bound.
    pub fn upper(&self) -> Option<f64> {
        self.upper
    }

    /// Whether a value lies within the bounds, both included.
    pub fn contains(&self, x: f64) -> bool {
        self.lower.is_none_or(|a| x >= a) && self.upper.is_none_or(|b| x <= b)
    }

    /// Half the width of the parabola at a bound: a twentieth of its size, at most half the interval.
    fn margin(&self, bound: f64) -> f64 {
        let room = match (self.lower, self.upper) {
            (Some(a), Some(b)) => 0.5 * (b - a),
            _ => f64::INFINITY,
        };
        (0.05 * (1.0 + bound.abs())).min(room)
    }

    /// The value in the interval for an unbounded coordinate; exactly within, rounding included.
    pub fn inside(&self, u: f64) -> f64 {
        let (Some(a), Some(b)) = (self.lower, self.upper) else {
            let x = match (self.lower, self.upper) {
                (Some(a), _) => a + rise(u - a, self.margin(a)),
                (_, Some(b)) => b - rise(b - u, self.margin(b)),
                _ => u,
            };
            return self.clamped(x);
        };
        // Mirrored at both ends of [a − m, b + n]: one period there and back.
        let (m, n) = (self.margin(a), self.margin(b));
        let length = (b + n) - (a - m);
        let mut v = (u - (a - m)).rem_euclid(2.0 * length);
        if v > length {
            v = 2.0 * length - v;
        }
        let v = a - m + v;
        let x = if v < a + m {
            a + rise(v - a, m)
        } else if v > b - n {
            b - rise(b - v, n)
        } else {
            v
        };
        self.clamped(x)
    }

    /// An unbounded coordinate that `inside` maps to x; the one nearest to the interval.
    pub fn outside(&self, x: f64) -> f64 {
        let x = self.clamped(x);
        if let Some(a) = self.lower {
            let m = self.margin(a);
            if x < a + m {
                return a - m + 2.0 * (m * (x - a)).sqrt();
            }
        }
        if let Some(b) = self.upper {
            let n = self.margin(b);
            if x > b - n {
                return b + n - 2.0 * (n * (b - x)).sqrt();
            }
        }
        x
    }

    fn clamped(&self, x: f64) -> f64 {
        let x = self.lower.map_or(x, |a| x.max(a));
        self.upper.map_or(x, |b| x.min(b))
    }
}

/// Distance from a bound for an unbounded distance v: v itself beyond the margin, a parabola within
/// ±margin, mirrored beyond.
fn rise(v: f64, margin: f64) -> f64 {
    let v = if v < -margin { -2.0 * margin - v } else { v };
    if v >= margin { v } else { (v + margin).powi(2) / (4.0 * margin) }
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
        for x in [1.0, 5.0, 9.0] {
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
