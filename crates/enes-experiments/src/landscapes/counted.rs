//! A landscape that counts: every contender's values go through here, so that all are counted and judged alike.

use std::cell::{Cell, RefCell};

use super::draw::Draw;
use super::landscape::Landscape;

pub(super) struct Counted<'a> {
    landscape: &'a Landscape,
    budget: u64,
    /// The noise of this run.
    draw: RefCell<Draw>,
    count: Cell<u64>,
    /// Evaluations until the target was reached.
    reached: Cell<Option<u64>>,
    /// The least true value, of evaluated points or, under noise, of those that would have been returned.
    best: Cell<f64>,
    point: RefCell<Vec<f64>>,
}

impl<'a> Counted<'a> {
    pub(super) fn new(landscape: &'a Landscape, budget: u64, seed: u64) -> Self {
        Self {
            landscape,
            budget,
            draw: RefCell::new(Draw::new(&["noise of a run"], 0, seed)),
            count: Cell::new(0),
            reached: Cell::new(None),
            best: Cell::new(f64::INFINITY),
            point: RefCell::new(landscape.start()),
        }
    }

    /// What the search is told. Beyond the budget nothing counts.
    pub(super) fn evaluate(&self, x: &[f64]) -> f64 {
        let value = self.landscape.value(x);
        self.count.set(self.count.get() + 1);
        if !self.landscape.is_noisy() {
            self.note(x, value);
        }
        self.landscape.measured(value, &mut self.draw.borrow_mut())
    }

    /// Under noise: the point that the search would return now. It costs nothing, and the search learns nothing.
    pub(super) fn judge(&self, x: &[f64]) {
        if self.landscape.is_noisy() {
            self.note(x, self.landscape.value(x));
        }
    }

    fn note(&self, x: &[f64], value: f64) {
        if self.count.get() > self.budget || self.reached.get().is_some() {
            return;
        }
        if value < self.best.get() {
            self.best.set(value);
            self.point.replace(x.to_vec());
        }
        if value <= self.landscape.target {
            self.reached.set(Some(self.count.get()));
        }
    }

    /// The target is reached, or the budget spent.
    pub(super) fn is_over(&self) -> bool {
        self.reached.get().is_some() || self.count.get() >= self.budget
    }

    pub(super) fn has_reached(&self) -> bool {
        self.reached.get().is_some()
    }

    /// Until the target, or all of them within the budget.
    pub(super) fn evaluations(&self) -> u64 {
        self.reached.get().unwrap_or(self.count.get().min(self.budget))
    }

    pub(super) fn best(&self) -> f64 {
        self.best.get()
    }

    /// Distance of the best point from the optimum, 0 where that is not known.
    pub(super) fn off(&self) -> f64 {
        if !self.landscape.is_known {
            return 0.0;
        }
        let optimum = self.landscape.optimum();
        self.point.borrow().iter().zip(&optimum).map(|(a, b)| (a - b).powi(2)).sum::<f64>().sqrt()
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::landscapes::family::Family;

    #[test]
    fn a_success_is_counted_where_it_happens_and_nothing_counts_beyond_the_budget() {
        let landscape = Landscape::new(Family::Smooth, &Family::Smooth.members()[0], 5, 1).unwrap();
        let (start, optimum) = (landscape.start(), landscape.optimum());
        let counted = Counted::new(&landscape, 3, 1);
        counted.evaluate(&start);
        assert!(!counted.is_over() && counted.best() == landscape.value(&start));
        counted.evaluate(&optimum);
        counted.evaluate(&start);
        assert_eq!((counted.has_reached(), counted.evaluations()), (true, 2));
        assert!(counted.off() < 1e-12);
        let late = Counted::new(&landscape, 3, 1);
        (0..3).for_each(|_| _ = late.evaluate(&start));
        late.evaluate(&optimum);
        assert_eq!((late.is_over(), late.has_reached(), late.evaluations()), (true, false, 3));
    }

    #[test]
    fn under_noise_the_point_that_would_be_returned_is_judged() {
        let landscape = Landscape::new(Family::Noise, &Family::Noise.members()[0], 5, 1).unwrap();
        let counted = Counted::new(&landscape, 10, 1);
        assert_ne!(counted.evaluate(&landscape.start()), landscape.value(&landscape.start()));
        counted.evaluate(&landscape.optimum());
        assert!(!counted.has_reached());
        counted.judge(&landscape.optimum());
        assert_eq!((counted.has_reached(), counted.evaluations()), (true, 2));
    }
}
