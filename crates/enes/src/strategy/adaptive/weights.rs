//! Weights of samples by the ranks of their values, as CMA-ES has them: w_i ∝ ln((λ + 1)/2) − ln i for ranks i = 1 … λ.

use crate::math::ranks::Rank;

/// Weights by rank, the best first.
#[derive(Clone, Debug)]
pub(super) struct Weights {
    each: Vec<f64>,
    /// Sums of the first 0, 1, … of them.
    cumulated: Vec<f64>,
}

impl Weights {
    /// Of recombination: the better half alone, their sum is 1.
    pub(super) fn recombination(lambda: usize) -> Self {
        Self::signed(lambda, 0.0)
    }

    /// Of squares: the same, and the worse half has negative ones, whose sum is −`below`.
    pub(super) fn signed(lambda: usize, below: f64) -> Self {
        let raw = raw(lambda);
        let [better, worse] = [1.0, -1.0].map(|sign| raw.iter().map(|w| (sign * w).max(0.0)).sum::<f64>());
        let part = |w: f64| {
            if w > 0.0 {
                w / better
            } else if below > 0.0 && worse > 0.0 {
                below * w / worse
            } else {
                0.0
            }
        };
        let each: Vec<f64> = raw.into_iter().map(part).collect();
        let mut cumulated = vec![0.0];
        cumulated.extend(each.iter().scan(0.0, |sum, w| {
            *sum += w;
            Some(*sum)
        }));
        Self { each, cumulated }
    }

    /// λ.
    pub(super) fn len(&self) -> usize {
        self.each.len()
    }

    /// µ = 1/Σw², of samples that count alike.
    pub(super) fn effective(&self) -> f64 {
        1.0 / self.each.iter().map(|w| w * w).sum::<f64>()
    }

    /// The mean weight of the ranks that a value takes up with its equals.
    pub(super) fn of(&self, Rank { first, last }: Rank) -> f64 {
        let (first, last) = (first as usize, last as usize);
        match last - first {
            0 => self.each[first],
            more => (self.cumulated[last + 1] - self.cumulated[first]) / (more + 1) as f64,
        }
    }
}

fn raw(lambda: usize) -> Vec<f64> {
    let middle = (0.5 * (lambda as f64 + 1.0)).ln();
    (1..=lambda).map(|i| middle - (i as f64).ln()).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    fn alone(rank: u32) -> Rank {
        Rank { first: rank, last: rank }
    }

    #[test]
    fn the_better_half_has_all_of_recombination_and_the_worse_half_what_it_is_given() {
        for lambda in [3, 4, 7, 50] {
            let of = |weights: &Weights| (0..lambda).map(|i| weights.of(alone(i))).collect::<Vec<f64>>();
            let (plain, signed) =
                (Weights::recombination(lambda as usize), Weights::signed(lambda as usize, 1.5));
            let (plain, signed) = (of(&plain), of(&signed));
            // 1e-12: the rounding of fifty sums.
            let below: f64 = signed.iter().filter(|w| **w < 0.0).sum();
            assert!((plain.iter().sum::<f64>() - 1.0).abs() < 1e-12 && (below + 1.5).abs() < 1e-12);
            assert!(signed.is_sorted_by(|a, b| a > b), "{signed:?}");
            let half = lambda as usize / 2;
            assert!(plain[..half] == signed[..half] && plain[half + 1..].iter().all(|w| *w == 0.0));
        }
    }

    #[test]
    fn equal_values_share_what_their_ranks_have() {
        let weights = Weights::signed(6, 1.0);
        let shared = weights.of(Rank { first: 1, last: 4 });
        let sum: f64 = (1..5).map(|i| weights.of(alone(i))).sum();
        assert!((shared - sum / 4.0).abs() < 1e-15);
    }
}
