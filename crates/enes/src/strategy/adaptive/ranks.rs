//! Ranks, and what is made of them: normal scores, weights, Spearman's correlation.
//!
//! Values enter the adaptive strategy through this file only, and nothing but their order leaves it.
//! Smaller is better; NaN ranks last; equal values share the mean of their ranks.

use multiversion::multiversion;

/// Up to this many values, each is compared with every other: that takes less than to sort them.
const COUNTED: usize = 128;

/// The ranks that a value takes up together with its equals, from 0 for the smallest value.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub(super) struct Rank {
    pub(super) first: u32,
    pub(super) last: u32,
}

impl Rank {
    /// Twice the mean rank: a whole number.
    fn doubled(self) -> usize {
        (self.first + self.last) as usize
    }
}

/// Ranks of up to a fixed number of values; owns its scratch space.
#[derive(Clone, Debug)]
pub(super) struct Ranks {
    counted: Vec<u64>,
    keys: Vec<(u64, u32)>,
    ranks: Vec<Rank>,
}

impl Ranks {
    pub(super) fn new(n: usize) -> Self {
        Self {
            counted: Vec::with_capacity(n.min(COUNTED)),
            keys: Vec::with_capacity(n),
            ranks: Vec::with_capacity(n),
        }
    }

    /// The rank of every value. O(n log n).
    pub(super) fn of(&mut self, values: &[f64]) -> &[Rank] {
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
pub(super) struct NormalScores {
    /// By twice the rank; ties make half ranks. Computed anew when n changes.
    table: Vec<f64>,
    scores: Vec<f64>,
}

impl NormalScores {
    pub(super) fn new(n: usize) -> Self {
        Self { table: Vec::with_capacity(2 * n), scores: Vec::with_capacity(n) }
    }

    /// Scores by ranks; all 0 where the ranks are all equal.
    pub(super) fn of(&mut self, ranks: &[Rank]) -> &[f64] {
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
pub(super) fn correlation(a: &[Rank], b: &[Rank]) -> f64 {
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

/// Φ⁻¹(p) for 0 < p < 1, to a few units in the last place (Wichura, AS 241, 1988).
pub(crate) fn normal_quantile(p: f64) -> f64 {
    let q = p - 0.5;
    if q.abs() <= 0.425 {
        return q * ratio(0.180625 - q * q, &CENTER);
    }
    let r = (-p.min(1.0 - p).ln()).sqrt();
    let tail = if r <= 5.0 { ratio(r - 1.6, &MIDDLE) } else { ratio(r - 5.0, &FAR) };
    tail.copysign(q)
}

/// Numerator over denominator, both polynomials of degree 7, the constant first.
fn ratio(x: f64, [numerator, denominator]: &[[f64; 8]; 2]) -> f64 {
    let value = |c: &[f64; 8]| c.iter().rev().fold(0.0, |sum, a| sum * x + a);
    value(numerator) / value(denominator)
}

const CENTER: [[f64; 8]; 2] = [
    [
        3.387_132_872_796_366_5,
        133.141_667_891_784_38,
        1_971.590_950_306_551_3,
        13_731.693_765_509_46,
        45_921.953_931_549_87,
        67_265.770_927_008_7,
        33_430.575_583_588_13,
        2_509.080_928_730_122_7,
    ],
    [
        1.0,
        42.313_330_701_600_91,
        687.187_007_492_057_9,
        5_394.196_021_424_751,
        21_213.794_301_586_597,
        39_307.895_800_092_71,
        28_729.085_735_721_943,
        5_226.495_278_852_854,
    ],
];
const MIDDLE: [[f64; 8]; 2] = [
    [
        1.423_437_110_749_683_5,
        4.630_337_846_156_546,
        5.769_497_221_460_691,
        3.647_848_324_763_204_5,
        1.270_458_252_452_368_4,
        0.241_780_725_177_450_6,
        0.022_723_844_989_269_184,
        7.745_450_142_783_414e-4,
    ],
    [
        1.0,
        2.053_191_626_637_759,
        1.676_384_830_183_803_8,
        0.689_767_334_985_1,
        0.148_103_976_427_480_08,
        0.015_198_666_563_616_457,
        5.475_938_084_995_345e-4,
        1.050_750_071_644_416_9e-9,
    ],
];
const FAR: [[f64; 8]; 2] = [
    [
        6.657_904_643_501_103,
        5.463_784_911_164_114,
        1.784_826_539_917_291_3,
        0.296_560_571_828_504_87,
        0.026_532_189_526_576_124,
        0.001_242_660_947_388_078_4,
        2.711_555_568_743_487_6e-5,
        2.010_334_399_292_288_1e-7,
    ],
    [
        1.0,
        0.599_832_206_555_888,
        0.136_929_880_922_735_8,
        0.014_875_361_290_850_615,
        7.868_691_311_456_133e-4,
        1.846_318_317_510_054_8e-5,
        1.421_511_758_316_446e-7,
        2.044_263_103_389_939_8e-15,
    ],
];

#[cfg(test)]
mod tests {
    use super::*;

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
    fn quantiles_are_those_of_the_normal_law() {
        // From an independent program (Python's statistics.NormalDist, and mpmath for the last two).
        let known = [
            (0.5, 0.0),
            (0.6, 0.2533471031357997),
            (0.975, 1.959963984540054),
            (0.999, 3.090232306167813),
            (1e-3, -3.090232306167813),
            (1e-8, -5.612001244174789),
            (1e-15, -7.941345326170997),
        ];
        for (p, x) in known {
            assert!((normal_quantile(p) - x).abs() < 1e-13 * (1.0 + x.abs()), "{p}: {}", normal_quantile(p));
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
