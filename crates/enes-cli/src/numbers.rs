//! Numbers as typed on the command line: the error says which are needed.

/// A start value.
pub(crate) fn finite(text: &str) -> Result<f64, String> {
    checked(text, "a finite number is needed", f64::is_finite)
}

/// An initial standard deviation.
pub(crate) fn positive(text: &str) -> Result<f64, String> {
    checked(text, "a finite number above 0 is needed", |value| value.is_finite() && value > 0.0)
}

/// A length, or a difference of values.
pub(crate) fn tolerance(text: &str) -> Result<f64, String> {
    checked(text, "a finite number is needed, above 0, or 0 to switch the rule off", |value| {
        value.is_finite() && value >= 0.0
    })
}

/// How far away the start is.
pub(crate) fn distance(text: &str) -> Result<f64, String> {
    checked(text, "a finite number, 0 or larger, is needed", |value| value.is_finite() && value >= 0.0)
}

fn checked(text: &str, needed: &str, fits: impl Fn(f64) -> bool) -> Result<f64, String> {
    let several = |separator: char| text.trim().split(separator).filter(|part| !part.is_empty()).count() > 1;
    match text.trim().parse() {
        Ok(value) if fits(value) => Ok(value),
        Err(_) if [' ', ';', '\t'].into_iter().any(several) => {
            Err("separate numbers by commas, without spaces: 1,2.5,-3".to_string())
        }
        _ => Err(needed.to_string()),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_is_needed_follows_from_what_was_typed() {
        assert_eq!((finite(" -2.5"), positive("1e-3"), tolerance("0")), (Ok(-2.5), Ok(1e-3), Ok(0.0)));
        let said = |text: &str| finite(text).unwrap_err();
        assert!(said("1 2").contains("by commas") && said("1;2").contains("by commas"));
        assert!(said("nan").contains("finite") && said("wide").contains("finite"));
        assert!(positive("-1").unwrap_err().contains("above 0") && tolerance("-1").is_err());
    }
}
