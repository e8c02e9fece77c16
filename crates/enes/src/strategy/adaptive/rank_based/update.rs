//! The rank-based update: constants and steps, one function each, in whitened coordinates.
//!
//! What the update needs of the world are ranks; what it gives is a motion: a shift of the mean and a
//! factor for the shape and the step. κ says how large the population is against the dimension: at 0,
//! its value for the default population, the regression decides; at 1 recombination and the rank-µ update of
//! CMA-ES take its place as far as the regression is not trusted, which makes large populations global.

use super::many::Stage;
use super::model::Model;
use super::skill::Skill;
use crate::linalg::{self, CholeskySpace, add_scaled, cholesky_in_place, squared_norm};
use crate::math::ranks::Rank;
use crate::strategy::adaptive::sizes::{
    default_population, many, path_rate, regression_window, slowness, small_population,
};
use crate::strategy::adaptive::tuning::RankTuning;
use crate::strategy::adaptive::weights::Weights;

/// A shape update is halved at most this often: beyond, the curvature is no number to follow.
const HALVINGS: usize = 20;

/// Functions of the dimension d, the population size λ and of whether generations are small.
#[derive(Clone, Debug)]
pub(crate) struct Constants {
    /// Of recombination.
    weights: Weights,
    /// µ = 1/Σw².
    effective: f64,
    /// How much of the rules of many dimensions there is, from 0 to 1.
    pub(super) many: f64,
    /// The points that the regression sees at most, N.
    window: usize,
    /// The rate of the path, c_s.
    pub(super) path_rate: f64,
    /// The rate of the quality, c_r.
    pub(super) quality_rate: f64,
    /// How large the population is against the dimension, from 0 to 1: κ.
    pub(crate) largeness: f64,
    /// The rates of the rank-µ and the rank-one update, c_µ and c_1.
    rank_mu_rate: f64,
    rank_one_rate: f64,
    /// The rate of evidence and drift, c_e, and their deviations under pure noise, s_e and s_p.
    pub(super) evidence_rate: f64,
    pub(super) evidence_deviation: f64,
    pub(super) drift_deviation: f64,
    /// How fast the step of a large population falls whose models show no skill; noise takes from it.
    pub(super) contraction: f64,
    pub(super) tuning: RankTuning,
}

/// What a shape can follow: the model's curvature E, the samples' R, the path p.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Sources<'a> {
    pub(crate) model: &'a Model,
    pub(crate) samples: &'a [f64],
    pub(crate) path: &'a [f64],
}

impl Constants {
    /// For populations of λ; `small` where the default ones are.
    pub(crate) fn new(d: usize, lambda: usize, small: bool, tuning: RankTuning) -> Self {
        let low = if small { slowness(d) } else { 0.0 };
        let gain = tuning.gain + (tuning.gain_low - tuning.gain) * low;
        let tuning = RankTuning { gain, ..tuning };
        let (size, l) = (d as f64, lambda as f64);
        let window = regression_window(d, lambda, small, &tuning);
        let weights = Weights::recombination(lambda);
        let usual = if small { small_population(d) } else { default_population(d) };
        let (effective, ordinary) = (weights.effective(), Weights::recombination(usual).effective());
        let largeness = ((effective - ordinary).max(0.0) / (tuning.large * size)).powi(2).min(1.0);
        let path_rate = path_rate(d, effective, small);
        let quality_rate = l / (tuning.quality_windows * window as f64);
        let evidence_rate = tuning.patience * quality_rate;
        // The variance of a running mean, of Spearman's correlation, of (|p|²/d − 1)/2 and its memory.
        let running = evidence_rate / (2.0 - evidence_rate);
        let memory = (1.0 - path_rate).powi(2);
        let rank_mu = 2.0 * (effective - 1.75 + 1.0 / effective) / ((size + 2.0).powi(2) + effective);
        let (rank_mu_rate, rank_one_rate) =
            (rank_mu.clamp(0.0, 1.0), 2.0 / ((size + 1.3).powi(2) + effective));
        Self {
            weights,
            effective,
            many: many(d),
            window,
            path_rate,
            quality_rate,
            largeness,
            rank_mu_rate,
            rank_one_rate,
            evidence_rate,
            evidence_deviation: (running / (l - 1.0)).sqrt(),
            drift_deviation: (running / (2.0 * size) * (1.0 + memory) / (1.0 - memory)).sqrt(),
            contraction: tuning.contraction,
            tuning,
        }
    }

    /// λ.
    pub(crate) fn population(&self) -> usize {
        self.weights.len()
    }

    /// z = Σ w_i s_(i), weights by the ranks of the fresh values; equal values share their weights.
    pub(crate) fn recombine(&self, whitened: &[f64], ranks: &[Rank], z: &mut [f64]) {
        z.fill(0.0);
        for (s, rank) in whitened.chunks_exact(z.len()).zip(ranks) {
            add_scaled(z, self.weights.of(*rank), s);
        }
    }

    /// R = Σ w_i s_(i)s_(i)ᵀ, its upper triangle; `rows` is scratch of the samples' size.
    pub(crate) fn rank_mu(
        &self,
        whitened: &[f64],
        ranks: &[Rank],
        rows: &mut [f64],
        out: &mut [f64],
        d: usize,
    ) {
        for ((row, s), rank) in rows.chunks_exact_mut(d).zip(whitened.chunks_exact(d)).zip(ranks) {
            let weight = self.weights.of(*rank);
            row.iter_mut().zip(s).for_each(|(row, s)| *row = weight * s);
        }
        out.fill(0.0); // below the diagonal is what the factorisation of the last one left
        linalg::upper_of_outer_sum(rows, whitened, out, d);
    }

    /// The shift of the mean: a√d·g + c_m(1 − a)z, c_m = max(κ, min(m, c_0 + a)); c_0 and m as `first_part` has them.
    pub(crate) fn mean_step(
        &self,
        trust: f64,
        (part, most): (f64, f64),
        gradient: &[f64],
        z: &[f64],
        shift: &mut [f64],
    ) {
        let rate = trust * (z.len() as f64).sqrt();
        let rest = (part + trust).min(most).max(self.largeness) * (1.0 - trust);
        for ((c, g), z) in shift.iter_mut().zip(gradient).zip(z) {
            *c = rate * g + rest * z;
        }
    }

    /// c_0: the part of the recombined step at no trust.
    pub(super) fn recombined_part(&self, d: usize) -> f64 {
        self.tuning.recombination + 10.0 * self.tuning.recombination_low / d.max(10) as f64
    }

    /// p ← (1 − c_s)p + √(c_s(2 − c_s)µ)·z.
    pub(crate) fn advance_path(&self, path: &mut [f64], z: &[f64]) {
        let c = self.path_rate;
        let gain = (c * (2.0 - c) * self.effective).sqrt();
        for (p, z) in path.iter_mut().zip(z) {
            *p = (1.0 - c) * *p + gain * z;
        }
    }

    /// Whether R is needed.
    pub(super) fn needs_rank_mu(&self) -> bool {
        self.largeness > 0.0 || self.tuning.floor
    }

    /// φ: 1 where what is not trusted is CMA-ES's own update, once the regression sees enough points to be asked at all, or all
    /// that it ever does.
    pub(crate) fn floor(&self, points: usize, d: usize) -> f64 {
        let enough = (self.tuning.floor_from * d).min(self.window);
        f64::from(u8::from(self.tuning.floor && points >= enough))
    }

    /// How fast the shape follows each source at trust a in the model's: a√d, (1 − a)max(κ, φ)c_µ, (1 − a)(1 − κ)φc_1.
    pub(crate) fn shape_rates(&self, trust: f64, floor: f64, d: usize) -> [f64; 3] {
        let shape_rate = if self.tuning.root_rate { (d as f64).sqrt() } else { 1.0 };
        let rest = 1.0 - trust;
        [
            trust * shape_rate,
            rest * self.largeness.max(floor) * self.rank_mu_rate,
            rest * (1.0 - self.largeness) * floor * self.rank_one_rate,
        ]
    }

    /// The shape update: U with UᵀU = I + tX, X = Y − (tr Y/d)I, Y = r₁E + r₂R + r₃ppᵀ, and det U scaled to 1. From t = 1
    /// t is halved until every diagonal entry of U exceeds 0.3; where that never happens, U = I.
    pub(crate) fn shape_step(
        &self,
        [by_model, by_samples, by_path]: [f64; 3],
        from: Sources<'_>,
        factor: &mut [f64],
        space: &mut CholeskySpace,
    ) {
        let d = from.path.len();
        let size = d as f64;
        let mut rate = if by_model + by_samples + by_path > 0.0 { 1.0 } else { 0.0 };
        for _ in 0..HALVINGS {
            if rate == 0.0 {
                break;
            }
            for (u, e) in factor.iter_mut().zip(&from.model.curvature) {
                *u = rate * by_model * e;
            }
            if by_samples > 0.0 {
                add_scaled(factor, rate * by_samples, from.samples);
            }
            if by_path > 0.0 {
                for (k, p) in from.path.iter().enumerate() {
                    add_scaled(&mut factor[k * d + k..(k + 1) * d], rate * by_path * p, &from.path[k..]);
                }
            }
            let mean = factor.iter().step_by(d + 1).sum::<f64>() / size;
            factor.iter_mut().step_by(d + 1).for_each(|u| *u += 1.0 - mean);
            let positive = cholesky_in_place(factor, d, space);
            if positive && factor.iter().step_by(d + 1).all(|u| *u > self.tuning.least_diagonal) {
                return linalg::scale_to_unit_determinant(factor, d);
            }
            rate *= 0.5;
        }
        factor.fill(0.0);
        factor.iter_mut().step_by(d + 1).for_each(|u| *u = 1.0);
    }

    /// By how much ln σ grows: γ'_σ(c_s/d_s)(|p|²/d − 1)/2 + δ − 0.05κ(1 − γ), at most 1. `rank_mu` is
    /// used up.
    pub(crate) fn log_step(
        &self,
        trust: f64,
        skill: &Skill,
        path: &[f64],
        stage: Stage,
        rank_mu: &mut [f64],
        space: &mut CholeskySpace,
    ) -> f64 {
        let (size, c) = (path.len() as f64, self.path_rate);
        let excess = (((self.effective - 1.0) / (size + 1.0)).sqrt() - 1.0).max(0.0);
        let damping = (1.0 - self.eased(stage) * trust) * (1.0 + c)
            + self.tuning.damping_large * (1.0 - trust) * excess;
        let by_path = c / damping * (squared_norm(path) / (size * stage.started) - 1.0) / 2.0;
        let by_samples = self.log_scale(trust, rank_mu, path.len(), space);
        let contraction = self.contraction * self.largeness * (1.0 - self.gate(skill));
        (self.open(self.step_gate(skill)) * by_path + by_samples - contraction).min(1.0)
    }

    /// δ = ln det((1 − k)I + kR)/(2d), k = min(0.95, κc_µ(1 − a/2)): the scale that the samples show. By the
    /// determinant, so that their noise contracts, as it does in CMA-ES.
    fn log_scale(&self, trust: f64, rank_mu: &mut [f64], d: usize, space: &mut CholeskySpace) -> f64 {
        let k = (self.largeness * self.rank_mu_rate * (1.0 - 0.5 * trust)).min(0.95);
        if k == 0.0 {
            return 0.0;
        }
        rank_mu.iter_mut().for_each(|r| *r *= k);
        rank_mu.iter_mut().step_by(d + 1).for_each(|r| *r += 1.0 - k);
        match cholesky_in_place(rank_mu, d, space) {
            true => rank_mu.iter().step_by(d + 1).map(|u| u.ln()).sum::<f64>() / d as f64,
            false => 0.0,
        }
    }
}
