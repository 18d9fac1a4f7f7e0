//! Formats numbers and texts in figures.

/// `value` with four significant digits, whole numbers unchanged; "–" for NaN.
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

/// `value`, with its interval if that has a width: `0.51 [0.42, 0.61]`.
#[must_use]
pub fn interval(value: f64, low: f64, high: f64) -> String {
    if low.is_finite() && high.is_finite() && low < high {
        format!("{} [{}, {}]", number(value), number(low), number(high))
    } else {
        number(value)
    }
}

/// `text` with the special characters of HTML and SVG escaped.
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
    }

    #[test]
    fn an_interval_of_no_width_is_a_number() {
        assert_eq!(interval(0.5, 0.25, 0.75), "0.5 [0.25, 0.75]");
        assert_eq!(interval(1.0, 1.0, 1.0), "1");
        assert_eq!(interval(1.0, 0.0, f64::INFINITY), "1");
    }

    #[test]
    fn markup_in_data_stays_text() {
        assert_eq!(escape("a<b & \"c\""), "a&lt;b &amp; &quot;c&quot;");
    }
}
