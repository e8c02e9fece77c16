//! The directions of the covariance: a sketch of the course of the mean.
//!
//! The course q enters as a rank-one update of S = Σ(r_i² − 1)q_i q_iᵀ, of which k directions are kept. What the one that is
//! left out has is subtracted from all (frequent directions, Liberty 2013): a course without a direction fills all of them
//! alike and so leaves nothing, one that persists stays.

use crate::linalg::{EigenSpace, add_scaled, eigen, squared_norm, wide_dot};
use crate::search::LimitedFactor;

/// What is left of a course beyond the directions, as a share of it, below which it is rounding.
const LOST: f64 = 1e-8;

#[derive(Clone, Debug)]
pub(super) struct Directions {
    most: usize,
    /// A vector of d numbers for the caller, and here what is left of the course.
    pub(super) scratch: Vec<f64>,
    /// The new directions as rows, and their stretches.
    rows: Vec<f64>,
    stretches: Vec<f64>,
    /// The course along the old directions, and beyond.
    along: Vec<f64>,
    matrix: Vec<f64>,
    values: Vec<f64>,
    vectors: Vec<f64>,
    spaces: Vec<EigenSpace>,
}

impl Directions {
    pub(super) fn new(d: usize, most: usize) -> Self {
        let size = most + 1;
        Self {
            most,
            scratch: vec![0.0; d],
            rows: Vec::with_capacity(most * d),
            stretches: Vec::with_capacity(most),
            along: Vec::with_capacity(size),
            matrix: vec![0.0; size * size],
            values: vec![0.0; size],
            vectors: vec![0.0; size * size],
            spaces: (1..=size).map(EigenSpace::new).collect(),
        }
    }

    /// S ← (1 − c)S + c qqᵀ, with at most k directions, for a factor that has S; `put` hands them over.
    pub(super) fn update(&mut self, factor: &LimitedFactor, course: &[f64], rate: f64) {
        let d = course.len();
        let (old, stretches) = factor.directions();
        self.scratch.copy_from_slice(course);
        self.along.clear();
        for q in old.chunks_exact(d) {
            let along = wide_dot(q, &self.scratch);
            add_scaled(&mut self.scratch, -along, q);
            self.along.push(along);
        }
        // Twice is enough.
        for (q, sum) in old.chunks_exact(d).zip(&mut self.along) {
            let along = wide_dot(q, &self.scratch);
            add_scaled(&mut self.scratch, -along, q);
            *sum += along;
        }
        let (left, whole) = (squared_norm(&self.scratch).sqrt(), squared_norm(course).sqrt());
        let beyond = left > LOST * whole && old.len() / d < self.most + 1;
        if beyond {
            self.scratch.iter_mut().for_each(|x| *x /= left);
            self.along.push(left);
        }
        self.rows.clear();
        self.stretches.clear();
        let m = self.along.len();
        if m == 0 || !self.decompose(stretches, rate, m) {
            self.rows.extend_from_slice(old);
            self.stretches.extend_from_slice(stretches);
            return;
        }
        // The values are in ascending order; one more than there is room for is left out.
        let (first, shrunk) = if m > self.most { (1, self.values[0].max(0.0)) } else { (0, 0.0) };
        for i in (first..m).rev() {
            let value = self.values[i] - shrunk;
            if value <= 0.0 {
                continue;
            }
            let from = self.rows.len();
            self.rows.resize(from + d, 0.0);
            let row = &mut self.rows[from..];
            let parts = &self.vectors[i * m..(i + 1) * m];
            for (q, part) in old.chunks_exact(d).zip(parts) {
                add_scaled(row, *part, q);
            }
            if beyond {
                add_scaled(row, parts[m - 1], &self.scratch);
            }
            // Rounding must not add up over generations.
            let length = squared_norm(row).sqrt();
            row.iter_mut().for_each(|x| *x /= length);
            self.stretches.push((1.0 + value).sqrt());
        }
    }

    /// Eigenvalues and vectors of (1 − c)S + c qqᵀ, in the old directions and the one beyond.
    fn decompose(&mut self, stretches: &[f64], rate: f64, m: usize) -> bool {
        for i in 0..m {
            for j in 0..m {
                self.matrix[i * m + j] = rate * self.along[i] * self.along[j];
            }
            self.matrix[i * m + i] += stretches.get(i).map_or(0.0, |r| (1.0 - rate) * (r * r - 1.0));
        }
        let (matrix, vectors) = (&self.matrix[..m * m], &mut self.vectors[..m * m]);
        eigen(matrix, &mut self.values[..m], vectors, &mut self.spaces[m - 1])
    }

    /// The directions of the last update become those of the factor.
    pub(super) fn put(&self, factor: &mut LimitedFactor) {
        factor.set_directions(&self.rows, &self.stretches);
    }
}
