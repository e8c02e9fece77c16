//! The user's parameters: names, start values, scales, bounds; and the search space made of them.

use enes::Interval;
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
    /// Keep it at its initial value.
    #[serde(default)]
    pub(crate) fixed: bool,
}

impl Parameter {
    pub(crate) fn named(name: String) -> Self {
        Self { name, initial: None, sigma: None, lower: None, upper: None, log: false, fixed: false }
    }
}

/// A parameter that cannot be used; the message names the key.
#[derive(Clone, Debug, PartialEq, thiserror::Error)]
#[error("parameter `{name}`: {reason}")]
pub(crate) struct ParameterError {
    pub(crate) name: String,
    pub(crate) reason: String,
}

/// A coordinate of the search: a parameter that is not fixed, checked.
#[derive(Clone, Debug)]
struct Coordinate {
    interval: Interval,
    start: f64,
    sigma: f64,
}

/// All parameters, checked, and how search coordinates become user values.
#[derive(Clone, Debug)]
pub(crate) struct Space {
    parameters: Vec<Parameter>,
    /// One per parameter; `None` for a fixed one.
    coordinates: Vec<Option<Coordinate>>,
    values: Vec<f64>,
}

impl Space {
    /// Check every parameter; `sigma0` is the scale of those that give none and have no bounds.
    pub(crate) fn new(parameters: &[Parameter], sigma0: f64) -> Result<Self, ParameterError> {
        let mut coordinates = Vec::new();
        let mut values = Vec::new();
        for (i, p) in parameters.iter().enumerate() {
            let fail = |reason: String| ParameterError { name: p.name.clone(), reason };
            if parameters[..i].iter().any(|other| other.name == p.name) {
                return Err(fail("`name` is used twice: names must differ".into()));
            }
            if p.name.is_empty() || p.name.chars().any(|c| c == '{' || c == '}' || c.is_whitespace()) {
                return Err(fail("`name` must be a word without spaces and braces".into()));
            }
            let (value, coordinate) = check(p, sigma0).map_err(fail)?;
            values.push(value);
            coordinates.push(coordinate);
        }
        if coordinates.iter().all(Option::is_none) {
            let name = parameters.first().map_or_else(String::new, |p| p.name.clone());
            let reason = "nothing is left to search: at least one parameter must not be fixed".into();
            return Err(ParameterError { name, reason });
        }
        Ok(Self { parameters: parameters.to_vec(), coordinates, values })
    }

    pub(crate) fn names(&self) -> Vec<String> {
        self.parameters.iter().map(|p| p.name.clone()).collect()
    }

    /// The start of the search and its scale, in search coordinates.
    pub(crate) fn start(&self) -> (Vec<f64>, Vec<f64>) {
        let free = || self.coordinates.iter().flatten();
        (free().map(|c| c.start).collect(), free().map(|c| c.sigma).collect())
    }

    /// The user's values for a point of the search; within the bounds, exactly.
    pub(crate) fn user(&self, point: &[f64]) -> Vec<f64> {
        let mut free = point.iter();
        let each = self.parameters.iter().zip(&self.coordinates).zip(&self.values);
        each.map(|((p, coordinate), &value)| {
            match (coordinate, coordinate.as_ref().and_then(|_| free.next())) {
                (Some(c), Some(&u)) => {
                    let x = c.interval.inside(u);
                    let x = if p.log { x.exp() } else { x };
                    let x = p.lower.map_or(x, |a| x.max(a));
                    p.upper.map_or(x, |b| x.min(b))
                }
                _ => value,
            }
        })
        .collect()
    }

    /// The user's start values, as they were given.
    pub(crate) fn initial(&self) -> Vec<f64> {
        self.values.clone()
    }
}

/// The start value in user units and the coordinate, or what is wrong.
fn check(p: &Parameter, sigma0: f64) -> Result<(f64, Option<Coordinate>), String> {
    for (key, value) in [("initial", p.initial), ("sigma", p.sigma)] {
        if let Some(v) = value.filter(|v| !v.is_finite()) {
            return Err(format!("`{key}` must be finite, got {v}"));
        }
    }
    if p.fixed {
        let value = p.initial.ok_or("a fixed parameter needs `initial`")?;
        return Ok((value, None));
    }
    let bounds = Interval::new(p.lower, p.upper)
        .map_err(|_| format!("`lower` {} must be below `upper` {}", text(p.lower), text(p.upper)))?;
    if p.log && p.lower.is_some_and(|a| a <= 0.0) {
        return Err(format!("`lower` must be above 0 on a log scale, got {}", text(p.lower)));
    }
    if p.log && p.upper.is_some_and(|b| b <= 0.0) {
        return Err(format!("`upper` must be above 0 on a log scale, got {}", text(p.upper)));
    }
    let to_search = |x: f64| if p.log { x.ln() } else { x };
    let (low, high) = (bounds.lower().map(to_search), bounds.upper().map(to_search));
    let interval = Interval::new(low, high).map_err(|e| e.to_string())?;
    let start = match (p.initial, low, high) {
        (Some(x), ..) if p.log && x <= 0.0 => {
            return Err(format!("`initial` must be above 0 on a log scale, got {x}"));
        }
        (Some(x), ..) if !bounds.contains(x) => {
            return Err(format!(
                "`initial` {x} lies outside [{}, {}]: move it inside",
                text(p.lower),
                text(p.upper)
            ));
        }
        (Some(x), ..) => to_search(x),
        (None, Some(a), Some(b)) => 0.5 * (a + b),
        (None, Some(a), None) => a + 1.0,
        (None, None, Some(b)) => b - 1.0,
        (None, None, None) => 0.0,
    };
    let sigma = match (p.sigma, low, high) {
        (Some(s), ..) => s,
        (None, Some(a), Some(b)) => 0.25 * (b - a),
        _ => sigma0,
    };
    if sigma <= 0.0 || !sigma.is_finite() {
        return Err(format!("`sigma` must be positive and finite, got {sigma}"));
    }
    let value = p.initial.unwrap_or(if p.log { start.exp() } else { start });
    Ok((value, Some(Coordinate { interval, start: interval.outside(start), sigma })))
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
        let mut fixed = parameter(7.0, None, None, false);
        (fixed.name, fixed.fixed) = ("f".into(), true);
        let mut rate = parameter(1e-3, Some(1e-5), Some(1.0), true);
        rate.name = "rate".into();
        let space = Space::new(&[parameter(0.2, Some(0.0), Some(1.0), false), fixed, rate], 1.0).unwrap();
        let initial = space.initial();
        assert_eq!(initial, [0.2, 7.0, 1e-3]);
        let initial = space.user(&space.start().0);
        assert!((initial[0] - 0.2).abs() < 1e-12 && (initial[2] - 1e-3).abs() < 1e-12, "{initial:?}");
        assert_eq!(initial[1], 7.0);
        let (start, sigmas) = space.start();
        assert_eq!((start.len(), sigmas[0]), (2, 0.25));
        assert!((sigmas[1] - 0.25 * 5.0 * 10f64.ln()).abs() < 1e-12);
    }

    #[test]
    fn every_point_is_within_its_bounds() {
        let space = Space::new(&[parameter(0.5, Some(0.1), Some(0.7), false)], 1.0).unwrap();
        let log = Space::new(&[parameter(0.5, Some(0.1), Some(0.7), true)], 1.0).unwrap();
        for i in -1000..1000 {
            let u = f64::from(i) * 0.037;
            assert!((0.1..=0.7).contains(&space.user(&[u])[0]));
            assert!((0.1..=0.7).contains(&log.user(&[u])[0]));
        }
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
