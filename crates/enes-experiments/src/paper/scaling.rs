//! Time, memory and digits: the paper's recursion and the closed form.

use enes_measure::exponent;

use crate::measurement::{CLOSED, DIGITS_DIMENSION, Measurement, RECURSION};
use crate::section::{Section, Table, Verdict};
use enes_chart::{Axis, Chart};

pub(crate) const NAME: &str = "scaling";

fn points(all: &[Measurement], what: &str, method: &str) -> Vec<(f64, f64)> {
    let chosen = all.iter().filter(|m| m.what == what && m.method == method);
    let mut points: Vec<(f64, f64)> = chosen.map(|m| (m.x, m.value)).collect();
    points.sort_by(|a, b| a.0.total_cmp(&b.0));
    points
}

/// The exponent of the upper half, where constants no longer matter.
fn growth(points: &[(f64, f64)]) -> f64 {
    exponent(&points[points.len() / 2..])
}

pub(crate) fn section(all: &[Measurement]) -> Section {
    let mut section = Section::new(
        NAME,
        "Cost of a generation",
        "Time and memory of one generation with n = 4d, for the paper's recursion (plain loops, as printed) and for \
         the closed form of this library; one thread, the fastest of several generations. And the digits that the \
         recursion loses as the condition number of A grows.",
    );
    for (what, title, label) in [
        ("time", "Time per generation, n = 4d", "seconds"),
        ("memory", "Peak memory beyond a small run, n = 4d", "bytes"),
    ] {
        let mut chart = Chart::new(title, Axis::log("dimension d"), Axis::log(label));
        for (colour, method) in [CLOSED, RECURSION].into_iter().enumerate() {
            let points = points(all, what, method).into_iter().filter(|p| p.1 > 0.0).collect();
            chart.marked(method, colour, false, points);
        }
        section.figure(format!("scaling-{what}"), chart.svg(), format!("{title}."));
    }
    let title = format!("Error of the gradient, d = {DIGITS_DIMENSION}");
    let mut chart =
        Chart::new(&title, Axis::log("condition number of A"), Axis::log("relative error").range(1e-17, 1e3));
    for (colour, method) in [CLOSED, RECURSION].into_iter().enumerate() {
        chart.marked(method, colour, false, points(all, "digits", method));
    }
    section.figure(
        "scaling-digits",
        chart.svg(),
        "Relative error against an answer known without a solve; median of 11.",
    );
    section.tables.push(Table::new(
        "scaling",
        "All measurements: x is the dimension, or the condition number where digits are measured.",
        &["what", "method", "x", "value"],
        all.iter()
            .map(|m| vec![m.what.clone(), m.method.clone(), m.x.to_string(), format!("{:.3e}", m.value)])
            .collect(),
    ));
    claims(all, &mut section);
    section
}

fn claims(all: &[Measurement], section: &mut Section) {
    let (closed, recursion) = (points(all, "time", CLOSED), points(all, "time", RECURSION));
    let (a, b) = (growth(&recursion), growth(&closed));
    section.claim(
        "A generation takes O(n d³), so d⁴ for n proportional to d.",
        format!("the recursion's time grows as d^{a:.1}; the closed form, O(n d² + d³), as d^{b:.1}"),
        Verdict::of((3.0..4.6).contains(&a)),
    );
    let shared = recursion
        .iter()
        .rev()
        .find_map(|&(d, slow)| closed.iter().find(|(x, _)| *x == d).map(|&(_, fast)| (d, slow / fast)));
    if let Some((d, ratio)) = shared {
        section.claim(
            "(closed form against the recursion)",
            format!("at d = {d} the closed form is {ratio:.0} times faster"),
            Verdict::NotClaimed,
        );
    }
    // Below this a page or two decides.
    let grows = |method: &str| {
        let measured: Vec<_> = points(all, "memory", method).into_iter().filter(|p| p.1 > 3e5).collect();
        (measured.len() >= 3).then(|| exponent(&measured))
    };
    if let (Some(printed), Some(closed)) = (grows(RECURSION), grows(CLOSED)) {
        section.claim(
            "Space is O(d² + n d), so d² for n proportional to d.",
            format!(
                "the memory of the recursion, which is what the paper speaks of, grows as d^{printed:.1} here; that of the \
                 closed form as d^{closed:.1}"
            ),
            Verdict::of((1.5..2.3).contains(&printed)),
        );
    }
    let worst = |method: &str| points(all, "digits", method).last().copied().unwrap_or((f64::NAN, f64::NAN));
    let ((condition, slow), (_, fast)) = (worst(RECURSION), worst(CLOSED));
    section.claim(
        "(numerical accuracy)",
        format!("at condition {condition:.0e} the recursion's relative error is {slow:.0e}, the closed form's {fast:.0e}"),
        Verdict::NotClaimed,
    );
}
