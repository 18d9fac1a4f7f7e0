//! A finding in words: its text with its value, interval and sample size, each told once. A value that is appended is
//! named, so that it cannot be read as a part of the sentence before it.

use crate::words::{interval, number};

/// What begins the part of a text that says what the value is of.
const NAMES: &str = "value: ";

/// The first part of `text`, and the value with the ends of its interval if that part does not have it.
#[must_use]
pub fn brief(text: &str, [value, low, high]: [f64; 3]) -> String {
    let mut parts = text.split("; ");
    let first = parts.next().unwrap_or_default();
    if !value.is_finite() || says(first, value) {
        return first.to_owned();
    }
    let (rest, ours): (Vec<&str>, String) = (parts.collect(), interval(value, low, high));
    let own = rest.iter().find_map(|part| part.strip_prefix(NAMES));
    if let Some(own) = own {
        return format!("{first}; {own}: {ours}");
    }
    match rest.iter().find(|part| says(part, value)) {
        Some(part) => format!("{first}; {part}"),
        None => named(first, &ours),
    }
}

/// All of `text` with what it does not say: the value, its interval and the sample size `n`, where it is known.
#[must_use]
pub fn whole(text: &str, [value, low, high]: [f64; 3], n: Option<f64>) -> String {
    if !value.is_finite() {
        return text.to_owned();
    }
    let size = n.filter(|n| *n > 0.0).map_or_else(String::new, |n| format!(", n = {n}"));
    let ours = interval(value, low, high) + &size;
    let own = text.split("; ").find(|part| part.starts_with(NAMES));
    let wide = low.is_finite() && high.is_finite() && low < high;
    if let Some(own) = own {
        return text.replace(own, &format!("{}: {ours}", &own[NAMES.len()..]));
    }
    if !says(text, value) {
        return named(text, &ours);
    }
    if !wide || says(text, low) && says(text, high) {
        return text.to_owned() + &size;
    }
    format!("{text}; 95% interval [{}, {}]{size}", number(low), number(high))
}

/// What the value is of, without numbers: the name that the text gives it, or what a text without the value describes;
/// empty where the text has the value.
#[must_use]
pub fn quantity(text: &str, value: f64) -> String {
    let parts = || text.split("; ");
    let first = parts().next().unwrap_or_default();
    let own = parts().find_map(|part| part.strip_prefix(NAMES));
    if own.is_none() && says(text, value) {
        return String::new();
    }
    let words = own.unwrap_or(first).split(|c: char| !c.is_alphabetic());
    words.filter(|word| !word.is_empty()).collect::<Vec<_>>().join(" ")
}

/// `text` with a value that it does not say: after a name alone a colon will do.
fn named(text: &str, ours: &str) -> String {
    if text.contains(|c: char| c.is_ascii_digit() || c == ':') {
        format!("{text}; value {ours}")
    } else {
        format!("{text}: {ours}")
    }
}

/// Whether a text has a value in it, as a number or in percent.
fn says(text: &str, value: f64) -> bool {
    let digits = |c: char| !(c.is_ascii_digit() || c == '.');
    let numbers = text.split(digits).filter_map(|word| word.trim_matches('.').parse::<f64>().ok());
    let near = |own: f64, of: f64| (own - of).abs() <= 0.03 * of.abs().max(0.01);
    numbers.into_iter().any(|own| near(own, value.abs()) || near(own, 100.0 * value.abs()))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_text_that_counts_something_else_does_not_say_the_value() {
        assert!(says("holds in 80% of 5 cases", 0.8));
        assert!(says("slope -0.636", -0.6359));
        assert!(!says("targets on which joint models end lower, of 36", 30.0));
        assert!(!says("R² 0.496 of mean error over 3 levels", -0.6359));
        assert!(!says("lower", 0.5));
    }

    #[test]
    fn a_value_that_is_appended_has_a_name() {
        let p = "mean 0.09 against 23.78, one-sided p = 0.0123; value: share of pairs as low";
        let slope = "R² 0.270, from 21.98 to 21.63; slope -0.014; value of the stage";
        for (text, value, brief_is, whole_is) in [
            (
                "targets on which ours ends lower, of 36",
                [33.0, 33.0, 33.0],
                "targets on which ours ends lower, of 36; value 33",
                "targets on which ours ends lower, of 36; value 33, n = 40",
            ),
            (
                "batch norm first: yes",
                [3.0, 2.0, 4.0],
                "batch norm first: yes; value 3 [2, 4]",
                "batch norm first: yes; value 3 [2, 4], n = 40",
            ),
            (
                "an error",
                [0.5, 0.25, 0.75],
                "an error: 0.5 [0.25, 0.75]",
                "an error: 0.5 [0.25, 0.75], n = 40",
            ),
            (
                p,
                [0.975, 0.95, 1.0],
                "mean 0.09 against 23.78, one-sided p = 0.0123; share of pairs as low: 0.975 [0.95, 1]",
                "mean 0.09 against 23.78, one-sided p = 0.0123; share of pairs as low: 0.975 [0.95, 1], n = 40",
            ),
            (
                slope,
                [-0.0139, -0.0742, 0.0471],
                "R² 0.270, from 21.98 to 21.63; slope -0.014",
                "R² 0.270, from 21.98 to 21.63; slope -0.014; value of the stage; 95% interval [−0.0742, 0.0471], n = 40",
            ),
            (
                "improvement 0.50 [0.36, 0.64]",
                [0.5, 0.36, 0.64],
                "improvement 0.50 [0.36, 0.64]",
                "improvement 0.50 [0.36, 0.64], n = 40",
            ),
        ] {
            assert_eq!(brief(text, value), brief_is);
            assert_eq!(whole(text, value, Some(40.0)), whole_is);
        }
        assert_eq!(quantity(p, 0.975), "share of pairs as low");
        assert_eq!(quantity("targets, of 36", 33.0), quantity("targets, of 4", 3.0));
        assert_eq!(quantity(slope, -0.0139), "");
        let none = "its data are not available";
        assert_eq!(whole(none, [f64::NAN; 3], Some(0.0)), none);
    }
}
