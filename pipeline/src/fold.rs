//! Folds sweeps for people, so that thousands of stages stay readable: `hoag/digits/grid/split=3` and
//! its siblings become `hoag/digits/grid/split=*`.

/// The name with the value of every `key=value` part replaced by `*`.
#[must_use]
pub fn folded(name: &str) -> String {
    let part = |part: &str| match part.split_once('=') {
        Some((key, _)) => format!("{key}=*"),
        None => part.to_owned(),
    };
    name.split('/').map(part).collect::<Vec<_>>().join("/")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn only_values_are_folded() {
        assert_eq!(folded("toy/a/split=3/x@y"), "toy/a/split=*/x@y");
    }
}
