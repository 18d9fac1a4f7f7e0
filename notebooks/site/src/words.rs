//! How numbers, times and digests are written on every page.

// Notebooks have an `escape` of their own, with the same result, and another `number`: there a number is
// plain text to be copied, here it has the signs of print. Both crates name the engine alone, which knows
// no HTML.

/// `value` with four significant digits, whole numbers as they are; "–" for what is no number.
#[must_use]
pub fn number(value: f64) -> String {
    let size = value.abs();
    if value.is_nan() {
        return "–".to_owned();
    }
    if value.is_infinite() {
        return if value > 0.0 { "∞" } else { "−∞" }.to_owned();
    }
    if value.fract() == 0.0 && size < 1e15 {
        return format!("{value:.0}").replace('-', "−");
    }
    if !(1e-3..1e5).contains(&size) {
        return format!("{value:.2e}").replace('-', "−");
    }
    let decimals = (3.0 - size.log10().floor()).max(0.0) as usize;
    let text = format!("{value:.decimals$}").replace('-', "−");
    if text.contains('.') {
        text.trim_end_matches('0').trim_end_matches('.').to_owned()
    } else {
        text
    }
}

/// `value`, or with its interval: `0.51 [0.42, 0.61]`.
#[must_use]
pub fn interval(value: f64, low: f64, high: f64) -> String {
    if low.is_finite() && high.is_finite() && low < high {
        format!("{} [{}, {}]", number(value), number(low), number(high))
    } else {
        number(value)
    }
}

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

/// `count thing`, with an `s` where there are more or fewer than one.
#[must_use]
pub fn count(count: usize, thing: &str) -> String {
    if count == 1 { format!("1 {thing}") } else { format!("{count} {thing}s") }
}

/// `text` as the id of an element: letters, digits and dashes.
#[must_use]
pub fn anchor(text: &str) -> String {
    text.chars().map(|c| if c.is_ascii_alphanumeric() { c } else { '-' }).collect()
}

/// `text` with the characters escaped that mean something in HTML and SVG.
#[must_use]
pub fn escape(text: &str) -> String {
    let mut out = String::with_capacity(text.len());
    for c in text.chars() {
        match c {
            '&' => out.push_str("&amp;"),
            '<' => out.push_str("&lt;"),
            '>' => out.push_str("&gt;"),
            '"' => out.push_str("&quot;"),
            '\'' => out.push_str("&#39;"),
            c => out.push(c),
        }
    }
    out
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn numbers_keep_four_digits() {
        let shown = [1.0234567, 12345.678, 0.0123456, 1.5e-7, 3.0, f64::NAN, 100.04, -2.5];
        let want = ["1.023", "12346", "0.01235", "1.50e−7", "3", "–", "100", "−2.5"];
        assert_eq!(shown.map(number), want);
        assert_eq!(interval(0.5, 0.25, 0.75), "0.5 [0.25, 0.75]");
        assert_eq!(interval(1.0, 1.0, 1.0), "1");
    }

    #[test]
    fn durations_have_the_unit_that_fits() {
        let shown = [0.0, 0.25, 3.0, 600.0, 36_000.0, f64::NAN].map(duration);
        assert_eq!(shown, ["<1 ms", "250 ms", "3.0 s", "10.0 min", "10.0 h", "–"]);
    }

    #[test]
    fn markup_in_data_stays_text() {
        assert_eq!(escape("a<b & \"c\""), "a&lt;b &amp; &quot;c&quot;");
        assert_eq!(anchor("T-EN letter/2"), "T-EN-letter-2");
    }
}
