//! `cargo reproduce`: the experiments of the paper, run again, measured, drawn and judged; and the adaptive strategy
//! compared with CMA-ES, in rank-based mode, with its surrogate and with restarts; and families of landscapes, made at
//! random, on which it is compared with many.
//!
//! plan -> jobs -> records as they land -> summaries -> figures and one page.

#![warn(clippy::unwrap_used)]

mod adaptive;
mod arguments;
mod asynchronous;
mod comparison;
mod costly;
mod environment;
mod error;
mod folder;
mod landscapes;
mod many_dimensions;
mod measurement;
mod objective;
mod packed;
mod page;
mod paper;
mod peer;
mod picture;
mod plan;
mod records;
mod restarts;
mod run;
mod runner;
mod section;
mod statistics;
mod studies;
mod terminal;

use std::process::ExitCode;

pub use arguments::Arguments;
use arguments::{Command, StudyArguments};
use error::ReproduceError;
use folder::Folder;
use paper::Experiment;
use peer::Peers;
use plan::{Plan, Study};
use run::RunSpec;
use runner::Task;
use terminal::words;

/// Carry out a command; 2 on a failure, which is named on stderr.
pub fn run(arguments: &Arguments) -> ExitCode {
    let result = match &arguments.command {
        Command::Paper { experiments, study } => reproduce(Study::Paper, experiments, study),
        Command::Adaptive(study) => reproduce(Study::Adaptive, &[], study),
        Command::Costly(study) => reproduce(Study::Costly, &[], study),
        Command::Restarts(study) => reproduce(Study::Restarts, &[], study),
        Command::Asynchronous(study) => reproduce(Study::Asynchronous, &[], study),
        Command::Landscapes(arguments) => landscapes::reproduce(arguments),
        Command::ManyDimensions(arguments) => many_dimensions::reproduce(arguments),
        Command::Pack { folder } => folder::pack(folder),
        Command::Picture { from, out } => picture::write(from, out),
        Command::MeasureMemory { dim, reference } => measurement::print_memory(*dim, *reference),
    };
    match result {
        Ok(()) => ExitCode::SUCCESS,
        Err(error) => {
            words(&format!("error: {error}"));
            ExitCode::from(2)
        }
    }
}

/// Run what is missing, then write summaries, figures and the page.
fn reproduce(study: Study, chosen: &[Experiment], arguments: &StudyArguments) -> Result<(), ReproduceError> {
    if study == Study::Paper && (arguments.python.is_some() || arguments.without_peer) {
        let what = "--python and --without-peer are for `cargo reproduce adaptive`, `costly` and `restarts`: the paper's experiments need no peer";
        return Err(ReproduceError::Usage(what.into()));
    }
    let seed = arguments.seed.or_else(|| folder::seed_of(&arguments.out)).unwrap_or(1);
    let plan = Plan { study, quick: arguments.quick, seed };
    let mut folder = Folder::open(&arguments.out, plan)?;
    let jobs = arguments.jobs.map_or(0, usize::from);
    let mut specs = studies::runs(plan, chosen);
    specs.retain(|s| s.solver.is_enes() || !arguments.without_peer);
    if arguments.again {
        folder.forget(&specs.iter().filter(|s| s.solver.is_enes()).map(Task::key).collect())?;
    }
    let peers = peers(arguments, &specs, &folder)?;
    runner::run_missing(&specs, &mut folder, peers.as_ref(), jobs, arguments.quiet)?;
    if study == Study::Paper && paper::chosen(chosen).contains(&Experiment::Scaling) {
        measurement::measure_missing(plan, &mut folder, arguments.quiet)?;
    }
    let sections = studies::sections(plan, &folder);
    page::write(&folder, plan, &sections)?;
    if !arguments.quiet {
        for section in
            sections.iter().filter(|s| chosen.is_empty() || chosen.iter().any(|e| e.name() == s.name))
        {
            for claim in &section.claims {
                words(&format!("{:11}  {}: {}", claim.verdict.word(), section.name, claim.measured));
            }
        }
        words(&format!("wrote {}", folder.path("index.html").display()));
    }
    Ok(())
}

/// The peers, where one of their runs is missing: a page alone needs no Python.
fn peers(
    arguments: &StudyArguments,
    specs: &[RunSpec],
    folder: &Folder,
) -> Result<Option<Peers>, ReproduceError> {
    if !specs.iter().any(|s| !s.solver.is_enes() && !folder.has(&s.key())) {
        return Ok(None);
    }
    let python = environment::python(
        &environment::PYCMA,
        arguments.python.as_deref(),
        &arguments.out,
        arguments.quiet,
    )?;
    let (peers, versions) = Peers::start(&python, peer::SCRIPT)?;
    folder.note_peer(&versions)?;
    Ok(Some(peers))
}
