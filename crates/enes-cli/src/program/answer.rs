//! What a program answers: a value and, where it has constraints, a violation; and how both are read.

use super::declared::Declared;
use super::plan::Plan;

/// A value, and by how much the point violates the constraints, or the value of each, where the program tells so.
#[derive(Clone, Debug, PartialEq)]
pub(crate) struct Answer {
    /// NaN where an infeasible point has none.
    pub(crate) value: f64,
    /// Finite.
    pub(crate) violation: Option<f64>,
    /// Those of the plan, in its order; finite.
    pub(crate) constraints: Vec<f64>,
}

impl Answer {
    /// What was told, checked. The value of an infeasible point is not needed.
    pub(crate) fn new(value: Option<f64>, violation: Option<f64>) -> Result<Self, String> {
        // JSON has no infinity: the largest number stands for it in the record.
        let violation = violation.map(|v| v.clamp(f64::MIN, f64::MAX));
        match (value, violation) {
            (_, Some(v)) if v.is_nan() => Err("the violation is NaN".into()),
            (value, Some(v)) if v > 0.0 => Ok(Self::plain(value.unwrap_or(f64::NAN), violation)),
            (Some(value), _) if value.is_nan() => Err("the value is NaN".into()),
            (Some(value), _) => Ok(Self::plain(value, violation)),
            (None, _) => Err("the answer has neither `value` nor `error`".into()),
        }
    }

    fn plain(value: f64, violation: Option<f64>) -> Self {
        Self { value, violation, constraints: Vec::new() }
    }

    /// A value and the values of the constraints, checked. An infeasible point may have no value.
    pub(crate) fn constrained(
        value: Option<f64>,
        constraints: Vec<f64>,
        declared: &Declared,
    ) -> Result<Self, String> {
        let value = value.filter(|v| !v.is_nan());
        match value {
            None if !declared.is_violated(&constraints) => Err("the answer has no value".into()),
            value => Ok(Self { value: value.unwrap_or(f64::NAN), violation: None, constraints }),
        }
    }
}

/// Best first: feasible before infeasible, infeasible by violation, feasible by value.
pub(crate) fn order(value: f64, violation: f64) -> (f64, f64) {
    if violation > 0.0 { (violation, 0.0) } else { (0.0, value) }
}

/// A best value in words: an infeasible point has none that counts.
pub(crate) fn best_words(value: f64, violation: f64, digits: usize) -> String {
    match violation > 0.0 {
        true => format!("infeasible, violation {violation:.3e}"),
        false => format!("{value:.digits$e}"),
    }
}

/// Where a program's output has its answer.
#[derive(Clone, Debug, Default)]
pub(crate) struct Reading {
    value_field: Option<String>,
    violation_field: Option<String>,
    constrained: bool,
    declared: Declared,
}

impl Reading {
    pub(crate) fn new(plan: &Plan) -> Self {
        Self {
            value_field: plan.value_field.clone(),
            violation_field: plan.violation_field.clone(),
            constrained: plan.constrained,
            declared: plan.constraints.clone(),
        }
    }

    /// Of fields by name, or of the last numbers.
    #[cfg(feature = "fuzzing")]
    pub(crate) fn of(value: Option<&str>, violation: Option<&str>, constrained: bool) -> Self {
        let owned = |name: Option<&str>| name.map(str::to_string);
        let declared = Declared::default();
        Self { value_field: owned(value), violation_field: owned(violation), constrained, declared }
    }

    /// The answer in a program's output: the last number, the last two, or fields of a JSON object.
    pub(crate) fn answer(&self, output: &str) -> Result<Answer, String> {
        match &self.value_field {
            Some(field) => self.fields(output, field),
            None if !self.declared.told.is_empty() => self.row(output),
            None => self.numbers(output),
        }
    }

    /// The last numbers: the value, then the constraints in the order of the plan.
    fn row(&self, output: &str) -> Result<Answer, String> {
        let count = self.declared.told.len();
        let mut last: Vec<f64> = numbers_from_the_end(output).take(count + 1).collect();
        last.reverse();
        if last.len() <= count {
            return Err(format!(
                "{} numbers in the output `{}`: a value and {count} constraints are needed",
                last.len(),
                brief(output)
            ));
        }
        let place = |name: &str| self.declared.told.iter().position(|n| n.name == name);
        let constraints = self.declared.values(|name| place(name).map(|i| last[i + 1]))?;
        Answer::constrained(Some(last[0]), constraints, &self.declared)
    }

    fn numbers(&self, output: &str) -> Result<Answer, String> {
        let mut last = numbers_from_the_end(output);
        let found = if self.constrained { (last.next(), last.next()) } else { (None, last.next()) };
        match found {
            (None, None) => Err(format!("no number in the output `{}`", brief(output))),
            (Some(_), None) => Err(format!(
                "one number in the output `{}`: with --constrained a value and a violation are needed",
                brief(output)
            )),
            (violation, value) => Answer::new(value, violation),
        }
    }

    fn fields(&self, output: &str, field: &str) -> Result<Answer, String> {
        let object = output.trim();
        let object = match serde_json::from_str::<serde_json::Value>(object) {
            Ok(v) => v,
            // Words before the object are common: the last line decides.
            Err(_) => serde_json::from_str(object.lines().last().unwrap_or_default())
                .map_err(|_| format!("no JSON object in the output `{}`", brief(output)))?,
        };
        let number = |field: &str| {
            let value = object.get(field).ok_or_else(|| format!("no field `{field}` in the JSON object"))?;
            value.as_f64().ok_or_else(|| format!("field `{field}` is not a number: {value}"))
        };
        if !self.declared.told.is_empty() {
            let constraints = self.declared.values(|name| number(name).ok())?;
            return Answer::constrained(number(field).ok(), constraints, &self.declared);
        }
        let violation = self.violation_field.as_deref().map(number).transpose()?;
        let value = match number(field) {
            Err(_) if violation > Some(0.0) => None,
            value => Some(value?),
        };
        Answer::new(value, violation)
    }
}

/// Words that are numbers, the last first; `loss=1.5,` counts.
fn numbers_from_the_end(output: &str) -> impl Iterator<Item = f64> {
    let word = |c: char| !(c.is_alphanumeric() || matches!(c, '.' | '+' | '-'));
    output.split(word).rev().map(|w| w.trim_end_matches('.')).filter_map(|w| w.parse().ok())
}

fn brief(output: &str) -> String {
    let text: String = output.trim().chars().take(60).collect();
    text.replace('\n', " / ")
}

#[cfg(test)]
mod tests {
    use super::*;

    fn value_of(output: &str, field: Option<&str>) -> Result<f64, String> {
        let reading = Reading { value_field: field.map(Into::into), ..Reading::default() };
        reading.answer(output).map(|answer| answer.value)
    }

    #[test]
    fn the_last_number_is_the_value() {
        for (output, value) in [
            ("1.5\n", 1.5),
            ("step 3\nloss=2.5e-3, done", 2.5e-3),
            ("-7", -7.0),
            ("result: (4.0)\n", 4.0),
            ("The end is 3.", 3.0),
            ("inf", f64::INFINITY),
        ] {
            assert_eq!(value_of(output, None), Ok(value), "{output}");
        }
        assert!(value_of("nothing here", None).unwrap_err().contains("no number in the output"));
        assert!(value_of("", None).is_err());
        assert_eq!(value_of("nan", None), Err("the value is NaN".into()));
    }

    #[test]
    fn a_field_of_a_json_object_is_the_value() {
        assert_eq!(value_of("{\"loss\": 1.5, \"n\": 3}", Some("loss")), Ok(1.5));
        assert_eq!(value_of("starting\n{\"loss\": 2}\n", Some("loss")), Ok(2.0));
        assert!(value_of("{\"n\": 3}", Some("loss")).unwrap_err().contains("no field `loss`"));
        assert!(value_of("{\"loss\": \"x\"}", Some("loss")).unwrap_err().contains("is not a number"));
        assert!(value_of("rubbish", Some("loss")).unwrap_err().contains("no JSON object"));
    }

    #[test]
    fn with_constraints_the_last_two_numbers_are_value_and_violation() {
        let reading = Reading { constrained: true, ..Reading::default() };
        let answer = |value, violation| Ok(Answer::plain(value, Some(violation)));
        assert_eq!(reading.answer("step 3: 1.5 0.25\n"), answer(1.5, 0.25));
        assert_eq!(reading.answer("1.5 inf"), answer(1.5, f64::MAX));
        assert_eq!(reading.answer("-2 -1"), answer(-2.0, -1.0));
        assert!(reading.answer("nan 0.5").is_ok_and(|a| a.value.is_nan() && a.violation == Some(0.5)));
        assert_eq!(reading.answer("nan 0"), Err("the value is NaN".into()));
        assert_eq!(reading.answer("1 nan"), Err("the violation is NaN".into()));
        assert!(reading.answer("1.5").unwrap_err().contains("a value and a violation are needed"));
        assert!(reading.answer("words").unwrap_err().contains("no number"));
    }

    #[test]
    fn with_a_violation_field_the_value_of_an_infeasible_point_may_be_missing() {
        let (value, violation) = (Some("loss".into()), Some("excess".into()));
        let reading = Reading { value_field: value, violation_field: violation, ..Reading::default() };
        let feasible = reading.answer("{\"loss\": 1, \"excess\": 0}");
        assert_eq!(feasible, Ok(Answer::plain(1.0, Some(0.0))));
        assert!(reading.answer("{\"loss\": null, \"excess\": 2}").is_ok_and(|a| a.value.is_nan()));
        assert!(reading.answer("{\"loss\": 1}").unwrap_err().contains("no field `excess`"));
        assert!(reading.answer("{\"excess\": 0}").unwrap_err().contains("no field `loss`"));
    }

    #[test]
    fn constraints_are_fields_by_name_or_the_last_numbers() {
        let words = ["mass".to_string(), "level=0".to_string()];
        let declared = Declared::new(&words, Vec::new(), None).unwrap();
        let reading =
            Reading { value_field: Some("loss".into()), declared: declared.clone(), ..Reading::default() };
        let answer = reading.answer("{\"level\": 0.5, \"mass\": -2, \"loss\": 3}").unwrap();
        assert_eq!((answer.value, &answer.constraints[..]), (3.0, &[-2.0, 0.5][..]));
        assert!(reading.answer("{\"loss\": 3, \"mass\": 1}").unwrap_err().contains("`level`"));
        assert!(reading.answer("{\"mass\": 1, \"level\": 0}").is_ok_and(|a| a.value.is_nan()));
        assert!(reading.answer("{\"mass\": 0, \"level\": 0}").unwrap_err().contains("no value"));
        let reading = Reading { declared, ..Reading::default() };
        let answer = reading.answer("step 7: 3 -2 0.5").unwrap();
        assert_eq!((answer.value, &answer.constraints[..]), (3.0, &[-2.0, 0.5][..]));
        assert!(reading.answer("3 -2").unwrap_err().contains("2 constraints are needed"));
        assert!(reading.answer("3 nan 1").unwrap_err().contains("`mass` is NaN"));
    }

    #[test]
    fn feasible_comes_first() {
        let mut keys = [order(1.0, 0.0), order(-9.0, 2.0), order(5.0, 1.0), order(0.5, -3.0)];
        keys.sort_by(|a, b| a.partial_cmp(b).unwrap());
        assert_eq!(keys, [(0.0, 0.5), (0.0, 1.0), (1.0, 0.0), (2.0, 0.0)]);
        assert_eq!(best_words(1.0, 0.3, 6), "infeasible, violation 3.000e-1");
        assert_eq!(best_words(1.0, 0.0, 2), "1.00e0");
    }
}
