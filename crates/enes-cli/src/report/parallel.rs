//! Parallel coordinates: a vertical axis for each coordinate, a line for each of the best points.

use super::folder::Run;
use super::html::{Figure, number, rough};
use enes_chart::{Axis, Chart};

/// So many coordinates have room side by side.
const COORDINATES: usize = 10;
/// So many lines are drawn.
const LINES: usize = 60;

/// The best tenth of the points that have a value, within the range of all, infeasible and failed ones too; none where
/// there are few points or one coordinate.
pub(super) fn best_points(run: &Run) -> Option<Figure> {
    let evaluated = run.trace.points();
    let mut points: Vec<(f64, &[f64])> =
        evaluated.iter().filter_map(|p| Some((p.value?, p.x.as_slice()))).collect();
    let dim = run.settings.dim.min(COORDINATES);
    if dim < 2 || points.len() < 20 {
        return None;
    }
    let at = |point: &[f64], k: usize| point.get(run.settings.searched[k]).copied().unwrap_or(f64::NAN);
    let best_x = match &run.best {
        Some(told) if !told.x.is_empty() => told.x.as_slice(),
        _ => run.trace.best_x.as_slice(),
    };
    // Of a long run not every point is kept; the best is drawn in any case.
    let range = |k: usize| {
        let all = evaluated
            .iter()
            .map(|p| p.x.as_slice())
            .chain([best_x])
            .map(|x| at(x, k))
            .filter(|v| v.is_finite());
        all.fold((f64::INFINITY, f64::NEG_INFINITY), |(low, high), v| (low.min(v), high.max(v)))
    };
    let ranges: Vec<(f64, f64)> = (0..dim).map(range).collect();
    points.sort_by(|a, b| a.0.total_cmp(&b.0));
    points.truncate(points.len() / 10);
    let (best, worst) = (points.first()?.0, points.last()?.0);
    // Evenly from the best to the last of the tenth.
    let every = points.len().div_ceil(LINES);
    let points: Vec<&[f64]> = points.iter().step_by(every).map(|p| p.1).collect();
    let line = |point: &[f64]| -> Vec<(f64, f64)> {
        let place = |k: usize| {
            let (low, high) = ranges[k];
            // One value of all: the middle. Halves, so that no difference is infinite.
            let share = (0.5 * at(point, k) - 0.5 * low) / (0.5 * high - 0.5 * low);
            (k as f64, if high > low { share } else { 0.5 })
        };
        (0..dim).map(place).collect()
    };
    let names: Vec<String> = (0..dim).map(|k| run.settings.searched_name(k).to_string()).collect();
    let height = Axis::linear("share of the range").range(-0.04, 1.04);
    let mut chart = Chart::new("The best points", Axis::named("", &names), height).small();
    for (i, point) in points.iter().enumerate() {
        chart.faint(if i == 0 { "best tenth" } else { "" }, 0, line(point));
    }
    chart.marked("the best", 1, false, line(best_x));
    let list = |k: usize| format!("{} from {} to {}", names[k], rough(ranges[k].0), rough(ranges[k].1));
    let listed: Vec<String> = (0..dim).map(list).collect();
    let some = match run.settings.dim {
        all if all > dim => format!(" The first {dim} of {all} coordinates are drawn."),
        _ => String::new(),
    };
    let feasible = if run.trace.infeasible > 0 { " of the feasible points" } else { "" };
    let caption = format!(
        "Each line is a point of the best tenth{feasible}, of values from {} to {}: where the lines lie close together, \
         the coordinate is determined. Bottom and top are the range of the evaluated points: {}.{some}",
        number(best),
        number(worst),
        listed.join(", ")
    );
    Some(Figure { svg: chart.svg(), caption })
}
