//! One objective of a family: a shape in its own coordinates, rotated and shifted, perhaps noisy.

use enes_problems::{Function, Problem};

use super::draw::Draw;
use super::family::{Family, Member};
use crate::error::ReproduceError;

/// A function of the own coordinates y; the least value is 0, at y = 0, unless the member says otherwise.
pub(super) type Shape = Box<dyn Fn(&[f64]) -> f64 + Send + Sync>;

/// The true value that counts as solved, unless the member says otherwise.
pub(super) const TARGET: f64 = 1e-8;

/// What a member makes of its random numbers.
pub(super) struct Made {
    pub(super) shape: Shape,
    pub(super) target: f64,
    pub(super) noise: Noise,
    /// Whether the least value is 0, at y = 0.
    pub(super) is_known: bool,
}

impl Made {
    pub(super) fn new(shape: impl Fn(&[f64]) -> f64 + Send + Sync + 'static) -> Self {
        Self { shape: Box::new(shape), target: TARGET, noise: Noise::None, is_known: true }
    }
}

/// What is added to a value before the search sees it.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(super) enum Noise {
    None,
    /// f (1 + εN).
    Multiplicative(f64),
    /// f + δN.
    Additive(f64),
    /// With this chance a Cauchy number of this scale is added.
    Outliers {
        chance: f64,
        scale: f64,
    },
}

/// An instance: deterministic in family, member, dimension and seed.
pub(super) struct Landscape {
    frame: Problem,
    shape: Shape,
    noise: Noise,
    pub(super) target: f64,
    pub(super) is_known: bool,
    distance: f64,
    pub(super) sigma: f64,
}

impl Landscape {
    pub(super) fn new(family: Family, member: &Member, d: usize, seed: u64) -> Result<Self, ReproduceError> {
        // Rotation, shift and the direction of the start are those of an instance of the problems.
        let frame = Problem::new(Function::Sphere, d, seed)?;
        let made = (member.make)(d, &mut Draw::new(&[family.name(), member.name], d, seed));
        let (distance, sigma) = family.start(d);
        let Made { shape, target, noise, is_known } = made;
        Ok(Self { frame, shape, noise, target, is_known, distance, sigma })
    }

    /// The value without noise. O(d²), and what the shape takes.
    pub(super) fn value(&self, x: &[f64]) -> f64 {
        (self.shape)(&self.frame.own_coordinates(x))
    }

    pub(super) fn is_noisy(&self) -> bool {
        self.noise != Noise::None
    }

    /// A value as the search sees it.
    pub(super) fn measured(&self, value: f64, draw: &mut Draw) -> f64 {
        match self.noise {
            Noise::None => value,
            Noise::Multiplicative(share) => value * (1.0 + share * draw.normal()),
            Noise::Additive(deviation) => value + deviation * draw.normal(),
            Noise::Outliers { chance, scale } => {
                let hit = draw.chance(chance);
                let cauchy = draw.normal() / draw.normal();
                if hit { value + scale * cauchy } else { value }
            }
        }
    }

    /// Where y = 0.
    pub(super) fn optimum(&self) -> Vec<f64> {
        self.frame.optimum()
    }

    pub(super) fn start(&self) -> Vec<f64> {
        self.frame.start(self.distance)
    }
}
