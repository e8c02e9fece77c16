//! Flags for what limits a point: constraints, integers, and how bounds are kept.

use clap::{Args, ValueEnum};

#[derive(Args, Debug)]
pub(crate) struct LimitArguments {
    /// Your program prints a value and, after it, by how much the point violates its constraints: the last two
    /// numbers; 0 or less is feasible
    #[arg(long, help_heading = "Your program", conflicts_with_all = ["problem", "worker", "value_field"])]
    pub(crate) constrained: bool,

    /// The field of the JSON object your program prints that is the violation; 0 or less is feasible
    #[arg(
        long, value_name = "FIELD", help_heading = "Your program",
        conflicts_with_all = ["problem", "worker", "constrained"]
    )]
    pub(crate) violation_field: Option<String>,

    /// Names of the constraints that your program tells, separated by commas: `stress,mass,balance=0` for two that are to
    /// be 0 or less and one that is to be 0. They are fields of the worker's answer, or of the JSON object with
    /// --value-field, or numbers after the value in this order, those with `=0` last
    #[arg(
        long, value_name = "NAMES", value_delimiter = ',', help_heading = "Your program",
        conflicts_with_all = ["problem", "constrained", "violation_field"]
    )]
    pub(crate) constraints: Vec<String>,

    /// By how much each constraint may be violated by a point that counts as feasible [default: 1e-6]
    #[arg(long, value_name = "X", help_heading = "Your program", conflicts_with = "problem")]
    pub(crate) catol: Option<f64>,

    /// Names of the coordinates that are whole numbers, separated by commas, or `all`
    #[arg(
        long,
        value_name = "NAMES",
        value_delimiter = ',',
        help_heading = "Your program",
        conflicts_with = "problem"
    )]
    pub(crate) integer: Vec<String>,

    /// A category: names of coordinates, separated by commas, of which exactly one is 1 and the others are 0; once for each
    /// category
    #[arg(long, value_name = "NAMES", help_heading = "Your program", conflicts_with = "problem")]
    pub(crate) one_hot: Vec<String>,

    /// How points are kept within bounds: by a smooth map, by a mirror, or by drawing again what lies outside
    /// [default: smooth]
    #[arg(long, value_enum, help_heading = "Search", conflicts_with = "problem")]
    pub(crate) bound_handling: Option<BoundHandlingName>,
}

#[derive(Clone, Copy, Debug, Default, PartialEq, ValueEnum, serde::Deserialize, serde::Serialize)]
#[serde(rename_all = "lowercase")]
pub(crate) enum BoundHandlingName {
    #[default]
    Smooth,
    Reflect,
    Resample,
}

impl From<BoundHandlingName> for enes::BoundHandling {
    fn from(name: BoundHandlingName) -> Self {
        match name {
            BoundHandlingName::Smooth => Self::Smooth,
            BoundHandlingName::Reflect => Self::Reflect,
            BoundHandlingName::Resample => Self::Resample,
        }
    }
}
