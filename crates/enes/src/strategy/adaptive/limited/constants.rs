//! The numbers of the update, functions of the dimension d and the population λ, and its steps.

use multiversion::multiversion;

use crate::linalg::squared_norm;
use crate::math::ranks::Rank;
use crate::search::MOST_DIRECTIONS;
use crate::strategy::adaptive::weights::Weights;

/// The course forgets over d/40 generations: on a sphere the way to the optimum turns within d/10, and must not look like a
/// direction. Chosen with the others on the functions of docs/method/many-dimensions.md.
const COURSE: f64 = 40.0;

/// How much faster the diagonal follows samples than that of sep-CMA-ES: with negative weights and logarithms it can. 8 saves
/// a third of an ellipsoid's evaluations and costs a sphere as much.
const DIAGONAL: f64 = 2.0;

/// The directions follow the course at the rate 0.5/d: at 6/d a sphere takes half as many evaluations again.
const FOLLOW: f64 = 0.5;

/// What of the two points' answer is new in a generation.
const FRESH: f64 = 0.3;

/// The mean moves by so many times the recombined step while the search is young and has not narrowed.
const FIRST_STEPS: f64 = 1.5;

/// Directions that the covariance remembers in d dimensions: 4 + ⌊ln d⌋.
pub(crate) fn directions(d: usize) -> usize {
    (4 + (d as f64).ln() as usize).min(MOST_DIRECTIONS)
}

/// Functions of d and λ.
#[derive(Clone, Debug)]
pub(super) struct Constants {
    /// Of recombination: their sum is 1.
    weights: Weights,
    /// Of the diagonal: the worse half has negative ones; their sum is 0.
    signed: Weights,
    /// µ = 1/Σw².
    effective: f64,
    /// c_s and c_c: the rates of the path and of the course.
    path_rate: f64,
    course_rate: f64,
    /// c_1 and c_µ: how fast the diagonal follows the course and the samples.
    one_rate: f64,
    mu_rate: f64,
    /// How fast the directions follow the course.
    pub(super) direction_rate: f64,
    pub(super) directions: usize,
    /// Whether two points along the last shift are asked for.
    pub(super) probes: bool,
    size: f64,
    lambda: f64,
}

impl Constants {
    pub(super) fn new(d: usize, lambda: usize) -> Self {
        let (size, weights) = (d as f64, Weights::recombination(lambda));
        let effective = weights.effective();
        // sep-CMA-ES: as many times faster than a full covariance as it has fewer entries.
        let separable = (size + 2.0) / 3.0;
        let one = 2.0 / ((size + 1.3).powi(2) + effective);
        let mu = 2.0 * (effective - 2.0 + 1.0 / effective) / ((size + 2.0).powi(2) + effective);
        Self {
            weights,
            signed: Weights::signed(lambda, 1.0),
            effective,
            path_rate: effective.sqrt() / (size.sqrt() + effective.sqrt()),
            course_rate: COURSE / (size + COURSE),
            one_rate: (separable * one).min(1.0),
            mu_rate: (DIAGONAL * separable * mu).clamp(0.0, 1.0),
            direction_rate: FOLLOW / (size + FOLLOW),
            directions: directions(d),
            probes: lambda >= 4,
            size,
            lambda: lambda as f64,
        }
    }

    /// µ.
    pub(super) fn effective(&self) -> f64 {
        self.effective
    }

    /// z = Σ w_i s_(i); equal values share their weights.
    pub(super) fn recombine(&self, samples: &[f64], ranks: &[Rank], z: &mut [f64]) {
        sum_samples(samples, z, &self.weights, ranks);
    }

    /// p ← (1 − c_s)p + √(c_s(2 − c_s)µ)·z.
    pub(super) fn advance_path(&self, path: &mut [f64], z: &[f64]) {
        advance(path, z, self.path_rate, self.effective);
    }

    /// q ← (1 − c_c)q + √(c_c(2 − c_c)µ)·Bz.
    pub(super) fn advance_course(&self, course: &mut [f64], stretched: &[f64]) {
        advance(course, stretched, self.course_rate, self.effective);
    }

    /// r = (rank of the second − rank of the first)/(λ − 1), from −1 to 1: how much better it is to go on.
    pub(super) fn difference_of_first_two(&self, ranks: &[Rank]) -> f64 {
        let place = |i: usize| ranks.get(i).map_or(0.0, |r| 0.5 * f64::from(r.first + r.last));
        (place(1) - place(0)) / (self.lambda - 1.0)
    }

    /// By how much ln σ grows, with s ← 0.7 s + 0.3 sign(r)√|r|: c_s/(1 + c_s) (|p|²/(d(1 − (1 − c_s)^{2t})) − 1)/2 + s/√d, at most 1.
    pub(super) fn log_step(&self, trend: &mut f64, asked: Option<f64>, path: &[f64], updates: u64) -> f64 {
        let c = self.path_rate;
        let started = 1.0 - (2.0 * updates as f64 * (1.0 - c).ln()).exp();
        let excess = squared_norm(path) / (self.size * started) - 1.0;
        if let Some(r) = asked {
            *trend += FRESH * (r.signum() * r.abs().sqrt() - *trend);
        }
        let by_points = if asked.is_some() { *trend / self.size.sqrt() } else { 0.0 };
        (c / (1.0 + c) * 0.5 * excess + by_points).min(1.0)
    }

    /// c_m = 1 + ½ clip(2 − E/10d) clip(1.5 + log₂ σ/σ₀), E evaluations so far, clip to 0 … 1.
    pub(super) fn mean_part(&self, evaluations: u64, log_scale: f64) -> f64 {
        let early = (2.0 - evaluations as f64 / (10.0 * self.size)).clamp(0.0, 1.0);
        let wide = (1.5 + log_scale / std::f64::consts::LN_2).clamp(0.0, 1.0);
        1.0 + (FIRST_STEPS - 1.0) * early * wide
    }

    /// Half of c_µ Σ w_i(s_ij² − 1), with the signed weights, for each coordinate.
    pub(super) fn scales(&self, samples: &[f64], ranks: &[Rank], change: &mut [f64]) {
        sum_squares(samples, change, &self.signed, 0.5 * self.mu_rate, ranks);
    }

    /// Half of c_1(q_j² − 1), q the course in whitened coordinates.
    pub(super) fn scales_by_course(&self, course: &[f64], change: &mut [f64]) {
        let weight = 0.5 * self.one_rate;
        change.iter_mut().zip(course).for_each(|(c, q)| *c += weight * (q * q - 1.0));
    }

    /// The step is the path's: the changes of the scales have the mean 0; each at most ±1.
    pub(super) fn centre(&self, change: &mut [f64], rate: f64) {
        let mean = change.iter().sum::<f64>() / self.size;
        change.iter_mut().for_each(|c| *c = (rate * (*c - mean)).clamp(-1.0, 1.0));
    }
}

/// Columns at a time, so that a part of the sum stays at hand.
const COLUMNS: usize = 2048;

/// `out = Σ_i weight(i) of(s_i)`, entry by entry.
#[inline(always)]
fn weighted_sum(rows: &[f64], out: &mut [f64], weight: impl Fn(usize) -> f64, of: impl Fn(f64) -> f64) {
    let d = out.len();
    out.fill(0.0);
    for (at, out) in out.chunks_mut(COLUMNS).enumerate() {
        for (row, s) in rows.chunks_exact(d).enumerate() {
            let (weight, s) = (weight(row), &s[at * COLUMNS..][..out.len()]);
            if weight != 0.0 {
                out.iter_mut().zip(s).for_each(|(out, s)| *out += weight * of(*s));
            }
        }
    }
}

/// `out = Σ w_i s_i`.
#[multiversion(targets("x86_64+avx512f", "x86_64+avx2"))]
fn sum_samples(samples: &[f64], out: &mut [f64], weights: &Weights, ranks: &[Rank]) {
    weighted_sum(samples, out, |row| weights.of(ranks[row]), |s| s);
}

/// `out_j = Σ c w_i(s_ij² − 1)`.
#[multiversion(targets("x86_64+avx512f", "x86_64+avx2"))]
fn sum_squares(samples: &[f64], out: &mut [f64], weights: &Weights, c: f64, ranks: &[Rank]) {
    weighted_sum(samples, out, |row| c * weights.of(ranks[row]), |s| s * s - 1.0);
}

fn advance(path: &mut [f64], by: &[f64], c: f64, effective: f64) {
    let gain = (c * (2.0 - c) * effective).sqrt();
    path.iter_mut().zip(by).for_each(|(p, z)| *p = (1.0 - c) * *p + gain * z);
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::random::Generator;

    #[test]
    fn sums_by_columns_are_those_of_whole_rows_to_the_last_bit() {
        let (d, lambda) = (2 * COLUMNS + 3, 5);
        let constants = Constants::new(d, lambda);
        let mut samples = vec![0.0; lambda * d];
        Generator::new(6).fill_normal(&mut samples);
        // The second and the fourth have equal values.
        let ranks = [(3, 3), (1, 2), (0, 0), (1, 2), (4, 4)].map(|(first, last)| Rank { first, last });
        let (mut z, mut change) = (vec![1.0; d], vec![1.0; d]);
        constants.recombine(&samples, &ranks, &mut z);
        constants.scales(&samples, &ranks, &mut change);
        for j in 0..d {
            let (mut sum, mut squares) = (0.0, 0.0);
            for (s, rank) in samples.iter().skip(j).step_by(d).zip(ranks) {
                sum += constants.weights.of(rank) * s;
                squares += 0.5 * constants.mu_rate * constants.signed.of(rank) * (s * s - 1.0);
            }
            assert_eq!((z[j], change[j]), (sum, squares), "{j}");
        }
    }
}
