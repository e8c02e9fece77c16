//! The arguments, as typed.

use std::str::FromStr;
use std::time::Duration;

use clap::{Args, Parser, Subcommand, ValueEnum};
use enes_problems::Function;

use crate::reproduce::ReproduceArguments;

const EXAMPLES: &str = "\
Examples:
  enes minimize --problem rosenbrock --dim 10 --seed 1
  enes minimize --problem ellipsoid --dim 20 --population 200 --json
  enes reproduce all --out reproduction
  enes problems

Exit codes:
  0  the target was met, or there was none and the run ended in order
  1  the run stopped short of its target
  2  wrong usage, or a failure";

/// A black-box optimizer: Efficient Natural Evolution Strategies
#[derive(Debug, Parser)]
#[command(name = "enes", version, after_help = EXAMPLES, max_term_width = 100)]
pub(crate) struct Arguments {
    #[command(subcommand)]
    pub(crate) command: Command,
}

#[derive(Debug, Subcommand)]
pub(crate) enum Command {
    /// Minimize a built-in problem and say how it went
    #[command(after_help = EXAMPLES)]
    Minimize(MinimizeArguments),
    /// List the built-in problems
    Problems,
    /// Run the paper's experiments again and write a page that judges them
    Reproduce(ReproduceArguments),
    /// Print the peak memory of a few generations (started by `reproduce scaling`)
    #[command(hide = true)]
    MeasureMemory {
        #[arg(long)]
        dim: usize,
        #[arg(long)]
        reference: bool,
    },
}

#[derive(Args, Debug)]
pub(crate) struct MinimizeArguments {
    /// The problem, by name; `enes problems` lists them
    #[arg(long, value_name = "NAME", help_heading = "Problem")]
    pub(crate) problem: Function,

    /// The number of coordinates
    #[arg(long, value_name = "D", default_value_t = 10, help_heading = "Problem")]
    pub(crate) dim: usize,

    /// Seed of the run and of the problem's rotation, shift and start; 0 is a seed like any other
    #[arg(long, value_name = "SEED", default_value_t = 0, help_heading = "Problem")]
    pub(crate) seed: u64,

    /// Distance of the start from the optimum
    #[arg(long, value_name = "LENGTH", default_value = "1", value_parser = distance, help_heading = "Problem")]
    pub(crate) distance: f64,

    /// Leave the problem's axes along the coordinates
    #[arg(long, help_heading = "Problem")]
    pub(crate) no_rotation: bool,

    /// How the search distribution moves: `published` is the paper's algorithm
    #[arg(long, value_enum, default_value_t = StrategyName::Published, help_heading = "Strategy")]
    pub(crate) strategy: StrategyName,

    /// Points per generation [default: 2D(D+1) + 16 up to D = 50]
    #[arg(long, value_name = "N", help_heading = "Strategy")]
    pub(crate) population: Option<usize>,

    /// Initial standard deviation: one number, or one per coordinate separated by commas
    #[arg(
        long,
        value_name = "SIGMA",
        default_value = "1",
        value_delimiter = ',',
        allow_hyphen_values = true,
        help_heading = "Strategy"
    )]
    pub(crate) sigma0: Vec<f64>,

    /// Learning rate of mean and covariance
    #[arg(
        long,
        value_name = "RATE",
        default_value_t = 1.0,
        allow_hyphen_values = true,
        help_heading = "Strategy"
    )]
    pub(crate) eta: f64,

    /// Least share of new points in a generation, above 0 and at most 1; 1 reuses nothing
    #[arg(
        long,
        value_name = "SHARE",
        default_value_t = 0.01,
        allow_hyphen_values = true,
        help_heading = "Strategy"
    )]
    pub(crate) refresh_rate: f64,

    /// Fitness baseline: one for each group of parameters (block), for each parameter (specific), for
    /// all (uniform), or none
    #[arg(long, value_enum, default_value_t = BaselineName::Block, help_heading = "Strategy")]
    pub(crate) baseline: BaselineName,

    /// Stop at a value this good; `none` runs until the search itself ends [default: 1e-10, ridges -1000]
    #[arg(long, value_name = "VALUE", allow_hyphen_values = true, help_heading = "Stopping")]
    pub(crate) target: Option<Target>,

    /// Evaluate at most this often
    #[arg(long, value_name = "COUNT", help_heading = "Stopping")]
    pub(crate) max_evaluations: Option<u64>,

    /// Run at most this long
    #[arg(long, value_name = "SECONDS", value_parser = seconds, allow_hyphen_values = true, help_heading = "Stopping")]
    pub(crate) max_seconds: Option<Duration>,

    /// Print the result as one JSON object on stdout
    #[arg(long, help_heading = "Output")]
    pub(crate) json: bool,

    /// Say nothing on stderr but errors
    #[arg(long, short, help_heading = "Output")]
    pub(crate) quiet: bool,
}

#[derive(Clone, Copy, Debug, PartialEq, ValueEnum)]
pub(crate) enum StrategyName {
    Published,
}

#[derive(Clone, Copy, Debug, PartialEq, ValueEnum)]
pub(crate) enum BaselineName {
    None,
    Uniform,
    Specific,
    Block,
}

/// A target value, or the wish for none.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(crate) enum Target {
    None,
    Value(f64),
}

impl FromStr for Target {
    type Err = String;

    fn from_str(text: &str) -> Result<Self, Self::Err> {
        if text == "none" {
            return Ok(Self::None);
        }
        match text.parse::<f64>() {
            Ok(value) if !value.is_nan() => Ok(Self::Value(value)),
            _ => Err("a number or `none` is needed".to_string()),
        }
    }
}

fn distance(text: &str) -> Result<f64, String> {
    match text.parse::<f64>() {
        Ok(value) if value.is_finite() && value >= 0.0 => Ok(value),
        _ => Err("a finite number, 0 or larger, is needed".to_string()),
    }
}

fn seconds(text: &str) -> Result<Duration, String> {
    let value = text.parse::<f64>().ok().filter(|v| *v > 0.0);
    let time = value.and_then(|v| Duration::try_from_secs_f64(v).ok());
    time.ok_or_else(|| "a number of seconds above 0 is needed".to_string())
}
