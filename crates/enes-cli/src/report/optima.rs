//! The optima that searches have ended in: what they are worth, how often they were found, where they lie.

use enes_chart::{Axis, Chart};

use super::folder::{Optimum, Run};
use super::html::{Figure, Table, number};

/// So many are drawn and listed: the best.
const MOST: usize = 50;

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
    let values = if positive { Axis::log("value") } else { Axis::linear("value") };
    let axis = Axis::linear("searches that ended there").range(0.0, 1.1 * most);
    let mut chart = Chart::new("Optima: how good, and how often found", values, axis).small();
    let texts = (1..=points.len()).map(|i| if i <= 9 { i.to_string() } else { String::new() }).collect();
    chart.labelled("optima", 0, points, texts);
    let caption = format!(
        "{} optima in which searches converged, numbered from the best; each was found as often as it is high.",
        optima.len()
    );
    let mut figures = vec![Figure { svg: chart.svg(), caption }];
    figures.extend(places(run, &optima));
    figures
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
