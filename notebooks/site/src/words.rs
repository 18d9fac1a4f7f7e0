//! Formats numbers, times and digests for every page.

pub use figures::words::{escape, interval, number};

/// A duration in the unit that fits it.
#[must_use]
pub fn duration(seconds: f64) -> String {
    match seconds {
        s if !s.is_finite() => "–".to_owned(),
        s if s < 0.001 => "<1 ms".to_owned(),
        s if s < 1.0 => format!("{:.0} ms", s * 1e3),
        s if s < 120.0 => format!("{s:.1} s"),
        s if s < 7200.0 => format!("{:.1} min", s / 60.0),
        s => format!("{:.1} h", s / 3600.0),
    }
}

/// The first twelve digits of a digest: enough to find it, short enough to read.
#[must_use]
pub fn short(digest: &str) -> &str {
    digest.get(..12).unwrap_or(digest)
}

/// `count thing`, with an `s` unless the count is one.
#[must_use]
pub fn count(count: usize, thing: &str) -> String {
    if count == 1 { format!("1 {thing}") } else { format!("{count} {thing}s") }
}

/// `text` as the id of an element: letters, digits and dashes.
#[must_use]
pub fn anchor(text: &str) -> String {
    text.chars().map(|c| if c.is_ascii_alphanumeric() { c } else { '-' }).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn durations_have_the_unit_that_fits() {
        let shown = [0.0, 0.25, 3.0, 600.0, 36_000.0, f64::NAN].map(duration);
        assert_eq!(shown, ["<1 ms", "250 ms", "3.0 s", "10.0 min", "10.0 h", "–"]);
    }

    #[test]
    fn what_is_no_letter_is_a_dash() {
        assert_eq!(anchor("T-EN letter/2"), "T-EN-letter-2");
    }
}
