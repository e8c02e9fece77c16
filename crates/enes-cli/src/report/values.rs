//! The best value by evaluations and by time, and how far it was from the best of all.

use super::charts::{Curve, by_evaluations, overlay, seconds};
use super::folder::Run;
use super::html::{Figure, number, time_unit};
use super::trace::steps;
use enes_chart::{Axis, Chart};

/// The linear part of a symmetric axis is at least this share of the largest value.
const LINEAR_PART: f64 = 1e-16;
/// The same where values have both signs: what happens near zero is then no news.
const BETWEEN_SIGNS: f64 = 1e-6;
/// Differences below this share of the best value are those of rounding.
const ROUNDING: f64 = 1e-15;
/// Decades by which one point may fall below all others and still decide where the axis ends.
const LUCK: f64 = 4.0;

/// An axis on which every value has its place, and a word on it for the caption.
///
/// Positive values are on a logarithmic one. A zero, or a value below it, makes it symmetric, so that the decades
/// above stay apart; where values differ by less than one decade it is linear.
fn value_axis(curves: &[Curve]) -> (Axis, &'static str) {
    let values = || curves.iter().flatten().map(|p| p.1);
    if values().all(|v| v > 0.0) {
        return (Axis::log("best value"), "");
    }
    let largest = values().map(f64::abs).fold(0.0, f64::max);
    let least = values().map(f64::abs).filter(|v| *v > 0.0).fold(largest, f64::min);
    let share = if values().any(|v| v < 0.0) { BETWEEN_SIGNS } else { LINEAR_PART };
    if largest < 10.0 * least && values().all(|v| v <= 0.0) || largest == 0.0 {
        return (Axis::linear("best value"), " The axis is linear.");
    }
    (
        Axis::symmetric("best value", least.max(share * largest)),
        " The axis is logarithmic on both sides of zero, and linear around it.",
    )
}

fn improvements(run: &Run) -> Curve {
    steps(&run.trace.improvements, run.trace.count as f64)
}

pub(super) fn best_by_evaluations(runs: &[Run]) -> Option<Figure> {
    let curves: Vec<Curve> = runs.iter().map(improvements).collect();
    let (axis, word) = value_axis(&curves);
    let restarts = match runs {
        [run] if !run.restarts.is_empty() => " Dotted lines: another search begins.",
        _ => "",
    };
    let chart = by_evaluations(runs, "Best value by evaluations", axis);
    let caption = format!("The best value seen so far, evaluation by evaluation.{word}{restarts}");
    overlay(runs, curves, chart, caption)
}

/// The distance to the best value of all runs, which shows how the end was approached, wherever it lies.
pub(super) fn distance_to_best(runs: &[Run]) -> Option<Figure> {
    let least = runs.iter().filter_map(|run| run.trace.best()).fold(f64::INFINITY, f64::min);
    if !least.is_finite() {
        return None;
    }
    let mut floor = f64::INFINITY;
    let curves: Vec<Curve> = runs
        .iter()
        .map(|run| {
            let distances: Curve = run.trace.improvements.iter().map(|p| (p.0, p.1 - least)).collect();
            floor = floor.min(lowest(&distances, ROUNDING * least.abs()));
            steps(&distances, run.trace.count as f64)
        })
        .collect();
    let top = curves.iter().flatten().map(|p| p.1).fold(0.0, f64::max);
    if floor >= top || top.is_infinite() {
        return None;
    }
    // What reaches the best value, or falls far below all others by luck, leaves the chart at its lower edge.
    let below = floor * (floor / top).powf(0.06);
    let drawn = |p: &(f64, f64)| (p.0, p.1.max(below * 1e-3));
    let curves = curves.iter().map(|curve| curve.iter().map(drawn).collect()).collect();
    let chart = by_evaluations(
        runs,
        "Distance to the best value",
        Axis::log("distance").range(below, top * (top / floor).powf(0.06)),
    );
    let caption = format!(
        "How far the best value so far was above the best of all, {}. A line that leaves at the lower edge has reached it.",
        number(least)
    );
    overlay(runs, curves, chart, caption)
}

/// The least distance that the axis must show; infinite where there is none.
fn lowest(distances: &[(f64, f64)], rounding: f64) -> f64 {
    let mut positive: Vec<f64> = distances.iter().map(|p| p.1).filter(|d| *d > rounding).collect();
    positive.sort_by(|a, b| b.total_cmp(a));
    match positive[..] {
        [.., before, last] if before / last > 10f64.powf(LUCK) => before,
        [.., last] => last,
        [] => f64::INFINITY,
    }
}

pub(super) fn best_by_time(runs: &[Run]) -> Option<Figure> {
    let longest = runs.iter().filter_map(seconds).fold(0.0, f64::max);
    let (unit, name) = time_unit(longest);
    let curve = |run: &Run| {
        let mut improvements: Curve = Vec::new();
        for g in &run.generations {
            let (Some(best), Some(seconds)) = (g.best, g.seconds) else { continue };
            if improvements.last().is_none_or(|p| best < p.1) {
                improvements.push((seconds / unit, best));
            }
        }
        steps(&improvements, seconds(run).unwrap_or(0.0) / unit)
    };
    let curves: Vec<Curve> = runs.iter().map(curve).collect();
    let (axis, word) = value_axis(&curves);
    let x = Axis::linear(&format!("{name} since the start"));
    let chart = Chart::new("Best value by time", x, axis).small();
    overlay(runs, curves, chart, format!("The best value seen so far, at the end of each generation.{word}"))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn one_lucky_point_does_not_decide_where_the_axis_ends() {
        let falling = [(1.0, 1.0), (2.0, 1e-2), (3.0, 1e-3), (4.0, 0.0)];
        assert_eq!(lowest(&falling, 0.0), 1e-3);
        let lucky = [(1.0, 1.0), (2.0, 1e-2), (3.0, 1e-17), (4.0, 0.0)];
        assert_eq!(lowest(&lucky, 0.0), 1e-2);
        assert_eq!(lowest(&lucky, 1e-16), 1e-2);
        assert_eq!(lowest(&[(1.0, 0.0)], 0.0), f64::INFINITY);
    }

    #[test]
    fn the_axis_has_a_place_for_every_value() {
        let words = |values: &[f64]| value_axis(&[values.iter().map(|v| (0.0, *v)).collect()]).1;
        assert_eq!(words(&[10.0, 1e-9]), "");
        assert!(words(&[10.0, 1e-9, 0.0]).contains("both sides"));
        assert!(words(&[10.0, -1e3]).contains("both sides"));
        assert!(words(&[-10.0, -20.0]).contains("linear.") && words(&[0.0]).contains("linear."));
    }
}
