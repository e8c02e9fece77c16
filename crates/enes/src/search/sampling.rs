//! Sampling: Gaussian vectors made orthogonal, each keeping its own length.

use multiversion::multiversion;

use crate::linalg::{add_scaled, squared_norm, wide_dot};
use crate::random::Generator;

/// Below this share of its length what is left of a vector is rounding: it is then left as it was.
const LOST: f64 = 1e-10;

/// Make every block of at most d vectors orthogonal (Gram and Schmidt, in order), each keeping its
/// length. Every vector by itself stays N(0, I). O(d) for each pair in a block. `work` has 3 d numbers.
pub(crate) fn orthogonalize(vectors: &mut [f64], d: usize, work: &mut [f64]) {
    if d == 1 {
        return;
    }
    for block in vectors.chunks_mut(d * d) {
        orthogonalize_block(block, d, work);
    }
}

#[multiversion(targets("x86_64+avx512f", "x86_64+avx2"))]
fn orthogonalize_block(block: &mut [f64], d: usize, work: &mut [f64]) {
    let (work, rest) = work.split_at_mut(d);
    let (squares, along) = rest.split_at_mut(d);
    for i in 0..block.len() / d {
        let (before, rest) = block.split_at_mut(i * d);
        make_orthogonal(before, &squares[..i], &mut rest[..d], work, &mut along[..i]);
        squares[i] = squared_norm(&rest[..d]);
    }
}

/// Make `s` orthogonal to the rows of `before`, which are orthogonal to each other and whose squared norms are known.
#[inline(always)]
fn make_orthogonal(before: &[f64], squares: &[f64], s: &mut [f64], work: &mut [f64], along: &mut [f64]) {
    let d = s.len();
    let square = squared_norm(s);
    work.copy_from_slice(s);
    let mut left = square;
    // Twice is enough, and needed only where most of the vector goes.
    for _ in 0..2 {
        // All at once: none need wait for the one before.
        for ((along, e), square) in along.iter_mut().zip(before.chunks_exact(d)).zip(squares) {
            *along = wide_dot(e, work) / square;
        }
        let (several, alone) = along.as_chunks();
        let (rows, rest) = before.split_at(before.len() - alone.len() * d);
        for (along, rows) in several.iter().zip(rows.chunks_exact(4 * d)) {
            take_off(work, *along, std::array::from_fn(|i| &rows[i * d..(i + 1) * d]));
        }
        for (along, e) in alone.iter().zip(rest.chunks_exact(d)) {
            add_scaled(work, -along, e);
        }
        let was = std::mem::replace(&mut left, squared_norm(work));
        if left > 0.1 * was {
            break;
        }
    }
    if left > LOST * LOST * square {
        let scale = (square / left).sqrt();
        s.iter_mut().zip(&*work).for_each(|(s, w)| *s = scale * w);
    }
}

/// `x ← x − Σ_r c_r·row_r`.
#[inline(always)]
fn take_off(x: &mut [f64], c: [f64; 4], rows: [&[f64]; 4]) {
    let [a, b, d, e] = rows;
    for ((((x, a), b), d), e) in x.iter_mut().zip(a).zip(b).zip(d).zip(e) {
        *x -= (c[0] * a + c[1] * b) + (c[2] * d + c[3] * e);
    }
}

/// Numbers in a queue, at most, in many dimensions.
const MOST_NUMBERS: usize = 1 << 20;

/// Orthogonal samples one at a time: d are drawn when none is left, in many dimensions fewer, so that samples of several
/// generations are orthogonal to each other.
#[derive(Clone, Debug, PartialEq)]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize))]
pub(crate) struct Queue {
    vectors: Vec<f64>,
    /// How many have been taken.
    taken: usize,
    work: Vec<f64>,
}

impl Queue {
    pub(crate) fn new(d: usize) -> Self {
        let rows = Self::rows(d);
        Self { vectors: vec![0.0; rows * d], taken: rows, work: vec![0.0; 3 * d] }
    }

    /// How many are drawn at once: d up to 1024 dimensions.
    fn rows(d: usize) -> usize {
        d.min(MOST_NUMBERS / d).max(1)
    }

    /// The next sample.
    pub(crate) fn next(&mut self, s: &mut [f64], generator: &mut Generator) {
        let d = s.len();
        if self.taken == Self::rows(d) {
            self.work.resize(3 * d, 0.0); // an older checkpoint has d
            generator.fill_normal(&mut self.vectors);
            orthogonalize(&mut self.vectors, d, &mut self.work);
            self.taken = 0;
        }
        s.copy_from_slice(&self.vectors[self.taken * d..][..d]);
        self.taken += 1;
    }

    #[cfg(feature = "serde")]
    pub(crate) fn is_consistent(&self, d: usize) -> bool {
        self.vectors.len() == Self::rows(d) * d && self.taken <= Self::rows(d)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::linalg::dot;

    #[test]
    fn blocks_are_orthogonal_and_lengths_are_kept() {
        let mut generator = Generator::new(4);
        for (n, d) in [(1, 1), (5, 1), (3, 2), (7, 3), (12, 30), (40, 17), (50, 44), (41, 41)] {
            let mut s = vec![0.0; n * d];
            generator.fill_normal(&mut s);
            let drawn = s.clone();
            orthogonalize(&mut s, d, &mut vec![0.0; 3 * d]);
            for i in 0..n {
                let (a, before) = (&s[i * d..][..d], &drawn[i * d..][..d]);
                assert!((squared_norm(a) - squared_norm(before)).abs() < 1e-12 * squared_norm(a));
                // The first of a block keeps its direction.
                assert!(i % d != 0 || a == before);
                for j in i / d * d..i {
                    let b = &s[j * d..][..d];
                    // 1e-12: rounding, relative to both lengths.
                    assert!(dot(a, b).abs() < 1e-12 * (squared_norm(a) * squared_norm(b)).sqrt(), "{n} {d}");
                }
            }
        }
    }

    #[test]
    fn a_vector_that_depends_on_its_block_is_left_alone() {
        let mut s = vec![1.0, 2.0, 3.0, 2.0, 4.0, 6.0, 0.0, 0.0, 0.0];
        let drawn = s.clone();
        orthogonalize(&mut s, 3, &mut [0.0; 9]);
        assert_eq!(s, drawn);
    }
}
