//! The paper's algorithm in plain steps, with what might be changed where points are reused.
//!
//! It shares the natural gradient with the library and nothing else: importance mixing is written as the paper has it, by
//! densities.

use enes::{Baseline, SearchDistribution};
use enes_reference::{RandomNumbers, shaping};

use crate::error::ReproduceError;
use crate::measurement::Numbers;

/// What is done to rows that importance mixing keeps.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(super) enum Reuse {
    /// Their values are drawn anew: only for values that are random.
    Anew,
    /// u − ū is multiplied by this for each generation that a row has been there.
    Discount(f64),
    /// After so many generations a row is drawn anew.
    Cap(u32),
    /// They do not move ln σ: the covariance of utility and |s|² among fresh rows does.
    FreshScale,
}

#[derive(Clone, Debug)]
struct Row {
    point: Vec<f64>,
    value: f64,
    age: u32,
}

/// A population and its distribution.
#[derive(Debug)]
pub(super) struct Plain {
    n: usize,
    refresh_rate: f64,
    reuse: Reuse,
    rows: Vec<Row>,
    before: SearchDistribution,
    pub(super) distribution: SearchDistribution,
    numbers: Numbers,
    pub(super) evaluations: u64,
    pub(super) generations: u64,
}

impl Plain {
    /// Start from a mean with C = I.
    pub(super) fn new(mean: Vec<f64>, n: usize, refresh_rate: f64, reuse: Reuse, seed: u64) -> Self {
        let d = mean.len();
        let mut factor = vec![0.0; d * d];
        factor.iter_mut().step_by(d + 1).for_each(|a| *a = 1.0);
        let distribution =
            SearchDistribution::new(mean, factor).expect("invariant: the identity is a factor");
        Self {
            n,
            refresh_rate,
            reuse,
            rows: Vec::new(),
            before: distribution.clone(),
            distribution,
            numbers: Numbers::new(seed ^ 0x706c_6169_6e00),
            evaluations: 0,
            generations: 0,
        }
    }

    /// One generation.
    pub(super) fn advance(
        &mut self,
        mut value: impl FnMut(&[f64], &mut Numbers) -> f64,
    ) -> Result<(), ReproduceError> {
        self.mix();
        for row in &mut self.rows {
            let fresh = row.age == 0;
            if fresh || self.reuse == Reuse::Anew {
                row.value = value(&row.point, &mut self.numbers);
            }
            self.evaluations += u64::from(fresh);
        }
        self.generations += 1;
        self.update()
    }

    /// Step 1 keeps old rows, step 2 draws new ones.
    fn mix(&mut self) {
        let Self { before, distribution: now, numbers, reuse, refresh_rate, n, .. } = self;
        let log_ratio = |z: &[f64]| now.log_density(z) - before.log_density(z);
        let oldest = if let Reuse::Cap(oldest) = *reuse { oldest } else { u32::MAX };
        self.rows.iter_mut().for_each(|row| row.age += 1);
        self.rows.retain(|row| {
            let stays = numbers.uniform() < (1.0 - *refresh_rate) * log_ratio(&row.point).exp();
            stays && row.age < oldest
        });
        let first = self.rows.is_empty();
        let (d, mean, factor) = (now.dimension(), now.mean(), now.factor());
        while self.rows.len() < *n {
            let mut point = mean.to_vec();
            for k in 0..d {
                let s = numbers.normal();
                (k..d).for_each(|l| point[l] += factor[k * d + l] * s);
            }
            let accept = refresh_rate.max(1.0 - (-log_ratio(&point)).exp());
            if first || numbers.uniform() < accept {
                self.rows.push(Row { point, value: f64::NAN, age: 0 });
            }
        }
    }

    fn update(&mut self) -> Result<(), ReproduceError> {
        let values: Vec<f64> = self.rows.iter().map(|r| r.value).collect();
        let points: Vec<f64> = self.rows.iter().flat_map(|r| r.point.iter().copied()).collect();
        let mut utilities = shaping(&values);
        let mut baseline = Baseline::Block;
        if let Reuse::Discount(rate) = self.reuse {
            let mean = utilities.iter().sum::<f64>() / utilities.len() as f64;
            for (u, row) in utilities.iter_mut().zip(&self.rows) {
                *u = (*u - mean) * rate.powi(row.age as i32);
            }
            baseline = Baseline::None;
        }
        let failed = |e: enes::DistributionError| ReproduceError::Usage(e.to_string());
        let p = &self.distribution;
        let gradient = p.natural_gradient(&points, &utilities, baseline).map_err(failed)?;
        let moved = |a: &[f64], b: &[f64]| a.iter().zip(b).map(|(a, b)| a + b).collect::<Vec<f64>>();
        let (mean, mut factor) = (moved(p.mean(), &gradient.mean), moved(p.factor(), &gradient.factor));
        if self.reuse == Reuse::FreshScale {
            let d = p.dimension();
            let trace: f64 = (0..d).map(|k| gradient.factor[k * d + k] / p.factor()[k * d + k]).sum();
            let change = self.fresh_rate(&p.whiten(&points).map_err(failed)?, &utilities) - trace / d as f64;
            factor.iter_mut().zip(p.factor()).for_each(|(m, a)| *m += change * a);
        }
        let next = SearchDistribution::new(mean, factor).map_err(failed)?;
        self.before = std::mem::replace(&mut self.distribution, next);
        Ok(())
    }

    /// The rate of ln σ from the rows that θ does not depend on.
    fn fresh_rate(&self, whitened: &[f64], utilities: &[f64]) -> f64 {
        let d = self.distribution.dimension();
        let rows = self.rows.iter().zip(whitened.chunks_exact(d)).zip(utilities);
        let fresh: Vec<(f64, f64)> = rows
            .filter(|((row, _), _)| row.age == 0)
            .map(|((_, s), u)| (*u, s.iter().map(|x| x * x).sum()))
            .collect();
        let n = fresh.len() as f64;
        if n < 2.0 {
            return 0.0;
        }
        let mean = |pick: fn(&(f64, f64)) -> f64| fresh.iter().map(pick).sum::<f64>() / n;
        let (u, q) = (mean(|f| f.0), mean(|f| f.1));
        fresh.iter().map(|f| (f.0 - u) * (f.1 - q)).sum::<f64>() / (2.0 * d as f64 * (n - 1.0))
    }
}
