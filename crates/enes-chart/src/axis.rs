//! An axis: label, scale, range and ticks.

/// How an axis maps numbers to places.
#[derive(Clone, Debug, PartialEq)]
enum Scale {
    Linear,
    Log,
    /// Logarithmic on both sides of zero, linear between minus and plus this.
    Symmetric(f64),
    /// Names at 0, 1, 2, … and no numbers.
    Named(Vec<String>),
}

/// One axis: its label, its scale, and its range where the data should not choose it.
#[derive(Clone, Debug)]
pub struct Axis {
    pub(super) label: String,
    scale: Scale,
    range: Option<(f64, f64)>,
}

impl Axis {
    /// A linear axis that fits the data.
    pub fn linear(label: &str) -> Self {
        Self { label: label.to_string(), scale: Scale::Linear, range: None }
    }

    /// A logarithmic axis that fits the data; what is not positive has no place on it.
    pub fn log(label: &str) -> Self {
        Self { label: label.to_string(), scale: Scale::Log, range: None }
    }

    /// Logarithmic on both sides of zero and linear between `-linear` and `linear`, for values of any sign, zero included.
    pub fn symmetric(label: &str, linear: f64) -> Self {
        // What is no width has none: zero would have no neighbours.
        let linear = if linear.is_finite() && linear > 0.0 { linear } else { 1.0 };
        Self { label: label.to_string(), scale: Scale::Symmetric(linear), range: None }
    }

    /// The names sit at 0, 1, 2, …, half a unit of air on either side.
    pub fn named(label: &str, names: &[String]) -> Self {
        let range = Some((-0.5, names.len() as f64 - 0.5));
        Self { label: label.to_string(), scale: Scale::Named(names.to_vec()), range }
    }

    /// From and to here, whatever the data.
    pub fn range(mut self, low: f64, high: f64) -> Self {
        self.range = Some((low, high));
        self
    }

    /// Names need no lines across the chart.
    pub(super) fn has_grid(&self) -> bool {
        !matches!(self.scale, Scale::Named(_))
    }

    pub(super) fn map(&self, v: f64) -> f64 {
        match self.scale {
            Scale::Log => v.log10(),
            // One decade for the linear part, and both parts meet with it.
            Scale::Symmetric(linear) if v.abs() > linear => v.signum() * ((v.abs() / linear).log10() + 1.0),
            Scale::Symmetric(linear) => v / linear,
            Scale::Linear | Scale::Named(_) => v,
        }
    }

    /// The mapped range: the given one, or that of the data with a little air.
    pub(super) fn extent(&self, values: impl Iterator<Item = f64>) -> (f64, f64) {
        if let Some((low, high)) = self.range {
            return (self.map(low), self.map(high));
        }
        // What is larger still would make the span infinite.
        let mapped = values.map(|v| self.map(v)).filter(|v| v.abs() < 1e300);
        let (low, high) = mapped.fold((f64::INFINITY, f64::NEG_INFINITY), |(a, b), v| (a.min(v), b.max(v)));
        if low > high {
            return (0.0, 1.0);
        }
        let (span, middle) = (high - low, 0.5 * (low + high));
        let size = low.abs().max(high.abs());
        // A span below what tick labels can tell apart is widened.
        let half = match self.scale {
            Scale::Log | Scale::Symmetric(_) if span < 1e-12 => 0.5,
            Scale::Log | Scale::Symmetric(_) => span.max(0.02) * 0.53,
            _ if size == 0.0 => 0.5,
            _ if span < 1e-12 * size => 0.5 * size,
            _ => span.max(1e-6 * size) * 0.53,
        };
        (middle - half, middle + half)
    }

    /// Places and labels of the ticks within a mapped range.
    pub(super) fn ticks(&self, (low, high): (f64, f64)) -> Vec<(f64, String)> {
        let ticks = match &self.scale {
            Scale::Linear => linear_ticks(low, high),
            Scale::Log => log_ticks(low, high),
            Scale::Symmetric(linear) => symmetric_ticks(*linear, (low, high), |v| self.map(v)),
            Scale::Named(names) => names.iter().enumerate().map(|(i, n)| (i as f64, n.clone())).collect(),
        };
        ticks.into_iter().filter(|(place, _)| place.is_finite()).collect()
    }
}

/// Multiples of a round step: some seven of them.
fn multiples(low: f64, high: f64, least: f64) -> (f64, Vec<f64>) {
    let steps = [1.0, 2.0, 5.0];
    let raw = (high - low) / 7.0;
    let power = 10f64.powf(raw.max(1e-300).log10().floor());
    let step = steps.into_iter().map(|s| s * power).find(|s| *s >= raw).unwrap_or(10.0 * power);
    let step = if least > 0.0 { step.max(least).ceil() } else { step };
    let first = (low / step).ceil() as i64;
    let last = (high / step).floor() as i64;
    (step, (first..=last).take(50).map(|i| i as f64 * step).collect())
}

fn linear_ticks(low: f64, high: f64) -> Vec<(f64, String)> {
    let (step, places) = multiples(low, high, 0.0);
    let largest = low.abs().max(high.abs());
    places.into_iter().map(|place| (place, step_label(place, step, largest))).collect()
}

fn log_ticks(low: f64, high: f64) -> Vec<(f64, String)> {
    if high - low > 3.0 {
        // Whole powers of ten only on an axis of some length.
        return multiples(low, high, 1.0).1.into_iter().map(|place| (place, power_label(place))).collect();
    }
    let powers = (low.floor() as i32)..=(high.ceil() as i32);
    let coins = powers.flat_map(|k| [1.0, 2.0, 5.0].map(|m| m * 10f64.powi(k)));
    let coins: Vec<f64> = coins.filter(|v| (low..=high).contains(&v.log10())).collect();
    if coins.len() >= 3 {
        return coins.into_iter().map(|v| (v.log10(), number_label(v))).collect();
    }
    let ticks = linear_ticks(10f64.powf(low), 10f64.powf(high));
    ticks.into_iter().map(|(v, label)| (v.log10(), label)).collect()
}

/// Zero, and powers of ten on both sides of it: some eight in all.
fn symmetric_ticks(linear: f64, (low, high): (f64, f64), map: impl Fn(f64) -> f64) -> Vec<(f64, String)> {
    let first = linear.log10().ceil() as i32;
    let step = ((high - low) / 8.0).ceil().max(1.0) as usize;
    let powers: Vec<i32> = (first..first + 700).step_by(step).take_while(|k| *k <= 308).collect();
    let side = |sign: f64| {
        let tick = move |k: i32| (sign * 10f64.powi(k), k);
        powers
            .iter()
            .map(move |k| tick(*k))
            .map(|(v, k)| (v, format!("{}{}", if v < 0.0 { "-" } else { "" }, power_label(f64::from(k)))))
    };
    let mut ticks: Vec<(f64, String)> = side(-1.0)
        .chain([(0.0, "0".to_string())])
        .chain(side(1.0))
        .map(|(v, label)| (map(v), label))
        .collect();
    ticks.retain(|(place, _)| (low..=high).contains(place));
    ticks.sort_by(|a, b| a.0.total_cmp(&b.0));
    ticks
}

fn power_label(exponent: f64) -> String {
    let exponent = exponent.round() as i64;
    match exponent {
        0..=4 => number_label(10f64.powi(exponent as i32)),
        -2..=-1 => format!("{}", 10f64.powi(exponent as i32)),
        _ => format!("1e{exponent}"),
    }
}

fn number_label(v: f64) -> String {
    match v.abs() {
        a if a >= 1e5 || (a > 0.0 && a < 1e-3) => format!("{v:.0e}"),
        a if a >= 100.0 => format!("{v:.0}"),
        _ => format!("{}", (v * 1e4).round() / 1e4),
    }
}

/// A multiple of the step, with as many digits as tell it from its neighbours.
fn step_label(v: f64, step: f64, largest: f64) -> String {
    let power = |v: f64| (v.abs().log10() + 1e-9).floor() as i32;
    if v == 0.0 {
        return "0".to_string();
    }
    if largest >= 1e6 || step < 0.99e-4 {
        let digits = (power(v) - power(step)).max(0) as usize;
        let text = format!("{v:.digits$e}");
        return match text.split_once('e') {
            Some((digits, exponent)) => format!("{}e{exponent}", without_zeros(digits)),
            None => text,
        };
    }
    let digits = (-power(step)).max(0) as usize;
    without_zeros(&format!("{v:.digits$}")).to_string()
}

fn without_zeros(digits: &str) -> &str {
    if digits.contains('.') { digits.trim_end_matches('0').trim_end_matches('.') } else { digits }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn labels(axis: &Axis, range: (f64, f64)) -> Vec<String> {
        axis.ticks(range).into_iter().map(|t| t.1).collect()
    }

    #[test]
    fn ticks_are_round_numbers_within_the_range() {
        assert_eq!(labels(&Axis::linear(""), (0.0, 100.0)), ["0", "20", "40", "60", "80", "100"]);
        assert_eq!(
            labels(&Axis::log(""), (-10.0, 2.0)),
            ["1e-10", "1e-8", "1e-6", "1e-4", "0.01", "1", "100"]
        );
        assert_eq!(labels(&Axis::log(""), (0.0, 1.0)), ["1", "2", "5", "10"]);
    }

    #[test]
    fn a_symmetric_axis_has_a_place_for_zero_and_both_signs() {
        let axis = Axis::symmetric("", 1e-3);
        assert_eq!((axis.map(0.0), axis.map(1e-3), axis.map(-0.1)), (0.0, 1.0, -3.0));
        assert!(axis.map(1.0001e-3) > 1.0 && axis.map(0.5e-3) == 0.5);
        let range = axis.extent([0.0, 1e3, -1e3].into_iter());
        assert_eq!(labels(&axis, range), ["-1000", "-10", "-0.1", "-1e-3", "0", "1e-3", "0.1", "10", "1000"]);
        assert_eq!(Axis::symmetric("", 0.0).map(1.0), 1.0);
    }

    #[test]
    fn neighbours_have_different_labels() {
        for (low, high) in [(0.0, 150_000.0), (1.00001, 1.00003), (0.0, 3e6), (-2e-9, 1e-9), (1000.1, 1000.4)]
        {
            let mut all = labels(&Axis::linear(""), (low, high));
            let count = all.len();
            all.dedup();
            assert!(count >= 3 && all.len() == count, "{all:?}");
        }
        let short = labels(&Axis::log(""), (0.01, 0.03));
        assert!(short.len() >= 3, "{short:?}");
    }

    #[test]
    fn any_data_has_a_finite_range_with_length() {
        for values in [vec![], vec![0.0], vec![5.0, 5.0], vec![-1e308, 1e308, 1.0], vec![1e-200, 2e-200]] {
            for axis in
                [Axis::linear(""), Axis::log(""), Axis::symmetric("", 1e-300), Axis::symmetric("", 1.0)]
            {
                let (low, high) = axis.extent(values.iter().copied());
                assert!(low.is_finite() && high.is_finite() && low < high, "{values:?}");
                assert!(axis.ticks((low, high)).iter().all(|t| t.0.is_finite()));
            }
        }
    }
}
