//! What the benchmark programs share.

/// The value at a quantile of a sample, by linear interpolation; NaN for an empty one.
pub fn quantile(values: &[f64], q: f64) -> f64 {
    let mut sorted = values.to_vec();
    sorted.sort_by(f64::total_cmp);
    let Some(last) = sorted.len().checked_sub(1) else { return f64::NAN };
    let position = q * last as f64;
    let (low, high) = (sorted[position.floor() as usize], sorted[position.ceil() as usize]);
    low + (high - low) * position.fract()
}

/// What machine this is: processor model and number of cores.
pub fn machine() -> String {
    let info = std::fs::read_to_string("/proc/cpuinfo").unwrap_or_default();
    let model = info.lines().find_map(|l| l.strip_prefix("model name")?.split(": ").nth(1));
    let cores = std::thread::available_parallelism().map_or(1, usize::from);
    format!("{}, {cores} cores", model.unwrap_or("unknown processor"))
}

/// The slope of a straight line through (ln x, ln y): y grows as x to this power.
pub fn exponent(points: &[(f64, f64)]) -> f64 {
    let n = points.len() as f64;
    let logs = || points.iter().map(|(x, y)| (x.ln(), y.ln()));
    let (mean_x, mean_y) = (logs().map(|p| p.0).sum::<f64>() / n, logs().map(|p| p.1).sum::<f64>() / n);
    let covariance: f64 = logs().map(|(x, y)| (x - mean_x) * (y - mean_y)).sum();
    let variance: f64 = logs().map(|(x, _)| (x - mean_x).powi(2)).sum();
    covariance / variance
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
    fn quantiles_and_exponents_of_known_samples() {
        assert_eq!(quantile(&[3.0, 1.0, 2.0], 0.5), 2.0);
        assert_eq!(quantile(&[1.0, 2.0], 0.25), 1.25);
        assert!(quantile(&[], 0.5).is_nan());
        assert!((exponent(&[(1.0, 2.0), (2.0, 16.0), (4.0, 128.0)]) - 3.0).abs() < 1e-12);
    }
}
