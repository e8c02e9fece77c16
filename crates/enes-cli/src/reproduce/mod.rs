//! `enes reproduce`: the experiments of the paper, run again, measured, drawn and judged.
//!
//! plan -> jobs -> records as they land -> summaries -> figures and one page.

mod experiments;
mod folder;
mod measurement;
mod page;
mod run;
mod runner;
mod section;
mod statistics;

use clap::{Args, ValueEnum};

use crate::display::words;
use crate::error::CommandError;
use folder::Folder;
pub(crate) use measurement::print_memory;

/// What can be reproduced.
#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
pub(crate) enum Experiment {
    Unimodal,
    Rosenbrock,
    Multimodal,
    Path,
    Mixing,
    Baselines,
    Scaling,
    All,
}

#[derive(Args, Debug)]
pub(crate) struct ReproduceArguments {
    /// Which experiment: unimodal (figure 1), rosenbrock, multimodal (figure 2), path (figure 3), mixing,
    /// baselines, scaling, or all
    #[arg(value_enum)]
    experiment: Experiment,

    /// Folder for raw data, tables, figures and the page; the same folder continues where it was
    #[arg(long, value_name = "DIR", default_value = "reproduction")]
    out: std::path::PathBuf,

    /// A reduced set that finishes within a minute
    #[arg(long)]
    quick: bool,

    /// Runs at the same time [default: the number of cores]
    #[arg(long, value_name = "N")]
    jobs: Option<std::num::NonZeroUsize>,

    /// Seed of all runs
    #[arg(long, value_name = "SEED", default_value_t = 1)]
    seed: u64,

    /// Say nothing on stderr but errors
    #[arg(long, short)]
    quiet: bool,
}

/// What every experiment must know.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(crate) struct Plan {
    pub(crate) quick: bool,
    pub(crate) seed: u64,
}

impl Plan {
    /// The full figure, or the reduced one.
    pub(crate) fn pick<T>(self, full: T, quick: T) -> T {
        if self.quick { quick } else { full }
    }
}

/// Run what is missing, then write summaries, figures and the page.
pub(crate) fn run(arguments: &ReproduceArguments) -> Result<bool, CommandError> {
    let plan = Plan { quick: arguments.quick, seed: arguments.seed };
    let mut folder = Folder::open(&arguments.out, plan)?;
    let chosen = experiments::chosen(arguments.experiment);
    let jobs = arguments.jobs.map_or(0, usize::from);
    let specs: Vec<_> = chosen.iter().flat_map(|e| experiments::runs(*e, plan)).collect();
    runner::run_missing(&specs, &mut folder, jobs, arguments.quiet)?;
    if chosen.contains(&Experiment::Scaling) {
        measurement::measure_missing(plan, &mut folder, arguments.quiet)?;
    }
    let sections = experiments::sections(plan, &folder);
    page::write(&folder, plan, &sections)?;
    if !arguments.quiet {
        for section in &sections {
            for claim in section.claims.iter().filter(|_| chosen.contains(&section.experiment)) {
                words(&format!("{:11}  {}: {}", claim.verdict.word(), section.name(), claim.measured));
            }
        }
        words(&format!("wrote {}", folder.path("index.html").display()));
    }
    Ok(true)
}
