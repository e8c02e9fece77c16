//! The adaptive strategy once more, as a plain program. It shares no code with the library, and its random numbers are arguments.
//!
//! It knows two rules: the library's, and the one of the design document that it was made from. What they
//! have in common is held by the trajectories that came with that document.

use super::plain_math::{
    Matrix, identity, inner, orthogonal, pearson, quantile, ranks, solve, unexplained, upper_factor, weights,
    whiten,
};

/// The state of a run.
pub(super) struct Plain {
    pub(super) mean: Vec<f64>,
    pub(super) sigma: f64,
    /// A: upper triangular, det 1.
    pub(super) shape: Matrix,
    pub(super) path: Vec<f64>,
    pub(super) quality: f64,
    /// The same of the curvature's part of the predictions.
    curvature: f64,
    evidence: f64,
    drift: f64,
    models: f64,
    /// The rule of the design document.
    first_rule: bool,
    archive: Vec<(Vec<f64>, f64)>,
    previous: Option<Previous>,
    lambda: usize,
    first_sigma: f64,
    updates: i32,
    since_fit: usize,
}

/// A model and the distribution it was made for.
struct Previous {
    mean: Vec<f64>,
    sigma: f64,
    shape: Matrix,
    g: Vec<f64>,
    h: Matrix,
    /// h without its isotropic part.
    e: Matrix,
}

impl Plain {
    pub(super) fn new(mean: Vec<f64>, sigma: f64, lambda: usize) -> Self {
        let d = mean.len();
        Self {
            mean,
            sigma,
            shape: identity(d),
            path: vec![0.0; d],
            quality: 0.0,
            curvature: 0.0,
            evidence: 0.4,
            drift: 0.0,
            models: 0.0,
            first_rule: false,
            archive: Vec::new(),
            previous: None,
            lambda,
            first_sigma: sigma,
            updates: 0,
            since_fit: 0,
        }
    }

    /// A run by the first form of the update, that of the design document.
    pub(super) fn by_first_rule(mean: Vec<f64>, sigma: f64, lambda: usize) -> Self {
        Self { first_rule: true, ..Self::new(mean, sigma, lambda) }
    }

    fn archive_size(&self) -> usize {
        let d = self.mean.len();
        let full = match d {
            20..=40 => 4 * d - 8,
            81..=213 => 328,
            214.. => 3 * d / 2 + 8,
            _ => 4 * d + 8,
        };
        full.max(2 * self.lambda)
    }

    /// The rate at which quality is forgotten.
    fn rate(&self) -> f64 {
        self.lambda as f64 / (3.0 * self.archive_size() as f64)
    }

    /// κ, from 0 at the default population to 1.
    fn kappa(&self) -> f64 {
        let d = self.mean.len();
        let small = 4 + (1.5 * (d as f64).ln()).floor() as usize;
        let few = small.max(d.saturating_sub(7).min(13)).max((4 * d / 5).saturating_sub(14));
        let usual = if d > 40 { 4 + (3.0 * (d as f64).ln()).floor() as usize } else { few };
        let kappa = (weights(self.lambda).1 - weights(usual).1).max(0.0) / (0.7 * d as f64);
        if self.first_rule { 0.0 } else { kappa.powi(2).min(1.0) }
    }

    /// From 0 in 40 dimensions to 1 in 60.
    fn many(&self) -> f64 {
        ((self.mean.len() as f64 - 40.0) / 20.0).clamp(0.0, 1.0)
    }

    /// How young the search is, from 1 to 0.
    fn youth(&self) -> f64 {
        let evaluations = f64::from(self.updates) * self.lambda as f64;
        (2.0 - evaluations / (20.0 * self.mean.len() as f64)).clamp(0.0, 1.0)
    }

    /// What full trust takes off the damping of the step.
    fn eased(&self) -> f64 {
        let off = if self.mean.len() > 40 { self.many().max(0.5) } else { 0.0 };
        0.7 * (1.0 - off * (1.0 - self.youth()) * (1.0 - self.kappa()))
    }

    fn path_rate(&self) -> f64 {
        let (mu, size) = (weights(self.lambda).1, self.mean.len() as f64);
        let haste = if 0.03 * size < 1.0 { 1.0 } else { (0.03 * size).min(2.5) };
        let few = ((mu + 2.0) / (size + mu + 5.0) * haste).min(0.9);
        let many = few.max(1.0 / (1.0 + (size / mu).sqrt()));
        few * (1.0 - self.many()) + many * self.many()
    }

    /// γ and γ_σ.
    fn gates(&self) -> (f64, f64) {
        let c = 0.3 * self.rate();
        let (l, size) = (self.lambda as f64, self.mean.len() as f64);
        let noise = (c / ((2.0 - c) * (l - 1.0))).sqrt();
        let phi = (1.0 - self.path_rate()).powi(2);
        let walk = (c / (2.0 - c) / (2.0 * size) * (1.0 + phi) / (1.0 - phi)).sqrt();
        let gate = (self.evidence / noise - 3.5).clamp(0.0, 1.0);
        if self.first_rule {
            (1.0, 1.0)
        } else {
            (gate, gate.max((-self.drift / walk - 3.5).clamp(0.0, 1.0)))
        }
    }

    pub(super) fn trust(&self) -> f64 {
        self.trusts().0
    }
    /// Trust for the step, the mean and the shape.
    fn trusts(&self) -> (f64, f64, f64) {
        let kappa = self.kappa();
        let gain = if self.first_rule { 2.5 } else { 1.95 - 0.45 * kappa };
        let open = 1.0 - (1.0 - self.gates().0) * (1.0 - kappa);
        let (u, v) = ((gain * self.quality).clamp(0.0, 1.0), (gain * self.curvature).clamp(0.0, 1.0));
        if self.first_rule {
            return (open * u * u, open * u * u, open * u * u);
        }
        let more = 1.0 - kappa;
        let shape = u.powf(2.0 + 10.0 * more).max(more * v * v);
        (open * u * u, open * u.powf(2.0 + 2.0 * more * (1.0 - self.many() * self.youth())), open * shape)
    }

    /// What a model that predicted with the correlation r leaves behind.
    fn judge(&mut self, r: f64, by_curvature: f64) {
        if self.first_rule {
            self.quality = (1.0 - self.rate()) * self.quality + self.rate() * r;
            return;
        }
        self.models += 1.0;
        self.quality += self.rate().max(1.0 / (self.models + 1.0)) * (r - self.quality);
        self.curvature += self.rate().max(1.0 / (self.models + 1.0)) * (by_curvature - self.curvature);
        self.evidence += 0.3 * self.rate() * (r - self.evidence);
        let length = self.path.iter().map(|p| p * p).sum::<f64>() / self.path.len() as f64;
        self.drift += 0.3 * self.rate() * ((length - 1.0) / 2.0 - self.drift);
    }

    /// One generation with these Gaussian vectors.
    pub(super) fn generation(&mut self, normals: &Matrix, f: impl Fn(&[f64]) -> f64) {
        let d = self.mean.len();
        let size = d as f64;
        let s = orthogonal(normals, d);
        let y: Matrix = s.iter().map(|s| self.point(s)).collect();
        let values: Vec<f64> = y.iter().map(|y| f(y)).collect();
        for (y, &v) in y.iter().zip(&values) {
            self.archive.push((y.clone(), v));
        }
        let surplus = self.archive.len().saturating_sub(self.archive_size());
        self.archive.drain(..surplus);

        let ranks = ranks(&values);
        let finite = values.iter().any(|v| v.is_finite());
        let begun = self.archive.len() > self.lambda;
        if !finite || ranks.iter().all(|r| *r == ranks[0]) {
            if begun {
                self.judge(0.0, 0.0);
            }
            if values.iter().all(|v| v.is_finite()) {
                self.sigma *= 2.0; // narrower than a plateau
            }
            return;
        }
        let (r, by_curvature) = self.previous.as_ref().map_or((0.0, 0.0), |p| {
            let predicted: Vec<f64> = y.iter().map(|y| -p.predict(y)).collect();
            let bent: Vec<f64> = y.iter().map(|y| -p.bend(y)).collect();
            (pearson(&self::ranks(&predicted), &ranks), unexplained(&bent, &predicted, &ranks))
        });
        if begun {
            self.judge(r, by_curvature);
        }
        self.updates += 1;
        let (a, a_mean, a_shape) = self.trusts();

        let (w, mu) = weights(self.lambda);
        let mut z = vec![0.0; d];
        let mut squares = vec![vec![0.0; d]; d];
        for (s, rank) in s.iter().zip(&ranks) {
            let ties = ranks.iter().filter(|r| *r == rank).count();
            let first = (rank - (ties as f64 - 1.0) / 2.0) as usize - 1;
            let weight = w[first..first + ties].iter().sum::<f64>() / ties as f64;
            for k in 0..d {
                z[k] += weight * s[k];
                (0..d).for_each(|j| squares[k][j] += weight * s[k] * s[j]);
            }
        }

        let points = size.min(self.archive.len() as f64);
        let every = (0.25 * points / self.lambda as f64).round().max(1.0) as usize;
        let full = self.kappa() == 0.0 && d > 40;
        let stands_for = self.since_fit as f64 + 1.0;
        self.since_fit += 1;
        if full && self.since_fit < every {
            return self.go_on(&z, a, a_mean);
        }
        self.since_fit = 0;
        let (g, e, b) = self.regression();
        let mut h = e.clone();
        (0..d).for_each(|k| h[k][k] += b);
        let before = Previous {
            mean: self.mean.clone(),
            sigma: self.sigma,
            shape: self.shape.clone(),
            g: g.clone(),
            h,
            e: e.clone(),
        };
        self.previous = Some(before);

        let kappa = self.kappa();
        let part = self.part(a_mean);
        let along = |k: usize| a_mean * size.sqrt() * g[k] + part * (1.0 - a_mean) * z[k];
        let shift: Vec<f64> = (0..d).map(along).collect();
        self.mean = self.point(&shift);
        let c = self.path_rate();
        for k in 0..d {
            self.path[k] = (1.0 - c) * self.path[k] + (c * (2.0 - c) * mu).sqrt() * z[k];
        }
        let rank_mu = (2.0 * (mu - 1.75 + 1.0 / mu) / ((size + 2.0).powi(2) + mu)).clamp(0.0, 1.0);
        let floor = !self.first_rule && self.archive.len() >= (3 * d).min(self.archive_size());
        let phi: f64 = if floor { 1.0 } else { 0.0 };
        let fresh = (1.0 - a_shape) * rank_mu * phi.max(kappa) * stands_for;
        let rank_one = 2.0 / ((size + 1.3).powi(2) + mu);
        let straight = phi * (1.0 - a_shape) * (1.0 - kappa) * rank_one * stands_for;
        let all = |i: usize, j: usize| {
            let path = straight * self.path[i] * self.path[j];
            a_shape * size.sqrt() * e[i][j] + fresh * squares[i][j] + path
        };
        let moved: Matrix = (0..d).map(|i| (0..d).map(|j| all(i, j)).collect()).collect();
        self.reshape(&moved);
        let excess = (((mu - 1.0) / (size + 1.0)).sqrt() - 1.0).max(0.0);
        let heavy = if self.first_rule { 2.0 } else { 3.0 };
        let damping = (1.0 - self.eased() * a) * (1.0 + c) + heavy * (1.0 - a) * excess;
        let square: f64 = self.path.iter().map(|p| p * p).sum();
        let (gate, step_gate) = self.gates();
        let open = 1.0 - (1.0 - step_gate) * (1.0 - kappa);
        let k = (kappa * rank_mu * (1.0 - a / 2.0)).min(0.95);
        let one = |i: usize, j: usize| if i == j { 1.0 - k } else { 0.0 };
        let factor = upper_factor(d, |i, j| one(i, j) + k * squares[i][j]).unwrap_or_else(|| identity(d));
        let scale = (0..d).map(|i| factor[i][i].ln()).sum::<f64>() / size;
        let log_step = open * c / damping * (square / (size * self.started()) - 1.0) / 2.0 + scale
            - 0.05 * kappa * (1.0 - gate);
        self.sigma *= log_step.min(1.0).exp();
    }

    /// c_m, after this many updates.
    fn part(&self, a_mean: f64) -> f64 {
        let size = self.mean.len() as f64;
        if self.first_rule {
            return 0.5;
        }
        let usual = 0.5 + 1.5 / size.max(10.0);
        let evaluations = f64::from(self.updates) * self.lambda as f64;
        let early = (2.0 - evaluations / (10.0 * size)).clamp(0.0, 1.0);
        let wide = (1.5 + (self.sigma / self.first_sigma).log2()).clamp(0.0, 1.0);
        let w = if size > 40.0 { early * wide } else { 0.0 };
        let (first, most) = (usual + (1.5 - usual) * w, 1.0 + 0.5 * w);
        self.kappa().max((first + a_mean).min(most))
    }

    /// |p|²/d without selection.
    fn started(&self) -> f64 {
        let t = 2 * self.updates;
        if self.mean.len() > 40 { 1.0 - (1.0 - self.path_rate()).powi(t) } else { 1.0 }
    }

    /// A generation without a fit: the gradient of the last model at the present mean, in present coordinates.
    fn go_on(&mut self, z: &[f64], a: f64, a_mean: f64) {
        let (d, size) = (self.mean.len(), self.mean.len() as f64);
        let old = self.previous.as_ref().unwrap();
        let there = whiten(&self.mean, &old.mean, old.sigma, &old.shape);
        let gradient: Vec<f64> = (0..d).map(|k| old.g[k] + inner(&old.h[k], &there)).collect();
        let here: Vec<f64> = (0..d)
            .map(|k| {
                let axis: Vec<f64> = (0..d).map(|j| f64::from(u8::from(j == k))).collect();
                inner(&whiten(&self.point(&axis), &self.mean, old.sigma, &old.shape), &gradient)
            })
            .collect();
        let part = self.part(a_mean);
        let shift: Vec<f64> =
            (0..d).map(|k| a_mean * size.sqrt() * here[k] + part * (1.0 - a_mean) * z[k]).collect();
        self.mean = self.point(&shift);
        let (c, mu) = (self.path_rate(), weights(self.lambda).1);
        for k in 0..d {
            self.path[k] = (1.0 - c) * self.path[k] + (c * (2.0 - c) * mu).sqrt() * z[k];
        }
        let excess = (((mu - 1.0) / (size + 1.0)).sqrt() - 1.0).max(0.0);
        let damping = (1.0 - self.eased() * a) * (1.0 + c) + 3.0 * (1.0 - a) * excess;
        let square: f64 = self.path.iter().map(|p| p * p).sum();
        let by_path = c / damping * (square / (size * self.started()) - 1.0) / 2.0;
        self.sigma *= (self.gates().1 * by_path).min(1.0).exp();
    }

    /// m + σAᵀs.
    fn point(&self, s: &[f64]) -> Vec<f64> {
        let d = s.len();
        let along = |k: usize| (0..=k).map(|j| self.shape[j][k] * s[j]).sum::<f64>();
        (0..d).map(|k| self.mean[k] + self.sigma * along(k)).collect()
    }

    /// g, E and the isotropic part.
    fn regression(&self) -> (Vec<f64>, Matrix, f64) {
        let d = self.mean.len();
        let (n, size) = (self.archive.len(), d as f64);
        let s: Matrix =
            self.archive.iter().map(|(y, _)| whiten(y, &self.mean, self.sigma, &self.shape)).collect();
        let values: Vec<f64> = self.archive.iter().map(|a| a.1).collect();
        let ranks = ranks(&values);
        let mut u: Vec<f64> = ranks.iter().map(|r| quantile(1.0 - (r - 0.5) / n as f64)).collect();
        let mean = u.iter().sum::<f64>() / n as f64;
        let variance = u.iter().map(|v| (v - mean).powi(2)).sum::<f64>() / n as f64;
        let constant = ranks.iter().all(|r| *r == ranks[0]);
        u.iter_mut().for_each(|v| *v = if constant { 0.0 } else { (*v - mean) / variance.sqrt() });
        let q: Vec<f64> = s.iter().map(|s| inner(s, s)).collect();
        let mut k: Matrix = vec![vec![0.0; n]; n];
        for i in 0..n {
            for j in 0..n {
                let x = inner(&s[i], &s[j]);
                // Beyond 40 dimensions the squares of different points are unrelated.
                let own = if i == j { (0.25 + (n as f64 / (size * size)).powi(2)).sqrt() } else { 0.0 };
                k[i][j] = 1.0 + x / size + if d > 40 { own } else { 0.5 } * (x / size).powi(2);
                k[i][j] += (q[i] - size) * (q[j] - size) / (2.0 * size);
            }
            let ridge = if self.first_rule { 0.2 } else { 0.15 };
            k[i][i] += ridge * (q[i] / size).max(1.0).powi(2);
        }
        let alpha = solve(k, u);
        let sum = |f: &dyn Fn(usize) -> f64| (0..n).map(|j| alpha[j] * f(j)).sum::<f64>();
        let g = (0..d).map(|i| sum(&|j| s[j][i]) / size).collect();
        let e = (0..d).map(|i| (0..d).map(|l| sum(&|j| s[j][i] * s[j][l]) / (size * size)).collect());
        (g, e.collect(), sum(&|j| q[j] - size) / size)
    }

    /// A ← UA with UᵀU = I + t(Y − (tr Y/d)I).
    fn reshape(&mut self, y: &Matrix) {
        let d = self.mean.len();
        let size = d as f64;
        let mean = (0..d).map(|k| y[k][k]).sum::<f64>() / size;
        let mut t = 1.0;
        for _ in 0..20 {
            let entry = |i: usize, j: usize| {
                let one = if i == j { 1.0 } else { 0.0 };
                one + t * (y[i][j] - one * mean)
            };
            if let Some(u) = upper_factor(d, entry).filter(|u| (0..d).all(|k| u[k][k] > 0.3)) {
                let det: f64 = (0..d).map(|k| u[k][k].ln()).sum::<f64>() / size;
                let product = |i: usize, j: usize| (0..d).map(|k| u[i][k] * self.shape[k][j]).sum::<f64>();
                self.shape = (0..d).map(|i| (0..d).map(|j| product(i, j) * (-det).exp()).collect()).collect();
                return;
            }
            t *= 0.5;
        }
    }
}

impl Previous {
    fn predict(&self, y: &[f64]) -> f64 {
        let t = whiten(y, &self.mean, self.sigma, &self.shape);
        let bent: Vec<f64> = self.h.iter().map(|row| inner(row, &t)).collect();
        inner(&self.g, &t) + 0.5 * inner(&t, &bent)
    }

    /// The part of a prediction that is the curvature's.
    fn bend(&self, y: &[f64]) -> f64 {
        let t = whiten(y, &self.mean, self.sigma, &self.shape);
        let bent: Vec<f64> = self.e.iter().map(|row| inner(row, &t)).collect();
        0.5 * inner(&t, &bent)
    }
}
