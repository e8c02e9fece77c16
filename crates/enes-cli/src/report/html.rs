//! Pieces of the page: numbers and times in words, figures and tables.

use std::fmt::Write;

use enes_chart::escape;

/// A chart and what there is to say about it.
pub(super) struct Figure {
    pub(super) svg: String,
    pub(super) caption: String,
}

/// A table of text; a column of it sorts by a click on its header.
pub(super) struct Table {
    pub(super) id: String,
    pub(super) caption: String,
    pub(super) header: Vec<&'static str>,
    pub(super) rows: Vec<Vec<String>>,
}

/// Up to six digits, without zeros that say nothing.
pub(super) fn number(v: f64) -> String {
    with_digits(v, 6)
}

/// Up to three digits.
pub(super) fn rough(v: f64) -> String {
    with_digits(v, 3)
}

fn with_digits(v: f64, most: usize) -> String {
    if !v.is_finite() {
        return "not a number".to_string();
    }
    let trim = |digits: &str| match digits.contains('.') {
        true => digits.trim_end_matches('0').trim_end_matches('.').to_string(),
        false => digits.to_string(),
    };
    match v.abs() {
        0.0 => "0".to_string(),
        a if (1e-4..1e6).contains(&a) => {
            let digits = (most as i32 - 1 - a.log10().floor() as i32).max(0) as usize;
            trim(&format!("{v:.digits$}"))
        }
        _ => {
            let text = format!("{v:.*e}", most - 1);
            match text.split_once('e') {
                Some((digits, exponent)) => format!("{}e{exponent}", trim(digits)),
                None => text,
            }
        }
    }
}

/// `0.25 s`, `3 min 20 s`, `2 h 5 min`.
pub(super) fn duration(seconds: f64) -> String {
    let whole = seconds.max(0.0).round() as u64;
    match whole {
        0..60 => format!("{} s", number((seconds * 1e3).round() / 1e3)),
        60..3600 => format!("{} min {} s", whole / 60, whole % 60),
        _ => format!("{} h {} min", whole / 3600, whole % 3600 / 60),
    }
}

/// What a time axis is best counted in: the seconds in a unit, and its name.
pub(super) fn time_unit(longest: f64) -> (f64, &'static str) {
    match longest {
        t if t > 3.0 * 3600.0 => (3600.0, "hours"),
        t if t > 300.0 => (60.0, "minutes"),
        _ => (1.0, "seconds"),
    }
}

/// A long text, cut.
pub(super) fn short(text: &str, most: usize) -> String {
    if text.chars().count() <= most {
        return text.to_string();
    }
    text.chars().take(most).chain(['…']).collect()
}

pub(super) fn figures(figures: &[Figure], out: &mut String) {
    if figures.is_empty() {
        return;
    }
    out.push_str("<div class=\"figures\">");
    for figure in figures {
        let _ = write!(
            out,
            "<figure>{}<figcaption>{}</figcaption></figure>",
            figure.svg,
            escape(&figure.caption)
        );
    }
    out.push_str("</div>\n");
}

pub(super) fn table(t: &Table, out: &mut String) {
    let _ = write!(
        out,
        "<div class=\"scroll\"><table id=\"{}\"><caption>{}</caption><thead><tr>",
        t.id,
        escape(&t.caption)
    );
    for cell in &t.header {
        let _ = write!(out, "<th><button type=\"button\">{}</button></th>", escape(cell));
    }
    out.push_str("</tr></thead><tbody>");
    for row in &t.rows {
        out.push_str("<tr>");
        for (i, cell) in row.iter().enumerate() {
            let class = if cell.parse::<f64>().is_ok() { " class=\"number\"" } else { "" };
            // On a phone a row is a block, in which every cell says what it is.
            let label = t.header.get(i).map_or(String::new(), |h| format!(" data-label=\"{}\"", escape(h)));
            let _ = write!(out, "<td{class}{label}>{}</td>", escape(cell));
        }
        out.push_str("</tr>");
    }
    out.push_str("</tbody></table></div>\n");
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn numbers_and_times_read_well() {
        let words: Vec<String> =
            [0.0, 1.0, 0.1 + 0.2, -1234.5678, 1e-9, 2.5e7, 999_999.7].map(number).to_vec();
        assert_eq!(words, ["0", "1", "0.3", "-1234.57", "1e-9", "2.5e7", "1000000"]);
        assert_eq!([0.103949, 1234.0, 1.23456e-9].map(rough), ["0.104", "1234", "1.23e-9"]);
        assert_eq!(number(f64::NAN), "not a number");
        let times = [0.1234, 59.9, 200.0, 7500.0].map(duration);
        assert_eq!(times, ["0.123 s", "1 min 0 s", "3 min 20 s", "2 h 5 min"]);
    }
}
