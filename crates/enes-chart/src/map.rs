//! Drawing a map: one path for each shade, in which equal neighbours of a row are one rectangle.

use std::fmt::Write;

use super::Chart;
use super::draw::Frame;

/// Shades between nothing and the full colour.
const SHADES: usize = 20;

impl Chart {
    pub(super) fn draw_map(&self, frame: &Frame, out: &mut String) {
        let Some(map) = &self.map else { return };
        let (Some(a), Some(b)) = (self.place(frame, map.from), self.place(frame, map.to)) else { return };
        let columns = map.columns.max(1);
        let rows = map.darkness.len().div_ceil(columns).max(1);
        let (width, height) = ((b.0 - a.0) / columns as f64, (b.1 - a.1) / rows as f64);
        let shade =
            |v: &f64| if v.is_finite() { (v.clamp(0.0, 1.0) * SHADES as f64).round() as usize } else { 0 };
        let mut paths = vec![String::new(); SHADES + 1];
        for (row, cells) in map.darkness.chunks(columns).enumerate() {
            let mut at = 0;
            for equal in cells.chunk_by(|a, b| shade(a) == shade(b)) {
                let (x, y) = (a.0 + width * at as f64, a.1 + height * row as f64);
                at += equal.len();
                // A little longer than it is, so that no light shines through the seams.
                let long = width * equal.len() as f64 + 0.3;
                let _ = write!(
                    paths[shade(&equal[0])],
                    "M{x:.1} {y:.1}h{long:.1}v{:.1}h-{long:.1}z",
                    height + 0.3 * height.signum()
                );
            }
        }
        for (shade, path) in paths.iter().enumerate().skip(1).filter(|p| !p.1.is_empty()) {
            let opacity = shade as f64 / SHADES as f64;
            let colour = map.colour % 8;
            let _ = write!(
                out,
                "<path class=\"map\" fill=\"var(--c{colour})\" opacity=\"{opacity:.2}\" d=\"{path}\"/>"
            );
        }
    }
}
