//! How a p-value is written in a finding's text.

/// The smallest p-value that is written as a number.
const LEAST: f64 = 1e-4;

/// `p = 0.0123`, or `p < 0.0001`.
#[must_use]
pub fn told(p: f64) -> String {
    if p < LEAST { format!("p < {LEAST}") } else { format!("p = {p:.4}") }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn no_p_value_is_zero() {
        assert_eq!(told(0.012_34), "p = 0.0123");
        assert_eq!(told(1e-4), "p = 0.0001");
        assert_eq!(told(3e-5), "p < 0.0001");
        assert_eq!(told(0.0), "p < 0.0001");
    }
}
