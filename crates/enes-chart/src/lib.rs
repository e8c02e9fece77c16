//! Charts as SVG text: lines, bands, marks and dots on linear or logarithmic axes.
//!
//! Colours are CSS variables, so that a page can show a chart in light and dark; a chart written to a
//! file of its own carries its style with it.
//!
//! ```
//! use enes_chart::{Axis, Chart};
//!
//! let mut chart = Chart::new("Squares", Axis::linear("x"), Axis::log("x²"));
//! chart.marked("f", 0, false, vec![(1.0, 1.0), (2.0, 4.0), (3.0, 9.0)]);
//! assert!(chart.svg().starts_with("<svg"));
//! ```

mod axis;
mod draw;
mod map;
mod text;

use std::fmt::Write;

pub use axis::Axis;

/// The style of a page with charts, tables and claims.
pub const PAGE_STYLE: &str = include_str!("page.css");
/// The script of such a page: a click on a header sorts its table.
pub const PAGE_SCRIPT: &str = include_str!("page.js");

/// Width and height of the whole chart in its own units; the page scales it.
const LARGE: (f64, f64) = (640.0, 400.0);
/// The same for a chart whose letters can be read on a phone.
const SMALL: (f64, f64) = (440.0, 290.0);
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
.chart .dots{fill:none;stroke-width:4;stroke-linecap:round;opacity:.55}\
.chart .large{stroke-width:11;stroke-linecap:round}.chart .key{stroke-width:9;opacity:1}\
.chart .title{font-weight:600;font-size:14px}.chart .rule{stroke:var(--fg);stroke-width:1;stroke-dasharray:2 3;opacity:.6}\
.chart .faint{fill:none;stroke-width:1;opacity:.4}";

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
    /// Dots, and no line between them.
    dots: bool,
    /// A thin line that others may lie over.
    faint: bool,
    /// A text for each point; points with texts are large, and have no line between them.
    texts: Vec<String>,
}

impl Series {
    fn new(name: &str, colour: usize, points: Vec<(f64, f64)>) -> Self {
        let name = name.to_string();
        let texts = Vec::new();
        Self {
            name,
            colour: colour % 8,
            dashed: false,
            points,
            band: Vec::new(),
            marks: false,
            dots: false,
            faint: false,
            texts,
        }
    }
}

/// A chart under construction.
#[derive(Clone, Debug)]
pub struct Chart {
    title: String,
    x: Axis,
    y: Axis,
    series: Vec<Series>,
    /// Drawn below the series, in data coordinates, as finished SVG.
    under: Vec<Shape>,
    /// Drawn below everything else.
    map: Option<Map>,
    /// One unit of x is as long as one unit of y.
    square: bool,
    /// Width and height, without the legend.
    size: (f64, f64),
}

/// Something drawn in data coordinates.
#[derive(Clone, Debug)]
pub enum Shape {
    /// A filled rectangle, from corner to corner, of this darkness from 0 to 1.
    Cell {
        /// A corner.
        from: (f64, f64),
        /// The opposite one.
        to: (f64, f64),
        /// From 0 to 1.
        darkness: f64,
        /// The number of the colour.
        colour: usize,
    },
    /// A closed outline with a name in the legend of its colour.
    Outline {
        /// Its corners.
        points: Vec<(f64, f64)>,
        /// The number of the colour.
        colour: usize,
    },
    /// A small cross.
    Cross {
        /// Its centre.
        at: (f64, f64),
        /// The number of the colour.
        colour: usize,
    },
    /// A dotted line from bottom to top.
    Rule {
        /// Where it stands.
        x: f64,
    },
}

/// A picture of a function of two numbers: cells of one size, dark where it is 1.
#[derive(Clone, Debug)]
pub struct Map {
    /// The corner of the first cell.
    pub from: (f64, f64),
    /// The corner opposite to it.
    pub to: (f64, f64),
    /// Cells in a row.
    pub columns: usize,
    /// From 0 to 1, row after row.
    pub darkness: Vec<f64>,
    /// The number of the colour.
    pub colour: usize,
}

impl Chart {
    /// An empty chart.
    pub fn new(title: &str, x: Axis, y: Axis) -> Self {
        Self {
            title: title.to_string(),
            x,
            y,
            series: Vec::new(),
            under: Vec::new(),
            map: None,
            square: false,
            size: LARGE,
        }
    }

    /// Two thirds as wide, so that the letters can be read on a phone, and three charts have room on a desktop.
    pub fn small(mut self) -> Self {
        self.size = SMALL;
        self
    }

    /// Equal units along both axes.
    pub fn square(mut self) -> Self {
        self.square = true;
        self
    }

    /// A map under everything else.
    pub fn map(&mut self, map: Map) {
        self.map = Some(map);
    }

    /// Something under the series.
    pub fn shape(&mut self, shape: Shape) {
        self.under.push(shape);
    }

    /// A line; colours repeat after eight, dashes tell a second meaning.
    pub fn line(&mut self, name: &str, colour: usize, dashed: bool, points: Vec<(f64, f64)>) {
        self.series.push(Series { dashed, ..Series::new(name, colour, points) });
    }

    /// A thin line, for many of them; the first with its name has a place in the legend.
    pub fn faint(&mut self, name: &str, colour: usize, points: Vec<(f64, f64)>) {
        self.series.push(Series { faint: true, ..Series::new(name, colour, points) });
    }

    /// A line with a mark at each point.
    pub fn marked(&mut self, name: &str, colour: usize, dashed: bool, points: Vec<(f64, f64)>) {
        self.series.push(Series { dashed, marks: true, ..Series::new(name, colour, points) });
    }

    /// Dots without a line.
    pub fn dots(&mut self, name: &str, colour: usize, points: Vec<(f64, f64)>) {
        self.series.push(Series { dots: true, ..Series::new(name, colour, points) });
    }

    /// Large points with a text above each.
    pub fn labelled(&mut self, name: &str, colour: usize, points: Vec<(f64, f64)>, texts: Vec<String>) {
        self.series.push(Series { texts, ..Series::new(name, colour, points) });
    }

    /// A line within a band of low and high values.
    pub fn banded(&mut self, name: &str, colour: usize, points: Vec<(f64, f64)>, band: Vec<(f64, f64, f64)>) {
        self.series.push(Series { band, ..Series::new(name, colour, points) });
    }

    /// The chart as one SVG element with its own style.
    pub fn svg(&self) -> String {
        let (width, body) = self.size;
        let height = body + 20.0 * self.legend_rows() as f64;
        let mut out = String::new();
        let _ = write!(
            out,
            "<svg xmlns=\"http://www.w3.org/2000/svg\" class=\"chart\" viewBox=\"0 0 {width} {height}\" \
             role=\"img\" aria-label=\"{}\"><style>{STYLE}</style>\
             <rect class=\"bg\" width=\"{width}\" height=\"{height}\"/>\
             <text class=\"title\" x=\"{LEFT}\" y=\"20\">{}</text>",
            escape(&self.title),
            escape(&text::fit(&self.title, 0.85 * (width - LEFT) - 20.0)) // in larger letters than others
        );
        let frame = self.frame();
        self.draw_axes(&frame, &mut out);
        let _ = write!(
            out,
            "<svg x=\"{left:.1}\" y=\"{TOP}\" width=\"{w:.1}\" height=\"{h}\" \
             viewBox=\"{left:.1} {TOP} {w:.1} {h}\">",
            left = frame.left,
            w = width - frame.left - RIGHT,
            h = body - TOP - BOTTOM
        );
        self.draw_map(&frame, &mut out);
        self.draw_shapes(&frame, &mut out);
        self.draw_series(&frame, &mut out);
        out.push_str("</svg>");
        self.draw_legend(&mut out);
        out.push_str("</svg>");
        out
    }
}

/// Text as HTML or SVG content.
pub fn escape(text: &str) -> String {
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
    fn names_dots_and_far_values_are_drawn_within_reason() {
        let names = ["a <".to_string(), "b".to_string()];
        let mut chart = Chart::new("t", Axis::named("", &names), Axis::linear("").range(0.0, 1.0));
        chart.dots("points", 9, vec![(0.0, 0.5), (1.0, 1e300), (f64::INFINITY, 0.0)]);
        let svg = chart.svg();
        assert!(svg.contains("a &lt;") && svg.contains("class=\"dots\" stroke=\"var(--c1)\""), "{svg}");
        assert!(!svg.contains("NaN") && !svg.contains("inf") && !svg.contains("0000000"), "{svg}");
    }

    #[test]
    fn equal_neighbours_of_a_map_are_one_rectangle() {
        let mut chart = Chart::new("", Axis::linear("").range(0.0, 4.0), Axis::linear("").range(0.0, 1.0));
        let darkness = vec![0.0, 0.51, 0.52, 1.0];
        chart.map(Map { from: (0.0, 0.0), to: (4.0, 1.0), columns: 4, darkness, colour: 5 });
        let svg = chart.svg();
        assert_eq!(svg.matches("class=\"map\"").count(), 2, "{svg}");
    }

    #[test]
    fn an_empty_chart_is_still_a_chart() {
        let svg = Chart::new("", Axis::linear(""), Axis::log("")).svg();
        assert!(svg.starts_with("<svg") && svg.ends_with("</svg>") && !svg.contains("NaN"));
    }
}
