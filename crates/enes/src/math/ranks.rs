//! Ranks, and what is made of them: normal scores, weights, Spearman's correlation.
//!
//! Smaller is better; NaN ranks last; equal values share the mean of their ranks.

use multiversion::multiversion;

use super::quantile::normal_quantile;

/// Up to this many values, each is compared with every other: that takes less than to sort them.
const COUNTED: usize = 128;

/// The ranks that a value takes up together with its equals, from 0 for the smallest value.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub(crate) struct Rank {
    pub(crate) first: u32,
    pub(crate) last: u32,
}

impl Rank {
    /// Twice the mean rank: a whole number.
    fn doubled(self) -> usize {
        (self.first + self.last) as usize
    }
}

/// Ranks of up to a fixed number of values; owns its scratch space.
#[derive(Clone, Debug)]
pub(crate) struct Ranks {
    counted: Vec<u64>,
    keys: Vec<(u64, u32)>,
    ranks: Vec<Rank>,
}

impl Ranks {
    pub(crate) fn new(n: usize) -> Self {
        Self {
            counted: Vec::with_capacity(n.min(COUNTED)),
            keys: Vec::with_capacity(n),
            ranks: Vec::with_capacity(n),
        }
    }

    /// The rank of every value. O(n log n).
    pub(crate) fn of(&mut self, values: &[f64]) -> &[Rank] {
        match values.len() <= COUNTED {
            true => self.count(values),
            false => self.sort(values),
        }
        &self.ranks
    }

    fn count(&mut self, values: &[f64]) {
        self.counted.clear();
        self.counted.extend(values.iter().map(|v| order_key(*v)));
        self.ranks.clear();
        self.ranks.resize(values.len(), Rank::default());
        count_ranks(&self.counted, &mut self.ranks);
    }

    fn sort(&mut self, values: &[f64]) {
        self.keys.clear();
        self.keys.extend(values.iter().zip(0..).map(|(&v, i)| (order_key(v), i)));
        self.keys.sort_unstable();
        self.ranks.clear();
        self.ranks.resize(values.len(), Rank::default());
        let mut first = 0;
        while first < self.keys.len() {
            let key = self.keys[first].0;
            let ties = self.keys[first..].iter().take_while(|k| k.0 == key).count();
            let last = first + ties - 1;
            for &(_, i) in &self.keys[first..=last] {
                self.ranks[i as usize] = Rank { first: first as u32, last: last as u32 };
            }
            first = last + 1;
        }
    }
}

/// How many keys are smaller than each, and how many are not larger. O(n²).
#[multiversion(targets("x86_64+avx512f", "x86_64+avx2"))]
fn count_ranks(keys: &[u64], ranks: &mut [Rank]) {
    for (key, rank) in keys.iter().zip(ranks) {
        let (mut smaller, mut not_larger) = (0u64, 0u64);
        for other in keys {
            smaller += u64::from(other < key);
            not_larger += u64::from(other <= key);
        }
        *rank = Rank { first: smaller as u32, last: not_larger as u32 - 1 };
    }
}

/// Whole numbers in the order of the values: numbers by size, then NaN; −0 equals 0.
fn order_key(value: f64) -> u64 {
    if value.is_nan() {
        return u64::MAX;
    }
    let bits = (value + 0.0).to_bits();
    if bits >> 63 == 1 { !bits } else { bits | 1 << 63 }
}

/// Normal scores of ranks: Φ⁻¹(1 − (rank − ½)/n), the best rank 1, then of mean 0 and variance 1.
#[derive(Clone, Debug)]
pub(crate) struct NormalScores {
    /// By twice the rank; ties make half ranks. Computed anew when n changes.
    table: Vec<f64>,
    scores: Vec<f64>,
}

impl NormalScores {
    pub(crate) fn new(n: usize) -> Self {
        Self { table: Vec::with_capacity(2 * n), scores: Vec::with_capacity(n) }
    }

    /// Scores by ranks; all 0 where the ranks are all equal.
    pub(crate) fn of(&mut self, ranks: &[Rank]) -> &[f64] {
        self.tabulate(ranks.len());
        self.scores.clear();
        self.scores.extend(ranks.iter().map(|r| self.table[r.doubled()]));
        standardize(&mut self.scores);
        &self.scores
    }

    fn tabulate(&mut self, n: usize) {
        if self.table.len() == 2 * n - 1 {
            return;
        }
        let score = |r: usize| normal_quantile(1.0 - (0.5 * r as f64 + 0.5) / n as f64);
        self.table.clear();
        self.table.resize(2 * n - 1, 0.0);
        for r in 0..n - 1 {
            let u = score(r);
            self.table[r] = u;
            self.table[2 * n - 2 - r] = -u;
        }
    }
}

/// Mean 0 and variance 1; all 0 where the values are all equal.
fn standardize(values: &mut [f64]) {
    let n = values.len() as f64;
    if values.iter().all(|v| *v == values[0]) {
        values.fill(0.0);
        return;
    }
    let mean = values.iter().sum::<f64>() / n;
    values.iter_mut().for_each(|v| *v -= mean);
    let deviation = (values.iter().map(|v| v * v).sum::<f64>() / n).sqrt();
    values.iter_mut().for_each(|v| *v /= deviation);
}

/// The correlation of two sequences of ranks; 0 where either is constant.
pub(crate) fn correlation(a: &[Rank], b: &[Rank]) -> f64 {
    // Ranks with shared ties have the mean n − 1 when doubled.
    let center = (a.len() - 1) as f64;
    let mut sums = [0.0; 3];
    for (x, y) in a.iter().zip(b) {
        let (x, y) = (x.doubled() as f64 - center, y.doubled() as f64 - center);
        sums = [sums[0] + x * y, sums[1] + x * x, sums[2] + y * y];
    }
    let [xy, xx, yy] = sums;
    if xx > 0.0 && yy > 0.0 { xy / (xx * yy).sqrt() } else { 0.0 }
}

/// The correlation of one part of predictions with what their other part leaves unexplained of the ranks; large
/// predictions belong to small ranks. 0 where either is constant.
pub(crate) fn partial_correlation(part: &[f64], predictions: &[f64], ranks: &[Rank]) -> f64 {
    let n = ranks.len() as f64;
    let rows = || part.iter().zip(predictions).zip(ranks);
    let (q, l) = rows().fold((0.0, 0.0), |(q, l), ((part, all), _)| (q + part, l + (all - part)));
    let (middle, q_mean, l_mean) = (n - 1.0, q / n, l / n);
    let mut sums = [0.0; 6];
    for ((part, all), rank) in rows() {
        let (q, l, y) = (part - q_mean, all - part - l_mean, middle - rank.doubled() as f64);
        let products = [q * q, l * l, y * y, q * l, q * y, l * y];
        sums.iter_mut().zip(products).for_each(|(sum, product)| *sum += product);
    }
    let [qq, ll, yy, ql, qy, ly] = sums;
    // y − bl is what the other part leaves, b ≥ 0.
    let b = if ll > 0.0 { (ly / ll).max(0.0) } else { 0.0 };
    let (rest, left) = (qy - b * ql, yy - 2.0 * b * ly + b * b * ll);
    // What rounding leaves is nothing.
    if qq > 0.0 && left > 1e-12 * yy { rest / (qq * left).sqrt() } else { 0.0 }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_part_is_judged_by_what_the_other_leaves() {
        let mut ranks = Ranks::new(6);
        let values = [1.0, 2.0, 3.0, 4.0, 5.0, 6.0];
        let right: Vec<f64> = values.iter().map(|v| -v).collect();
        let nothing = [0.0; 6];
        let ranks = ranks.of(&values);
        assert!((partial_correlation(&right, &right, ranks) - 1.0).abs() < 1e-12);
        assert!((partial_correlation(&values, &values, ranks) + 1.0).abs() < 1e-12);
        assert_eq!(partial_correlation(&nothing, &right, ranks), 0.0);
        // The other part explains the odd rows, this one the even ones.
        let half: Vec<f64> =
            right.iter().enumerate().map(|(i, v)| if i % 2 == 0 { *v } else { 0.0 }).collect();
        assert!(partial_correlation(&half, &right, ranks) > 0.5);
    }

    #[test]
    fn ranks_share_ties_and_put_nan_last() {
        let mut ranks = Ranks::new(7);
        let values = [2.0, f64::NAN, -0.0, 0.0, f64::INFINITY, f64::NEG_INFINITY, f64::NAN];
        let doubled: Vec<usize> = ranks.of(&values).iter().map(|r| r.doubled()).collect();
        assert_eq!(doubled, [6, 11, 3, 3, 8, 0, 11]);
        assert_eq!(ranks.of(&values)[1], Rank { first: 5, last: 6 });
    }

    #[test]
    fn counted_ranks_are_those_of_sorted_values() {
        let mut generator = crate::random::Generator::new(9);
        for n in [1, 2, 7, 8, 63, COUNTED] {
            // Whole numbers from 0 to 19: many ties; and some that are no numbers.
            let value = |u: f64| if u < 0.05 { f64::NAN } else { (20.0 * u).floor() - 10.0 };
            let values: Vec<f64> = (0..n).map(|_| value(generator.uniform())).collect();
            let (mut counted, mut sorted) = (Ranks::new(n), Ranks::new(n));
            counted.count(&values);
            sorted.sort(&values);
            assert_eq!(counted.ranks, sorted.ranks);
        }
    }

    #[test]
    fn scores_have_mean_0_and_variance_1_and_the_best_value_the_largest() {
        let (mut ranks, mut scores) = (Ranks::new(6), NormalScores::new(6));
        for values in [&[3.0, 1.0, 2.0][..], &[1.0, 1.0, 5.0, 7.0, 7.0, 7.0], &[1.0, f64::NAN]] {
            let u = scores.of(ranks.of(values)).to_vec();
            let n = values.len() as f64;
            assert!(u.iter().sum::<f64>().abs() < 1e-14 * n);
            assert!((u.iter().map(|v| v * v).sum::<f64>() / n - 1.0).abs() < 1e-14);
            let best = u.iter().copied().fold(f64::MIN, f64::max);
            assert_eq!(u[values.iter().position(|v| *v == 1.0).unwrap()], best);
        }
        assert_eq!(scores.of(ranks.of(&[4.0; 5])), [0.0; 5]);
    }

    #[test]
    fn correlation_is_that_of_ranks() {
        let of = |a: &[f64], b: &[f64]| {
            let a = Ranks::new(9).of(a).to_vec();
            correlation(&a, Ranks::new(9).of(b))
        };
        assert_eq!(of(&[1.0, 2.0, 9.0], &[0.1, 7.0, 8.0]), 1.0);
        assert_eq!(of(&[1.0, 2.0, 9.0], &[3.0, 2.0, 1.0]), -1.0);
        assert_eq!(of(&[1.0, 1.0, 1.0], &[3.0, 2.0, 1.0]), 0.0);
        // 1 − 6 Σδ²/(n(n² − 1)) without ties.
        let r = of(&[1.0, 2.0, 3.0, 4.0, 5.0], &[2.0, 1.0, 4.0, 3.0, 5.0]);
        assert!((r - 0.8).abs() < 1e-15);
    }
}
