//! `enes reproduce`: the experiments of the paper, run again, measured, drawn and judged; and the adaptive strategy
//! beside CMA-ES, by ranks alone and with its model of the values.
//!
//! plan -> jobs -> records as they land -> summaries -> figures and one page.

mod environment;
mod experiments;
mod folder;
mod measurement;
mod objective;
mod page;
mod peer;
mod run;
mod runner;
mod section;
mod statistics;

use clap::{Args, ValueEnum};

use crate::display::words;
use crate::error::CommandError;
use folder::Folder;
pub(crate) use measurement::print_memory;
use peer::Peers;
use run::RunSpec;

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
    Adaptive,
    Costly,
    Restarts,
}

/// Experiments that share a folder and a page.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Set {
    Paper,
    Adaptive,
    Costly,
    Restarts,
}

impl Experiment {
    fn set(self) -> Set {
        match self {
            Self::Adaptive => Set::Adaptive,
            Self::Restarts => Set::Restarts,
            Self::Costly => Set::Costly,
            _ => Set::Paper,
        }
    }
}

impl Set {
    /// As the manifest has it.
    pub(crate) fn name(self) -> &'static str {
        match self {
            Self::Paper => "paper",
            Self::Adaptive => "adaptive",
            Self::Costly => "costly",
            Self::Restarts => "restarts",
        }
    }
}

#[derive(Args, Debug)]
pub(crate) struct ReproduceArguments {
    /// Which experiment: unimodal (figure 1), rosenbrock, multimodal (figure 2), path (figure 3), mixing,
    /// baselines, scaling, or all of these; or adaptive: the default strategy by ranks alone beside CMA-ES (pycma);
    /// or costly: its model of the values beside pycma's; or restarts: multimodal functions from near and far, hours
    /// of pycma
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

    /// The Python that runs pycma (`adaptive` and `costly` only) [default: $ENES_PEER_PYTHON, else an environment that is made
    /// in DIR/.venv]
    #[arg(long, value_name = "FILE", conflicts_with = "without_peer")]
    python: Option<std::path::PathBuf>,

    /// Leave pycma out (`adaptive` and `costly` only)
    #[arg(long)]
    without_peer: bool,

    /// Say nothing on stderr but errors
    #[arg(long, short)]
    quiet: bool,
}

/// What every experiment must know.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(crate) struct Plan {
    pub(crate) set: Set,
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
    let set = arguments.experiment.set();
    if set == Set::Paper && (arguments.python.is_some() || arguments.without_peer) {
        let what = "--python and --without-peer are for `enes reproduce adaptive`, `costly` and `restarts`: the paper's experiments need no peer";
        return Err(CommandError::Usage(what.into()));
    }
    let plan = Plan { set, quick: arguments.quick, seed: arguments.seed };
    let mut folder = Folder::open(&arguments.out, plan)?;
    let chosen = experiments::chosen(arguments.experiment);
    let jobs = arguments.jobs.map_or(0, usize::from);
    let mut specs: Vec<_> = chosen.iter().flat_map(|e| experiments::runs(*e, plan)).collect();
    specs.retain(|s| s.solver.is_enes() || !arguments.without_peer);
    let peers = peers(arguments, &specs, &folder)?;
    runner::run_missing(&specs, &mut folder, peers.as_ref(), jobs, arguments.quiet)?;
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

/// The peers, where one of its runs is missing: a page alone needs no Python.
fn peers(
    arguments: &ReproduceArguments,
    specs: &[RunSpec],
    folder: &Folder,
) -> Result<Option<Peers>, CommandError> {
    if !specs.iter().any(|s| !s.solver.is_enes() && !folder.has(&s.key())) {
        return Ok(None);
    }
    let python = environment::python(arguments.python.as_deref(), &arguments.out, arguments.quiet)?;
    let (peers, versions) = Peers::start(&python)?;
    folder.note_peer(&versions)?;
    Ok(Some(peers))
}
