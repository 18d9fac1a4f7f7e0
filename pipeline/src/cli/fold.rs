//! Folds sweeps for people: `hoag/digits/grid/split=3` and its siblings become one line
//! `hoag/digits/grid/split=*`.

/// The name with every `key=value` part's value replaced by `*`.
#[must_use]
pub(super) fn folded(name: &str) -> String {
    let parts: Vec<_> = name
        .split('/')
        .map(|part| match part.split_once('=') {
            Some((key, _)) => format!("{key}=*"),
            None => part.to_owned(),
        })
        .collect();
    parts.join("/")
}
