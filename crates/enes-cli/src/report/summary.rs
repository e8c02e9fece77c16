//! The tables: how each run went, its best point, and why evaluations failed.

use super::charts;
use super::folder::Run;
use super::html::{Table, duration, number, short};

/// So many coordinates of the best point stand in the summary.
const IN_SUMMARY: usize = 6;
/// So many reasons are listed.
const REASONS: usize = 30;

const COLUMNS: [&str; 8] =
    ["run", "best value", "best point", "evaluations", "failures", "generations", "time", "stopped because"];

fn cells(run: &Run) -> Vec<String> {
    let none = || "none yet".to_string();
    let point = run.best_point();
    let mut named: Vec<String> = point.iter().take(IN_SUMMARY).map(|(k, v)| format!("{k} = {v}")).collect();
    if point.len() > IN_SUMMARY {
        named.push(format!("and {} more", point.len() - IN_SUMMARY));
    }
    if run.best_is_injected() {
        named.push("injected".to_string());
    }
    vec![
        run.label.clone(),
        run.best_value().map_or_else(|| no_value(run), number),
        if named.is_empty() { none() } else { named.join(", ") },
        run.trace.count.to_string(),
        run.trace.failures.to_string(),
        run.generations.last().map_or(0, |g| g.generation).to_string(),
        charts::seconds(run).map_or_else(|| "not known yet".to_string(), duration),
        run.stop().cloned().unwrap_or_else(|| "not yet: it is running, or was interrupted".to_string()),
    ]
}

/// Why there is no best value.
fn no_value(run: &Run) -> String {
    match run.trace.least_violation {
        v if v.is_finite() => format!("none: infeasible, violation {}", number(v)),
        _ => "none yet".to_string(),
    }
}

/// One run reads best from top to bottom, several from left to right.
pub(super) fn summary(runs: &[Run]) -> Table {
    let id = "table-summary".to_string();
    if let [run] = runs {
        let rows = COLUMNS.iter().zip(cells(run)).map(|(k, v)| vec![k.to_string(), v]).collect();
        return Table { id, caption: "The run in short.".into(), header: Vec::new(), rows };
    }
    let caption = "The runs in short; a click on a header sorts.".into();
    Table { id, caption, header: COLUMNS.to_vec(), rows: runs.iter().map(cells).collect() }
}

/// The whole best point, where the summary has no room for it.
pub(super) fn best_point(run: &Run, number: usize) -> Option<Table> {
    let point = run.best_point();
    (point.len() > IN_SUMMARY).then(|| Table {
        id: format!("table-best-{number}"),
        caption: "The best point.".into(),
        header: vec!["coordinate", "value"],
        rows: point.into_iter().map(|(k, v)| vec![k, v]).collect(),
    })
}

/// Reasons of failures, the most frequent first.
pub(super) fn failures(run: &Run, place: usize) -> Option<Table> {
    let mut reasons: Vec<_> = run.trace.reasons.iter().collect();
    reasons.sort_by_key(|(_, f)| std::cmp::Reverse(f.count));
    let row = |(reason, f): &(&String, &super::trace::Failure)| {
        let named = run.settings.names.iter().zip(&f.last_x).take(IN_SUMMARY);
        let mut x: Vec<String> = named.map(|(n, v)| format!("{n} = {}", number(*v))).collect();
        if f.last_x.len() > IN_SUMMARY {
            x.push("…".to_string());
        }
        vec![short(reason, 300), f.count.to_string(), format!("evaluation {}: {}", f.last_id, x.join(", "))]
    };
    let mut caption = "Why evaluations failed, with the last example of each reason.".to_string();
    if reasons.len() > REASONS {
        caption.push_str(&format!(" The {REASONS} most frequent of {} reasons.", reasons.len()));
    }
    (!reasons.is_empty()).then(|| Table {
        id: format!("table-failures-{place}"),
        caption,
        header: vec!["reason", "count", "last example"],
        rows: reasons.iter().take(REASONS).map(row).collect(),
    })
}
