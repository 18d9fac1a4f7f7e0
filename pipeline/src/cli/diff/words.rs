//! Two runs side by side, in words: verdicts first, then results that moved, then what came out the same.

use std::fmt::Write;

use super::{Changed, Output, Report};
use crate::{
    cli::{
        Tone,
        plan::{GROUPS, words},
        session::words::count,
    },
    fold::folded,
    plan::Reason,
    provenance::moved::Difference,
};

impl Report {
    /// The whole comparison; each stage on its own if `all` is set.
    pub(super) fn words(&self, all: bool) -> String {
        let moved = self.changed.iter().filter(|changed| changed.moved()).count();
        let mut text = format!(
            "{} changed, of these {moved} with another result; {} added, {} removed, {} the same\n",
            count(self.changed.len(), "stage"),
            self.added.len(),
            self.removed.len(),
            self.same
        );
        for (run, only) in [(self.old, &self.only_old), (self.new, &self.only_new)] {
            if !only.is_empty() {
                let _ =
                    writeln!(text, "{} only run {run} was asked for", count(only.len(), "stage"));
            }
        }
        if !self.verdicts.is_empty() {
            let _ = writeln!(text, "{}", Tone::Head.paint("verdicts that moved:"));
        }
        for turn in &self.verdicts {
            let side = |side: &Option<String>| side.clone().unwrap_or_else(|| "none".to_owned());
            let (old, new) = (side(&turn.old), Tone::Open.paint(&side(&turn.new)));
            let row = format!("{} {}", turn.stage, turn.row);
            let _ = writeln!(text, "  {}: {old} → {new}", row.trim_end());
        }
        let changed = self.changed.iter().map(|changed| (changed.stage.as_str(), changed));
        let mut blocks = Vec::new();
        for (name, stages) in grouped_by_result(changed, all) {
            blocks.push((stages.len(), block(&name, &stages)));
        }
        for (word, list) in [("added", &self.added), ("removed", &self.removed)] {
            for (name, stages) in grouped(list.iter().map(|name| (name.as_str(), ())), all) {
                blocks.push((stages.len(), format!("{word:8} {}\n", many(&name, stages.len()))));
            }
        }
        let more = if all { 0 } else { blocks.len().saturating_sub(GROUPS) };
        let left: usize = blocks.iter().rev().take(more).map(|(stages, _)| stages).sum();
        blocks.truncate(blocks.len() - more);
        text.extend(blocks.into_iter().map(|(_, block)| block));
        if more > 0 {
            let _ = writeln!(text, "and {left} more stages: `--all` lists every one");
        }
        text
    }
}

/// Stages of one sweep under one name, in the order in which these names first occur; each stage alone if `all` is
/// set.
fn grouped<'a, T>(
    stages: impl Iterator<Item = (&'a str, T)>,
    all: bool,
) -> Vec<(String, Vec<(&'a str, T)>)> {
    let mut groups: Vec<(String, Vec<(&str, T)>)> = Vec::new();
    for (name, what) in stages {
        let shown = if all { name.to_owned() } else { folded(name) };
        match groups.iter_mut().find(|(group, _)| *group == shown) {
            Some((_, group)) => group.push((name, what)),
            None => groups.push((shown, vec![(name, what)])),
        }
    }
    groups
}

/// The same for changed stages: those with a different result are kept apart from those that came out the same.
fn grouped_by_result<'a>(
    changed: impl Iterator<Item = (&'a str, &'a Changed)>,
    all: bool,
) -> Vec<(String, Vec<(&'a str, &'a Changed)>)> {
    let (moved, same): (Vec<_>, Vec<_>) = changed.partition(|(_, changed)| changed.moved());
    let mut groups = grouped(moved.into_iter(), all);
    groups.extend(grouped(same.into_iter(), all));
    groups
}

fn many(group: &str, stages: usize) -> String {
    if stages == 1 { group.to_owned() } else { format!("{group} ({stages} stages)") }
}

/// A sweep that changed, with the details of its first stage.
fn block(group: &str, stages: &[(&str, &Changed)]) -> String {
    let Some((name, first)) = stages.first() else { return String::new() };
    let word = if first.moved() { Tone::Open.paint("moved   ") } else { "changed ".to_owned() };
    let shown = if stages.len() == 1 { (*name).to_owned() } else { many(group, stages.len()) };
    let mut text = format!("{word} {shown}\n");
    let reason = Reason::Changed { changes: first.changes.clone() };
    for line in words(&reason) {
        let _ = writeln!(text, "           {line}");
    }
    let moved = |output: &Output| {
        format!("{} {}", output.output, if output.moved { "moved" } else { "the same" })
    };
    let outputs: Vec<_> = first.outputs.iter().map(moved).collect();
    let of = if stages.len() == 1 { String::new() } else { format!(" of {name}") };
    let _ = writeln!(text, "           outputs{of}: {}", outputs.join(", "));
    for output in &first.outputs {
        if let Some(difference) = &output.difference {
            differences(&mut text, &output.output, difference);
        }
    }
    text
}

fn differences(text: &mut String, output: &str, difference: &Difference) {
    let mut line = |what: String| {
        let _ = writeln!(text, "             {output}: {what}");
    };
    let (before, after) = difference.rows;
    if before != after {
        line(format!("{before} → {after} rows"));
    }
    for name in &difference.gone {
        line(format!("column {name} is gone"));
    }
    for name in &difference.came {
        line(format!("column {name} is new"));
    }
    for moved in &difference.moved {
        let rows = format!("{} of {} rows", moved.rows, before.min(after));
        match moved.most {
            None => line(format!("{}: {rows} differ", moved.column)),
            Some(most) => line(format!(
                "{}: {rows} differ, most in row {}: {} → {} ({})",
                moved.column,
                most.row,
                most.old,
                most.new,
                change(most.old, most.new)
            )),
        }
    }
}

/// By how much a value changed, with its sign: whole numbers as they are, others to four digits.
fn change(old: f64, new: f64) -> String {
    let whole = |x: f64| x.fract() == 0.0 && x.abs() < 1e15;
    if whole(old) && whole(new) {
        format!("{:+}", new - old)
    } else {
        format!("{:+.3e}", new - old)
    }
}

#[cfg(test)]
mod tests {
    #[test]
    fn whole_numbers_change_by_whole_numbers() {
        assert_eq!(super::change(1.0, 0.0), "-1");
        assert_eq!(super::change(4.0, 20.0), "+16");
        assert_eq!(super::change(0.5, 0.25), "-2.500e-1");
    }
}
