//! The library's choices by the names that the command line and problem files give them.

use clap::ValueEnum;

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
}

impl From<BaselineName> for enes::Baseline {
    fn from(name: BaselineName) -> Self {
        match name {
            BaselineName::None => Self::None,
            BaselineName::Uniform => Self::Uniform,
            BaselineName::Specific => Self::Specific,
            BaselineName::Block => Self::Block,
        }
    }
}
