//! A quadratic at many points.

use multiversion::multiversion;

/// Points side by side: their sums do not wait for each other.
const POINTS: usize = 16;

/// How many numbers of scratch d dimensions need.
pub(crate) fn quadratic_scratch(d: usize) -> usize {
    2 * POINTS * d
}

/// `r_i ← r_i − g·s_i − ½ s_i·Bs_i`, B given by its upper triangle. Each sum is that of `dot` and `symmetric_times`;
/// nothing is fused.
#[multiversion(targets("x86_64+avx512f", "x86_64+avx2"))]
pub(crate) fn subtract_quadratic(
    upper: &[f64],
    gradient: &[f64],
    points: &[f64],
    rest: &mut [f64],
    scratch: &mut [f64],
) {
    let d = gradient.len();
    let (s, product) = scratch.as_chunks_mut::<POINTS>().0.split_at_mut(d);
    for (points, rest) in points.chunks(POINTS * d).zip(rest.chunks_mut(POINTS)) {
        for (l, point) in points.chunks_exact(d).enumerate() {
            for (s, x) in s.iter_mut().zip(point) {
                s[l] = *x;
            }
        }
        product.fill([0.0; POINTS]);
        for i in 0..d {
            let row = &upper[i * d..(i + 1) * d];
            let s_i = s[i];
            let mut sum = s_i.map(|x| row[i] * x);
            for ((u, s), product) in row.iter().zip(&*s).zip(&mut *product).skip(i + 1) {
                for l in 0..POINTS {
                    sum[l] += u * s[l];
                    product[l] += s_i[l] * u;
                }
            }
            product[i].iter_mut().zip(&sum).for_each(|(product, sum)| *product += sum);
        }
        let (mut linear, mut square) = ([0.0; POINTS], [0.0; POINTS]);
        for ((s, product), g) in s.iter().zip(&*product).zip(gradient) {
            for l in 0..POINTS {
                linear[l] += s[l] * g;
                square[l] += s[l] * product[l];
            }
        }
        for (rest, (linear, square)) in rest.iter_mut().zip(linear.iter().zip(&square)) {
            *rest = *rest - linear - 0.5 * square;
        }
    }
}
