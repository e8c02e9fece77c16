//! Flags for when a run ends: a target, budgets, and when a search is done.

use std::str::FromStr;
use std::time::Duration;

use clap::Args;
use enes::Settings;

/// A time limit beyond this is none.
pub(crate) const MOST_SECONDS: f64 = 3.2e9;

#[derive(Args, Debug)]
pub(crate) struct StopArguments {
    /// Stop at a value this good; `none` runs until the search itself ends [default: none; built-in
    /// problems 1e-10, ridges -1000]
    #[arg(long, value_name = "VALUE", allow_hyphen_values = true, help_heading = "Stopping")]
    pub(crate) target: Option<Target>,

    /// Evaluate at most this often
    #[arg(long, value_name = "COUNT", value_parser = at_least_one, allow_hyphen_values = true, help_heading = "Stopping")]
    pub(crate) max_evaluations: Option<u64>,

    /// Run at most this long
    #[arg(long, value_name = "SECONDS", value_parser = seconds, allow_hyphen_values = true, help_heading = "Stopping")]
    pub(crate) max_seconds: Option<Duration>,

    /// Without a target: end when this many searches in a row have ended in the best optimum, one fewer where another would
    /// be dear; 0 never [default: 5]
    #[arg(long, value_name = "COUNT", help_heading = "Stopping")]
    pub(crate) same_optimum: Option<u64>,

    /// Without a target: end when no more than this many better optima are expected among those not seen; 0 never
    /// [default: 0.5]
    #[arg(long, value_name = "NUMBER", allow_hyphen_values = true, help_heading = "Stopping")]
    pub(crate) unseen_optima: Option<f64>,

    #[command(flatten)]
    pub(crate) tolerances: Tolerances,
}

/// When a search has converged; nothing leaves the default.
#[derive(Args, Clone, Copy, Debug, Default, PartialEq, serde::Deserialize, serde::Serialize)]
pub(crate) struct Tolerances {
    /// A search ends when every standard deviation is below this, on a log scale that of ln x; 0 never [default: 1e-11]
    #[arg(
        long, value_name = "LENGTH", value_parser = crate::numbers::tolerance, allow_hyphen_values = true,
        help_heading = "Stopping"
    )]
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub(crate) tolx: Option<f64>,

    /// A search ends when the values of a generation and the recent best ones differ by less than this; 0 never
    /// [default: 1e-11]
    #[arg(
        long, value_name = "DIFFERENCE", value_parser = crate::numbers::tolerance, allow_hyphen_values = true,
        help_heading = "Stopping"
    )]
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub(crate) tolfun: Option<f64>,
}

impl Tolerances {
    /// Whether they say nothing.
    pub(crate) fn is_default(&self) -> bool {
        *self == Self::default()
    }

    /// These, and where they say nothing those.
    pub(crate) fn or(self, other: Self) -> Self {
        Self { tolx: self.tolx.or(other.tolx), tolfun: self.tolfun.or(other.tolfun) }
    }
}

/// When a search has converged and when another one is not worth it: 0 switches a rule off, nothing leaves the default.
pub(crate) fn with_rules(
    mut settings: Settings,
    same: Option<u64>,
    unseen: Option<f64>,
    tolerances: Tolerances,
) -> Settings {
    if let Some(searches) = same {
        settings = settings.same_optimum(Some(searches).filter(|&n| n > 0));
    }
    if let Some(expected) = unseen {
        settings = settings.unseen_optima(Some(expected).filter(|&n| n != 0.0));
    }
    if let Some(length) = tolerances.tolx {
        settings = settings.tolx(Some(length).filter(|&t| t != 0.0));
    }
    match tolerances.tolfun {
        None => settings,
        Some(difference) => settings.tolfun(Some(difference).filter(|&t| t != 0.0)),
    }
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

/// A count.
pub(crate) fn at_least_one(text: &str) -> Result<u64, String> {
    let value = text.parse().ok().filter(|v| *v > 0);
    value.ok_or_else(|| "a whole number of at least 1 is needed".to_string())
}

/// A time.
pub(crate) fn seconds(text: &str) -> Result<Duration, String> {
    let value = text.parse::<f64>().ok().filter(|v| *v > 0.0);
    let time = value.and_then(|v| Duration::try_from_secs_f64(v.min(2.0 * MOST_SECONDS)).ok());
    match time.ok_or_else(|| "a number of seconds above 0 is needed".to_string())? {
        time if time.as_secs_f64() <= MOST_SECONDS => Ok(time),
        _ => Err(format!(
            "it must be at most {MOST_SECONDS:e} seconds, a hundred years; leave it out for no limit"
        )),
    }
}
