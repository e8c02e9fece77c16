//! Landscapes: families of objectives made at random for every seed, enes and its peers on the same instances.
//!
//! family -> member -> an instance of a seed -> runs of every contender, counted in one place -> cells, verdicts.

mod bridge;
mod cells;
mod contender;
mod counted;
mod draw;
mod expected;
mod families;
mod family;
mod landscape;
mod peers;
mod report;
mod rivalry;
mod selection;
mod spec;
#[cfg(test)]
mod tests;
mod verdicts;

pub(crate) use report::{markdown, sections};
pub(crate) use selection::LandscapesArguments;

use crate::environment;
use crate::error::ReproduceError;
use crate::folder::{self, Folder};
use crate::page;
use crate::peer::Peers;
use crate::plan::{Plan, Study};
use crate::runner::{self, Task};
use crate::terminal::words;
use spec::Spec;

/// Run what is chosen and missing, write the page, and say what became of the cells that were chosen.
pub(crate) fn reproduce(arguments: &LandscapesArguments) -> Result<(), ReproduceError> {
    let study = &arguments.study;
    let seed = study.seed.or_else(|| folder::seed_of(&study.out)).unwrap_or_else(|| arguments.default_seed());
    let plan = Plan { study: Study::Landscapes, quick: study.quick, seed };
    let specs = arguments.specs()?;
    let mut folder = Folder::open(&study.out, plan)?;
    if study.again {
        let ours = |s: &&Spec| s.contender.solver().is_enes();
        folder.forget(&specs.iter().filter(ours).map(Task::key).collect())?;
    }
    let peers = peers(arguments, &specs, &folder)?;
    runner::run_missing(&specs, &mut folder, peers.as_ref(), study.jobs.map_or(0, usize::from), study.quiet)?;
    page::write(&folder, plan, &sections(&folder.runs))?;
    if !study.quiet {
        words(&cells::text(&specs, &folder.runs));
        words(&format!("wrote {}", folder.path("index.html").display()));
    }
    Ok(())
}

/// The peers, where one of their runs is missing.
fn peers(
    arguments: &LandscapesArguments,
    specs: &[Spec],
    folder: &Folder,
) -> Result<Option<Peers>, ReproduceError> {
    if !specs.iter().any(|s| !s.contender.solver().is_enes() && !folder.has(&s.key())) {
        return Ok(None);
    }
    let study = &arguments.study;
    let python =
        environment::python(&environment::LANDSCAPES, study.python.as_deref(), &study.out, study.quiet)?;
    let (peers, versions) = Peers::start(&python, bridge::SCRIPT)?;
    folder.note_peer(&versions)?;
    Ok(Some(peers))
}
