//! The constraints of a run: which ones the program tells, and which are linear.

use std::collections::BTreeMap;

use enes::{LinearConstraint, Settings};
use serde::{Deserialize, Serialize};

use crate::error::CommandError;

/// One constraint that the program tells: 0 or less is feasible, or 0 for an equality.
#[derive(Clone, Debug, Deserialize, PartialEq, Serialize)]
pub(crate) struct Named {
    pub(crate) name: String,
    #[serde(default)]
    pub(crate) equality: bool,
}

/// One linear constraint, by the names of its coordinates.
#[derive(Clone, Debug, Deserialize, PartialEq, Serialize)]
#[serde(deny_unknown_fields)]
pub(crate) struct Linear {
    pub(crate) terms: BTreeMap<String, f64>,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub(crate) lower: Option<f64>,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub(crate) upper: Option<f64>,
}

/// All of them, inequalities before equalities.
#[derive(Clone, Debug, Default, Deserialize, PartialEq, Serialize)]
pub(crate) struct Declared {
    #[serde(default)]
    pub(crate) told: Vec<Named>,
    #[serde(default)]
    pub(crate) linear: Vec<Linear>,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub(crate) catol: Option<f64>,
}

impl Declared {
    /// From words such as `stress` and `balance=0`.
    pub(crate) fn new(
        words: &[String],
        linear: Vec<Linear>,
        catol: Option<f64>,
    ) -> Result<Self, CommandError> {
        let mut told = Vec::new();
        for word in words {
            let (name, limit) = word.split_once('=').map_or((word.as_str(), None), |(n, l)| (n, Some(l)));
            let (name, limit) = (name.trim(), limit.map(str::trim));
            if name.is_empty() || limit.is_some_and(|limit| limit != "0") {
                return Err(CommandError::Usage(format!(
                    "constraints: `{word}` is no constraint; write a name for one that is 0 or less, `name=0` for one \
                     that is 0"
                )));
            }
            if ["id", "value", "violation", "error"].contains(&name) {
                return Err(CommandError::Usage(format!(
                    "constraints: `{name}` is another field of an answer; give the constraint another name"
                )));
            }
            told.push(Named { name: name.to_string(), equality: limit.is_some() });
        }
        if let Some(catol) = catol.filter(|_| words.is_empty() && linear.is_empty()) {
            return Err(CommandError::Usage(format!(
                "catol = {catol} is the tolerance of constraints that are told one by one: name them with --constraints"
            )));
        }
        told.sort_by_key(|named| named.equality); // stable
        Ok(Self { told, linear, catol })
    }

    /// Whether there is none.
    pub(crate) fn is_empty(&self) -> bool {
        self.told.is_empty() && self.linear.is_empty()
    }

    /// The names of those that are told, in their order.
    pub(crate) fn names(&self) -> Vec<String> {
        self.told.iter().map(|named| named.name.clone()).collect()
    }

    /// Whether nothing was said of them.
    pub(crate) fn is_default(&self) -> bool {
        *self == Self::default()
    }

    /// The settings with them, for coordinates of these names.
    pub(crate) fn settings(&self, settings: Settings, names: &[String]) -> Result<Settings, CommandError> {
        let of = |equality| -> Vec<String> {
            self.told.iter().filter(|n| n.equality == equality).map(|n| n.name.clone()).collect()
        };
        let mut settings = settings.inequalities(of(false)).equalities(of(true)).catol(self.catol);
        for linear in &self.linear {
            let unknown = linear.terms.keys().find(|name| !names.contains(name));
            if let Some(name) = unknown {
                let known = names.join(", ");
                return Err(CommandError::Usage(format!(
                    "linear: there is no parameter `{name}`; the parameters are {known}"
                )));
            }
            let row: Vec<f64> = names.iter().map(|n| linear.terms.get(n).copied().unwrap_or(0.0)).collect();
            let lower = linear.lower.unwrap_or(f64::NEG_INFINITY);
            let upper = linear.upper.unwrap_or(f64::INFINITY);
            settings = settings.linear(LinearConstraint::new([row], [lower], [upper]));
        }
        Ok(settings)
    }

    /// The values of those that are told, found by name; or what is missing. JSON has no infinity: the largest number
    /// stands for it.
    pub(crate) fn values(&self, find: impl Fn(&str) -> Option<f64>) -> Result<Vec<f64>, String> {
        let each = self.told.iter().map(|Named { name, .. }| match find(name) {
            None => Err(format!("no number for the constraint `{name}` in the answer")),
            Some(value) if value.is_nan() => Err(format!("the constraint `{name}` is NaN")),
            Some(value) => Ok(value.clamp(f64::MIN, f64::MAX)),
        });
        each.collect()
    }

    /// Whether one that is told is violated, by whatever amount.
    pub(crate) fn is_violated(&self, values: &[f64]) -> bool {
        self.told.iter().zip(values).any(|(named, v)| if named.equality { *v != 0.0 } else { *v > 0.0 })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn words(list: &[&str]) -> Vec<String> {
        list.iter().map(ToString::to_string).collect()
    }

    #[test]
    fn names_are_inequalities_and_those_with_a_zero_are_equalities() {
        let declared = Declared::new(&words(&["a", "b=0", " c ", "d = 0"]), Vec::new(), None).unwrap();
        let named: Vec<_> = declared.told.iter().map(|n| (&n.name[..], n.equality)).collect();
        assert_eq!(named, [("a", false), ("c", false), ("b", true), ("d", true)]);
        for wrong in ["", "=0", "a=1", "value", "violation"] {
            assert!(Declared::new(&words(&[wrong]), Vec::new(), None).is_err(), "{wrong}");
        }
    }

    #[test]
    fn values_are_found_by_name() {
        let declared = Declared::new(&words(&["a", "b=0"]), Vec::new(), None).unwrap();
        let find = |name: &str| (name == "a").then_some(f64::INFINITY);
        assert!(declared.values(find).unwrap_err().contains("`b`"));
        assert_eq!(declared.values(|_| Some(1.5)), Ok(vec![1.5, 1.5]));
        assert!(declared.values(|_| Some(f64::NAN)).unwrap_err().contains("is NaN"));
        assert!(declared.is_violated(&[-1.0, -1.0]) && !declared.is_violated(&[-1.0, 0.0]));
    }

    #[test]
    fn linear_constraints_are_by_the_names_of_coordinates() {
        let linear = Linear { terms: [("b".to_string(), 2.0)].into(), lower: Some(1.0), upper: None };
        let declared = Declared::new(&[], vec![linear], None).unwrap();
        let settings = || Settings::new([1.0, 1.0], 1.0);
        assert!(declared.settings(settings(), &words(&["a", "b"])).is_ok());
        let wrong = declared.settings(settings(), &words(&["a", "c"])).unwrap_err().to_string();
        assert!(wrong.contains("no parameter `b`") && wrong.contains("a, c"), "{wrong}");
    }
}
