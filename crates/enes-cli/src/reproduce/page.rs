//! The page: one self-contained `index.html`, the figures and tables as files beside it.

use std::fmt::Write;

use super::experiments;
use super::folder::Folder;
use super::section::{Section, Table};
use super::{Plan, Set};
use crate::chart::escape;
use crate::error::CommandError;

const STYLE: &str = include_str!("page.css");
const SCRIPT: &str = include_str!("page.js");

/// Write figures, tables and the page.
pub(crate) fn write(folder: &Folder, plan: Plan, sections: &[Section]) -> Result<(), CommandError> {
    for section in sections {
        for figure in &section.figures {
            folder.write(&format!("{}.svg", figure.name), &figure.svg)?;
        }
        for table in &section.tables {
            folder.write(&format!("{}.csv", table.name), &table.csv())?;
        }
    }
    folder.write(
        "machine.txt",
        &format!("{}\nenes {}\n", enes_measure::machine(), env!("CARGO_PKG_VERSION")),
    )?;
    folder.write("verdicts.csv", &verdicts(plan, sections).csv())?;
    if let Some(text) = experiments::markdown(plan, folder, sections) {
        folder.write("table.md", &text)?;
    }
    if let Some(text) = experiments::guide(plan, folder) {
        folder.write("guide.md", &text)?;
    }
    Ok(folder.write("index.html", &page(folder, plan, sections))?)
}

/// Every claim in one table.
pub(crate) fn verdicts(plan: Plan, sections: &[Section]) -> Table {
    let row = |section: &Section| {
        let name = section.name();
        let cells = move |claim: &super::section::Claim| {
            vec![name.clone(), claim.paper.clone(), claim.measured.clone(), claim.verdict.word().to_string()]
        };
        section.claims.iter().map(cells).collect::<Vec<_>>()
    };
    let (says, caption) = match plan.set {
        Set::Paper => ("the paper says", "What the paper says, what was measured, and a plain verdict."),
        Set::Adaptive | Set::Costly | Set::Restarts => {
            ("required", "What is required, what was measured, and a plain verdict.")
        }
    };
    Table {
        name: "verdicts",
        caption: caption.into(),
        header: vec!["experiment", says, "measured", "verdict"],
        rows: sections.iter().flat_map(row).collect(),
    }
}

fn page(folder: &Folder, plan: Plan, sections: &[Section]) -> String {
    let mut out = String::new();
    let (title, heading) = match plan.set {
        Set::Paper => ("eNES, reproduced", "Efficient Natural Evolution Strategies, reproduced"),
        Set::Adaptive => ("enes beside CMA-ES", "The adaptive strategy beside CMA-ES"),
        Set::Restarts => ("enes with restarts", "Multimodal functions, with restarts"),
        Set::Costly => {
            ("enes for costly objectives", "Costly objectives: the model of the values beside its peers")
        }
    };
    let _ = write!(
        out,
        "<!doctype html>\n<html lang=\"en\"><head><meta charset=\"utf-8\">\
         <meta name=\"viewport\" content=\"width=device-width,initial-scale=1\">\
         <title>{title}</title><style>{STYLE}</style></head><body><main>\n\
         <h1>{heading}</h1>\n\
         <p>{} {} with seed {}{}. {} runs; every one is a line of <code>runs.jsonl</code>. Machine: \
         {}.</p>\n",
        about(folder, plan),
        env!("CARGO_PKG_VERSION"),
        plan.seed,
        if plan.quick { ", reduced set (<code>--quick</code>)" } else { "" },
        folder.runs.len(),
        escape(&enes_measure::machine())
    );
    out.push_str("<nav>");
    for section in sections {
        let _ = write!(out, "<a href=\"#{}\">{}</a>", section.name(), escape(section.title));
    }
    out.push_str("</nav>\n<section id=\"verdicts\"><h2>Verdicts</h2>");
    table(&verdicts(plan, sections), &mut out);
    out.push_str("</section>\n");
    for section in sections {
        draw(section, &mut out);
    }
    let _ = writeln!(out, "</main><script>{SCRIPT}</script></body></html>");
    out
}

/// What the page is about, up to the version of the program.
fn about(folder: &Folder, plan: Plan) -> String {
    if plan.set == Set::Paper {
        return "The experiments of the paper by Sun, Wierstra, Schaul and Schmidhuber (GECCO 2009), run by \
                <code>enes reproduce</code>"
            .to_string();
    }
    let peer = folder.peer().unwrap_or_else(|| "pycma (not run)".into());
    let (ours, name) = match plan.set {
        Set::Costly => ("the default strategy with and without its model of the values", "costly"),
        Set::Restarts => ("the default strategy with its automatic restarts", "restarts"),
        _ => ("the default strategy by ranks alone (<code>--model rank-only</code>)", "adaptive"),
    };
    format!(
        "Evaluations of {ours} and of {} on the same instances, rotated and shifted, from the same starts, both with \
         their default settings unless it is said; run by <code>enes reproduce {name}</code>",
        escape(&peer)
    )
}

fn draw(section: &Section, out: &mut String) {
    let name = section.name();
    let _ = write!(
        out,
        "<section id=\"{name}\"><h2>{}</h2><p>{}</p>\n<div class=\"claims\">",
        escape(section.title),
        escape(&section.intro)
    );
    for claim in &section.claims {
        let word = claim.verdict.word();
        let _ = write!(
            out,
            "<article class=\"claim\"><span class=\"verdict {}\">{word}</span><p class=\"says\">{}</p><p>{}</p></article>",
            word.replace(' ', "-"),
            escape(&claim.paper),
            escape(&claim.measured)
        );
    }
    out.push_str("</div>\n<div class=\"figures\">");
    for figure in &section.figures {
        let _ = write!(
            out,
            "<figure id=\"figure-{}\">{}<figcaption>{}</figcaption></figure>",
            figure.name,
            figure.svg,
            escape(&figure.caption)
        );
    }
    out.push_str("</div>\n");
    for t in &section.tables {
        let long = t.rows.len() > 40;
        if long {
            let _ = write!(
                out,
                "<details><summary>Table of {} rows: {}</summary>",
                t.rows.len(),
                escape(&t.caption)
            );
        }
        table(t, out);
        if long {
            out.push_str("</details>");
        }
    }
    out.push_str("</section>\n");
}

/// A table that sorts by a click on its header.
fn table(t: &Table, out: &mut String) {
    let _ = write!(
        out,
        "<div class=\"scroll\"><table id=\"table-{}\"><caption>{}</caption><thead><tr>",
        t.name,
        escape(&t.caption)
    );
    for cell in &t.header {
        let _ = write!(out, "<th><button type=\"button\">{}</button></th>", escape(cell.trim()));
    }
    out.push_str("</tr></thead><tbody>");
    for row in &t.rows {
        out.push_str("<tr>");
        for cell in row {
            let class = match cell.as_str() {
                "reproduced" | "differs" | "met" | "not met" => {
                    format!(" class=\"{}\"", cell.replace(' ', "-"))
                }
                _ if cell.parse::<f64>().is_ok() => " class=\"number\"".to_string(),
                _ => String::new(),
            };
            let _ = write!(out, "<td{class}>{}</td>", escape(cell));
        }
        out.push_str("</tr>");
    }
    out.push_str("</tbody></table></div>\n");
}
