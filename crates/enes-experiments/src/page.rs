//! The page: one self-contained `index.html`, the figures and tables as files next to it.

use std::fmt::Write;

use enes_chart::{PAGE_SCRIPT, PAGE_STYLE, escape};

use crate::error::ReproduceError;
use crate::folder::Folder;
use crate::plan::{Plan, Study};
use crate::section::{Claim, Section, Table};
use crate::{costly, studies};

/// Write figures, tables and the page.
pub(crate) fn write(folder: &Folder, plan: Plan, sections: &[Section]) -> Result<(), ReproduceError> {
    for section in sections {
        for figure in &section.figures {
            folder.write(&format!("{}.svg", figure.name), &figure.svg)?;
        }
        for table in &section.tables {
            folder.write(&format!("{}.csv", table.name), &table.csv())?;
        }
    }
    let machine = folder.note_machine()?;
    folder.write("verdicts.csv", &verdicts(plan, sections).csv())?;
    folder.write("table.md", &studies::markdown(plan, folder, sections))?;
    if plan.study == Study::Costly {
        folder.write("guide.md", &costly::guide(plan, &folder.runs))?;
    }
    Ok(folder.write("index.html", &page(folder, plan, sections, &machine))?)
}

/// Every claim in one table.
pub(crate) fn verdicts(plan: Plan, sections: &[Section]) -> Table {
    let row = |section: &Section| {
        let cells = |claim: &Claim| {
            vec![
                section.name.to_string(),
                claim.paper.clone(),
                claim.measured.clone(),
                claim.verdict.word().to_string(),
            ]
        };
        section.claims.iter().map(cells).collect::<Vec<_>>()
    };
    let (says, caption) = match plan.study {
        Study::Paper => ("the paper says", "What the paper says, what was measured, and a plain verdict."),
        Study::Adaptive | Study::Costly | Study::Restarts | Study::Landscapes | Study::Asynchronous => {
            ("required", "What is required, what was measured, and a plain verdict.")
        }
    };
    let header = ["experiment", says, "measured", "verdict"];
    Table::new("verdicts", caption, &header, sections.iter().flat_map(row).collect())
}

fn page(folder: &Folder, plan: Plan, sections: &[Section], machine: &str) -> String {
    let mut out = String::new();
    let (title, heading) = match plan.study {
        Study::Paper => ("eNES, reproduced", "Efficient Natural Evolution Strategies, reproduced"),
        Study::Adaptive => ("enes compared with CMA-ES", "The adaptive strategy compared with CMA-ES"),
        Study::Restarts => ("enes with restarts", "Multimodal functions, with restarts"),
        Study::Landscapes => ("enes on many landscapes", "Families of landscapes, made at random"),
        Study::Asynchronous => ("enes, asynchronous", "Many workers on a virtual clock"),
        Study::Costly => {
            ("enes for costly objectives", "Costly objectives: the surrogate compared with its peers")
        }
    };
    let _ = write!(
        out,
        "<!doctype html>\n<html lang=\"en\"><head><meta charset=\"utf-8\">\
         <meta name=\"viewport\" content=\"width=device-width,initial-scale=1\">\
         <title>{title}</title><style>{PAGE_STYLE}</style></head><body><main>\n\
         <h1>{heading}</h1>\n\
         <p>{} {} with seed {}{}. {} runs; every one is recorded in <code>runs.jsonl</code>, or packed in <code>runs.jsonl.gz</code>. Machine: \
         {}.</p>\n",
        about(folder, plan),
        env!("CARGO_PKG_VERSION"),
        plan.seed,
        if plan.quick { ", reduced set (<code>--quick</code>)" } else { "" },
        folder.runs.len(),
        escape(machine.lines().next().unwrap_or_default())
    );
    out.push_str("<nav>");
    for section in sections {
        let _ = write!(out, "<a href=\"#{}\">{}</a>", section.name, escape(section.title));
    }
    out.push_str("</nav>\n<section id=\"verdicts\"><h2>Verdicts</h2>");
    table(&verdicts(plan, sections), &mut out);
    out.push_str("</section>\n");
    for section in sections {
        draw(section, &mut out);
    }
    let _ = writeln!(out, "</main><script>{PAGE_SCRIPT}</script></body></html>");
    out
}

/// What the page is about, up to the version of the program.
fn about(folder: &Folder, plan: Plan) -> String {
    if plan.study == Study::Paper {
        return "The experiments of the paper by Sun, Wierstra, Schaul and Schmidhuber (GECCO 2009), run by \
                <code>cargo reproduce paper</code>"
            .to_string();
    }
    let peer = folder.peer().unwrap_or_else(|| "pycma (not run)".into());
    let (ours, name) = match plan.study {
        Study::Costly => ("the default strategy with and without its surrogate", "costly"),
        Study::Asynchronous => ("the default strategy, asynchronous and with the barrier,", "asynchronous"),
        Study::Landscapes => ("the default strategy, with and without its surrogate,", "landscapes"),
        Study::Restarts => ("the default strategy with its automatic restarts", "restarts"),
        _ => ("the default strategy in rank-based mode (<code>--model rank-only</code>)", "adaptive"),
    };
    format!(
        "Evaluations of {ours} and of {} on the same instances, rotated and shifted, from the same starts, both with \
         their default settings unless it is said; run by <code>cargo reproduce {name}</code>",
        escape(&peer)
    )
}

fn draw(section: &Section, out: &mut String) {
    let name = section.name;
    let _ = write!(
        out,
        "<section id=\"{name}\"><h2>{}</h2><p>{}</p>\n<div class=\"claims\">",
        escape(section.title),
        escape(&section.intro).replace("\n\n", "</p>\n<p>")
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
