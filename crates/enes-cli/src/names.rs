//! The library's choices by the names that the command line and problem files give them.

use std::str::FromStr;

use clap::ValueEnum;

use crate::error::CommandError;

#[derive(Clone, Copy, Debug, Default, PartialEq, ValueEnum, serde::Deserialize, serde::Serialize)]
#[serde(rename_all = "lowercase")]
pub(crate) enum StrategyName {
    #[default]
    Adaptive,
    Published,
}

impl StrategyName {
    pub(crate) fn text(self) -> &'static str {
        match self {
            Self::Adaptive => "adaptive",
            Self::Published => "published",
        }
    }
}

impl From<StrategyName> for enes::Strategy {
    fn from(name: StrategyName) -> Self {
        match name {
            StrategyName::Adaptive => Self::Adaptive,
            StrategyName::Published => Self::Published,
        }
    }
}

#[derive(Clone, Copy, Debug, Default, PartialEq, ValueEnum, serde::Deserialize, serde::Serialize)]
#[serde(rename_all = "lowercase")]
pub(crate) enum RestartsName {
    #[default]
    Auto,
    Off,
    Ipop,
    Bipop,
}

impl From<RestartsName> for enes::Restarts {
    fn from(name: RestartsName) -> Self {
        match name {
            RestartsName::Auto => Self::Auto,
            RestartsName::Off => Self::Off,
            RestartsName::Ipop => Self::Ipop,
            RestartsName::Bipop => Self::Bipop,
        }
    }
}

#[derive(Clone, Copy, Debug, Default, PartialEq, ValueEnum, serde::Deserialize, serde::Serialize)]
#[serde(rename_all = "snake_case")]
pub(crate) enum ModelName {
    #[default]
    Auto,
    #[value(alias = "rank_only")]
    RankOnly,
}

impl From<ModelName> for enes::ModelChoice {
    fn from(name: ModelName) -> Self {
        match name {
            ModelName::Auto => Self::Auto,
            ModelName::RankOnly => Self::RankOnly,
        }
    }
}

#[derive(Clone, Copy, Debug, PartialEq, ValueEnum, serde::Deserialize)]
#[serde(rename_all = "lowercase")]
pub(crate) enum BaselineName {
    None,
    Uniform,
    Specific,
    Block,
    Mean,
}

/// The baseline of these choices; a factor is for `mean`, 1 where there is none.
pub(crate) fn baseline(
    name: Option<BaselineName>,
    factor: Option<f64>,
) -> Result<enes::Baseline, CommandError> {
    match (name, factor) {
        (Some(BaselineName::Mean), factor) => Ok(enes::Baseline::Mean { factor: factor.unwrap_or(1.0) }),
        (_, Some(factor)) => Err(CommandError::Usage(format!(
            "baseline_factor belongs to the baseline `mean`, got {factor} with another: choose `mean`, or leave it out"
        ))),
        (Some(BaselineName::None), None) => Ok(enes::Baseline::None),
        (Some(BaselineName::Uniform), None) => Ok(enes::Baseline::Uniform),
        (Some(BaselineName::Specific), None) => Ok(enes::Baseline::Specific),
        (Some(BaselineName::Block) | None, None) => Ok(enes::Baseline::Block),
    }
}

/// A shaping by its name, or a table: one utility for each rank, the best first.
#[derive(Clone, Debug, Default, PartialEq, serde::Deserialize, serde::Serialize)]
#[serde(try_from = "ShapingText", into = "ShapingText")]
pub(crate) enum ShapingName {
    #[default]
    Paper,
    Logarithmic,
    Linear,
    Raw,
    Table(Vec<f64>),
}

/// As files have it: a name or a list.
#[derive(serde::Deserialize, serde::Serialize)]
#[serde(untagged)]
enum ShapingText {
    Name(String),
    Table(Vec<f64>),
}

/// All but the table, which is a list of numbers.
const SHAPINGS: [(&str, ShapingName); 4] = [
    ("paper", ShapingName::Paper),
    ("logarithmic", ShapingName::Logarithmic),
    ("linear", ShapingName::Linear),
    ("raw", ShapingName::Raw),
];

impl FromStr for ShapingName {
    type Err = String;

    fn from_str(text: &str) -> Result<Self, Self::Err> {
        if let Some((_, named)) = SHAPINGS.iter().find(|(name, _)| *name == text) {
            return Ok(named.clone());
        }
        let numbers: Result<Vec<f64>, _> = text.split(',').map(|word| word.trim().parse()).collect();
        numbers.map(Self::Table).map_err(|_| {
            "`paper`, `logarithmic`, `linear`, `raw`, or a table is needed: one utility for each rank, the best \
             first, separated by commas"
                .to_string()
        })
    }
}

impl TryFrom<ShapingText> for ShapingName {
    type Error = String;

    fn try_from(text: ShapingText) -> Result<Self, Self::Error> {
        match text {
            ShapingText::Name(name) => name.parse(),
            ShapingText::Table(table) => Ok(Self::Table(table)),
        }
    }
}

impl From<ShapingName> for ShapingText {
    fn from(shaping: ShapingName) -> Self {
        match shaping {
            ShapingName::Table(table) => Self::Table(table),
            named => {
                let name =
                    SHAPINGS.iter().find(|(_, known)| *known == named).map_or("paper", |(name, _)| name);
                Self::Name(name.to_string())
            }
        }
    }
}

impl From<ShapingName> for enes::Shaping {
    fn from(name: ShapingName) -> Self {
        match name {
            ShapingName::Paper => Self::Paper,
            ShapingName::Logarithmic => Self::Logarithmic,
            ShapingName::Linear => Self::Linear,
            ShapingName::Raw => Self::Raw,
            ShapingName::Table(table) => Self::Table(table),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn shapings_are_written_as_they_are_read() {
        for text in ["\"paper\"", "\"logarithmic\"", "\"linear\"", "\"raw\"", "[1.0,0.5,0.0]"] {
            let shaping: ShapingName = serde_json::from_str(text).unwrap();
            assert_eq!(serde_json::to_string(&shaping).unwrap(), text);
        }
        assert_eq!("1, 0.5,0".parse(), Ok(ShapingName::Table(vec![1.0, 0.5, 0.0])));
        assert!("papr".parse::<ShapingName>().unwrap_err().contains("`paper`, `logarithmic`"));
    }
}

/// A number of points, or `auto`.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(crate) enum PopulationName {
    Size(usize),
    Auto,
}

impl FromStr for PopulationName {
    type Err = String;

    fn from_str(text: &str) -> Result<Self, Self::Err> {
        match text {
            "auto" => Ok(Self::Auto),
            number => {
                number.parse().map(Self::Size).map_err(|_| "a whole number or `auto` is needed".to_string())
            }
        }
    }
}

impl PopulationName {
    /// The number, if it is one.
    pub(crate) fn size(self) -> Option<usize> {
        if let Self::Size(n) = self { Some(n) } else { None }
    }
}

/// A learning rate, or `adaptive`.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(crate) enum RateName {
    Rate(f64),
    Adaptive,
}

impl FromStr for RateName {
    type Err = String;

    fn from_str(text: &str) -> Result<Self, Self::Err> {
        match text {
            "adaptive" => Ok(Self::Adaptive),
            number => {
                number.parse().map(Self::Rate).map_err(|_| "a number or `adaptive` is needed".to_string())
            }
        }
    }
}

impl RateName {
    /// The rate itself, or the one that is multiplied by what gradients are worth.
    pub(crate) fn eta(self) -> f64 {
        if let Self::Rate(eta) = self { eta } else { 1.0 }
    }
}

/// As files have them: a number or a word.
#[derive(serde::Deserialize)]
#[serde(untagged)]
enum NumberOrWord<T> {
    Number(T),
    Word(String),
}

impl<'de> serde::Deserialize<'de> for PopulationName {
    fn deserialize<D: serde::Deserializer<'de>>(from: D) -> Result<Self, D::Error> {
        let wrong = |_| serde::de::Error::custom("a whole number or \"auto\" is needed");
        match NumberOrWord::deserialize(from).map_err(wrong)? {
            NumberOrWord::Number(n) => Ok(Self::Size(n)),
            NumberOrWord::Word(word) if word == "auto" => Ok(Self::Auto),
            NumberOrWord::Word(_) => Err(serde::de::Error::custom("a whole number or \"auto\" is needed")),
        }
    }
}

impl<'de> serde::Deserialize<'de> for RateName {
    fn deserialize<D: serde::Deserializer<'de>>(from: D) -> Result<Self, D::Error> {
        let wrong = |_| serde::de::Error::custom("a number or \"adaptive\" is needed");
        match NumberOrWord::deserialize(from).map_err(wrong)? {
            NumberOrWord::Number(eta) => Ok(Self::Rate(eta)),
            NumberOrWord::Word(word) if word == "adaptive" => Ok(Self::Adaptive),
            NumberOrWord::Word(_) => Err(serde::de::Error::custom("a number or \"adaptive\" is needed")),
        }
    }
}
