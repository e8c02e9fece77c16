//! Problem files: TOML with names, start values, scales, bounds, the command and the stop rules.

use std::fmt::Display;
use std::path::Path;

use serde::Deserialize;
use serde::de::{Deserializer, Error};
use toml::Spanned;

use super::declared::Linear;
use super::parameters::Parameter;
use super::plan::Schedule;
use crate::error::CommandError;
use crate::limits::BoundHandlingName;
use crate::names::{
    BaselineName, ModelName, PopulationName, RateName, RestartsName, ShapingName, StrategyName,
};
use crate::stopping::{MOST_SECONDS, Tolerances};

/// A file to start from; every key is explained.
pub(crate) const TEMPLATE: &str = include_str!("template.toml");

/// A problem file as it stands.
#[derive(Debug, Default, Deserialize)]
#[serde(deny_unknown_fields)]
pub(crate) struct ProblemFile {
    pub(crate) name: Option<String>,
    #[serde(default)]
    pub(crate) command: Vec<String>,
    #[serde(default)]
    pub(crate) worker: bool,
    pub(crate) value_field: Option<String>,
    #[serde(default)]
    pub(crate) constrained: bool,
    pub(crate) violation_field: Option<String>,
    #[serde(default)]
    pub(crate) constraints: Vec<String>,
    pub(crate) catol: Option<f64>,
    #[serde(default)]
    pub(crate) linear: Vec<Linear>,
    #[serde(default, deserialize_with = "at_least_one")]
    pub(crate) jobs: Option<u16>,
    pub(crate) schedule: Option<Schedule>,
    #[serde(default, deserialize_with = "seconds")]
    pub(crate) timeout: Option<f64>,
    #[serde(default)]
    pub(crate) stop: StopTable,
    #[serde(default)]
    pub(crate) search: SearchTable,
    #[serde(default)]
    parameter: Vec<Spanned<Parameter>>,
}

#[derive(Debug, Default, Deserialize)]
#[serde(deny_unknown_fields)]
pub(crate) struct StopTable {
    pub(crate) target: Option<f64>,
    #[serde(default, deserialize_with = "at_least_one")]
    pub(crate) max_evaluations: Option<u64>,
    #[serde(default, deserialize_with = "seconds")]
    pub(crate) max_seconds: Option<f64>,
    #[serde(default, deserialize_with = "at_least_one")]
    pub(crate) max_failures: Option<u64>,
    pub(crate) same_optimum: Option<u64>,
    pub(crate) unseen_optima: Option<f64>,
    #[serde(default, deserialize_with = "tolerance")]
    pub(crate) tolx: Option<f64>,
    #[serde(default, deserialize_with = "tolerance")]
    pub(crate) tolfun: Option<f64>,
}

impl StopTable {
    pub(crate) fn tolerances(&self) -> Tolerances {
        Tolerances { tolx: self.tolx, tolfun: self.tolfun }
    }
}

#[derive(Debug, Default, Deserialize)]
#[serde(deny_unknown_fields)]
pub(crate) struct SearchTable {
    pub(crate) seed: Option<u64>,
    pub(crate) strategy: Option<StrategyName>,
    pub(crate) restarts: Option<RestartsName>,
    pub(crate) model: Option<ModelName>,
    pub(crate) batch: Option<usize>,
    pub(crate) bound_handling: Option<BoundHandlingName>,
    pub(crate) noisy: Option<bool>,
    pub(crate) population: Option<PopulationName>,
    #[serde(default, deserialize_with = "positive")]
    pub(crate) sigma0: Option<f64>,
    pub(crate) eta: Option<RateName>,
    pub(crate) refresh_rate: Option<f64>,
    pub(crate) baseline: Option<BaselineName>,
    pub(crate) baseline_factor: Option<f64>,
    pub(crate) shaping: Option<ShapingName>,
    pub(crate) drift_correction: Option<bool>,
    pub(crate) algebra_threads: Option<u16>,
}

/// A value of the file that passes a test; the reader adds line, column and key to what is said of another one.
fn checked<'de, D, T>(from: D, needed: &str, fits: impl Fn(&T) -> bool) -> Result<Option<T>, D::Error>
where
    D: Deserializer<'de>,
    T: Deserialize<'de> + Display,
{
    let value = T::deserialize(from)?;
    match fits(&value) {
        true => Ok(Some(value)),
        false => Err(D::Error::custom(format!("{needed}, got {value}"))),
    }
}

fn at_least_one<'de, D, T>(from: D) -> Result<Option<T>, D::Error>
where
    D: Deserializer<'de>,
    T: Deserialize<'de> + Display + PartialEq + From<u8>,
{
    checked(from, "it must be at least 1", |value| *value != T::from(0))
}

fn seconds<'de, D: Deserializer<'de>>(from: D) -> Result<Option<f64>, D::Error> {
    let needed = format!(
        "it must be a number of seconds above 0 and at most {MOST_SECONDS:e}, a hundred years; leave it out for no limit"
    );
    checked(from, &needed, |value| *value > 0.0 && *value <= MOST_SECONDS)
}

fn tolerance<'de, D: Deserializer<'de>>(from: D) -> Result<Option<f64>, D::Error> {
    let needed = "it must be a finite number above 0, or 0 to switch the rule off";
    checked(from, needed, |value: &f64| value.is_finite() && *value >= 0.0)
}

fn positive<'de, D: Deserializer<'de>>(from: D) -> Result<Option<f64>, D::Error> {
    checked(from, "it must be finite and above 0", |value: &f64| value.is_finite() && *value > 0.0)
}

/// Where a field belongs that stands in the wrong table, if anywhere.
fn misplaced(said: &str) -> Option<&'static str> {
    let field = said.split_once("unknown field `")?.1.split('`').next()?;
    let plain = field.chars().all(|c| c.is_ascii_alphanumeric() || c == '_');
    let places = [
        ("", "above the first table"),
        ("[stop]", "under [stop]"),
        ("[search]", "under [search]"),
        ("[[parameter]]\nname = \"a\"", "under [[parameter]]"),
    ];
    let known = |table: &str| {
        let alone = toml::from_str::<ProblemFile>(&format!("{table}\n{field} = 0\n"));
        plain && alone.err().is_none_or(|error| !error.message().contains("unknown field"))
    };
    places.into_iter().find(|(table, _)| known(table)).map(|(_, place)| place)
}

impl ProblemFile {
    /// Read and parse; errors point at line and key.
    pub(crate) fn read(path: &Path) -> Result<Self, CommandError> {
        let fail = |reason: String| CommandError::ProblemFile { file: path.display().to_string(), reason };
        // A program that stands before the `--` looks like a file.
        let program = match path.extension().is_some_and(|e| e == "toml") {
            true => "",
            false => "; a program of yours stands after `--`, as in `enes minimize --dim 2 -- ./simulate {}`",
        };
        let text = std::fs::read_to_string(path).map_err(|e| {
            fail(format!("cannot be read: {e}; `enes init` writes one to start from{program}"))
        })?;
        Self::parse(&text).map_err(|reason| fail(format!("{reason}{program}")))
    }

    /// The file with this text, or what is wrong with it.
    pub(crate) fn parse(text: &str) -> Result<Self, String> {
        let file: Self = toml::from_str(text).map_err(|e| {
            let said = e.to_string().trim_end().to_string();
            match misplaced(&said) {
                Some(place) => format!("{said}; it belongs {place}"),
                None => said,
            }
        })?;
        // Each parameter by itself, so that a mistake has a line.
        for parameter in &file.parameter {
            let checked = Some(parameter.get_ref().clone().fixed_by_bounds()).filter(|p| !p.fixed);
            let wrong = checked.and_then(|p| super::parameters::Space::new(&[p], 1.0).err());
            if let Some(error) = wrong {
                let line = text[..parameter.span().start].matches('\n').count() + 1;
                return Err(format!("line {line}, {error}"));
            }
        }
        Ok(file)
    }

    pub(crate) fn parameters(&self) -> Vec<Parameter> {
        self.parameter.iter().map(|p| p.get_ref().clone()).collect()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_template_is_a_problem_file() {
        let file: ProblemFile = toml::from_str(TEMPLATE).unwrap();
        let parameters = file.parameters();
        assert_eq!(parameters.len(), 3);
        super::super::parameters::Space::new(&parameters, 1.0).unwrap();
        assert!(!file.command.is_empty());
    }
}
