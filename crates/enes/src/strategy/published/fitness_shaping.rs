//! Fitness shaping: values -> ranks -> utilities (paper, section "Fitness Shaping").
//!
//! Smaller is better here; NaN ranks last, after
//! +infinity; equal values share the mean of their utilities, so that the order of rows is not news.

use crate::math::cost::{is_infeasible, violation};

/// How values become utilities.
#[derive(Clone, Debug, Default, PartialEq)]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize))]
#[non_exhaustive]
pub enum Shaping {
    /// The paper's: with relative rank i from 0 (worst) to 1 (best), 2i − 1 above ½, else 0.
    #[default]
    Paper,
    /// `max(0, ln(n/2 + 1) − ln r) / ln(n/2 + 1)` for rank r = 1 (best) to n: as in CMA-ES.
    Logarithmic,
    /// 2i − 1, from −1 (worst) to 1 (best).
    Linear,
    /// One utility per rank, the best first, none larger than its predecessor.
    Table(Vec<f64>),
    /// The value itself, its sign turned where smaller is better. Not invariant; the learning rate
    /// must suit the scale of f. NaN, +infinity and infeasible points count as the worst finite value,
    /// −infinity as the best; where no point is feasible, the violation counts.
    Raw,
}

/// Ranks a population; owns its scratch space.
#[derive(Clone, Debug)]
pub(crate) struct Ranking {
    /// Utilities by rank, the best first; empty for raw fitness.
    table: Vec<f64>,
    /// Costs and rows as one integer each, to sort.
    order: Vec<u128>,
    utilities: Vec<f64>,
}

/// An integer that orders as `compare` does: both zeros are equal, NaN comes last.
fn key(cost: f64) -> u64 {
    if cost.is_nan() {
        return u64::MAX;
    }
    let bits = (cost + 0.0).to_bits(); // −0 + 0 is 0
    // A negative number has all its bits turned, any other its sign alone.
    bits ^ ((bits as i64 >> 63) as u64 | 1 << 63)
}

impl Shaping {
    /// Utilities by rank, the best first; empty for raw fitness.
    fn fill(&self, table: &mut Vec<f64>, n: usize) {
        let relative = |r: usize| (n - 1 - r) as f64 / (n - 1) as f64;
        let half = (0.5 * n as f64 + 1.0).ln();
        table.clear();
        match self {
            Self::Paper => table.extend((0..n).map(|r| (2.0 * relative(r) - 1.0).max(0.0))),
            Self::Linear => table.extend((0..n).map(|r| 2.0 * relative(r) - 1.0)),
            Self::Logarithmic => {
                table.extend((0..n).map(|r| (1.0 - ((r + 1) as f64).ln() / half).max(0.0)));
            }
            Self::Table(given) => table.extend_from_slice(given),
            Self::Raw => {}
        }
    }
}

impl Ranking {
    pub(crate) fn new(shaping: &Shaping, n: usize) -> Self {
        let mut ranking = Self { table: Vec::new(), order: Vec::new(), utilities: Vec::new() };
        ranking.resize(shaping, n);
        ranking
    }

    /// Go on with populations of n.
    pub(crate) fn resize(&mut self, shaping: &Shaping, n: usize) {
        shaping.fill(&mut self.table, n);
        self.order.resize(n, 0);
        self.utilities.resize(n, 0.0);
    }

    /// The utilities of these costs (smaller is better). O(n log n).
    pub(crate) fn utilities(&mut self, costs: &[f64]) -> &[f64] {
        if self.table.is_empty() {
            self.raw(costs);
        } else {
            self.by_rank(costs);
        }
        &self.utilities
    }

    fn by_rank(&mut self, costs: &[f64]) {
        for (row, (entry, &cost)) in self.order.iter_mut().zip(costs).enumerate() {
            *entry = u128::from(key(cost)) << 64 | row as u128;
        }
        self.order.sort_unstable();
        let value = |entry: &u128| entry >> 64;
        let mut first = 0;
        while first < self.order.len() {
            let here = value(&self.order[first]);
            let ties = self.order[first..].iter().take_while(|entry| value(entry) == here).count();
            let shared = &self.table[first..first + ties];
            let utility = match ties {
                1 => shared[0],
                _ => shared.iter().sum::<f64>() / ties as f64,
            };
            for &entry in &self.order[first..first + ties] {
                self.utilities[entry as u64 as usize] = utility;
            }
            first += ties;
        }
    }

    fn raw(&mut self, costs: &[f64]) {
        // An infeasible point counts as the worst feasible one; where all are infeasible, by its violation.
        let feasible = costs.iter().any(|c| c.is_finite() && !is_infeasible(*c));
        let number = |c: f64| match is_infeasible(c) {
            true if feasible => f64::NAN,
            true => violation(c),
            false => c,
        };
        let finite = || costs.iter().map(|c| number(*c)).filter(|c| c.is_finite());
        let worst = finite().fold(f64::NEG_INFINITY, f64::max);
        let best = finite().fold(f64::INFINITY, f64::min);
        for (u, c) in self.utilities.iter_mut().zip(costs.iter().map(|c| number(*c))) {
            *u = -if c.is_nan() { worst } else { c.clamp(best.min(worst), worst.max(best)) };
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::math::cost::compare;
    use proptest::prelude::*;

    fn utilities(shaping: Shaping, costs: &[f64]) -> Vec<f64> {
        Ranking::new(&shaping, costs.len()).utilities(costs).to_vec()
    }

    #[test]
    fn the_papers_utilities_rise_above_the_median() {
        let u = utilities(Shaping::Paper, &[3.0, 1.0, 2.0, 5.0, 4.0]);
        assert_eq!(u, [0.0, 1.0, 0.5, 0.0, 0.0]);
    }

    #[test]
    fn equal_values_share_their_utilities() {
        assert_eq!(utilities(Shaping::Linear, &[1.0, 1.0, 2.0]), [0.5, 0.5, -1.0]);
        let flat = utilities(Shaping::Paper, &[7.0; 5]);
        assert!(flat.iter().all(|&u| u == flat[0]));
    }

    #[test]
    fn nan_ranks_after_infinity() {
        let u = utilities(Shaping::Linear, &[f64::NAN, f64::INFINITY, f64::NEG_INFINITY]);
        assert_eq!(u, [-1.0, 0.0, 1.0]);
    }

    #[test]
    fn logarithmic_utilities_fall_from_one_to_zero() {
        let u = utilities(Shaping::Logarithmic, &[1.0, 2.0, 3.0, 4.0, 5.0, 6.0]);
        assert_eq!(u[0], 1.0);
        assert!((u[1] - (1.0 - 2f64.ln() / 4f64.ln())).abs() < 1e-15);
        assert_eq!(&u[3..], [0.0; 3]);
    }

    #[test]
    fn a_table_is_used_as_it_is() {
        assert_eq!(utilities(Shaping::Table(vec![4.0, 1.0]), &[9.0, 8.0]), [1.0, 4.0]);
    }

    #[test]
    fn raw_fitness_bounds_what_is_not_finite() {
        let costs = [2.0, f64::NAN, f64::INFINITY, f64::NEG_INFINITY, -1.0];
        assert_eq!(utilities(Shaping::Raw, &costs), [-2.0, -2.0, -2.0, 1.0, 1.0]);
    }

    #[test]
    fn raw_fitness_of_infeasible_points_is_the_worst_or_their_violation() {
        let costs = [(2.0, 0.0), (9.0, 0.5), (-1.0, 0.0)].map(|(c, v)| crate::math::cost::encode(c, v));
        assert_eq!(utilities(Shaping::Raw, &costs), [-2.0, -2.0, 1.0]);
        let costs = [(2.0, 3.0), (9.0, 0.5)].map(|(c, v)| crate::math::cost::encode(c, v));
        assert_eq!(utilities(Shaping::Raw, &costs), [-3.0, -0.5]);
    }

    #[test]
    fn keys_order_as_costs_do() {
        let costs =
            [f64::NEG_INFINITY, -1e300, -1.0, -1e-310, -0.0, 0.0, 5e-324, 2.0, f64::INFINITY, f64::NAN];
        for a in costs {
            for b in costs {
                assert_eq!(key(a).cmp(&key(b)), compare(a, b), "{a} {b}");
            }
        }
        assert_eq!(key(-f64::NAN), key(f64::NAN));
    }

    proptest! {
        #[test]
        fn the_order_of_rows_does_not_matter(grades in prop::collection::vec(0u8..6, 2..30)) {
            let costs: Vec<f64> =
                grades.iter().map(|&g| if g == 5 { f64::NAN } else { f64::from(g) }).collect();
            let reversed: Vec<f64> = costs.iter().rev().copied().collect();
            for shaping in [Shaping::Paper, Shaping::Logarithmic, Shaping::Linear, Shaping::Raw] {
                let mut there = utilities(shaping.clone(), &costs);
                there.reverse();
                prop_assert_eq!(there, utilities(shaping, &reversed));
            }
        }
    }
}
