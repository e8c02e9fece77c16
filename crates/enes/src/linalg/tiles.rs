//! The kernels of `linalg.rs` beyond a few dimensions: sums of products in tiles of 4 × 8 that stay in registers.
//!
//! Every entry of a product is one chain of fused multiply-adds in the order of the index that is summed over,
//! whatever the number of vectors: a thread that is given some of them computes the same bits. Tiles at an edge
//! reach back over their neighbours, so that all of them are whole.

use std::ops::Range;

use multiversion::multiversion;

use super::kernel_entry;

/// Rows and columns of a tile.
pub(super) const ROWS: usize = 4;
pub(super) const LANES: usize = 8;

/// Terms that are summed before the tile is put down: a panel of them stays in the first cache.
pub(super) const TERMS: usize = 128;

/// Numbers of a block of vectors that stay in the second cache while all panels pass.
pub(super) const BLOCK: usize = 1 << 16;

/// The least order of a matrix for these kernels.
pub(super) const LEAST: usize = super::small::LIMIT + 1;

type Tile<const R: usize = ROWS> = [[f64; LANES]; R];

/// A panel on the stack for sums of so many terms: to clear a small one takes less.
macro_rules! with_panel {
    ($terms:expr, $kernel:ident($($argument:expr),*)) => {
        match $terms <= TERMS / 4 {
            true => $kernel(&mut [[0.0; LANES]; TERMS / 4], $($argument),*),
            false => $kernel(&mut [[0.0; LANES]; TERMS], $($argument),*),
        }
    };
}

/// `sums[r][l] + Σ_p rows[r][p]·panel[p][l]`.
#[inline(always)]
fn add_products(mut sums: Tile, rows: [&[f64]; ROWS], panel: &[[f64; LANES]]) -> Tile {
    let [a, b, c, d] = rows;
    for ((((x, a), b), c), d) in panel.iter().zip(a).zip(b).zip(c).zip(d) {
        add_outer(&mut sums, &[*a, *b, *c, *d], x);
    }
    sums
}

/// `Σ_p row[p]·panel[p][l]`: the same for a single row.
#[inline(always)]
fn row_times(row: &[f64], panel: &[[f64; LANES]]) -> [f64; LANES] {
    let mut sums = [[0.0; LANES]];
    for (a, x) in row.iter().zip(panel) {
        add_outer(&mut sums, &[*a], x);
    }
    sums[0]
}

/// `sums[r][l] + a[r]·x[l]`.
#[inline(always)]
pub(super) fn add_outer<const R: usize>(sums: &mut Tile<R>, a: &[f64; R], x: &[f64; LANES]) {
    for (sums, a) in sums.iter_mut().zip(a) {
        for (sum, x) in sums.iter_mut().zip(x) {
            *sum = a.mul_add(*x, *sum);
        }
    }
}

/// Where tiles of a size begin so that they cover 0..n, n at least the size, and how much of each is covered already.
#[inline(always)]
pub(super) fn tiles(n: usize, size: usize) -> impl Iterator<Item = (usize, usize)> {
    (0..n).step_by(size).map(move |i| (i.min(n - size), i - i.min(n - size)))
}

/// LANES numbers from here on.
#[inline(always)]
pub(super) fn lanes(numbers: &[f64], from: usize) -> [f64; LANES] {
    let mut some = [0.0; LANES];
    some.copy_from_slice(&numbers[from..from + LANES]);
    some
}

/// The tile of a matrix of d columns at a row and a column.
#[inline(always)]
pub(super) fn pick_up<const R: usize>(matrix: &[f64], row: usize, column: usize, d: usize) -> Tile<R> {
    let mut tile = [[0.0; LANES]; R];
    for (r, tile) in tile.iter_mut().enumerate() {
        *tile = lanes(matrix, (row + r) * d + column);
    }
    tile
}

/// The columns from..from + LANES of the rows of a matrix.
#[inline(always)]
pub(super) fn pack_columns(matrix: &[f64], from: usize, panel: &mut [[f64; LANES]], d: usize) {
    for (panel, row) in panel.iter_mut().zip(matrix.chunks_exact(d)) {
        *panel = lanes(row, from);
    }
}

/// LANES rows as columns.
#[inline(always)]
fn pack_rows<'a>(row: impl Fn(usize) -> &'a [f64], panel: &mut [[f64; LANES]]) {
    let rows: [&[f64]; LANES] = std::array::from_fn(|l| &row(l)[..panel.len()]);
    for (p, panel) in panel.iter_mut().enumerate() {
        *panel = std::array::from_fn(|l| rows[l][p]);
    }
}

/// Row i of `out` is row i of `vectors` times a matrix. Of its columns j..j + LANES the terms in `terms(j)` count, which
/// `pack(j, from, panel)` packs from any of them on.
#[inline(always)]
fn rows_times(
    panel: &mut [[f64; LANES]],
    vectors: &[f64],
    out: &mut [f64],
    d: usize,
    terms: impl Fn(usize) -> Range<usize>,
    pack: impl Fn(usize, usize, &mut [[f64; LANES]]),
) {
    let most = panel.len();
    let block = block_of_rows(d) * d;
    for (vectors, out) in vectors.chunks(block).zip(out.chunks_mut(block)) {
        for (j, _) in tiles(d, LANES) {
            let Range { start, end } = terms(j);
            for from in (start..end).step_by(most) {
                let panel = &mut panel[..most.min(end - from)];
                pack(j, from, panel);
                let tiles = vectors.chunks(ROWS * d).zip(out.chunks_mut(ROWS * d));
                for (vectors, out) in tiles {
                    let sums = (from > start).then_some(&*out);
                    let tile = tile_of_rows(vectors, sums, panel, from, j, d);
                    put_rows(&tile, out, j, d);
                }
            }
        }
    }
}

/// Vectors of a block that stays in the second cache while all panels pass.
#[inline(always)]
fn block_of_rows(d: usize) -> usize {
    (BLOCK / d).next_multiple_of(ROWS).max(16 * ROWS)
}

/// What of ROWS vectors is there; where there are fewer, the first stands in for the others.
#[inline(always)]
fn row_of(tile: &[f64], r: usize, d: usize) -> &[f64] {
    let from = if r * d < tile.len() { r * d } else { 0 };
    &tile[from..from + d]
}

/// Products of the entries from.. of up to ROWS vectors with a panel, added to the entries j..j + LANES of `sums` if any.
#[inline(always)]
fn tile_of_rows(
    vectors: &[f64],
    sums: Option<&[f64]>,
    panel: &[[f64; LANES]],
    from: usize,
    j: usize,
    d: usize,
) -> Tile {
    let mut tile = [[0.0; LANES]; ROWS];
    if let Some(sums) = sums {
        for (r, tile) in tile.iter_mut().enumerate() {
            *tile = lanes(row_of(sums, r, d), j);
        }
    }
    let rows = std::array::from_fn(|r| &row_of(vectors, r, d)[from..from + panel.len()]);
    add_products(tile, rows, panel)
}

#[inline(always)]
fn put_rows(tile: &Tile, rows: &mut [f64], j: usize, d: usize) {
    for (row, sums) in rows.chunks_exact_mut(d).zip(tile) {
        row[j..j + LANES].copy_from_slice(sums);
    }
}

/// `out_i = Uᵀ s_i`.
#[multiversion(targets("x86_64+avx512f", "x86_64+avx2+fma"))]
pub(super) fn transpose_times(upper: &[f64], vectors: &[f64], out: &mut [f64], d: usize) {
    let pack = |j: usize, from: usize, panel: &mut [[f64; LANES]]| {
        pack_columns(&upper[from * d..], j, panel, d);
    };
    with_panel!(d, rows_times(vectors, out, d, |j| 0..j + LANES, pack));
}

/// `out_i[k] = Σ_{j>k} g_kj s_i[j]`.
#[multiversion(targets("x86_64+avx512f", "x86_64+avx2+fma"))]
pub(super) fn strict_upper_times(upper: &[f64], vectors: &[f64], out: &mut [f64], d: usize) {
    let pack = |k: usize, from: usize, panel: &mut [[f64; LANES]]| {
        pack_rows(|l| &upper[(k + l) * d + from..(k + l + 1) * d], panel);
        // What lies on or below the diagonal is not there.
        for (p, panel) in (from..k + LANES).zip(panel) {
            panel[p - k..].fill(0.0);
        }
    };
    with_panel!(d, rows_times(vectors, out, d, |k| k..d, pack));
}

/// Put a tile down in the upper triangle of a matrix of d columns, but not its first rows and lanes, which are there
/// already. `from` is the row of the triangle where the matrix begins.
#[inline(always)]
pub(super) fn put_down<const R: usize>(
    sums: &Tile<R>,
    matrix: &mut [f64],
    from: usize,
    (row, rows): (usize, usize),
    (column, columns): (usize, usize),
    d: usize,
) {
    let inside = rows == 0 && columns == 0 && from + row + R <= column + 1;
    for (r, sums) in sums.iter().enumerate().skip(rows) {
        let out = &mut matrix[(row + r) * d + column..][..LANES];
        match inside {
            true => out.copy_from_slice(sums),
            false => {
                let first = columns.max((from + row + r).saturating_sub(column)).min(LANES);
                out[first..].copy_from_slice(&sums[first..]);
            }
        }
    }
}

/// The upper triangle of `rows` times a matrix that `pack` packs as for `rows_times`. Of row i the entries from
/// `first(i)` on count. With the norms of the rows, its kernel takes the place of each product.
#[inline(always)]
fn upper_of_product(
    panel: &mut [[f64; LANES]],
    rows: &[f64],
    out: &mut [f64],
    terms: impl Fn(usize) -> Range<usize>,
    first: impl Fn(usize) -> usize,
    pack: impl Fn(usize, usize, &mut [[f64; LANES]]),
    norms: Option<&[f64]>,
) {
    let n = out.len().isqrt();
    let (width, most) = (rows.len() / n, panel.len());
    for column in tiles(n, LANES) {
        let Range { start, end } = terms(column.0);
        for from in (start..end).step_by(most) {
            let panel = &mut panel[..most.min(end - from)];
            pack(column.0, from, panel);
            for row in tiles(n, ROWS).take_while(|row| row.0 < column.0 + LANES) {
                let begin = first(row.0).clamp(from, from + panel.len());
                let panel = &panel[begin - from..];
                let rows = std::array::from_fn(|r| &rows[(row.0 + r) * width + begin..][..panel.len()]);
                let goes_on = from > start;
                let sums = if goes_on { pick_up(out, row.0, column.0, n) } else { [[0.0; LANES]; ROWS] };
                let mut sums = add_products(sums, rows, panel);
                if let Some(norms) = norms.filter(|_| from + most >= end) {
                    sums = kernel_of_products(sums, norms, row.0, column.0, width);
                }
                put_down(&sums, out, 0, row, column, n);
            }
        }
    }
}

/// The upper triangle of `P Q`.
#[multiversion(targets("x86_64+avx512f", "x86_64+avx2+fma"))]
pub(super) fn upper_times_upper(p: &[f64], q: &[f64], out: &mut [f64], d: usize) {
    let pack = |j: usize, from: usize, panel: &mut [[f64; LANES]]| pack_columns(&q[from * d..], j, panel, d);
    with_panel!(d, upper_of_product(p, out, |j| 0..j + LANES, |i| i, pack, None));
}

/// The upper triangle of `U Uᵀ`.
#[multiversion(targets("x86_64+avx512f", "x86_64+avx2+fma"))]
pub(super) fn gram_of_rows(upper: &[f64], out: &mut [f64], d: usize) {
    let pack = |j: usize, from: usize, panel: &mut [[f64; LANES]]| {
        pack_rows(|l| &upper[(j + l) * d + from..(j + l + 1) * d], panel);
    };
    with_panel!(d, upper_of_product(upper, out, |j| j..d, |_| 0, pack, None));
}

/// The upper triangle of `1 + x + x²/2 + e_j e_k/(2d)`, x = s_j·s_k/d, e = |s|² − d, for at least LANES vectors.
#[multiversion(targets("x86_64+avx512f", "x86_64+avx2+fma"))]
pub(super) fn kernel_of_vectors(vectors: &[f64], norms: &[f64], out: &mut [f64], d: usize) {
    let pack = |j: usize, from: usize, panel: &mut [[f64; LANES]]| {
        pack_rows(|l| &vectors[(j + l) * d + from..(j + l + 1) * d], panel);
    };
    with_panel!(d, upper_of_product(vectors, out, |_| 0..d, |_| 0, pack, Some(norms)));
}

#[inline(always)]
fn kernel_of_products(mut tile: Tile, norms: &[f64], row: usize, column: usize, d: usize) -> Tile {
    let size = d as f64;
    let inverse = 1.0 / size;
    let columns = lanes(norms, column);
    for (r, tile) in tile.iter_mut().enumerate() {
        let excess = 0.5 * (norms[row + r] - size) * inverse;
        for (k, q) in tile.iter_mut().zip(&columns) {
            *k = kernel_entry(*k, inverse, excess, q - size);
        }
    }
    tile
}

/// `s_i ← U⁻ᵀ s_i`.
#[multiversion(targets("x86_64+avx512f", "x86_64+avx2+fma"))]
pub(super) fn solve_transpose(upper: &[f64], vectors: &mut [f64], d: usize) {
    with_panel!(d, solve_rows(upper, vectors, d));
}

/// With the columns J of U, those before them, and `V = U_JJ⁻¹`, `x_J = s_J V − x_before (U_before,J V)`: a product.
#[inline(always)]
fn solve_rows(panel: &mut [[f64; LANES]], upper: &[f64], vectors: &mut [f64], d: usize) {
    let most = panel.len();
    for vectors in vectors.chunks_mut(block_of_rows(d) * d) {
        // The first panel is what is left over by whole ones.
        let (mut j, mut width) = (0, (d - 1) % LANES + 1);
        while j < d {
            let inverse = inverse_of_block(upper, j, width, d);
            // The last terms come first: they take s_J, whose place the sums take.
            let mut end = j + LANES;
            while end > 0 {
                let from = end.saturating_sub(most);
                let panel = &mut panel[..end - from];
                for ((p, panel), row) in (from..).zip(&mut *panel).zip(upper[from * d..].chunks_exact(d)) {
                    *panel = match p < j {
                        true => row_times(&row[j..j + LANES], &inverse).map(|x| -x),
                        false => inverse[p - j],
                    };
                }
                for rows in vectors.chunks_mut(ROWS * d) {
                    let sums = (end <= j).then_some(&*rows);
                    let tile = tile_of_rows(rows, sums, panel, from, j, d);
                    put_rows(&tile, rows, j, d);
                }
                end = from;
            }
            j += width;
            width = LANES;
        }
    }
}

/// The inverse of a block at the diagonal of an upper-triangular matrix; beyond its order it is that of the identity.
#[inline(always)]
fn inverse_of_block(upper: &[f64], at: usize, order: usize, d: usize) -> [[f64; LANES]; LANES] {
    let mut inverse = [[0.0; LANES]; LANES];
    for k in order..LANES {
        inverse[k][k] = 1.0;
    }
    for k in (0..order).rev() {
        let row = &upper[(at + k) * d + at..][..order];
        let mut sums = row_times(&row[k + 1..], &inverse[k + 1..]);
        sums[k] = -1.0;
        inverse[k] = sums.map(|sum| -sum / row[k]);
    }
    inverse
}
