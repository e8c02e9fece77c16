//! What the plain program calculates with: nested vectors, Gaussian elimination, a quantile by bisection.

pub(super) type Matrix = Vec<Vec<f64>>;

/// The correlation of a part with the residuals of a regression of the target on the rest, with a slope of at least 0.
pub(super) fn unexplained(part: &[f64], whole: &[f64], target: &[f64]) -> f64 {
    let centered = |v: Vec<f64>| {
        let mean = v.iter().sum::<f64>() / v.len() as f64;
        v.iter().map(|x| x - mean).collect::<Vec<f64>>()
    };
    let rest = centered((0..part.len()).map(|i| whole[i] - part[i]).collect());
    let y = centered(target.to_vec());
    let slope =
        if inner(&rest, &rest) > 0.0 { (inner(&rest, &y) / inner(&rest, &rest)).max(0.0) } else { 0.0 };
    let left: Vec<f64> = (0..y.len()).map(|i| y[i] - slope * rest[i]).collect();
    if inner(&left, &left) < 1e-12 * inner(&y, &y) { 0.0 } else { pearson(part, &left) }
}

/// Recombination weights by rank, and µ.
pub(super) fn weights(lambda: usize) -> (Vec<f64>, f64) {
    let raw = |i: usize| (((lambda + 1) as f64 / 2.0).ln() - (i as f64).ln()).max(0.0);
    let sum: f64 = (1..=lambda).map(raw).sum();
    let w: Vec<f64> = (1..=lambda).map(|i| raw(i) / sum).collect();
    let mu = 1.0 / w.iter().map(|w| w * w).sum::<f64>();
    (w, mu)
}

pub(super) fn identity(d: usize) -> Matrix {
    (0..d).map(|i| (0..d).map(|j| if i == j { 1.0 } else { 0.0 }).collect()).collect()
}

pub(super) fn inner(a: &[f64], b: &[f64]) -> f64 {
    (0..a.len()).map(|i| a[i] * b[i]).sum()
}

/// Gram and Schmidt in blocks of d rows, each row keeping its length.
pub(super) fn orthogonal(normals: &Matrix, d: usize) -> Matrix {
    let mut all: Matrix = Vec::new();
    for block in normals.chunks(d) {
        let mut units: Matrix = Vec::new();
        for v in block {
            let mut w = v.clone();
            for e in &units {
                let along = inner(&w, e);
                (0..d).for_each(|k| w[k] -= along * e[k]);
            }
            let length = inner(&w, &w).sqrt();
            w.iter_mut().for_each(|x| *x /= length);
            let norm = inner(v, v).sqrt();
            all.push(w.iter().map(|x| x * norm).collect());
            units.push(w);
        }
    }
    all
}

/// Solve Aᵀs = (y − m)/σ from the first coordinate down.
pub(super) fn whiten(y: &[f64], m: &[f64], sigma: f64, a: &Matrix) -> Vec<f64> {
    let mut s = vec![0.0; y.len()];
    for k in 0..y.len() {
        let known: f64 = (0..k).map(|j| a[j][k] * s[j]).sum();
        s[k] = ((y[k] - m[k]) / sigma - known) / a[k][k];
    }
    s
}

/// Ranks from 1, NaN last, ties averaged.
pub(super) fn ranks(values: &[f64]) -> Vec<f64> {
    let less = |a: f64, b: f64| a < b || (!a.is_nan() && b.is_nan());
    let rank = |v: f64| {
        let below = values.iter().filter(|w| less(**w, v)).count();
        let ties = values.iter().filter(|w| !less(**w, v) && !less(v, **w)).count();
        below as f64 + (ties as f64 + 1.0) / 2.0
    };
    values.iter().map(|v| rank(*v)).collect()
}

pub(super) fn pearson(a: &[f64], b: &[f64]) -> f64 {
    let mean = |v: &[f64]| v.iter().sum::<f64>() / v.len() as f64;
    let (ma, mb) = (mean(a), mean(b));
    let covariance: f64 = a.iter().zip(b).map(|(x, y)| (x - ma) * (y - mb)).sum();
    let variance = |v: &[f64], m: f64| v.iter().map(|x| (x - m).powi(2)).sum::<f64>();
    let product = variance(a, ma) * variance(b, mb);
    if product == 0.0 { 0.0 } else { covariance / product.sqrt() }
}

/// Φ⁻¹ by bisection of the series Φ(x) = ½ + φ(x)(x + x³/3 + x⁵/15 + …).
pub(super) fn quantile(p: f64) -> f64 {
    let cdf = |x: f64| {
        let (mut term, mut sum) = (x, x);
        for k in 1..200 {
            term *= x * x / (2 * k + 1) as f64;
            sum += term;
        }
        0.5 + sum * (-0.5 * x * x).exp() / std::f64::consts::TAU.sqrt()
    };
    let (mut low, mut high) = (-9.0, 9.0);
    for _ in 0..120 {
        let middle = 0.5 * (low + high);
        if cdf(middle) < p { low = middle } else { high = middle }
    }
    0.5 * (low + high)
}

/// Gaussian elimination with pivots.
pub(super) fn solve(mut a: Matrix, mut b: Vec<f64>) -> Vec<f64> {
    let n = b.len();
    for k in 0..n {
        let pivot = (k..n).max_by(|i, j| a[*i][k].abs().total_cmp(&a[*j][k].abs())).unwrap();
        a.swap(k, pivot);
        b.swap(k, pivot);
        for i in k + 1..n {
            let factor = a[i][k] / a[k][k];
            for j in k..n {
                a[i][j] -= factor * a[k][j];
            }
            b[i] -= factor * b[k];
        }
    }
    for k in (0..n).rev() {
        let known: f64 = (k + 1..n).map(|j| a[k][j] * b[j]).sum();
        b[k] = (b[k] - known) / a[k][k];
    }
    b
}

/// U upper triangular with UᵀU = M; `None` where M is not positive definite.
pub(super) fn upper_factor(d: usize, m: impl Fn(usize, usize) -> f64) -> Option<Matrix> {
    let mut u = vec![vec![0.0; d]; d];
    for i in 0..d {
        for j in i..d {
            let known: f64 = (0..i).map(|k| u[k][i] * u[k][j]).sum();
            let rest = m(i, j) - known;
            if i == j {
                if rest <= 0.0 {
                    return None;
                }
                u[i][i] = rest.sqrt();
            } else {
                u[i][j] = rest / u[i][i];
            }
        }
    }
    Some(u)
}
