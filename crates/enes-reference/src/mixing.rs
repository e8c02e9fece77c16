//! Importance mixing by its two formulas (paper, section "Importance mixing").

use crate::Theta;
use crate::fisher::inverse_upper;

/// Where the random numbers come from.
pub trait RandomNumbers {
    /// The next draw from N(0, 1).
    fn normal(&mut self) -> f64;
    /// The next draw from the uniform law on [0, 1).
    fn uniform(&mut self) -> f64;
}

/// p(z|θ), as it stands: underflows at extreme scales and in high dimensions.
pub fn density(theta: &Theta, z: &[f64]) -> f64 {
    let d = theta.dimension();
    let a_inverse = inverse_upper(&theta.factor);
    let mut square = 0.0;
    for i in 0..d {
        let s_i: f64 = (0..d).map(|j| a_inverse[j][i] * (z[j] - theta.mean[j])).sum();
        square += s_i * s_i;
    }
    let det: f64 = (0..d).map(|k| theta.factor[k][k]).product();
    (-0.5 * square).exp() / (det.abs() * std::f64::consts::TAU.powf(0.5 * d as f64))
}

/// The new population and, for each of its points, the index of the old point it is, if it is one.
pub fn importance_mixing(
    old: &[Vec<f64>],
    before: &Theta,
    now: &Theta,
    refresh_rate: f64,
    random: &mut dyn RandomNumbers,
) -> Vec<(Vec<f64>, Option<usize>)> {
    let n = old.len();
    let mut population = Vec::new();
    for (i, z) in old.iter().enumerate() {
        let accept = ((1.0 - refresh_rate) * density(now, z) / density(before, z)).min(1.0);
        if random.uniform() < accept {
            population.push((z.clone(), Some(i)));
        }
    }
    while population.len() < n {
        let z = draw(now, random);
        let accept = (1.0 - density(before, &z) / density(now, &z)).max(refresh_rate);
        if random.uniform() < accept {
            population.push((z, None));
        }
    }
    population
}

/// z = x + Aᵀ s, s ~ N(0, I).
pub(crate) fn draw(theta: &Theta, random: &mut dyn RandomNumbers) -> Vec<f64> {
    let d = theta.dimension();
    let s: Vec<f64> = (0..d).map(|_| random.normal()).collect();
    (0..d).map(|j| theta.mean[j] + (0..=j).map(|k| theta.factor[k][j] * s[k]).sum::<f64>()).collect()
}
