//! Whether differences are worth their evaluations, where no regression says so: a generation that compares them with samples.
//!
//! Along a direction s of one deviation in each coordinate a smooth function has nearly one slope, whether it is taken between s
//! and −s or close to the mean. What curvature does to both is the same, so that a stiff axis hides nothing. Ripples, kinks and
//! noise give close to the mean another slope than far away.

use crate::linalg::{dot, squared_norm};

/// Directions, at most: one bit each.
pub(super) const MOST: usize = 16;

/// How far a point that came back may be from where it was proposed, against its distance from the mean.
const NEAR: f64 = 0.01;

/// What the points along one direction have: ahead, behind, and close to the mean.
pub(super) const PLACES: usize = 3;

/// Values along random signs; +∞ where missing.
#[derive(Clone, Debug, PartialEq)]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize))]
pub(super) struct Look {
    /// What the signs are made of.
    salt: u64,
    values: Vec<f64>,
}

/// What a look has seen.
#[derive(Clone, Copy, Debug)]
pub(super) struct Seen {
    /// How wrong the slopes close to the mean are about those of samples; 1 where they know nothing.
    pub(super) error: f64,
    /// The size of the gradient, and the mean curvature.
    pub(super) slope: f64,
    pub(super) curvature: f64,
}

impl Look {
    pub(super) fn new() -> Self {
        Self { salt: 0, values: Vec::with_capacity(PLACES * MOST) }
    }

    /// Nothing is known along as many directions as a generation of λ points has room for, beside the mean.
    pub(super) fn begin(&mut self, salt: u64, lambda: usize) {
        self.salt = salt;
        self.values.clear();
        self.values.resize(PLACES * (lambda.saturating_sub(1) / PLACES).clamp(1, MOST), f64::INFINITY);
    }

    /// Its points, without the mean.
    pub(super) fn len(&self) -> usize {
        self.values.len()
    }

    pub(super) fn is_complete(&self) -> bool {
        self.values.iter().all(|v| v.is_finite())
    }

    /// The points whose values are missing.
    pub(super) fn missing(&self) -> impl Iterator<Item = usize> {
        self.values.iter().enumerate().filter(|(_, v)| v.is_infinite()).map(|(at, _)| at)
    }

    /// One of them, in whitened coordinates; those close to the mean are so many deviations away.
    pub(super) fn write(&self, at: usize, close: f64, s: &mut [f64]) {
        self.write_along(at / PLACES, place(at, close), s);
    }

    /// So much of a direction, in whitened coordinates.
    pub(super) fn write_along(&self, direction: usize, by: f64, s: &mut [f64]) {
        for (j, s) in s.iter_mut().enumerate() {
            *s = if self.bits(j) >> direction & 1 == 0 { by } else { -by };
        }
    }

    /// A row that came back, where it is one of these points.
    pub(super) fn read(&mut self, s: &[f64], close: f64, cost: f64) {
        let mut along = [0.0; MOST];
        let directions = self.directions();
        for (j, s) in s.iter().enumerate() {
            let bits = self.bits(j);
            for (i, along) in along[..directions].iter_mut().enumerate() {
                *along += if bits >> i & 1 == 0 { *s } else { -s };
            }
        }
        let size = s.len() as f64;
        self.put(squared_norm(s), |i| (along[i], size), close, cost);
    }

    /// The same where directions are others: rows, in the coordinates of the point.
    pub(super) fn read_among(&mut self, s: &[f64], directions: &[f64], close: f64, cost: f64) {
        let row = |i: usize| &directions[i * s.len()..(i + 1) * s.len()];
        self.put(squared_norm(s), |i| (dot(row(i), s), squared_norm(row(i))), close, cost);
    }

    /// The cost of a point with this squared length, with its product with each direction and the squared length of that.
    fn put(&mut self, square: f64, products: impl Fn(usize) -> (f64, f64), close: f64, cost: f64) {
        for (i, values) in self.values.chunks_exact_mut(PLACES).enumerate() {
            let (along, size) = products(i);
            for (at, value) in values.iter_mut().enumerate() {
                let by = place(at, close);
                // The squared distance from the point.
                let beside = square - 2.0 * by * along + by * by * size;
                if beside <= (NEAR * by).powi(2) * size {
                    *value = cost;
                }
            }
        }
    }

    pub(super) fn directions(&self) -> usize {
        self.values.len() / PLACES
    }

    /// Random bits of a coordinate (Steele, Lea and Flood 2014).
    fn bits(&self, coordinate: usize) -> u64 {
        let mut z = self.salt.wrapping_add(coordinate as u64 + 1).wrapping_mul(0x9E37_79B9_7F4A_7C15);
        z = (z ^ (z >> 30)).wrapping_mul(0xBF58_476D_1CE4_E5B9);
        z = (z ^ (z >> 27)).wrapping_mul(0x94D0_49BB_1331_11EB);
        z ^ (z >> 31)
    }

    /// What the values say, in d coordinates, along directions of this squared length, a share of d; `None` where none differs.
    pub(super) fn judge(
        &self,
        value: f64,
        close: f64,
        d: usize,
        share: impl Fn(usize) -> f64,
    ) -> Option<Seen> {
        let (mut wrong, mut all, mut bends) = (0.0, 0.0, 0.0);
        for (i, v) in self.values.chunks_exact(PLACES).enumerate() {
            let weight = 1.0 / share(i);
            let bend = 0.5 * (v[0] - value) + 0.5 * (v[1] - value);
            let (far, near) = (0.5 * (v[0] - v[1]), (v[2] - value) / close - close * bend);
            wrong += weight * (near - far) * (near - far);
            all += weight * far * far;
            bends += weight * 2.0 * bend / d as f64;
        }
        let directions = self.directions() as f64;
        // Along a random direction, √d long, the slope has the size of the gradient.
        let (curvature, slope) = (bends / directions, (all / directions).sqrt());
        let error = wrong / all;
        (error.is_finite() && curvature.is_finite()).then_some(Seen { error, slope, curvature })
    }

    #[cfg(feature = "serde")]
    pub(super) fn is_consistent(&self) -> bool {
        let rows = self.values.len();
        rows <= PLACES * MOST && rows.is_multiple_of(PLACES) && self.values.iter().all(|v| !v.is_nan())
    }
}

/// How much of its direction a point is away.
pub(super) fn place(at: usize, close: f64) -> f64 {
    [1.0, -1.0, close][at % PLACES]
}
