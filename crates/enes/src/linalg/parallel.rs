//! The kernels of O(n d²) on several threads, with the bits of one.
//!
//! Vectors are divided among the threads, or the rows of a sum: every number is computed by one thread, by the
//! same chain of operations as ever. Nothing is divided below the size where it pays.

#[cfg(feature = "rayon")]
use std::sync::atomic::{AtomicBool, Ordering};

use faer::linalg::matmul::matmul;
use faer::linalg::matmul::triangular::{self, BlockStructure};
use faer::{Accum, Par};

use super::general::least_vectors;
use super::{Kernels, columns, columns_mut, outer};

/// The least number of multiply-adds worth a thread of its own: about a tenth of a millisecond, where waking a
/// thread takes up to a hundredth.
const WORTH: usize = 1 << 21;

/// Below this dimension nothing is divided: `benchmarks/src/bin/threads.rs` measures no gain at d = 150.
const DIMENSION: usize = 160;

/// How many of `threads` a product of n vectors with a triangular matrix is worth.
fn share(threads: usize, n: usize, d: usize) -> usize {
    if d < DIMENSION || cfg!(not(feature = "rayon")) {
        return 1;
    }
    threads.min(n * d * d / 2 / WORTH).min(n / least_vectors(d)).max(1)
}

/// Take a step of an algorithm among the threads that its products are divided between: they wake once for the
/// step, not for every product.
pub(crate) fn among<R: Send>(threads: usize, d: usize, step: impl FnOnce() -> R + Send) -> R {
    #[cfg(feature = "rayon")]
    if threads > 1 && d >= DIMENSION {
        return awake(threads, step);
    }
    let _ = (threads, d);
    step()
}

/// Take a step while other threads look for its parts: between two products a thread that has gone to sleep would
/// take longer to wake than to compute.
#[cfg(feature = "rayon")]
fn awake<R: Send>(threads: usize, step: impl FnOnce() -> R + Send) -> R {
    let done = AtomicBool::new(false);
    rayon::scope(|scope| {
        let (own, done) = (rayon::current_thread_index(), &done);
        for _ in 1..threads.min(rayon::current_num_threads()) {
            // The thread that takes the step must never wait for its end.
            scope.spawn(move |_| {
                while rayon::current_thread_index() != own && !done.load(Ordering::Acquire) {
                    rayon::yield_now();
                    std::hint::spin_loop();
                }
            });
        }
        let _finished = Finally(done);
        step()
    })
}

/// Sets a flag when it goes, also where the step panics.
#[cfg(feature = "rayon")]
struct Finally<'a>(&'a AtomicBool);

#[cfg(feature = "rayon")]
impl Drop for Finally<'_> {
    fn drop(&mut self) {
        self.0.store(true, Ordering::Release);
    }
}

/// Call a kernel of O(d²) a row for parts of the rows, each part on a thread: with the part of the vectors, of `out`
/// and of `numbers`, one for each row. Vectors or numbers may be empty.
pub(crate) fn divide(
    threads: usize,
    d: usize,
    vectors: &[f64],
    out: &mut [f64],
    numbers: &mut [f64],
    kernel: &(impl Fn(&[f64], &mut [f64], &mut [f64]) + Sync),
) {
    let parts = share(threads, out.len() / d, d);
    divide_into(parts, d, vectors, out, numbers, kernel);
}

fn divide_into(
    parts: usize,
    d: usize,
    vectors: &[f64],
    out: &mut [f64],
    numbers: &mut [f64],
    kernel: &(impl Fn(&[f64], &mut [f64], &mut [f64]) + Sync),
) {
    if parts == 1 {
        return kernel(vectors, out, numbers);
    }
    let first = parts / 2;
    let cut = out.len() / d * first / parts;
    let (vectors_a, vectors_b) = vectors.split_at(vectors.len().min(cut * d));
    let (numbers_a, numbers_b) = numbers.split_at_mut(numbers.len().min(cut));
    let (out_a, out_b) = out.split_at_mut(cut * d);
    join(
        || divide_into(first, d, vectors_a, out_a, numbers_a, kernel),
        || divide_into(parts - first, d, vectors_b, out_b, numbers_b, kernel),
    );
}

/// Call a kernel of O(n) a column for bands of the columns, with the first of the band and its part of two rows of d
/// numbers.
pub(crate) fn bands(
    threads: usize,
    n: usize,
    from: usize,
    a: &mut [f64],
    b: &mut [f64],
    kernel: &(impl Fn(usize, &mut [f64], &mut [f64]) + Sync),
) {
    let parts = threads.min(8 * n * a.len() / WORTH).max(1);
    if parts == 1 || cfg!(not(feature = "rayon")) {
        return kernel(from, a, b);
    }
    let first = parts / 2;
    let cut = a.len() * first / parts;
    let ((a, a_rest), (b, b_rest)) = (a.split_at_mut(cut), b.split_at_mut(cut));
    join(
        || bands(first, n, from, a, b, kernel),
        || bands(parts - first, n, from + cut, a_rest, b_rest, kernel),
    );
}

/// Whether a generation of n rows is worth more than one thread.
pub(crate) fn pays(threads: usize, n: usize, d: usize) -> bool {
    share(threads, n, d) > 1
}

/// `upper_of_outer_sum` on several threads.
pub(crate) fn upper_of_outer_sum(threads: usize, t: &[f64], s: &[f64], out: &mut [f64], d: usize) {
    match share(threads, t.len() / d, d) {
        1 => super::upper_of_outer_sum(t, s, out, d),
        parts => outer_bands(parts, t, s, out, 0, d),
    }
}

/// Rows `from..` of the sum, which are `out`, as bands of equal area.
fn outer_bands(parts: usize, t: &[f64], s: &[f64], out: &mut [f64], from: usize, d: usize) {
    let rows = out.len() / d;
    if parts == 1 {
        return outer_band(t, s, out, from, d);
    }
    // Bands of a triangle or a trapezium: row k has d − k entries.
    let first = parts / 2;
    let area = |k: f64| k * ((d - from) as f64 - 0.5 * k);
    let wanted = area(rows as f64) * first as f64 / parts as f64;
    let cut = (1..rows).find(|&k| area(k as f64) >= wanted).unwrap_or(rows);
    let (above, below) = out.split_at_mut(cut * d);
    join(
        || outer_bands(first, t, s, above, from, d),
        || outer_bands(parts - first, t, s, below, from + cut, d),
    );
}

/// One band: a triangle at the diagonal and the rectangle to its right.
fn outer_band(t: &[f64], s: &[f64], out: &mut [f64], from: usize, d: usize) {
    if let Kernels::Tiles = Kernels::of(d) {
        return outer::outer_sum(t, s, out, from, false, d);
    }
    let rows = out.len() / d;
    let (s, t) = (columns(s, d), columns(t, d).subrows(from, rows).transpose());
    let (triangle, rectangle) = columns_mut(out, d).split_at_row_mut(from + rows);
    triangular::matmul(
        triangle.subrows_mut(from, rows),
        BlockStructure::TriangularLower,
        Accum::Replace,
        s.subrows(from, rows),
        BlockStructure::Rectangular,
        t,
        BlockStructure::Rectangular,
        1.0,
        Par::Seq,
    );
    let right = s.subrows(from + rows, d - from - rows);
    matmul(rectangle, Accum::Replace, right, t, 1.0, Par::Seq);
}

/// Both, at the same time where there are threads.
#[cfg(feature = "rayon")]
pub(crate) fn join(a: impl FnOnce() + Send, b: impl FnOnce() + Send) {
    rayon::join(a, b);
}

#[cfg(not(feature = "rayon"))]
pub(crate) fn join(a: impl FnOnce(), b: impl FnOnce()) {
    a();
    b();
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::random::Generator;

    #[test]
    fn the_number_of_threads_does_not_change_a_bit() {
        let mut generator = Generator::new(3);
        for (d, n) in [(160, 800), (163, 777), (200, 800), (257, 515), (300, 350), (161, 1300)] {
            let mut numbers = vec![0.0; 2 * n * d + d * d];
            generator.fill_normal(&mut numbers);
            let (s, rest) = numbers.split_at(n * d);
            let (t, rest) = rest.split_at(n * d);
            let mut u = rest.to_vec();
            for k in 0..d {
                u[k * d..k * d + k].fill(0.0);
                // Diagonally dominant: a solve must not overflow.
                u[k * d + k] = 2.0 * (d as f64).sqrt() + u[k * d + k].abs();
            }
            let all = |threads: usize| {
                let (mut a, mut b, mut c) = (vec![7.0; n * d], vec![7.0; n * d], s.to_vec());
                let mut sum = vec![7.0; d * d];
                let (mut norms, mut sums) = (vec![7.0; n], [vec![0.0; d], vec![0.0; d]]);
                divide(threads, d, s, &mut a, &mut [], &|s, a, _| super::super::transpose_times(&u, s, a, d));
                divide(threads, d, s, &mut b, &mut norms, &|s, b, norms| {
                    super::super::strict_upper_times(&u, s, b, d);
                    super::super::squared_norms(b, norms, d);
                });
                divide(threads, d, &[], &mut c, &mut [], &|_, c, _| super::super::solve_transpose(&u, c, d));
                let [first, second] = &mut sums;
                bands(threads, n, 0, first, second, &|from, first, second| {
                    for row in s.chunks_exact(d) {
                        super::super::add_scaled(first, 0.3, &row[from..]);
                        super::super::add_scaled(second, -0.7, &row[from..]);
                    }
                });
                upper_of_outer_sum(threads, t, s, &mut sum, d);
                let [first, second] = sums;
                [a, b, c, sum, norms, first, second]
                    .map(|x| x.into_iter().map(f64::to_bits).collect::<Vec<_>>())
            };
            let one = all(1);
            let mut most = 1;
            for threads in [2, 3, 4, 7] {
                most = most.max(share(threads, n, d));
                for (what, (a, b)) in all(threads).iter().zip(&one).enumerate() {
                    assert!(a == b, "kernel {what}, d = {d}, n = {n}, {threads} threads");
                }
            }
            assert!(most > 2 || cfg!(not(feature = "rayon")), "nothing was divided at d = {d}, n = {n}");
        }
    }

    #[test]
    fn little_work_stays_on_one_thread() {
        assert_eq!(share(8, 160, 40), 1);
        assert_eq!(share(8, 400, 100), 1);
        assert_eq!(share(8, 600, 150), 1);
        if cfg!(feature = "rayon") {
            assert_eq!(share(2, 128, 200), 1);
            assert_eq!(share(2, 128, 400), 2);
            assert_eq!(share(2, 128, 272), 1);
            assert_eq!(share(2, 1600, 400), 2);
        }
    }
}
