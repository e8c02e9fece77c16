//! A run folder, read: settings, evaluations, generations, covariance and best point.

use std::path::{Path, PathBuf};

use serde::Deserialize;
use serde_json::{Map, Value};

use super::charts::is_active;
use super::constraints::Constraint;
use super::lines::{self, matrix, numbers, wrong};
use super::trace::{Evaluation, Injected, Trace};
use crate::error::CommandError;
use crate::sample::Sample;

/// So many generations are kept for the charts.
const GENERATIONS: usize = 4000;

/// `settings.json`, as far as the report needs it.
#[derive(Clone, Debug, Deserialize)]
pub(super) struct Settings {
    pub(super) name: String,
    /// One per parameter, the fixed ones too: the user's coordinates.
    #[serde(default)]
    pub(super) names: Vec<String>,
    /// Coordinates of the search: parameters that are not fixed.
    pub(super) dim: usize,
    #[serde(default)]
    parameters: Vec<Parameter>,
    /// For each coordinate of the search, its place among the parameters.
    #[serde(skip)]
    pub(super) searched: Vec<usize>,
    pub(super) population: usize,
    pub(super) seed: u64,
    /// All else that a reader may ask for; what an older run does not say is not shown.
    #[serde(flatten)]
    pub(super) others: Map<String, Value>,
}

#[derive(Clone, Debug, Deserialize)]
struct Parameter {
    #[serde(default)]
    fixed: bool,
}

impl Settings {
    /// Name of a coordinate of the search.
    pub(super) fn searched_name(&self, k: usize) -> &str {
        &self.names[self.searched[k]]
    }
}

/// A line of `generations.jsonl`. The counts are those since the start.
#[derive(Clone, Debug, Deserialize)]
pub(super) struct Generation {
    pub(super) generation: u64,
    pub(super) evaluations: u64,
    pub(super) best: Option<f64>,
    /// In the user's coordinates.
    #[serde(default, deserialize_with = "numbers")]
    pub(super) mean: Vec<f64>,
    /// In the coordinates of the search.
    #[serde(default, deserialize_with = "numbers")]
    pub(super) stds: Vec<f64>,
    /// The longest first.
    #[serde(default, deserialize_with = "numbers")]
    pub(super) axes: Vec<f64>,
    /// Points of a generation; records of 0.1 do not say.
    #[serde(default)]
    pub(super) population: usize,
    pub(super) reused: Option<f64>,
    pub(super) trust: Option<f64>,
    /// The mode of the generation.
    pub(super) mode: Option<String>,
    /// The error E of the surrogate.
    pub(super) error: Option<f64>,
    /// The geometric mean of the axes; where a record does not say, it follows from them.
    sigma: Option<f64>,
    /// Searches that had ended before the next generation.
    #[serde(default)]
    pub(super) restarts: u64,
    /// Since the start.
    pub(super) seconds: Option<f64>,
}

impl Generation {
    /// The geometric mean of the axes.
    pub(super) fn sigma(&self) -> Option<f64> {
        let mean = || self.axes.iter().map(|a| a.ln()).sum::<f64>() / self.axes.len() as f64;
        self.sigma.or_else(|| (!self.axes.is_empty()).then(|| mean().exp()))
    }
}

/// `covariance.json`, in the coordinates of the search.
#[derive(Clone, Debug, Deserialize)]
pub(super) struct Covariance {
    #[serde(deserialize_with = "numbers")]
    pub(super) mean: Vec<f64>,
    #[serde(deserialize_with = "matrix")]
    pub(super) covariance: Vec<Vec<f64>>,
}

/// `best.json`, as far as the report needs it.
#[derive(Clone, Debug, Deserialize)]
pub(super) struct Best {
    pub(super) value: Option<f64>,
    /// By how much the best point violates constraints; none, or 0 where it is feasible.
    #[serde(default)]
    pub(super) violation: Option<f64>,
    #[serde(default, deserialize_with = "numbers")]
    pub(super) x: Vec<f64>,
    /// The values by name, which need not be numbers.
    #[serde(default)]
    pub(super) named: Map<String, Value>,
    #[serde(default)]
    best_is_injected: bool,
    /// Where they are told one by one.
    #[serde(default)]
    pub(super) constraints: Vec<Constraint>,
    /// The optima that searches have ended in, the best first.
    #[serde(default)]
    pub(super) optima: Vec<Optimum>,
    evaluations: Option<u64>,
    stop: Option<String>,
    /// The same in a sentence.
    stop_message: Option<String>,
}

/// One of the optima in `best.json`.
#[derive(Clone, Debug, Deserialize)]
pub(super) struct Optimum {
    #[serde(default, deserialize_with = "numbers")]
    pub(super) x: Vec<f64>,
    pub(super) value: Option<f64>,
    #[serde(default)]
    pub(super) violation: Option<f64>,
    pub(super) found: u64,
    pub(super) evaluations: u64,
}

/// All there is to show of one run.
pub(super) struct Run {
    pub(super) folder: PathBuf,
    /// What tells it from the other runs of the page.
    pub(super) label: String,
    pub(super) settings: Settings,
    pub(super) trace: Trace,
    /// Every so many of them, and the last.
    pub(super) generations: Vec<Generation>,
    /// In how many generations the surrogate was active, of how many that have a mode.
    pub(super) active: (usize, usize),
    /// Evaluations at which a search ended and another began.
    pub(super) restarts: Vec<u64>,
    pub(super) covariance: Option<Covariance>,
    pub(super) best: Option<Best>,
}

impl Run {
    pub(super) fn read(folder: &Path) -> Result<Self, CommandError> {
        if !folder.is_dir() {
            let is = if folder.exists() { "it is not a folder" } else { "there is no such folder" };
            return Err(wrong(folder, format!("{is}; give the folder that a run has written")));
        }
        let missing = |file| {
            wrong(folder, format!("it has no {file}, which every run writes; give the folder of a run"))
        };
        let settings: Settings =
            lines::object(folder, "settings.json")?.ok_or_else(|| missing("settings.json"))?;
        lines::text(folder, "settings.json")
            .and_then(|text| crate::program::check_settings(&text).map_err(|reason| wrong(folder, reason)))?;
        let settings = checked(settings).map_err(|reason| wrong(folder, reason))?;
        let (dim, parameters) = (settings.dim, settings.names.len());
        let (mut generations, mut active) = (Sample::new(GENERATIONS), (0, 0));
        let mut restarts: Vec<u64> = Vec::new();
        // A folder without the file is that of a run whose first generation is under way.
        lines::each(folder, "generations.jsonl", |g: Generation| {
            for (name, list, length) in [("mean", &g.mean, parameters), ("stds", &g.stds, dim)] {
                if !list.is_empty() {
                    same_length(name, list.len(), length)?;
                }
            }
            if let Some(mode) = &g.mode {
                active = (active.0 + usize::from(is_active(mode)), active.1 + 1);
            }
            if g.restarts > restarts.len() as u64 {
                restarts.push(g.evaluations);
            }
            generations.push(g);
            Ok(())
        })?;
        let mut trace = Trace::new(settings.population, &restarts);
        let evaluations = |e: Evaluation| {
            same_length("x", e.x.len(), parameters)?;
            trace.take(e);
            Ok(())
        };
        if !lines::each(folder, "evaluations.jsonl", evaluations)? {
            return Err(missing("evaluations.jsonl"));
        }
        let generations = generations.into_items();
        lines::each(folder, "injected.jsonl", |point: Injected| {
            same_length("x", point.x.len(), parameters)?;
            let then = generations.iter().find(|g: &&Generation| g.generation >= point.generation);
            trace.inject(then.map_or(trace.count, |g| g.evaluations), point);
            Ok(())
        })?;
        let covariance: Option<Covariance> = lines::object(folder, "covariance.json")?;
        if let Some(c) = &covariance {
            let sizes = c.covariance.iter().map(Vec::len).chain([c.covariance.len(), c.mean.len()]);
            for size in sizes {
                same_length("a row", size, dim).map_err(|reason| {
                    wrong(folder, format!("covariance.json: {reason}; restore or delete it"))
                })?;
            }
        }
        // A run that was continued leaves the result of its first part behind until it ends.
        let best = lines::object(folder, "best.json")?
            .filter(|b: &Best| b.evaluations.is_none_or(|count| count >= trace.count));
        let label = settings.name.clone();
        Ok(Self {
            folder: folder.to_path_buf(),
            label,
            settings,
            trace,
            generations,
            active,
            restarts,
            covariance,
            best,
        })
    }

    /// The last generation's mean, in the user's coordinates.
    pub(super) fn mean(&self) -> Option<&[f64]> {
        self.generations.last().map(|g| g.mean.as_slice()).filter(|m| !m.is_empty())
    }

    /// The best value and point: what the run says, or else what was seen so far.
    pub(super) fn best_value(&self) -> Option<f64> {
        let told = self.best.as_ref().filter(|b| b.violation.is_none_or(|v| v <= 0.0));
        told.and_then(|b| b.value).or(self.trace.best())
    }

    /// Whether the best point came from outside.
    pub(super) fn best_is_injected(&self) -> bool {
        self.best.as_ref().map_or(self.trace.best_is_injected, |best| best.best_is_injected)
    }

    /// Why the run ended, where it has.
    pub(super) fn stop(&self) -> Option<&String> {
        self.best.as_ref().and_then(|b| b.stop_message.as_ref().or(b.stop.as_ref()))
    }

    /// The best point by name, in words.
    pub(super) fn best_point(&self) -> Vec<(String, String)> {
        let (named, x) = match &self.best {
            Some(best) => (Some(&best.named), best.x.as_slice()),
            None => (None, self.trace.best_x.as_slice()),
        };
        let word = |v: &Value| match v {
            Value::Number(n) => n.as_f64().map_or_else(|| n.to_string(), super::html::number),
            Value::String(s) => s.clone(),
            other => other.to_string(),
        };
        let mut rows = Vec::new();
        for (i, name) in self.settings.names.iter().enumerate() {
            let value = named.and_then(|n| n.get(name)).map(word);
            if let Some(value) = value.or_else(|| x.get(i).map(|v| super::html::number(*v))) {
                rows.push((name.clone(), value));
            }
        }
        // Names beyond the coordinates, such as fixed parameters.
        let others = named.into_iter().flatten().filter(|(k, _)| !self.settings.names.contains(k));
        rows.extend(others.map(|(k, v)| (k.clone(), word(v))));
        rows
    }
}

fn checked(mut settings: Settings) -> Result<Settings, String> {
    if settings.names.is_empty() {
        settings.names = (1..=settings.dim).map(|i| format!("x{i}")).collect();
    }
    let count = settings.names.len();
    let free = |i: &usize| settings.parameters.get(*i).is_none_or(|p| !p.fixed);
    settings.searched = (0..count).filter(free).collect();
    if settings.searched.len() != settings.dim {
        return Err(format!(
            "settings.json names {} parameters to search, but says dim = {}; restore it, or give another folder",
            settings.searched.len(),
            settings.dim
        ));
    }
    Ok(settings)
}

fn same_length(what: &str, length: usize, needed: usize) -> Result<(), String> {
    if length == needed {
        return Ok(());
    }
    Err(format!("{what} has {length} numbers, but settings.json asks for {needed}"))
}
