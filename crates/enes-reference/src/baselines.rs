//! The natural gradient with its baselines (paper, section "Optimal Fitness Baselines").

use crate::fisher::{fisher_inverses_iterative, inverse_upper, precision, score};
use crate::{Matrix, Theta};

/// The paper's three baselines, and none.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Baseline {
    /// b = 0.
    None,
    /// One b for all parameters.
    Uniform,
    /// One b_j for each parameter.
    Specific,
    /// One b^k for each group θ^k.
    Block,
}

/// δθ / η = F⁻ (1/n) Σ (f(z_i) − b) g(z_i), as δx and δA. Utilities: larger is better.
pub fn natural_gradient(
    theta: &Theta,
    points: &[Vec<f64>],
    utilities: &[f64],
    baseline: Baseline,
) -> (Vec<f64>, Matrix) {
    let d = theta.dimension();
    let n = points.len() as f64;
    let c_inverse = precision(&inverse_upper(&theta.factor));
    let f_inverses = fisher_inverses_iterative(&theta.factor, &c_inverse);
    // q[i][k] = F_k⁻ g^k(z_i)
    let q: Vec<Matrix> = points
        .iter()
        .map(|z| {
            let g = score(theta, z);
            (0..=d).map(|k| times(&f_inverses[k], &g[k])).collect()
        })
        .collect();

    let all = ratio(&q, utilities, |q_i| q_i.iter().map(|block| square(block)).sum());
    let mut delta: Matrix = Vec::new();
    for k in 0..=d {
        let length = q[0][k].len();
        let block = ratio(&q, utilities, |q_i| square(&q_i[k]));
        let mut entries = vec![0.0; length];
        for (j, entry) in entries.iter_mut().enumerate() {
            let b = match baseline {
                Baseline::None => 0.0,
                Baseline::Uniform => all,
                Baseline::Block => block,
                Baseline::Specific => ratio(&q, utilities, |q_i| q_i[k][j] * q_i[k][j]),
            };
            for (q_i, f_i) in q.iter().zip(utilities) {
                *entry += (f_i - b) * q_i[k][j];
            }
            *entry /= n;
        }
        delta.push(entries);
    }
    let mean = delta.remove(0);
    let factor = delta.into_iter().enumerate().map(|(k, entries)| [vec![0.0; k], entries].concat()).collect();
    (mean, factor)
}

/// Σ f_i w(q_i) / Σ w(q_i); 0 where all weights vanish.
fn ratio(q: &[Matrix], utilities: &[f64], weight: impl Fn(&Matrix) -> f64) -> f64 {
    let (mut numerator, mut denominator) = (0.0, 0.0);
    for (q_i, f_i) in q.iter().zip(utilities) {
        numerator += f_i * weight(q_i);
        denominator += weight(q_i);
    }
    if denominator == 0.0 { 0.0 } else { numerator / denominator }
}

fn square(v: &[f64]) -> f64 {
    v.iter().map(|x| x * x).sum()
}

fn times(matrix: &Matrix, v: &[f64]) -> Vec<f64> {
    matrix.iter().map(|row| row.iter().zip(v).map(|(a, b)| a * b).sum()).collect()
}
