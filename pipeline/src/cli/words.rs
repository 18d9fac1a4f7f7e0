//! Words of several commands.

/// `n things`, without the `s` if there is one.
pub(super) fn count(n: usize, thing: &str) -> String {
    let plural = if n == 1 { "" } else { "s" };
    format!("{n} {thing}{plural}")
}

#[cfg(test)]
mod tests {
    #[test]
    fn one_thing_is_no_plural() {
        assert_eq!(
            [0, 1, 2].map(|n| super::count(n, "stage")),
            ["0 stages", "1 stage", "2 stages"]
        );
    }
}
