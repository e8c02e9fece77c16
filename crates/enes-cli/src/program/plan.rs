//! The plan of a run: everything that `enes resume` must know, written once into the run folder.

use std::time::Duration;

use enes::{Baseline, Settings, WarmStart};
use serde::{Deserialize, Serialize};

use super::declared::Declared;
use super::parameters::{Parameter, Space};
use crate::error::CommandError;
use crate::files;
use crate::limits::BoundHandlingName;
use crate::names::{ModelName, RestartsName, ShapingName, StrategyName};
use crate::stopping::{Tolerances, with_rules};

/// How the program is spoken to.
#[derive(Clone, Copy, Debug, Deserialize, PartialEq, Serialize)]
#[serde(rename_all = "lowercase")]
pub(crate) enum Mode {
    /// Started once per evaluation, coordinates as arguments.
    Arguments,
    /// Kept alive, JSON lines in and out.
    Worker,
}

/// Who waits for whom.
#[derive(Clone, Copy, Debug, Default, Deserialize, PartialEq, Eq, Serialize)]
#[serde(rename_all = "lowercase")]
pub(crate) enum Schedule {
    /// A generation waits for its slowest evaluation.
    Sync,
    /// Nobody waits.
    Async,
    /// Whole generations, until evaluations are seen to take different times.
    #[default]
    Auto,
}

/// Runs from before there was a choice had whole generations.
fn sync() -> Schedule {
    Schedule::Sync
}

/// What to run and how.
#[derive(Clone, Debug, Deserialize, PartialEq, Serialize)]
pub(crate) struct Plan {
    pub(crate) format: String,
    pub(crate) version: u32,
    pub(crate) name: String,
    pub(crate) names: Vec<String>,
    pub(crate) dim: usize,
    /// Runs from before there was a choice are published ones.
    #[serde(default = "published")]
    pub(crate) strategy: StrategyName,
    #[serde(default)]
    pub(crate) restarts: RestartsName,
    /// 0 switches them off, nothing is the library's default.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub(crate) same_optimum: Option<u64>,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub(crate) unseen_optima: Option<f64>,
    #[serde(default, skip_serializing_if = "Tolerances::is_default")]
    pub(crate) tolerances: Tolerances,
    /// Runs from before there was a choice looked at ranks only.
    #[serde(default)]
    pub(crate) model: Option<ModelName>,
    #[serde(default)]
    pub(crate) batch: Option<usize>,
    /// The jobs with which the run began, at least the points of a generation; generations depend on them, so `resume` leaves
    /// them alone.
    #[serde(default)]
    pub(crate) workers: Option<usize>,
    #[serde(default)]
    pub(crate) noisy: bool,
    /// The points of the first generations.
    pub(crate) population: usize,
    /// Whether the user has said how many: then they stay as many. Runs from before there was a choice kept them.
    #[serde(default = "yes")]
    pub(crate) population_given: bool,
    /// Whether it is that of the beginning only.
    #[serde(default, skip_serializing_if = "is_not")]
    pub(crate) auto_population: bool,
    pub(crate) seed: u64,
    pub(crate) parameters: Vec<Parameter>,
    pub(crate) sigma0: f64,
    pub(crate) command: Vec<String>,
    pub(crate) mode: Mode,
    pub(crate) value_field: Option<String>,
    /// Whether the program prints a violation after its value, or the field that is one.
    #[serde(default)]
    pub(crate) constrained: bool,
    #[serde(default)]
    pub(crate) violation_field: Option<String>,
    /// Constraints that are told one by one, and linear ones.
    #[serde(default, skip_serializing_if = "Declared::is_default")]
    pub(crate) constraints: Declared,
    #[serde(default)]
    pub(crate) bound_handling: BoundHandlingName,
    pub(crate) jobs: usize,
    #[serde(default = "sync")]
    pub(crate) schedule: Schedule,
    pub(crate) timeout: Option<f64>,
    pub(crate) max_failures: u64,
    pub(crate) eta: f64,
    #[serde(default, skip_serializing_if = "is_not")]
    pub(crate) adaptive_eta: bool,
    pub(crate) refresh_rate: f64,
    pub(crate) baseline: Baseline,
    #[serde(default)]
    pub(crate) shaping: ShapingName,
    #[serde(default)]
    pub(crate) drift_correction: bool,
    #[serde(default = "one")]
    pub(crate) algebra_threads: usize,
    pub(crate) target: Option<f64>,
    pub(crate) max_evaluations: Option<u64>,
    pub(crate) max_seconds: Option<f64>,
    /// What an earlier run has learned, kept whole: its files may change.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub(crate) warm_start: Option<WarmStart>,
}

fn is_not(chosen: &bool) -> bool {
    !chosen
}

fn yes() -> bool {
    true
}

fn one() -> usize {
    1
}

fn published() -> StrategyName {
    StrategyName::Published
}

pub(crate) const FORMAT: &str = "enes-run";
pub(crate) const VERSION: u32 = 4;

/// From this version on every line and the settings have a checksum.
pub(crate) const SEALED: u32 = 4;

/// The seal of `settings.json`, before the last brace.
const SEAL: &str = ",\n  \"sum\": \"";

/// The text of `settings.json`: the plan, and a checksum of its text.
pub(crate) fn sealed_text(plan: &Plan) -> std::io::Result<String> {
    let text = serde_json::to_string_pretty(plan)?;
    let sum = files::checksum(text.as_bytes());
    Ok(format!("{}{SEAL}{sum:016x}\"\n}}\n", text.trim_end_matches('}').trim_end()))
}

/// The plan that a `settings.json` holds, or what is wrong with it.
pub(crate) fn read_plan(text: &str) -> Result<Plan, String> {
    check_settings(text)?;
    serde_json::from_str(text).map_err(|e| damaged(&e.to_string()))
}

fn damaged(what: &str) -> String {
    format!("its settings.json is damaged: {what}; restore it from a copy")
}

/// Whether a `settings.json` is one that this program reads, and has the checksum that it says.
pub(crate) fn check_settings(text: &str) -> Result<(), String> {
    #[derive(Deserialize)]
    struct Head {
        format: Option<String>,
        version: Option<u32>,
    }
    let head: Head = serde_json::from_str(text).map_err(|e| damaged(&e.to_string()))?;
    if let Some(found) = head.format.filter(|found| found != FORMAT) {
        let found = crate::display::plain(&found);
        return Err(format!(
            "its settings.json says that it is of the kind `{found}`, not `{FORMAT}`: it is not ours, or damaged"
        ));
    }
    let version = head.version.unwrap_or(1);
    if version > VERSION {
        return Err(format!("it has version {version}, this program reads up to {VERSION}: update enes"));
    }
    let sound = |(plan, seal): (&str, &str)| {
        let sum = files::checksum(format!("{plan}\n}}").as_bytes());
        seal == format!("{sum:016x}\"\n}}\n")
    };
    match text.rsplit_once(SEAL) {
        None if version < SEALED => Ok(()),
        sealed if sealed.is_some_and(sound) => Ok(()),
        _ => Err(damaged("its checksum does not match")),
    }
}

impl Plan {
    pub(crate) fn space(&self) -> Result<Space, CommandError> {
        Ok(Space::new(&self.parameters, self.sigma0)?)
    }

    /// Whether this program would ask for other points than the one that began the run: before version 2
    /// bounds were kept by another map.
    pub(crate) fn is_outdated(&self) -> bool {
        let bounded = |p: &Parameter| !p.fixed && (p.lower.is_some() || p.upper.is_some());
        self.version < 2 && self.parameters.iter().any(bounded)
    }

    /// The library's settings.
    pub(crate) fn settings(&self, space: &Space) -> Result<Settings, CommandError> {
        let before = match self.strategy {
            StrategyName::Adaptive => ModelName::RankOnly,
            StrategyName::Published => ModelName::Auto,
        };
        let settings = space
            .settings()
            .strategy(self.strategy.into())
            .restarts(self.restarts.into())
            .model(self.model.unwrap_or(before).into())
            .batch(self.batch)
            .workers(self.workers)
            .bound_handling(self.bound_handling.into())
            .noisy(self.noisy)
            .population(self.population_given.then_some(self.population))
            .auto_population(self.auto_population)
            .seed(self.seed)
            .learning_rate(self.eta)
            .adaptive_learning_rate(self.adaptive_eta)
            .refresh_rate(self.refresh_rate)
            .baseline(self.baseline)
            .shaping(self.shaping.clone().into())
            .drift_correction(self.drift_correction)
            .algebra_threads(self.algebra_threads)
            .target(self.target)
            .max_evaluations(self.max_evaluations)
            .max_time(self.max_seconds.and_then(|s| Duration::try_from_secs_f64(s).ok()))
            .warm_start(self.warm_start.clone());
        let settings = with_rules(settings, self.same_optimum, self.unseen_optima, self.tolerances);
        let settings = self.constraints.settings(settings, &self.names)?;
        settings.validate()?;
        Ok(settings)
    }
}

/// The placeholders of a command: `{}` for all coordinates, `{0}` or `{name}` for one.
pub(crate) fn has_placeholder(command: &[String], names: &[String]) -> bool {
    command.iter().any(|word| fill(word, &vec![0.0; names.len()], names) != vec![word.clone()])
}

/// The words of a command for these values. `{}` by itself becomes one word per coordinate, within a
/// word the coordinates separated by commas. Other braces are left alone.
pub(crate) fn fill(word: &str, x: &[f64], names: &[String]) -> Vec<String> {
    if word == "{}" {
        return x.iter().map(f64::to_string).collect();
    }
    let mut out = String::new();
    let mut rest = word;
    while let Some(open) = rest.find('{') {
        let Some(length) = rest[open..].find('}') else { break };
        let inner = &rest[open + 1..open + length];
        let index = inner.parse::<usize>().ok().or_else(|| names.iter().position(|n| n == inner));
        out.push_str(&rest[..open]);
        match index.and_then(|i| x.get(i)) {
            Some(v) => out.push_str(&v.to_string()),
            None if inner.is_empty() => {
                out.push_str(&x.iter().map(f64::to_string).collect::<Vec<_>>().join(","));
            }
            None => out.push_str(&rest[open..=open + length]),
        }
        rest = &rest[open + length + 1..];
    }
    out.push_str(rest);
    vec![out]
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn placeholders_become_coordinates() {
        let names = ["kp".to_string(), "ki".to_string()];
        let x = [1.5, -2e-7];
        assert_eq!(fill("{}", &x, &names), ["1.5", "-0.0000002"]);
        assert_eq!(fill("--x={}", &x, &names), ["--x=1.5,-0.0000002"]);
        assert_eq!(fill("{1}:{kp}", &x, &names), ["-0.0000002:1.5"]);
        assert_eq!(fill("{unknown}{2}{\"a\":{kp}}", &x, &names), ["{unknown}{2}{\"a\":{kp}}"]);
        assert_eq!(fill("plain", &x, &names), ["plain"]);
        assert!(has_placeholder(&["a".into(), "{0}".into()], &names));
        assert!(!has_placeholder(&["a".into(), "{x}".into()], &names));
    }
}
