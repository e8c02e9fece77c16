//! Drawing a chart: where things go, and the SVG elements for them.

use std::fmt::Write;

use super::{BOTTOM, Chart, LARGE, LEFT, RIGHT, Series, Shape, TOP, escape, text};

/// Mapped ranges of both axes, and where the frame begins.
pub(super) struct Frame {
    x: (f64, f64),
    y: (f64, f64),
    pub(super) left: f64,
    /// Of the whole chart, without the legend.
    size: (f64, f64),
}

impl Frame {
    fn across(&self, v: f64) -> f64 {
        self.left + (v - self.x.0) / (self.x.1 - self.x.0) * (self.size.0 - self.left - RIGHT)
    }

    fn up(&self, v: f64) -> f64 {
        let height = self.size.1;
        height - BOTTOM - (v - self.y.0) / (self.y.1 - self.y.0) * (height - TOP - BOTTOM)
    }
}

impl Series {
    fn dash(&self) -> &'static str {
        if self.dashed { " stroke-dasharray=\"6 4\"" } else { "" }
    }
}

impl Chart {
    pub(super) fn frame(&self) -> Frame {
        let points = || self.series.iter().flat_map(|s| s.points.iter());
        let bands = || self.series.iter().flat_map(|s| s.band.iter());
        let x = self.x.extent(points().map(|p| p.0));
        let y = self.y.extent(points().map(|p| p.1).chain(bands().flat_map(|b| [b.1, b.2])));
        // Long tick labels push the frame to the right.
        let labels = self.y.ticks(y).into_iter().map(|t| text::width(&short(&t.1)));
        let left = labels.fold(LEFT, |left, width| left.max(width + 28.0));
        let size = self.size;
        let (width, height) = (size.0 - left - RIGHT, size.1 - TOP - BOTTOM);
        if !self.square {
            return Frame { x, y, left, size };
        }
        // Widen the range that is too short for the shape of the frame.
        let unit = ((x.1 - x.0) / width).max((y.1 - y.0) / height);
        let widen = |(a, b): (f64, f64), length: f64| {
            let (middle, half) = (0.5 * (a + b), 0.5 * unit * length);
            (middle - half, middle + half)
        };
        Frame { x: widen(x, width), y: widen(y, height), left, size }
    }

    pub(super) fn place(&self, frame: &Frame, (x, y): (f64, f64)) -> Option<(f64, f64)> {
        let (mx, my) = (self.x.map(x), self.y.map(y));
        let place = (frame.across(mx), frame.up(my));
        // Far outside is outside: no renderer needs a number of a hundred digits.
        let near = |v: f64| v.clamp(-1e5, 1e5);
        (place.0.is_finite() && place.1.is_finite()).then(|| (near(place.0), near(place.1)))
    }

    pub(super) fn draw_axes(&self, frame: &Frame, out: &mut String) {
        let (bottom, right, left) = (self.size.1 - BOTTOM, self.size.0 - RIGHT, frame.left);
        let ticks = self.x.ticks(frame.x).into_iter().map(|(v, label)| (frame.across(v), short(&label)));
        let ticks: Vec<_> = ticks.collect();
        let widest = ticks.iter().map(|t| text::width(&t.1)).fold(0.0, f64::max);
        // In a small chart letters are larger: long labels at the corner must not meet those of the other axis.
        let below = if self.size == LARGE { 18.0 } else { 21.0 };
        for (x, label) in apart(&ticks, widest + 6.0) {
            if self.x.has_grid() {
                let _ = write!(out, "<path class=\"grid\" d=\"M{x:.1} {TOP}V{bottom}\"/>");
            }
            // The last label stays within the chart.
            let x = x.min(self.size.0 - 2.0 - 0.5 * text::width(label));
            let _ = write!(
                out,
                "<text x=\"{x:.1}\" y=\"{:.1}\" text-anchor=\"middle\">{}</text>",
                bottom + below,
                escape(label)
            );
        }
        let ticks = self.y.ticks(frame.y).into_iter().map(|(v, label)| (frame.up(v), short(&label)));
        let ticks: Vec<_> = ticks.collect();
        for (y, label) in apart(&ticks, 16.0) {
            if self.y.has_grid() {
                let _ = write!(out, "<path class=\"grid\" d=\"M{left:.1} {y:.1}H{right}\"/>");
            }
            let _ = write!(
                out,
                "<text x=\"{:.1}\" y=\"{:.1}\" text-anchor=\"end\">{}</text>",
                left - 6.0,
                y + 4.0,
                escape(label)
            );
        }
        let (mid_x, mid_y) = (0.5 * (left + right), 0.5 * (TOP + bottom));
        let _ = write!(
            out,
            "<text x=\"{mid_x:.1}\" y=\"{:.1}\" text-anchor=\"middle\">{}</text>\
             <text transform=\"translate(16 {mid_y}) rotate(-90)\" text-anchor=\"middle\">{}</text>",
            bottom + 40.0,
            escape(&text::fit(&self.x.label, right - left)),
            escape(&text::fit(&self.y.label, bottom - TOP + 30.0))
        );
    }

    pub(super) fn draw_shapes(&self, frame: &Frame, out: &mut String) {
        for shape in &self.under {
            let _ = match shape {
                Shape::Cell { from, to, darkness, colour } => {
                    let (Some(a), Some(b)) = (self.place(frame, *from), self.place(frame, *to)) else {
                        continue;
                    };
                    let (x, y) = (a.0.min(b.0), a.1.min(b.1));
                    write!(
                        out,
                        "<rect x=\"{x:.1}\" y=\"{y:.1}\" width=\"{:.2}\" height=\"{:.2}\" fill=\"var(--c{})\" \
                         opacity=\"{:.2}\"/>",
                        (a.0 - b.0).abs() + 0.3,
                        (a.1 - b.1).abs() + 0.3,
                        colour % 8,
                        if darkness.is_finite() { *darkness } else { 0.0 }
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
                Shape::Rule { x } => {
                    let x = frame.across(self.x.map(*x));
                    if !x.is_finite() {
                        continue;
                    }
                    write!(out, "<path class=\"rule\" d=\"M{x:.1} {TOP}V{:.1}\"/>", self.size.1 - BOTTOM)
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

    pub(super) fn draw_series(&self, frame: &Frame, out: &mut String) {
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
            if s.dots {
                // One path for all of them: a tenth of the size of as many circles.
                let dots: String = places.iter().map(|(x, y)| format!("M{x:.1} {y:.1}h0")).collect();
                let _ = write!(out, "<path class=\"dots\" stroke=\"var(--c{colour})\" d=\"{dots}\"/>");
                continue;
            }
            if !s.texts.is_empty() {
                for ((x, y), label) in places.iter().zip(&s.texts) {
                    let _ = write!(
                        out,
                        "<path class=\"large\" stroke=\"var(--c{colour})\" d=\"M{x:.1} {y:.1}h0\"/>"
                    );
                    if !label.is_empty() {
                        let (above, label) = (y - 9.0, escape(label));
                        let _ = write!(
                            out,
                            "<text x=\"{x:.1}\" y=\"{above:.1}\" text-anchor=\"middle\">{label}</text>"
                        );
                    }
                }
                continue;
            }
            let _ = write!(
                out,
                "<path class=\"{}\" stroke=\"var(--c{colour})\"{} d=\"{}\"/>",
                if s.faint { "faint" } else { "line" },
                s.dash(),
                path(&places)
            );
            for (x, y) in places.iter().filter(|_| s.marks) {
                let _ =
                    write!(out, "<circle cx=\"{x:.1}\" cy=\"{y:.1}\" r=\"3\" fill=\"var(--c{colour})\"/>");
            }
        }
    }

    /// Four names a row, or two where they are long; three or one in a small chart.
    fn legend_columns(&self) -> usize {
        let widest = self.series.iter().map(|s| text::width(&s.name)).fold(0.0, f64::max);
        let large = self.size == LARGE;
        match (large, widest) {
            (true, ..=121.0) => 4,
            (true, _) => 2,
            (false, ..=104.0) => 3,
            (false, ..=170.0) => 2,
            (false, _) => 1,
        }
    }

    pub(super) fn legend_rows(&self) -> usize {
        self.series.iter().filter(|s| !s.name.is_empty()).count().div_ceil(self.legend_columns())
    }

    pub(super) fn draw_legend(&self, out: &mut String) {
        let columns = self.legend_columns();
        let room = (self.size.0 - 40.0) / columns as f64;
        let named = self.series.iter().filter(|s| !s.name.is_empty());
        for (i, s) in named.enumerate() {
            let x = LEFT - 50.0 + room * (i % columns) as f64;
            let y = self.size.1 + 8.0 + 20.0 * (i / columns) as f64;
            let (class, d) = match (s.dots, s.texts.is_empty()) {
                (true, _) => ("dots key", "m11 0h0"),
                (_, false) => ("large", "m11 0h0"),
                _ => ("line", "h22"),
            };
            let _ = write!(
                out,
                "<path class=\"{class}\" stroke=\"var(--c{})\"{} d=\"M{x} {:.1}{d}\"/><text x=\"{}\" y=\"{y}\">{}</text>",
                s.colour,
                s.dash(),
                y - 4.0,
                x + 27.0,
                escape(&text::fit(&s.name, room - 29.0))
            );
        }
    }
}

/// A tick label is at most this long.
fn short(label: &str) -> String {
    text::fit(label, 120.0)
}

/// Every tick, or every second, third, … where their labels would meet.
fn apart(ticks: &[(f64, String)], room: f64) -> impl Iterator<Item = &(f64, String)> {
    let near = ticks.windows(2).map(|w| (w[1].0 - w[0].0).abs()).fold(f64::INFINITY, f64::min);
    let every = (room / near.max(0.1)).ceil().max(1.0) as usize;
    ticks.iter().step_by(every)
}

fn path(places: &[(f64, f64)]) -> String {
    let mut d = String::new();
    for (i, (x, y)) in places.iter().enumerate() {
        let _ = write!(d, "{}{x:.1} {y:.1}", if i == 0 { 'M' } else { 'L' });
    }
    d
}
