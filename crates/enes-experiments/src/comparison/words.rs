//! Numbers and lists for people.

use enes_chart::Chart;

/// A list for people; `none` where it is empty.
pub(crate) fn listed(items: &[String]) -> String {
    if items.is_empty() { "none".to_string() } else { items.join(", ") }
}

/// A ratio for a table, `-` where there is none.
pub(crate) fn ratio_text(value: f64) -> String {
    if value.is_finite() { format!("{value:.2}") } else { "-".to_string() }
}

/// `43 of 45 cells`: those that are not lost.
pub(crate) fn tally(all: usize, lost: &[String]) -> String {
    format!("{} of {all} cells", all - lost.len())
}

/// The largest ratio, for a sentence.
pub(crate) fn largest(ratios: impl Iterator<Item = f64>) -> String {
    ratio_text(ratios.fold(f64::NAN, f64::max))
}

/// e to the mean logarithm of the finite ones; NaN where there are none.
pub(crate) fn geometric_mean(values: impl Iterator<Item = f64>) -> f64 {
    let logs: Vec<f64> = values.filter(|v| v.is_finite() && *v > 0.0).map(f64::ln).collect();
    (logs.iter().sum::<f64>() / logs.len() as f64).exp()
}

/// Marks without lines between them: a series for each, the first of which has the name.
pub(crate) fn marks(chart: &mut Chart, name: &str, colour: usize, points: Vec<(f64, f64)>) {
    for (i, point) in points.into_iter().enumerate() {
        chart.marked(if i == 0 { name } else { "" }, colour, false, vec![point]);
    }
}
