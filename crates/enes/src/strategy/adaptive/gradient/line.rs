//! Along a step: two points at a time, until the best of them is near the minimum of a parabola.

use crate::strategy::adaptive::tuning::GradientTuning;

/// Generations along one step.
const MOST_TRIES: u32 = 3;

/// How much nearer or farther than a point the next ones may be.
const NEARER: f64 = 0.05;
const FARTHER: f64 = 4.0;

/// What is known along a step; places count in steps.
#[derive(Clone, Debug, PartialEq)]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize))]
pub(super) struct Line {
    /// The first of the two points; the second is twice as far.
    reach: f64,
    /// Their values, +∞ where missing.
    values: [f64; 2],
    /// The best place so far and its value, and the one nearest to the mean.
    best: (f64, f64),
    nearest: (f64, f64),
    tries: u32,
}

/// What follows.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(super) enum Next {
    /// To this place, which has this value.
    Go(f64, f64),
    /// Two more points.
    Again,
    /// The promise was broken.
    Leave,
}

impl Line {
    pub(super) fn new() -> Self {
        let nothing = (f64::INFINITY, f64::INFINITY);
        Self { reach: 1.0, values: [f64::INFINITY; 2], best: nothing, nearest: nothing, tries: 0 }
    }

    /// Places and values of the present two.
    pub(super) fn places(&self) -> [(f64, f64); 2] {
        [(self.reach, self.values[0]), (2.0 * self.reach, self.values[1])]
    }

    pub(super) fn tell(&mut self, at: usize, value: f64) {
        self.values[at] = value;
    }

    pub(super) fn is_complete(&self) -> bool {
        self.values.iter().all(|v| v.is_finite())
    }

    /// Both values are there. From a value and a slope at 0, the best point and these a parabola has its minimum: where the
    /// best point has nearly that value, and enough of what the gradient promised there, it is gone to.
    pub(super) fn judge(
        &mut self,
        value: f64,
        promise: impl Fn(f64) -> f64,
        kept: f64,
        tuning: &GradientTuning,
    ) -> Next {
        for point in self.places() {
            if point.1 < self.best.1 {
                self.best = point;
            }
            if point.0 < self.nearest.0 {
                self.nearest = point;
            }
        }
        let fallen = value - self.best.1;
        // Held at bounds, places beyond the least of the model may promise a rise.
        let keeps = fallen > 0.0 && fallen >= kept * -promise(self.best.0);
        let (place, there) = if fallen > 0.0 { self.best } else { self.nearest };
        let (change, slope) = (promise(place), promise(place) / place);
        let bend = there - value - change;
        let lowest = match bend > 0.0 && there < f64::MAX {
            true => -0.5 * change * place / bend,
            false if there < value => FARTHER * place,
            false => 0.0,
        };
        let lowest = lowest.clamp(NEARER * place, FARTHER * place);
        self.tries += 1;
        let near = bend > 0.0 && fallen >= tuning.near * -0.5 * slope * lowest;
        let last = self.tries >= MOST_TRIES;
        if keeps && (near || last) {
            return Next::Go(self.best.0, self.best.1);
        }
        if last {
            return Next::Leave;
        }
        self.reach = lowest;
        self.values = [f64::INFINITY; 2];
        Next::Again
    }

    #[cfg(feature = "serde")]
    pub(super) fn is_consistent(&self) -> bool {
        let numbers = [self.best.0, self.best.1, self.nearest.0, self.nearest.1];
        self.reach > 0.0
            && self.reach.is_finite()
            && self.tries <= MOST_TRIES
            && numbers.iter().chain(&self.values).all(|v| !v.is_nan())
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::strategy::adaptive::tuning::Tuning;

    /// Between bounds the model may rise where its own step was held: a rise that it expects is no kept promise.
    #[test]
    fn a_line_never_ends_where_the_value_is_worse() {
        let tuning = Tuning::default().gradient;
        let mut line = Line::new();
        for tried in 1..=MOST_TRIES {
            line.tell(0, 1.05);
            line.tell(1, 1.06);
            let next = line.judge(1.0, |place| place, 0.1, &tuning);
            assert_eq!(next, if tried < MOST_TRIES { Next::Again } else { Next::Leave });
        }
    }
}
