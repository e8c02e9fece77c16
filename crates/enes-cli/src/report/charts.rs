//! Charts over the course of a run: mode, model, sigma, mean, deviations, reuse, times and failures.

use std::slice::from_ref;

use super::folder::{Generation, Run};
use super::html::{Figure, rough};
use super::trace::{steps, thin};
use enes_chart::{Axis, Chart, Shape};

/// So many points of a line are drawn: more than a screen can show apart.
const MOST: usize = 700;
/// So many coordinates are drawn in one chart.
pub(super) const LINES: usize = 8;
/// So many restarts are marked.
const MARKS: usize = 60;
const BINS: usize = 30;

pub(super) type Curve = Vec<(f64, f64)>;

/// A chart of one curve per run; none where there is nothing to draw.
pub(super) fn overlay(runs: &[Run], curves: Vec<Curve>, mut chart: Chart, caption: String) -> Option<Figure> {
    if curves.iter().all(Vec::is_empty) {
        return None;
    }
    for (i, (run, curve)) in runs.iter().zip(curves).enumerate() {
        if !curve.is_empty() {
            // One curve needs no name.
            draw(&mut chart, if runs.len() > 1 { &run.label } else { "" }, i, curve);
        }
    }
    Some(Figure { svg: chart.svg(), caption })
}

/// A chart over the evaluations; dotted lines stand where another search began, where it is of one run.
pub(super) fn by_evaluations(runs: &[Run], title: &str, y: Axis) -> Chart {
    let mut chart = Chart::new(title, Axis::linear("evaluations"), y).small();
    if let [run] = runs {
        for end in thin_marks(&run.restarts) {
            chart.shape(Shape::Rule { x: end as f64 });
        }
    }
    chart
}

/// No more marks than can be told apart.
fn thin_marks(ends: &[u64]) -> impl Iterator<Item = u64> + '_ {
    ends.iter().copied().step_by(ends.len().div_ceil(MARKS).max(1))
}

/// A line; few points are marked too, as a line through one point is none.
fn draw(chart: &mut Chart, name: &str, i: usize, curve: Curve) {
    let dashed = i / LINES % 2 == 1;
    if curve.len() <= 3 {
        chart.marked(name, i, dashed, curve);
    } else {
        chart.line(name, i, dashed, thin(curve, MOST));
    }
}

pub(super) fn reused(runs: &[Run]) -> Option<Figure> {
    let curve = |run: &Run| over(&run.generations, |g| g.reused);
    let axis = Axis::linear("reused share").range(0.0, 1.02);
    let chart = by_evaluations(runs, "Reused share", axis);
    let caption = "The share of a generation's points that were kept from the one before, so cost nothing.";
    overlay(runs, runs.iter().map(curve).collect(), chart, caption.to_string())
}

/// Whether the surrogate was active in a generation; records of 0.1 say "model".
pub(super) fn is_active(mode: &str) -> bool {
    ["surrogate", "model"].contains(&mode)
}

/// What moved the search, generation by generation.
pub(super) fn modes(runs: &[Run]) -> Option<Figure> {
    let names = ["ranks", "assisting", "surrogate"].map(str::to_string);
    let place = |mode: &str| match mode {
        mode if is_active(mode) => Some(2.0),
        "assisting" => Some(1.0),
        "ranks" => Some(0.0),
        _ => None,
    };
    let curve = |run: &Run| {
        let points = over(&run.generations, |g| g.mode.as_deref().and_then(place));
        steps(&points, points.last().map_or(0.0, |p| p.0))
    };
    let chart = by_evaluations(runs, "Mode", Axis::named("", &names));
    let caption = "What moves the search: the surrogate, ranks with its assistance, or ranks alone.";
    overlay(runs, runs.iter().map(curve).collect(), chart, caption.to_string())
}

/// The error of the surrogate, and how often it was active.
pub(super) fn model_error(runs: &[Run]) -> Option<Figure> {
    let curve = |run: &Run| over(&run.generations, |g| g.error);
    let (active, all) = runs.iter().map(|run| run.active).fold((0, 0), |a, b| (a.0 + b.0, a.1 + b.1));
    let chart = by_evaluations(runs, "Error of the surrogate", Axis::linear("error E"));
    let caption = format!(
        "The error of the surrogate at points that it has not seen: 1 knows nothing, near 0 is almost exact. \
         The surrogate was active in {active} of {all} generations."
    );
    overlay(runs, runs.iter().map(curve).collect(), chart, caption)
}

/// How large generations were, where that has changed.
pub(super) fn population(runs: &[Run]) -> Option<Figure> {
    let known = |g: &Generation| (g.population > 0).then_some(g.population as f64);
    let curves: Vec<Curve> = runs.iter().map(|run| over(&run.generations, known)).collect();
    if curves.iter().all(|curve| curve.iter().all(|p| p.1 == curve[0].1)) {
        return None;
    }
    let chart = by_evaluations(runs, "Population", Axis::linear("points of a generation"));
    let caption =
        "Points of a generation: few while models predict, more where they do not, and in restarts.";
    overlay(runs, curves, chart, caption.to_string())
}

pub(super) fn trust(runs: &[Run]) -> Option<Figure> {
    // Where the surrogate is active, trust in the regression of ranks says nothing.
    let by_ranks = |g: &Generation| g.mode.is_none().then_some(g.trust).flatten();
    let curve = |run: &Run| over(&run.generations, by_ranks);
    let axis = Axis::linear("trust").range(0.0, 1.02);
    let chart = by_evaluations(runs, "Trust in the regression", axis);
    let caption = "How well the regression of ranks predicts the order of new values: 0 not at all, 1 well enough \
                   to be followed alone.";
    overlay(runs, runs.iter().map(curve).collect(), chart, caption.to_string())
}

/// Seconds from the start to the end of the last generation.
pub(super) fn seconds(run: &Run) -> Option<f64> {
    run.generations.iter().rev().find_map(|g| g.seconds)
}

fn over(generations: &[Generation], value: impl Fn(&Generation) -> Option<f64>) -> Curve {
    let point = |g: &Generation| value(g).filter(|v| v.is_finite()).map(|v| (g.evaluations as f64, v));
    generations.iter().filter_map(point).collect()
}

/// The charts of one run alone.
pub(super) fn of_one(run: &Run) -> Vec<Figure> {
    [sigma(run), means(run), deviations(run), axes(run), times(run), failures(run)]
        .into_iter()
        .flatten()
        .collect()
}

/// Named lines of one run; none where no line has a point.
fn lines(mut chart: Chart, curves: Vec<(String, Curve)>, caption: String) -> Option<Figure> {
    if curves.iter().all(|c| c.1.is_empty()) {
        return None;
    }
    for (i, (name, curve)) in curves.into_iter().enumerate() {
        draw(&mut chart, &name, i, curve);
    }
    Some(Figure { svg: chart.svg(), caption })
}

/// The overall width of the search.
fn sigma(run: &Run) -> Option<Figure> {
    let curves = positive(vec![(String::new(), over(&run.generations, Generation::sigma))]);
    let chart = by_evaluations(from_ref(run), "Sigma", Axis::log("sigma"));
    let caption =
        "The overall width of the search: the geometric mean of the axes of its ellipsoid.".to_string();
    lines(chart, curves, caption)
}

/// A curve for each of the first coordinates of the search.
fn by_coordinate(run: &Run, value: impl Fn(&Generation, usize) -> Option<f64>) -> Vec<(String, Curve)> {
    let drawn = 0..run.settings.dim.min(LINES);
    let curve = |k: usize| over(&run.generations, |g| value(g, k));
    drawn.map(|k| (run.settings.searched_name(k).to_string(), curve(k))).collect()
}

/// Says so when not all coordinates are drawn.
fn first_only(run: &Run) -> String {
    match run.settings.dim {
        dim if dim > LINES => format!(" The first {LINES} of {dim} coordinates are drawn."),
        _ => String::new(),
    }
}

fn means(run: &Run) -> Option<Figure> {
    let chart = by_evaluations(from_ref(run), "Mean by coordinate", Axis::linear("mean"));
    let caption = format!("The centre of the search, coordinate by coordinate.{}", first_only(run));
    lines(chart, by_coordinate(run, |g, k| g.mean.get(run.settings.searched[k]).copied()), caption)
}

fn deviations(run: &Run) -> Option<Figure> {
    let curves = positive(by_coordinate(run, |g, k| g.stds.get(k).copied()));
    let chart = by_evaluations(from_ref(run), "Standard deviations", Axis::log("standard deviation"));
    let caption =
        format!("How widely each coordinate is searched, in search coordinates.{}", first_only(run));
    lines(chart, curves, caption)
}

fn axes(run: &Run) -> Option<Figure> {
    let count = run.generations.iter().map(|g| g.axes.len()).max().unwrap_or(0);
    let drawn = count.min(LINES);
    // The longest, the shortest, and some evenly between them.
    let ranks: Vec<usize> =
        (0..drawn).map(|k| if drawn < 2 { 0 } else { k * (count - 1) / (drawn - 1) }).collect();
    let name = |rank: usize| match rank {
        0 => "longest".to_string(),
        r if r + 1 == count => "shortest".to_string(),
        r => format!("axis {}", r + 1),
    };
    let curve = |rank: usize| over(&run.generations, |g| g.axes.get(rank).copied());
    let curves = positive(ranks.into_iter().map(|rank| (name(rank), curve(rank))).collect());
    let chart = by_evaluations(from_ref(run), "Axis lengths", Axis::log("axis length"));
    let some = if count > drawn { format!(" {drawn} of {count} axes are drawn.") } else { String::new() };
    lines(chart, curves, format!("Lengths of the axes of the search ellipsoid, in search coordinates.{some}"))
}

/// What has a place on a logarithmic axis.
fn positive(curves: Vec<(String, Curve)>) -> Vec<(String, Curve)> {
    curves
        .into_iter()
        .map(|(name, curve)| (name, curve.into_iter().filter(|p| p.1 > 0.0).collect()))
        .collect()
}

fn times(run: &Run) -> Option<Figure> {
    let mut sorted = run.trace.seconds.items().to_vec();
    sorted.sort_by(f64::total_cmp);
    let (least, largest, sum) = run.trace.times?;
    let part = |share: f64| sorted[((sorted.len() - 1) as f64 * share) as usize];
    let median = part(0.5);
    // Times that differ by more than a screen can show on a linear axis; a few tiny ones do not count.
    let log = least > 0.0 && (largest / median > 20.0 || part(0.95) / part(0.05) > 50.0);
    let map = |v: f64| if log { v.log10() } else { v };
    let back = |v: f64| if log { 10f64.powf(v) } else { v };
    let (low, high) = (if log { map(least) } else { 0.0 }, map(largest));
    let high = if high > low { high } else { low + 1.0 };
    let width = (high - low) / BINS as f64;
    let mut counts = [0usize; BINS];
    for s in &sorted {
        counts[(((map(*s) - low) / width) as usize).min(BINS - 1)] += 1;
    }
    // A long run's are a sample: each stands for several.
    let each = run.trace.count as f64 / sorted.len() as f64;
    let top = counts.iter().copied().max().unwrap_or(1) as f64 * each * 1.05;
    let label = "seconds per evaluation";
    let axis = if log { Axis::log(label) } else { Axis::linear(label) };
    let y = Axis::linear("evaluations").range(0.0, top);
    let mut chart = Chart::new("Evaluation times", axis.range(back(low), back(high)), y).small();
    for (i, count) in counts.iter().enumerate().filter(|(_, c)| **c > 0) {
        let (from, to) = (low + width * i as f64, low + width * (i as f64 + 0.9));
        chart.shape(Shape::Cell {
            from: (back(from), 0.0),
            to: (back(to), *count as f64 * each),
            darkness: 0.8,
            colour: 0,
        });
    }
    chart.line(&format!("median {} s", rough(median)), 1, true, vec![(median, 0.0), (median, top)]);
    let caption = format!(
        "How long evaluations took: from {} to {} seconds, {} together.",
        rough(least),
        rough(largest),
        super::html::duration(sum)
    );
    Some(Figure { svg: chart.svg(), caption })
}

fn failures(run: &Run) -> Option<Figure> {
    let trace = &run.trace;
    if trace.failures == 0 {
        return None;
    }
    let mut points = vec![(0.0, 0.0)];
    points.extend(trace.failed_at.items());
    let most = trace.failures as f64;
    let axis = Axis::linear("failures").range(0.0, 1.05 * most.max(4.0));
    let chart = by_evaluations(from_ref(run), "Failures", axis);
    let share = 100.0 * most / trace.count.max(1) as f64;
    let caption = format!("Failed evaluations so far: {} of {} ({share:.1} %).", trace.failures, trace.count);
    lines(chart, vec![(String::new(), steps(&points, trace.count as f64))], caption)
}
