//! The benchmark functions of the eNES paper as problem instances: rotated, shifted, seeded.
//!
//! An instance evaluates `f(R(z − t))` with R a random rotation (QR of a Gaussian matrix with the
//! signs of the diagonal fixed: the uniform law on orthogonal matrices) and t a random shift
//! (standard normal coordinates), both drawn from the instance's seed.
//!
//! ```
//! use enes_problems::{Function, Problem};
//! let problem = Problem::new(Function::Ellipsoid, 5, 1)?;
//! let start = problem.start(1.0);
//! assert!(problem.evaluate(&start) > problem.evaluate(&problem.optimum()));
//! # Ok::<(), enes_problems::ProblemError>(())
//! ```

#![warn(clippy::unwrap_used)]

mod function;

pub use function::{Function, UnknownFunction};

use rand::rngs::Xoshiro256PlusPlus;
use rand::{RngExt, SeedableRng};
use rand_distr::StandardNormal;

/// An instance that cannot be built.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[non_exhaustive]
pub enum ProblemError {
    /// No coordinates, or too many for a rotation matrix.
    #[error("dim must lie between 1 and {MAX_DIMENSION}, got {got}")]
    Dimension {
        /// What was asked for.
        got: usize,
    },
}

/// The largest dimension: the rotation is a dense matrix.
pub const MAX_DIMENSION: usize = 2000;

/// One rotated and shifted instance of a function.
#[derive(Clone, Debug)]
pub struct Problem {
    function: Function,
    /// By rows; empty where the instance is not rotated.
    rotation: Vec<f64>,
    shift: Vec<f64>,
    direction: Vec<f64>,
    /// Length of the normal vector that gave the direction, in units of √d.
    radius: f64,
}

impl Problem {
    /// The instance of `function` in `d` dimensions with this seed, rotated and shifted. O(d³).
    ///
    /// # Errors
    /// A dimension of 0 or beyond [`MAX_DIMENSION`].
    pub fn new(function: Function, d: usize, seed: u64) -> Result<Self, ProblemError> {
        let mut problem = Self::unrotated(function, d, seed)?;
        // A stream of its own, so that shift and start are those of the instance without rotation.
        problem.rotation = random_rotation(d, &mut Xoshiro256PlusPlus::seed_from_u64(!seed));
        Ok(problem)
    }

    /// The same instance with its axes left as they are.
    ///
    /// # Errors
    /// A dimension of 0 or beyond [`MAX_DIMENSION`].
    pub fn unrotated(function: Function, d: usize, seed: u64) -> Result<Self, ProblemError> {
        if d == 0 || d > MAX_DIMENSION {
            return Err(ProblemError::Dimension { got: d });
        }
        let mut rng = Xoshiro256PlusPlus::seed_from_u64(seed);
        let mut normals = || (0..d).map(|_| rng.sample(StandardNormal)).collect::<Vec<f64>>();
        let (shift, mut direction) = (normals(), normals());
        let length = norm(&direction);
        direction.iter_mut().for_each(|v| *v /= length);
        let radius = length / (d as f64).sqrt();
        Ok(Self { function, rotation: Vec::new(), shift, direction, radius })
    }

    /// The function.
    pub fn function(&self) -> Function {
        self.function
    }

    /// The number of coordinates.
    pub fn dimension(&self) -> usize {
        self.shift.len()
    }

    /// The rotation R by rows, d × d; empty where the instance is not rotated.
    ///
    /// ```
    /// use enes_problems::{Function, Problem};
    /// assert_eq!(Problem::new(Function::Sphere, 3, 1)?.rotation().len(), 9);
    /// assert!(Problem::unrotated(Function::Sphere, 3, 1)?.rotation().is_empty());
    /// # Ok::<(), enes_problems::ProblemError>(())
    /// ```
    pub fn rotation(&self) -> &[f64] {
        &self.rotation
    }

    /// The shift t: the instance is f(R(z − t)).
    ///
    /// ```
    /// use enes_problems::{Function, Problem};
    /// let problem = Problem::new(Function::Sphere, 3, 1)?;
    /// assert_eq!(problem.evaluate(problem.shift()), 0.0);
    /// # Ok::<(), enes_problems::ProblemError>(())
    /// ```
    pub fn shift(&self) -> &[f64] {
        &self.shift
    }

    /// The optimum; for the unbounded ridges the point where the ridge's own coordinates are zero.
    pub fn optimum(&self) -> Vec<f64> {
        let d = self.dimension();
        let c = self.function.optimal_coordinate();
        let mut point = self.shift.clone();
        for (l, z) in point.iter_mut().enumerate() {
            // z = t + Rᵀ(c, …, c)
            *z += match self.rotation.is_empty() {
                true => c,
                false => (0..d).map(|k| self.rotation[k * d + l] * c).sum(),
            };
        }
        point
    }

    /// The least value: 0, or −infinity on an unbounded ridge.
    pub fn optimal_value(&self) -> f64 {
        if self.function.is_unbounded() { f64::NEG_INFINITY } else { 0.0 }
    }

    /// A start at exactly this distance from the optimum, in the instance's random direction.
    pub fn start(&self, distance: f64) -> Vec<f64> {
        let mut point = self.optimum();
        point.iter_mut().zip(&self.direction).for_each(|(z, v)| *z += distance * v);
        point
    }

    /// A start drawn from N(optimum, distance²/d · I): at this distance on average (root mean square),
    /// in the same direction as [`Problem::start`].
    pub fn normal_start(&self, distance: f64) -> Vec<f64> {
        self.start(self.radius * distance)
    }

    /// The function's own coordinates y = R(z − t) of a point; empty where its length is wrong.
    pub fn own_coordinates(&self, z: &[f64]) -> Vec<f64> {
        if z.len() != self.dimension() {
            return Vec::new();
        }
        let mut scratch = Scratch::default();
        self.transform(z, &mut scratch).to_vec()
    }

    /// The value at a point; NaN where its length is not that of the problem. O(d²).
    pub fn evaluate(&self, z: &[f64]) -> f64 {
        if z.len() != self.dimension() {
            return f64::NAN;
        }
        let mut scratch = Scratch::default();
        self.evaluate_with(z, &mut scratch)
    }

    /// The values at many points, given as rows one after another. O(n d²).
    ///
    /// Values without a whole point are NaN.
    pub fn evaluate_rows(&self, points: &[f64], values: &mut [f64]) {
        values.fill(f64::NAN);
        let mut scratch = Scratch::default();
        for (value, z) in values.iter_mut().zip(points.chunks_exact(self.dimension())) {
            *value = self.evaluate_with(z, &mut scratch);
        }
    }

    fn evaluate_with(&self, z: &[f64], scratch: &mut Scratch) -> f64 {
        self.function.evaluate(self.transform(z, scratch))
    }

    fn transform<'a>(&self, z: &[f64], scratch: &'a mut Scratch) -> &'a [f64] {
        let d = self.dimension();
        scratch.centred.clear();
        scratch.centred.extend(z.iter().zip(&self.shift).map(|(z, t)| z - t));
        if self.rotation.is_empty() {
            return &scratch.centred;
        }
        scratch.rotated.clear();
        scratch.rotated.extend(self.rotation.chunks_exact(d).map(|row| dot(row, &scratch.centred)));
        &scratch.rotated
    }
}

#[derive(Default)]
struct Scratch {
    centred: Vec<f64>,
    rotated: Vec<f64>,
}

/// Four sums at a time: a single chain of additions would dominate cheap functions.
fn dot(a: &[f64], b: &[f64]) -> f64 {
    let mut sums = [0.0; 4];
    let (a4, b4) = (a.chunks_exact(4), b.chunks_exact(4));
    let rest: f64 = a4.remainder().iter().zip(b4.remainder()).map(|(x, y)| x * y).sum();
    for (x, y) in a4.zip(b4) {
        for k in 0..4 {
            sums[k] += x[k] * y[k];
        }
    }
    (sums[0] + sums[1]) + (sums[2] + sums[3]) + rest
}

fn norm(v: &[f64]) -> f64 {
    dot(v, v).sqrt()
}

/// Gram-Schmidt on the rows of a Gaussian matrix, each row twice for the sake of rounding.
fn random_rotation(d: usize, rng: &mut Xoshiro256PlusPlus) -> Vec<f64> {
    let mut rotation: Vec<f64> = (0..d * d).map(|_| rng.sample(StandardNormal)).collect();
    for k in 0..d {
        let (done, rest) = rotation.split_at_mut(k * d);
        let row = &mut rest[..d];
        for _ in 0..2 {
            for other in done.chunks_exact(d) {
                let inner = dot(row, other);
                row.iter_mut().zip(other).for_each(|(x, y)| *x -= inner * y);
            }
        }
        let length = norm(row);
        row.iter_mut().for_each(|x| *x /= length);
    }
    rotation
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    #[test]
    fn the_rotation_is_orthogonal() {
        let d = 30;
        let r = random_rotation(d, &mut Xoshiro256PlusPlus::seed_from_u64(1));
        for k in 0..d {
            for l in 0..d {
                let inner = dot(&r[k * d..(k + 1) * d], &r[l * d..(l + 1) * d]);
                assert!((inner - f64::from(u8::from(k == l))).abs() < 1e-14);
            }
        }
    }

    #[test]
    fn an_instance_is_its_seed() {
        let problem = |seed| Problem::new(Function::Sphere, 4, seed).unwrap();
        assert_eq!(problem(0).start(1.0), problem(0).start(1.0));
        assert_ne!(problem(0).start(1.0), problem(1).start(1.0));
    }

    #[test]
    fn a_normal_start_has_its_distance_on_average() {
        let squared = |seed| {
            let problem = Problem::new(Function::Sphere, 3, seed).unwrap();
            problem.evaluate(&problem.normal_start(2.0))
        };
        let mean = (0..2000).map(squared).sum::<f64>() / 2000.0;
        // The squared distance has mean 4 and deviation 4√(2/3): four standard errors.
        assert!((mean - 4.0).abs() < 4.0 * 4.0 * (2.0f64 / 3.0 / 2000.0).sqrt(), "{mean}");
    }

    #[test]
    fn wrong_dimensions_are_refused() {
        assert_eq!(Problem::new(Function::Sphere, 0, 1).unwrap_err(), ProblemError::Dimension { got: 0 });
        assert!(Problem::new(Function::Sphere, 2001, 1).is_err());
        assert!(Problem::new(Function::Sphere, 2, 1).unwrap().evaluate(&[1.0]).is_nan());
    }

    proptest! {
        #[test]
        fn optimum_start_and_rows_agree(index in 0usize..13, d in 1usize..12, seed: u64, rotated: bool) {
            let f = Function::ALL[index];
            let make = if rotated { Problem::new } else { Problem::unrotated };
            let problem = make(f, d, seed).unwrap();
            let optimum = problem.optimum();
            if !f.is_unbounded() && f != Function::Weierstrass {
                // 1e-10: rounding of the rotation, enlarged by curvatures of 1e6.
                prop_assert!(problem.evaluate(&optimum).abs() < 1e-10);
            }
            let start = problem.start(2.5);
            let apart: Vec<f64> = start.iter().zip(&optimum).map(|(a, b)| a - b).collect();
            prop_assert!((norm(&apart) - 2.5).abs() < 1e-12);
            let mut values = vec![0.0; 3];
            problem.evaluate_rows(&[optimum.clone(), start.clone()].concat(), &mut values);
            prop_assert_eq!(values[0], problem.evaluate(&optimum));
            prop_assert_eq!(values[1], problem.evaluate(&start));
            prop_assert!(values[2].is_nan());
            prop_assert_eq!(f.evaluate(&problem.own_coordinates(&start)), values[1]);
        }
    }
}
