//! Sums of outer products, in tiles.

use multiversion::multiversion;
use multiversion::target::match_target;

use super::tiles::{BLOCK, LANES, ROWS, TERMS, add_outer, pack_columns, pick_up, put_down, tiles};

/// Rows from.. of the upper triangle of `Σ_i t_i s_iᵀ`, as many as `out` has; added to what is there if `add`.
#[multiversion(targets("x86_64+avx512f", "x86_64+avx2+fma"))]
pub(super) fn outer_sum(t: &[f64], s: &[f64], out: &mut [f64], from: usize, add: bool, d: usize) {
    match_target! {
        "x86_64+avx512f" => outer_sum_of::<{ 2 * ROWS }>(t, s, out, from, add, d),
        _ => outer_sum_of::<ROWS>(t, s, out, from, add, d),
    }
}

#[inline(always)]
fn outer_sum_of<const R: usize>(t: &[f64], s: &[f64], out: &mut [f64], from: usize, add: bool, d: usize) {
    let rows = out.len() / d;
    if rows < R {
        return few_rows_of_outer_sum(t, s, out, from, add, d);
    }
    let mut panel = [[0.0; LANES]; TERMS];
    let block = (BLOCK / d).clamp(TERMS / 4, TERMS) * d;
    for (chunk, (t, s)) in t.chunks(block).zip(s.chunks(block)).enumerate() {
        let panel = &mut panel[..s.len() / d];
        for column in tiles(d, LANES).skip_while(|column| column.0 + LANES <= from) {
            pack_columns(s, column.0, panel, d);
            for row in tiles(rows, R).take_while(|row| from + row.0 < column.0 + LANES) {
                let goes_on = add || chunk > 0;
                let mut sums = if goes_on { pick_up(out, row.0, column.0, d) } else { [[0.0; LANES]; R] };
                for (t, x) in t.chunks_exact(d).zip(&*panel) {
                    if let Some(a) = t[from + row.0..].first_chunk() {
                        add_outer(&mut sums, a, x);
                    }
                }
                put_down(&sums, out, from, row, column, d);
            }
        }
    }
}

/// The same where there is no room for a tile.
#[inline(always)]
fn few_rows_of_outer_sum(t: &[f64], s: &[f64], out: &mut [f64], from: usize, add: bool, d: usize) {
    for (k, out) in (from..).zip(out.chunks_exact_mut(d)) {
        if !add {
            out[k..].fill(0.0);
        }
        for (t, s) in t.chunks_exact(d).zip(s.chunks_exact(d)) {
            for (o, s) in out[k..].iter_mut().zip(&s[k..]) {
                *o = t[k].mul_add(*s, *o);
            }
        }
    }
}
