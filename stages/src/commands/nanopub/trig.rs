//! Writing TriG: named graphs of triples, with literals quoted as the format wants it.

use std::fmt::Write;

/// One named graph.
pub(super) struct Graph(String);

impl Graph {
    /// The graph with this name, which is written as a term.
    pub(super) fn new(name: &str) -> Self {
        Self(format!("\n{name} {{\n"))
    }

    /// A triple of terms that are written already.
    pub(super) fn add(&mut self, subject: &str, property: &str, object: &str) {
        let _ = writeln!(self.0, "  {subject} {property} {object} .");
    }

    /// The text of the graph.
    pub(super) fn end(self) -> String {
        self.0 + "}\n"
    }
}

/// A text as a literal.
pub(super) fn text(value: &str) -> String {
    let mut quoted = String::with_capacity(value.len() + 2);
    quoted.push('"');
    for c in value.chars() {
        match c {
            '"' => quoted.push_str("\\\""),
            '\\' => quoted.push_str("\\\\"),
            '\n' => quoted.push_str("\\n"),
            '\r' => quoted.push_str("\\r"),
            '\t' => quoted.push_str("\\t"),
            c if c.is_control() => {
                let _ = write!(quoted, "\\u{:04X}", u32::from(c));
            }
            c => quoted.push(c),
        }
    }
    quoted.push('"');
    quoted
}

/// A number as a literal, with all digits that it has.
pub(super) fn double(value: f64) -> String {
    let digits = match value {
        x if x.is_nan() => "NaN".to_owned(),
        f64::INFINITY => "INF".to_owned(),
        f64::NEG_INFINITY => "-INF".to_owned(),
        x => format!("{x:?}"),
    };
    format!("\"{digits}\"^^xsd:double")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn quotes_ends_of_lines_and_controls_do_not_end_a_literal() {
        assert_eq!(text(r#"a "b" \ c"#), r#""a \"b\" \\ c""#);
        assert_eq!(text("a\nb\r\tc\u{1}ε"), "\"a\\nb\\r\\tc\\u0001ε\"");
    }

    #[test]
    fn numbers_keep_their_digits() {
        assert_eq!(double(0.1 + 0.2), "\"0.30000000000000004\"^^xsd:double");
        assert_eq!(double(1e-300), "\"1e-300\"^^xsd:double");
        assert_eq!(double(f64::NEG_INFINITY), "\"-INF\"^^xsd:double");
    }
}
