//! The user's parameters: names, start values, scales, bounds; and the settings made of them.

use enes::Settings;
use serde::{Deserialize, Serialize};

/// One parameter as the user describes it.
#[derive(Clone, Debug, Deserialize, PartialEq, Serialize)]
#[serde(deny_unknown_fields)]
pub(crate) struct Parameter {
    pub(crate) name: String,
    /// The start value; without one the middle of the bounds, or 0.
    #[serde(default)]
    pub(crate) initial: Option<f64>,
    /// The initial standard deviation; of ln x for a parameter on a log scale.
    #[serde(default)]
    pub(crate) sigma: Option<f64>,
    #[serde(default)]
    pub(crate) lower: Option<f64>,
    #[serde(default)]
    pub(crate) upper: Option<f64>,
    /// Search ln x instead of x.
    #[serde(default)]
    pub(crate) log: bool,
    /// Whole numbers only.
    #[serde(default)]
    pub(crate) integer: bool,
    /// A choice of the category of this name: of all its parameters one is 1, the others are 0.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub(crate) one_hot: Option<String>,
    /// Keep it at its initial value.
    #[serde(default)]
    pub(crate) fixed: bool,
}

impl Parameter {
    pub(crate) fn named(name: String) -> Self {
        Self {
            name,
            initial: None,
            sigma: None,
            lower: None,
            upper: None,
            log: false,
            integer: false,
            one_hot: None,
            fixed: false,
        }
    }

    /// The same parameter; a choice of a category is 0 or 1.
    fn of_category(self) -> Self {
        match self.one_hot {
            None => self,
            Some(_) => Self {
                integer: true,
                lower: self.lower.or(Some(0.0)),
                upper: self.upper.or(Some(1.0)),
                ..self
            },
        }
    }

    /// The only value, where the bounds leave one.
    fn only(&self) -> Option<f64> {
        let (lower, upper) = self.bounds();
        Some(lower).filter(|a| *a == upper && a.is_finite())
    }

    /// Whether the bounds as given leave room for numbers.
    fn bounds_in_order(&self) -> bool {
        self.lower.zip(self.upper).is_none_or(|(lower, upper)| lower <= upper)
    }

    /// The same parameter, fixed where its bounds are equal.
    pub(crate) fn fixed_by_bounds(self) -> Self {
        match self.only() {
            Some(value) if self.initial.is_none_or(|x| x == value) => {
                Self { fixed: true, initial: Some(value), ..self }
            }
            _ => self,
        }
    }

    /// Lower and upper bound, infinite where there is none; the whole numbers within for an integer.
    fn bounds(&self) -> (f64, f64) {
        let (lower, upper) = (self.lower.unwrap_or(f64::NEG_INFINITY), self.upper.unwrap_or(f64::INFINITY));
        match (self.integer && !self.fixed, self.log) {
            (false, _) => (lower, upper),
            (true, false) => (lower.ceil(), upper.floor()),
            (true, true) => (lower.ceil().max(1.0), upper.floor()),
        }
    }
}

/// A parameter that cannot be used; the message names the key.
#[derive(Clone, Debug, PartialEq, thiserror::Error)]
#[error("parameter `{name}`: {reason}")]
pub(crate) struct ParameterError {
    pub(crate) name: String,
    pub(crate) reason: String,
}

/// All parameters, checked.
#[derive(Clone, Debug)]
pub(crate) struct Space {
    parameters: Vec<Parameter>,
    /// The start, in the user's units.
    values: Vec<f64>,
    /// One per parameter; `None` for a fixed one.
    sigmas: Vec<Option<f64>>,
}

impl Space {
    /// Check every parameter; `sigma0` is the scale of those that give none and have no bounds.
    pub(crate) fn new(parameters: &[Parameter], sigma0: f64) -> Result<Self, ParameterError> {
        let parameters: Vec<Parameter> = parameters.iter().cloned().map(Parameter::of_category).collect();
        let mut sigmas = Vec::new();
        let mut values = Vec::new();
        for (i, p) in parameters.iter().enumerate() {
            let fail = |reason: String| ParameterError { name: p.name.clone(), reason };
            if parameters[..i].iter().any(|other| other.name == p.name) {
                return Err(fail("`name` is used twice: names must differ".into()));
            }
            if p.name.is_empty() || p.name.chars().any(|c| c == '{' || c == '}' || c.is_whitespace()) {
                return Err(fail("`name` must be a word without spaces and braces".into()));
            }
            let (value, sigma) = check(p, sigma0).map_err(fail)?;
            values.push(value);
            sigmas.push(sigma);
        }
        if sigmas.iter().all(Option::is_none) {
            let name = parameters.first().map_or_else(String::new, |p| p.name.clone());
            let reason = "nothing is left to search: at least one parameter must not be fixed".into();
            return Err(ParameterError { name, reason });
        }
        Ok(Self { parameters, values, sigmas })
    }

    pub(crate) fn names(&self) -> Vec<String> {
        self.parameters.iter().map(|p| p.name.clone()).collect()
    }

    /// How many parameters are searched.
    pub(crate) fn searched(&self) -> usize {
        self.sigmas.iter().flatten().count()
    }

    /// Start, scale, bounds and log scales; a fixed parameter has equal bounds.
    pub(crate) fn settings(&self) -> Settings {
        let each = || self.parameters.iter().zip(&self.values).zip(&self.sigmas);
        let bounds: Vec<(f64, f64)> =
            each().map(|((p, &value), sigma)| sigma.map_or((value, value), |_| p.bounds())).collect();
        let logs: Vec<bool> = each().map(|((p, _), sigma)| p.log && sigma.is_some()).collect();
        let integers: Vec<bool> = each().map(|((p, _), sigma)| p.integer && sigma.is_some()).collect();
        let sigmas: Vec<f64> = self.sigmas.iter().map(|sigma| sigma.unwrap_or(1.0)).collect();
        let settings = Settings::new(self.values.clone(), sigmas).bounds(bounds).log_scale(logs);
        settings.integer(integers).one_hot(self.categories())
    }

    /// The places of the parameters of each category.
    fn categories(&self) -> Vec<Vec<usize>> {
        let mut names: Vec<&String> = self.parameters.iter().filter_map(|p| p.one_hot.as_ref()).collect();
        names.sort_unstable();
        names.dedup();
        let places = |name: &String| {
            let each = self.parameters.iter().enumerate();
            each.filter(|(_, p)| p.one_hot.as_ref() == Some(name)).map(|(i, _)| i).collect()
        };
        names.into_iter().map(places).collect()
    }

    /// Which coordinate of a point should be a whole number and is not.
    pub(crate) fn broken_integer(&self, x: &[f64]) -> Option<usize> {
        let broken = |(p, x): (&Parameter, &f64)| p.integer && !p.fixed && x.is_finite() && x.fract() != 0.0;
        self.parameters.iter().zip(x).position(broken)
    }

    /// The start values as the program gets them: integers are rounded.
    pub(crate) fn initial(&self) -> Vec<f64> {
        let searched = |p: &Parameter| p.integer && !p.fixed;
        let each = self.parameters.iter().zip(&self.values);
        let mut initial: Vec<f64> =
            each.map(|(p, x)| if searched(p) { x.round() + 0.0 } else { *x }).collect();
        for places in self.categories() {
            let values = |&i: &usize| self.values[i];
            let first =
                places.iter().fold(places[0], |best, i| if values(i) > values(&best) { *i } else { best });
            places.iter().for_each(|&i| initial[i] = if i == first { 1.0 } else { 0.0 });
        }
        initial
    }
}

/// The start value and the scale, none for a fixed parameter; or what is wrong.
fn check(p: &Parameter, sigma0: f64) -> Result<(f64, Option<f64>), String> {
    for (key, value) in [("initial", p.initial), ("sigma", p.sigma)] {
        if let Some(v) = value.filter(|v| !v.is_finite()) {
            return Err(format!("`{key}` must be finite, got {v}"));
        }
    }
    let (lower, upper) = p.bounds();
    let outside = |x: f64| {
        let (lower, upper) = (text(p.lower), text(p.upper));
        Err(format!("`initial` {x} lies outside [{lower}, {upper}]: move it inside"))
    };
    if p.fixed {
        let value = p.initial.ok_or("a fixed parameter needs `initial`")?;
        return if (lower..=upper).contains(&value) { Ok((value, None)) } else { outside(value) };
    }
    if p.integer && p.bounds_in_order() && lower > upper {
        let (lower, upper) = (text(p.lower), text(p.upper));
        return Err(format!("no integer lies between `lower` {lower} and `upper` {upper}: widen them"));
    }
    let room = lower <= upper && lower < f64::INFINITY && upper > f64::NEG_INFINITY;
    if !room || (upper - lower).is_infinite() && lower.is_finite() && upper.is_finite() {
        return Err(format!("`lower` {} must be below `upper` {}", text(p.lower), text(p.upper)));
    }
    for (key, bound, given) in [("lower", lower, p.lower), ("upper", upper, p.upper)] {
        let bound = if p.integer { given.unwrap_or(bound) } else { bound };
        if p.log && bound <= 0.0 && bound.is_finite() {
            return Err(format!("`{key}` must be above 0 on a log scale, got {bound}"));
        }
    }
    match p.initial {
        Some(x) if p.log && x <= 0.0 => {
            return Err(format!("`initial` must be above 0 on a log scale, got {x}"));
        }
        Some(x) if !(lower..=upper).contains(&x) => return outside(x),
        _ => {}
    }
    if let Some(value) = p.only() {
        return Ok((value, None));
    }
    let search = |x: f64| if p.log { x.ln() } else { x };
    let finite = |x: f64| Some(x).filter(|x| x.is_finite()).map(search);
    // Every integer has a cell of the same width, also at the ends.
    let half = if p.integer { 0.5 } else { 0.0 };
    let (low, high) = (finite(lower - half), finite(upper + half));
    let start = match (low, high) {
        (Some(a), Some(b)) => 0.5 * (a + b),
        (Some(a), None) => a + 1.0,
        (None, Some(b)) => b - 1.0,
        (None, None) => 0.0,
    };
    let sigma = match (p.sigma, low, high) {
        (Some(s), ..) => s,
        (None, Some(a), Some(b)) => 0.25 * (b - a),
        _ => sigma0,
    };
    if sigma <= 0.0 || !sigma.is_finite() {
        return Err(format!("`sigma` must be positive and finite, got {sigma}"));
    }
    let middle = if p.log { start.exp() } else { start };
    Ok((p.initial.unwrap_or_else(|| middle.clamp(lower, upper)), Some(sigma)))
}

fn text(bound: Option<f64>) -> String {
    bound.map_or_else(|| "none".into(), |b| b.to_string())
}

#[cfg(test)]
mod tests {
    use super::*;

    fn parameter(initial: f64, lower: Option<f64>, upper: Option<f64>, log: bool) -> Parameter {
        Parameter { initial: Some(initial), lower, upper, log, ..Parameter::named("p".into()) }
    }

    #[test]
    fn the_start_is_what_the_user_said() {
        let mut fixed = parameter(7.0, None, None, true);
        (fixed.name, fixed.fixed) = ("f".into(), true);
        let mut rate = parameter(1e-3, Some(1e-5), Some(1.0), true);
        rate.name = "rate".into();
        let equal = Parameter { name: "e".into(), lower: Some(-3.0), upper: Some(-3.0), ..fixed.clone() };
        let equal = Parameter { fixed: false, initial: None, log: false, ..equal };
        let parameters = [parameter(0.2, Some(0.0), Some(1.0), false), fixed, rate, equal.clone()];
        let space = Space::new(&parameters, 1.0).unwrap();
        assert_eq!((space.initial(), space.searched()), (vec![0.2, 7.0, 1e-3, -3.0], 2));
        let es = enes::Optimizer::new(&space.settings()).unwrap();
        assert!((es.mean()[0] - 0.2).abs() < 1e-12 && (es.mean()[2] - 1e-3).abs() < 1e-12);
        assert_eq!((es.mean()[1], es.mean()[3]), (7.0, -3.0));
        let deviations = es.distribution().standard_deviations();
        assert!((deviations[0] - 0.25).abs() < 1e-12);
        assert!((deviations[1] - 0.25 * 5.0 * 10f64.ln()).abs() < 1e-12);
        let equal = equal.fixed_by_bounds();
        assert_eq!((equal.fixed, equal.initial), (true, Some(-3.0)));
        let moved = Parameter { initial: Some(5.0), ..equal };
        let error = Space::new(&[moved], 1.0).unwrap_err().to_string();
        assert!(error.contains("`initial` 5 lies outside [-3, -3]"), "{error}");
    }

    #[test]
    fn every_start_without_a_value_can_be_used() {
        for (lower, upper) in [(Some(0.1), Some(0.7)), (Some(0.1), None), (None, Some(0.7)), (None, None)] {
            for log in [false, true] {
                let free = Parameter { initial: None, ..parameter(0.0, lower, upper, log) };
                Space::new(&[free], 1.0).unwrap().settings().validate().unwrap();
            }
        }
    }

    #[test]
    fn integers_start_within_their_whole_bounds() {
        let integer = |initial, lower, upper, log| Parameter {
            integer: true,
            initial,
            ..parameter(0.0, Some(lower), Some(upper), log)
        };
        let space = Space::new(&[integer(None, -0.5, 1.5, false)], 1.0).unwrap();
        assert_eq!((space.values[0], space.sigmas[0], space.initial()[0]), (0.5, Some(0.5), 1.0));
        space.settings().validate().unwrap();
        Space::new(&[integer(None, 0.5, 1000.0, true)], 1.0).unwrap().settings().validate().unwrap();
        let only = integer(None, 1.5, 2.7, false).fixed_by_bounds();
        assert_eq!((only.fixed, only.initial), (true, Some(2.0)));
        let reason = |p: Parameter| Space::new(&[p], 1.0).unwrap_err().to_string();
        let none = reason(integer(None, 0.2, 0.8, false));
        assert!(none.contains("no integer lies between `lower` 0.2 and `upper` 0.8"), "{none}");
        assert!(reason(integer(None, 1.0, 0.0, false)).contains("must be below `upper`"));
        assert!(reason(integer(None, 0.0, 9.0, true)).contains("must be above 0 on a log scale"));
        assert!(reason(integer(Some(9.5), 0.0, 9.7, false)).contains("`initial` 9.5 lies outside"));
    }

    #[test]
    fn wrong_parameters_name_the_key() {
        let reason = |p: Parameter| Space::new(&[p], 1.0).unwrap_err().to_string();
        assert!(
            reason(parameter(2.0, Some(0.0), Some(1.0), false)).contains("`initial` 2 lies outside [0, 1]")
        );
        assert!(
            reason(parameter(0.0, Some(1.0), Some(0.0), false)).contains("`lower` 1 must be below `upper` 0")
        );
        assert!(reason(parameter(1.0, Some(0.0), None, true)).contains("must be above 0 on a log scale"));
        assert!(reason(parameter(f64::NAN, None, None, false)).contains("`initial` must be finite"));
        let fixed = Parameter { fixed: true, ..parameter(1.0, None, None, false) };
        assert!(reason(fixed).contains("nothing is left to search"));
        let twice = Space::new(&[parameter(1.0, None, None, false), parameter(1.0, None, None, false)], 1.0);
        assert!(twice.unwrap_err().to_string().contains("used twice"));
    }
}
