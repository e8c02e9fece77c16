//! Charts as SVG text: lines, bands and marks on linear or logarithmic axes.
//!
//! Colours are CSS variables, so that a page can show a chart in light and dark; a chart written to a
//! file of its own carries its style with it.

mod axis;

use std::fmt::Write;

pub(crate) use axis::Axis;

/// Width and height of the whole chart in its own units; the page scales it.
const WIDTH: f64 = 640.0;
const HEIGHT: f64 = 400.0;
const LEFT: f64 = 74.0;
const RIGHT: f64 = 14.0;
const TOP: f64 = 34.0;
const BOTTOM: f64 = 52.0;

/// Colours that stay apart for colour-blind readers, in light and in dark.
const STYLE: &str = "\
.chart{font:13px system-ui,sans-serif;--c0:#0072b2;--c1:#d55e00;--c2:#009e73;--c3:#cc79a7;--c4:#b8860b;\
--c5:#56b4e9;--c6:#7f3fbf;--c7:#555;--fg:#222;--grid:#ddd;--bg:#fff}\
@media(prefers-color-scheme:dark){.chart{--c0:#4aa3df;--c1:#ff8c42;--c2:#2fc99a;--c3:#e59ac4;--c4:#e0b040;\
--c5:#8fd3ff;--c6:#b48cf0;--c7:#aaa;--fg:#e6e6e6;--grid:#3a3f44;--bg:#16191c}}\
.chart text{fill:var(--fg)}.chart .bg{fill:var(--bg)}.chart .grid{stroke:var(--grid);stroke-width:1}\
.chart .line{fill:none;stroke-width:2;stroke-linejoin:round}.chart .band{opacity:.18;stroke:none}\
.chart .title{font-weight:600;font-size:14px}";

/// What a series looks like.
#[derive(Clone, Debug)]
struct Series {
    name: String,
    colour: usize,
    dashed: bool,
    points: Vec<(f64, f64)>,
    /// Low and high at each x.
    band: Vec<(f64, f64, f64)>,
    marks: bool,
}

/// A chart under construction.
#[derive(Clone, Debug)]
pub(crate) struct Chart {
    title: String,
    x: Axis,
    y: Axis,
    series: Vec<Series>,
    /// Drawn below the series, in data coordinates, as finished SVG.
    under: Vec<Shape>,
    /// One unit of x is as long as one unit of y.
    square: bool,
}

/// Something drawn in data coordinates.
#[derive(Clone, Debug)]
pub(crate) enum Shape {
    /// A filled rectangle, from corner to corner, of this darkness from 0 to 1.
    Cell { from: (f64, f64), to: (f64, f64), darkness: f64 },
    /// A closed outline with a name in the legend of its colour.
    Outline { points: Vec<(f64, f64)>, colour: usize },
    /// A small cross.
    Cross { at: (f64, f64), colour: usize },
}

impl Chart {
    pub(crate) fn new(title: &str, x: Axis, y: Axis) -> Self {
        Self { title: title.to_string(), x, y, series: Vec::new(), under: Vec::new(), square: false }
    }

    /// Equal units along both axes.
    pub(crate) fn square(mut self) -> Self {
        self.square = true;
        self
    }

    pub(crate) fn shape(&mut self, shape: Shape) {
        self.under.push(shape);
    }

    /// A line; colours repeat after eight, dashes tell a second meaning.
    pub(crate) fn line(&mut self, name: &str, colour: usize, dashed: bool, points: Vec<(f64, f64)>) {
        self.push(name, colour, dashed, points, Vec::new(), false);
    }

    /// A line with a mark at each point.
    pub(crate) fn marked(&mut self, name: &str, colour: usize, dashed: bool, points: Vec<(f64, f64)>) {
        self.push(name, colour, dashed, points, Vec::new(), true);
    }

    /// A line within a band of low and high values.
    pub(crate) fn banded(
        &mut self,
        name: &str,
        colour: usize,
        points: Vec<(f64, f64)>,
        band: Vec<(f64, f64, f64)>,
    ) {
        self.push(name, colour, false, points, band, false);
    }

    fn push(
        &mut self,
        name: &str,
        colour: usize,
        dashed: bool,
        points: Vec<(f64, f64)>,
        band: Vec<(f64, f64, f64)>,
        marks: bool,
    ) {
        self.series.push(Series { name: name.to_string(), colour: colour % 8, dashed, points, band, marks });
    }

    /// The chart as one SVG element with its own style.
    pub(crate) fn svg(&self) -> String {
        let legend_rows = self.series.iter().filter(|s| !s.name.is_empty()).count().div_ceil(4);
        let height = HEIGHT + 20.0 * legend_rows as f64;
        let mut out = String::new();
        let _ = write!(
            out,
            "<svg xmlns=\"http://www.w3.org/2000/svg\" class=\"chart\" viewBox=\"0 0 {WIDTH} {height}\" \
             role=\"img\" aria-label=\"{}\"><style>{STYLE}</style>\
             <rect class=\"bg\" width=\"{WIDTH}\" height=\"{height}\"/>\
             <text class=\"title\" x=\"{LEFT}\" y=\"20\">{}</text>",
            escape(&self.title),
            escape(&self.title)
        );
        let frame = self.frame();
        self.draw_axes(&frame, &mut out);
        let _ = write!(
            out,
            "<svg x=\"{LEFT}\" y=\"{TOP}\" width=\"{w}\" height=\"{h}\" viewBox=\"{LEFT} {TOP} {w} {h}\">",
            w = WIDTH - LEFT - RIGHT,
            h = HEIGHT - TOP - BOTTOM
        );
        self.draw_shapes(&frame, &mut out);
        self.draw_series(&frame, &mut out);
        out.push_str("</svg>");
        self.draw_legend(&mut out);
        out.push_str("</svg>");
        out
    }

    fn frame(&self) -> Frame {
        let points = || self.series.iter().flat_map(|s| s.points.iter());
        let bands = || self.series.iter().flat_map(|s| s.band.iter());
        let x = self.x.extent(points().map(|p| p.0));
        let y = self.y.extent(points().map(|p| p.1).chain(bands().flat_map(|b| [b.1, b.2])));
        let (width, height) = (WIDTH - LEFT - RIGHT, HEIGHT - TOP - BOTTOM);
        if !self.square {
            return Frame { x, y };
        }
        // Widen the range that is too short for the shape of the frame.
        let unit = ((x.1 - x.0) / width).max((y.1 - y.0) / height);
        let widen = |(a, b): (f64, f64), length: f64| {
            let (middle, half) = (0.5 * (a + b), 0.5 * unit * length);
            (middle - half, middle + half)
        };
        Frame { x: widen(x, width), y: widen(y, height) }
    }

    fn place(&self, frame: &Frame, (x, y): (f64, f64)) -> Option<(f64, f64)> {
        let (mx, my) = (self.x.map(x), self.y.map(y));
        let place = (frame.across(mx), frame.up(my));
        (place.0.is_finite() && place.1.is_finite()).then_some(place)
    }

    fn draw_axes(&self, frame: &Frame, out: &mut String) {
        let (bottom, right) = (HEIGHT - BOTTOM, WIDTH - RIGHT);
        for (v, label) in self.x.ticks(frame.x) {
            let x = frame.across(v);
            let _ = write!(
                out,
                "<path class=\"grid\" d=\"M{x:.1} {TOP}V{bottom}\"/>\
                 <text x=\"{x:.1}\" y=\"{:.1}\" text-anchor=\"middle\">{label}</text>",
                bottom + 18.0
            );
        }
        for (v, label) in self.y.ticks(frame.y) {
            let y = frame.up(v);
            let _ = write!(
                out,
                "<path class=\"grid\" d=\"M{LEFT} {y:.1}H{right}\"/>\
                 <text x=\"{:.1}\" y=\"{:.1}\" text-anchor=\"end\">{label}</text>",
                LEFT - 6.0,
                y + 4.0
            );
        }
        let (mid_x, mid_y) = (0.5 * (LEFT + right), 0.5 * (TOP + bottom));
        let _ = write!(
            out,
            "<text x=\"{mid_x}\" y=\"{:.1}\" text-anchor=\"middle\">{}</text>\
             <text transform=\"translate(16 {mid_y}) rotate(-90)\" text-anchor=\"middle\">{}</text>",
            bottom + 40.0,
            escape(&self.x.label),
            escape(&self.y.label)
        );
    }

    fn draw_shapes(&self, frame: &Frame, out: &mut String) {
        for shape in &self.under {
            let _ = match shape {
                Shape::Cell { from, to, darkness } => {
                    let (Some(a), Some(b)) = (self.place(frame, *from), self.place(frame, *to)) else {
                        continue;
                    };
                    let (x, y) = (a.0.min(b.0), a.1.min(b.1));
                    write!(
                        out,
                        "<rect x=\"{x:.1}\" y=\"{y:.1}\" width=\"{:.2}\" height=\"{:.2}\" fill=\"var(--c5)\" \
                         opacity=\"{:.2}\"/>",
                        (a.0 - b.0).abs() + 0.3,
                        (a.1 - b.1).abs() + 0.3,
                        darkness
                    )
                }
                Shape::Outline { points, colour } => {
                    let places: Vec<_> = points.iter().filter_map(|p| self.place(frame, *p)).collect();
                    write!(
                        out,
                        "<path class=\"line\" stroke=\"var(--c{})\" d=\"{}Z\"/>",
                        colour % 8,
                        path(&places)
                    )
                }
                Shape::Cross { at, colour } => {
                    let Some((x, y)) = self.place(frame, *at) else { continue };
                    write!(
                        out,
                        "<path class=\"line\" stroke=\"var(--c{})\" d=\"M{:.1} {y:.1}h12M{x:.1} {:.1}v12\"/>",
                        colour % 8,
                        x - 6.0,
                        y - 6.0
                    )
                }
            };
        }
    }

    fn draw_series(&self, frame: &Frame, out: &mut String) {
        for s in &self.series {
            let colour = s.colour;
            if !s.band.is_empty() {
                let low = s.band.iter().filter_map(|&(x, low, _)| self.place(frame, (x, low)));
                let high = s.band.iter().rev().filter_map(|&(x, _, high)| self.place(frame, (x, high)));
                let outline: Vec<_> = low.chain(high).collect();
                let _ =
                    write!(out, "<path class=\"band\" fill=\"var(--c{colour})\" d=\"{}Z\"/>", path(&outline));
            }
            let places: Vec<_> = s.points.iter().filter_map(|p| self.place(frame, *p)).collect();
            let dash = if s.dashed { " stroke-dasharray=\"6 4\"" } else { "" };
            let _ = write!(
                out,
                "<path class=\"line\" stroke=\"var(--c{colour})\"{dash} d=\"{}\"/>",
                path(&places)
            );
            for (x, y) in places.iter().filter(|_| s.marks) {
                let _ =
                    write!(out, "<circle cx=\"{x:.1}\" cy=\"{y:.1}\" r=\"3\" fill=\"var(--c{colour})\"/>");
            }
        }
    }

    fn draw_legend(&self, out: &mut String) {
        let named = self.series.iter().filter(|s| !s.name.is_empty());
        for (i, s) in named.enumerate() {
            let x = LEFT - 50.0 + 150.0 * (i % 4) as f64;
            let y = HEIGHT + 8.0 + 20.0 * (i / 4) as f64;
            let dash = if s.dashed { " stroke-dasharray=\"6 4\"" } else { "" };
            let _ = write!(
                out,
                "<path class=\"line\" stroke=\"var(--c{})\"{dash} d=\"M{x} {:.1}h22\"/><text x=\"{}\" y=\"{y}\">{}</text>",
                s.colour,
                y - 4.0,
                x + 27.0,
                escape(&s.name)
            );
        }
    }
}

/// Mapped ranges of both axes.
struct Frame {
    x: (f64, f64),
    y: (f64, f64),
}

impl Frame {
    fn across(&self, v: f64) -> f64 {
        LEFT + (v - self.x.0) / (self.x.1 - self.x.0) * (WIDTH - LEFT - RIGHT)
    }

    fn up(&self, v: f64) -> f64 {
        HEIGHT - BOTTOM - (v - self.y.0) / (self.y.1 - self.y.0) * (HEIGHT - TOP - BOTTOM)
    }
}

fn path(places: &[(f64, f64)]) -> String {
    let mut d = String::new();
    for (i, (x, y)) in places.iter().enumerate() {
        let _ = write!(d, "{}{x:.1} {y:.1}", if i == 0 { 'M' } else { 'L' });
    }
    d
}

/// Text as HTML or SVG content.
pub(crate) fn escape(text: &str) -> String {
    text.replace('&', "&amp;").replace('<', "&lt;").replace('>', "&gt;").replace('"', "&quot;")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_has_no_place_is_left_out() {
        let mut chart = Chart::new("a < b", Axis::log("x"), Axis::log("y"));
        chart.line("f", 0, false, vec![(1.0, 1.0), (2.0, -1.0), (3.0, f64::NAN), (4.0, 10.0)]);
        let svg = chart.svg();
        assert!(svg.contains("a &lt; b"));
        assert!(!svg.contains("NaN") && !svg.contains("inf"), "{svg}");
    }

    #[test]
    fn an_empty_chart_is_still_a_chart() {
        let svg = Chart::new("", Axis::linear(""), Axis::log("")).svg();
        assert!(svg.starts_with("<svg") && svg.ends_with("</svg>") && !svg.contains("NaN"));
    }
}
