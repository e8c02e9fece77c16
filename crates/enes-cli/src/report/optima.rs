//! The optima that searches have ended in: what they are worth, how often they were found, where they lie.

use enes_chart::{Axis, Chart};

use super::folder::{Optimum, Run};
use super::html::{Figure, Table, number};

/// So many are drawn and listed: the best.
const MOST: usize = 50;

/// So many have their number in the picture.
const NUMBERED: usize = 9;

/// So many coordinates are drawn and listed.
const COORDINATES: usize = 30;

/// The optima with a value, the best first; none where there is only one.
fn listed(run: &Run) -> Vec<&Optimum> {
    let optima = run.best.iter().flat_map(|best| &best.optima);
    let feasible = |o: &&Optimum| o.value.is_some_and(f64::is_finite) && o.violation.is_none_or(|v| v <= 0.0);
    let all: Vec<&Optimum> = optima.filter(feasible).take(MOST).collect();
    if all.len() > 1 { all } else { Vec::new() }
}

/// Value against how often; and the coordinates, a line for each optimum.
pub(super) fn pictures(run: &Run) -> Vec<Figure> {
    let optima = listed(run);
    if optima.is_empty() {
        return Vec::new();
    }
    let points: Vec<(f64, f64)> = optima.iter().filter_map(|o| Some((o.value?, o.found as f64))).collect();
    let most = points.iter().map(|p| p.1).fold(1.0, f64::max);
    let positive = points.iter().all(|p| p.0 > 0.0) && points.iter().any(|p| p.0 > 100.0 * points[0].0);
    let mut values = if positive { Axis::log("value") } else { Axis::linear("value") };
    if let Some((low, high)) = with_margin(&points, positive) {
        values = values.range(low, high);
    }
    let axis = Axis::linear("searches that ended there").range(0.0, 1.1 * most);
    let mut chart = Chart::new("Optima: how good, and how often found", values, axis).small();
    let texts = numbers(&points, positive);
    chart.labelled("optima", 0, points, texts);
    let caption = format!(
        "{} optima in which searches converged, numbered from the best; each was found as often as it is high.",
        optima.len()
    );
    let mut figures = vec![Figure { svg: chart.svg(), caption }];
    figures.extend(places(run, &optima));
    figures
}

/// The ends of the axis of values: a tenth more on either side, where numbers have room; none where all are equal.
fn with_margin(points: &[(f64, f64)], log: bool) -> Option<(f64, f64)> {
    let ends = points.iter().fold((f64::INFINITY, f64::NEG_INFINITY), |(a, b), p| (a.min(p.0), b.max(p.0)));
    let (low, high) = if log { (ends.0.ln(), ends.1.ln()) } else { ends };
    let margin = 0.1 * high - 0.1 * low;
    let wide =
        if log { ((low - margin).exp(), (high + margin).exp()) } else { (low - margin, high + margin) };
    let usable = wide.0 < ends.0 && ends.1 < wide.1 && wide.1.is_finite() && wide.0.is_finite();
    (usable && (!log || wide.0 > 0.0)).then_some(wide)
}

/// The numbers above the points, the best is 1. Neighbours whose numbers would lie on each other share a text, as `2, 3`.
fn numbers(points: &[(f64, f64)], log: bool) -> Vec<String> {
    let place = |p: &(f64, f64)| if log { p.0.ln() } else { p.0 };
    let ends = |of: &dyn Fn(&(f64, f64)) -> f64| {
        points.iter().map(of).fold((f64::INFINITY, f64::NEG_INFINITY), |(a, b), v| (a.min(v), b.max(v)))
    };
    let ((low, high), (_, top)) = (ends(&place), ends(&|p| p.1));
    let mut texts = vec![String::new(); points.len()];
    for (i, point) in points.iter().enumerate().take(NUMBERED) {
        let lies_on = |j: &usize| {
            // A character is about a thirtieth of the chart wide, and a line a twelfth of it high.
            let wide = 0.05 + 0.02 * texts[*j].chars().count() as f64;
            let beside = (place(point) - place(&points[*j])).abs() <= wide * (high - low);
            beside && !texts[*j].is_empty() && (point.1 - points[*j].1).abs() <= 0.12 * top
        };
        match (0..i).find(lies_on) {
            None => texts[i] = (i + 1).to_string(),
            Some(j) if texts[j].ends_with('…') => {}
            Some(j) if texts[j].contains(',') => texts[j].push_str(", …"),
            Some(j) => texts[j] = format!("{}, {}", texts[j], i + 1),
        }
    }
    texts
}

/// Where the best optima lie: a line through the coordinates of each, from 0 to 1 between the least and the largest.
fn places(run: &Run, optima: &[&Optimum]) -> Option<Figure> {
    let names: Vec<String> = run.settings.names.iter().take(COORDINATES).cloned().collect();
    let fits = optima.iter().all(|o| o.x.len() == run.settings.names.len());
    if names.len() < 2 || !fits {
        return None;
    }
    let ends: Vec<(f64, f64)> = (0..names.len())
        .map(|i| {
            let each = optima.iter().map(|o| o.x[i]);
            each.fold((f64::INFINITY, f64::NEG_INFINITY), |(a, b), x| (a.min(x), b.max(x)))
        })
        .collect();
    let place = |i: usize, x: f64| {
        let (low, high) = ends[i];
        if high > low { (x - low) / (high - low) } else { 0.5 }
    };
    let axis = Axis::linear("from the least to the largest").range(-0.05, 1.05);
    let mut chart = Chart::new("Optima: where", Axis::named("coordinate", &names), axis).small();
    for (rank, optimum) in optima.iter().take(8).enumerate() {
        let line = (0..names.len()).map(|i| (i as f64, place(i, optimum.x[i]))).collect();
        chart.marked(&(rank + 1).to_string(), rank, false, line);
    }
    let caption = "The best optima by their number: each coordinate from its least value among all of them to its largest.";
    Some(Figure { svg: chart.svg(), caption: caption.into() })
}

/// The same in numbers.
pub(super) fn table(run: &Run, place: usize) -> Table {
    let row = |(i, o): (usize, &&Optimum)| {
        let mut named: Vec<String> = run
            .settings
            .names
            .iter()
            .zip(&o.x)
            .take(6)
            .map(|(n, x)| format!("{n} = {}", number(*x)))
            .collect();
        if o.x.len() > 6 {
            named.push(format!("and {} more", o.x.len() - 6));
        }
        vec![
            (i + 1).to_string(),
            o.value.map_or_else(String::new, number),
            o.found.to_string(),
            o.evaluations.to_string(),
            named.join(", "),
        ]
    };
    Table {
        id: format!("table-optima-{place}"),
        caption: "Optima, the best first; a click on a header sorts.".into(),
        header: vec!["number", "value", "found", "first after evaluations", "at"],
        rows: listed(run).iter().enumerate().map(row).collect(),
    }
}

#[cfg(test)]
mod tests {
    use super::numbers;

    #[test]
    fn numbers_that_would_lie_on_each_other_are_one_text() {
        let apart = [(0.0, 2.0), (1.0, 1.0), (2.0, 1.0)];
        assert_eq!(numbers(&apart, false), ["1", "2", "3"]);
        let two = [(0.0, 2.0), (1.0, 1.0), (1.0, 1.0)];
        assert_eq!(numbers(&two, false), ["1", "2, 3", ""]);
        // As good, and found more often: it lies above.
        let above = [(0.0, 2.0), (1.0, 1.0), (1.0, 2.0)];
        assert_eq!(numbers(&above, false), ["1", "2", "3"]);
        let many = [(1.0, 1.0), (1e3, 1.0), (1.1e3, 1.0), (1.2e3, 1.0), (1.3e3, 1.0), (1e9, 1.0)];
        assert_eq!(numbers(&many, true), ["1", "2, 3, …", "", "", "", "6"]);
        assert_eq!(numbers(&[(7.0, 1.0), (7.0, 1.0)], false), ["1, 2", ""]);
        assert_eq!(numbers(&[(0.0, 1.0); 12], false).iter().filter(|t| !t.is_empty()).count(), 1);
    }
}
