//! Words of several commands.

use std::fmt::Write;

use super::paint::Tone;

/// How many stages are named that give the same reason.
const NAMED: usize = 3;

/// Stages that could not be computed here, with the reasons: each reason once, in the order in which they first occur.
/// `needing` says how many stages were not run since they need one.
pub(in crate::cli) fn unavailable<'a>(
    stages: impl IntoIterator<Item = (&'a str, &'a str)>,
    needing: impl Fn(&str) -> usize,
) -> String {
    let mut reasons: Vec<(&str, Vec<&str>)> = Vec::new();
    for (stage, why) in stages {
        match reasons.iter_mut().find(|(reason, _)| *reason == why) {
            Some((_, names)) => names.push(stage),
            None => reasons.push((why, vec![stage])),
        }
    }
    let (mut text, word) = (String::new(), Tone::Faint.paint("unavailable"));
    for (why, names) in reasons {
        let first = names[..names.len().min(NAMED)].join(", ");
        let stages = match names.len() {
            1 => first,
            n if n <= NAMED => format!("{n} stages: {first}"),
            n => format!("{n} stages, such as {first}"),
        };
        let _ = writeln!(text, "{word}  {stages}\n  {}", why.replace('\n', "\n  "));
        let whom = if names.len() == 1 { "it" } else { "them" };
        let _ = match names.iter().map(|name| needing(name)).sum() {
            0 => Ok(()),
            1 => writeln!(text, "  1 stage that needs {whom} was not run"),
            n => writeln!(text, "  {n} stages that need {whom} were not run"),
        };
    }
    text
}

/// `n things`, without the `s` if there is one.
pub(in crate::cli) fn count(n: usize, thing: &str) -> String {
    let plural = if n == 1 { "" } else { "s" };
    format!("{n} {thing}{plural}")
}

#[cfg(test)]
mod tests {
    #[test]
    fn one_reason_is_told_once() {
        let names: Vec<String> = (0..5).map(|i| format!("a/{i}")).collect();
        let long = "no program\nremedy: build it";
        let mut stages: Vec<(&str, &str)> =
            names.iter().map(|name| (name.as_str(), long)).collect();
        stages.insert(1, ("b", "no data"));
        let told = anstream::adapter::strip_str(&super::unavailable(stages, |name| {
            usize::from(name == "b")
        }))
        .to_string();
        let first =
            "unavailable  5 stages, such as a/0, a/1, a/2\n  no program\n  remedy: build it\n";
        let second = "unavailable  b\n  no data\n  1 stage that needs it was not run\n";
        assert_eq!(told, format!("{first}{second}"));
    }

    #[test]
    fn one_thing_is_no_plural() {
        assert_eq!(
            [0, 1, 2].map(|n| super::count(n, "stage")),
            ["0 stages", "1 stage", "2 stages"]
        );
    }
}
