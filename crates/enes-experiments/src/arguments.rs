//! The arguments, as typed.

use std::num::NonZeroUsize;
use std::path::PathBuf;

use clap::{Args, Parser, Subcommand};

use crate::landscapes::LandscapesArguments;
use crate::many_dimensions::ManyDimensionsArguments;
use crate::paper::Experiment;

const EXAMPLES: &str = "\
Examples:
  cargo reproduce paper --out reproduction           all experiments of the paper
  cargo reproduce paper path mixing                  two of them
  cargo reproduce costly --quick --without-peer      a reduced study, without pycma
  cargo reproduce landscapes --contenders enes,ranks --dims 10,20 --families asymmetric --runs 5
  cargo reproduce paper --out benchmarks/paper       the page again, from the committed runs";

/// The paper's experiments, and enes compared with CMA-ES
#[derive(Debug, Parser)]
#[command(name = "reproduce", bin_name = "cargo reproduce", version, after_help = EXAMPLES, max_term_width = 100)]
pub struct Arguments {
    #[command(subcommand)]
    pub(crate) command: Command,
}

#[derive(Debug, Subcommand)]
pub(crate) enum Command {
    /// The paper's experiments, all of them or those that are named
    Paper {
        /// unimodal (figure 1), rosenbrock, multimodal (figure 2), path (figure 3), mixing, baselines, scaling; and why:
        /// luck, fresh, small, repair; and beyond the paper: signal
        #[arg(value_enum)]
        experiments: Vec<Experiment>,
        #[command(flatten)]
        study: StudyArguments,
    },
    /// The default strategy in rank-based mode, compared with CMA-ES (pycma)
    Adaptive(StudyArguments),
    /// The default strategy with its surrogate, compared with rank-based mode, pycma and pycma's own surrogate
    Costly(StudyArguments),
    /// Multimodal functions with restarts, compared with pycma's; an hour and a half of pycma
    Restarts(StudyArguments),
    /// Wall time with many workers on a virtual clock, without and with the barrier of generations, compared with pycma
    Asynchronous(StudyArguments),
    /// Families of landscapes, made at random for every seed, compared with pycma and other peers
    Landscapes(LandscapesArguments),
    /// Policies, rotated functions and up to 100,000 dimensions, compared with pycma, SepCMA and L-BFGS-B
    ManyDimensions(ManyDimensionsArguments),
    /// Compress the records of a folder, to be committed; a folder continues from them as from plain ones
    Pack {
        /// The folder of a study
        folder: PathBuf,
    },
    /// Draw the README's picture from committed records
    Picture {
        /// The folder that `cargo reproduce costly` wrote
        #[arg(long, value_name = "DIR", default_value = "benchmarks/costly")]
        from: PathBuf,
        /// The file to write
        #[arg(long, value_name = "FILE", default_value = "docs/evaluations.svg")]
        out: PathBuf,
    },
    /// Print the peak memory of a few generations (started by `paper scaling`)
    #[command(hide = true)]
    MeasureMemory {
        #[arg(long)]
        dim: usize,
        #[arg(long)]
        reference: bool,
    },
}

#[derive(Args, Debug)]
pub(crate) struct StudyArguments {
    /// Folder for raw data, tables, figures and the page; the same folder continues where it was
    #[arg(long, value_name = "DIR", default_value = "reproduction")]
    pub(crate) out: PathBuf,

    /// A reduced set that finishes within a minute
    #[arg(long)]
    pub(crate) quick: bool,

    /// Runs at the same time [default: the number of cores]
    #[arg(long, value_name = "N")]
    pub(crate) jobs: Option<NonZeroUsize>,

    /// Seed of all runs [default: that of the folder, 1 for a new one]
    #[arg(long, value_name = "SEED")]
    pub(crate) seed: Option<u64>,

    /// The Python that runs pycma (not for the paper) [default: $ENES_PEER_PYTHON, else an environment that is made in
    /// DIR/.venv]
    #[arg(long, value_name = "FILE", conflicts_with = "without_peer")]
    pub(crate) python: Option<PathBuf>,

    /// Leave pycma out (not for the paper)
    #[arg(long)]
    pub(crate) without_peer: bool,

    /// Run ours again, where the folder has them already; those of peers are kept
    #[arg(long)]
    pub(crate) again: bool,

    /// Say nothing on stderr but errors
    #[arg(long, short)]
    pub(crate) quiet: bool,
}
