//! A covariance of limited memory, for many dimensions: a diagonal, and k directions that are stretched.
//!
//! A = BD with D diagonal and B = I + Σ(r_i − 1)q_i q_iᵀ, the q_i orthonormal: C = AᵀA = D(I + Σ(r_i² − 1)q_i q_iᵀ)D.
//! Everything takes O(k d), in time and in memory.

use multiversion::multiversion;

#[cfg(feature = "serde")]
use crate::linalg::squared_norm;
use crate::linalg::{add_scaled, wide_dot};

/// Directions, at most.
pub(crate) const MOST_DIRECTIONS: usize = 32;

/// Rows that are stretched together, and columns at a time.
const TOGETHER: usize = 8;
const COLUMNS: usize = 1024;

/// The factor A = BD.
#[derive(Clone, Debug, PartialEq)]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize))]
pub(crate) struct LimitedFactor {
    /// D: the deviation of each coordinate without what the directions add.
    pub(super) scales: Vec<f64>,
    /// The q_i as rows.
    pub(super) directions: Vec<f64>,
    /// The r_i: deviations along the directions, in units of D.
    pub(super) stretches: Vec<f64>,
}

impl LimitedFactor {
    /// Independent coordinates.
    pub(crate) fn diagonal(scales: Vec<f64>) -> Self {
        Self { scales, directions: Vec::new(), stretches: Vec::new() }
    }

    /// D.
    pub(crate) fn scales(&self) -> &[f64] {
        &self.scales
    }

    pub(crate) fn scales_mut(&mut self) -> &mut [f64] {
        &mut self.scales
    }

    /// The directions as rows, and how far each is stretched.
    pub(crate) fn directions(&self) -> (&[f64], &[f64]) {
        (&self.directions, &self.stretches)
    }

    /// Other directions: as many rows as stretches.
    pub(crate) fn set_directions(&mut self, directions: &[f64], stretches: &[f64]) {
        self.directions.clear();
        self.directions.extend_from_slice(directions);
        self.stretches.clear();
        self.stretches.extend_from_slice(stretches);
    }

    /// Make room for k directions, so that nothing is allocated later.
    pub(crate) fn reserve(&mut self, k: usize) {
        let d = self.scales.len();
        self.directions.reserve((k * d).saturating_sub(self.directions.len()));
        self.stretches.reserve(k.saturating_sub(self.stretches.len()));
    }

    /// `v ← Bv` for every row.
    pub(crate) fn stretch(&self, rows: &mut [f64]) {
        self.along_directions(rows, |r| r - 1.0);
    }

    /// `v ← B⁻¹v` for every row.
    pub(crate) fn unstretch(&self, rows: &mut [f64]) {
        self.along_directions(rows, |r| 1.0 / r - 1.0);
    }

    /// `v ← v + Σ by(r_i)(q_i·v)q_i` for every row.
    fn along_directions(&self, rows: &mut [f64], by: impl Fn(f64) -> f64) {
        let mut gains = [0.0; MOST_DIRECTIONS];
        gains.iter_mut().zip(&self.stretches).for_each(|(gain, r)| *gain = by(*r));
        let (d, gains) = (self.scales.len(), &gains[..self.stretches.len()]);
        rows.chunks_mut(TOGETHER * d).for_each(|rows| add_along(rows, &self.directions, gains, d));
    }

    /// `v ← Aᵀv = DBv` for every row.
    pub(super) fn transpose_times(&self, rows: &mut [f64]) {
        self.stretch(rows);
        for row in rows.chunks_exact_mut(self.scales.len()) {
            row.iter_mut().zip(&self.scales).for_each(|(v, s)| *v *= s);
        }
    }

    /// `points_i = x + Aᵀs_i`, in one sweep where there are no directions.
    pub(super) fn points_from(&self, whitened: &[f64], mean: &[f64], points: &mut [f64]) {
        if self.stretches.is_empty() {
            return place_from(whitened, &self.scales, mean, points);
        }
        points.copy_from_slice(whitened);
        self.stretch(points);
        place(points, &self.scales, mean);
    }

    /// `v ← Av = BDv`.
    pub(super) fn times(&self, v: &mut [f64]) {
        v.iter_mut().zip(&self.scales).for_each(|(v, s)| *v *= s);
        self.stretch(v);
    }

    /// `v ← A⁻ᵀv = B⁻¹D⁻¹v` for every row.
    pub(super) fn solve_transpose(&self, rows: &mut [f64]) {
        for row in rows.chunks_exact_mut(self.scales.len()) {
            row.iter_mut().zip(&self.scales).for_each(|(v, s)| *v /= s);
        }
        self.unstretch(rows);
    }

    /// `v ← A⁻¹v = D⁻¹B⁻¹v`.
    pub(super) fn solve(&self, v: &mut [f64]) {
        self.unstretch(v);
        v.iter_mut().zip(&self.scales).for_each(|(v, s)| *v /= s);
    }

    /// The deviation of a coordinate: D_j √(1 + Σ(r_i² − 1)q_ij²).
    pub(super) fn deviation(&self, j: usize) -> f64 {
        let column = self.directions.iter().skip(j).step_by(self.scales.len());
        let more: f64 = column.zip(&self.stretches).map(|(q, r)| (r * r - 1.0) * q * q).sum();
        self.scales[j] * (1.0 + more).max(0.0).sqrt()
    }

    /// The deviations of all.
    pub(super) fn deviations(&self, out: &mut [f64]) {
        out.fill(1.0);
        for (q, r) in self.directions.chunks_exact(self.scales.len()).zip(&self.stretches) {
            let more = r * r - 1.0;
            out.iter_mut().zip(q).for_each(|(o, q)| *o += more * q * q);
        }
        out.iter_mut().zip(&self.scales).for_each(|(o, s)| *o = s * o.max(0.0).sqrt());
    }

    /// ln det A.
    pub(super) fn log_det(&self) -> f64 {
        self.scales.iter().chain(&self.stretches).map(|a| a.ln()).sum()
    }

    /// Multiply all deviations.
    pub(super) fn scale(&mut self, by: f64) {
        self.scales.iter_mut().for_each(|s| *s *= by);
    }

    /// The first scale that is no deviation.
    pub(super) fn first_unsound(&self) -> Option<usize> {
        self.scales.iter().position(|s| !(s.is_finite() && *s >= f64::MIN_POSITIVE))
    }

    /// Whether it is the factor of d coordinates with at most `most` directions: what a checkpoint must satisfy.
    #[cfg(feature = "serde")]
    pub(super) fn is_consistent(&self, d: usize, most: usize) -> bool {
        let k = self.stretches.len();
        let unit = |q: &[f64]| (squared_norm(q) - 1.0).abs() < 1e-6;
        self.scales.len() == d
            && k <= most
            && self.directions.len() == k * d
            && self.first_unsound().is_none()
            && self.stretches.iter().all(|r| r.is_finite() && *r > 0.0)
            && self.directions.chunks_exact(d).all(unit)
    }
}

/// `v ← v + Σ g_i(q_i·v)q_i` for up to eight rows v. By columns, so that a part of the directions serves all rows while it
/// is at hand; each row has the same sums, whichever rows are beside it.
#[multiversion(targets("x86_64+avx512f", "x86_64+avx2"))]
fn add_along(rows: &mut [f64], directions: &[f64], gains: &[f64], d: usize) {
    let mut along = [[0.0; MOST_DIRECTIONS]; TOGETHER];
    for from in (0..d).step_by(COLUMNS) {
        let to = (from + COLUMNS).min(d);
        for (v, along) in rows.chunks_exact(d).zip(&mut along) {
            for (q, along) in directions.chunks_exact(d).zip(&mut along[..]) {
                *along += wide_dot(&q[from..to], &v[from..to]);
            }
        }
    }
    for from in (0..d).step_by(COLUMNS) {
        let to = (from + COLUMNS).min(d);
        for (v, along) in rows.chunks_exact_mut(d).zip(&along) {
            for ((q, along), gain) in directions.chunks_exact(d).zip(along).zip(gains) {
                add_scaled(&mut v[from..to], gain * along, &q[from..to]);
            }
        }
    }
}

/// `points_i = x + Ds_i`.
#[multiversion(targets("x86_64+avx512f", "x86_64+avx2"))]
fn place_from(s: &[f64], scales: &[f64], mean: &[f64], points: &mut [f64]) {
    let d = mean.len();
    for (s, z) in s.chunks_exact(d).zip(points.chunks_exact_mut(d)) {
        z.iter_mut().zip(s).zip(scales).zip(mean).for_each(|(((z, s), scale), x)| *z = s * scale + x);
    }
}

/// `v_i ← x + Dv_i`.
#[multiversion(targets("x86_64+avx512f", "x86_64+avx2"))]
fn place(rows: &mut [f64], scales: &[f64], mean: &[f64]) {
    for v in rows.chunks_exact_mut(mean.len()) {
        v.iter_mut().zip(scales).zip(mean).for_each(|((v, scale), x)| *v = *v * scale + x);
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::linalg::dot;
    use crate::random::Generator;

    /// A factor with orthonormal directions, and A as rows.
    fn factor(d: usize) -> (LimitedFactor, Vec<f64>) {
        let mut generator = Generator::new(8);
        let mut rows = vec![0.0; 3 * d];
        generator.fill_normal(&mut rows);
        super::super::orthogonalize(&mut rows, d, &mut vec![0.0; 3 * d]);
        rows.chunks_exact_mut(d).for_each(|q| {
            let length = dot(q, q).sqrt();
            q.iter_mut().for_each(|x| *x /= length);
        });
        let mut factor = LimitedFactor::diagonal((0..d).map(|j| 0.3 + j as f64 / d as f64).collect());
        factor.set_directions(&rows, &[3.0, 0.5, 1.2]);
        let entry = |i: usize, j: usize| {
            let along: f64 =
                rows.chunks_exact(d).zip([2.0, -0.5, 0.2]).map(|(q, more)| more * q[i] * q[j]).sum();
            (f64::from(u8::from(i == j)) + along) * factor.scales[j]
        };
        let dense = (0..d * d).map(|at| entry(at / d, at % d)).collect();
        (factor, dense)
    }

    #[test]
    fn products_and_solutions_are_those_of_the_dense_factor() {
        // Nine rows: more than one group.
        for d in [5, 70] {
            let (factor, a) = factor(d);
            let mut v = vec![0.0; 9 * d];
            Generator::new(2).fill_normal(&mut v);
            let mut out = v.clone();
            factor.transpose_times(&mut out);
            for (v, out) in v.chunks_exact(d).zip(out.chunks_exact(d)) {
                for (j, out) in out.iter().enumerate() {
                    let expected: f64 = (0..d).map(|i| a[i * d + j] * v[i]).sum();
                    assert!((out - expected).abs() < 1e-12);
                }
            }
            factor.solve_transpose(&mut out);
            assert!(out.iter().zip(&v).all(|(a, b)| (a - b).abs() < 1e-12));
            let mut one = v[..d].to_vec();
            factor.times(&mut one);
            for (i, out) in one.iter().enumerate() {
                assert!((out - dot(&a[i * d..(i + 1) * d], &v[..d])).abs() < 1e-12);
            }
            factor.solve(&mut one);
            assert!(one.iter().zip(&v).all(|(a, b)| (a - b).abs() < 1e-12));
            let mut deviations = vec![0.0; d];
            factor.deviations(&mut deviations);
            for (j, deviation) in deviations.iter().enumerate() {
                let square: f64 = (0..d).map(|i| a[i * d + j].powi(2)).sum();
                assert!((deviation - square.sqrt()).abs() < 1e-12);
                assert!((factor.deviation(j) - square.sqrt()).abs() < 1e-12);
            }
        }
    }

    #[test]
    fn points_are_the_mean_and_the_product_to_the_last_bit() {
        let (with, _) = factor(70);
        let without = LimitedFactor::diagonal(with.scales.clone());
        for factor in [with, without] {
            let (mut s, mut mean) = (vec![0.0; 9 * 70], vec![0.0; 70]);
            let mut generator = Generator::new(4);
            generator.fill_normal(&mut s);
            generator.fill_normal(&mut mean);
            let (mut points, mut expected) = (vec![0.0; 9 * 70], s.clone());
            factor.points_from(&s, &mean, &mut points);
            factor.transpose_times(&mut expected);
            expected.chunks_exact_mut(70).for_each(|row| add_scaled(row, 1.0, &mean));
            assert_eq!(points, expected);
        }
    }

    #[test]
    fn a_row_has_the_same_bits_alone_and_among_others() {
        let d = 2500; // more than two blocks of columns
        let factor = long_axis(d);
        let mut rows = vec![0.0; 11 * d];
        Generator::new(2).fill_normal(&mut rows);
        let mut alone = rows[9 * d..10 * d].to_vec();
        factor.stretch(&mut rows);
        factor.stretch(&mut alone);
        assert_eq!(alone, rows[9 * d..10 * d]);
        let mut again = alone.clone();
        factor.unstretch(&mut again);
        factor.stretch(&mut again);
        assert!(again.iter().zip(&alone).all(|(a, b)| (a - b).abs() < 1e-10));
    }

    fn long_axis(d: usize) -> LimitedFactor {
        let mut q = vec![0.0; d];
        Generator::new(5).fill_normal(&mut q);
        let length = dot(&q, &q).sqrt();
        q.iter_mut().for_each(|x| *x /= length);
        let mut factor = LimitedFactor::diagonal(vec![2.0; d]);
        factor.set_directions(&q, &[7.0]);
        factor
    }

    #[test]
    fn the_determinant_is_that_of_the_factor() {
        let (factor, a) = factor(6);
        let mut c = vec![0.0; 36];
        for (at, c) in c.iter_mut().enumerate() {
            *c = (0..6).map(|i| a[i * 6 + at / 6] * a[i * 6 + at % 6]).sum();
        }
        let upper = crate::linalg::cholesky(&c, 6).unwrap();
        let expected: f64 = upper.iter().step_by(7).map(|u| u.ln()).sum();
        assert!((factor.log_det() - expected).abs() < 1e-12);
    }
}
