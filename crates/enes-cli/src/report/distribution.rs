//! The search distribution at the end: correlations, and pairs of coordinates with their ellipse.

use super::folder::Run;
use super::html::Figure;
use super::trace::Point;
use enes_chart::{Axis, Chart, Shape};

/// A larger heat map has no room for its cells.
pub(super) const HEAT_MAP: usize = 30;
/// So many coordinates are paired.
const PAIRED: usize = 4;
/// An ellipse smaller than this share of the chart gets a close-up.
const SMALL: f64 = 0.08;

/// Correlations of the final covariance; none without one, or where it would not fit.
pub(super) fn heat_map(run: &Run) -> Option<Figure> {
    let dim = run.settings.dim;
    let c = &run.covariance.as_ref()?.covariance;
    if !(2..=HEAT_MAP).contains(&dim) {
        return None;
    }
    let names: Vec<String> = (0..dim).map(|k| run.settings.searched_name(k).to_string()).collect();
    let last = dim as f64 - 0.5;
    // The first coordinate on top, as in a matrix.
    let mut chart =
        Chart::new("Correlations", Axis::named("", &names), Axis::named("", &names).range(last, -0.5))
            .small();
    for i in 0..dim {
        for j in 0..dim {
            let r = c[i][j] / (c[i][i] * c[j][j]).sqrt();
            if r.is_finite() {
                let (x, y) = (j as f64, i as f64);
                chart.shape(Shape::Cell {
                    from: (x - 0.48, y - 0.48),
                    to: (x + 0.48, y + 0.48),
                    darkness: r.abs().min(1.0),
                    colour: if r < 0.0 { 1 } else { 0 },
                });
            }
        }
    }
    chart.line("positive", 0, false, Vec::new());
    chart.line("negative", 1, false, Vec::new());
    let caption =
        "Correlations of the final search distribution, in search coordinates: the fuller the colour, \
                   the closer to 1 or -1."
            .to_string();
    Some(Figure { svg: chart.svg(), caption })
}

/// Mean and covariance in the user's coordinates.
struct Ellipse<'a> {
    mean: Vec<f64>,
    covariance: Box<dyn Fn(usize, usize) -> f64 + 'a>,
    name: &'static str,
    words: &'static str,
}

/// Charts of pairs, and what they show in words.
pub(super) fn pairs(run: &Run) -> (Vec<Figure>, String) {
    let (paired, which) = chosen(run);
    let ellipse = ellipse(run);
    let words = ellipse.as_ref().map_or("There are too few points for an ellipse yet.", |e| e.words);
    let words = format!("Evaluated points, two coordinates at a time. {words}{which}");
    let mut figures = Vec::new();
    for (k, &i) in paired.iter().enumerate() {
        for &j in &paired[k + 1..] {
            figures.extend(pair(run, (i, j), ellipse.as_ref()));
            if let Some(e) = ellipse.as_ref().filter(|e| is_small(run, (i, j), e)) {
                figures.extend(close_up(run, (i, j), e));
            }
        }
    }
    (figures, words)
}

/// The coordinates searched most widely, or the first ones while there is no covariance.
fn chosen(run: &Run) -> (Vec<usize>, String) {
    let dim = run.settings.dim;
    let mut order: Vec<usize> = (0..dim).collect();
    if dim <= PAIRED {
        return (order, String::new());
    }
    let which = match &run.covariance {
        Some(c) => {
            order.sort_by(|&a, &b| c.covariance[b][b].total_cmp(&c.covariance[a][a]));
            "of largest final variance"
        }
        None => "that come first",
    };
    order.truncate(PAIRED);
    order.sort_unstable();
    let names: Vec<&str> = order.iter().map(|&i| run.settings.searched_name(i)).collect();
    let words = format!(" Of {dim} coordinates, the {PAIRED} {which} are paired: {}.", names.join(", "));
    (order, words)
}

/// The search's own ellipse where its coordinates are the user's; else that of the latest points.
///
/// Bounds and scales bend the search coordinates. The folder gives the mean in both, and where they
/// are apart the covariance says nothing about the user's coordinates.
fn ellipse(run: &Run) -> Option<Ellipse<'_>> {
    if let (Some(c), Some(mean)) = (&run.covariance, run.mean()) {
        let same = |i: usize| {
            let (user, search, deviation) =
                (mean[run.settings.searched[i]], c.mean[i], c.covariance[i][i].sqrt());
            (user - search).abs() <= 0.5 * deviation + 1e-9 * user.abs()
        };
        if (0..run.settings.dim).all(same) {
            let covariance = Box::new(|i: usize, j: usize| c.covariance[i][j]);
            return Some(Ellipse {
                mean: c.mean.clone(),
                covariance,
                name: "one standard deviation",
                words: "The ellipse is one standard deviation of the final search distribution around its mean.",
            });
        }
    }
    let points: Vec<&Point> = run.trace.recent.iter().filter(|p| !p.failed).collect();
    if points.len() < 5 {
        return None;
    }
    let count = points.len() as f64;
    let mean: Vec<f64> =
        (0..run.settings.dim).map(|i| points.iter().map(|p| at(run, p, i)).sum::<f64>() / count).collect();
    let centre = mean.clone();
    let covariance = Box::new(move |i: usize, j: usize| {
        points.iter().map(|p| (at(run, p, i) - centre[i]) * (at(run, p, j) - centre[j])).sum::<f64>()
            / (count - 1.0)
    });
    Some(Ellipse {
        mean,
        covariance,
        name: "deviation of the latest",
        words: "The ellipse is one standard deviation of the latest points around their mean, as there is no \
                covariance in these coordinates.",
    })
}

impl Ellipse<'_> {
    fn deviation(&self, i: usize) -> f64 {
        (self.covariance)(i, i).sqrt()
    }

    /// The outline for two coordinates; empty where there is none.
    fn outline(&self, i: usize, j: usize) -> Vec<(f64, f64)> {
        let (a, b, c) = ((self.covariance)(i, i), (self.covariance)(i, j), (self.covariance)(j, j));
        let across = a.sqrt();
        let tilt = b / across;
        let up = (c - tilt * tilt).max(0.0).sqrt();
        if !(across > 0.0 && tilt.is_finite() && up.is_finite()) {
            return Vec::new();
        }
        let point = |k: usize| {
            let (sin, cos) = (k as f64 / 72.0 * std::f64::consts::TAU).sin_cos();
            (self.mean[i] + across * cos, self.mean[j] + tilt * cos + up * sin)
        };
        (0..=72).map(point).collect()
    }
}

fn axis(run: &Run, i: usize) -> Axis {
    Axis::linear(run.settings.searched_name(i))
}

fn title(run: &Run, (i, j): (usize, usize)) -> String {
    format!("{} and {}", run.settings.searched_name(i), run.settings.searched_name(j))
}

/// A coordinate of the search, as the user counts it.
fn at(run: &Run, point: &Point, k: usize) -> f64 {
    point.x[run.settings.searched[k]]
}

fn places<'a>(
    run: &Run,
    points: impl Iterator<Item = &'a Point>,
    failed: bool,
    (i, j): (usize, usize),
) -> Vec<(f64, f64)> {
    points.filter(|p| p.failed == failed).map(|p| (at(run, p, i), at(run, p, j))).collect()
}

fn pair(run: &Run, (i, j): (usize, usize), ellipse: Option<&Ellipse<'_>>) -> Option<Figure> {
    let trace = &run.trace;
    if trace.points().is_empty() {
        return None;
    }
    let mut chart = Chart::new(&title(run, (i, j)), axis(run, i), axis(run, j)).small();
    chart.dots("evaluated", 7, places(run, trace.points().iter(), false, (i, j)));
    let failed = places(run, trace.points().iter(), true, (i, j));
    if !failed.is_empty() {
        chart.dots("failed", 3, failed);
    }
    chart.dots("latest", 0, places(run, trace.recent.iter(), false, (i, j)));
    draw_ellipse(&mut chart, (i, j), ellipse);
    let thinned = match trace.points().len() as u64 {
        shown if shown < trace.count => {
            format!(" {shown} of {} points and the latest ones are drawn.", trace.count)
        }
        _ => String::new(),
    };
    let caption = format!("Points of the whole run.{thinned}");
    Some(Figure { svg: chart.svg(), caption })
}

fn draw_ellipse(chart: &mut Chart, (i, j): (usize, usize), ellipse: Option<&Ellipse<'_>>) {
    if let Some(e) = ellipse {
        let outline = e.outline(i, j);
        if !outline.is_empty() {
            chart.shape(Shape::Cross { at: (e.mean[i], e.mean[j]), colour: 1 });
            chart.line(e.name, 1, false, outline);
        }
    }
}

fn is_small(run: &Run, (i, j): (usize, usize), e: &Ellipse<'_>) -> bool {
    let small = |k: usize| {
        let all = run.trace.points().iter().map(|p| at(run, p, k)).filter(|v| v.is_finite());
        let (low, high) = all.fold((f64::INFINITY, f64::NEG_INFINITY), |(a, b), v| (a.min(v), b.max(v)));
        2.0 * e.deviation(k) < SMALL * (high - low)
    };
    small(i) || small(j)
}

fn close_up(run: &Run, (i, j): (usize, usize), e: &Ellipse<'_>) -> Option<Figure> {
    let range = |k: usize| {
        // Closer than that, ticks have no digits to tell them apart.
        let half = (4.0 * e.deviation(k)).max(1e-6 * e.mean[k].abs());
        (half > 0.0 && half.is_finite()).then(|| (e.mean[k] - half, e.mean[k] + half))
    };
    let (x, y) = (range(i)?, range(j)?);
    let mut chart = Chart::new(
        &format!("{}, close up", title(run, (i, j))),
        axis(run, i).range(x.0, x.1),
        axis(run, j).range(y.0, y.1),
    )
    .small();
    let near = |p: &(f64, f64)| (x.0..=x.1).contains(&p.0) && (y.0..=y.1).contains(&p.1);
    let inside = |points: Vec<(f64, f64)>| points.into_iter().filter(near).collect::<Vec<_>>();
    chart.dots("evaluated", 7, inside(places(run, run.trace.points().iter(), false, (i, j))));
    let failed = run.trace.points().iter().chain(&run.trace.recent);
    let failed = inside(places(run, failed, true, (i, j)));
    if !failed.is_empty() {
        chart.dots("failed", 3, failed);
    }
    chart.dots("latest", 0, inside(places(run, run.trace.recent.iter(), false, (i, j))));
    draw_ellipse(&mut chart, (i, j), Some(e));
    let caption = "The same around the mean, where the ellipse would be too small to see.".to_string();
    Some(Figure { svg: chart.svg(), caption })
}
