//! Curvatures by the latest secants, in O(m d): steps, and what the gradient has changed by along them (Nocedal 1980), in
//! whitened coordinates.

use super::secant::LEAST;
use crate::linalg::{add_scaled, squared_norm, wide_dot};

/// Secants that are remembered: as much memory as a generation and a half. A stint of so many steps loses nothing.
const MOST: usize = 32;

/// Oldest first.
#[derive(Clone, Debug, PartialEq)]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize))]
pub(super) struct Pairs {
    /// s as rows, and y.
    steps: Vec<f64>,
    changes: Vec<f64>,
    /// y·s.
    products: Vec<f64>,
}

impl Pairs {
    pub(super) fn new() -> Self {
        Self { steps: Vec::new(), changes: Vec::new(), products: Vec::new() }
    }

    /// Make room, so that nothing is allocated later.
    pub(super) fn reserve(&mut self, d: usize) {
        for rows in [&mut self.steps, &mut self.changes] {
            rows.reserve(MOST * d - rows.len());
        }
        self.products.reserve(MOST - self.products.len());
    }

    pub(super) fn clear(&mut self) {
        self.steps.clear();
        self.changes.clear();
        self.products.clear();
    }

    /// Along the step s the gradient changes by y. Returns the curvature elsewhere, y·y/y·s.
    pub(super) fn push(&mut self, s: &[f64], y: &[f64]) -> f64 {
        let (d, product) = (s.len(), wide_dot(s, y));
        if self.products.len() == MOST {
            self.products.remove(0);
            for rows in [&mut self.steps, &mut self.changes] {
                rows.copy_within(d.., 0);
                rows.truncate((MOST - 1) * d);
            }
        }
        self.steps.extend_from_slice(s);
        self.changes.extend_from_slice(y);
        self.products.push(product);
        squared_norm(y) / product
    }

    /// The coordinates are that much longer: a step in them is shorter, and a gradient steeper.
    pub(super) fn scale(&mut self, growth: f64) {
        self.steps.iter_mut().for_each(|s| *s /= growth);
        self.changes.iter_mut().for_each(|y| *y *= growth);
    }

    /// cHg, H the inverse of the curvatures that follows from 1/c everywhere and the secants, one after the other.
    pub(super) fn apply(&self, gradient: &[f64], c: f64, out: &mut [f64]) {
        let d = gradient.len();
        out.copy_from_slice(gradient);
        let mut parts = [0.0; MOST];
        let pairs = || self.steps.chunks_exact(d).zip(self.changes.chunks_exact(d)).zip(&self.products);
        for (((s, y), product), part) in pairs().zip(&mut parts).rev() {
            *part = wide_dot(s, out) / product;
            add_scaled(out, -*part, y);
        }
        for (((s, y), product), part) in pairs().zip(&parts) {
            let along = wide_dot(y, out) / product;
            add_scaled(out, c * part - along, s);
        }
    }

    /// The same among some coordinates, as if the others did not exist: 0 for these.
    pub(super) fn apply_among(&self, free: &[bool], gradient: &[f64], c: f64, out: &mut [f64]) {
        let d = gradient.len();
        let keep = |out: &mut [f64]| {
            out.iter_mut().zip(free).filter(|(_, free)| !**free).for_each(|(v, _)| *v = 0.0);
        };
        let mut parts = [(0.0, 0.0); MOST];
        let pairs = || self.steps.chunks_exact(d).zip(self.changes.chunks_exact(d));
        out.copy_from_slice(gradient);
        keep(out);
        for ((s, y), part) in pairs().zip(&mut parts).rev() {
            let among = || s.iter().zip(y).zip(free).filter(|(_, free)| **free).map(|(pair, _)| pair);
            let product: f64 = among().map(|(s, y)| s * y).sum();
            let (square, change) =
                among().fold((0.0, 0.0), |(a, b): (f64, f64), (s, y)| (a + s * s, b + y * y));
            let says = product > LEAST * (square * change).sqrt();
            *part = if says { (wide_dot(s, out) / product, product) } else { (0.0, f64::INFINITY) };
            add_scaled(out, -part.0, y);
            keep(out);
        }
        for ((s, y), (part, product)) in pairs().zip(&parts) {
            if product.is_finite() {
                let along = wide_dot(y, out) / product;
                add_scaled(out, c * part - along, s);
                keep(out);
            }
        }
    }

    /// By how much the curvatures along steps differ; 0 without any.
    pub(super) fn range(&self) -> f64 {
        let d = self.steps.len() / self.products.len().max(1);
        let along = |(s, product): (&[f64], &f64)| product / squared_norm(s);
        let all = self.steps.chunks_exact(d.max(1)).zip(&self.products).map(along);
        let (least, most) = all.fold((f64::INFINITY, 0.0), |(a, b): (f64, f64), c| (a.min(c), b.max(c)));
        most / least
    }

    #[cfg(feature = "serde")]
    pub(super) fn is_consistent(&self, d: usize) -> bool {
        let numbers = self.steps.iter().chain(&self.changes);
        let rows = self.products.len();
        rows <= MOST
            && [&self.steps, &self.changes].iter().all(|v| v.len() == rows * d)
            && numbers.chain(&self.products).all(|v| v.is_finite())
    }
}
