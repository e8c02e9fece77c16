//! Products with triangular matrices of 17 to 64 dimensions, whose blocks are too small for the general kernels.
//!
//! As in `small.rs` every entry is computed by the chains of fused multiply-adds that the general kernels make of it:
//! they halve the triangle until at most 16 rows are left, and add the product with each square to what is there.

use multiversion::multiversion;

use super::general::least_vectors;

/// The largest dimension of these kernels.
pub(super) const LIMIT: usize = 64;

/// The size of the blocks down to which the general kernels halve.
const BLOCK: usize = 16;

/// Numbers that are computed side by side.
const LANES: usize = 8;

/// Vectors that share what is read of the matrix.
const TILE: usize = 2;

/// Whether these kernels are for n vectors in d dimensions on this processor: they need wide registers, and many.
#[inline]
pub(super) fn are_for(n: usize, d: usize) -> bool {
    #[cfg(target_arch = "x86_64")]
    let wide = std::arch::is_x86_feature_detected!("avx512f");
    #[cfg(not(target_arch = "x86_64"))]
    let wide = false;
    wide && d > BLOCK && d <= LIMIT && n >= least_vectors(d)
}

/// A block of the matrix: rows of the result, and the coordinates that enter them.
#[derive(Clone, Copy)]
struct Part {
    rows: (usize, usize),
    terms: (usize, usize),
    /// Whether the sum goes from the last term to the first.
    backwards: bool,
}

/// At most four triangles and three squares.
struct Parts {
    list: [Part; 7],
    count: usize,
}

impl Parts {
    fn new() -> Self {
        let none = Part { rows: (0, 0), terms: (0, 0), backwards: false };
        Self { list: [none; 7], count: 0 }
    }

    fn push(&mut self, rows: (usize, usize), terms: (usize, usize), backwards: bool) {
        self.list[self.count] = Part { rows, terms, backwards };
        self.count += 1;
    }

    /// Of a lower triangle: the second half has n/2 rows.
    fn lower(&mut self, from: usize, to: usize) {
        let n = to - from;
        if n <= BLOCK {
            return self.push((from, to), (from, to), true);
        }
        let middle = to - n / 2;
        self.lower(from, middle);
        self.lower(middle, to);
        self.push((middle, to), (from, middle), false);
    }

    /// Of an upper triangle: the first half has n/2 rows.
    fn upper(&mut self, from: usize, to: usize) {
        let n = to - from;
        if n <= BLOCK {
            return self.push((from, to), (from, to), false);
        }
        let middle = from + n / 2;
        self.upper(from, middle);
        self.upper(middle, to);
        self.push((from, middle), (middle, to), false);
    }
}

/// `out_i = Uᵀ s_i`.
pub(super) fn transpose_times(upper: &[f64], vectors: &[f64], out: &mut [f64], d: usize) {
    let mut parts = Parts::new();
    parts.lower(0, d);
    let mut panels = [0.0; 2 * LIMIT * LIMIT];
    pack(&parts, &mut panels, |row, term| if term <= row { upper[term * d + row] } else { 0.0 });
    multiply(&parts.list[..parts.count], &panels, vectors, out, d);
}

/// `out_i[k] = Σ_{j>k} g_kj s_i[j]`.
pub(super) fn strict_upper_times(upper: &[f64], vectors: &[f64], out: &mut [f64], d: usize) {
    let mut parts = Parts::new();
    parts.upper(0, d);
    let mut panels = [0.0; 2 * LIMIT * LIMIT];
    pack(&parts, &mut panels, |row, term| if term > row { upper[row * d + term] } else { 0.0 });
    multiply(&parts.list[..parts.count], &panels, vectors, out, d);
}

/// Lanes of a part, of which the last may be empty.
fn chunks(part: &Part) -> usize {
    (part.rows.1 - part.rows.0).div_ceil(LANES)
}

/// The entries of each part, term by term in the order of its sum, rows side by side.
fn pack(parts: &Parts, panels: &mut [f64], entry: impl Fn(usize, usize) -> f64) {
    let mut at = 0;
    for part in &parts.list[..parts.count] {
        let width = chunks(part) * LANES;
        let terms = part.terms.0..part.terms.1;
        for i in 0..terms.len() {
            let term = if part.backwards { terms.end - 1 - i } else { terms.start + i };
            for (lane, row) in (part.rows.0..part.rows.1).enumerate() {
                panels[at + lane] = entry(row, term);
            }
            at += width;
        }
    }
}

#[multiversion(targets("x86_64+avx512f"))]
fn multiply(parts: &[Part], panels: &[f64], vectors: &[f64], out: &mut [f64], d: usize) {
    for (s, out) in vectors.chunks(TILE * d).zip(out.chunks_mut(TILE * d)) {
        // The second of a tile that has one vector only is the first again.
        let second = if s.len() > d { d } else { 0 };
        let s = [&s[..d], &s[second..second + d]];
        let mut sums = [[0.0; LIMIT + LANES]; TILE];
        let mut rest = panels;
        for part in parts {
            let (panel, after) = rest.split_at((part.terms.1 - part.terms.0) * chunks(part) * LANES);
            rest = after;
            match chunks(part) {
                1 => add_part::<1>(part, panel, s, &mut sums),
                2 => add_part::<2>(part, panel, s, &mut sums),
                3 => add_part::<3>(part, panel, s, &mut sums),
                _ => add_part::<4>(part, panel, s, &mut sums),
            }
        }
        for (out, sum) in out.chunks_exact_mut(d).zip(&sums) {
            out.copy_from_slice(&sum[..d]);
        }
    }
}

/// Add the sums of one part; beyond its rows that is zero.
#[inline(always)]
fn add_part<const C: usize>(
    part: &Part,
    panel: &[f64],
    s: [&[f64]; TILE],
    sums: &mut [[f64; LIMIT + LANES]; TILE],
) {
    let mut chain = [[[0.0; LANES]; C]; TILE];
    let (from, to) = part.terms;
    let s = s.map(|s| &s[from..to]);
    for (i, entries) in panel.as_chunks::<LANES>().0.chunks_exact(C).enumerate() {
        let term = if part.backwards { to - from - 1 - i } else { i };
        for (chain, s) in chain.iter_mut().zip(s) {
            let x = s[term];
            for (chain, entries) in chain.iter_mut().zip(entries) {
                for (c, e) in chain.iter_mut().zip(entries) {
                    *c = x.mul_add(*e, *c);
                }
            }
        }
    }
    for (sums, chain) in sums.iter_mut().zip(&chain) {
        for (sum, c) in sums[part.rows.0..].iter_mut().zip(chain.as_flattened()) {
            *sum += c;
        }
    }
}
