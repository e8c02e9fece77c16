//! The tables: how each run went, its settings, its searches, its best point, and why evaluations failed.

use serde_json::Value;

use super::charts;
use super::folder::Run;
use super::html::{Table, duration, number, short};

/// So many coordinates of the best point stand in the summary.
const IN_SUMMARY: usize = 6;
/// So many reasons, or searches, are listed.
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

/// What the settings are called, and their names in `settings.json`.
const SETTINGS: [(&str, &str); 12] = [
    ("strategy", "strategy"),
    ("restarts", "restarts"),
    ("surrogate", "model"),
    ("initial sigma", "sigma0"),
    ("batch", "batch"),
    ("noisy", "noisy"),
    ("constrained", "constrained"),
    ("jobs", "jobs"),
    ("timeout of an evaluation", "timeout"),
    ("target", "target"),
    ("most evaluations", "max_evaluations"),
    ("most seconds", "max_seconds"),
];

/// How the run was started: its command and its settings.
pub(super) fn settings(run: &Run, place: usize) -> Table {
    let settings = &run.settings;
    let mut rows = Vec::new();
    if let Some(command) = settings.others.get("command").and_then(Value::as_array) {
        let words: Vec<String> = command.iter().filter_map(Value::as_str).map(quoted).collect();
        rows.push(vec!["command".to_string(), words.join(" ")]);
    }
    rows.push(vec!["coordinates".to_string(), settings.dim.to_string()]);
    rows.push(vec!["population at the start".to_string(), settings.population.to_string()]);
    rows.push(vec!["seed".to_string(), settings.seed.to_string()]);
    for (name, key) in SETTINGS {
        let word = match settings.others.get(key) {
            Some(Value::Number(n)) => n.as_f64().map_or_else(|| n.to_string(), number),
            Some(Value::String(text)) => text.clone(),
            Some(Value::Bool(true)) => "yes".to_string(),
            _ => continue,
        };
        rows.push(vec![name.to_string(), word]);
    }
    Table {
        id: format!("table-settings-{place}"),
        caption: "How it was run.".into(),
        header: Vec::new(),
        rows,
    }
}

/// A word as a shell would need it.
fn quoted(word: &str) -> String {
    let plain = |c: char| c.is_alphanumeric() || "-_./:=,@%+{}".contains(c);
    match !word.is_empty() && word.chars().all(plain) {
        true => word.to_string(),
        false => format!("'{}'", word.replace('\'', "'\\''")),
    }
}

/// The searches of a run with restarts.
pub(super) fn searches(run: &Run, place: usize) -> Option<Table> {
    let searches = &run.trace.searches;
    let start = |i: usize| if i == 0 { 0 } else { run.restarts[i - 1] };
    let row = |(i, search): (usize, &super::trace::Search)| {
        let (value, x) = match &search.best {
            Some((value, x)) => (number(*value), named(run, x)),
            None => ("none".to_string(), String::new()),
        };
        vec![(i + 1).to_string(), start(i).to_string(), search.evaluations.to_string(), value, x]
    };
    let mut caption = "The searches of the run, and the best point of each.".to_string();
    if searches.len() > REASONS {
        caption.push_str(&format!(" The latest {REASONS} of {}.", searches.len()));
    }
    let skip = searches.len().saturating_sub(REASONS);
    (searches.len() > 1).then(|| Table {
        id: format!("table-searches-{place}"),
        caption,
        header: vec!["search", "from evaluation", "evaluations", "best value", "at"],
        rows: searches.iter().enumerate().skip(skip).map(row).collect(),
    })
}

/// The first coordinates of a point by name.
fn named(run: &Run, x: &[f64]) -> String {
    let named = run.settings.names.iter().zip(x).take(IN_SUMMARY);
    let mut words: Vec<String> = named.map(|(n, v)| format!("{n} = {}", number(*v))).collect();
    if x.len() > IN_SUMMARY {
        words.push("…".to_string());
    }
    words.join(", ")
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
        let example = format!("evaluation {}: {}", f.last_id, named(run, &f.last_x));
        vec![short(reason, 300), f.count.to_string(), example]
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
