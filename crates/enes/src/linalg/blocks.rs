//! The Cholesky factor in place, in blocks of rows, for matrices beyond the second cache.
//!
//! A block of rows is packed, solved for, put down, and taken off all rows below it. It is packed in groups of eight
//! columns: a group gives eight lanes of each row, and what each row takes off the eight rows below that have the numbers
//! of these columns.
//!
//! Every entry is one fixed chain of operations, whatever the size of a tile: the one that the general library makes of
//! it, which divides a block by halves. What each part takes off is summed by itself, by fused multiply-adds in order.

use multiversion::multiversion;
use multiversion::target::match_target;

use super::tiles::{LANES, ROWS, add_outer, lanes};

/// Rows of a block, and of the squares at its diagonal that are factorised row by row.
const BLOCK: usize = 128;
const SQUARE: usize = 64;

/// Unknowns that are solved for one by one.
const FEW: usize = 4;

/// Eight columns of a row.
type Lanes = [f64; LANES];

/// What solves for unknowns FEW at a time: of each row what those before it count, and the inverse at the diagonal.
type Steps = [[f64; FEW]; BLOCK];

/// How many numbers of scratch a matrix of order n needs.
pub(super) fn scratch(n: usize) -> usize {
    BLOCK * n.next_multiple_of(LANES)
}

/// Whether this is for matrices of order n on this processor.
#[inline]
pub(super) fn is_for(n: usize) -> bool {
    n > super::cholesky::LIMIT && super::fused()
}

/// Replace the upper triangle of a symmetric matrix M by that of U with `UᵀU = M`; the lower triangle is left alone.
/// False where M is not positive definite.
#[multiversion(targets("x86_64+avx512f", "x86_64+avx2+fma"))]
pub(super) fn cholesky_in_place(matrix: &mut [f64], n: usize, scratch: &mut [f64]) -> bool {
    match_target! {
        "x86_64+avx512f" => factorize::<{ 2 * ROWS }, 2>(matrix, n, scratch),
        _ => factorize::<ROWS, 1>(matrix, n, scratch),
    }
}

/// In tiles of R rows and at most G groups.
#[inline(always)]
fn factorize<const R: usize, const G: usize>(matrix: &mut [f64], n: usize, scratch: &mut [f64]) -> bool {
    let mut steps = [[0.0; FEW]; BLOCK];
    for k in (0..n).step_by(BLOCK) {
        let rows = BLOCK.min(n - k);
        let block = &mut scratch.as_chunks_mut().0[..BLOCK * (n - k).div_ceil(LANES)];
        pack(matrix, k, block, n);
        for from in (0..rows).step_by(SQUARE) {
            let to = rows.min(from + SQUARE);
            if !factorize_square::<R>(block, from, to) {
                return false;
            }
            find_steps(block, from, to, &mut steps);
            // The rest of the block waits for its own square; what is beyond it is solved for at once.
            let (left, right) = block.split_at_mut(block.len().min(to.div_ceil(LANES) * BLOCK));
            if from == 0 {
                let within = right.len().min((BLOCK - SQUARE) / LANES * BLOCK);
                solve::<R, G>(left, &mut right[..within], &steps, SQUARE);
                lower_square::<R>(block);
            } else {
                solve::<R, G>(left, right, &steps, BLOCK);
            }
        }
        put_down(block, matrix, k, n);
        take_off::<R, G>(block, matrix, k, n);
    }
    true
}

/// The rows of a block from the diagonal on, and beyond the matrix those of the identity.
#[inline(always)]
fn pack(matrix: &[f64], k: usize, block: &mut [Lanes], n: usize) {
    for (g, group) in block.chunks_exact_mut(BLOCK).enumerate() {
        let column = k + g * LANES;
        let there = LANES.min(n - column);
        for (p, packed) in group.iter_mut().enumerate() {
            *packed = match k + p < n {
                true if there == LANES => lanes(matrix, (k + p) * n + column),
                true => {
                    std::array::from_fn(|l| if l < there { matrix[(k + p) * n + column + l] } else { 0.0 })
                }
                false => std::array::from_fn(|l| if p == g * LANES + l { 1.0 } else { 0.0 }),
            };
        }
    }
}

/// The same back to the matrix, upper triangle only.
#[inline(always)]
fn put_down(block: &[Lanes], matrix: &mut [f64], k: usize, n: usize) {
    for (g, group) in block.chunks_exact(BLOCK).enumerate() {
        let column = k + g * LANES;
        let there = LANES.min(n - column);
        for (p, lanes) in group.iter().enumerate().take(n - k).take((g + 1) * LANES) {
            let first = p.saturating_sub(g * LANES);
            let row = &mut matrix[(k + p) * n + column..];
            match (first, there) {
                (0, LANES) => row[..LANES].copy_from_slice(lanes),
                _ if first < there => row[first..there].copy_from_slice(&lanes[first..there]),
                _ => {}
            }
        }
    }
}

/// What rows of the groups of a block take off R rows, which are one part of a group: `Σ_p a[p][r]·x[p][l]`.
#[inline(always)]
fn products<const R: usize, const G: usize>(a: &[Lanes], part: usize, x: [&[Lanes]; G]) -> [[Lanes; R]; G] {
    let mut sums = [[[0.0; LANES]; R]; G];
    let x = x.map(|x| &x[..a.len()]);
    for (p, a) in a.iter().enumerate() {
        let a = &a.as_chunks::<R>().0[part];
        // One by one: a loop over the groups would keep the sums out of registers.
        add_outer(&mut sums[0], a, &x[0][p]);
        if G > 1 {
            add_outer(&mut sums[1], a, &x[1][p]);
        }
    }
    sums
}

/// Factorise the square of a block at the diagonal in the rows from..to.
#[inline(always)]
fn factorize_square<const R: usize>(block: &mut [Lanes], from: usize, to: usize) -> bool {
    for row in (from..to).step_by(R) {
        let (corner, at) = (row / LANES, row % LANES);
        let (mut steps, mut scales) = ([[0.0; R]; R], [0.0; R]);
        for g in corner..to.div_ceil(LANES) {
            let (left, group) = block.split_at_mut(g * BLOCK);
            let (above, rest) = group.split_at_mut(row);
            let above = &above[from..];
            let a = if g == corner { above } else { &left[corner * BLOCK + from..][..row - from] };
            let Some(tile) = rest.first_chunk_mut::<R>() else { return false };
            let mut sums = *tile;
            for (a, x) in a.iter().zip(above) {
                let a = &a.as_chunks::<R>().0[at / R];
                add_outer(&mut sums, &a.map(|a| -a), x);
            }
            for r in 0..R {
                if g == corner {
                    let pivot = sums[r][at + r];
                    if !(pivot > 0.0 && pivot.is_finite()) {
                        return false;
                    }
                    scales[r] = pivot.sqrt().recip();
                }
                sums[r] = sums[r].map(|x| x * scales[r]);
                for q in 0..R {
                    if q > r {
                        if g == corner {
                            steps[r][q] = -sums[r][at + q];
                        }
                        sums[q] = std::array::from_fn(|l| steps[r][q].mul_add(sums[r][l], sums[q][l]));
                    }
                }
            }
            *tile = sums;
        }
    }
    true
}

/// The steps of a solve for the rows from..to of a block.
#[inline(always)]
fn find_steps(block: &[Lanes], from: usize, to: usize, steps: &mut Steps) {
    for row in from..to {
        let group = &block[row / LANES * BLOCK..][..BLOCK];
        let (few, at) = (row - row % FEW, row % LANES);
        let inverse = group[row][at].recip();
        steps[row] = [inverse; FEW];
        for i in few..row {
            steps[row][i - few] = -group[i][at] * inverse;
        }
    }
}

/// Solve for the first rows of some groups to the right of those of a block.
#[inline(always)]
fn solve<const R: usize, const G: usize>(block: &[Lanes], groups: &mut [Lanes], steps: &Steps, rows: usize) {
    let mut strips = groups.chunks_exact_mut(G * BLOCK);
    for strip in &mut strips {
        solve_strip::<R, G>(block, strip, steps, rows);
    }
    for strip in strips.into_remainder().chunks_exact_mut(BLOCK) {
        solve_strip::<R, 1>(block, strip, steps, rows);
    }
}

/// The same for G of them.
#[inline(always)]
fn solve_strip<const R: usize, const G: usize>(
    block: &[Lanes],
    strip: &mut [Lanes],
    steps: &Steps,
    rows: usize,
) {
    for few in (0..rows).step_by(FEW) {
        for group in strip.chunks_exact_mut(BLOCK) {
            solve_few(&mut group[few..], &steps[few..]);
        }
        // As many as make a whole part with these.
        let end = few + FEW;
        let size = end & end.wrapping_neg();
        match size < R {
            _ if end == rows => {}
            true => lower::<FEW, G>(block, strip, end, size),
            false => lower::<R, G>(block, strip, end, size),
        }
    }
}

/// Take the rows above the second square of a block off it.
#[inline(always)]
fn lower_square<const R: usize>(block: &mut [Lanes]) {
    for g in SQUARE / LANES..(BLOCK / LANES).min(block.len() / BLOCK) {
        for row in (SQUARE..(g + 1) * LANES).step_by(R) {
            let above = |group: usize| &block[group * BLOCK..][..SQUARE];
            let [sums] = products::<R, 1>(above(row / LANES), row % LANES / R, [above(g)]);
            subtract(&mut block[g * BLOCK + row..], &sums);
        }
    }
}

#[inline(always)]
fn subtract<const R: usize>(rows: &mut [Lanes], sums: &[Lanes; R]) {
    if let Some(rows) = rows.first_chunk_mut::<R>() {
        for r in 0..R {
            rows[r] = std::array::from_fn(|l| rows[r][l] - sums[r][l]);
        }
    }
}

/// Take as many rows before `end` as follow off these.
#[inline(always)]
fn lower<const R: usize, const G: usize>(block: &[Lanes], strip: &mut [Lanes], end: usize, size: usize) {
    for row in (end..BLOCK.min(end + size)).step_by(R) {
        let known = |group: usize| group * BLOCK + end - size..group * BLOCK + end;
        let a = &block[known(row / LANES)];
        let x = std::array::from_fn(|g| &strip[known(g)]);
        let sums = products::<R, G>(a, row % LANES / R, x);
        for (group, sums) in strip.chunks_exact_mut(BLOCK).zip(&sums) {
            subtract(&mut group[row..], sums);
        }
    }
}

/// Solve for FEW rows one by one; nothing is fused.
#[inline(always)]
fn solve_few(rows: &mut [Lanes], steps: &[[f64; FEW]]) {
    let mut known = [[0.0; LANES]; FEW];
    for r in 0..FEW {
        known[r] = rows[r].map(|x| x * steps[r][r]);
        for q in 0..r {
            known[r] = std::array::from_fn(|l| known[r][l] + steps[r][q] * known[q][l]);
        }
        rows[r] = known[r];
    }
}

/// Take a block off all rows below it.
#[inline(always)]
fn take_off<const R: usize, const G: usize>(block: &[Lanes], matrix: &mut [f64], k: usize, n: usize) {
    let groups = block.len() / BLOCK;
    for row in (BLOCK..n - k).step_by(R) {
        let mut g = row / LANES;
        while g + G <= groups {
            take_off_tile::<R, G>(block, matrix, k, (row, g), n);
            g += G;
        }
        while g < groups {
            take_off_tile::<R, 1>(block, matrix, k, (row, g), n);
            g += 1;
        }
    }
}

#[inline(always)]
fn take_off_tile<const R: usize, const G: usize>(
    block: &[Lanes],
    matrix: &mut [f64],
    k: usize,
    (row, g): (usize, usize),
    n: usize,
) {
    let a = &block[row / LANES * BLOCK..][..BLOCK];
    let x = std::array::from_fn(|i| &block[(g + i) * BLOCK..][..BLOCK]);
    let sums = products::<R, G>(a, row % LANES / R, x);
    let (row, column) = (k + row, k + g * LANES);
    if row < column && column + G * LANES <= n {
        let mut rows = matrix[row * n..].chunks_exact_mut(n);
        for r in 0..R {
            let Some(out) = rows.next() else { return };
            for i in 0..G {
                let out = &mut out[column + i * LANES..][..LANES];
                let x: Lanes = lanes(out, 0);
                out.copy_from_slice(&std::array::from_fn::<_, LANES, _>(|l| x[l] - sums[i][r][l]));
            }
        }
        return;
    }
    for r in 0..R.min(n - row) {
        let out = &mut matrix[(row + r) * n..][..n];
        for (column, sums) in (column..).step_by(LANES).zip(&sums) {
            for l in (row + r).saturating_sub(column)..LANES.min(n - column) {
                out[column + l] -= sums[r][l];
            }
        }
    }
}
