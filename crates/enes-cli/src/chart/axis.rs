//! An axis: label, scale, range and ticks.

/// How an axis maps numbers to places.
#[derive(Clone, Copy, Debug, PartialEq)]
enum Scale {
    Linear,
    Log,
}

/// One axis: its label, its scale, and its range where the data should not choose it.
#[derive(Clone, Debug)]
pub(crate) struct Axis {
    pub(super) label: String,
    scale: Scale,
    range: Option<(f64, f64)>,
}

impl Axis {
    pub(crate) fn linear(label: &str) -> Self {
        Self { label: label.to_string(), scale: Scale::Linear, range: None }
    }

    pub(crate) fn log(label: &str) -> Self {
        Self { label: label.to_string(), scale: Scale::Log, range: None }
    }

    pub(crate) fn range(mut self, low: f64, high: f64) -> Self {
        self.range = Some((low, high));
        self
    }

    pub(super) fn map(&self, v: f64) -> f64 {
        if self.scale == Scale::Log { v.log10() } else { v }
    }

    /// The mapped range: the given one, or that of the data with a little air.
    pub(super) fn extent(&self, values: impl Iterator<Item = f64>) -> (f64, f64) {
        if let Some((low, high)) = self.range {
            return (self.map(low), self.map(high));
        }
        let mapped = values.map(|v| self.map(v)).filter(|v| v.is_finite());
        let (low, high) = mapped.fold((f64::INFINITY, f64::NEG_INFINITY), |(a, b), v| (a.min(v), b.max(v)));
        match high - low {
            _ if low > high => (0.0, 1.0),
            span if span < 1e-12 => (low - 0.5, high + 0.5),
            span => (low - 0.03 * span, high + 0.03 * span),
        }
    }

    /// Places and labels of the ticks within a mapped range.
    pub(super) fn ticks(&self, (low, high): (f64, f64)) -> Vec<(f64, String)> {
        let steps = [1.0, 2.0, 5.0];
        let raw = (high - low) / 7.0;
        let power = 10f64.powf(raw.max(1e-300).log10().floor());
        let step = steps.into_iter().map(|s| s * power).find(|s| *s >= raw).unwrap_or(10.0 * power);
        // Whole powers of ten only on a logarithmic axis of some length.
        let step = if self.scale == Scale::Log && high - low > 2.0 { step.max(1.0).ceil() } else { step };
        let first = (low / step).ceil() as i64;
        let last = (high / step).floor() as i64;
        (first..=last)
            .map(|i| i as f64 * step)
            .map(|place| {
                (place, if self.scale == Scale::Log { power_label(place) } else { number_label(place) })
            })
            .collect()
    }
}

fn power_label(exponent: f64) -> String {
    if (exponent - exponent.round()).abs() > 1e-9 {
        return number_label(10f64.powf(exponent));
    }
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

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn ticks_are_round_numbers_within_the_range() {
        let labels = |axis: Axis, range| axis.ticks(range).into_iter().map(|t| t.1).collect::<Vec<_>>();
        assert_eq!(labels(Axis::linear(""), (0.0, 100.0)), ["0", "20", "40", "60", "80", "100"]);
        assert_eq!(
            labels(Axis::log(""), (-10.0, 2.0)),
            ["1e-10", "1e-8", "1e-6", "1e-4", "0.01", "1", "100"]
        );
    }
}
