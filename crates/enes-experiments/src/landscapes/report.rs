//! The page of the landscapes: verdicts, a picture, losses cell by cell, a table for each family.

use std::fmt::Write;

use enes_chart::{Axis, Chart};
use enes_measure::interval;

use super::cells::{Cell, dimensions, header, milliseconds};
use super::contender::Contender;
use super::family::Family;
use super::peers;
use super::rivalry::{ALLOWED, Rivalry};
use super::verdicts;
use crate::comparison::{geometric_mean, ratio_text};
use crate::run::RunRecord;
use crate::section::{Section, Table};
use crate::statistics::{Cell as Runs, count};

const TITLE: &str = "Expected evaluations over the better pycma's";

/// All families together, then each.
pub(crate) fn sections(runs: &[RunRecord]) -> Vec<Section> {
    let cells = Cell::all(runs);
    if cells.is_empty() {
        return Vec::new();
    }
    let families = Family::ALL.into_iter().filter_map(|family| of_family(family, &cells));
    std::iter::once(overall(&cells)).chain(families).collect()
}

fn overall(cells: &[Cell<'_>]) -> Section {
    let intro = "Objectives made at random for every run: exponents, conditions, fractions of the coordinates, rotation \
                 and shift are drawn from the run's seed. Everyone searches on the same instances, from the same starts, \
                 with the same initial deviation and within the same budget of 4000 d evaluations, at most 160,000; a \
                 success is counted at the evaluation that reaches the target. Under noise the true value counts, at the \
                 mean of the distribution, or at the best point seen where there is none. Expected evaluations are those \
                 of all runs divided by the successes. The better pycma is, of one search and BIPOP where restarts are \
                 allowed, the one that does better.";
    let mut section = Section::new("landscapes", "All families", intro);
    let ours = Rivalry::all(cells, Contender::Enes);
    verdicts::claims(cells, &ours, &mut section);
    if !ours.is_empty() {
        section.figure(
            "landscapes-ratio",
            picture(&ours),
            "Geometric means over the cells of a family that both solve. Below 1 is better than pycma.",
        );
        section.tables.push(means(&ours));
        section.tables.push(losses(&ours));
        section.tables.push(peers::table(cells));
    }
    section
}

/// Of a family, over all rivalries in a dimension: the mean ratio; NaN where there is none.
fn mean_ratio(rivalries: &[Rivalry<'_>], family: Family, d: usize) -> f64 {
    let of_it = rivalries.iter().filter(|r| r.cell.family == family && r.cell.d == d);
    geometric_mean(of_it.filter_map(Rivalry::finite_ratio))
}

fn families(rivalries: &[Rivalry<'_>]) -> impl Iterator<Item = Family> {
    Family::ALL.into_iter().filter(|f| rivalries.iter().any(|r| r.cell.family == *f))
}

fn picture(rivalries: &[Rivalry<'_>]) -> String {
    let mut chart = Chart::new(TITLE, Axis::log("dimension d"), Axis::log("enes over pycma"));
    for (colour, family) in families(rivalries).enumerate() {
        let points = dimensions(rivalries.iter().map(|r| r.cell.d))
            .into_iter()
            .map(|d| (d as f64, mean_ratio(rivalries, family, d)));
        chart.marked(family.name(), colour, colour >= 8, points.filter(|p| p.1.is_finite()).collect());
    }
    chart.svg()
}

/// A row for each family, a column for each dimension: the mean ratio, and how many cells are lost.
fn means(rivalries: &[Rivalry<'_>]) -> Table {
    let all = dimensions(rivalries.iter().map(|r| r.cell.d));
    let is_lost = |r: &&Rivalry<'_>| r.is_slower() || r.is_less_sure();
    let mut rows = Vec::new();
    for family in families(rivalries) {
        let mut row = vec![family.name().to_string()];
        for &d in &all {
            let of_it: Vec<_> =
                rivalries.iter().filter(|r| r.cell.family == family && r.cell.d == d).collect();
            let lost = of_it.iter().copied().filter(is_lost).count();
            let mean = ratio_text(mean_ratio(rivalries, family, d));
            row.push(if lost > 0 { format!("{mean} (lost {lost} of {})", of_it.len()) } else { mean });
        }
        rows.push(row);
    }
    let header = header("family", &all);
    let header: Vec<&str> = header.iter().map(String::as_str).collect();
    Table::new("landscapes-means", TITLE, &header, rows)
}

/// Every cell in which fewer runs succeed, or more evaluations are expected, than pycma's.
fn losses(rivalries: &[Rivalry<'_>]) -> Table {
    let header = [
        "function", "d", "search", "solved", "pycma's", "expected", "pycma's", "ratio", "at least", "lost by",
    ];
    let lost = rivalries.iter().filter(|r| r.is_slower() || r.is_less_sure());
    let row = |r: &Rivalry<'_>| {
        let why = match (r.is_less_sure(), r.is_slower()) {
            (true, true) => "success, evaluations",
            (true, false) => "success",
            _ if r.least_ratio() > ALLOWED => "evaluations",
            _ => "evaluations, within chance",
        };
        let ((sure, surest), (fast, fastest)) = (r.surest(), r.fastest());
        vec![
            r.cell.function.clone(),
            r.cell.d.to_string(),
            r.cell.search.words().to_string(),
            r.ours.share(),
            format!("{} {}", surest.share(), sure.name()),
            count(r.ours.expected()),
            format!("{} {}", count(fastest.expected()), fast.name()),
            ratio_text(r.ratio()),
            ratio_text(r.least_ratio()),
            why.to_string(),
        ]
    };
    let caption = "Losses, cell by cell: success below that of the better pycma beyond the 95 % interval, or expected \
                   evaluations above 1.1 times its; `at least` is the lower end of the ratio's 95 % interval.";
    Table::new("landscapes-losses", caption, &header, lost.map(row).collect())
}

/// Every contender in every cell of a family.
fn of_family(family: Family, cells: &[Cell<'_>]) -> Option<Section> {
    let header =
        ["member", "search", "d", "who", "solved", "95 % interval", "median", "expected", "over pycma", "ms"];
    let mut rows = Vec::new();
    for cell in cells.iter().filter(|c| c.family == family) {
        for (who, runs) in cell.contenders() {
            let rivalries = Rivalry::all(std::slice::from_ref(cell), who);
            rows.push(row(cell, who, runs, rivalries.first()));
        }
    }
    if rows.is_empty() {
        return None;
    }
    let mut section = Section::new(family.name(), family.title(), family.about());
    let caption = format!(
        "{}: successes and their 95 % interval in per cent, medians of the evaluations of the runs that succeeded, \
         expected evaluations, those over pycma's in the same kind of search, milliseconds of a run for each evaluation.",
        family.title()
    );
    section.tables.push(Table::new(&format!("landscapes-{}", family.name()), caption, &header, rows));
    Some(section)
}

fn row(cell: &Cell<'_>, who: Contender, runs: &Runs<'_>, rivalry: Option<&Rivalry<'_>>) -> Vec<String> {
    let (low, high) = interval(runs.successes(), runs.runs.len());
    vec![
        cell.member().to_string(),
        cell.search.words().to_string(),
        cell.d.to_string(),
        who.name().to_string(),
        runs.share(),
        format!("{low:.0} to {high:.0}"),
        count(runs.evaluations(0.5)),
        count(runs.expected()),
        rivalry.map_or("-".to_string(), |r| ratio_text(r.ratio())),
        format!("{:.2}", milliseconds(runs)),
    ]
}

/// For the README: mean ratios by family and dimension, every loss, and each peer.
pub(crate) fn markdown(runs: &[RunRecord]) -> String {
    let cells = Cell::all(runs);
    let ours = Rivalry::all(&cells, Contender::Enes);
    let mut out = String::new();
    for table in [means(&ours), losses(&ours), peers::table(&cells)] {
        let _ = writeln!(out, "| {} |\n|{}", table.header.join(" | "), "---|".repeat(table.header.len()));
        for row in &table.rows {
            let _ = writeln!(out, "| {} |", row.join(" | "));
        }
        out.push('\n');
    }
    out
}
