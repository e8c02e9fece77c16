//! The thirteen functions of the paper in their own coordinates, optimum in place.

use std::f64::consts::{E, TAU};
use std::fmt;
use std::str::FromStr;

/// A benchmark function; all are minimised.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
#[non_exhaustive]
pub enum Function {
    /// Σ y².
    Sphere,
    /// Σ_i (Σ_{j≤i} y_j)².
    Schwefel,
    /// y₁² + 10⁶ Σ_{i>1} y_i².
    Cigar,
    /// 10⁶ y₁² + Σ_{i>1} y_i².
    Tablet,
    /// Σ 10^{6(i−1)/(d−1)} y_i².
    Ellipsoid,
    /// Σ |y_i|^{2 + 10(i−1)/(d−1)}.
    DiffPow,
    /// −y₁ + 100 Σ_{i>1} y_i², unbounded below.
    ParabR,
    /// −y₁ + 100 √(Σ_{i>1} y_i²), unbounded below.
    SharpR,
    /// Σ 100 (y_i² − y_{i+1})² + (y_i − 1)²; in one dimension (y − 1)².
    Rosenbrock,
    /// −20 exp(−0.2 √(Σy²/d)) − exp(Σ cos 2πy / d) + 20 + e.
    Ackley,
    /// 1 + Σ y²/4000 − Π cos(y_i/√i).
    Griewank,
    /// 10 d + Σ y² − 10 cos 2πy.
    Rastrigin,
    /// Σ_i Σ_k 2⁻ᵏ (cos(2π 3ᵏ (y_i + ½)) − cos(π 3ᵏ)), k = 0 to 19.
    Weierstrass,
}

/// A name that is no function.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[error("there is no problem `{name}`: did you mean `{nearest}`?")]
pub struct UnknownFunction {
    /// The name given.
    pub name: String,
    /// The nearest name there is.
    pub nearest: &'static str,
}

impl Function {
    /// All functions: nine unimodal, then four multimodal.
    pub const ALL: [Self; 13] = [
        Self::Sphere,
        Self::Schwefel,
        Self::Cigar,
        Self::Tablet,
        Self::Ellipsoid,
        Self::DiffPow,
        Self::ParabR,
        Self::SharpR,
        Self::Rosenbrock,
        Self::Ackley,
        Self::Griewank,
        Self::Rastrigin,
        Self::Weierstrass,
    ];

    /// The name, in lower case.
    pub fn name(self) -> &'static str {
        match self {
            Self::Sphere => "sphere",
            Self::Schwefel => "schwefel",
            Self::Cigar => "cigar",
            Self::Tablet => "tablet",
            Self::Ellipsoid => "ellipsoid",
            Self::DiffPow => "diffpow",
            Self::ParabR => "parabr",
            Self::SharpR => "sharpr",
            Self::Rosenbrock => "rosenbrock",
            Self::Ackley => "ackley",
            Self::Griewank => "griewank",
            Self::Rastrigin => "rastrigin",
            Self::Weierstrass => "weierstrass",
        }
    }

    /// What it is good for, in a few words.
    pub fn description(self) -> &'static str {
        match self {
            Self::Sphere => "the easiest: all directions alike",
            Self::Schwefel => "a quadratic with moderate correlations",
            Self::Cigar => "one long axis, condition 1e6",
            Self::Tablet => "one short axis, condition 1e6",
            Self::Ellipsoid => "axes spread evenly over condition 1e6",
            Self::DiffPow => "flatter and flatter towards the optimum, each axis at its own rate",
            Self::ParabR => "a parabolic ridge, unbounded: run to -1000",
            Self::SharpR => "a sharp ridge, unbounded: run to -1000",
            Self::Rosenbrock => "a long bent valley; a local minimum near 3.99 in higher dimensions",
            Self::Ackley => "many small local optima on an almost flat plain with one deep hole",
            Self::Griewank => "a wide bowl with wide local optima",
            Self::Rastrigin => "a bowl with a regular lattice of deep local optima",
            Self::Weierstrass => "rough at every scale",
        }
    }

    /// Whether there is only one optimum worth the name (Rosenbrock counts, as in the paper).
    pub fn is_unimodal(self) -> bool {
        !matches!(self, Self::Ackley | Self::Griewank | Self::Rastrigin | Self::Weierstrass)
    }

    /// Whether values fall without bound along a ridge.
    pub fn is_unbounded(self) -> bool {
        matches!(self, Self::ParabR | Self::SharpR)
    }

    /// The coordinate, the same along all axes, of the optimum; for a ridge, of its reference point.
    pub fn optimal_coordinate(self) -> f64 {
        if self == Self::Rosenbrock { 1.0 } else { 0.0 }
    }

    /// A value that counts as solved: 1e-10, and −1000 on the unbounded ridges.
    pub fn target(self) -> f64 {
        if self.is_unbounded() { -1000.0 } else { 1e-10 }
    }

    /// The value at y. O(d).
    pub fn evaluate(self, y: &[f64]) -> f64 {
        let d = y.len();
        let squares = |y: &[f64]| y.iter().map(|v| v * v).sum::<f64>();
        // (i − 1)/(d − 1); in one dimension 0.
        let spread = |i: usize| if d > 1 { i as f64 / (d - 1) as f64 } else { 0.0 };
        match self {
            Self::Sphere => squares(y),
            Self::Schwefel => {
                let sums = y.iter().scan(0.0, |sum, v| {
                    *sum += v;
                    Some(*sum)
                });
                sums.map(|s: f64| s * s).sum()
            }
            Self::Cigar => y[0] * y[0] + 1e6 * squares(&y[1..]),
            Self::Tablet => 1e6 * y[0] * y[0] + squares(&y[1..]),
            Self::Ellipsoid => y.iter().enumerate().map(|(i, v)| 1e6f64.powf(spread(i)) * v * v).sum(),
            Self::DiffPow => y.iter().enumerate().map(|(i, v)| v.abs().powf(2.0 + 10.0 * spread(i))).sum(),
            Self::ParabR => -y[0] + 100.0 * squares(&y[1..]),
            Self::SharpR => -y[0] + 100.0 * squares(&y[1..]).sqrt(),
            Self::Rosenbrock if d == 1 => (y[0] - 1.0).powi(2),
            Self::Rosenbrock => {
                y.windows(2).map(|w| 100.0 * (w[0] * w[0] - w[1]).powi(2) + (w[0] - 1.0).powi(2)).sum()
            }
            Self::Ackley => {
                let cosines: f64 = y.iter().map(|v| (TAU * v).cos()).sum();
                let n = d as f64;
                20.0 - 20.0 * (-0.2 * (squares(y) / n).sqrt()).exp() + (E - (cosines / n).exp())
            }
            Self::Griewank => {
                let product: f64 =
                    y.iter().enumerate().map(|(i, v)| (v / ((i + 1) as f64).sqrt()).cos()).product();
                squares(y) / 4000.0 + (1.0 - product)
            }
            Self::Rastrigin => y.iter().map(|v| v * v + 10.0 * (1.0 - (TAU * v).cos())).sum(),
            Self::Weierstrass => y.iter().map(|&v| weierstrass(v)).sum(),
        }
    }
}

/// Σ_k 2⁻ᵏ (cos(2π 3ᵏ (v + ½)) − cos(π 3ᵏ)). 3ᵏ is odd, so each term is 2⁻ᵏ (1 − cos(2π 3ᵏ v)):
/// exact at the optimum, and without the cancellation of the printed form.
fn weierstrass(v: f64) -> f64 {
    let (mut sum, mut weight, mut frequency) = (0.0, 1.0, 1.0);
    for _ in 0..20 {
        let half = (0.5 * TAU * (frequency * v).rem_euclid(1.0)).sin();
        sum += weight * 2.0 * half * half;
        weight *= 0.5;
        frequency *= 3.0;
    }
    sum
}

impl fmt::Display for Function {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.name())
    }
}

impl FromStr for Function {
    type Err = UnknownFunction;

    fn from_str(name: &str) -> Result<Self, Self::Err> {
        let wanted = name.to_lowercase();
        if let Some(found) = Self::ALL.into_iter().find(|f| f.name() == wanted) {
            return Ok(found);
        }
        let nearest = nearest(&wanted, Self::ALL.map(Self::name));
        Err(UnknownFunction { name: name.to_string(), nearest })
    }
}

/// The name with the fewest edits; among equals the first.
fn nearest<const N: usize>(wanted: &str, names: [&'static str; N]) -> &'static str {
    names.into_iter().min_by_key(|name| edits(wanted, name)).unwrap_or_default()
}

/// The number of insertions, deletions and replacements between two words.
fn edits(a: &str, b: &str) -> usize {
    let b: Vec<char> = b.chars().collect();
    let mut row: Vec<usize> = (0..=b.len()).collect();
    for (i, x) in a.chars().enumerate() {
        let mut diagonal = row[0];
        row[0] = i + 1;
        for (j, y) in b.iter().enumerate() {
            let replaced = diagonal + usize::from(x != *y);
            diagonal = row[j + 1];
            row[j + 1] = replaced.min(row[j] + 1).min(row[j + 1] + 1);
        }
    }
    row[b.len()]
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn values_at_known_points() {
        let at = |f: Function, y: &[f64]| f.evaluate(y);
        assert_eq!(at(Function::Sphere, &[1.0, 2.0]), 5.0);
        assert_eq!(at(Function::Schwefel, &[1.0, 2.0, -1.0]), 1.0 + 9.0 + 4.0);
        assert_eq!(at(Function::Cigar, &[2.0, 1.0]), 4.0 + 1e6);
        assert_eq!(at(Function::Tablet, &[2.0, 1.0]), 4e6 + 1.0);
        assert!((at(Function::Ellipsoid, &[1.0, 1.0, 1.0]) - 1_001_001.0).abs() < 1e-6);
        assert_eq!(at(Function::DiffPow, &[2.0, -2.0]), 4.0 + 4096.0);
        assert_eq!(at(Function::ParabR, &[3.0, 1.0, 2.0]), 497.0);
        assert_eq!(at(Function::SharpR, &[3.0, 3.0, 4.0]), 497.0);
        assert_eq!(at(Function::Rosenbrock, &[-1.0, 1.0]), 4.0);
        assert_eq!(at(Function::Rosenbrock, &[0.0, 0.0, 0.0]), 2.0);
        assert!((at(Function::Rastrigin, &[0.5]) - 20.25).abs() < 1e-12);
        assert!((at(Function::Griewank, &[std::f64::consts::PI]) - (2.0 + 9.8696044 / 4000.0)).abs() < 1e-8);
        // At a lattice point the cosines vanish from Ackley's second term.
        assert!((at(Function::Ackley, &[1.0, 1.0]) - 20.0 * (1.0 - (-0.2f64).exp())).abs() < 1e-12);
        // All terms of Weierstrass are 2·2⁻ᵏ at y = ½.
        assert!((at(Function::Weierstrass, &[0.5]) - 4.0 * (1.0 - 0.5f64.powi(20))).abs() < 1e-9);
    }

    #[test]
    fn weierstrass_equals_its_printed_form() {
        for v in [0.01, 0.3, -0.77, 1.9] {
            let printed: f64 = (0..20)
                .map(|k| {
                    let (a, b) = (0.5f64.powi(k), 3f64.powi(k));
                    a * (TAU * b * (v + 0.5)).cos() - a * (0.5 * TAU * b).cos()
                })
                .sum();
            // 1e-4: the printed form multiplies v by 3^19 before taking the cosine.
            assert!((weierstrass(v) - printed.abs()).abs() < 1e-4, "{v}");
        }
    }

    #[test]
    fn every_function_is_least_at_its_optimum() {
        for f in Function::ALL.into_iter().filter(|f| !f.is_unbounded()) {
            for d in [1, 2, 7] {
                let optimum = vec![f.optimal_coordinate(); d];
                assert_eq!(f.evaluate(&optimum), 0.0, "{f} {d}");
                for k in 0..d {
                    let mut near = optimum.clone();
                    near[k] += 0.1;
                    assert!(f.evaluate(&near) > 0.0, "{f} {d}");
                }
            }
        }
    }

    #[test]
    fn unknown_names_suggest_the_nearest() {
        assert_eq!("Rosenbrock".parse(), Ok(Function::Rosenbrock));
        let error = "rosenbrok".parse::<Function>().unwrap_err();
        assert_eq!(error.to_string(), "there is no problem `rosenbrok`: did you mean `rosenbrock`?");
        assert_eq!("spere".parse::<Function>().unwrap_err().nearest, "sphere");
        assert_eq!((edits("", "abc"), edits("kitten", "sitting"), edits("a", "a")), (3, 3, 0));
    }
}
