//! Keyword arguments to settings. Only what the user gives is set: the defaults live in the library.

use std::time::Duration;

use enes::{
    Baseline, BoundHandling, ConstraintNames, Integers, LinearConstraint, LogScale, ModelChoice, Restarts,
    Scale, Settings, SettingsError, Shaping, Strategy,
};
use numpy::{PyReadonlyArray1, PyReadonlyArray2};
use pyo3::exceptions::{PyTypeError, PyValueError};
use pyo3::prelude::*;
use pyo3::types::PyDict;

use crate::warm_start::warm_start;

/// Every option, as users write it.
pub(crate) const NAMES: [&str; 40] = [
    "strategy",
    "population",
    "ftarget",
    "maxfevals",
    "maxiter",
    "timeout",
    "tolx",
    "tolfun",
    "tolfunhist",
    "tolstagnation",
    "tolconditioncov",
    "tolfacupx",
    "tolflatfitness",
    "noeffect",
    "same_optimum",
    "unseen_optima",
    "restarts",
    "max_restarts",
    "model",
    "batch",
    "workers",
    "learning_rate",
    "refresh_rate",
    "drift_correction",
    "baseline",
    "baseline_factor",
    "shaping",
    "algebra_threads",
    "log_scale",
    "bound_handling",
    "integer",
    "one_hot",
    "warm_start",
    "warm_widen",
    "warm_points",
    "noisy",
    "inequalities",
    "equalities",
    "linear",
    "catol",
];

/// Python has converted the arrays: `sigma0` is a number, a vector or a covariance.
pub(crate) fn scale(sigma0: &Bound<'_, PyAny>) -> PyResult<Scale> {
    if let Ok(rows) = sigma0.extract::<PyReadonlyArray2<'_, f64>>() {
        let rows = rows.as_array();
        return Ok(Scale::Covariance(rows.rows().into_iter().map(|r| r.to_vec()).collect()));
    }
    if let Ok(sigmas) = sigma0.extract::<PyReadonlyArray1<'_, f64>>() {
        return Ok(Scale::PerCoordinate(sigmas.as_array().to_vec()));
    }
    Ok(Scale::Uniform(sigma0.extract()?))
}

/// Start and scale may be missing where there are bounds: rows of lower and upper.
pub(crate) fn settings(
    x0: Option<&PyReadonlyArray1<'_, f64>>,
    scale: Option<Scale>,
    bounds: Option<&PyReadonlyArray2<'_, f64>>,
    seed: u64,
    options: &Bound<'_, PyDict>,
) -> PyResult<Settings> {
    let pairs = |b: &PyReadonlyArray2<'_, f64>| -> Vec<(f64, f64)> {
        b.as_array().rows().into_iter().map(|row| (row[0], row[1])).collect()
    };
    let x0 = x0.map(|x| x.as_array().to_vec());
    let settings = match (x0, scale, bounds) {
        (Some(x0), Some(scale), None) => Settings::new(x0, scale),
        (x0, scale, bounds) => {
            // What is missing here is named by the library, which knows the box.
            let none = || vec![(f64::NEG_INFINITY, f64::INFINITY); x0.as_ref().map_or(1, Vec::len)];
            let settings = Settings::within(bounds.map_or_else(none, pairs));
            let settings = x0.map_or_else(|| settings.clone(), |x0| settings.clone().x0(x0));
            scale.map_or_else(|| settings.clone(), |scale| settings.clone().sigma0(scale))
        }
    };
    let mut settings = settings.seed(seed);
    for (name, value) in options.iter() {
        let name: String = name.extract()?;
        // The baseline and its factor are one choice.
        if !["baseline", "baseline_factor"].contains(&name.as_str()) {
            settings = with(settings, &name, &value)?;
        }
    }
    Ok(settings.baseline(baseline(options)?))
}

/// The settings with these limits.
pub(crate) fn with_limits(mut settings: Settings, limits: &Bound<'_, PyDict>) -> PyResult<Settings> {
    for (name, value) in limits.iter() {
        settings = with(settings, &name.extract::<String>()?, &value)?;
    }
    Ok(settings)
}

fn with(s: Settings, name: &str, value: &Bound<'_, PyAny>) -> PyResult<Settings> {
    Ok(match name {
        "strategy" => s.strategy(strategy(&text(name, value)?)?),
        "population" if is_word(value, "auto") => s.auto_population(true),
        "population" => s.population(
            count(name, value)
                .map_err(|e| or_word(e, name, "a whole number, 'auto' or None", value))?
                .map(|n| n as usize),
        ),
        "ftarget" => s.target(number(name, value)?),
        "maxfevals" => s.max_evaluations(count(name, value)?),
        "maxiter" => s.max_generations(count(name, value)?),
        "timeout" => s.max_time(seconds(name, value)?),
        "tolx" => s.tolx(number(name, value)?),
        "tolfun" => s.tolfun(number(name, value)?),
        "tolfunhist" => s.tolfunhist(number(name, value)?),
        "tolstagnation" => s.tolstagnation(count(name, value)?),
        "tolconditioncov" => s.tolconditioncov(number(name, value)?),
        "tolfacupx" => s.tolfacupx(number(name, value)?),
        "tolflatfitness" => s.tolflatfitness(count(name, value)?),
        "noeffect" => s.noeffect(value.extract().map_err(|_| wrong(name, "True or False", value))?),
        "same_optimum" => s.same_optimum(count(name, value)?),
        "unseen_optima" => s.unseen_optima(number(name, value)?),
        "restarts" => s.restarts(restarts(&text(name, value)?)?),
        "max_restarts" => s.max_restarts(count(name, value)?),
        "model" => s.model(model(&text(name, value)?)?),
        "batch" => s.batch(count(name, value)?.map(|n| n as usize)),
        "workers" => s.workers(count(name, value)?.map(|n| n as usize)),
        "learning_rate" if is_word(value, "adaptive") => s.adaptive_learning_rate(true),
        "learning_rate" => {
            s.learning_rate(value.extract::<f64>().map_err(|_| wrong(name, "a number or 'adaptive'", value))?)
        }
        "refresh_rate" => s.refresh_rate(required(name, value)?),
        "drift_correction" => {
            s.drift_correction(value.extract().map_err(|_| wrong(name, "True or False", value))?)
        }
        "shaping" => s.shaping(shaping(value)?),
        "log_scale" => s.log_scale(answers::<LogScale>(name, value)?),
        "integer" => s.integer(answers::<Integers>(name, value)?),
        "one_hot" => s.one_hot(groups(name, value)?),
        "inequalities" => s.inequalities(names(name, value)?),
        "equalities" => s.equalities(names(name, value)?),
        "linear" => linear(s, value)?,
        "catol" => s.catol(number(name, value)?),
        "noisy" => s.noisy(value.extract().map_err(|_| wrong(name, "True or False", value))?),
        "algebra_threads" => s.algebra_threads(count(name, value)?.unwrap_or(1) as usize),
        "bound_handling" => s.bound_handling(bound_handling(&text(name, value)?)?),
        "warm_start" => s.warm_start(warm_start(value.cast()?)?),
        _ => {
            let names = NAMES.join(", ");
            return Err(PyTypeError::new_err(format!("unknown option '{name}'; the options are {names}")));
        }
    })
}

/// How many constraints, or the name of each.
fn names(field: &str, value: &Bound<'_, PyAny>) -> PyResult<ConstraintNames> {
    if let Ok(names) = value.extract::<Vec<String>>() {
        return Ok(names.into());
    }
    let count = value
        .extract::<usize>()
        .map_err(|_| wrong(field, "a number of constraints, or their names", value))?;
    Ok(count.into())
}

/// Python has converted the arrays: each is a matrix and the limits of its rows.
fn linear(mut settings: Settings, value: &Bound<'_, PyAny>) -> PyResult<Settings> {
    for part in value.try_iter()? {
        type Part<'py> = (PyReadonlyArray2<'py, f64>, PyReadonlyArray1<'py, f64>, PyReadonlyArray1<'py, f64>);
        let (rows, lower, upper): Part<'_> = part?.extract()?;
        let rows: Vec<Vec<f64>> = rows.as_array().rows().into_iter().map(|row| row.to_vec()).collect();
        let (lower, upper) = (lower.as_array().to_vec(), upper.as_array().to_vec());
        settings = settings.linear(LinearConstraint::new(rows, lower, upper));
    }
    Ok(settings)
}

/// What the library refuses, with the name that the user wrote.
pub(crate) fn refusal(error: &SettingsError) -> PyErr {
    let renamed = [("max_evaluations", "maxfevals"), ("max_generations", "maxiter")];
    PyValueError::new_err(match error {
        SettingsError::ZeroLimit { field } => {
            let ours = renamed.iter().find(|(name, _)| name == field).map_or(*field, |(_, ours)| ours);
            format!("{ours} must be at least 1, got 0: None is no limit")
        }
        error => error.to_string(),
    })
}

fn strategy(name: &str) -> PyResult<Strategy> {
    choose("strategy", name, &[("adaptive", Strategy::Adaptive), ("published", Strategy::Published)])
}

fn model(name: &str) -> PyResult<ModelChoice> {
    choose("model", name, &[ModelChoice::Auto, ModelChoice::RankOnly].map(|choice| (choice.name(), choice)))
}

fn restarts(name: &str) -> PyResult<Restarts> {
    let choices = [
        ("auto", Restarts::Auto),
        ("off", Restarts::Off),
        ("ipop", Restarts::Ipop),
        ("bipop", Restarts::Bipop),
    ];
    choose("restarts", name, &choices)
}

fn bound_handling(name: &str) -> PyResult<BoundHandling> {
    let choices = [BoundHandling::Smooth, BoundHandling::Reflect, BoundHandling::Resample];
    choose("bound_handling", name, &choices.map(|handling| (handling.name(), handling)))
}

/// Lists of coordinates.
fn groups(name: &str, value: &Bound<'_, PyAny>) -> PyResult<Vec<Vec<usize>>> {
    let expected = "a list of groups, each a list of coordinates, counted from 0, as in [[2, 3, 4]]";
    value.extract().map_err(|_| wrong(name, expected, value))
}

fn answers<A: From<bool> + From<Vec<bool>>>(name: &str, value: &Bound<'_, PyAny>) -> PyResult<A> {
    if let Ok(all) = value.extract::<bool>() {
        return Ok(all.into());
    }
    let each: Vec<bool> =
        value.extract().map_err(|_| wrong(name, "True, False, or one of them for each coordinate", value))?;
    Ok(each.into())
}

/// A factor is for `mean`, 1 where there is none.
fn baseline(options: &Bound<'_, PyDict>) -> PyResult<Baseline> {
    let factor = match options.get_item("baseline_factor")? {
        Some(value) => Some(required("baseline_factor", &value)?),
        None => None,
    };
    let choices = [
        ("none", Baseline::None),
        ("uniform", Baseline::Uniform),
        ("specific", Baseline::Specific),
        ("block", Baseline::Block),
        ("mean", Baseline::Mean { factor: factor.unwrap_or(1.0) }),
    ];
    let chosen = match options.get_item("baseline")? {
        Some(value) => choose("baseline", &text("baseline", &value)?, &choices)?,
        None => Baseline::default(),
    };
    match (chosen, factor) {
        (Baseline::Mean { .. }, _) | (_, None) => Ok(chosen),
        (_, Some(factor)) => Err(PyValueError::new_err(format!(
            "baseline_factor belongs to baseline='mean', got {factor} with another: choose 'mean', or leave it out"
        ))),
    }
}

fn shaping(value: &Bound<'_, PyAny>) -> PyResult<Shaping> {
    if let Ok(table) = value.extract::<PyReadonlyArray1<'_, f64>>() {
        return Ok(Shaping::Table(table.as_array().to_vec()));
    }
    choose(
        "shaping",
        &text("shaping", value)?,
        &[
            ("paper", Shaping::Paper),
            ("logarithmic", Shaping::Logarithmic),
            ("linear", Shaping::Linear),
            ("raw", Shaping::Raw),
        ],
    )
}

fn choose<T: Clone>(field: &str, name: &str, choices: &[(&str, T)]) -> PyResult<T> {
    let found = choices.iter().find(|(n, _)| *n == name).map(|(_, value)| value.clone());
    found.ok_or_else(|| {
        let names: Vec<String> = choices.iter().map(|(n, _)| format!("'{n}'")).collect();
        PyValueError::new_err(format!("{field} must be {}, got '{name}'", names.join(" or ")))
    })
}

fn wrong(field: &str, expected: &str, value: &Bound<'_, PyAny>) -> PyErr {
    let got = value.repr().map_or_else(|_| "something else".into(), |r| r.to_string());
    PyTypeError::new_err(format!("{field} must be {expected}, got {got}"))
}

/// Whether this is a word for what is a number otherwise.
fn is_word(value: &Bound<'_, PyAny>, word: &str) -> bool {
    value.extract::<String>().is_ok_and(|text| text == word)
}

/// The same error for a text with the words that are allowed.
fn or_word(error: PyErr, field: &str, expected: &str, value: &Bound<'_, PyAny>) -> PyErr {
    if value.extract::<String>().is_ok() { wrong(field, expected, value) } else { error }
}

fn text(field: &str, value: &Bound<'_, PyAny>) -> PyResult<String> {
    value.extract().map_err(|_| wrong(field, "a name", value))
}

fn number(field: &str, value: &Bound<'_, PyAny>) -> PyResult<Option<f64>> {
    value.extract().map_err(|_| wrong(field, "a number or None", value))
}

fn required(field: &str, value: &Bound<'_, PyAny>) -> PyResult<f64> {
    value.extract().map_err(|_| wrong(field, "a number", value))
}

/// A whole number; `1e5` is one, as pycma's users write budgets; infinity is no limit.
fn count(field: &str, value: &Bound<'_, PyAny>) -> PyResult<Option<u64>> {
    let error = || wrong(field, "a whole number or None", value);
    if let Ok(whole) = value.extract::<Option<u64>>() {
        return Ok(whole);
    }
    let number: f64 = value.extract().map_err(|_| error())?;
    match number {
        f64::INFINITY => Ok(None),
        n if n >= 0.0 && n.fract() == 0.0 && n < 9e15 => Ok(Some(n as u64)),
        n if n < 0.0 && n.fract() == 0.0 => {
            Err(PyValueError::new_err(format!("{field} must not be negative, got {n}")))
        }
        _ => Err(error()),
    }
}

fn seconds(field: &str, value: &Bound<'_, PyAny>) -> PyResult<Option<Duration>> {
    match number(field, value)?.filter(|s| *s != f64::INFINITY) {
        None => Ok(None),
        Some(s) => {
            Duration::try_from_secs_f64(s).ok().filter(|time| !time.is_zero()).map(Some).ok_or_else(|| {
                PyValueError::new_err(format!(
                    "{field} must be a number of seconds above 0, got {s}: leave it out for no limit"
                ))
            })
        }
    }
}
