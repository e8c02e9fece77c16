//! The arguments, as typed.

use std::path::PathBuf;
use std::time::Duration;

use clap::{Args, Parser, Subcommand};
use enes_problems::Function;

use crate::limits::LimitArguments;
use crate::names::{
    BaselineName, ModelName, PopulationName, RateName, RestartsName, ShapingName, StrategyName,
};
use crate::numbers::{distance, finite, positive};
use crate::report::ReportArguments;
use crate::stopping::{StopArguments, at_least_one, seconds};

const EXAMPLES: &str = "\
Examples:
  enes minimize --dim 3 --jobs 2 -- ./simulate {}          your program, started for each point
  enes minimize --dim 3 --worker -- python model.py        your program, kept alive
  enes init && enes minimize problem.toml                  names, bounds and stop rules in a file
  enes resume runs/simulate-20260131-120000
  enes inject runs/simulate-20260131-120000 points.csv     points that were evaluated elsewhere
  enes report runs/simulate-20260131-120000
  enes minimize --problem rosenbrock --dim 10 --seed 1     a built-in problem
  enes problems

Exit codes:
  0  the target was met, or there was none and the run ended in order
  1  the run stopped short of its target, or found no feasible point
  2  wrong usage, a failure, or too many failed evaluations
  129, 130, 143  interrupted by SIGHUP, Ctrl-C or SIGTERM; `enes resume` continues";

/// A black-box optimizer: Efficient Natural Evolution Strategies
#[derive(Debug, Parser)]
#[command(name = "enes", version, after_help = EXAMPLES, max_term_width = 100)]
pub(crate) struct Arguments {
    #[command(subcommand)]
    pub(crate) command: Command,
}

#[derive(Debug, Subcommand)]
pub(crate) enum Command {
    /// Minimize a program of yours, or a built-in problem
    #[command(after_help = EXAMPLES)]
    Minimize(Box<MinimizeArguments>),
    /// Continue a run that was stopped
    Resume(ResumeArguments),
    /// Give points that were evaluated elsewhere to a run, while it runs or before it is resumed
    Inject(InjectArguments),
    /// Say of every file of a run folder whether it is sound; exit code 2 where one is not
    Verify {
        /// The folder of a run
        #[arg(value_name = "DIR")]
        folder: PathBuf,
    },
    /// Write a new folder with what is sound of a damaged one, which stays as it is
    Repair {
        /// The folder of a run
        #[arg(value_name = "DIR")]
        folder: PathBuf,
        /// The new folder [default: DIR-repaired]
        #[arg(long, value_name = "DIR")]
        out: Option<PathBuf>,
    },
    /// Write a page that shows how runs went, from their folders
    Report(ReportArguments),
    /// Run your program once at the start point and say what came back
    Evaluate(Box<MinimizeArguments>),
    /// Write a commented problem file to start from
    Init {
        /// The file to write; an existing one is left alone
        #[arg(default_value = "problem.toml")]
        file: PathBuf,
    },
    /// List the built-in problems
    Problems,
    /// Print completions for a shell
    Completions {
        /// The shell
        #[arg(value_enum)]
        shell: clap_complete::Shell,
    },
    /// Print the manual page
    Manual,
}

#[derive(Args, Debug)]
pub(crate) struct ResumeArguments {
    /// The folder of the run
    pub(crate) folder: PathBuf,

    /// Evaluations at the same time, where not as before
    #[arg(long, value_name = "N", value_parser = clap::value_parser!(u16).range(1..))]
    pub(crate) jobs: Option<u16>,

    /// Another limit for the whole run
    #[arg(long, value_name = "COUNT", value_parser = at_least_one, allow_hyphen_values = true)]
    pub(crate) max_evaluations: Option<u64>,

    /// Another limit for the whole run
    #[arg(long, value_name = "SECONDS", value_parser = seconds, allow_hyphen_values = true)]
    pub(crate) max_seconds: Option<Duration>,

    /// Print the result as one JSON object on stdout
    #[arg(long)]
    pub(crate) json: bool,

    /// Say nothing on stderr but errors
    #[arg(long, short)]
    pub(crate) quiet: bool,
}

#[derive(Args, Debug)]
pub(crate) struct InjectArguments {
    /// The folder of the run
    pub(crate) folder: PathBuf,

    /// Points and values: JSON lines with `x` and `value`, or comma-separated with the value last; `-` reads them
    /// from standard input
    pub(crate) table: PathBuf,

    /// Say nothing on stderr but errors
    #[arg(long, short)]
    pub(crate) quiet: bool,
}

#[derive(Args, Debug)]
pub(crate) struct MinimizeArguments {
    /// A problem file; `enes init` writes one. Flags override what it says
    #[arg(value_name = "PROBLEM.toml", conflicts_with = "problem")]
    pub(crate) file: Option<PathBuf>,

    /// Your program and its arguments: `{}` becomes the coordinates, `{0}` or `{name}` one of them; the value
    /// is the last number it prints
    #[arg(last = true, value_name = "COMMAND", conflicts_with = "problem")]
    pub(crate) command: Vec<String>,

    /// Keep the program alive and speak JSON lines with it (see docs/your-own-program.md)
    #[arg(long, help_heading = "Your program", conflicts_with = "problem")]
    pub(crate) worker: bool,

    /// Names of the coordinates, separated by commas
    #[arg(
        long,
        value_name = "NAMES",
        value_delimiter = ',',
        help_heading = "Your program",
        conflicts_with = "problem"
    )]
    pub(crate) names: Vec<String>,

    /// Start values, separated by commas [default: 0 each]
    #[arg(
        long,
        value_name = "VALUES",
        value_delimiter = ',',
        value_parser = finite,
        allow_hyphen_values = true,
        help_heading = "Your program",
        conflicts_with = "problem"
    )]
    pub(crate) x0: Vec<f64>,

    /// The field of the JSON object your program prints that is the value
    #[arg(long, value_name = "FIELD", help_heading = "Your program", conflicts_with_all = ["problem", "worker"])]
    pub(crate) value_field: Option<String>,

    #[command(flatten)]
    pub(crate) limits: LimitArguments,

    /// Evaluations at the same time; with --sync the result does not depend on it, unless there are more than points in
    /// a generation: then generations grow with it, unless --batch fixes their size [default: 1]
    #[arg(
        long, value_name = "N", value_parser = clap::value_parser!(u16).range(1..), help_heading = "Your program",
        conflicts_with = "problem"
    )]
    pub(crate) jobs: Option<u16>,

    /// No job waits for another: points are handed out one at a time, and the search goes on with whatever has come
    /// back. The order in which evaluations end then matters; it is recorded. Adaptive strategy [default: as soon as
    /// --jobs is above 1 and evaluations are seen to take different times]
    #[arg(long = "async", help_heading = "Your program", conflicts_with_all = ["problem", "sync"])]
    pub(crate) asynchronous: bool,

    /// Whole generations, each of which waits for its slowest evaluation: the result depends neither on --jobs, up to
    /// the points of a generation, nor on how long evaluations take
    #[arg(long, help_heading = "Your program", conflicts_with = "problem")]
    pub(crate) sync: bool,

    /// Give up on an evaluation after this long; it counts as failed
    #[arg(
        long, value_name = "SECONDS", value_parser = seconds, allow_hyphen_values = true, help_heading = "Your program",
        conflicts_with = "problem"
    )]
    pub(crate) timeout: Option<Duration>,

    /// Stop after this many failures in a row [default: 20]
    #[arg(
        long, value_name = "COUNT", value_parser = at_least_one, allow_hyphen_values = true, help_heading = "Your program",
        conflicts_with = "problem"
    )]
    pub(crate) max_failures: Option<u64>,

    /// Name of the run [default: that of the program]
    #[arg(long, value_name = "NAME", help_heading = "Your program", conflicts_with = "problem")]
    pub(crate) name: Option<String>,

    /// Folder of the run, for `enes resume` and for you [default: runs/NAME-DATE]
    #[arg(long, value_name = "DIR", help_heading = "Your program", conflicts_with = "problem")]
    pub(crate) run: Option<PathBuf>,

    /// A built-in problem instead, by name; `enes problems` lists them
    #[arg(long, value_name = "NAME", help_heading = "Built-in problem")]
    pub(crate) problem: Option<Function>,

    /// Distance of the start from the optimum [default: 1]
    #[arg(long, value_name = "LENGTH", value_parser = distance, help_heading = "Built-in problem", requires = "problem")]
    pub(crate) distance: Option<f64>,

    /// Leave the problem's axes along the coordinates
    #[arg(long, help_heading = "Built-in problem", requires = "problem")]
    pub(crate) no_rotation: bool,

    /// The number of coordinates [default: 10 for a built-in problem]
    #[arg(long, value_name = "D", help_heading = "Search")]
    pub(crate) dim: Option<usize>,

    /// Seed of the run, and of a built-in problem's rotation, shift and start; 0 is a seed like any other
    /// [default: 0]
    #[arg(long, value_name = "SEED", help_heading = "Search")]
    pub(crate) seed: Option<u64>,

    /// How the search distribution moves: `adaptive` needs the fewest evaluations, `published` is the paper's
    /// algorithm [default: adaptive]
    #[arg(long, value_enum, help_heading = "Search")]
    pub(crate) strategy: Option<StrategyName>,

    /// Start again where a search ends short of target and budget: `bipop` with growing populations and on
    /// smaller scales, `ipop` with growing populations only, `auto` as bipop where there is a target, a budget or a
    /// box and the strategy is adaptive [default: auto]
    #[arg(long, value_enum, help_heading = "Search")]
    pub(crate) restarts: Option<RestartsName>,

    /// Use a surrogate of the objective wherever it predicts well (`auto`, up to 40 coordinates), or nothing but
    /// the order of the values (`rank-only`); adaptive strategy [default: auto]
    #[arg(long, value_enum, help_heading = "Search")]
    pub(crate) model: Option<ModelName>,

    /// Samples in a generation besides the surrogate's own point, where it is active; 1 for long evaluations, one
    /// at a time; adaptive strategy [default: one less than the population, or than --jobs]
    #[arg(long, value_name = "N", help_heading = "Search")]
    pub(crate) batch: Option<usize>,

    /// Values have noise: points are measured again, and the result is the mean of the search; no restarts, no
    /// surrogate, no constraints
    #[arg(long, help_heading = "Search")]
    pub(crate) noisy: bool,

    /// Points per generation [default: 0.7 (4 + 1.5 ln D) up to D = 40; published: 2D(D+1) + 16 up to D = 50]. Beyond the
    /// paper `auto`: the published strategy's grow, up to 16 times, while gradients are more noise than signal
    #[arg(long, value_name = "N|auto", help_heading = "Search")]
    pub(crate) population: Option<PopulationName>,

    /// Initial standard deviation: one number, or one per coordinate separated by commas [default: 1]
    #[arg(
        long,
        value_name = "SIGMA",
        value_delimiter = ',',
        value_parser = positive,
        allow_hyphen_values = true,
        help_heading = "Search"
    )]
    pub(crate) sigma0: Vec<f64>,

    /// Begin with what an earlier run has learned: a run folder, a checkpoint, or a table of points and values (JSON
    /// lines with `x` and `value`, or comma-separated with the value last)
    #[arg(long, value_name = "PATH", help_heading = "Search")]
    pub(crate) warm_start: Option<PathBuf>,

    /// Multiply the deviations of the warm start [default: a tenth of sigma0 at least]
    #[arg(
        long,
        value_name = "FACTOR",
        allow_hyphen_values = true,
        help_heading = "Search",
        requires = "warm_start"
    )]
    pub(crate) warm_widen: Option<f64>,

    /// Fit to the points of the table without using their values: another objective gave them
    #[arg(long, help_heading = "Search", requires = "warm_start")]
    pub(crate) warm_without_points: bool,

    /// Learning rate of mean and covariance, published strategy [default: 1]. Beyond the paper `adaptive`: the ratio of
    /// signal to noise in the gradient, from 0.01 to 3
    #[arg(long, value_name = "RATE|adaptive", allow_hyphen_values = true, help_heading = "Search")]
    pub(crate) eta: Option<RateName>,

    /// Least share of new points in a generation, above 0 and at most 1; 1 reuses nothing; published strategy
    /// [default: 0.01]
    #[arg(long, value_name = "SHARE", allow_hyphen_values = true, help_heading = "Search")]
    pub(crate) refresh_rate: Option<f64>,

    /// Fitness baseline: one for each group of parameters (block), for each parameter (specific), for all
    /// (uniform), or none; beyond the paper, a multiple of the mean utility (mean); published strategy [default: block]
    #[arg(long, value_enum, help_heading = "Search")]
    pub(crate) baseline: Option<BaselineName>,

    /// The multiple of the mean utility that the baseline `mean` is [default: 1]
    #[arg(long, value_name = "FACTOR", allow_hyphen_values = true, help_heading = "Search")]
    pub(crate) baseline_factor: Option<f64>,

    /// Fitness shaping, from ranks to utilities: paper, logarithmic (as in CMA-ES), linear, raw (the value itself), or
    /// a table with a utility for each rank, the best first, as `1,0.5,0`; published strategy [default: paper]
    #[arg(long, value_name = "NAME|U,U,...", allow_hyphen_values = true, help_heading = "Search")]
    pub(crate) shaping: Option<ShapingName>,

    /// Beyond the paper: give the step size back what the reuse of points takes from it; published strategy
    #[arg(long, help_heading = "Search")]
    pub(crate) drift_correction: bool,

    /// Threads for the matrix products between evaluations, published strategy; they help from about 200 dimensions on,
    /// and the result does not depend on them [default: 1]
    #[arg(long, value_name = "N", value_parser = clap::value_parser!(u16).range(1..), help_heading = "Search")]
    pub(crate) algebra_threads: Option<u16>,

    #[command(flatten)]
    pub(crate) stopping: StopArguments,

    /// Print the result as one JSON object on stdout
    #[arg(long, help_heading = "Output")]
    pub(crate) json: bool,

    /// Say nothing on stderr but errors
    #[arg(long, short, help_heading = "Output")]
    pub(crate) quiet: bool,
}
