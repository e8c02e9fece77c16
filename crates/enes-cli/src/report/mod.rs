//! `enes report`: run folders -> one page that shows how the runs went.

mod charts;
mod constraints;
mod distribution;
mod folder;
mod html;
mod lines;
mod optima;
mod page;
mod parallel;
mod serve;
mod summary;
mod trace;
mod values;

use std::path::{Path, PathBuf};

use clap::Args;

use crate::display::words;
use crate::error::CommandError;
use crate::files::write_whole;
use folder::Run;

#[derive(Args, Debug)]
pub(crate) struct ReportArguments {
    /// Folders of runs; several are laid over each other
    #[arg(value_name = "DIR", required = true)]
    pub(crate) folders: Vec<PathBuf>,

    /// Where the page goes [default: report.html in the first folder]
    #[arg(long, value_name = "FILE")]
    pub(crate) out: Option<PathBuf>,

    /// Serve the page on this machine, at an address that is printed, while the runs go on; the page follows them, and
    /// Ctrl-C ends it
    #[arg(long, conflicts_with = "out")]
    pub(crate) watch: bool,

    /// The port of the address [default: one that is free]
    #[arg(long, value_name = "PORT", requires = "watch")]
    pub(crate) port: Option<u16>,
}

/// Read the folders and write the page.
pub(crate) fn run(arguments: &ReportArguments) -> Result<bool, CommandError> {
    if arguments.watch {
        serve::serve(&arguments.folders, arguments.port.unwrap_or(0))?;
        return Ok(true);
    }
    let file = write(&arguments.folders, arguments.out.as_deref())?;
    words(&format!("wrote {}", file.display()));
    Ok(true)
}

/// Write the page of these folders, by default into the first of them, and say where.
pub(crate) fn write(folders: &[PathBuf], out: Option<&Path>) -> Result<PathBuf, CommandError> {
    let page = page(folders, "")?;
    let first = folders.first().cloned().unwrap_or_default();
    let file = out.map_or_else(|| first.join("report.html"), Path::to_path_buf);
    // What stands in the place of our own page, a link included, is replaced, never followed.
    let written = match out {
        None => write_whole(&file, page),
        Some(file) => std::fs::write(file, page),
    };
    let remedy = match out {
        None => format!(
            "make room, or make the folder writable; `enes report {}` then writes it",
            first.display()
        ),
        Some(_) => "name a file in a folder that is there, with room in it, with --out".to_string(),
    };
    written.map_err(|e| CommandError::Report {
        file: file.display().to_string(),
        reason: format!("{e}; {remedy}"),
    })?;
    Ok(file)
}

/// The page of these folders; `script` is put after its own.
fn page(folders: &[PathBuf], script: &str) -> Result<String, CommandError> {
    let mut runs = folders.iter().map(|f| Run::read(f)).collect::<Result<Vec<_>, _>>()?;
    label(&mut runs);
    Ok(page::page(&runs, script))
}

/// Runs of the same name are told apart by their folders, and those of the same folder by a number.
fn label(runs: &mut [Run]) {
    let names: Vec<String> = runs.iter().map(|r| r.settings.name.clone()).collect();
    for (run, name) in runs.iter_mut().zip(&names) {
        if names.iter().filter(|n| *n == name).count() > 1 {
            let folder = run
                .folder
                .file_name()
                .map_or_else(|| run.folder.display().to_string(), |f| f.to_string_lossy().to_string());
            run.label = format!("{folder}: {name}");
        }
    }
    let labels: Vec<String> = runs.iter().map(|r| r.label.clone()).collect();
    for (i, run) in runs.iter_mut().enumerate() {
        let before = labels[..i].iter().filter(|l| **l == labels[i]).count();
        if before > 0 {
            run.label = format!("{} ({})", labels[i], before + 1);
        }
    }
}
