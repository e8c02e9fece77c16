//! The page: one self-contained file with the summary, the runs laid over each other, and each run.

use std::fmt::Write;

use super::folder::Run;
use super::html::{Figure, figures, table};
use super::{charts, constraints, distribution, optima, parallel, summary, values};
use enes_chart::{PAGE_SCRIPT, PAGE_STYLE, escape};

/// What the report adds to the style of a page.
const OWN_STYLE: &str = include_str!("report.css");

/// The page; `script` is put after its own.
pub(super) fn page(runs: &[Run], script: &str) -> String {
    let title = match runs {
        [run] => format!("Report of {}", run.label),
        _ => format!("Report of {} runs", runs.len()),
    };
    let title = escape(&title);
    let mut out = format!(
        "<!doctype html>\n<html lang=\"en\"><head><meta charset=\"utf-8\">\
         <meta name=\"viewport\" content=\"width=device-width,initial-scale=1\">\
         <title>{title}</title><style>{PAGE_STYLE}{OWN_STYLE}</style></head><body><main>\n<h1>{title}</h1>\n\
         <p id=\"source\">Written by <code>enes report</code> {}.</p>\n",
        env!("CARGO_PKG_VERSION")
    );
    if runs.len() > 1 {
        out.push_str("<nav><a href=\"#progress\">Progress</a>");
        for (i, run) in runs.iter().enumerate() {
            let _ = write!(out, "<a href=\"#run-{}\">{}</a>", i + 1, escape(&run.label));
        }
        out.push_str("</nav>\n");
    }
    let _ = write!(out, "<section id=\"summary\"{}>", if runs.len() == 1 { " class=\"one\"" } else { "" });
    table(&summary::summary(runs), &mut out);
    out.push_str("</section>\n");
    let progress: Vec<Figure> = [
        values::best_by_evaluations(runs),
        values::distance_to_best(runs),
        values::best_by_time(runs),
        charts::modes(runs),
        charts::model_error(runs),
        charts::trust(runs),
        charts::population(runs),
        charts::reused(runs),
    ]
    .into_iter()
    .flatten()
    .collect();
    if !progress.is_empty() {
        out.push_str("<section id=\"progress\"><h2>Progress</h2>");
        figures(&progress, &mut out);
        out.push_str("</section>\n");
    }
    for (i, run) in runs.iter().enumerate() {
        section(run, i + 1, &mut out);
    }
    let _ = writeln!(out, "</main><script>{PAGE_SCRIPT}{script}</script></body></html>");
    out
}

/// What is shown of one run alone.
fn section(run: &Run, place: usize, out: &mut String) {
    let _ = writeln!(
        out,
        "<section id=\"run-{place}\"><h2>{}</h2><p>Folder: <code>{}</code></p><div class=\"one\">",
        escape(&run.label),
        escape(&run.folder.display().to_string())
    );
    table(&summary::settings(run, place), out);
    out.push_str("</div>\n");
    for note in notes(run) {
        let _ = writeln!(out, "<p>{}</p>", escape(&note));
    }
    let mut alone = charts::of_one(run);
    alone.extend(constraints::trade(run));
    alone.extend(parallel::best_points(run));
    alone.extend(distribution::heat_map(run));
    figures(&alone, out);
    if let Some(t) = constraints::table(run, place) {
        table(&t, out);
    }
    // What the run has found: its searches, each with its best point.
    if let Some(t) = summary::searches(run, place) {
        table(&t, out);
    }
    optima(run, place, out);
    if let Some(t) = summary::failures(run, place) {
        table(&t, out);
    }
    let (pairs, words) = distribution::pairs(run);
    if !pairs.is_empty() {
        let _ = writeln!(out, "<h3>Pairs of coordinates</h3><p>{}</p>", escape(&words));
        figures(&pairs, out);
    }
    if let Some(t) = summary::best_point(run, place) {
        let _ = write!(out, "<details><summary>The best point, {} values</summary>", t.rows.len());
        table(&t, out);
        out.push_str("</details>");
    }
    out.push_str("</section>\n");
}

/// The optima that searches ended in, where there is more than one of them to tell apart.
fn optima(run: &Run, place: usize, out: &mut String) {
    let pictures = optima::pictures(run);
    if !pictures.is_empty() {
        out.push_str("<h3>Optima</h3>");
        figures(&pictures, out);
        table(&optima::table(run, place), out);
    }
}

/// What is missing, and why.
fn notes(run: &Run) -> Vec<String> {
    let mut notes = Vec::new();
    let trace = &run.trace;
    if trace.count == 0 {
        notes.push("No evaluations yet: the charts follow with the first ones.".to_string());
        return notes;
    }
    if trace.failures == trace.count {
        notes.push("Every evaluation failed, so there is no best value; the reasons are below.".to_string());
    } else if trace.failures == 0 {
        notes.push("No evaluation failed.".to_string());
    }
    if trace.infeasible > 0 {
        let word = if trace.best().is_none() { ", and none was feasible" } else { "" };
        notes.push(format!("{} evaluations violated the constraints{word}.", trace.infeasible));
    }
    if trace.injected > 0 {
        notes.push(format!(
            "Points injected from outside: {}. The curves of the best value have them.",
            trace.injected
        ));
    }
    if run.generations.is_empty() {
        notes.push("No generation is complete yet: mean, deviations and reuse follow with it.".to_string());
    }
    match &run.covariance {
        None => notes.push("There is no covariance yet: correlations follow with it.".to_string()),
        Some(_) if run.settings.dim > distribution::HEAT_MAP => notes.push(format!(
            "{} coordinates are too many for a map of correlations, which is drawn up to {}.",
            run.settings.dim,
            distribution::HEAT_MAP
        )),
        Some(_) => {}
    }
    notes
}
