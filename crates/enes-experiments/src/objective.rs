//! What a run evaluates: an instance of a function, perhaps transformed, noisy or asymmetric.

use std::cell::{Cell, RefCell};

use enes_problems::Problem;
use enes_reference::RandomNumbers;
use serde::Serialize;

use crate::measurement::Numbers;

/// How much steeper the steep part of an asymmetric function is.
const STEEP: f64 = 1e4;

/// e to this is still finite.
const LARGEST_EXPONENT: f64 = 700.0;

/// What is done to a function.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub(crate) enum Perturbation {
    #[default]
    None,
    /// f to this power.
    Power(f64),
    /// exp(f/s) − 1, with s the mean of f over the start ± σ along each axis, so that it stays finite.
    Exponential,
    /// f (1 + εN): ε, and N a standard normal number at every evaluation.
    Noise(f64),
    /// Each coordinate's share is 10⁴ times larger on its positive side.
    Side,
    /// f is 10⁴ times larger in the orthant of positive coordinates.
    Orthant,
}

impl Perturbation {
    /// The function's name with what is done to it.
    pub(crate) fn named(self, function: &str) -> String {
        match self {
            Self::None => function.to_string(),
            Self::Power(p) => format!("{function}^{p}"),
            Self::Exponential => format!("exp({function})"),
            Self::Noise(share) => format!("{function} with {:.0} % noise", 100.0 * share),
            Self::Side => format!("{function}, steep sides"),
            Self::Orthant => format!("{function}, steep orthant"),
        }
    }
}

/// As the peer gets it: every field has a neutral value.
#[derive(Debug, Serialize)]
pub(crate) struct PeerPerturbation {
    power: f64,
    /// The scale s of the exponential; 0: none.
    exponential: f64,
    noise: f64,
    side: f64,
    orthant: f64,
}

/// An objective that knows the true value, which its caller may not.
#[derive(Debug)]
pub(crate) struct Objective<'a> {
    problem: &'a Problem,
    perturbation: Perturbation,
    scale: f64,
    /// The noise of this run.
    numbers: RefCell<Numbers>,
    /// The best true value so far.
    best: Cell<f64>,
}

impl<'a> Objective<'a> {
    pub(crate) fn new(
        problem: &'a Problem,
        perturbation: Perturbation,
        start: &[f64],
        sigma: f64,
        seed: u64,
    ) -> Self {
        let moved = |i: usize, by: f64| {
            let mut point = start.to_vec();
            point[i] += by;
            problem.evaluate(&point)
        };
        let around: f64 = (0..start.len()).map(|i| moved(i, sigma) + moved(i, -sigma)).sum();
        let scale = around / (2 * start.len()) as f64;
        // A stream of its own: the seed as it is belongs to the instance and the search.
        let numbers = RefCell::new(Numbers::new(seed ^ 0x006e_6f69_7365));
        Self { problem, perturbation, scale, numbers, best: Cell::new(f64::INFINITY) }
    }

    /// The value without noise.
    pub(crate) fn true_value(&self, x: &[f64]) -> f64 {
        match self.perturbation {
            Perturbation::None
            | Perturbation::Noise(_)
            | Perturbation::Power(_)
            | Perturbation::Exponential => self.transformed(self.problem.evaluate(x)),
            Perturbation::Side => {
                let mut y = self.problem.own_coordinates(x);
                y.iter_mut().filter(|v| **v > 0.0).for_each(|v| *v *= STEEP.sqrt());
                self.problem.function().evaluate(&y)
            }
            Perturbation::Orthant => {
                let steep = self.problem.own_coordinates(x).iter().all(|v| *v > 0.0);
                self.problem.evaluate(x) * if steep { STEEP } else { 1.0 }
            }
        }
    }

    /// A value of the function, or a target, as the transformation has it.
    pub(crate) fn transformed(&self, value: f64) -> f64 {
        match self.perturbation {
            Perturbation::Power(p) => value.powf(p),
            Perturbation::Exponential => (value / self.scale).min(LARGEST_EXPONENT).exp_m1(),
            _ => value,
        }
    }

    /// What the search is told.
    pub(crate) fn evaluate(&self, x: &[f64]) -> f64 {
        let value = self.true_value(x);
        self.best.set(self.best.get().min(value));
        match self.perturbation {
            Perturbation::Noise(share) => value * (1.0 + share * self.numbers.borrow_mut().normal()),
            _ => value,
        }
    }

    pub(crate) fn best(&self) -> f64 {
        self.best.get()
    }

    /// Whether what the search is told differs from the true value.
    pub(crate) fn is_noisy(&self) -> bool {
        matches!(self.perturbation, Perturbation::Noise(_))
    }

    pub(crate) fn for_peer(&self) -> PeerPerturbation {
        let mut all = PeerPerturbation { power: 1.0, exponential: 0.0, noise: 0.0, side: 1.0, orthant: 1.0 };
        match self.perturbation {
            Perturbation::None => {}
            Perturbation::Power(p) => all.power = p,
            Perturbation::Exponential => all.exponential = self.scale,
            Perturbation::Noise(share) => all.noise = share,
            Perturbation::Side => all.side = STEEP,
            Perturbation::Orthant => all.orthant = STEEP,
        }
        all
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use enes_problems::Function;

    fn objective(problem: &Problem, perturbation: Perturbation) -> Objective<'_> {
        Objective::new(problem, perturbation, &problem.start(1.0), 1.0, 1)
    }

    #[test]
    fn transformations_keep_the_order_and_stay_finite() {
        let problem = Problem::new(Function::Ellipsoid, 5, 1).unwrap();
        for perturbation in [Perturbation::Power(0.1), Perturbation::Power(2.0), Perturbation::Exponential] {
            let objective = objective(&problem, perturbation);
            assert_eq!(objective.evaluate(&problem.optimum()), 0.0, "{perturbation:?}");
            let values: Vec<f64> =
                [0.1, 0.5, 1.0, 3.0].map(|far| objective.evaluate(&problem.start(far))).to_vec();
            assert!(
                values.is_sorted() && values[3].is_finite() && values[0] > 0.0,
                "{perturbation:?} {values:?}"
            );
            assert!(objective.transformed(1e-10) > 0.0);
        }
        assert!(objective(&problem, Perturbation::Exponential).evaluate(&problem.start(1e6)).is_finite());
    }

    #[test]
    fn noise_is_that_of_the_run_and_true_values_have_none() {
        let problem = Problem::new(Function::Sphere, 5, 1).unwrap();
        let start = problem.start(1.0);
        let perturbation = Perturbation::Noise(0.1);
        let (a, b) = (objective(&problem, perturbation), objective(&problem, perturbation));
        let other = Objective::new(&problem, perturbation, &start, 1.0, 2);
        let values: Vec<f64> = (0..2000).map(|_| a.evaluate(&start)).collect();
        assert_eq!(values[0], b.evaluate(&start));
        assert_ne!(values[0], other.evaluate(&start));
        assert!((a.true_value(&start) - 1.0).abs() < 1e-12 && a.best() == a.true_value(&start));
        let mean = values.iter().sum::<f64>() / 2000.0;
        let deviation = (values.iter().map(|v| (v - mean).powi(2)).sum::<f64>() / 2000.0).sqrt();
        // Four standard errors of each: 0.1/√2000 and 0.1/√4000.
        assert!((mean - 1.0).abs() < 0.009 && (deviation - 0.1).abs() < 0.0064, "{mean} {deviation}");
    }

    #[test]
    fn one_side_is_steeper() {
        let problem = Problem::unrotated(Function::Sphere, 2, 1).unwrap();
        let at = |perturbation, y: [f64; 2]| {
            let shift = problem.shift();
            objective(&problem, perturbation).true_value(&[shift[0] + y[0], shift[1] + y[1]])
        };
        let near = |value: f64, wanted: f64| (value / wanted - 1.0).abs() < 1e-9;
        assert!(near(at(Perturbation::Side, [1.0, -2.0]), 10_004.0));
        assert!(near(at(Perturbation::Orthant, [1.0, -2.0]), 5.0));
        assert!(near(at(Perturbation::Orthant, [1.0, 2.0]), 50_000.0));
    }
}
