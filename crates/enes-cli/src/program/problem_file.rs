//! Problem files: TOML with names, start values, scales, bounds, the command and the stop rules.

use std::path::Path;

use serde::Deserialize;
use toml::Spanned;

use super::declared::Linear;
use super::parameters::Parameter;
use super::plan::Schedule;
use crate::error::CommandError;
use crate::limits::BoundHandlingName;
use crate::names::{
    BaselineName, ModelName, PopulationName, RateName, RestartsName, ShapingName, StrategyName,
};

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
    pub(crate) jobs: Option<u16>,
    pub(crate) schedule: Option<Schedule>,
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
    pub(crate) max_evaluations: Option<u64>,
    pub(crate) max_seconds: Option<f64>,
    pub(crate) max_failures: Option<u64>,
    pub(crate) same_optimum: Option<u64>,
    pub(crate) unseen_optima: Option<f64>,
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
    pub(crate) sigma0: Option<f64>,
    pub(crate) eta: Option<RateName>,
    pub(crate) refresh_rate: Option<f64>,
    pub(crate) baseline: Option<BaselineName>,
    pub(crate) baseline_factor: Option<f64>,
    pub(crate) shaping: Option<ShapingName>,
    pub(crate) drift_correction: Option<bool>,
    pub(crate) algebra_threads: Option<u16>,
}

impl ProblemFile {
    /// Read and parse; errors point at line and key.
    pub(crate) fn read(path: &Path) -> Result<Self, CommandError> {
        let fail = |reason: String| CommandError::ProblemFile { file: path.display().to_string(), reason };
        let text = std::fs::read_to_string(path)
            .map_err(|e| fail(format!("cannot be read: {e}; `enes init` writes one to start from")))?;
        Self::parse(&text).map_err(fail)
    }

    /// The file with this text, or what is wrong with it.
    pub(crate) fn parse(text: &str) -> Result<Self, String> {
        let file: Self = toml::from_str(text).map_err(|e| e.to_string().trim_end().to_string())?;
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
