//! Passes over the rows of a matrix: norms, shifts, weighted sums.

use multiversion::multiversion;

use super::{add_scaled, sum_of_eight, wide_dot};

/// `|s|²` with four independent sums, so that short vectors do not wait for one chain of additions.
#[inline(always)]
pub(crate) fn squared_norm(s: &[f64]) -> f64 {
    // By itself, not as one of `squared_norms_of`: compilers make a plain loop of this one.
    let (whole, rest) = s.as_chunks::<4>();
    let mut sums = [0.0; 4];
    for part in whole {
        sums.iter_mut().zip(part).for_each(|(sum, x)| *sum += x * x);
    }
    (sums[0] + sums[1]) + (sums[2] + sums[3]) + rest.iter().map(|x| x * x).sum::<f64>()
}

/// The squared norms of a few vectors of one length, side by side: they do not wait for each other.
#[inline(always)]
fn squared_norms_of<const L: usize>(vectors: [&[f64]; L]) -> [f64; L] {
    let parts = vectors.map(|s| s.as_chunks::<4>());
    let mut sums = [[0.0; 4]; L];
    for k in 0..parts.iter().map(|(whole, _)| whole.len()).min().unwrap_or(0) {
        for (sums, (whole, _)) in sums.iter_mut().zip(&parts) {
            for (sum, x) in sums.iter_mut().zip(&whole[k]) {
                *sum += x * x;
            }
        }
    }
    std::array::from_fn(|i| {
        let rest: f64 = parts[i].1.iter().map(|x| x * x).sum();
        (sums[i][0] + sums[i][1]) + (sums[i][2] + sums[i][3]) + rest
    })
}

/// Rows whose norms are computed side by side.
const TILE: usize = 4;

/// The rows of a tile.
#[inline(always)]
fn rows_of(tile: &[f64], d: usize) -> [&[f64]; TILE] {
    std::array::from_fn(|i| &tile[i * d..(i + 1) * d])
}

// Plain loops over many vectors, compiled for the instruction sets of today's machines. Nothing is
// reassociated or fused, so the bits are the same on every one of them.

/// `norms_i = |s_i|²`, then `s_i ← s_i − shift`.
#[multiversion(targets("x86_64+avx512f", "x86_64+avx2"))]
pub(crate) fn norms_then_subtract(vectors: &mut [f64], shift: &[f64], norms: &mut [f64]) {
    norms_of_rows(vectors, shift.len(), norms, |norm, square| *norm = square);
    vectors.chunks_exact_mut(shift.len()).for_each(|s| add_scaled(s, -1.0, shift));
}

/// `norms_i ← norms_i − |s_i|²`.
#[multiversion(targets("x86_64+avx512f", "x86_64+avx2"))]
pub(crate) fn subtract_norms(vectors: &[f64], norms: &mut [f64], d: usize) {
    norms_of_rows(vectors, d, norms, |norm, square| *norm -= square);
}

/// `t_i ← t_i + shift`, then `differences_i = |s_i|² − |t_i|²`.
#[multiversion(targets("x86_64+avx512f", "x86_64+avx2"))]
pub(crate) fn add_then_compare_norms(s: &[f64], t: &mut [f64], shift: &[f64], differences: &mut [f64]) {
    let d = shift.len();
    t.chunks_exact_mut(d).for_each(|t| add_scaled(t, 1.0, shift));
    norms_of_rows(s, d, differences, |difference, square| *difference = square);
    norms_of_rows(t, d, differences, |difference, square| *difference -= square);
}

/// Give the squared norm of each row to what waits for it.
#[inline(always)]
fn norms_of_rows(rows: &[f64], d: usize, out: &mut [f64], give: impl Fn(&mut f64, f64)) {
    let count = (rows.len() / d).min(out.len());
    let (tiles, rest) = out[..count].as_chunks_mut::<TILE>();
    let (tiled, alone) = rows.split_at(tiles.len() * TILE * d);
    for (tile, out) in tiled.chunks_exact(TILE * d).zip(tiles) {
        let squares = squared_norms_of(rows_of(tile, d));
        out.iter_mut().zip(squares).for_each(|(o, square)| give(o, square));
    }
    for (row, o) in alone.chunks_exact(d).zip(rest) {
        give(o, squared_norm(row));
    }
}

/// `sum ← Σ_i (u_i − b) s_i` and `rows_i[k] = (u_i − b_k) s_i[k]`.
#[multiversion(targets("x86_64+avx512f", "x86_64+avx2"))]
pub(crate) fn weigh_rows(
    s: &[f64],
    utilities: &[f64],
    baseline: f64,
    baselines: &[f64],
    sum: &mut [f64],
    rows: &mut [f64],
) {
    let d = baselines.len();
    sum.fill(0.0);
    for ((row, s), &u) in rows.chunks_exact_mut(d).zip(s.chunks_exact(d)).zip(utilities) {
        add_scaled(sum, u - baseline, s);
        for ((r, &s_k), b_k) in row.iter_mut().zip(s).zip(baselines) {
            *r = (u - b_k) * s_k;
        }
    }
}

/// The sum of `weigh_rows` alone.
#[multiversion(targets("x86_64+avx512f", "x86_64+avx2"))]
pub(crate) fn weighted_sum(s: &[f64], utilities: &[f64], baseline: f64, sum: &mut [f64]) {
    sum.fill(0.0);
    for (s, u) in s.chunks_exact(sum.len()).zip(utilities) {
        add_scaled(sum, u - baseline, s);
    }
}

/// The rows of `weigh_rows` alone.
#[multiversion(targets("x86_64+avx512f", "x86_64+avx2"))]
pub(crate) fn weighted_rows(s: &[f64], utilities: &[f64], baselines: &[f64], rows: &mut [f64]) {
    let d = baselines.len();
    for ((row, s), &u) in rows.chunks_exact_mut(d).zip(s.chunks_exact(d)).zip(utilities) {
        for ((r, &s_k), b_k) in row.iter_mut().zip(s).zip(baselines) {
            *r = (u - b_k) * s_k;
        }
    }
}

/// `s_i ← y_i − shift`.
#[multiversion(targets("x86_64+avx512f", "x86_64+avx2"))]
pub(crate) fn subtract_from_rows(points: &[f64], shift: &[f64], out: &mut [f64]) {
    let d = shift.len();
    for (s, y) in out.chunks_exact_mut(d).zip(points.chunks_exact(d)) {
        for ((s, y), m) in s.iter_mut().zip(y).zip(shift) {
            *s = y - m;
        }
    }
}

/// The largest absolute value; what is not a number does not count.
#[multiversion(targets("x86_64+avx512f", "x86_64+avx2"))]
pub(crate) fn largest_entry(entries: &[f64]) -> f64 {
    let (whole, rest) = entries.as_chunks::<16>();
    let mut largest = [0.0; 16];
    let larger = |m: &mut f64, x: &f64| *m = if x.abs() > *m { x.abs() } else { *m };
    for chunk in whole {
        largest.iter_mut().zip(chunk).for_each(|(m, x)| larger(m, x));
    }
    largest.iter_mut().zip(rest).for_each(|(m, x)| larger(m, x));
    largest.into_iter().fold(0.0, f64::max)
}

/// `norms_i = |s_i|²`.
#[multiversion(targets("x86_64+avx512f", "x86_64+avx2"))]
pub(crate) fn squared_norms(vectors: &[f64], norms: &mut [f64], d: usize) {
    norms_of_rows(vectors, d, norms, |norm, square| *norm = square);
}

/// `rows_i = w_i s_i` and `sum = Σ_i w_i s_i`.
#[multiversion(targets("x86_64+avx512f", "x86_64+avx2"))]
pub(crate) fn scale_rows(s: &[f64], weights: &[f64], rows: &mut [f64], sum: &mut [f64]) {
    let d = sum.len();
    sum.fill(0.0);
    for ((row, s), &w) in rows.chunks_exact_mut(d).zip(s.chunks_exact(d)).zip(weights) {
        for ((r, s), sum) in row.iter_mut().zip(s).zip(sum.iter_mut()) {
            *r = w * s;
            *sum += *r;
        }
    }
}

/// `φ_i = w_i (1, s_i/√d, (|s_i|² − d)/√(2d))` and `sum = Σ_i w_i u_i φ_i`.
#[multiversion(targets("x86_64+avx512f", "x86_64+avx2"))]
pub(crate) fn scaled_features(
    s: &[f64],
    norms: &[f64],
    scales: &[f64],
    scores: &[f64],
    features: &mut [f64],
    sum: &mut [f64],
) {
    let d = sum.len() - 2;
    let size = d as f64;
    let (linear, isotropic) = (1.0 / size.sqrt(), 1.0 / (2.0 * size).sqrt());
    sum.fill(0.0);
    for (i, (s, phi)) in s.chunks_exact(d).zip(features.chunks_exact_mut(d + 2)).enumerate() {
        let (scale, score) = (scales[i], scales[i] * scores[i]);
        let by = scale * linear;
        for (phi, s) in phi[1..=d].iter_mut().zip(s) {
            *phi = by * s;
        }
        phi[0] = scale;
        phi[d + 1] = scale * isotropic * (norms[i] - size);
        add_scaled(sum, score, phi);
    }
}

/// `out_i = aᵢ·x` for the rows of a matrix.
#[multiversion(targets("x86_64+avx512f", "x86_64+avx2"))]
pub(crate) fn rows_times_vector(rows: &[f64], x: &[f64], out: &mut [f64]) {
    let n = x.len();
    let count = (rows.len() / n).min(out.len());
    let (tiles, rest) = out[..count].as_chunks_mut::<TILE>();
    let (tiled, alone) = rows.split_at(tiles.len() * TILE * n);
    for (tile, out) in tiled.chunks_exact(TILE * n).zip(tiles) {
        *out = wide_dots(rows_of(tile, n), x);
    }
    for (row, out) in alone.chunks_exact(n).zip(rest) {
        *out = wide_dot(row, x);
    }
}

/// `wide_dot` of a few vectors with one, side by side: they do not wait for each other.
#[inline(always)]
fn wide_dots<const L: usize>(rows: [&[f64]; L], x: &[f64]) -> [f64; L] {
    let (whole, rest) = x.as_chunks::<8>();
    let parts = rows.map(|row| row.as_chunks::<8>());
    let mut sums = [[0.0; 8]; L];
    for (k, x) in whole.iter().enumerate() {
        for (sums, (row, _)) in sums.iter_mut().zip(&parts) {
            for ((sum, a), x) in sums.iter_mut().zip(&row[k]).zip(x) {
                *sum += a * x;
            }
        }
    }
    std::array::from_fn(|i| {
        let rest: f64 = parts[i].1.iter().zip(rest).map(|(a, x)| a * x).sum();
        sum_of_eight(&sums[i]) + rest
    })
}

/// Bx for a symmetric matrix given by its upper triangle. O(d²).
pub(crate) fn symmetric_times(upper: &[f64], x: &[f64], out: &mut [f64]) {
    let d = x.len();
    out.fill(0.0);
    for i in 0..d {
        let row = &upper[i * d + i..(i + 1) * d];
        out[i] += super::dot(row, &x[i..]);
        super::add_scaled(&mut out[i + 1..], x[i], &row[1..]);
    }
}
