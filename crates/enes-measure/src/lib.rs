//! What measurements share: quantiles, intervals, exponents, memory, the machine, numbers drawn at random.

#![warn(clippy::unwrap_used)]

/// The value at a quantile of a sample, by linear interpolation; NaN for an empty one.
pub fn quantile(values: &[f64], q: f64) -> f64 {
    let mut sorted = values.to_vec();
    sorted.sort_by(f64::total_cmp);
    let Some(last) = sorted.len().checked_sub(1) else { return f64::NAN };
    let position = q * last as f64;
    let (low, high) = (sorted[position.floor() as usize], sorted[position.ceil() as usize]);
    low + (high - low) * position.fract()
}

/// Wilson's 95 % interval for a share of `good` among `all`, in per cent.
pub fn interval(good: usize, all: usize) -> (f64, f64) {
    let (z, n) = (1.96f64, all as f64);
    let p = good as f64 / n;
    let middle = (p + z * z / (2.0 * n)) / (1.0 + z * z / n);
    let half = z * (p * (1.0 - p) / n + z * z / (4.0 * n * n)).sqrt() / (1.0 + z * z / n);
    (100.0 * (middle - half).max(0.0), 100.0 * (middle + half).min(1.0))
}

/// Newcombe's 95 % interval for the difference of two shares, the first less the second, in per cent: two intervals of
/// Wilson's put together.
pub fn difference_interval(first: (usize, usize), second: (usize, usize)) -> (f64, f64) {
    let share = |(good, all): (usize, usize)| 100.0 * good as f64 / all as f64;
    let (a, b) = (share(first), share(second));
    let ((a_low, a_high), (b_low, b_high)) = (interval(first.0, first.1), interval(second.0, second.1));
    (a - b - (a - a_low).hypot(b_high - b), a - b + (a_high - a).hypot(b - b_low))
}

/// The slope of a straight line through (ln x, ln y): y grows as x to this power.
pub fn exponent(points: &[(f64, f64)]) -> f64 {
    let n = points.len() as f64;
    let logs = || points.iter().map(|(x, y)| (x.ln(), y.ln()));
    let (mean_x, mean_y) = (logs().map(|p| p.0).sum::<f64>() / n, logs().map(|p| p.1).sum::<f64>() / n);
    let covariance: f64 = logs().map(|(x, y)| (x - mean_x) * (y - mean_y)).sum();
    covariance / logs().map(|(x, _)| (x - mean_x).powi(2)).sum::<f64>()
}

/// Steele, Lea and Flood's SplitMix64: numbers for problems and timing that no change of the library changes.
#[derive(Clone, Debug)]
pub struct SplitMix64(pub u64);

impl SplitMix64 {
    /// The next 64 bits.
    pub fn bits(&mut self) -> u64 {
        self.0 = self.0.wrapping_add(0x9e37_79b9_7f4a_7c15);
        let mut z = self.0;
        z = (z ^ (z >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
        z = (z ^ (z >> 27)).wrapping_mul(0x94d0_49bb_1331_11eb);
        z ^ (z >> 31)
    }

    /// From 0 to 1, without 1.
    pub fn uniform(&mut self) -> f64 {
        (self.bits() >> 11) as f64 / (1u64 << 53) as f64
    }

    /// Box and Muller's normal.
    pub fn normal(&mut self) -> f64 {
        let (u, v) = (1.0 - self.uniform(), self.uniform());
        (-2.0 * f64::ln(u)).sqrt() * (std::f64::consts::TAU * v).cos()
    }

    /// Between two numbers.
    pub fn between(&mut self, low: f64, high: f64) -> f64 {
        low + (high - low) * self.uniform()
    }
}

/// What machine this is: processor model and number of cores.
pub fn machine() -> String {
    let info = std::fs::read_to_string("/proc/cpuinfo").unwrap_or_default();
    let model = info.lines().find_map(|l| l.strip_prefix("model name")?.split(": ").nth(1));
    let cores = std::thread::available_parallelism().map_or(1, usize::from);
    format!("{}, {cores} cores, {}", model.unwrap_or("unknown processor"), std::env::consts::OS)
}

/// The peak resident size of this process in bytes, where the system tells it.
pub fn peak_memory() -> Option<u64> {
    let status = std::fs::read_to_string("/proc/self/status").ok()?;
    let line = status.lines().find_map(|l| l.strip_prefix("VmHWM:"))?;
    Some(1024 * line.trim().strip_suffix(" kB")?.parse::<u64>().ok()?)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn split_mix_gives_the_published_numbers() {
        let mut numbers = SplitMix64(1_234_567);
        assert_eq!([(); 2].map(|()| numbers.bits()), [6_457_827_717_110_365_317, 3_203_168_211_198_807_973]);
        let normals: Vec<f64> = (0..10_000).map(|_| numbers.normal()).collect();
        let mean = normals.iter().sum::<f64>() / 1e4;
        let variance = normals.iter().map(|x| (x - mean).powi(2)).sum::<f64>() / 1e4;
        assert!(mean.abs() < 0.04 && (variance - 1.0).abs() < 0.06, "{mean} {variance}");
        assert!((0..1000).all(|_| (2.0..3.0).contains(&numbers.between(2.0, 3.0))));
    }

    #[test]
    fn known_samples() {
        assert_eq!(quantile(&[3.0, 1.0, 2.0], 0.5), 2.0);
        assert_eq!(quantile(&[1.0, 2.0], 0.25), 1.25);
        assert!(quantile(&[], 0.5).is_nan());
        assert!((exponent(&[(1.0, 2.0), (2.0, 16.0), (4.0, 128.0)]) - 3.0).abs() < 1e-12);
        let (low, high) = interval(100, 100);
        assert!((low - 96.3).abs() < 0.1 && (high - 100.0).abs() < 1e-9, "{low} {high}");
        let (low, high) = interval(50, 100);
        assert!((low - 40.4).abs() < 0.1 && (high - 59.6).abs() < 0.1);
        // Newcombe 1998, table II, row (a) by method 10: 56/70 − 48/80 is within 0.0524 and 0.3339.
        let (low, high) = difference_interval((56, 70), (48, 80));
        assert!((low - 5.24).abs() < 0.01 && (high - 33.39).abs() < 0.01, "{low} {high}");
        assert!(!machine().is_empty());
    }
}
