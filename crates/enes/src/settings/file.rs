//! Settings as people write them in a file: the names of the builder, in TOML, JSON or any format of serde.

use serde::Deserialize;

use super::{ConstraintNames, Direction, ModelChoice, Restarts, Settings, Strategy};
use crate::constraints::LinearConstraint;
use crate::error::SettingsError;
use crate::space::{BoundHandling, Integers, LogScale, Scale};
use crate::strategy::published::{Baseline, Shaping};

/// Settings in a file. The names are those of [`Settings`]' methods; what is left out keeps its default, and a name
/// that is not known is an error.
///
/// A start needs `x0` and `sigma0`, or `bounds`. A scale is a number, a list, or rows of a covariance; `log_scale` and
/// `integer` are `true` or a list; `inequalities` and `equalities` a number or names; `linear` a list of tables with `row`,
/// `lower` and `upper`; `population` a number or "auto", `learning_rate` a number or "adaptive". A bound that is not there is `inf` in TOML and `null` in JSON. A tolerance is a number,
/// or `false` to switch it off. (The form of [`Settings`] itself in serde is that of checkpoints.)
///
/// ```
/// let text = r#"
///     x0 = [1.0, 0.01]
///     sigma0 = [0.5, 1.0]
///     bounds = [[-5.0, 5.0], [1e-6, 1.0]]
///     log_scale = [false, true]
///     target = 1e-8
///     max_evaluations = 2000
///     tolfun = false
/// "#;
/// let file: enes::SettingsFile = toml::from_str(text)?;
/// let settings = enes::Settings::try_from(file)?;
/// assert_eq!(settings.dimension(), 2);
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
#[derive(Clone, Debug, Default, Deserialize, PartialEq)]
#[serde(deny_unknown_fields, default)]
pub struct SettingsFile {
    x0: Option<Vec<f64>>,
    sigma0: Option<ScaleForm>,
    bounds: Option<Vec<(Option<f64>, Option<f64>)>>,
    log_scale: Option<Flags>,
    integer: Option<Flags>,
    one_hot: Option<Vec<Vec<usize>>>,
    bound_handling: Option<BoundHandlingName>,
    inequalities: Option<NamesForm>,
    equalities: Option<NamesForm>,
    linear: Option<Vec<LinearForm>>,
    catol: Option<f64>,
    strategy: Option<StrategyName>,
    direction: Option<DirectionName>,
    seed: Option<u64>,
    population: Option<PopulationForm>,
    restarts: Option<RestartsName>,
    max_restarts: Option<u64>,
    model: Option<ModelName>,
    batch: Option<usize>,
    workers: Option<usize>,
    noisy: Option<bool>,
    algebra_threads: Option<usize>,
    learning_rate: Option<RateForm>,
    learning_rate_mean: Option<f64>,
    learning_rate_factor: Option<f64>,
    refresh_rate: Option<f64>,
    drift_correction: Option<bool>,
    baseline: Option<BaselineForm>,
    shaping: Option<ShapingForm>,
    target: Option<f64>,
    max_evaluations: Option<u64>,
    max_generations: Option<u64>,
    #[serde(deserialize_with = "seconds")]
    max_seconds: Option<f64>,
    tolx: Option<Tolerance<f64>>,
    tolfun: Option<Tolerance<f64>>,
    tolfunhist: Option<Tolerance<f64>>,
    tolstagnation: Option<Tolerance<u64>>,
    tolconditioncov: Option<Tolerance<f64>>,
    tolfacupx: Option<Tolerance<f64>>,
    tolflatfitness: Option<Tolerance<u64>>,
    same_optimum: Option<Tolerance<u64>>,
    unseen_optima: Option<Tolerance<f64>>,
    noeffect: Option<bool>,
}

#[derive(Clone, Debug, Deserialize, PartialEq)]
#[serde(untagged, expecting = "it must be a number of constraints, or a list of their names")]
enum NamesForm {
    Count(usize),
    Names(Vec<String>),
}

impl From<NamesForm> for ConstraintNames {
    fn from(form: NamesForm) -> Self {
        match form {
            NamesForm::Count(count) => count.into(),
            NamesForm::Names(names) => names.into(),
        }
    }
}

#[derive(Clone, Debug, Deserialize, PartialEq)]
#[serde(deny_unknown_fields)]
struct LinearForm {
    row: Vec<f64>,
    lower: Option<f64>,
    upper: Option<f64>,
}

#[derive(Clone, Debug, Deserialize, PartialEq)]
#[serde(untagged, expecting = "sigma0 must be a number, a list of numbers, or rows of a covariance")]
enum ScaleForm {
    One(f64),
    Each(Vec<f64>),
    Rows(Vec<Vec<f64>>),
}

#[derive(Clone, Debug, Deserialize, PartialEq)]
#[serde(untagged, expecting = "it must be true, false, or a list of them")]
enum Flags {
    All(bool),
    Each(Vec<bool>),
}

#[derive(Clone, Copy, Debug, Deserialize, PartialEq)]
#[serde(untagged, expecting = "a tolerance must be a number, or false to switch it off")]
enum Tolerance<T> {
    Value(T),
    Off(bool),
}

/// A choice by name.
macro_rules! names {
    ($form:ident, $type:ident: $($name:ident),+) => {
        #[derive(Clone, Copy, Debug, Deserialize, PartialEq)]
        #[serde(rename_all = "snake_case")]
        enum $form {
            $($name),+
        }

        impl From<$form> for $type {
            fn from(form: $form) -> Self {
                match form {
                    $($form::$name => Self::$name),+
                }
            }
        }
    };
}

names!(StrategyName, Strategy: Adaptive, Published);
names!(DirectionName, Direction: Minimize, Maximize);
names!(RestartsName, Restarts: Auto, Off, Ipop, Bipop);
names!(ModelName, ModelChoice: Auto, RankOnly);
names!(BoundHandlingName, BoundHandling: Smooth, Reflect, Resample);
names!(BaselineName, Baseline: None, Uniform, Specific, Block);
names!(ShapingName, Shaping: Paper, Logarithmic, Linear, Raw);

#[derive(Clone, Copy, Debug, Deserialize, PartialEq)]
#[serde(
    untagged,
    expecting = "baseline must be \"none\", \"uniform\", \"specific\", \"block\", or a number: that multiple of the mean utility"
)]
enum BaselineForm {
    Named(BaselineName),
    Mean(f64),
}

#[derive(Clone, Debug, Deserialize, PartialEq)]
#[serde(
    untagged,
    expecting = "shaping must be \"paper\", \"logarithmic\", \"linear\", \"raw\", or a list with a utility for each rank"
)]
enum ShapingForm {
    Named(ShapingName),
    Table(Vec<f64>),
}

/// A choice that is no number.
#[derive(Clone, Copy, Debug, Deserialize, PartialEq)]
#[serde(rename_all = "snake_case")]
enum Auto {
    Auto,
}

#[derive(Clone, Copy, Debug, Deserialize, PartialEq)]
#[serde(rename_all = "snake_case")]
enum Adaptive {
    Adaptive,
}

#[derive(Clone, Copy, Debug, Deserialize, PartialEq)]
#[serde(untagged, expecting = "population must be a whole number, or \"auto\"")]
enum PopulationForm {
    Size(usize),
    Named(Auto),
}

#[derive(Clone, Copy, Debug, Deserialize, PartialEq)]
#[serde(untagged, expecting = "learning_rate must be a number, or \"adaptive\"")]
enum RateForm {
    Rate(f64),
    Named(Adaptive),
}

/// A time that can be waited for.
fn seconds<'de, D: serde::Deserializer<'de>>(from: D) -> Result<Option<f64>, D::Error> {
    match Option::<f64>::deserialize(from)? {
        Some(value) if std::time::Duration::try_from_secs_f64(value).is_err() => {
            let message = format!("max_seconds must be a number of seconds, 0 or larger, got {value}");
            Err(serde::de::Error::custom(message))
        }
        value => Ok(value),
    }
}

impl<T> Tolerance<T> {
    /// The value, or none; `true` says nothing.
    fn value(self, default: Option<T>) -> Option<T> {
        match self {
            Self::Value(value) => Some(value),
            Self::Off(false) => None,
            Self::Off(true) => default,
        }
    }
}

impl Flags {
    fn log_scale(self) -> LogScale {
        match self {
            Self::All(flag) => flag.into(),
            Self::Each(flags) => flags.into(),
        }
    }

    fn integers(self) -> Integers {
        match self {
            Self::All(flag) => flag.into(),
            Self::Each(flags) => flags.into(),
        }
    }
}

/// Call a method of the builder with what the file has for it.
macro_rules! take {
    ($file:ident, $settings:ident, $($name:ident),+) => {
        $(if let Some(value) = $file.$name {
            $settings = $settings.$name(value);
        })+
    };
}

/// The same for choices by name.
macro_rules! take_named {
    ($file:ident, $settings:ident, $($name:ident),+) => {
        $(if let Some(value) = $file.$name {
            $settings = $settings.$name(value.into());
        })+
    };
}

/// The same for tolerances.
macro_rules! take_tolerances {
    ($file:ident, $settings:ident, $($name:ident),+) => {
        $(if let Some(tolerance) = $file.$name {
            let default = $settings.rules.$name;
            $settings = $settings.$name(tolerance.value(default));
        })+
    };
}

impl TryFrom<SettingsFile> for Settings {
    type Error = SettingsError;

    /// # Errors
    /// The first setting that cannot be used, with its value and the remedy.
    fn try_from(file: SettingsFile) -> Result<Self, SettingsError> {
        let mut settings = Self { x0: file.x0, scale: None, ..Self::new([0.0], 1.0) };
        match file.sigma0 {
            Some(ScaleForm::One(sigma)) => settings.scale = Some(Scale::Uniform(sigma)),
            Some(ScaleForm::Each(list)) => settings.scale = Some(Scale::PerCoordinate(list)),
            Some(ScaleForm::Rows(rows)) => settings.scale = Some(Scale::Covariance(rows)),
            None => {}
        }
        if let Some(bounds) = file.bounds {
            let pair = |(low, high): (Option<f64>, Option<f64>)| {
                (low.unwrap_or(f64::NEG_INFINITY), high.unwrap_or(f64::INFINITY))
            };
            settings = settings.bounds(bounds.into_iter().map(pair).collect::<Vec<_>>());
        }
        if let Some(flags) = file.log_scale {
            settings = settings.log_scale(flags.log_scale());
        }
        if let Some(flags) = file.integer {
            settings = settings.integer(flags.integers());
        }
        for LinearForm { row, lower, upper } in file.linear.unwrap_or_default() {
            let limits = ([lower.unwrap_or(f64::NEG_INFINITY)], [upper.unwrap_or(f64::INFINITY)]);
            settings = settings.linear(LinearConstraint::new([row], limits.0, limits.1));
        }
        match file.baseline {
            Some(BaselineForm::Named(name)) => settings = settings.baseline(name.into()),
            Some(BaselineForm::Mean(factor)) => settings = settings.baseline(Baseline::Mean { factor }),
            None => {}
        }
        match file.shaping {
            Some(ShapingForm::Named(name)) => settings = settings.shaping(name.into()),
            Some(ShapingForm::Table(table)) => settings = settings.shaping(Shaping::Table(table)),
            None => {}
        }
        take_named!(file, settings, bound_handling, strategy, direction, restarts, model);
        settings = match file.population {
            Some(PopulationForm::Size(n)) => settings.population(n),
            Some(PopulationForm::Named(Auto::Auto)) => settings.auto_population(true),
            None => settings,
        };
        settings = match file.learning_rate {
            Some(RateForm::Rate(eta)) => settings.learning_rate(eta),
            Some(RateForm::Named(Adaptive::Adaptive)) => settings.adaptive_learning_rate(true),
            None => settings,
        };
        take!(file, settings, seed, max_restarts, batch, workers, noisy, algebra_threads);
        take!(file, settings, learning_rate_mean, learning_rate_factor, refresh_rate);
        take!(file, settings, inequalities, equalities, catol, one_hot);
        take!(file, settings, drift_correction, target, max_evaluations, max_generations, noeffect);
        take_tolerances!(file, settings, tolx, tolfun, tolfunhist, tolconditioncov);
        take_tolerances!(file, settings, same_optimum, unseen_optima);
        if let Some(tolerance) = file.tolstagnation {
            settings.rules.tolstagnation = tolerance.value(None).map(Some).or(default_if_on(tolerance));
        }
        if let Some(tolerance) = file.tolfacupx {
            settings.rules.tolfacupx = tolerance.value(None).map(Some).or(default_if_on(tolerance));
        }
        if let Some(tolerance) = file.tolflatfitness {
            settings.rules.tolflatfitness = tolerance.value(None).map(Some).or(default_if_on(tolerance));
        }
        settings.rules.max_seconds = file.max_seconds;
        settings.validate()?;
        Ok(settings)
    }
}

/// A rule whose default follows from the other settings.
fn default_if_on<T>(tolerance: Tolerance<T>) -> Option<Option<T>> {
    matches!(tolerance, Tolerance::Off(true)).then_some(None)
}
