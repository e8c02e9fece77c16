//! The augmented Lagrangian: one number that orders points by value and constraints together, while its multipliers
//! and penalties adapt to what the latest points have shown.
//!
//! f + Σ (λc + ½ρc²) over equalities and over inequalities with ρc > −λ; the others contribute −λ²/2ρ, at which the sum
//! is smooth. All scales are those of the latest points: σ_L the deviation of the Lagrangian f + Σλc among them, σ_c
//! that of a constraint. A penalty is ρ = κσ_L/σ_c², so that it counts as much as the Lagrangian does: where the multipliers
//! are wrong, σ_L falls with σ_c and the penalty grows until it leads; where they are right, it stays. A multiplier moves
//! by σ_L/σ_c, which is its own error where that is what σ_L comes from, in proportion to the mean of the constraint over
//! the better half, in deviations, at most one.

use super::Constraints;
use crate::math::cost;

/// Points that multipliers are learned from, at least; the latest generation where that has more.
const RECENT: usize = 8;

/// Fewer say nothing of deviations.
const FEWEST: usize = 3;

/// Weight of a penalty at one deviation of its constraint, in deviations of the Lagrangian: κ.
const PENALTY: f64 = 2.0;

/// The share of σ_L/σ_c by which a multiplier moves at most.
const RATE: f64 = 0.4;

/// Multipliers, penalties, and the points that they are learned from.
#[derive(Clone, Debug, Default, PartialEq)]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize))]
pub(crate) struct Lagrangian {
    multipliers: Vec<f64>,
    penalties: Vec<f64>,
    /// The latest points, the oldest first: cost and constraint values of each.
    recent: Vec<f64>,
    /// The multipliers of the latest models of this search that were certain; empty before there were any.
    confirmed: Vec<f64>,
    /// The multipliers of the search that found the best point, where it has ended.
    best: Option<Vec<f64>>,
    #[cfg_attr(feature = "serde", serde(skip))]
    scratch: Scratch,
}

/// Room for one update; no part of the state.
#[derive(Clone, Debug, Default)]
struct Scratch {
    merits: Vec<f64>,
    order: Vec<usize>,
    deviations: Vec<f64>,
}

impl PartialEq for Scratch {
    fn eq(&self, _: &Self) -> bool {
        true
    }
}

impl Lagrangian {
    /// For rows of so many constraint values. What is known of the first of them stays.
    pub(crate) fn widen(&mut self, width: usize) {
        let old = self.width();
        self.multipliers.resize(width, 0.0);
        self.penalties.resize(width, 0.0);
        self.confirmed.clear();
        self.confirmed.reserve(width);
        if old != width {
            self.recent.clear();
        }
    }

    /// How many constraint values a row has; 0 where there are none.
    pub(crate) fn width(&self) -> usize {
        self.multipliers.len()
    }

    /// The multipliers of the search that found the best point.
    pub(crate) fn best_multipliers(&self) -> &[f64] {
        self.best.as_deref().unwrap_or(self.known())
    }

    /// Where models were certain theirs: what samples say of multipliers at the end of a search is rounding.
    fn known(&self) -> &[f64] {
        if self.confirmed.is_empty() { &self.multipliers } else { &self.confirmed }
    }

    /// The models that the multipliers come from are certain.
    pub(crate) fn confirm(&mut self) {
        self.confirmed.clear();
        self.confirmed.extend_from_slice(&self.multipliers);
    }

    /// The multipliers of the present search.
    pub(crate) fn multipliers(&self) -> &[f64] {
        &self.multipliers
    }

    /// Take the multipliers and penalties of models that predict.
    pub(crate) fn adopt(&mut self, multipliers: &[f64], penalties: &[f64]) {
        self.multipliers.copy_from_slice(multipliers);
        self.set_penalties(penalties);
    }

    pub(crate) fn set_penalties(&mut self, penalties: &[f64]) {
        self.penalties.copy_from_slice(penalties);
    }

    /// The penalties of the present search.
    pub(crate) fn penalties(&self) -> &[f64] {
        &self.penalties
    }

    /// Whether a value of a constraint is near enough to count: an inequality that is not contributes a constant.
    pub(crate) fn counts(&self, constraints: &Constraints, index: usize, value: f64) -> bool {
        use super::ConstraintKind::{Equality, Inequality};
        match constraints.kind(index) {
            Equality => true,
            Inequality => self.penalties[index] * value > -self.multipliers[index],
        }
    }

    /// Another search begins: it learns by itself. `found_best` where the one that ends has the best point.
    pub(crate) fn begin_search(&mut self, found_best: bool) {
        if found_best {
            self.best = Some(self.known().to_vec());
        }
        self.confirmed.clear();
        self.multipliers.fill(0.0);
        self.penalties.fill(0.0);
        self.recent.clear();
    }

    /// The present search has found the best point.
    pub(crate) fn holds_the_best(&mut self) {
        self.best = None;
    }

    /// What orders points for the search. Where the sum is not finite, as with a value of NaN, infeasible points come last, by violation.
    pub(crate) fn merit(&self, constraints: &Constraints, cost: f64, row: &[f64]) -> f64 {
        if row.iter().any(|c| c.is_nan()) {
            return f64::NAN;
        }
        let mut merit = cost;
        for (i, &c) in row.iter().enumerate() {
            let (multiplier, penalty) = (self.multipliers[i], self.penalties[i]);
            if self.counts(constraints, i, c) {
                merit += multiplier * c + 0.5 * penalty * c * c;
            } else if multiplier > 0.0 {
                merit -= 0.5 * multiplier * multiplier / penalty;
            }
        }
        match merit.is_finite() {
            true => cost::unconstrained(merit),
            false => constraints.order(cost, row),
        }
    }

    /// Take in the points of a generation, each its cost followed by its constraint values, and adapt.
    pub(crate) fn learn(&mut self, constraints: &Constraints, rows: &[f64]) {
        let width = self.width() + 1;
        let latest = (rows.len() / width).max(RECENT);
        self.recent.extend_from_slice(rows);
        let excess = (self.recent.len() / width).saturating_sub(latest);
        self.recent.drain(..excess * width);
        self.adapt(constraints);
    }

    /// Make room for generations of so many points, so that nothing is allocated later.
    pub(crate) fn reserve(&mut self, points: usize) {
        let (width, points) = (self.width(), 2 * points.max(RECENT));
        if width > 0 {
            self.recent.reserve((points * (width + 1)).saturating_sub(self.recent.len()));
            self.scratch.merits.reserve(points);
            self.scratch.order.reserve(points);
            self.scratch.deviations.reserve(width);
        }
    }

    fn adapt(&mut self, constraints: &Constraints) {
        let (width, mut scratch) = (self.width() + 1, std::mem::take(&mut self.scratch));
        let Scratch { merits, order, deviations } = &mut scratch;
        let rows = || self.recent.chunks_exact(width).filter(|row| row.iter().all(|v| v.is_finite()));
        let count = rows().count();
        let multipliers = &self.multipliers;
        let lagrangian = |row: &[f64]| row[0] + dot(multipliers, &row[1..]);
        let of_values = deviation(rows().map(|row| row[0]), count);
        let spread = deviation(rows().map(lagrangian), count);
        // Values that are all equal leave the order to the penalties, which have no scale to keep to but their own.
        let flat = spread == 0.0;
        let spread = if flat { 1.0 } else { spread };
        if count >= FEWEST && spread.is_finite() {
            deviations.clear();
            deviations.extend((1..width).map(|i| deviation(rows().map(|row| row[i]), count)));
            for (penalty, deviation) in self.penalties.iter_mut().zip(deviations.iter()) {
                let found = PENALTY * spread / (deviation * deviation);
                if found.is_finite() && !(flat && *penalty > 0.0) {
                    *penalty = found;
                }
            }
            merits.clear();
            merits.extend(rows().map(|row| self.merit(constraints, row[0], &row[1..])));
            order.clear();
            order.extend(0..count);
            order.sort_unstable_by(|&a, &b| cost::compare(merits[a], merits[b]).then(b.cmp(&a)));
            let better = count.div_ceil(2);
            // From here on a merit is the weight of its row.
            order.iter().enumerate().for_each(|(rank, &at)| merits[at] = f64::from(u8::from(rank < better)));
            // Each of several constraints is corrected for what all of them have left.
            let active =
                (0..width - 1).filter(|&i| rows().any(|row| self.counts(constraints, i, row[i + 1])));
            let share = RATE / (active.count().max(1) as f64).sqrt();
            for (i, &deviation) in deviations.iter().enumerate() {
                let weighted = rows().zip(merits.iter()).map(|(row, weight)| weight * row[i + 1]);
                let mean = weighted.sum::<f64>() / better as f64;
                let step = share * spread.min(of_values) / deviation * (mean / deviation).clamp(-1.0, 1.0);
                if step.is_finite() {
                    let least = constraints.kind(i).least_multiplier();
                    self.multipliers[i] = (self.multipliers[i] + step).max(least);
                }
            }
        }
        self.scratch = scratch;
    }

    /// Lengths agree: what a checkpoint must satisfy before it is used.
    #[cfg(feature = "serde")]
    pub(crate) fn is_consistent(&self, constraints: &Constraints) -> bool {
        let (width, m) = (self.width(), constraints.len());
        // A total violation is one more.
        (width == m || width == m + 1 && constraints.told() == 0)
            && self.penalties.len() == width
            && (self.confirmed.is_empty() || self.confirmed.len() == width)
            && self.recent.len().is_multiple_of(width + 1)
            && (width > 0 || self.recent.is_empty())
            && self.best.as_ref().is_none_or(|best| best.len() <= width)
    }
}

fn dot(a: &[f64], b: &[f64]) -> f64 {
    a.iter().zip(b).map(|(x, y)| x * y).sum()
}

/// The standard deviation of so many numbers.
fn deviation(values: impl Iterator<Item = f64> + Clone, count: usize) -> f64 {
    let n = count.max(1) as f64;
    let mean = values.clone().sum::<f64>() / n;
    (values.map(|v| (v - mean) * (v - mean)).sum::<f64>() / n).sqrt()
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::random::Generator;

    fn constraints(inequalities: &[&str], equalities: &[&str]) -> Constraints {
        let names = |list: &[&str]| list.iter().map(ToString::to_string).collect::<Vec<_>>();
        Constraints::new(&names(inequalities), &names(equalities), &[], None)
    }

    /// (x − 2)² + (y − 1)² + z² where x + y ≤ 1, x ≤ 5 and z = 3: the optimum is (1, 0, 3), with multipliers 2, 0, −6.
    fn program(x: &[f64]) -> [f64; 4] {
        let f = (x[0] - 2.0).powi(2) + (x[1] - 1.0).powi(2) + x[2] * x[2];
        [f, x[0] + x[1] - 1.0, x[0] - 5.0, x[2] - 3.0]
    }

    /// A plain evolution strategy whose deviation falls by 3 % in each of 500 generations of 12.
    fn follow(all: &Constraints, f: impl Fn(&[f64]) -> [f64; 4], seed: u64) -> (Lagrangian, [f64; 3]) {
        let mut generator = Generator::new(seed);
        let mut lagrangian = Lagrangian::default();
        lagrangian.widen(3);
        let (mut mean, mut sigma) = ([-3.0, 4.0, 0.0], 1.0);
        for _ in 0..500 {
            let mut normal = [0.0; 36];
            generator.fill_normal(&mut normal);
            let points: Vec<Vec<f64>> = normal
                .chunks_exact(3)
                .map(|s| mean.iter().zip(s).map(|(m, s)| m + sigma * s).collect())
                .collect();
            let rows: Vec<f64> = points.iter().flat_map(|x| f(x)).collect();
            lagrangian.learn(all, &rows);
            let mut order: Vec<usize> = (0..12).collect();
            let merit = |i: &usize| lagrangian.merit(all, rows[i * 4], &rows[i * 4 + 1..(i + 1) * 4]);
            order.sort_by(|a, b| merit(a).total_cmp(&merit(b)));
            mean = [0, 1, 2].map(|j| order[..6].iter().map(|&i| points[i][j]).sum::<f64>() / 6.0);
            sigma *= 0.97;
        }
        (lagrangian, mean)
    }

    #[test]
    fn multipliers_converge_to_those_of_a_quadratic_program() {
        let all = constraints(&["sum", "far"], &["plane"]);
        for seed in 0..10 {
            let (lagrangian, mean) = follow(&all, program, seed);
            let found = lagrangian.multipliers();
            // A hundredth: deviations end at 2e-7 of the start's.
            assert!(
                (found[0] - 2.0).abs() < 0.02 && found[1] == 0.0 && (found[2] + 6.0).abs() < 0.06,
                "{found:?}"
            );
            assert!((mean[0] - 1.0).abs() + mean[1].abs() + (mean[2] - 3.0).abs() < 1e-4, "{mean:?}");
        }
    }

    /// Units are nobody's business: value and constraints in others give the same points and multipliers in these.
    #[test]
    fn units_of_values_and_constraints_do_not_matter() {
        let all = constraints(&["sum", "far"], &["plane"]);
        let scaled = |x: &[f64]| {
            let [f, a, b, c] = program(x);
            [f * 1024.0, a / 4096.0, b * 64.0, c * 8.0] // powers of two: the same bits
        };
        let ((a, at_a), (b, at_b)) = (follow(&all, program, 3), follow(&all, scaled, 3));
        assert_eq!(at_a, at_b);
        assert_eq!(b.multipliers()[0], a.multipliers()[0] * 1024.0 * 4096.0);
        assert_eq!(b.multipliers()[2], a.multipliers()[2] * 128.0);
    }

    #[test]
    fn merits_are_smooth_where_an_inequality_begins_to_count() {
        let all = constraints(&["g"], &[]);
        let mut lagrangian = Lagrangian::default();
        lagrangian.widen(1);
        (lagrangian.multipliers[0], lagrangian.penalties[0]) = (3.0, 2.0);
        let merit = |c: f64| lagrangian.merit(&all, 10.0, &[c]);
        assert_eq!((merit(0.0), merit(2.0), merit(-9.0)), (10.0, 20.0, 10.0 - 9.0 / 4.0));
        // At c = −λ/ρ value and slope are those of the constant.
        assert!((merit(-1.5 + 1e-6) - merit(-1.5)).abs() < 1e-11);
        assert_eq!(merit(-1.5), merit(-1e6));
    }

    #[test]
    fn without_evidence_the_merit_is_the_cost_and_failures_come_last() {
        let all = constraints(&["g"], &[]);
        let mut lagrangian = Lagrangian::default();
        lagrangian.widen(1);
        assert_eq!(lagrangian.merit(&all, 1.5, &[7.0]), 1.5);
        assert!(lagrangian.merit(&all, 1.5, &[f64::NAN]).is_nan());
        assert!(lagrangian.merit(&all, f64::NAN, &[-1.0]).is_nan());
        // No value, and infeasible: by violation, after all that have a merit.
        let (near, far) =
            (lagrangian.merit(&all, f64::NAN, &[1.0]), lagrangian.merit(&all, f64::NAN, &[2.0]));
        assert!(near > 1e300 && far > near);
        lagrangian.learn(&all, &[1.0, 2.0, f64::NAN, 3.0, 4.0, f64::INFINITY]);
        assert_eq!(lagrangian.penalties, [0.0], "one usable point says nothing");
    }

    #[test]
    fn equal_values_leave_the_order_to_the_violation() {
        let all = constraints(&["g"], &[]);
        let mut lagrangian = Lagrangian::default();
        lagrangian.widen(1);
        (0..500).for_each(|_| lagrangian.learn(&all, &[5.0, 1.0, 5.0, 2.0, 5.0, 3.0, 5.0, 4.0]));
        assert_eq!(lagrangian.multipliers(), [0.0]);
        assert!(lagrangian.merit(&all, 5.0, &[1.0]) < lagrangian.merit(&all, 5.0, &[1.1]));
    }

    #[test]
    fn a_new_search_forgets_and_the_best_keeps_its_multipliers() {
        let all = constraints(&["sum", "far"], &["plane"]);
        let (mut lagrangian, _) = follow(&all, program, 0);
        let found = lagrangian.multipliers().to_vec();
        lagrangian.begin_search(true);
        assert_eq!((lagrangian.best_multipliers(), lagrangian.multipliers()), (&found[..], &[0.0; 3][..]));
        lagrangian.holds_the_best();
        assert_eq!(lagrangian.best_multipliers(), [0.0; 3]);
    }
}
