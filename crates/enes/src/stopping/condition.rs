//! The condition number of the covariance, followed at O(d²) a generation.

use crate::linalg::squared_norm;
use crate::search::SearchDistribution;

/// One step of power iteration per generation for the longest and the shortest axis of C, in units
/// of the initial standard deviations. The distribution moves slowly, so the estimates keep up; they
/// never exceed the true condition number.
#[derive(Clone, Debug, PartialEq)]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize))]
pub(crate) struct Condition {
    units: Vec<f64>,
    longest: Vec<f64>,
    shortest: Vec<f64>,
    #[cfg_attr(feature = "serde", serde(skip))]
    scratch: Vec<f64>,
    /// Units of the present generation.
    #[cfg_attr(feature = "serde", serde(skip))]
    present: Vec<f64>,
}

impl Condition {
    /// `units` are the initial standard deviations.
    pub(crate) fn new(units: Vec<f64>) -> Self {
        let d = units.len();
        // Any start that no symmetry of the problem makes orthogonal to an axis.
        let mut start: Vec<f64> = (0..d).map(|k| 1.0 + 0.1 * (k as f64).sin()).collect();
        normalize(&mut start);
        Self { units, longest: start.clone(), shortest: start, scratch: vec![0.0; d], present: vec![0.0; d] }
    }

    pub(crate) fn units(&self) -> &[f64] {
        &self.units
    }

    /// An estimate from below of the condition number of D⁻¹CD⁻¹, D the initial deviations. Integer coordinates,
    /// which keep their deviation while the others converge, are measured in that of these: a search that
    /// knows its integers is not ill-conditioned.
    pub(crate) fn estimate(&mut self, p: &SearchDistribution, deviations: &[f64], integers: &[bool]) -> f64 {
        let d = self.units.len();
        self.scratch.resize(d, 0.0); // not part of a checkpoint
        self.present.clone_from(&self.units);
        let integer = |i: usize| integers.get(i).copied().unwrap_or(false);
        let narrowed = || (0..d).filter(|&i| !integer(i)).map(|i| (deviations[i] / self.units[i]).ln());
        let count = narrowed().count();
        if count > 0 && count < d {
            let typical = (narrowed().sum::<f64>() / count as f64).exp();
            for i in (0..d).filter(|&i| integer(i)) {
                self.present[i] = deviations[i] / typical;
            }
        }
        let Self { present: units, longest, shortest, scratch, .. } = self;

        // v ← D⁻¹AᵀA D⁻¹ v
        longest.iter_mut().zip(&*units).for_each(|(v, u)| *v /= u);
        p.times(longest, scratch);
        let largest = squared_norm(scratch);
        p.transpose_times(scratch, longest);
        longest.iter_mut().zip(&*units).for_each(|(v, u)| *v /= u);

        // w ← D A⁻¹A⁻ᵀ D w
        shortest.iter_mut().zip(&*units).for_each(|(v, u)| *v *= u);
        p.solve_transpose(shortest);
        let smallest = 1.0 / squared_norm(shortest);
        p.solve(shortest);
        shortest.iter_mut().zip(&*units).for_each(|(v, u)| *v *= u);

        normalize(longest);
        normalize(shortest);
        largest / smallest
    }

    #[cfg(feature = "serde")]
    pub(crate) fn is_consistent(&self, d: usize) -> bool {
        [&self.units, &self.longest, &self.shortest].iter().all(|v| v.len() == d)
    }
}

fn normalize(v: &mut [f64]) {
    let norm = squared_norm(v).sqrt();
    if norm.is_finite() && norm > 0.0 {
        v.iter_mut().for_each(|x| *x /= norm);
    } else {
        let even = 1.0 / (v.len() as f64).sqrt();
        v.fill(even);
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_estimate_rises_to_the_true_condition() {
        // C = AᵀA with singular values of A from the axis lengths.
        let factor = vec![1.0, 0.7, -0.2, 0.0, 0.1, 0.05, 0.0, 0.0, 1e-3];
        let axes = crate::linalg::singular_values(&factor, 3).unwrap();
        let p = SearchDistribution::new(vec![0.0; 3], factor).unwrap();
        let truth = (axes[0] / axes[2]).powi(2);
        let mut condition = Condition::new(vec![1.0; 3]);
        let estimates: Vec<f64> = (0..30).map(|_| condition.estimate(&p, &[1.0; 3], &[])).collect();
        assert!(estimates.iter().all(|&c| c <= truth * (1.0 + 1e-9)));
        assert!((estimates[29] / truth - 1.0).abs() < 1e-9, "{} {truth}", estimates[29]);
    }

    #[test]
    fn units_are_not_ill_conditioning() {
        let mut condition = Condition::new(vec![1e-6, 1e6]);
        let p = SearchDistribution::new(vec![0.0; 2], vec![1e-6, 0.0, 0.0, 1e6]).unwrap();
        let mut last = 0.0;
        for _ in 0..20 {
            last = condition.estimate(&p, &[1e-6, 1e6], &[]);
        }
        assert!((last - 1.0).abs() < 1e-9, "{last}");
    }
}
